//! Conversions that consume a typed tensor and move no element, and its copies.

use tensor_core::{DynRank, Rank, TensorLayout, TensorRank};

use super::TypedTensor;
use crate::storage::{Dynamic, DynamicStorage, Host, HostStorage, Representation, try_vec};
use crate::{ReinterpretError, Result};

impl<T, R: TensorRank, D: Representation> TypedTensor<T, R, D> {
    /// The same tensor with rank `N`; the buffer stays where it is.
    ///
    /// # Errors
    /// The tensor itself, with [`ValidationError::RankMismatch`](tensor_core::ValidationError::RankMismatch).
    pub fn try_into_rank<const N: usize>(
        self,
    ) -> Result<TypedTensor<T, Rank<N>, D>, ReinterpretError<Self>> {
        match self.layout.to_rank::<N>() {
            Ok(layout) => Ok(TypedTensor {
                layout,
                storage: self.storage,
            }),
            Err(error) => Err(ReinterpretError::new(
                self,
                error.with_op("TypedTensor::try_into_rank"),
            )),
        }
    }

    /// The same tensor with its rank known only when running; the buffer stays where it is.
    #[must_use]
    pub fn into_dyn_rank(self) -> TypedTensor<T, DynRank, D> {
        TypedTensor {
            layout: self.layout.into_dynamic(),
            storage: self.storage,
        }
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Host> {
    /// The same tensor with its representation known only when running; the buffer stays where it is.
    #[must_use]
    pub fn into_dynamic(self) -> TypedTensor<T, R, Dynamic> {
        TypedTensor {
            layout: self.layout,
            storage: DynamicStorage::Host(self.storage),
        }
    }

    /// The vector, in memory order, and the layout that reads it.
    #[must_use]
    pub fn into_parts(self) -> (Vec<T>, TensorLayout<R>) {
        (self.storage.into_vec(), self.layout)
    }

    /// A copy in a new vector, in the same memory order; the same as `clone`.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`](crate::TensorError::OutOfMemory).
    pub fn duplicate(&self) -> Result<Self>
    where
        T: Clone,
    {
        Ok(Self {
            layout: self.layout.clone(),
            storage: copied(self.storage.as_slice())?,
        })
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Dynamic> {
    /// The same tensor as plain host memory; the buffer stays where it is.
    ///
    /// # Errors
    /// The tensor itself, if it is not plain host memory; today every tensor is.
    pub fn into_host(self) -> Result<TypedTensor<T, R, Host>, ReinterpretError<Self>> {
        let DynamicStorage::Host(storage) = self.storage;
        Ok(TypedTensor {
            layout: self.layout,
            storage,
        })
    }

    /// The vector, whose elements are in row-major order; nothing is copied.
    ///
    /// # Errors
    /// The tensor itself, if memory has another order; `to_vec()` copies.
    pub fn into_vec(self) -> Result<Vec<T>, ReinterpretError<Self>> {
        if !self.layout.is_row_major_contiguous() {
            let error = self.layout.non_contiguous("TypedTensor::into_vec");
            return Err(ReinterpretError::new(self, error));
        }
        let DynamicStorage::Host(storage) = self.storage;
        Ok(storage.into_vec())
    }

    /// The vector, whose elements are in column-major order; nothing is copied.
    ///
    /// # Errors
    /// The tensor itself, if memory has another order.
    pub fn into_vec_col_major(self) -> Result<Vec<T>, ReinterpretError<Self>> {
        if !self.layout.is_col_major_contiguous() {
            let error = self
                .layout
                .non_contiguous("TypedTensor::into_vec_col_major");
            return Err(ReinterpretError::new(self, error));
        }
        let DynamicStorage::Host(storage) = self.storage;
        Ok(storage.into_vec())
    }

    /// A copy in the same memory order.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`](crate::TensorError::OutOfMemory).
    pub fn duplicate(&self) -> Result<Self>
    where
        T: Clone,
    {
        let DynamicStorage::Host(host) = &self.storage;
        Ok(Self {
            layout: self.layout.clone(),
            storage: DynamicStorage::Host(copied(host.as_slice())?),
        })
    }
}

fn copied<T: Clone>(data: &[T]) -> Result<HostStorage<T>> {
    let mut copy = try_vec("duplicate", data.len())?;
    copy.extend_from_slice(data);
    Ok(HostStorage::new(copy))
}

/// Only plain host memory clones: a clone of any other could move data between memories unseen.
impl<T: Clone, R: TensorRank> Clone for TypedTensor<T, R, Host> {
    fn clone(&self) -> Self {
        Self {
            layout: self.layout.clone(),
            storage: HostStorage::new(self.storage.as_slice().to_vec()),
        }
    }
}
