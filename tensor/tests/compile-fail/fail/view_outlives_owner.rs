//! No view outlives what it looks at.

use tensor::{Result, SharedTensor, Tensor, TensorView, TypedTensor, TypedTensorView};

fn inner_scope() {
    let view;
    {
        let owner = Tensor::scalar(1.0_f32);
        view = owner.view().unwrap(); //~ E0597: `owner` does not live long enough
    }
    println!("{view:?}");
}

fn memory() {
    let view;
    {
        let elements = [1.0, 2.0];
        view = TypedTensorView::<f64>::from_slice([2], &elements).unwrap(); //~ E0597: `elements` does not live long enough
    }
    println!("{view:?}");
}

fn temporary() {
    let view = TypedTensor::scalar(1.0).as_view().unwrap(); //~ E0716: temporary value dropped while borrowed
    println!("{view:?}");
}

fn returned<'a>() -> Result<TensorView<'a>> {
    let owner = Tensor::scalar(1.0_f32);
    owner.view() //~ E0515: cannot return value referencing local variable `owner`
}

fn of_a_holder<'a>(holder: SharedTensor) -> TensorView<'a> {
    holder.view().unwrap().transpose() //~ E0515: cannot return value referencing function parameter `holder`
}

fn slice_of_a_view<'a>() -> &'a [f32] {
    let owner = Tensor::scalar(1.0_f32);
    let view = owner.view().unwrap();
    view.as_slice().unwrap() //~ E0515: cannot return value referencing local variable `owner`
}

fn main() {
    inner_scope();
    memory();
    temporary();
    let _ = returned();
    of_a_holder(Tensor::scalar(1).into_shared());
    slice_of_a_view();
}
