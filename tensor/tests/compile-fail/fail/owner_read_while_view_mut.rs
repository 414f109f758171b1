//! Nothing reads while a view writes: not the owner, not its metadata, and not the view by another path.

use tensor::{SharedTensor, Tensor, TypedTensor, TypedTensorViewMut};

fn typed(mut owner: TypedTensor<f64>) {
    let mut writer = owner.as_view_mut().unwrap();
    println!("{:?}", owner.get(&[0])); //~ E0502: cannot borrow `owner` as immutable
    writer.fill(1.0);
}

fn metadata(mut owner: TypedTensor<f64>) {
    let mut writer = owner.as_view_mut().unwrap();
    println!("{:?}", owner.shape()); //~ E0502: cannot borrow `owner` as immutable
    writer.fill(1.0);
}

fn erased(mut owner: Tensor) {
    let writer = owner.view_mut().unwrap();
    let reader = owner.view(); //~ E0502: cannot borrow `owner` as immutable
    println!("{writer:?} {reader:?}");
}

fn shared(mut owner: SharedTensor) {
    let writer = owner.view_mut().unwrap();
    let other = owner.clone(); //~ E0502: cannot borrow `owner` as immutable
    println!("{writer:?} {other:?}");
}

fn read_only(mut writer: TypedTensorViewMut<'_, f64>) {
    let reader = writer.as_view();
    writer.fill(1.0); //~ E0502: cannot borrow `writer` as mutable
    println!("{reader:?}");
}

fn main() {
    typed(TypedTensor::scalar(1.0));
    metadata(TypedTensor::scalar(1.0));
    erased(Tensor::scalar(1));
    shared(Tensor::scalar(1).into_shared());
    read_only(TypedTensor::scalar(1.0).as_view_mut().unwrap());
}
