//! The errors of compilation.

use graph::GraphError;
use thiserror::Error;

/// Why a graph cannot be compiled.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum OptimizeError {
    /// Extents or dtypes that do not fit.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A value whose extents are not known although all inputs have shapes.
    #[error(
        "value {value:?} has type {ty}: an extent is still unknown when all inputs have shapes; it depends on data"
    )]
    Dynamic {
        /// The value.
        value: String,
        /// Its type.
        ty: String,
    },
    /// A shape beyond what memory can hold.
    #[error("value {value:?} of type {ty} needs more bytes than an address can name")]
    TooLarge {
        /// The value.
        value: String,
        /// Its type.
        ty: String,
    },
    /// A feed's layout that is not of the input's shape.
    #[error("input {input:?} has shape {expected:?}; its feed's layout has shape {got:?}")]
    FeedLayout {
        /// The input.
        input: String,
        /// Shape of the input.
        expected: Vec<usize>,
        /// Shape of the layout.
        got: Vec<usize>,
    },
    /// An op that the executors have no step for.
    #[error("node {node:?} ({op}): {what} has no executable form yet")]
    Unsupported {
        /// The node.
        node: String,
        /// Its op.
        op: &'static str,
        /// What is missing.
        what: String,
    },
}
