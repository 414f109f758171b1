//! A rank that is known when compiling is checked when compiling, between functions and at an index.

use tensor::{DynRank, Host, Rank, TypedTensor, TypedTensorView};

fn matrix(_: &TypedTensor<f64, Rank<2>>) {}
fn matrix_view(_: TypedTensorView<'_, f64, Rank<2>>) {}
fn any_rank(_: &TypedTensor<f64>) {}

fn main() {
    let vector = TypedTensor::<f64, Rank<1>>::zeros([2]).unwrap();
    matrix(&vector); //~ E0308: expected `2`, found `1`
    matrix_view(vector.as_view().unwrap()); //~ E0308: expected `2`, found `1`
    any_rank(&vector); //~ E0308: expected `&TypedTensor<f64>`, found `&TypedTensor<f64, Rank<1>>`
    matrix(&TypedTensor::<f64>::zeros([2, 2]).unwrap()); //~ E0308: expected `&TypedTensor<f64, Rank<2>>`
    let assigned: TypedTensor<f64, Rank<3>> = vector.try_into_rank::<2>().unwrap(); //~ E0308: expected `3`, found `2`

    let square = TypedTensor::<f64, Rank<2>>::zeros([2, 2]).unwrap();
    println!("{}", square[[0]]); //~ E0308: expected an array with a size of 2, found one with a size of 1
    println!("{}", square[[0, 0, 0]]); //~ E0308: expected an array with a size of 2, found one with a size of 3
    println!("{}", square.as_view().unwrap()[[0, 0, 0]]); //~ E0308: expected an array with a size of 2, found one with a size of 3
    let host: TypedTensor<f64, DynRank, Host> = square.into_host().unwrap(); //~ E0308: mismatched types
}
