//! Layout, storage and payload can be neither read nor put together by hand, nor made without a check.

use tensor::{
    Dynamic, ReinterpretError, SharedTensor, Tensor, TensorError, TensorLayout, TypedTensor,
    TypedTensorView,
};

fn reads(
    owner: TypedTensor<f64>,
    erased: Tensor,
    holder: SharedTensor,
    view: TypedTensorView<'_, f64>,
) {
    let _ = owner.storage; //~ E0616: field `storage` of struct `TypedTensor` is private
    let _ = erased.payload; //~ E0616: field `payload` of struct `Tensor` is private
    let _ = holder.owner; //~ E0616: field `owner` of struct `SharedTensor` is private
    let _ = view.data; //~ E0616: field `data` of struct `TypedTensorView` is private
}

fn unchecked<'a>(elements: &'a [f64], layout: TensorLayout) -> TypedTensorView<'a, f64> {
    TypedTensorView::trusted(elements, layout) //~ E0624: associated function `trusted` is private
}

fn dense(layout: TensorLayout) -> TypedTensor<f64> {
    TypedTensor::from_dense(layout, Vec::new()) //~ E0624: associated function `from_dense` is private
}

fn failed(owner: Tensor, error: TensorError) -> ReinterpretError<Tensor> {
    ReinterpretError::new(owner, error) //~ E0624: associated function `new` is private
}

fn reached(owner: &TypedTensor<f64>) -> &[f64] {
    owner.host("reached").unwrap() //~ E0624: method `host` is private
}

fn represented() -> Dynamic {
    Dynamic::Host(Vec::new()) //~ E0599: named `Host` found
}

fn main() {}
