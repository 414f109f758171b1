//! The plan: buffers, constants, steps, arena.

use std::sync::Arc;

use tensor::Tensor;
use tensor_core::{DType, ShapeVec, TensorLayout};

use crate::{Source, Step, StepKind};

/// Offsets in the arena are multiples of this: a cache line, and wide enough for every SIMD load.
pub const ARENA_ALIGNMENT_BYTES: usize = 64;

/// A buffer of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

impl BufferId {
    /// Position among the plan's buffers.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a buffer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The n-th feed.
    Input(usize),
    /// The n-th output.
    Output(usize),
    /// The n-th constant.
    Constant(usize),
    /// Bytes from the start of the arena.
    Arena {
        /// A multiple of [`ARENA_ALIGNMENT_BYTES`].
        offset_bytes: usize,
    },
    /// Not placed yet: the stage `fused`.
    Unplaced,
}

/// A run of elements of one dtype.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Name of the value it holds.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Number of elements.
    pub elements: usize,
    /// Where it lives.
    pub place: Place,
}

impl Buffer {
    /// Size in bytes.
    pub fn size_bytes(&self) -> usize {
        self.elements * self.dtype.size_bytes()
    }
}

/// A constant, shared with the graph it comes from.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Name of the value.
    pub name: String,
    /// The elements, dense row-major.
    pub tensor: Arc<Tensor>,
}

/// An input or output of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// The name callers use.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Shape.
    pub shape: ShapeVec,
    /// Layout of the feed that the plan is made for; outputs are dense row-major.
    pub layout: TensorLayout,
    /// The buffer.
    pub buffer: BufferId,
}

/// A compiled function. See the crate documentation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the function.
    pub name: String,
    /// Values of the symbols that this plan is for, by name.
    pub bindings: Vec<(String, usize)>,
    /// Feeds.
    pub inputs: Vec<Port>,
    /// Results.
    pub outputs: Vec<Port>,
    /// All buffers.
    pub buffers: Vec<Buffer>,
    /// Constants.
    pub constants: Vec<Constant>,
    /// Steps in order of execution.
    pub steps: Vec<Step>,
    /// Size of the arena.
    pub arena_bytes: usize,
}

impl Plan {
    /// A buffer.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.index()]
    }

    /// Sum of the sizes of all intermediates: what a plan that never reuses memory would need.
    pub fn unshared_bytes(&self) -> usize {
        let intermediate = |b: &&Buffer| matches!(b.place, Place::Arena { .. } | Place::Unplaced);
        self.buffers
            .iter()
            .filter(intermediate)
            .map(Buffer::size_bytes)
            .sum()
    }

    /// Bytes that a step may need beside the arena for operands that repeat the elements of their buffers: windows,
    /// gathers and contractions may want such an operand in memory as a whole (of f32, one matrix of a batch). The
    /// most that any one step may need. Workspace in proportion to a step's buffers is not counted.
    pub fn workspace_bytes(&self) -> usize {
        let of_step = |step: &Step| match &step.kind {
            StepKind::Contract { lhs, rhs } if lhs.dtype() == DType::F32 => {
                let matrix = |source: &Source| self.repeated_bytes(source, 2);
                matrix(lhs).saturating_add(matrix(rhs))
            }
            StepKind::Contract { .. }
            | StepKind::Conv(_)
            | StepKind::Pool(_)
            | StepKind::Gather { .. } => {
                let sources = step.kind.sources().into_iter();
                let bytes = sources.map(|source| self.repeated_bytes(source, usize::MAX));
                bytes.fold(0, usize::saturating_add)
            }
            StepKind::Map { .. }
            | StepKind::Reduce { .. }
            | StepKind::Softmax { .. }
            | StepKind::LayerNorm { .. }
            | StepKind::Concat { .. }
            | StepKind::Whole { .. } => 0,
        };
        self.steps.iter().map(of_step).max().unwrap_or(0)
    }

    /// Bytes of a source's last `axes` axes, if these are more elements than the buffers that it reads have.
    fn repeated_bytes(&self, source: &Source, axes: usize) -> usize {
        let extents = source.shape.iter().rev().take(axes);
        let elements = extents.fold(1, |n: usize, &d| n.saturating_mul(d));
        let buffers = source.loads.iter().map(|load| self.buffer(load.buffer));
        let held = buffers
            .map(|buffer| buffer.elements)
            .fold(0, usize::saturating_add);
        if elements <= held || source.shape.contains(&0) {
            return 0;
        }
        elements.saturating_mul(source.dtype().size_bytes())
    }

    /// Bytes of all constants.
    pub fn constant_bytes(&self) -> usize {
        self.constants.iter().map(|c| c.tensor.size_bytes()).sum()
    }

    /// Buffers that are alive while each step runs: `(first, last)` step by buffer index, `None`
    /// for a buffer that no step writes.
    pub fn lifetimes(&self) -> Vec<Option<(usize, usize)>> {
        let mut spans: Vec<Option<(usize, usize)>> = vec![None; self.buffers.len()];
        for (at, step) in self.steps.iter().enumerate() {
            for load in step.loads() {
                if let Some((_, last)) = &mut spans[load.buffer.index()] {
                    *last = at;
                }
            }
            for (out, _) in step.written() {
                let span = spans[out.index()].get_or_insert((at, at));
                span.1 = span.1.max(at);
            }
        }
        spans
    }
}
