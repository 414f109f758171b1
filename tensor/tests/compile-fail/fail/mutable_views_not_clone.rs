//! A view that writes has no copy.

use tensor::{StridedMut, TensorViewMut, TypedTensorViewMut};

fn asks_clone<T: Clone>(_: &T) {}

fn typed(view: &TypedTensorViewMut<'_, f64>) {
    asks_clone(view); //~ E0277: `TypedTensorViewMut<'_, f64>: Clone` is not satisfied
    let _: TypedTensorViewMut<'_, f64> = view.clone(); //~ E0308: expected `TypedTensorViewMut<'_, f64>`
}

fn erased(view: &TensorViewMut<'_>) {
    asks_clone(view); //~ E0277: `TensorViewMut<'_>: Clone` is not satisfied
}

fn by_value(typed: TypedTensorViewMut<'_, f64>, erased: TensorViewMut<'_>) {
    drop(typed.clone()); //~ E0599: no method named `clone` found
    drop(erased.clone()); //~ E0599: no method named `clone` found
}

fn parts(elements: StridedMut<'_, f64>, mut view: TypedTensorViewMut<'_, f64>) {
    drop(elements.clone()); //~ E0599: no method named `clone` found
    drop(view.iter_mut().clone()); //~ E0599: no method named `clone` found
    drop(view.lanes_mut(0).unwrap().clone()); //~ E0599: no method named `clone` found
    drop(view.axis_iter_mut(0).unwrap().clone()); //~ E0599: no method named `clone` found
}

fn main() {}
