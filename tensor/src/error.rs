//! Errors of this crate.

use std::fmt;

use tensor_core::{DType, ValidationError};

use crate::alloc::AllocError;
use crate::device::DeviceError;
use crate::view::ViewError;
use crate::{Device, GroupError, Placement};

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
    /// The elements are where host code can't read them, and nothing moves them unasked.
    #[error(
        "{op}: the elements are in {placement}, which the host can't read; to_host() copies them"
    )]
    NotOnHost {
        /// The operation.
        op: &'static str,
        /// Where the elements are.
        placement: Placement,
    },
    /// The elements can be read where they are, but not written.
    #[error(
        "{op}: the elements are in {placement}, which is read-only; to_host() makes a copy that can be written"
    )]
    ReadOnly {
        /// The operation.
        op: &'static str,
        /// Where the elements are.
        placement: Placement,
    },
    /// A buffer owns the elements, and the conversion never copies.
    #[error(
        "{op}: the tensor is buffer-backed rather than plain host storage (its elements are in {placement}); to_host() copies it"
    )]
    NotPlainHost {
        /// The operation.
        op: &'static str,
        /// Where the elements are.
        placement: Placement,
    },
    /// Plain host memory where a buffer was asked for.
    #[error(
        "{op}: the tensor is plain host storage rather than buffer-backed; into_host() and then promote() makes a buffer of it"
    )]
    NotBuffer {
        /// The operation.
        op: &'static str,
    },
    /// Several owners share the elements, so they can be neither written nor moved out.
    #[error(
        "{op}: {holders} holders share the elements; drop the others, or make a copy of this one"
    )]
    Shared {
        /// The operation.
        op: &'static str,
        /// How many hold the elements.
        holders: usize,
    },
    /// The conversion needs all elements of its owner in their order, and this is a part or another order of them.
    #[error(
        "{op}: a view with shape {shape:?} and strides {strides:?} is not its whole owner; to_contiguous() copies it"
    )]
    NotWhole {
        /// The operation.
        op: &'static str,
        /// The shape of the view.
        shape: Box<[usize]>,
        /// The strides of the view.
        strides: Box<[isize]>,
    },
    /// An allocation group refused.
    #[error(transparent)]
    Group(#[from] GroupError),
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
    /// An allocator that the caller chose could not give memory.
    #[error("{op}: {source}")]
    Alloc {
        /// The operation.
        op: &'static str,
        /// What the allocator said.
        source: AllocError,
    },
    /// A device could not do it, or is not known.
    #[error("{op}: {source}")]
    Device {
        /// The operation.
        op: &'static str,
        /// What the device said.
        source: DeviceError,
    },
    /// Operands on two devices; nothing moves them unasked.
    #[error(
        "{op}: one operand is on {lhs} and another on {rhs}; bring both to one device with to() first"
    )]
    DeviceMismatch {
        /// The operation.
        op: &'static str,
        /// The device of the first operand.
        lhs: Device,
        /// The device of the first operand that is elsewhere.
        rhs: Device,
    },
}

impl TensorError {
    /// The same error, told by the operation `op`.
    pub(crate) fn from_validation(op: &'static str) -> impl Fn(ValidationError) -> Self {
        move |error| Self::Validation(error.with_op(op))
    }

    /// What an allocator said to the operation `op`.
    pub(crate) fn from_alloc(op: &'static str) -> impl Fn(AllocError) -> Self {
        move |source| Self::Alloc { op, source }
    }

    /// What a device said to the operation `op`.
    pub(crate) fn from_device(op: &'static str) -> impl Fn(DeviceError) -> Self {
        move |source| match source {
            DeviceError::Alloc(source) => Self::Alloc { op, source },
            source => Self::Device { op, source },
        }
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

    /// The same refusal, with the owner as the caller knows it.
    pub(crate) fn map_owner<To>(self, owner: impl FnOnce(Owner) -> To) -> ReinterpretError<To> {
        let (lost, error) = self.into_parts();
        ReinterpretError::new(owner(lost), error)
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
