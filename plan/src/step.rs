//! Steps: one kernel call each.

use graph::op::{Op, PoolKind, ReduceKind};
use tensor_core::ShapeVec;

use crate::{BufferId, Epilogue, Load, Source};

/// One kernel call; it writes one dense row-major buffer, a whole op one for each of its outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Path of the node in the source that the step comes from (of its main op when fused).
    pub name: String,
    /// What is computed.
    pub kind: StepKind,
    /// What is done to each result before storing.
    pub epilogue: Epilogue,
    /// The buffer that is written.
    pub out: BufferId,
    /// Its shape.
    pub shape: ShapeVec,
    /// Further buffers that are written, with their shapes; only a whole op has them.
    pub more: Vec<(BufferId, ShapeVec)>,
}

/// The kernel families. Executors match exhaustively: a new family shows every place to fill.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// `out[i] = value[i]`; the epilogue is none, since the program holds everything.
    Map {
        /// What is evaluated and stored.
        value: Source,
    },
    /// A reduction of `value` over `axes`; the output's shape is the rest (extents 1 or absent).
    Reduce {
        /// What is reduced.
        value: Source,
        /// How.
        kind: ReduceKind,
        /// The reduced axes of `value`, ascending.
        axes: Vec<usize>,
    },
    /// `out[b.., i, j] = sum over k of lhs[b.., i, k] * rhs[b.., k, j]`.
    Contract {
        /// `[batch.., m, k]`
        lhs: Source,
        /// `[batch.., k, n]`, the same batch extents.
        rhs: Source,
    },
    /// Convolution.
    Conv(ConvStep),
    /// Pooling.
    Pool(PoolStep),
    /// Softmax over the last axis, or its logarithm.
    Softmax {
        /// The scores.
        value: Source,
        /// Whether the logarithm is wanted.
        log: bool,
    },
    /// Layer normalisation over the last axis.
    LayerNorm {
        /// What is normalised.
        value: Source,
        /// Added to the variance.
        epsilon: f32,
    },
    /// The parts one after another along `axis`; the epilogue is none.
    Concat {
        /// The parts.
        parts: Vec<Source>,
        /// The axis.
        axis: usize,
    },
    /// `out[a.., i.., b..] = data[a.., indices[i..], b..]`; the epilogue is none.
    Gather {
        /// What is read.
        data: Load,
        /// `i32` or `i64` indices; negative ones count from the end.
        indices: Source,
        /// The axis of `data`.
        axis: usize,
    },
    /// An op that no other family serves, by its meaning in the op table; the epilogue is none.
    Whole {
        /// The op with its attributes.
        op: Box<Op>,
        /// Its inputs; `None` for an optional one that is left out.
        inputs: Vec<Option<Load>>,
    },
}

/// Strides, dilations and padding over two spatial axes; a 1-d window has height 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window2d {
    /// Kernel height and width.
    pub kernel: [usize; 2],
    /// Steps between windows.
    pub strides: [usize; 2],
    /// Steps between the elements of a window.
    pub dilations: [usize; 2],
    /// Padding before.
    pub pad_begin: [usize; 2],
    /// Padding after.
    pub pad_end: [usize; 2],
}

/// A convolution; the output is `[batch, out channels, height, width]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvStep {
    /// `[batch, channels, height, width]`
    pub input: Source,
    /// `[out channels, channels / groups, kernel height, kernel width]`
    pub weight: Source,
    /// Window.
    pub window: Window2d,
    /// Groups.
    pub groups: usize,
}

/// A pooling; the output is `[batch, channels, height, width]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolStep {
    /// `[batch, channels, height, width]`
    pub input: Source,
    /// What a window gives.
    pub kind: PoolKind,
    /// Window.
    pub window: Window2d,
    /// Whether a last window may hang over the end.
    pub ceil: bool,
    /// Whether padding counts as zeros in a mean.
    pub count_pad: bool,
}

impl StepKind {
    /// Name of the family in texts and reports.
    pub fn family(&self) -> &'static str {
        match self {
            StepKind::Map { .. } => "map",
            StepKind::Reduce { .. } => "reduce",
            StepKind::Contract { .. } => "contract",
            StepKind::Conv(_) | StepKind::Pool(_) => "window",
            StepKind::Softmax { .. } | StepKind::LayerNorm { .. } => "normalise",
            StepKind::Concat { .. } => "copy",
            StepKind::Gather { .. } => "gather",
            StepKind::Whole { .. } => "whole",
        }
    }

    /// What the kind reads, epilogue excluded.
    pub fn sources(&self) -> Vec<&Source> {
        match self {
            StepKind::Map { value }
            | StepKind::Reduce { value, .. }
            | StepKind::Softmax { value, .. }
            | StepKind::LayerNorm { value, .. } => vec![value],
            StepKind::Contract { lhs, rhs } => vec![lhs, rhs],
            StepKind::Conv(conv) => vec![&conv.input, &conv.weight],
            StepKind::Pool(pool) => vec![&pool.input],
            StepKind::Concat { parts, .. } => parts.iter().collect(),
            StepKind::Gather { indices, .. } => vec![indices],
            StepKind::Whole { .. } => Vec::new(),
        }
    }
}

impl Step {
    /// Every buffer that the step writes, with its shape.
    pub fn written(&self) -> impl Iterator<Item = (BufferId, &ShapeVec)> {
        let more = self.more.iter().map(|(buffer, shape)| (*buffer, shape));
        std::iter::once((self.out, &self.shape)).chain(more)
    }

    /// Every strided read of the step.
    pub fn loads(&self) -> impl Iterator<Item = &Load> {
        let plain: Vec<&Load> = match &self.kind {
            StepKind::Gather { data, .. } => vec![data],
            StepKind::Whole { inputs, .. } => inputs.iter().flatten().collect(),
            StepKind::Map { .. }
            | StepKind::Reduce { .. }
            | StepKind::Contract { .. }
            | StepKind::Conv(_)
            | StepKind::Pool(_)
            | StepKind::Softmax { .. }
            | StepKind::LayerNorm { .. }
            | StepKind::Concat { .. } => Vec::new(),
        };
        let sources = self.kind.sources().into_iter().flat_map(|s| &s.loads);
        sources.chain(plain).chain(&self.epilogue.loads)
    }
}
