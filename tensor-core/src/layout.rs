//! Where each element of a tensor lies in its buffer.
//!
//! A [`TensorLayout`] is a shape, signed strides and an offset, all in elements: index `i` lies at
//! `offset + sum(i[a] * strides[a])`. Operations that move no element are methods here and live in the files below:
//! `dense` (the two memory orders), `axes` (permute, insert, remove), `slice`, `reshape`, `broadcast`, `lanes` (parts that
//! share no element), `components` (elements made of equal numbers), `overlap` (may it be written?), `offsets` (walking).
//!
//! Invariants: the element count fits `isize`; for a layout that is not empty every reachable offset fits `isize` and is
//! not negative, and the operations only ever narrow or repeat the reachable range. Contiguity ignores axes of extent 1,
//! and an empty layout is contiguous: one predicate serves reshape, slices and kernels. Strides of an empty layout are
//! never used to address anything.

mod axes;
mod broadcast;
mod components;
mod dense;
mod lanes;
mod offsets;
mod overlap;
mod reshape;
#[cfg(feature = "serde")]
mod serialization;
mod slice;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::{DynRank, IntoRankShape, Rank, ShapeVec, StrideVec, TensorRank, ValidationError};

pub use broadcast::broadcast_shapes;
pub use dense::{MemoryOrder, checked_element_count, contiguous_strides};
pub use lanes::LaneLayouts;
pub use offsets::{Block, Offsets, Run, Runs};
pub use slice::SliceSpec;

/// Shape, strides and offset of a tensor, in elements: index `i` lies at `offset + sum(i[a] * strides[a])`.
///
/// Strides may be 0 (an axis that repeats) or negative. Contiguity ignores axes of extent 1, and an empty layout is
/// contiguous. Every method that changes a layout moves no element and only narrows or repeats what it reaches.
///
/// ```
/// use tensor_core::{DynRank, TensorLayout};
/// let layout = TensorLayout::<DynRank>::row_major([2, 3])?;
/// assert_eq!(layout.transpose().strides(), [1, 3]);
/// assert!(layout.transpose().reshape([6]).is_err());
/// # Ok::<(), tensor_core::ValidationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorLayout<R: TensorRank = DynRank> {
    shape: R::Shape,
    strides: R::Strides,
    offset: usize,
}

/// The position `count` steps of `stride` behind `at`.
///
/// Modulo the range of `usize`, so that it is exact wherever an element lies and harmless where none does.
#[must_use]
#[inline]
pub fn stepped(at: usize, stride: isize, count: usize) -> usize {
    at.wrapping_add(stride.cast_unsigned().wrapping_mul(count))
}

impl TensorLayout<DynRank> {
    /// The layout of rank 0: one element.
    #[must_use]
    pub fn scalar() -> Self {
        Self {
            shape: ShapeVec::new(),
            strides: StrideVec::new(),
            offset: 0,
        }
    }

    /// The layout of shape `[0]`: no element.
    #[must_use]
    pub fn empty() -> Self {
        let mut layout = Self::zeroed(1, 0);
        layout.strides[0] = 1;
        layout
    }
}

impl TensorLayout<DynRank> {
    /// A layout to be filled axis by axis where it lies: moving it afterwards would wait for each of the narrow writes.
    #[inline]
    fn zeroed(rank: usize, offset: usize) -> Self {
        Self {
            shape: ShapeVec::with_initial_len(rank),
            strides: StrideVec::with_initial_len(rank),
            offset,
        }
    }
}

impl<const N: usize> TensorLayout<Rank<N>> {
    /// The extents, as an array.
    #[must_use]
    pub const fn shape_array(&self) -> [usize; N] {
        self.shape
    }

    /// The strides in elements, as an array.
    #[must_use]
    pub const fn strides_array(&self) -> [isize; N] {
        self.strides
    }
}

/// In one line: `shape=[2, 3] strides=[1, 2] offset=0`.
impl<R: TensorRank> fmt::Display for TensorLayout<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, strides) = (self.shape(), self.strides());
        write!(
            f,
            "shape={shape:?} strides={strides:?} offset={}",
            self.offset
        )
    }
}

impl<R: TensorRank> TensorLayout<R> {
    /// A layout whose strides are 0 until they are written.
    #[inline]
    fn unstrided(shape: R::Shape, offset: usize) -> Self {
        Self {
            strides: R::zero_strides(&shape),
            shape,
            offset,
        }
    }

    /// A layout from its parts, checked against a buffer of `buffer_len` elements.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`] if shape and strides differ in length, [`ValidationError::IntegerOverflow`], or
    /// [`ValidationError::ViewOutOfBounds`] if an element lies outside the buffer (an empty layout needs only
    /// `offset <= buffer_len`).
    pub fn from_parts(
        shape: impl IntoRankShape<R>,
        strides: &[isize],
        offset: usize,
        buffer_len: usize,
    ) -> Result<Self, ValidationError> {
        const OP: &str = "from_parts";
        let shape = shape.into_rank_shape().map_err(|error| error.with_op(OP))?;
        Self::validated(OP, shape, strides, offset, buffer_len)
    }

    fn validated(
        op: &'static str,
        shape: R::Shape,
        strides: &[isize],
        offset: usize,
        buffer_len: usize,
    ) -> Result<Self, ValidationError> {
        checked_element_count(op, shape.as_ref())?;
        let rank = shape.as_ref().len();
        if strides.len() != rank {
            return Err(ValidationError::RankMismatch {
                op,
                expected: rank,
                actual: strides.len(),
            });
        }
        let strides = R::strides_from_slice(strides).map_err(|error| error.with_op(op))?;
        let layout = Self {
            shape,
            strides,
            offset,
        };
        layout
            .validate_in_bounds(buffer_len)
            .map_err(|error| error.with_op(op))?;
        Ok(layout)
    }

