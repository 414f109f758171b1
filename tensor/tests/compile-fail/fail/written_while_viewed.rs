//! Nothing writes while a view reads.

use tensor::{AllocationGroup, DescriptorSlot, SharedTensor, Tensor, TypedTensor};

fn typed(mut owner: TypedTensor<f64>) {
    let view = owner.as_view().unwrap();
    owner.storage_mut().unwrap()[0] = 2.0; //~ E0502: cannot borrow `owner` as mutable
    println!("{view:?}");
}

fn element(mut owner: TypedTensor<f64>) {
    let first = owner.get(&[0]).unwrap();
    *owner.get_mut(&[1]).unwrap() = 2.0; //~ E0502: cannot borrow `owner` as mutable
    println!("{first}");
}

fn iterated(mut owner: TypedTensor<f64>) {
    let mut elements = owner.as_view().unwrap().iter();
    let writer = owner.as_view_mut(); //~ E0502: cannot borrow `owner` as mutable
    println!("{writer:?} {:?}", elements.next());
}

fn erased(mut owner: Tensor) {
    let view = owner.view().unwrap().transpose();
    owner.as_mut_slice::<f32>().unwrap()[0] = 2.0; //~ E0502: cannot borrow `owner` as mutable
    println!("{view:?}");
}

fn shared(mut owner: SharedTensor) {
    let view = owner.view().unwrap();
    let writer = owner.view_mut(); //~ E0502: cannot borrow `owner` as mutable
    println!("{view:?} {writer:?}");
}

fn group(mut owner: AllocationGroup, slots: [DescriptorSlot; 2]) {
    let view = owner.read_view(slots[0]).unwrap();
    let writer = owner.write_view(slots[1]); //~ E0502: cannot borrow `owner` as mutable
    println!("{view:?} {writer:?}");
}

fn main() {
    let (pair, slots) = AllocationGroup::from_tensors(vec![Tensor::scalar(1), Tensor::scalar(2)]);
    group(pair, [slots[0], slots[1]]);
    shared(Tensor::scalar(1).into_shared());
    erased(Tensor::scalar(1.0_f32));
    typed(TypedTensor::scalar(1.0));
    element(TypedTensor::scalar(1.0));
    iterated(TypedTensor::scalar(1.0));
}
