//! A shared tensor is neither written nor taken apart through a shared reference.

use tensor::{AllocationGroup, DescriptorSlot, SharedTensor, Tensor};

fn written(holder: &SharedTensor) {
    let writer = holder.view_mut(); //~ E0596: cannot borrow `*holder` as mutable
    println!("{writer:?}");
}

fn taken(holder: &SharedTensor) {
    let owner = holder.try_into_tensor(); //~ E0507: cannot move out of `*holder`
    println!("{owner:?}");
}

fn element(holder: &SharedTensor) {
    let view = holder.view().unwrap();
    view.as_slice::<f32>().unwrap()[0] = 1.0; //~ E0594: cannot assign
}

fn plain(owner: &Tensor) {
    let typed = owner.into_typed::<f32>(); //~ E0507: cannot move out of `*owner`
    println!("{typed:?}");
}

fn group(owner: &AllocationGroup, slot: DescriptorSlot) {
    let writer = owner.write_view(slot); //~ E0596: cannot borrow `*owner` as mutable
    println!("{writer:?}");
}

fn main() {
    let holder = Tensor::scalar(1.0_f32).into_shared();
    written(&holder);
    taken(&holder);
    element(&holder);
    plain(&Tensor::scalar(1.0_f32));
    let (pair, slots) = AllocationGroup::from_tensors(vec![Tensor::scalar(1)]);
    group(&pair, slots[0]);
}
