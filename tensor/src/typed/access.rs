//! Reading and writing the elements of a typed tensor, and lending views.

use std::ops::{Index, IndexMut};

use tensor_core::{Rank, TensorRank, ValidationError};

use super::TypedTensor;
use crate::storage::{HostStorage, Representation, copied};
use crate::{Host, Result, TensorError, TypedTensorView, TypedTensorViewMut};

impl<T, R: TensorRank, D: Representation> TypedTensor<T, R, D> {
    /// The elements in memory order. A buffer that hands out another length than it promised is caught here.
    fn host(&self, op: &'static str) -> Result<&[T]> {
        let data = D::host(&self.storage, op)?;
        self.check_length(op, data.len())?;
        Ok(data)
    }

    fn host_mut(&mut self, op: &'static str) -> Result<&mut [T]> {
        let length = D::host_mut(&mut self.storage, op)?.len();
        self.check_length(op, length)?;
        D::host_mut(&mut self.storage, op)
    }

    fn check_length(&self, op: &'static str, length: usize) -> Result<()> {
        if self.len() == length {
            Ok(())
        } else {
            Err(self.wrong_length(op, length))
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong_length(&self, op: &'static str, length: usize) -> TensorError {
        let product = self.len();
        ValidationError::ShapeDataLengthMismatch {
            op,
            product,
            length,
        }
        .into()
    }

    /// The elements in memory order, as they lie in the buffer; read them through [`TypedTensor::layout`].
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`](crate::TensorError::NotOnHost), or
    /// [`TensorError::ReadOnly`](crate::TensorError::ReadOnly) where it is to be written.
    pub fn storage(&self) -> Result<&[T]> {
        self.host("storage")
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) if memory has another order; copy with `to_contiguous()`.
    pub fn as_slice(&self) -> Result<&[T]> {
        let data = self.host("as_slice")?;
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
        if !self.layout.is_row_major_contiguous() {
            return Err(self.layout.non_contiguous("as_mut_slice").into());
        }
        self.host_mut("as_mut_slice")
    }

    /// The element at `index`.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if the index has another rank or lies outside.
    #[inline]
    pub fn get(&self, index: &[usize]) -> Result<&T> {
        let at = self.layout.offset_of(index)?;
        Ok(&self.host("get")?[at])
    }

    /// The element at `index`, to be written.
    ///
    /// # Errors
    /// As [`TypedTensor::get`].
    #[inline]
    pub fn get_mut(&mut self, index: &[usize]) -> Result<&mut T> {
        let at = self.layout.offset_of(index)?;
        Ok(&mut self.host_mut("get_mut")?[at])
    }

    /// The whole tensor as a borrowed view; copies and allocates nothing.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`](crate::TensorError::NotOnHost), or
    /// [`TensorError::ReadOnly`](crate::TensorError::ReadOnly) where it is to be written.
    #[inline]
    pub fn as_view(&self) -> Result<TypedTensorView<'_, T, R>> {
        Ok(TypedTensorView::trusted(
            self.host("as_view")?,
            self.layout.clone(),
        ))
    }

    /// The whole tensor as a borrowed view that can be written.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`](crate::TensorError::NotOnHost), or
    /// [`TensorError::ReadOnly`](crate::TensorError::ReadOnly) where it is to be written.
    pub fn as_view_mut(&mut self) -> Result<TypedTensorViewMut<'_, T, R>> {
        let layout = self.layout.clone();
        Ok(TypedTensorViewMut::trusted(
            self.host_mut("as_view_mut")?,
            layout,
        ))
    }

    /// All elements in memory order, to be written where they lie; read them through [`TypedTensor::layout`].
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`](crate::TensorError::NotOnHost) or [`TensorError::ReadOnly`](crate::TensorError::ReadOnly).
    pub fn storage_mut(&mut self) -> Result<&mut [T]> {
        self.host_mut("storage_mut")
    }

    /// A copy in plain host memory, in the same memory order, wherever the elements are: the explicit download.
    ///
    /// # Errors
    /// What the buffer reports, or [`TensorError::OutOfMemory`](crate::TensorError::OutOfMemory).
    pub fn to_host(&self) -> Result<TypedTensor<T, R, Host>>
    where
        T: Clone,
    {
        const OP: &str = "to_host";
        let data = match self.buffer() {
            Some(buffer) if buffer.host().is_none() => buffer.download()?,
            _ => copied(OP, self.host(OP)?)?,
        };
        self.check_length(OP, data.len())?;
        Ok(TypedTensor {
            layout: self.layout.clone(),
            storage: HostStorage::new(data),
        })
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

/// Out of line, so that an access inlines to its comparisons.
#[cold]
#[inline(never)]
fn refuse(error: &TensorError, get: &str) -> ! {
    panic!("{error}; use {get}() where the index may be wrong")
}

/// Panics where [`TypedTensor::get`] fails.
impl<T, const N: usize, D: Representation> Index<[usize; N]> for TypedTensor<T, Rank<N>, D> {
    type Output = T;

    #[inline]
    fn index(&self, index: [usize; N]) -> &T {
        match self.get(&index) {
            Ok(element) => element,
            Err(error) => refuse(&error, "get"),
        }
    }
}

/// Panics where [`TypedTensor::get_mut`] fails.
impl<T, const N: usize, D: Representation> IndexMut<[usize; N]> for TypedTensor<T, Rank<N>, D> {
    #[inline]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        match self.get_mut(&index) {
            Ok(element) => element,
            Err(error) => refuse(&error, "get_mut"),
        }
    }
}

/// Panics where [`TypedTensor::get`] fails. Only for plain host memory: elsewhere an index could hide a transfer.
impl<T, R: TensorRank> Index<&[usize]> for TypedTensor<T, R, Host> {
    type Output = T;

    #[inline]
    fn index(&self, index: &[usize]) -> &T {
        match self.get(index) {
            Ok(element) => element,
            Err(error) => refuse(&error, "get"),
        }
    }
}

/// Panics where [`TypedTensor::get_mut`] fails.
impl<T, R: TensorRank> IndexMut<&[usize]> for TypedTensor<T, R, Host> {
    #[inline]
    fn index_mut(&mut self, index: &[usize]) -> &mut T {
        match self.get_mut(index) {
            Ok(element) => element,
            Err(error) => refuse(&error, "get_mut"),
        }
    }
}
