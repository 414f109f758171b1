//! Parts of a mutable view: single elements, lanes, the views along an axis, two halves, two slices.
//!
//! A [`TypedTensorViewMut`] borrows a range of memory, so two of them never interleave: [`TypedTensorViewMut::split_at`] and
//! [`TypedTensorViewMut::multi_slice_mut`] give views where the parts lie apart, and refuse parts that interleave.
//! [`TypedTensorViewMut::strided_mut`] gives the form that claims single elements instead, for which any split is possible.

use tensor_core::{SliceSpec, TensorLayout, TensorRank};

use super::TypedTensorViewMut;
use crate::storage::{AxisIterMut, IterMut, LanesMut, StridedMut};
use crate::view::ViewError;
use crate::{Result, TensorError};

/// The elements of a mutable view, whose layout was checked when the view was made and has only been narrowed since.
fn elements<T, R: TensorRank>(data: &mut [T], layout: TensorLayout<R>) -> StridedMut<'_, T, R> {
    StridedMut::new(data, layout).expect("a mutable view fits and names no element twice")
}

impl<'a, T, R: TensorRank> TypedTensorViewMut<'a, T, R> {
    /// The same elements without their buffer, so that they can be split over any axis.
    #[must_use]
    pub fn strided_mut(&mut self) -> StridedMut<'_, T, R> {
        self.reborrow().into_strided_mut()
    }

    /// As [`TypedTensorViewMut::strided_mut`], for the whole life of the borrow.
    #[must_use]
    pub fn into_strided_mut(self) -> StridedMut<'a, T, R> {
        let (data, layout) = self.into_raw();
        elements(data, layout)
    }

    /// The elements, in row-major logical order.
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        if self.layout().is_row_major_contiguous() {
            let (data, layout) = self.reborrow().into_raw();
            let (start, len) = (layout.offset(), layout.element_count());
            return IterMut::dense(&mut data[start..start + len]);
        }
        self.strided_mut().into_iter()
    }

    /// The lanes along `axis`, in row-major order of the other axes.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis.
    ///
    /// ```
    /// use tensor::TypedTensorViewMut;
    /// let mut data = [1, 2, 3, 4, 5, 6];
    /// let mut view = TypedTensorViewMut::<i32>::from_slice([2, 3], &mut data)?;
    /// for (number, column) in view.lanes_mut(0)?.enumerate() {
    ///     column.into_iter().for_each(|element| *element *= number as i32);
    /// }
    /// assert_eq!(data, [0, 2, 6, 0, 5, 12]);
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    pub fn lanes_mut(&mut self, axis: usize) -> Result<LanesMut<'_, T>> {
        self.strided_mut().lanes(axis)
    }

    /// The parts at index 0, 1, ... of `axis`, without that axis.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis.
    pub fn axis_iter_mut(&mut self, axis: usize) -> Result<AxisIterMut<'_, T, R>> {
        self.strided_mut().axis_iter(axis)
    }

    /// The elements with index below `index` on `axis`, and the others.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or `index` is above its extent;
    /// [`ViewError::InterleavedParts`] if the halves do not lie apart in memory, as the left and the right columns of a
    /// row-major matrix: split [`TypedTensorViewMut::strided_mut`] then.
    pub fn split_at(
        &mut self,
        axis: usize,
        index: usize,
    ) -> Result<(TypedTensorViewMut<'_, T, R>, TypedTensorViewMut<'_, T, R>)> {
        let parts = self.layout().split_at(axis, index)?;
        self.apart("split_at", parts)
    }

    /// The two slices `a` and `b`, which share no element.
    ///
    /// # Errors
    /// [`TensorError::Validation`] as in [`TypedTensorViewMut::slice`]; [`ViewError::OverlappingSlices`] if an element is in
    /// both; [`ViewError::InterleavedParts`] if no element is, but the slices do not lie apart in memory, as the even and
    /// the odd elements of an axis: use [`StridedMut::multi_slice`] then.
    pub fn multi_slice_mut(
        &mut self,
        a: &[SliceSpec],
        b: &[SliceSpec],
    ) -> Result<(TypedTensorViewMut<'_, T, R>, TypedTensorViewMut<'_, T, R>)> {
        const OP: &str = "multi_slice_mut";
        let layout = self.layout();
        let named = TensorError::from_validation(OP);
        if layout.slices_overlap(a, b).map_err(&named)? {
            let shape = layout.shape().into();
            return Err(ViewError::OverlappingSlices { op: OP, shape }.into());
        }
        let parts = (
            layout.slice(a).map_err(&named)?,
            layout.slice(b).map_err(&named)?,
        );
        self.apart(OP, parts)
    }

    /// Cuts the buffer between two parts of the view that share no element.
    fn apart(
        &mut self,
        op: &'static str,
        (a, b): (TensorLayout<R>, TensorLayout<R>),
    ) -> Result<(TypedTensorViewMut<'_, T, R>, TypedTensorViewMut<'_, T, R>)> {
        let (data, whole) = self.reborrow().into_raw();
        // Where an empty part lies makes no difference: it comes last, behind the other part.
        let a_first = match (a.min_max_offset(), b.min_max_offset()) {
            (Some((_, a_last)), Some((b_start, _))) if a_last < b_start => true,
            (Some((a_start, _)), Some((_, b_last))) if b_last < a_start => false,
            (Some(_), Some(_)) => {
                let (shape, strides) = (whole.shape().into(), whole.strides().into());
                return Err(ViewError::InterleavedParts { op, shape, strides }.into());
            }
            (_, None) => true,
            (None, Some(_)) => false,
        };
        let (first, second) = if a_first { (a, b) } else { (b, a) };
        let cut = second
            .min_max_offset()
            .map_or(data.len(), |(start, _)| start);
        let second = second
            .rebased(cut)
            .expect("the second part starts at the cut");
        let (low, high) = data.split_at_mut(cut);
        let first = TypedTensorViewMut::trusted(low, first);
        let second = TypedTensorViewMut::trusted(high, second);
        Ok(if a_first {
            (first, second)
        } else {
            (second, first)
        })
    }
}

impl<'a, T, R: TensorRank> IntoIterator for &'a mut TypedTensorViewMut<'_, T, R> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}

impl<'a, T, R: TensorRank> IntoIterator for TypedTensorViewMut<'a, T, R> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.into_strided_mut().into_iter()
    }
}
