//! What is split off a view that writes keeps the view away, and elements are lent once.

use tensor::{ColMajorViewMut, SliceSpec, StridedMut, TypedTensorViewMut};

fn halves(mut view: TypedTensorViewMut<'_, f64>) {
    let (mut low, mut high) = view.split_at(0, 1).unwrap();
    view.fill(0.0); //~ E0499: cannot borrow `view` as mutable
    low.fill(1.0);
    high.fill(2.0);
}

fn slices(mut view: TypedTensorViewMut<'_, f64>) {
    let first = [SliceSpec::range(0, 1)];
    let (mut a, _b) = view.multi_slice_mut(&first, &[]).unwrap();
    println!("{view:?}"); //~ E0502: cannot borrow `view` as immutable
    a.fill(1.0);
}

fn lanes(mut view: TypedTensorViewMut<'_, f64>) {
    let mut lanes = view.lanes_mut(0).unwrap();
    let again = view.lanes_mut(1); //~ E0499: cannot borrow `view` as mutable
    lanes.next();
    drop(again);
}

fn given_up(elements: StridedMut<'_, f64>) {
    let (mut low, high) = elements.split_at(0, 1).unwrap();
    let again = elements.split_at(0, 1); //~ E0382: use of moved value: `elements`
    low.fill(1.0);
    drop((high, again));
}

fn two_elements(mut elements: StridedMut<'_, f64>) {
    let first = elements.get_mut(&[0]).unwrap();
    let second = elements.get_mut(&[1]).unwrap(); //~ E0499: cannot borrow `elements` as mutable
    std::mem::swap(first, second);
}

fn read_beside(mut elements: StridedMut<'_, f64>) {
    let first = elements.get_mut(&[0]).unwrap();
    let second = elements.get(&[1]).unwrap(); //~ E0502: cannot borrow `elements` as immutable
    *first = *second;
}

fn memory(mut memory: Vec<f64>) {
    let mut view = ColMajorViewMut::from_slice([1, 1], &mut memory).unwrap();
    memory[0] = 1.0; //~ E0499: cannot borrow `memory` as mutable
    view[[0, 0]] = 2.0;
}

fn lent_longer<'a>(mut memory: Vec<f64>) -> StridedMut<'a, f64> {
    let view = TypedTensorViewMut::from_slice([1], &mut memory).unwrap();
    view.into_strided_mut() //~ E0515: cannot return value referencing function parameter `memory`
}

fn main() {}
