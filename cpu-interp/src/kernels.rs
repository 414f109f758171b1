//! Fast f32 numerics on raw slices: matrix products, convolutions, pooling, normalisation, transposition.
//!
//! Every kernel takes a [`Cpu`]: the instruction set to use and the threads to run on, both plain values. The
//! instruction set is chosen at run time, so a default build (no `-C target-cpu`) reaches full speed; kernels are
//! written once over the [`simd::Simd`] trait and instantiated for each level.
//!
//! Invariants that hold for every kernel here:
//! - the result does not depend on the number of threads, to the last bit;
//! - nothing allocates in the steady state: workspace comes from [`pool::Threads`] and is reused;
//! - shapes and strides that do not fit their slices are bugs of the caller and panic before anything is written.

use isa::Isa;
use pool::Threads;

pub mod chunks;
pub mod conv;
pub mod gemm;
pub mod isa;
pub mod norm;
pub mod pool;
pub mod pool2d;
pub mod reduce;
pub mod scratch;
pub mod simd;
pub mod softmax;
pub mod tile;
pub mod transpose;
pub mod vecmath;

#[cfg(test)]
mod testing;

/// What a kernel runs on: an instruction set and a set of threads.
#[derive(Debug)]
pub struct Cpu {
    /// The instruction set of the vector code.
    pub isa: Isa,
    /// The threads and their reusable workspace.
    pub threads: Threads,
}

impl Cpu {
    /// The best instruction set of this machine, on `threads` threads (0 counts as 1).
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self::with_isa(Isa::detect(), threads)
    }

    /// The same with an instruction set of the caller's choice.
    #[must_use]
    pub fn with_isa(isa: Isa, threads: usize) -> Self {
        Self {
            isa,
            threads: Threads::new(threads),
        }
    }
}
