//! Layouts without gaps, in either memory order.
//!
//! *Row-major* means that the last axis varies fastest, *column-major* that the first one does. Both are one loop over the
//! axes from the fastest to the slowest, in which each stride is the product of the extents before it.
//!
//! Invariant: dense strides of a shape with elements are exact. Those of an empty shape address nothing; an extent of 0
//! counts as 1 in them, and they saturate instead of overflowing.

use super::TensorLayout;
use crate::{IntoRankShape, StrideVec, TensorRank, ValidationError};

/// In which order the elements of a dense tensor follow each other in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// The last axis varies fastest.
    #[default]
    RowMajor,
    /// The first axis varies fastest.
    ColMajor,
}

impl MemoryOrder {
    /// The axis that varies fastest but `nth`.
    #[inline]
    fn nth_fastest(self, nth: usize, rank: usize) -> usize {
        match self {
            Self::RowMajor => rank - 1 - nth,
            Self::ColMajor => nth,
        }
    }
}

/// The number of elements of a shape: 0 if an extent is 0, else the product.
///
/// # Errors
/// [`ValidationError::IntegerOverflow`] if the product exceeds `isize::MAX`.
#[inline]
pub fn checked_element_count(op: &'static str, shape: &[usize]) -> Result<usize, ValidationError> {
    let (mut count, mut fits, mut empty) = (1_usize, true, false);
    for &extent in shape {
        let (product, overflows) = count.overflowing_mul(extent);
        count = product;
        fits &= !overflows;
        empty |= extent == 0;
    }
    match (empty, fits && isize::try_from(count).is_ok()) {
        (true, _) => Ok(0),
        (false, true) => Ok(count),
        (false, false) => Err(too_many_elements(op, shape)),
    }
}

#[cold]
#[inline(never)]
fn too_many_elements(op: &'static str, shape: &[usize]) -> ValidationError {
    ValidationError::IntegerOverflow {
        op,
        what: "the element count",
        shape: shape.into(),
    }
}

/// The strides, in elements, of a dense tensor of this shape.
///
/// In row-major order `strides[rank - 1] = 1` and `strides[i] = strides[i + 1] * shape[i + 1]`; in column-major order
/// `strides[0] = 1` and `strides[i] = strides[i - 1] * shape[i - 1]`. Multiply by the size of an element for bytes. In an
/// empty shape an extent of 0 counts as 1, and strides saturate at `isize::MAX`.
///
/// ```
/// use tensor_core::{MemoryOrder, contiguous_strides};
/// assert_eq!(contiguous_strides(&[2, 3, 4], MemoryOrder::RowMajor)?.as_slice(), [12, 4, 1]);
/// assert_eq!(contiguous_strides(&[2, 3, 4], MemoryOrder::ColMajor)?.as_slice(), [1, 2, 6]);
/// # Ok::<(), tensor_core::ValidationError>(())
/// ```
///
/// # Errors
/// [`ValidationError::IntegerOverflow`] if the element count exceeds `isize::MAX`.
pub fn contiguous_strides(
    shape: &[usize],
    order: MemoryOrder,
) -> Result<StrideVec, ValidationError> {
    checked_element_count("contiguous_strides", shape)?;
    let mut strides = StrideVec::with_initial_len(shape.len());
    fill_strides(shape, &mut strides, order);
    Ok(strides)
}

/// Fills `strides` with those of a dense layout in `order`; the element count has been checked.
#[inline]
fn fill_strides(shape: &[usize], strides: &mut [isize], order: MemoryOrder) {
    if !fill_full_strides(shape, strides, order) {
        fill_empty_strides(shape, strides, order);
    }
}

/// As [`fill_strides`], for a shape with elements: false if there are none, or more than fit `isize`.
///
/// The product of all extents falls out of the strides, so that one loop fills and checks.
#[inline]
fn fill_full_strides(shape: &[usize], strides: &mut [isize], order: MemoryOrder) -> bool {
    let rank = shape.len();
    let (mut count, mut fits) = (1_usize, true);
    for nth in 0..rank {
        let axis = order.nth_fastest(nth, rank);
        strides[axis] = count.cast_signed();
        let (product, overflows) = count.overflowing_mul(shape[axis]);
        count = product;
        fits &= !overflows;
    }
    fits && count.cast_signed() > 0
}

