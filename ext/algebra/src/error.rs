//! What the algorithms refuse. Every text begins with the operation and names the shapes.

use std::fmt;

use tensor::core::checked_element_count;
use tensor::{TensorError, ValidationError};

/// The result of an algorithm.
pub type Result<T, E = AlgebraError> = std::result::Result<T, E>;

/// What an algorithm can refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AlgebraError {
    /// Two matrices that have no product.
    InnerExtents {
        /// The operation.
        op: &'static str,
        /// Rows and columns of the left matrix.
        lhs: Box<[usize]>,
        /// Rows and columns of the right matrix.
        rhs: Box<[usize]>,
    },
    /// An axis that is not there, or that is named twice.
    Axes {
        /// The operation.
        op: &'static str,
        /// The axis.
        axis: usize,
        /// All axes that were given.
        axes: Box<[usize]>,
        /// The shape they were given for.
        shape: Box<[usize]>,
    },
    /// A result that does not fit into memory, or another refusal of `tensor`.
    Tensor {
        /// The operation.
        op: &'static str,
        /// The shape of the result.
        shape: Box<[usize]>,
        /// What `tensor` refused.
        source: Box<TensorError>,
    },
}

impl fmt::Display for AlgebraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InnerExtents { op, lhs, rhs } => write!(
                f,
                "{op}: {lhs:?} by {rhs:?}: the left matrix needs as many columns as the right one has rows; transpose one side?"
            ),
            Self::Axes {
                op,
                axis,
                axes,
                shape,
            } => write!(
                f,
                "{op}: axis {axis} of {axes:?} is out of bounds or occurs twice for shape {shape:?}; name each axis below {} once",
                shape.len()
            ),
            Self::Tensor { op, shape, source } => {
                write!(f, "{op}: no result of shape {shape:?}: {source}")
            }
        }
    }
}

impl std::error::Error for AlgebraError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Tensor { source, .. } => Some(source.as_ref()),
            Self::InnerExtents { .. } | Self::Axes { .. } => None,
        }
    }
}

impl AlgebraError {
    /// A refusal of `tensor` while making a result of `shape`.
    pub(crate) fn tensor(op: &'static str, shape: &[usize]) -> impl Fn(TensorError) -> Self {
        move |source| Self::Tensor {
            op,
            shape: shape.into(),
            source: Box::new(source),
        }
    }

    /// The same for what concerns shapes.
    pub(crate) fn validation(
        op: &'static str,
        shape: &[usize],
    ) -> impl Fn(ValidationError) -> Self {
        move |source| Self::tensor(op, shape)(source.into())
    }
}

/// An empty vector with room for the elements of `shape`: the allocation is what can fail, not the filling.
pub(crate) fn room_for<T>(op: &'static str, shape: &[usize]) -> Result<Vec<T>> {
    let elements = checked_element_count(op, shape).map_err(AlgebraError::validation(op, shape))?;
    let mut out = Vec::new();
    out.try_reserve_exact(elements).map_err(|_| {
        AlgebraError::tensor(op, shape)(TensorError::OutOfMemory {
            op,
            elements,
            element_bytes: size_of::<T>(),
        })
    })?;
    Ok(out)
}
