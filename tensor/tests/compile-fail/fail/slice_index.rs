//! Where the representation is known only when running, no slice indexes: an index could hide a transfer.

use tensor::{Gpu, Rank, SharedTensor, Tensor, TypedTensor, TypedTensorView};

fn dynamic(tensor: &TypedTensor<f64>) {
    println!("{}", tensor[&[1][..]]); //~ E0608: cannot index into a value of type
}

fn ranked(tensor: &TypedTensor<f64, Rank<1>>) {
    println!("{}", tensor[&[1][..]]); //~ E0308: expected `[usize; 1]`, found `&[
}

fn gpu(tensor: &TypedTensor<f64, tensor::DynRank, Gpu>) {
    println!("{}", tensor[&[1][..]]); //~ E0608: cannot index into a value of type
}

fn erased(tensor: &Tensor, holder: &SharedTensor) {
    println!("{}", tensor[[1]]); //~ E0608: cannot index into a value of type
    println!("{}", holder[[1]]); //~ E0608: cannot index into a value of type
}

fn view(view: TypedTensorView<'_, f64>) {
    println!("{}", view[[1]]); //~ E0608: cannot index into a value of type
}

fn main() {}