/// As [`fill_strides`], for a shape without elements.
#[cold]
#[inline(never)]
fn fill_empty_strides(shape: &[usize], strides: &mut [isize], order: MemoryOrder) {
    let rank = shape.len();
    let mut step = 1_isize;
    for nth in 0..rank {
        let axis = order.nth_fastest(nth, rank);
        strides[axis] = step;
        step = step.saturating_mul(isize::try_from(shape[axis].max(1)).unwrap_or(isize::MAX));
    }
}

impl<R: TensorRank> TensorLayout<R> {
    /// The dense layout in which the last axis varies fastest.
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`], or [`ValidationError::IntegerOverflow`] if the element count exceeds `isize::MAX`.
    #[inline]
    pub fn row_major(shape: impl IntoRankShape<R>) -> Result<Self, ValidationError> {
        Self::dense_of("row_major", shape, MemoryOrder::RowMajor)
    }

    /// The dense layout in which the first axis varies fastest.
    ///
    /// # Errors
    /// As [`TensorLayout::row_major`].
    pub fn col_major(shape: impl IntoRankShape<R>) -> Result<Self, ValidationError> {
        Self::dense_of("col_major", shape, MemoryOrder::ColMajor)
    }

    /// The dense layout in the memory order `order`.
    ///
    /// # Errors
    /// As [`TensorLayout::row_major`].
    pub fn dense(
        shape: impl IntoRankShape<R>,
        order: MemoryOrder,
    ) -> Result<Self, ValidationError> {
        Self::dense_of("dense", shape, order)
    }

    #[inline]
    fn dense_of(
        op: &'static str,
        shape: impl IntoRankShape<R>,
        order: MemoryOrder,
    ) -> Result<Self, ValidationError> {
        let shape = shape.into_rank_shape().map_err(|error| error.with_op(op))?;
        let mut layout = Self::unstrided(shape, 0);
        if !fill_full_strides(layout.shape.as_ref(), layout.strides.as_mut(), order) {
            checked_element_count(op, layout.shape.as_ref())?;
            fill_empty_strides(layout.shape.as_ref(), layout.strides.as_mut(), order);
        }
        Ok(layout)
    }

    /// Gives every axis the stride of a dense layout in `order`; the element count has been checked.
    #[inline]
    pub(super) fn fill_dense(&mut self, order: MemoryOrder) {
        fill_strides(self.shape.as_ref(), self.strides.as_mut(), order);
    }

    /// The dense row-major layout of the same shape, at offset 0.
    #[must_use]
    pub fn row_major_like(&self) -> Self {
        self.dense_like(MemoryOrder::RowMajor)
    }

    /// The dense layout of the same shape in the memory order `order`, at offset 0.
    #[must_use]
    pub fn dense_like(&self, order: MemoryOrder) -> Self {
        let mut layout = Self {
            offset: 0,
            ..self.clone()
        };
        layout.fill_dense(order);
        layout
    }

    /// Whether the elements lie side by side in row-major order, axes of extent 1 ignored.
    #[inline]
    #[must_use]
    pub fn is_row_major_contiguous(&self) -> bool {
        self.is_contiguous_in(MemoryOrder::RowMajor)
    }

    /// Whether the elements lie side by side in column-major order, axes of extent 1 ignored.
    #[must_use]
    pub fn is_col_major_contiguous(&self) -> bool {
        self.is_contiguous_in(MemoryOrder::ColMajor)
    }

    /// Whether the elements lie side by side in the memory order `order`, axes of extent 1 ignored; an empty layout does.
    #[inline]
    #[must_use]
    pub fn is_contiguous_in(&self, order: MemoryOrder) -> bool {
        let axes = self.shape().iter().zip(self.strides());
        self.is_empty()
            || match order {
                MemoryOrder::RowMajor => is_dense(axes.rev()),
                MemoryOrder::ColMajor => is_dense(axes),
            }
    }
}

fn is_dense<'a>(mut fastest_first: impl Iterator<Item = (&'a usize, &'a isize)>) -> bool {
    let mut step = 1_isize;
    fastest_first.all(|(&extent, &stride)| {
        let fits = extent == 1 || stride == step;
        // The element count was checked, so the product fits.
        step = step.wrapping_mul(isize::try_from(extent).unwrap_or(isize::MAX));
        fits
    })
}
