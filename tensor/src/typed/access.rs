//! Reading and writing the elements of a typed tensor, and lending views.

use std::ops::{Index, IndexMut};

use tensor_core::{Rank, TensorRank};

use super::TypedTensor;
use crate::storage::{DynamicStorage, Representation};
use crate::{Dynamic, Result, TypedTensorView, TypedTensorViewMut};

impl<T, R: TensorRank, D: Representation> TypedTensor<T, R, D> {
    /// The elements in memory order, as they lie in the buffer; read them through [`TypedTensor::layout`].
    ///
    /// # Errors
    /// None while every representation is host memory.
    pub fn storage(&self) -> Result<&[T]> {
        D::host(&self.storage, "storage")
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) if memory has another order; copy with `to_contiguous()`.
    pub fn as_slice(&self) -> Result<&[T]> {
        let data = D::host(&self.storage, "as_slice")?;
        if !self.layout.is_row_major_contiguous() {
            return Err(self.layout.non_contiguous("as_slice").into());
        }
        Ok(data)
    }

    /// The elements in row-major order, to be written.
    ///
    /// # Errors
    /// As [`TypedTensor::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let data = D::host_mut(&mut self.storage, "as_mut_slice")?;
        if !self.layout.is_row_major_contiguous() {
            return Err(self.layout.non_contiguous("as_mut_slice").into());
        }
        Ok(data)
    }

    /// The element at `index`.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if the index has another rank or lies outside.
    #[inline]
    pub fn get(&self, index: &[usize]) -> Result<&T> {
        let at = self.layout.offset_of(index)?;
        Ok(&D::host(&self.storage, "get")?[at])
    }

    /// The element at `index`, to be written.
    ///
    /// # Errors
    /// As [`TypedTensor::get`].
    #[inline]
    pub fn get_mut(&mut self, index: &[usize]) -> Result<&mut T> {
        let at = self.layout.offset_of(index)?;
        Ok(&mut D::host_mut(&mut self.storage, "get_mut")?[at])
    }

    /// The whole tensor as a borrowed view; copies and allocates nothing.
    ///
    /// # Errors
    /// None while every representation is host memory.
    #[inline]
    pub fn as_view(&self) -> Result<TypedTensorView<'_, T, R>> {
        Ok(TypedTensorView::trusted(
            D::host(&self.storage, "as_view")?,
            self.layout.clone(),
        ))
    }

    /// The whole tensor as a borrowed view that can be written.
    ///
    /// # Errors
    /// None while every representation is host memory.
    pub fn as_view_mut(&mut self) -> Result<TypedTensorViewMut<'_, T, R>> {
        Ok(TypedTensorViewMut::trusted(
            D::host_mut(&mut self.storage, "as_view_mut")?,
            self.layout.clone(),
        ))
    }

    /// A row-major copy.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`](crate::TensorError::OutOfMemory).
    pub fn to_contiguous(&self) -> Result<TypedTensor<T, R>>
    where
        T: Clone,
    {
        self.as_view()?.to_contiguous()
    }

    /// A copy of the elements in row-major logical order.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`](crate::TensorError::OutOfMemory).
    pub fn to_vec(&self) -> Result<Vec<T>>
    where
        T: Clone,
    {
        self.as_view()?.to_vec()
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Dynamic> {
    /// The view of a tensor whose storage is plain host memory, as every dynamic one is.
    #[inline]
    pub(crate) fn host_view(&self) -> TypedTensorView<'_, T, R> {
        let DynamicStorage::Host(host) = &self.storage;
        TypedTensorView::trusted(host.as_slice(), self.layout.clone())
    }

    pub(crate) fn host_view_mut(&mut self) -> TypedTensorViewMut<'_, T, R> {
        let DynamicStorage::Host(host) = &mut self.storage;
        TypedTensorViewMut::trusted(host.as_mut_slice(), self.layout.clone())
    }
}

/// Panics where [`TypedTensor::get`] fails.
impl<T, const N: usize, D: Representation> Index<[usize; N]> for TypedTensor<T, Rank<N>, D> {
    type Output = T;

    fn index(&self, index: [usize; N]) -> &T {
        match self.get(&index) {
            Ok(element) => element,
            Err(error) => panic!("{error}; use get() where the index may be wrong"),
        }
    }
}

/// Panics where [`TypedTensor::get_mut`] fails.
impl<T, const N: usize, D: Representation> IndexMut<[usize; N]> for TypedTensor<T, Rank<N>, D> {
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        match self.get_mut(&index) {
            Ok(element) => element,
            Err(error) => panic!("{error}; use get_mut() where the index may be wrong"),
        }
    }
}
