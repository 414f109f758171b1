//! The whole interface of an executor.

use std::sync::Arc;

use graph::op::Op;
use graph::scalar::Program;
use tensor::{Tensor, TensorView};
use tensor_core::DType;
use thiserror::Error;

use crate::Plan;

/// A feed of a run.
pub type Feed<'a> = TensorView<'a>;

/// A device that runs plans.
pub trait Backend: Send + Sync {
    /// Name of the device for people and reports: `cpu`.
    fn name(&self) -> &str;

    /// Whether a step family of this device serves an op whose operands and results have these dtypes. An op that is not
    /// served becomes a whole op, see [`StepKind::Whole`](crate::StepKind::Whole).
    fn serves(&self, op: &Op, dtypes: &[DType]) -> bool;

    /// Everything that can be done once: prepack constants, choose kernels, allocate.
    ///
    /// # Errors
    /// If a step is not supported, or the device fails.
    fn prepare(&self, plan: Arc<Plan>) -> Result<Box<dyn Prepared>, BackendError>;

    /// The way to evaluate an expression over a few elements at once, without a plan: such a call costs less than to look for
    /// the plan. `None` where the device has none, or none for the expression's dtypes.
    fn elementwise(&self, program: &Program) -> Option<Box<dyn Elementwise>>;
}

/// An expression that is ready for a few elements.
pub trait Elementwise: Send + Sync {
    /// The most elements of a call.
    fn most(&self) -> usize;

    /// Evaluates the expression for every element of `out`, on the calling thread.
    ///
    /// # Panics
    /// If there are more elements than [`Elementwise::most`], or an operand has fewer: bugs of the caller.
    fn run(&self, operands: &[Operand<'_>], out: &mut [u8]);
}

/// An operand of [`Elementwise::run`].
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// The bytes of as many elements as there are results.
    Each(&'a [u8]),
    /// The bytes of one element for all results.
    One(&'a [u8]),
}

/// No bytes.
impl Default for Operand<'_> {
    fn default() -> Self {
        Operand::Each(&[])
    }
}

/// A plan that is ready to run. Runs may happen on several threads at once.
pub trait Prepared: Send + Sync {
    /// What was decided.
    fn report(&self) -> &Report;

    /// One run. `outputs` are dense row-major tensors of the plan's dtypes and shapes; they are overwritten.
    ///
    /// # Errors
    /// If feeds or outputs do not match the plan, or data makes a step impossible (an index out
    /// of range). The outputs' contents are then unspecified.
    fn run(&self, feeds: &[Feed<'_>], outputs: &mut [Tensor]) -> Result<(), BackendError>;
}

/// What an executor decided about a plan.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name of the device.
    pub device: String,
    /// Number of threads, if it has a meaning on the device.
    pub threads: Option<usize>,
    /// Kernel choices of the machine, for example `avx512`.
    pub kernels: String,
    /// Bytes of the arena.
    pub arena_bytes: usize,
    /// Bytes of constants in the form that the kernels read.
    pub constant_bytes: usize,
    /// Steps that run elsewhere.
    pub fallbacks: Vec<Fallback>,
}

/// A step that does not run on the device of the plan.
#[derive(Clone, Debug)]
pub struct Fallback {
    /// Name of the step.
    pub step: String,
    /// Where it runs.
    pub device: String,
    /// Why.
    pub reason: String,
    /// Bytes that are moved for it each run.
    pub moved_bytes: usize,
}

/// Why an executor could not do its work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The device has no kernel for a step.
    #[error("step {step:?} ({family}): {device} does not support {what}")]
    Unsupported {
        /// Name of the step.
        step: String,
        /// Its family.
        family: &'static str,
        /// The device.
        device: String,
        /// dtype, layout or attribute.
        what: String,
    },
    /// Feeds or outputs that are not what the plan was made for: a bug of the caller.
    #[error("{what} of the run do not match the plan: expected {expected}, got {got}")]
    Mismatch {
        /// `feeds` or `outputs`.
        what: &'static str,
        /// The plan's ports.
        expected: String,
        /// What was given.
        got: String,
    },
    /// An element of a feed makes a step impossible.
    #[error("step {step:?}: {problem}")]
    Data {
        /// Name of the step.
        step: String,
        /// What is wrong with the data.
        problem: String,
    },
    /// Memory for the arena or an output is not to be had.
    #[error("cannot allocate {bytes} bytes for {what}")]
    OutOfMemory {
        /// What it is for.
        what: &'static str,
        /// How much.
        bytes: usize,
    },
}
