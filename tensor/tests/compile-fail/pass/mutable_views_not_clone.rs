//! A view that reads has copies, also of elements that have none; a view that writes is lent on.

use std::cell::Cell;

use tensor::{Result, SharedTensor, TensorView, TypedTensor, TypedTensorView, TypedTensorViewMut};

fn asks_clone<T: Clone>(_: &T) {}

struct NotClone;

fn lent_on(view: &mut TypedTensorViewMut<'_, f64>) {
    view.reborrow().fill(1.0);
    view.fill(2.0);
}

fn main() -> Result<()> {
    asks_clone::<TypedTensorView<'_, f64>>(&TypedTensor::scalar(1.0).as_view()?);
    asks_clone::<TypedTensorView<'_, NotClone>>(&TypedTensor::scalar(NotClone).as_view()?);
    asks_clone::<TypedTensorView<'_, Cell<i32>>>(&TypedTensor::scalar(Cell::new(1)).as_view()?);
    asks_clone::<TensorView<'_>>(&tensor::Tensor::scalar(1).view()?);
    asks_clone::<SharedTensor>(&tensor::Tensor::scalar(1).into_shared());
    lent_on(&mut TypedTensor::scalar(0.0).as_view_mut()?);
    Ok(())
}
