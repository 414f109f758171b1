//! What can be wrong with shapes, strides and indices.
//!
//! Every variant carries the operation that refused (`op`), and every text starts with it, so that an error says where it
//! came from however far it travelled. An outer operation renames an inner one with [`ValidationError::with_op`].

/// The class of a [`ValidationError`], for callers that react to kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValidationKind {
    /// Extents or element counts disagree.
    ShapeMismatch,
    /// The number of axes is wrong.
    RankMismatch,
    /// An axis or an index lies outside.
    OutOfBounds,
    /// The memory order does not allow the operation without a copy.
    NonContiguous,
    /// Any other refused argument.
    InvalidArgument,
}

/// A shape, stride, axis or index that an operation can't accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the field names and the texts beside them say what each field is"
)]
pub enum ValidationError {
    /// The data does not fill the shape exactly.
    #[error("{op}: shape product {product} does not match data length {length}")]
    ShapeDataLengthMismatch {
        op: &'static str,
        product: usize,
        length: usize,
    },
    /// Shapes that do not broadcast together.
    #[error(
        "{op}: shapes {lhs:?} and {rhs:?} do not broadcast; aligned at the right, extents must be equal or 1"
    )]
    IncompatibleShapes {
        op: &'static str,
        lhs: Box<[usize]>,
        rhs: Box<[usize]>,
    },
    /// Shapes that must be equal.
    #[error("{op}: shapes {lhs:?} and {rhs:?} must be equal")]
    ShapeMismatch {
        op: &'static str,
        lhs: Box<[usize]>,
        rhs: Box<[usize]>,
    },
    /// A shape that does not broadcast to the wanted one.
    #[error(
        "{op}: shape {shape:?} does not broadcast to {target:?}; aligned at the right, extents must be equal or 1"
    )]
    BroadcastTarget {
        op: &'static str,
        shape: Box<[usize]>,
        target: Box<[usize]>,
    },
    /// An axis that can't be stretched to the extent wanted for it.
    #[error(
        "{op}: axis {axis} of extent {extent} can't become an axis of extent {target}; extents must be equal or 1"
    )]
    BroadcastAxis {
        op: &'static str,
        axis: usize,
        extent: usize,
        target: usize,
    },
    /// A reshape that changes the number of elements.
    #[error("{op}: cannot reshape {from:?} into {to:?}: the element counts differ")]
    ReshapeElementCount {
        op: &'static str,
        from: Box<[usize]>,
        to: Box<[usize]>,
    },
    /// The wrong number of axes.
    #[error("{op}: rank mismatch: expected {expected}, actual {actual}")]
    RankMismatch {
        op: &'static str,
        expected: usize,
        actual: usize,
    },
    /// An axis that the tensor does not have.
    #[error("{op}: axis {axis} is out of bounds for rank {rank}")]
    AxisOutOfBounds {
        op: &'static str,
        axis: usize,
        rank: usize,
    },
    /// An axis named twice.
    #[error("{op}: axis {axis} occurs twice")]
    DuplicateAxis { op: &'static str, axis: usize },
    /// A permutation that does not name every axis once.
    #[error("{op}: a permutation of {rank} axes needs {rank} entries, got {actual}")]
    InvalidPermutationLength {
        op: &'static str,
        rank: usize,
        actual: usize,
    },
    /// An axis that can't be removed.
    #[error("{op}: axis {axis} has extent {extent}; only an axis of extent 1 can be removed")]
    NonUnitAxis {
        op: &'static str,
        axis: usize,
        extent: usize,
    },
    /// A slice with step 0.
    #[error("{op}: the step of axis {axis} is 0; use a positive or negative step")]
    InvalidSliceStep { op: &'static str, axis: usize },
    /// More slice specs than axes.
    #[error("{op}: {count} slices given for rank {rank}")]
    TooManySlices {
        op: &'static str,
        count: usize,
        rank: usize,
    },
    /// An index outside its axis.
    #[error("{op}: index {index} is out of bounds for axis {axis} with extent {extent}")]
    IndexOutOfBounds {
        op: &'static str,
        axis: usize,
        index: usize,
        extent: usize,
    },
    /// A layout that can't be used in place.
    #[error(
        "{op}: shape {shape:?} with strides {strides:?} needs a copy here; call to_contiguous() first"
    )]
    NonContiguous {
        op: &'static str,
        shape: Box<[usize]>,
        strides: Box<[isize]>,
    },
    /// A layout that reaches outside its buffer.
    #[error("{op}: the layout reaches elements {min}..={max}, the buffer has {buffer_len}")]
    ViewOutOfBounds {
        op: &'static str,
        min: isize,
        max: isize,
        buffer_len: usize,
    },
    /// A mutable layout in which two indices may name one element.
    #[error(
        "{op}: shape {shape:?} with strides {strides:?} may reach one element by two indices, so it can't be written"
    )]
    OverlappingMutableLayout {
        op: &'static str,
        shape: Box<[usize]>,
        strides: Box<[isize]>,
    },
    /// A size that does not fit the address space.
    #[error("{op}: {what} overflows for shape {shape:?}")]
    IntegerOverflow {
        op: &'static str,
        what: &'static str,
        shape: Box<[usize]>,
    },
}

