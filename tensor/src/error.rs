//! Errors of this crate.

use std::fmt;

use tensor_core::{DType, ValidationError};

use crate::view::ViewError;

/// The result of a tensor operation.
pub type Result<T, E = TensorError> = std::result::Result<T, E>;

/// What a tensor operation can refuse. Every text starts with the operation's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// A shape, stride, axis or index is wrong.
    #[error(transparent)]
    Validation(#[from] ValidationError),
    /// A view that can't be made.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The elements have another type than the caller named.
    #[error("{op}: dtype mismatch: expected {expected:?}, actual {actual:?}")]
    DTypeMismatch {
        /// The operation.
        op: &'static str,
        /// What the caller named.
        expected: DType,
        /// What the tensor has.
        actual: DType,
    },
    /// The operation does not exist for this dtype.
    #[error("{op}: not available for dtype {dtype}; use one of the preset dtypes")]
    UnsupportedDType {
        /// The operation.
        op: &'static str,
        /// The refused dtype.
        dtype: DType,
    },
    /// A cast that would drop the imaginary part.
    #[error(
        "cast: {from} to {to} would drop the imaginary part; take the real part by name instead"
    )]
    ComplexToReal {
        /// The complex dtype.
        from: DType,
        /// The real dtype.
        to: DType,
    },
    /// A byte buffer of the wrong length.
    #[error("{op}: shape {shape:?} of {dtype} needs {expected} bytes, got {actual}")]
    ByteLength {
        /// The operation.
        op: &'static str,
        /// The element type.
        dtype: DType,
        /// The shape.
        shape: Box<[usize]>,
        /// The bytes the shape needs.
        expected: usize,
        /// The bytes that were given.
        actual: usize,
    },
    /// Memory for the elements could not be had.
    #[error(
        "{op}: cannot allocate {elements} elements of {element_bytes} bytes; use a smaller shape"
    )]
    OutOfMemory {
        /// The operation.
        op: &'static str,
        /// The number of elements.
        elements: usize,
        /// Bytes of one element.
        element_bytes: usize,
    },
}

impl TensorError {
    /// The same error, told by the operation `op`.
    pub(crate) fn from_validation(op: &'static str) -> impl Fn(ValidationError) -> Self {
        move |error| Self::Validation(error.with_op(op))
    }
}

/// A consuming conversion that failed, with the owner it was given: no failure loses the input.
pub struct ReinterpretError<Owner> {
    // Boxed, so that the Ok path of a conversion does not carry two owners.
    parts: Box<(Owner, TensorError)>,
}

impl<Owner> ReinterpretError<Owner> {
    pub(crate) fn new(owner: Owner, error: impl Into<TensorError>) -> Self {
        Self {
            parts: Box::new((owner, error.into())),
        }
    }

    /// The cause.
    #[must_use]
    pub fn error(&self) -> &TensorError {
        &self.parts.1
    }

    /// The unchanged owner.
    #[must_use]
    pub fn into_owner(self) -> Owner {
        self.parts.0
    }

    /// The unchanged owner and the cause.
    #[must_use]
    pub fn into_parts(self) -> (Owner, TensorError) {
        *self.parts
    }
}

impl<Owner> fmt::Debug for ReinterpretError<Owner> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReinterpretError")
            .field("error", self.error())
            .finish_non_exhaustive()
    }
}

impl<Owner> fmt::Display for ReinterpretError<Owner> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor reinterpretation failed: {}", self.error())
    }
}

impl<Owner> std::error::Error for ReinterpretError<Owner> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.error())
    }
}

impl<Owner> From<ReinterpretError<Owner>> for TensorError {
    fn from(error: ReinterpretError<Owner>) -> Self {
        error.parts.1
    }
}
