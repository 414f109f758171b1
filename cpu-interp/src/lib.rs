//! Runs plans on the CPU: `reference/` is one plain loop per op, `kernels/` is SIMD and threads; no GPU.
//!
//! This crate owns numerics on host memory. It owns neither graphs nor files nor any other device.
//!
//! Unsafe code lives below [`kernels`] alone.
#![deny(unsafe_code)]

#[expect(
    unsafe_code,
    reason = "vector intrinsics and disjoint writes from several threads need it; every block states why it is sound"
)]
pub mod kernels;

pub mod exec;
pub mod reference;
