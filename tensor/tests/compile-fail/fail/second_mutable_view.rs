//! Two views that write never live at once, whether they come from an owner or from another view.

use tensor::{
    AllocationGroup, DescriptorSlot, SharedTensor, SliceSpec, Tensor, TypedTensor,
    TypedTensorViewMut,
};

fn typed(mut owner: TypedTensor<f64>) {
    let mut first = owner.as_view_mut().unwrap();
    let mut second = owner.as_view_mut().unwrap(); //~ E0499: cannot borrow `owner` as mutable
    first.fill(1.0);
    second.fill(2.0);
}

fn erased(mut owner: Tensor) {
    let first = owner.view_mut().unwrap();
    let second = owner.view_mut().unwrap(); //~ E0499: cannot borrow `owner` as mutable
    println!("{first:?} {second:?}");
}

fn shared(mut owner: SharedTensor) {
    let first = owner.view_mut().unwrap();
    let second = owner.view_mut().unwrap(); //~ E0499: cannot borrow `owner` as mutable
    println!("{first:?} {second:?}");
}

fn group(mut owner: AllocationGroup, slots: [DescriptorSlot; 2]) {
    let first = owner.write_view(slots[0]).unwrap();
    let second = owner.write_view(slots[1]).unwrap(); //~ E0499: cannot borrow `owner` as mutable
    println!("{first:?} {second:?}");
}

fn parts(mut view: TypedTensorViewMut<'_, f64>) {
    let mut turned = view.transpose();
    let mut row = view.slice(&[SliceSpec::range(0, 1)]).unwrap(); //~ E0499: cannot borrow `view` as mutable
    turned.fill(1.0);
    row.fill(2.0);
}

fn borrowed_again(mut view: TypedTensorViewMut<'_, f64>) {
    let mut shorter = view.reborrow();
    view.fill(1.0); //~ E0499: cannot borrow `view` as mutable
    shorter.fill(2.0);
}

fn memory(mut elements: Vec<f64>) {
    let mut first = TypedTensorViewMut::<f64>::from_slice([1], &mut elements).unwrap();
    let second = TypedTensorViewMut::<f64>::from_slice([1], &mut elements); //~ E0499: cannot borrow `elements` as mutable
    first.fill(1.0);
    drop(second);
}

fn main() {
    let (pair, slots) = AllocationGroup::from_tensors(vec![Tensor::scalar(1), Tensor::scalar(2)]);
    group(pair, [slots[0], slots[1]]);
    shared(Tensor::scalar(1).into_shared());
    erased(Tensor::scalar(1));
    typed(TypedTensor::scalar(1.0));
    parts(TypedTensor::scalar(1.0).as_view_mut().unwrap());
    borrowed_again(TypedTensor::scalar(1.0).as_view_mut().unwrap());
    memory(vec![1.0]);
}
