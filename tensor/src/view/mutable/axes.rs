//! Choosing, inserting and removing axes of a mutable view, and its rank as a type.

use tensor_core::{Rank, SliceSpec, TensorRank};

use super::TypedTensorViewMut;
use crate::Result;

impl<'a, T, R: TensorRank> TypedTensorViewMut<'a, T, R> {
    /// The elements that `spec` takes of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there is no such axis or the step is 0.
    pub fn slice_axis(
        &mut self,
        axis: usize,
        spec: SliceSpec,
    ) -> Result<TypedTensorViewMut<'_, T, R>> {
        let layout = self.layout.slice_axis(axis, spec)?;
        Ok(TypedTensorViewMut::trusted(self.data, layout))
    }

    /// The elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if the axis or the index does not exist.
    pub fn index_axis(&mut self, axis: usize, index: usize) -> Result<TypedTensorViewMut<'_, T>> {
        let layout = self.layout.index_axis(axis, index)?;
        Ok(TypedTensorViewMut::trusted(self.data, layout))
    }

    /// A new axis of extent 1 in front of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if `axis` is above the rank.
    pub fn insert_axis(&mut self, axis: usize) -> Result<TypedTensorViewMut<'_, T>> {
        let layout = self.layout.insert_axis(axis)?;
        Ok(TypedTensorViewMut::trusted(self.data, layout))
    }

    /// The view without axis `axis`, which has extent 1.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there is no such axis or its extent is not 1.
    pub fn remove_axis(&mut self, axis: usize) -> Result<TypedTensorViewMut<'_, T>> {
        let layout = self.layout.remove_axis(axis)?;
        Ok(TypedTensorViewMut::trusted(self.data, layout))
    }

    /// The same view with rank `N`.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if the rank differs.
    pub fn to_rank<const N: usize>(&mut self) -> Result<TypedTensorViewMut<'_, T, Rank<N>>> {
        let layout = self.layout.to_rank()?;
        Ok(TypedTensorViewMut::trusted(self.data, layout))
    }

    /// The same view with its rank known only when running.
    #[must_use]
    pub fn into_dyn_rank(self) -> TypedTensorViewMut<'a, T> {
        TypedTensorViewMut::trusted(self.data, self.layout.into_dynamic())
    }
}
