//! Dense views carry their order and their rank in their type.

use tensor::{ColMajorView, ColMajorViewMut, RowMajorView, RowMajorViewMut};

fn columns(_: ColMajorView<'_, f64, 2>) {}

fn orders(view: RowMajorView<'_, f64, 2>) {
    columns(view); //~ E0308: expected `ColMajorView<'_, f64, 2>`, found `RowMajorView<'_, f64, 2>`
}

fn ranks(view: ColMajorView<'_, f64, 3>) {
    columns(view); //~ E0308: expected `2`, found `3`
    println!("{}", view[[0, 0]]); //~ E0308: expected an array with a size of 3, found one with a size of 2
    println!("{:?}", view.get([0])); //~ E0308: expected an array with a size of 3, found one with a size of 1
}

fn shape(elements: &[f64]) {
    let _: RowMajorView<'_, f64, 2> = RowMajorView::from_slice([2, 3, 1], elements).unwrap(); //~ E0308: mismatched types
}

fn written(view: ColMajorView<'_, f64, 1>) {
    let _: ColMajorViewMut<'_, f64, 1> = view; //~ E0308: expected `ColMajorViewMut<'_, f64, 1>`
}

fn copied(view: RowMajorViewMut<'_, f64, 1>) {
    drop(view.clone()); //~ E0599: no method named `clone` found
}

fn main() {}
