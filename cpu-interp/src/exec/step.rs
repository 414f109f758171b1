//! One kernel per step: what `prepare` decides and a run calls.

use plan::{BackendError, Epilogue, Plan, Step, StepKind};
use tensor_core::DType;

use super::contract::Contract;
use super::convolve::Convolve;
use super::expression::Expression;
use super::memory::Reads;
use super::move_data::{ConcatStep, GatherStep};
use super::pooling::Pooling;
use super::reduce::Reduction;
use super::rows::{LayerNorm, Softmax};
use super::whole::Whole;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;

/// A prepared step.
#[derive(Debug)]
pub(super) enum Kernel {
    Map(Expression),
    Reduce(Reduction),
    Contract(Contract),
    Conv(Convolve),
    Pool(Pooling),
    Softmax(Softmax),
    LayerNorm(LayerNorm),
    Concat(ConcatStep),
    Gather(GatherStep),
    /// An op for the reference; it takes the memory of the run, see [`Whole::run`].
    Whole(Whole),
    Detached(Box<Detached>),
    /// The output has no elements, whatever the extents beside the zero: there is nothing to do.
    Empty,
}

/// A step whose epilogue changes the width of its elements: the results go to workspace first.
#[derive(Debug)]
pub(super) struct Detached {
    inner: Kernel,
    epilogue: Expression,
    result: DType,
}

impl Kernel {
    pub(super) fn new(cpu: &Cpu, plan: &Plan, step: &Step) -> Result<Kernel, BackendError> {
        let build = Build { cpu, plan, step };
        // A gather still looks at its indices: one that is out of range is an error. So do some whole ops.
        let looks = matches!(step.kind, StepKind::Gather { .. } | StepKind::Whole { .. });
        if step.shape.contains(&0) && !looks {
            return Ok(Kernel::Empty);
        }
        let result = build.accumulator();
        let in_place = result.size_bytes() == step.epilogue.program.dtype().size_bytes();
        match build.epilogue()? {
            Some(epilogue) if !in_place => {
                let plain = Step {
                    epilogue: Epilogue::none(result),
                    ..step.clone()
                };
                let inner = Kernel::of_kind(Build {
                    step: &plain,
                    ..build
                })?;
                Ok(Kernel::Detached(Box::new(Detached {
                    inner,
                    epilogue,
                    result,
                })))
            }
            _ => Kernel::of_kind(build),
        }
    }

    fn of_kind(build: Build<'_>) -> Result<Kernel, BackendError> {
        Ok(match &build.step.kind {
            StepKind::Map { value } => Kernel::Map(build.source(value)?),
            StepKind::Reduce { value, kind, axes } => {
                Kernel::Reduce(Reduction::new(build, value, *kind, axes)?)
            }
            StepKind::Contract { lhs, rhs } => Kernel::Contract(Contract::new(build, lhs, rhs)?),
            StepKind::Conv(conv) => Kernel::Conv(Convolve::new(build, conv)?),
            StepKind::Pool(pool) => Kernel::Pool(Pooling::new(build, pool)?),
            StepKind::Softmax { value, log } => Kernel::Softmax(Softmax::new(build, value, *log)?),
            StepKind::LayerNorm { value, epsilon } => {
                Kernel::LayerNorm(LayerNorm::new(build, value, *epsilon)?)
            }
            StepKind::Concat { parts, axis } => {
                Kernel::Concat(ConcatStep::new(build, parts, *axis)?)
            }
            StepKind::Gather {
                data,
                indices,
                axis,
            } => Kernel::Gather(GatherStep::new(build, data, indices, *axis)?),
            StepKind::Whole { op, inputs } => Kernel::Whole(Whole::new(build.plan, op, inputs)),
        })
    }

    /// Bytes of constants in packed form.
    pub(super) fn packed_bytes(&self) -> usize {
        match self {
            Kernel::Contract(contract) => contract.packed_bytes(),
            Kernel::Conv(conv) => conv.packed_bytes(),
            Kernel::Detached(detached) => detached.inner.packed_bytes(),
            Kernel::Map(_)
            | Kernel::Reduce(_)
            | Kernel::Pool(_)
            | Kernel::Softmax(_)
            | Kernel::LayerNorm(_)
            | Kernel::Concat(_)
            | Kernel::Gather(_)
            | Kernel::Whole(_)
            | Kernel::Empty => 0,
        }
    }

