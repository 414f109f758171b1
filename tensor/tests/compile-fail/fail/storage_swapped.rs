//! The storage of an owner can't be exchanged for another: the accessor reads only.

use tensor::{TensorLayout, TypedTensor};

fn storage(owner: &mut TypedTensor<f64>, other: &mut [f64]) {
    let mut storage: &mut [f64] = owner.storage().unwrap(); //~ E0308: types differ in mutability
    std::mem::swap(&mut storage, &mut &mut *other);
}

fn layout(owner: &mut TypedTensor<f64>, mut other: TensorLayout) {
    std::mem::swap(&mut other, owner.layout()); //~ E0308: mismatched types
}

fn main() {
    let mut owner = TypedTensor::scalar(1.0);
    storage(&mut owner, &mut [2.0]);
    layout(&mut owner, TensorLayout::scalar());
}