/// One pattern over all variants, so that the two accessors below can't disagree.
macro_rules! op_field {
    ($value:expr, $op:ident => $result:expr) => {
        match $value {
            ValidationError::ShapeDataLengthMismatch { op: $op, .. }
            | ValidationError::IncompatibleShapes { op: $op, .. }
            | ValidationError::ShapeMismatch { op: $op, .. }
            | ValidationError::BroadcastTarget { op: $op, .. }
            | ValidationError::BroadcastAxis { op: $op, .. }
            | ValidationError::ReshapeElementCount { op: $op, .. }
            | ValidationError::RankMismatch { op: $op, .. }
            | ValidationError::AxisOutOfBounds { op: $op, .. }
            | ValidationError::DuplicateAxis { op: $op, .. }
            | ValidationError::InvalidPermutationLength { op: $op, .. }
            | ValidationError::NonUnitAxis { op: $op, .. }
            | ValidationError::InvalidSliceStep { op: $op, .. }
            | ValidationError::TooManySlices { op: $op, .. }
            | ValidationError::IndexOutOfBounds { op: $op, .. }
            | ValidationError::NonContiguous { op: $op, .. }
            | ValidationError::ViewOutOfBounds { op: $op, .. }
            | ValidationError::OverlappingMutableLayout { op: $op, .. }
            | ValidationError::IntegerOverflow { op: $op, .. } => $result,
        }
    };
}

impl ValidationError {
    /// The operation that refused.
    #[must_use]
    pub fn op(&self) -> &'static str {
        op_field!(self, op => op)
    }

    /// The same error, told by the operation `name`.
    #[must_use]
    pub fn with_op(mut self, name: &'static str) -> Self {
        op_field!(&mut self, op => *op = name);
        self
    }

    /// The class of the error.
    #[must_use]
    pub fn kind(&self) -> ValidationKind {
        match self {
            Self::ShapeDataLengthMismatch { .. }
            | Self::IncompatibleShapes { .. }
            | Self::ShapeMismatch { .. }
            | Self::BroadcastTarget { .. }
            | Self::BroadcastAxis { .. }
            | Self::ReshapeElementCount { .. }
            | Self::NonUnitAxis { .. } => ValidationKind::ShapeMismatch,
            Self::RankMismatch { .. }
            | Self::InvalidPermutationLength { .. }
            | Self::TooManySlices { .. } => ValidationKind::RankMismatch,
            Self::AxisOutOfBounds { .. }
            | Self::IndexOutOfBounds { .. }
            | Self::ViewOutOfBounds { .. } => ValidationKind::OutOfBounds,
            Self::NonContiguous { .. } => ValidationKind::NonContiguous,
            Self::DuplicateAxis { .. }
            | Self::InvalidSliceStep { .. }
            | Self::OverlappingMutableLayout { .. }
            | Self::IntegerOverflow { .. } => ValidationKind::InvalidArgument,
        }
    }
}
