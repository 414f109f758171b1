//! What only views can refuse.

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
}
