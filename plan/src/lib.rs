//! The compiled form every executor reads (steps, buffers, constants) and the Backend trait; no passes, no devices.
//!
//! A [`Plan`] is a list of [`Step`]s with all shapes baked in. What a step reads is a
//! [`Source`]: strided loads from buffers ([`Load`]: transposes, slices, broadcasts and reshapes
//! are nothing but a layout) and a scalar program over them, the step's *prologue*. What it does to
//! each result before storing is its [`Epilogue`]. It writes one dense row-major buffer. Buffers
//! live in the caller's inputs and outputs, in the constants, or at a byte offset of one arena.
//!
//! Invariants (checked by [`Plan::verify`]): a step reads only what is written before it; loads
//! stay inside their buffers; buffers that are alive at the same time do not overlap in the arena;
//! outputs alias nothing. A plan prints the same text for the same graph, byte for byte.
#![forbid(unsafe_code)]

mod backend;
mod model;
mod print;
mod source;
mod step;
mod verify;

pub use backend::{Backend, BackendError, Elementwise, Fallback, Feed, Operand, Prepared, Report};
pub use model::{ARENA_ALIGNMENT_BYTES, Buffer, BufferId, Constant, Place, Plan, Port};
pub use source::{Epilogue, Load, Source};
pub use step::{ConvStep, PoolStep, Step, StepKind, Window2d};
pub use verify::PlanError;