    pub(super) fn run(
        &self,
        cpu: &Cpu,
        step: &Step,
        out: &mut [u8],
        reads: &Reads<'_>,
    ) -> Result<(), BackendError> {
        match self {
            Kernel::Map(expression) => fill(cpu, expression, out, reads),
            Kernel::Reduce(reduction) => reduction.run(cpu, out, reads),
            Kernel::Contract(contract) => contract.run(cpu, out, reads),
            Kernel::Conv(conv) => conv.run(cpu, out, reads),
            Kernel::Pool(pool) => pool.run(cpu, out, reads),
            Kernel::Softmax(softmax) => softmax.run(cpu, out, reads),
            Kernel::LayerNorm(norm) => norm.run(cpu, out, reads),
            Kernel::Concat(concat) => concat.run(cpu, out, reads),
            Kernel::Gather(gather) => return gather.run(cpu, step, out, reads),
            Kernel::Detached(detached) => return detached.run(cpu, step, out, reads),
            Kernel::Whole(_) => unreachable!("a whole op takes the memory of the run"),
            Kernel::Empty => {}
        }
        Ok(())
    }
}

impl Detached {
    fn run(
        &self,
        cpu: &Cpu,
        step: &Step,
        out: &mut [u8],
        reads: &Reads<'_>,
    ) -> Result<(), BackendError> {
        let (from, to) = (self.result.size_bytes(), self.epilogue.dtype().size_bytes());
        let bytes = out.len() / to * from;
        let mut workspace = cpu.threads.scratch().take();
        let results: &mut [u8] = bytemuck::cast_slice_mut(workspace.get(bytes.div_ceil(4)));
        self.inner.run(cpu, step, &mut results[..bytes], reads)?;
        let (bound, results) = (self.epilogue.bind(reads), &results[..bytes]);
        for_chunks(
            &cpu.threads,
            out,
            to,
            64,
            self.epilogue.cost_ns(),
            |scratch, start, part| {
                let end = start + part.len() / to;
                bound.fill_from(
                    cpu.isa,
                    scratch,
                    start,
                    &results[start * from..end * from],
                    part,
                );
            },
        );
        Ok(())
    }
}

/// Evaluates an expression into `out` on as many threads as it is worth.
pub(super) fn fill(cpu: &Cpu, expression: &Expression, out: &mut [u8], reads: &Reads<'_>) {
    let bound = expression.bind(reads);
    let width = expression.dtype().size_bytes();
    for_chunks(
        &cpu.threads,
        out,
        width,
        64,
        expression.cost_ns(),
        |scratch, start, part| {
            bound.fill(cpu.isa, scratch, start, part);
        },
    );
}

/// What building a kernel needs.
#[derive(Clone, Copy)]
pub(super) struct Build<'a> {
    pub(super) cpu: &'a Cpu,
    pub(super) plan: &'a Plan,
    pub(super) step: &'a Step,
}

impl Build<'_> {
    pub(super) fn source(self, source: &plan::Source) -> Result<Expression, BackendError> {
        Expression::of_source(self.plan, source).map_err(|dtype| self.refuse(dtype))
    }

    pub(super) fn epilogue(self) -> Result<Option<Expression>, BackendError> {
        Expression::of_epilogue(self.plan, &self.step.epilogue).map_err(|dtype| self.refuse(dtype))
    }

    fn refuse(self, dtype: DType) -> BackendError {
        self.unsupported(format!("dtype {dtype}; cast to f32 or f64 first"))
    }

    pub(super) fn unsupported(self, what: String) -> BackendError {
        BackendError::Unsupported {
            step: self.step.name.clone(),
            family: self.step.kind.family(),
            device: "cpu".into(),
            what,
        }
    }

    /// dtype of the value that the step's family computes, before its epilogue.
    pub(super) fn accumulator(self) -> DType {
        self.step
            .epilogue
            .program
            .inputs()
            .first()
            .copied()
            .unwrap_or(DType::F32)
    }
}
