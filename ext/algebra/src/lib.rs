//! Matrix products, sums and products over any scalar with arithmetic.
//!
//! **What it shows.** Everything here is written against the public API of `tensor` alone: an algorithm that is generic
//! over [`ScalarArithmetic`](tensor::core::ScalarArithmetic) serves the presets and every scalar that some other crate
//! defines, without either knowing the other.
//!
//! **How it works.** Inputs are views of any layout. Each result element is one fold over the elements it depends on,
//! which are reached as views of the inputs, so memory order, strides of 0 and negative strides need no case of their own.
//! Sums are kept in the scalar's accumulator and rounded once, at their end; terms come in row-major logical order.
//!
//! **Invariant.** A result depends on logical elements only, never on memory order; it is dense and row-major.
#![forbid(unsafe_code)]

mod error;
mod map;
mod matmul;
mod reduce;

pub use error::{AlgebraError, Result};
pub use map::map;
pub use matmul::matmul;
pub use reduce::{product, sum};
/// The crate whose tensors these are, for callers that know it under another name or not at all.
pub use tensor;
