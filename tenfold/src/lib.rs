//! The facade: open a model, compile it, run it; device choice, specialisation cache, reports.
//!
//! ```no_run
//! use tenfold::prelude::*;
//!
//! # fn main() -> Result<(), tenfold::Error> {
//! let model = Model::open("classifier.onnx")?;
//! let classify = model.compile(&CompileOptions::default())?;
//! let image = Tensor::from_vec_row_major([1, 3, 224, 224], vec![0.5_f32; 3 * 224 * 224])?;
//! let outputs = classify.run(&[("image", &image)])?;
//! println!("{}", outputs["probabilities"]);
//! # Ok(())
//! # }
//! ```
//!
//! [`Model::compile`] brings the graph to its canonical form once. [`CompiledFunction::run`] then
//! specialises it for the shapes of its feeds: fuses, plans memory, packs constants. That is done
//! once per set of shapes; the results are kept, and a later run with the same shapes only computes.
//!
//! When a result is wrong, [`CompiledFunction::dump`] shows the intermediate values and where the first NaN came from. The feature
//! `tracing` adds the module `trace`, which writes what was done when as a file for Perfetto.
//!
//! **Memory.** [`Devices::default()`] is what a program begins with: the processor and its host memory. It is a value that is
//! passed on; backends and allocators (a pool, a limit, one that finds leaks) are registered in it, and nothing is global.
//!
//! ```
//! use std::sync::Arc;
//! use tenfold::prelude::*;
//! use tenfold::tensor::alloc::{Allocator, DebugAllocator, DebugOptions};
//! use tenfold::tensor::Device;
//!
//! let mut devices = Devices::default();
//! let system = Arc::clone(devices.home(Device::CPU)?);
//! let watched = Arc::new(DebugAllocator::new(system, DebugOptions::default()));
//! devices.allocators_mut().register(watched.clone());
//!
//! let t = Tensor::zeros_in(devices.home(Device::CPU)?, DType::F32, [2, 3])?;
//! assert_eq!(watched.counters().read().live_bytes, 24);
//! # drop(t);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Who comes from the EVE engine's tensor module finds the names in [`names`].
//!
//! What this crate does not own: kernels, passes, file formats. Those are in the crates it re-exports.
#![forbid(unsafe_code)]

mod device;
mod dump;
mod error;
mod feeds;
mod func;
mod function;
mod model;
mod outputs;
mod segment;
mod small;
mod specialisation;
mod state;
mod tf;
#[cfg(feature = "tracing")]
pub mod trace;
mod value;

pub use device::{CompileOptions, DeviceChoice, DeviceInfo, devices};
pub use dump::{Dump, DumpOptions, DumpWhen, Origin};
pub use error::Error;
pub use func::Func;
pub use function::{CompiledFunction, Port};
pub use model::Model;
pub use outputs::Outputs;
pub use specialisation::{ParseStageError, Specialisation, Stage};
pub use tf::Tf;
pub use value::{Interpolation, Value, apply_all};

pub use graph;
pub use onnx;
pub use plan;
pub use tensor;
pub use tensor::device::{AllocatorRegistry, Devices};
pub use tensor::{DType, Tensor, TensorView, TypedTensor};

/// What a user types every day.
pub mod prelude {
    pub use crate::{
        CompileOptions, CompiledFunction, DeviceChoice, Devices, Func, Model, Outputs, Tf, Value,
    };
    pub use tensor::{
        DType, DynRank, Rank, SharedTensor, SliceSpec, Tensor, TensorElement, TensorView,
        TypedTensor, TypedTensorView,
    };
}

#[doc = include_str!("names.md")]
pub mod names {}

/// The examples of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
