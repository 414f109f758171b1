//! A conversion consumes its owner, and a view that writes is moved, never copied.

use tensor::{Tensor, TypedTensor, TypedTensorViewMut};

fn typed(owner: TypedTensor<f64>) {
    let erased = Tensor::from(owner);
    println!("{erased:?} {:?}", owner.shape()); //~ E0382: borrow of moved value: `owner`
}

fn tried(owner: Tensor) {
    let typed = owner.into_typed::<f64>();
    let again = owner.into_typed::<f32>(); //~ E0382: use of moved value: `owner`
    println!("{typed:?} {again:?}");
}

fn assigned(owner: Tensor) {
    let other = owner;
    println!("{other:?} {owner:?}"); //~ E0382: borrow of moved value: `owner`
}

fn writer(view: TypedTensorViewMut<'_, f64>) {
    let mut first = view;
    let mut second = view; //~ E0382: use of moved value: `view`
    first.fill(1.0);
    second.fill(2.0);
}

fn main() {
    typed(TypedTensor::scalar(1.0));
    tried(Tensor::scalar(1.0));
    assigned(Tensor::scalar(1.0));
    writer(TypedTensor::scalar(1.0).as_view_mut().unwrap());
}
