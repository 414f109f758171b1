//! Dense views of owned tensors of static rank.

use tensor_core::Rank;

use super::TypedTensor;
use crate::storage::Representation;
use crate::{ColMajorView, ColMajorViewMut, Result, RowMajorView, RowMajorViewMut};

impl<T, const N: usize, D: Representation> TypedTensor<T, Rank<N>, D> {
    /// The elements as a dense column-major view, whose lanes along the first axis are slices.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) unless they lie in column-major
    /// order.
    pub fn col_major_view(&self) -> Result<ColMajorView<'_, T, N>> {
        self.as_view()?.col_major_view()
    }

    /// The elements as a dense column-major view that can be written.
    ///
    /// # Errors
    /// As [`TypedTensor::col_major_view`].
    pub fn col_major_view_mut(&mut self) -> Result<ColMajorViewMut<'_, T, N>> {
        self.as_view_mut()?.into_col_major_view_mut()
    }

    /// The elements as a dense row-major view, whose lanes along the last axis are slices.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) unless they lie in row-major order.
    pub fn row_major_view(&self) -> Result<RowMajorView<'_, T, N>> {
        self.as_view()?.row_major_view()
    }

    /// The elements as a dense row-major view that can be written.
    ///
    /// # Errors
    /// As [`TypedTensor::row_major_view`].
    pub fn row_major_view_mut(&mut self) -> Result<RowMajorViewMut<'_, T, N>> {
        self.as_view_mut()?.into_row_major_view_mut()
    }
}
