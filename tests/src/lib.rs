//! What crosses crates, tested: the harness that compares an executor with the reference.
//!
//! [`conformance`] has the table op x dtype x layout and judges an [`Executor`] by the ULP limits of the op table;
//! [`models`] finds real models and their goldens; [`random`] makes small graphs from a seed, to compare an optimised run of several ops with a plain one;
//! [`suite`] runs the ONNX backend suite and keeps the table of operators. The tests
//! themselves are in the folder `tests/`, golden values of other engines in `golden/`.
//!
//! Invariant: what is expected comes from the reference or from another engine, never from the executor under test.
#![forbid(unsafe_code)]

pub mod all;
mod both;
mod compiled;
pub mod conformance;
mod executor;
pub mod models;
pub mod random;
mod seeded;
pub mod suite;
pub mod text;
pub mod ulp;
mod values;
pub mod wire;

pub use both::both;
pub use compiled::{Canonical, Compiled};
pub use executor::{Executor, Feeds, Outputs, Reference};
pub use seeded::Seeded;
pub use values::{Captured, Eager};