    /// Checks that every element lies inside a buffer of `buffer_len` elements.
    ///
    /// # Errors
    /// [`ValidationError::ViewOutOfBounds`], or [`ValidationError::IntegerOverflow`] if a reachable offset does not fit `isize`.
    pub fn validate_in_bounds(&self, buffer_len: usize) -> Result<(), ValidationError> {
        const OP: &str = "validate_in_bounds";
        let overflow = || ValidationError::IntegerOverflow {
            op: OP,
            what: "an offset",
            shape: self.shape().into(),
        };
        let offset = isize::try_from(self.offset).map_err(|_| overflow())?;
        let (mut min, mut max) = (offset, offset);
        if self.is_empty() {
            if self.offset <= buffer_len {
                return Ok(());
            }
            return Err(ValidationError::ViewOutOfBounds {
                op: OP,
                min,
                max,
                buffer_len,
            });
        }
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            let last = isize::try_from(extent - 1).map_err(|_| overflow())?;
            let reach = last.checked_mul(stride).ok_or_else(overflow)?;
            let end = if stride < 0 { &mut min } else { &mut max };
            *end = end.checked_add(reach).ok_or_else(overflow)?;
        }
        if min < 0 || usize::try_from(max).is_ok_and(|max| max >= buffer_len) {
            return Err(ValidationError::ViewOutOfBounds {
                op: OP,
                min,
                max,
                buffer_len,
            });
        }
        Ok(())
    }

    /// The extents.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.shape.as_ref()
    }

    /// The strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &[isize] {
        self.strides.as_ref()
    }

    /// The position of the first logical element in the buffer.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of axes.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The number of logical elements.
    #[must_use]
    #[inline]
    pub fn element_count(&self) -> usize {
        // Checked at construction: without an extent of 0 the product fits, and with one it is 0 however it wraps.
        let shape = self.shape().iter();
        shape.fold(1, |count, &extent| count.wrapping_mul(extent))
    }

    /// Whether an extent is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// The lowest and highest reachable offset, or `None` if the layout is empty.
    #[must_use]
    pub fn min_max_offset(&self) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        let (mut min, mut max) = (self.offset, self.offset);
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            let reach = stride.unsigned_abs().wrapping_mul(extent - 1);
            if stride < 0 {
                min = min.wrapping_sub(reach)
            } else {
                max = max.wrapping_add(reach)
            }
        }
        Some((min, max))
    }

    /// The buffer position of the element at `index`.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`] or [`ValidationError::IndexOutOfBounds`].
    #[inline]
    pub fn offset_of(&self, index: &[usize]) -> Result<usize, ValidationError> {
        match self.position(index) {
            Some(at) => Ok(at),
            None => Err(self.index_error(index)),
        }
    }

    /// As [`TensorLayout::offset_of`], without saying what is wrong: nothing but arithmetic, for loops over indices.
    #[inline]
    fn position(&self, index: &[usize]) -> Option<usize> {
        let (shape, strides) = (self.shape(), self.strides());
        if index.len() != shape.len() {
            return None;
        }
        let mut at = self.offset;
        for ((&index, &extent), &stride) in index.iter().zip(shape).zip(strides) {
            if index >= extent {
                return None;
            }
            at = stepped(at, stride, index);
        }
        Some(at)
    }

    /// Why `index` has no position.
    ///
    /// Apart from the hot path, so that loops over indices carry no error along.
    #[cold]
    #[inline(never)]
    fn index_error(&self, index: &[usize]) -> ValidationError {
        const OP: &str = "index";
        let mut extents = index.iter().zip(self.shape()).enumerate();
        let outside = extents.find(|(_, (index, extent))| index >= extent);
        match outside.filter(|_| index.len() == self.rank()) {
            Some((axis, (&index, &extent))) => ValidationError::IndexOutOfBounds {
                op: OP,
                axis,
                index,
                extent,
            },
            None => ValidationError::RankMismatch {
                op: OP,
                expected: self.rank(),
                actual: index.len(),
            },
        }
    }

    /// The same layout with its rank known only when running.
    #[must_use]
    pub fn into_dynamic(self) -> TensorLayout<DynRank> {
        TensorLayout {
            shape: self.shape().iter().copied().collect(),
            strides: self.strides().iter().copied().collect(),
            offset: self.offset,
        }
    }

    /// The same layout with rank `N`.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`].
    pub fn to_rank<const N: usize>(&self) -> Result<TensorLayout<Rank<N>>, ValidationError> {
        self.to_rank_of("to_rank")
    }

    fn to_rank_of<R2: TensorRank>(
        &self,
        op: &'static str,
    ) -> Result<TensorLayout<R2>, ValidationError> {
        Ok(TensorLayout {
            shape: R2::shape_from_slice(self.shape()).map_err(|error| error.with_op(op))?,
            strides: R2::strides_from_slice(self.strides()).map_err(|error| error.with_op(op))?,
            offset: self.offset,
        })
    }

    /// The error of an operation that would need a copy.
    #[must_use]
    pub fn non_contiguous(&self, op: &'static str) -> ValidationError {
        ValidationError::NonContiguous {
            op,
            shape: self.shape().into(),
            strides: self.strides().into(),
        }
    }
}
