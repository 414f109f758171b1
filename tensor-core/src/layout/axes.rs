//! Reordering, inserting and removing axes.

use super::{TensorLayout, stepped};
use crate::{DynRank, TensorRank, ValidationError};

impl<R: TensorRank> TensorLayout<R> {
    /// Axis `a` of the result is axis `axes[a]` of this layout.
    ///
    /// # Errors
    /// [`ValidationError::InvalidPermutationLength`], [`ValidationError::AxisOutOfBounds`] or
    /// [`ValidationError::DuplicateAxis`] unless `axes` names every axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Self, ValidationError> {
        const OP: &str = "permute";
        let rank = self.rank();
        if axes.len() != rank {
            return Err(ValidationError::InvalidPermutationLength {
                op: OP,
                rank,
                actual: axes.len(),
            });
        }
        let mut out = self.clone();
        for (to, &axis) in axes.iter().enumerate() {
            if axis >= rank {
                return Err(ValidationError::AxisOutOfBounds { op: OP, axis, rank });
            }
            if axes[..to].contains(&axis) {
                return Err(ValidationError::DuplicateAxis { op: OP, axis });
            }
            out.shape.as_mut()[to] = self.shape()[axis];
            out.strides.as_mut()[to] = self.strides()[axis];
        }
        Ok(out)
    }

    /// The layout with its axes in reverse order.
    #[must_use]
    #[inline]
    pub fn transpose(&self) -> Self {
        let mut out = self.clone();
        out.transpose_in_place();
        out
    }

    /// Puts the axes of this layout itself in reverse order.
    #[inline]
    pub fn transpose_in_place(&mut self) {
        let (shape, strides) = (self.shape.as_mut(), self.strides.as_mut());
        let rank = shape.len();
        // Few axes: a plain loop is shorter than `reverse`, which prepares for long slices.
        for (axis, mirrored) in (0..rank / 2).map(|axis| (axis, rank - 1 - axis)) {
            shape.swap(axis, mirrored);
            strides.swap(axis, mirrored);
        }
    }

    /// The same elements with the axes sorted by the magnitude of their strides, largest first: the order of memory.
    ///
    /// For work that does not depend on the order of the elements.
    #[must_use]
    pub fn descending(&self) -> Self {
        let mut out = self.clone();
        let (shape, strides) = (out.shape.as_mut(), out.strides.as_mut());
        // A few axes, sorted in place by insertion, equal strides as they were.
        for end in 1..shape.len() {
            for axis in (0..end).rev() {
                if strides[axis].unsigned_abs() >= strides[axis + 1].unsigned_abs() {
                    break;
                }
                shape.swap(axis, axis + 1);
                strides.swap(axis, axis + 1);
            }
        }
        out
    }

    /// A new axis of extent 1 in front of axis `axis`; `axis == rank` appends it.
    ///
    /// # Errors
    /// [`ValidationError::AxisOutOfBounds`] if `axis > rank`.
    pub fn insert_axis(&self, axis: usize) -> Result<TensorLayout<DynRank>, ValidationError> {
        let rank = self.rank();
        if axis > rank {
            return Err(ValidationError::AxisOutOfBounds {
                op: "insert_axis",
                axis,
                rank,
            });
        }
        let mut out = TensorLayout::zeroed(rank + 1, self.offset);
        let (shape, strides) = (out.shape.as_mut_slice(), out.strides.as_mut_slice());
        (shape[axis], strides[axis]) = (1, 1);
        for from in 0..rank {
            let to = from + usize::from(from >= axis);
            shape[to] = self.shape()[from];
            strides[to] = self.strides()[from];
        }
        Ok(out)
    }

    /// The layout without axis `axis`, which has extent 1.
    ///
    /// # Errors
    /// [`ValidationError::AxisOutOfBounds`], or [`ValidationError::NonUnitAxis`] if the extent is not 1.
    pub fn remove_axis(&self, axis: usize) -> Result<TensorLayout<DynRank>, ValidationError> {
        const OP: &str = "remove_axis";
        let extent = self.extent_of(OP, axis)?;
        if extent != 1 {
            return Err(ValidationError::NonUnitAxis {
                op: OP,
                axis,
                extent,
            });
        }
        Ok(self.without_axis(axis))
    }

    /// The layout of the elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`ValidationError::AxisOutOfBounds`] or [`ValidationError::IndexOutOfBounds`].
    #[inline]
    pub fn index_axis(
        &self,
        axis: usize,
        index: usize,
    ) -> Result<TensorLayout<DynRank>, ValidationError> {
        const OP: &str = "index_axis";
        let extent = self.extent_of(OP, axis)?;
        if index >= extent {
            return Err(ValidationError::IndexOutOfBounds {
                op: OP,
                axis,
                index,
                extent,
            });
        }
        let mut out = self.without_axis(axis);
        // An empty layout keeps its offset: no element has to lie there.
        if !self.is_empty() {
            out.offset = stepped(self.offset, self.strides()[axis], index);
        }
        Ok(out)
    }

    #[inline]
    pub(super) fn without_axis(&self, axis: usize) -> TensorLayout<DynRank> {
        let mut out = TensorLayout::zeroed(self.rank() - 1, self.offset);
        let (shape, strides) = (out.shape.as_mut_slice(), out.strides.as_mut_slice());
        for to in 0..self.rank() - 1 {
            let from = to + usize::from(to >= axis);
            shape[to] = self.shape()[from];
            strides[to] = self.strides()[from];
        }
        out
    }

    #[inline]
    pub(super) fn extent_of(
        &self,
        op: &'static str,
        axis: usize,
    ) -> Result<usize, ValidationError> {
        let rank = self.rank();
        self.shape()
            .get(axis)
            .copied()
            .ok_or(ValidationError::AxisOutOfBounds { op, axis, rank })
    }
}
