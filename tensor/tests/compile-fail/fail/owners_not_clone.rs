//! An owner has no clone unless it is plain host memory: a clone could move data between memories unseen.

use tensor::{AllocationGroup, Gpu, Host, Rank, Tensor, TypedTensor};

struct NotClone;

fn dynamic(owner: TypedTensor<f64>) {
    drop(owner.clone()); //~ E0599: no method named `clone` found for struct `TypedTensor
}

fn ranked(owner: TypedTensor<f64, Rank<2>>) {
    drop(owner.clone()); //~ E0599: no method named `clone` found for struct `TypedTensor
}

fn gpu(owner: TypedTensor<f64, Rank<2>, Gpu>) {
    drop(owner.clone()); //~ E0599: no method named `clone` found for struct `TypedTensor
}

fn elements(owner: TypedTensor<NotClone, Rank<2>, Host>) {
    drop(owner.clone()); //~ E0599: the method `clone` exists for struct
}

fn erased(owner: Tensor) {
    drop(owner.clone()); //~ E0599: no method named `clone` found for struct `Tensor`
}

fn group(owner: AllocationGroup) {
    drop(owner.clone()); //~ E0599: no method named `clone` found for struct `AllocationGroup`
}

fn main() {}
