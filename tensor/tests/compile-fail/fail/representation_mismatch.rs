//! A representation that is known when compiling is checked when compiling, and converts only where it can differ.

use tensor::{DynRank, Gpu, Host, Placement, TypedTensor};

fn host(_: &TypedTensor<f64, DynRank, Host>) {}
fn gpu(_: &TypedTensor<f64, DynRank, Gpu>) {}
fn dynamic(_: &TypedTensor<f64>) {}

fn mixed(on_host: TypedTensor<f64, DynRank, Host>, unknown: TypedTensor<f64>) {
    host(&unknown); //~ E0308: expected `&TypedTensor<f64, DynRank, Host>`, found `&TypedTensor<f64>`
    gpu(&on_host); //~ E0308: expected `&TypedTensor<f64, DynRank, Gpu>`
    dynamic(&on_host); //~ E0308: expected `&TypedTensor<f64>`
    let _ = unknown.with_placement(Placement::default()); //~ E0599: no method named `with_placement` found
}

fn converted(on_host: TypedTensor<f64, DynRank, Host>, on_gpu: TypedTensor<f64, DynRank, Gpu>) {
    let _ = on_host.into_gpu(); //~ E0599: no method named `into_gpu` found
    let _ = on_gpu.into_host(); //~ E0599: no method named `into_host` found
    let _ = TypedTensor::<f64, DynRank, Gpu>::zeros([2]); //~ E0599: named `zeros` found
}

fn main() {}
