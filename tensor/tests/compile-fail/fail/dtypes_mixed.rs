//! Element types that are known when compiling do not mix, and nothing promotes unasked.

use tensor::{Tensor, TypedTensor, TypedTensorView, TypedTensorViewMut};

fn doubles(_: &TypedTensor<f64>) {}

fn copied(to: &mut TypedTensorViewMut<'_, f64>, from: &TypedTensorView<'_, f32>) {
    to.copy_from(from).unwrap(); //~ E0308: expected `&TypedTensorView<'_, f64, _>`, found `&TypedTensorView<'_, f32>`
}

fn main() {
    let singles = TypedTensor::<f32>::zeros([2]).unwrap();
    doubles(&singles); //~ E0308: expected `&TypedTensor<f64>`, found `&TypedTensor<f32>`
    let assigned: TypedTensor<f64> = singles; //~ E0308: expected `TypedTensor<f64>`, found `TypedTensor<f32>`
    let _ = TypedTensor::<f64>::from_vec_row_major([1], vec![1.0_f32]); //~ E0308: expected `f64`, found `f32`
    let _ = TypedTensor::<f64>::full([1], 1_i32); //~ E0308: expected `f64`, found `i32`
    let _: &[f64] = Tensor::scalar(1.0).as_slice::<f32>().unwrap(); //~ E0308: expected `&[f64]`, found `&[f32]`
    let mut tensor = TypedTensor::scalar(1.0_f64);
    tensor.as_view_mut().unwrap().fill(1.0_f32); //~ E0308: expected `f64`, found `f32`
}
