//! What only views can refuse.

use tensor_core::DType;

/// A view that can't be made: a request that shapes and strides alone do not explain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Two mutable parts with a common element.
    #[error(
        "{op}: the two slices of shape {shape:?} share an element; take slices that do not overlap"
    )]
    OverlappingSlices {
        /// The operation.
        op: &'static str,
        /// The shape that both slices were taken of.
        shape: Box<[usize]>,
    },
    /// Two mutable parts without a common element, which lie interleaved in memory.
    #[error(
        "{op}: the two parts of shape {shape:?} with strides {strides:?} share no element but interleave in memory, so no two slices hold them; call strided_mut() and split that, or split an axis of larger stride"
    )]
    InterleavedParts {
        /// The operation.
        op: &'static str,
        /// The shape that both parts were taken of.
        shape: Box<[usize]>,
        /// Its strides.
        strides: Box<[isize]>,
    },
    /// Numbers that are not pairs.
    #[error("{op}: the last axis of shape {shape:?} must have extent 2: real and imaginary part")]
    NotPairs {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Box<[usize]>,
    },
    /// A dtype without real and imaginary parts, or that is none.
    #[error("{op}: not available for dtype {dtype}; use {wanted}")]
    WrongDType {
        /// The operation.
        op: &'static str,
        /// The refused dtype.
        dtype: DType,
        /// The dtypes that have it.
        wanted: &'static str,
    },
    /// Memory that can't be handed to a vector of another element type.
    #[error(
        "{op}: the vector has room for {capacity} numbers, which is odd, so it can't become a vector of pairs; shrink it first"
    )]
    OddCapacity {
        /// The operation.
        op: &'static str,
        /// The capacity.
        capacity: usize,
    },
    /// Bytes that do not fill the shape.
    #[error("{op}: shape {shape:?} of {element} needs {expected} bytes, got {actual}")]
    BytesLength {
        /// The operation.
        op: &'static str,
        /// The element type.
        element: &'static str,
        /// The shape.
        shape: Box<[usize]>,
        /// The bytes that the shape needs.
        expected: usize,
        /// The bytes that were given.
        actual: usize,
    },
    /// Bytes at an address that the elements can't have.
    #[error(
        "{op}: {element} needs an address that is a multiple of {align_bytes}, the bytes start {past_bytes} past one; copy them into an aligned buffer, or read them with Tensor::from_le_bytes"
    )]
    Misaligned {
        /// The operation.
        op: &'static str,
        /// The element type.
        element: &'static str,
        /// The alignment that the elements need.
        align_bytes: usize,
        /// The distance to the last address that has it.
        past_bytes: usize,
    },
    /// Bytes that are no value of the element type.
    #[error("{op}: a byte is neither 0 nor 1, so it is no bool; read the bytes as u8 and cast")]
    InvalidBool {
        /// The operation.
        op: &'static str,
    },
    /// A conversion that could lose values.
    #[error(
        "{op}: {to} does not hold the values of {from} by the promotion order; cast() is the form that may lose values"
    )]
    LossyConversion {
        /// The operation.
        op: &'static str,
        /// The dtype of the elements.
        from: DType,
        /// The dtype that was wanted.
        to: DType,
    },
    /// An `ndarray` whose elements have others between them.
    #[cfg(feature = "ndarray")]
    #[error(
        "{op}: an array of shape {shape:?} with strides {strides:?} does not fill its memory, so it can't be taken as a slice; take array.as_standard_layout() instead, which copies"
    )]
    ScatteredArray {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Box<[usize]>,
        /// The strides, in elements.
        strides: Box<[isize]>,
    },
    /// A layout that `ndarray` does not allow.
    #[cfg(feature = "ndarray")]
    #[error(
        "{op}: ndarray refuses shape {shape:?} with strides {strides:?} ({cause}); call to_contiguous() first"
    )]
    NotAnArray {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Box<[usize]>,
        /// The strides, in elements.
        strides: Box<[isize]>,
        /// What `ndarray` said.
        cause: String,
    },
}
