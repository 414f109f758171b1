//! Ops that no kernel family serves: computed by the reference.
//!
//! The reference reads the inputs where they lie, through their strides, makes its own results, and these are copied to the
//! buffers of the plan. A whole op therefore allocates, and takes one thread.

use graph::op::Op;
use plan::{BackendError, Load, Plan, Step};
use tensor::{Tensor, TensorView};
use tensor_core::DType;

use super::memory::{self, Memory, Reads};
use crate::reference::{ReferenceError, evaluate_views};

/// A prepared whole op.
#[derive(Debug)]
pub(super) struct Whole {
    op: Op,
    inputs: Vec<Option<(Load, DType)>>,
}

impl Whole {
    pub(super) fn new(plan: &Plan, op: &Op, inputs: &[Option<Load>]) -> Whole {
        let typed = |load: &Load| (load.clone(), plan.buffer(load.buffer).dtype);
        Whole {
            op: op.clone(),
            inputs: inputs.iter().map(|load| load.as_ref().map(typed)).collect(),
        }
    }

    pub(super) fn run(&self, step: &Step, memory: &mut Memory<'_>) -> Result<(), BackendError> {
        let made = memory.read(|reads| self.evaluate(reads));
        let made = made.map_err(|error| BackendError::Data {
            step: step.name.clone(),
            problem: error.to_string(),
        })?;
        for ((out, _), tensor) in step.written().zip(&made) {
            let bytes = memory::constant_bytes(tensor)?;
            memory.lend(out, |written, _| written.copy_from_slice(bytes));
        }
        Ok(())
    }

    fn evaluate(&self, reads: &Reads<'_>) -> Result<Vec<Tensor>, ReferenceError> {
        let views = self.inputs.iter().map(|input| {
            let view = |(load, dtype): &(Load, DType)| {
                memory::view(*dtype, &load.layout, reads.bytes(load.buffer))
            };
            Ok(input.as_ref().map(view).transpose()?)
        });
        let views: Vec<Option<TensorView<'_>>> = views.collect::<Result<_, ReferenceError>>()?;
        evaluate_views(&self.op, &views)
    }
}
