//! An owner can be neither consumed nor dropped while a view of it lives.

use tensor::{AllocationGroup, Tensor, TypedTensor};

fn typed(owner: TypedTensor<f64>) {
    let view = owner.as_view().unwrap();
    let vector = owner.into_vec(); //~ E0505: cannot move out of `owner`
    println!("{view:?} {vector:?}");
}

fn ranked(owner: TypedTensor<f64>) {
    let view = owner.as_view().unwrap().transpose();
    let ranked = owner.try_into_rank::<2>(); //~ E0505: cannot move out of `owner`
    println!("{view:?} {ranked:?}");
}

fn erased(owner: Tensor) {
    let view = owner.view().unwrap();
    drop(owner); //~ E0505: cannot move out of `owner`
    println!("{view:?}");
}

fn elements(owner: Tensor) {
    let first = &owner.as_slice::<f32>().unwrap()[0];
    let shared = owner.into_shared(); //~ E0505: cannot move out of `owner`
    println!("{first} {shared:?}");
}

fn group(mut owner: AllocationGroup, other: AllocationGroup) {
    let slots = owner.append_group(other);
    let view = owner.read_view(slots[0].unwrap()).unwrap();
    let holders = owner.into_shared(); //~ E0505: cannot move out of `owner`
    println!("{view:?} {holders:?}");
}

fn main() {
    typed(TypedTensor::scalar(1.0));
    ranked(TypedTensor::scalar(1.0));
    erased(Tensor::scalar(1.0));
    elements(Tensor::scalar(1.0_f32));
    group(AllocationGroup::new(), AllocationGroup::new());
}
