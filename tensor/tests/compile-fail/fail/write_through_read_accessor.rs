//! What reads an owner lends nothing that can be written: neither its storage nor its layout nor its buffer.

use tensor::{TensorLayout, TypedTensor, TypedTensorView};

fn storage(owner: &mut TypedTensor<f64>) {
    owner.storage().unwrap()[0] = 1.0; //~ E0594: cannot assign
}

fn slice(owner: &mut TypedTensor<f64>) {
    owner.as_slice().unwrap()[0] = 1.0; //~ E0594: cannot assign
}

fn element(owner: &mut TypedTensor<f64>) {
    *owner.get(&[0]).unwrap() = 1.0; //~ E0594: cannot assign
}

fn layout(owner: &mut TypedTensor<f64>) {
    *owner.layout() = TensorLayout::scalar(); //~ E0594: cannot assign
}

fn extent(owner: &mut TypedTensor<f64>) {
    owner.shape()[0] = 1; //~ E0594: cannot assign
}

fn buffer(owner: &mut TypedTensor<f64>) {
    owner.buffer().unwrap().host_mut(); //~ E0596: cannot borrow
}

fn view(view: &mut TypedTensorView<'_, f64>) {
    view.storage()[0] = 1.0; //~ E0594: cannot assign
}

fn reference(owner: &TypedTensor<f64>) {
    owner.storage_mut().unwrap()[0] = 1.0; //~ E0596: cannot borrow `*owner` as mutable
}

fn main() {
    let mut owner = TypedTensor::scalar(1.0);
    storage(&mut owner);
    slice(&mut owner);
    element(&mut owner);
    layout(&mut owner);
    extent(&mut owner);
    buffer(&mut owner);
    reference(&owner);
    view(&mut owner.as_view().unwrap());
}
