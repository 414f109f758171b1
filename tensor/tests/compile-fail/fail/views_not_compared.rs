//! Tensors and views are not compared with `==`: whether that means values, layouts or identity, only the caller knows.

use tensor::{SharedTensor, Tensor, TensorView, TypedTensor, TypedTensorView};

fn typed(a: &TypedTensor<f64>, b: &TypedTensor<f64>) -> bool {
    a == b //~ E0369: binary operation `==` cannot be applied to type `&TypedTensor<f64>`
}

fn erased(a: &Tensor, b: &Tensor) -> bool {
    a == b //~ E0369: binary operation `==` cannot be applied to type `&Tensor`
}

fn views(a: TypedTensorView<'_, f64>, b: TypedTensorView<'_, f64>) -> bool {
    a == b //~ E0369: binary operation `==` cannot be applied to type `TypedTensorView<'_, f64>`
}

fn erased_views(a: TensorView<'_>, b: TensorView<'_>) -> bool {
    a == b //~ E0369: binary operation `==` cannot be applied to type `TensorView<'_>`
}

fn holders(a: &SharedTensor, b: &SharedTensor) -> bool {
    a == b //~ E0369: binary operation `==` cannot be applied to type `&SharedTensor`
}

fn main() {}
