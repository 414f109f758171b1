//! What the reference refuses.

use graph::{GraphError, InferError, TensorType};
use tensor::TensorError;
use tensor_core::DType;
use thiserror::Error;

/// Why there is no reference value.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The inputs do not suit the op.
    #[error(transparent)]
    Infer(Box<InferError>),
    /// A layout or a dtype that the tensors refuse.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The feeds do not suit the graph's declared shapes.
    #[error(transparent)]
    Graph(Box<GraphError>),
    /// A dtype without arithmetic here.
    #[error("{op}: not available for {dtype}; cast to a real dtype first")]
    UnsupportedDType {
        /// The op.
        op: &'static str,
        /// The refused dtype.
        dtype: DType,
    },
    /// An index that names no element.
    #[error("{op}: index {index} is out of range for an axis of extent {extent}")]
    IndexOutOfRange {
        /// The op.
        op: &'static str,
        /// The index.
        index: i64,
        /// The extent of the axis.
        extent: usize,
    },
    /// An input that must hold one index and holds another number of them.
    #[error("{op}: input {input} has {got} elements; it must hold one index")]
    IndexCount {
        /// The op.
        op: &'static str,
        /// Position of the input.
        input: usize,
        /// How many elements it has.
        got: usize,
    },
    /// A sequence longer than its axis.
    #[error(
        "{op}: a sequence of length {length} does not fit an axis of extent {time}; lengths are from 0 to {time}"
    )]
    SequenceLength {
        /// The op.
        op: &'static str,
        /// The length.
        length: i64,
        /// The extent of time.
        time: usize,
    },
    /// An axis without elements where one is to be repeated.
    #[error("{op}: axis {axis} has no element to repeat; pad it with a constant")]
    NothingToRepeat {
        /// The op.
        op: &'static str,
        /// The axis.
        axis: usize,
    },
    /// A shape that is not a number.
    #[error("{op}: the result {ty} has extents that are no numbers; bind the symbols first")]
    Symbolic {
        /// The op.
        op: &'static str,
        /// The inferred type.
        ty: TensorType,
    },
    /// Memory for the result could not be had.
    #[error("{op}: cannot allocate a result of {elements} elements; use a smaller shape")]
    OutOfMemory {
        /// The op.
        op: &'static str,
        /// The number of elements.
        elements: usize,
    },
    /// An input of the graph without a feed.
    #[error("input {input:?} of the graph is not fed")]
    MissingFeed {
        /// The input.
        input: String,
    },
    /// A feed that is no input, or is given twice.
    #[error("feed {feed:?} {problem}; the graph has the inputs {inputs:?}")]
    Feed {
        /// The feed.
        feed: String,
        /// What is wrong.
        problem: &'static str,
        /// The graph's inputs.
        inputs: Vec<String>,
    },
    /// A feed of another dtype than declared.
    #[error("input {input:?} is declared {declared}, got {got}")]
    FeedDType {
        /// The input.
        input: String,
        /// The declared type.
        declared: TensorType,
        /// The dtype that was given.
        got: DType,
    },
    /// A node of a graph that could not be evaluated.
    #[error("node {node:?}: {source}")]
    Node {
        /// The node's path in its source, or the name of its result.
        node: String,
        /// What is wrong.
        source: Box<ReferenceError>,
    },
}

impl From<InferError> for ReferenceError {
    fn from(error: InferError) -> Self {
        ReferenceError::Infer(Box::new(error))
    }
}

impl From<GraphError> for ReferenceError {
    fn from(error: GraphError) -> Self {
        ReferenceError::Graph(Box::new(error))
    }
}
