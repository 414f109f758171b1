//! A view that writes does not accept references that live shorter than the elements: it is invariant in their type.

use tensor::{ColMajorViewMut, RowMajorViewMut, StridedMut, TypedTensorViewMut};

type Text = &'static str;

fn view(mut to: TypedTensorViewMut<'_, Text>) {
    let short = String::from("short");
    to.fill(&short); //~ E0597: `short` does not live long enough
}

fn elements(mut to: StridedMut<'_, Text>) {
    let short = String::from("short");
    *to.get_mut(&[0]).unwrap() = &short; //~ E0597: `short` does not live long enough
}

fn iterated(to: StridedMut<'_, Text>) {
    let short = String::from("short");
    for element in to {
        *element = &short; //~ E0597: `short` does not live long enough
    }
}

fn lanes(to: StridedMut<'_, Text>) {
    let short = String::from("short");
    for mut lane in to.lanes(0).unwrap() {
        lane.fill(&short); //~ E0597: `short` does not live long enough
    }
}

fn dense(mut to: ColMajorViewMut<'_, Text, 1>) {
    let short = String::from("short");
    to[[0]] = &short; //~ E0597: `short` does not live long enough
}

fn dense_lanes(mut to: RowMajorViewMut<'_, Text, 1>) {
    let short = String::from("short");
    for lane in to.lanes_mut() {
        lane[0] = &short; //~ E0597: `short` does not live long enough
    }
}

fn main() {}
