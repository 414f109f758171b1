//! Conversions that consume a typed tensor and move no element, and its copies.

use tensor_core::{DynRank, Rank, TensorLayout, TensorRank};

use super::TypedTensor;
use crate::storage::sealed::Storing;
use crate::storage::{Dynamic, DynamicStorage, Gpu, Host, HostStorage, Representation};
use crate::{Placement, ReinterpretError, Result, TensorError};

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

    /// The same memory as a [`Buffer`](crate::Buffer), such as a device's tensors have; the host still reads it in place.
    #[must_use]
    pub fn promote(self) -> TypedTensor<T, R, Gpu>
    where
        T: Clone + Send + Sync + 'static,
    {
        TypedTensor {
            layout: self.layout,
            storage: Box::new(self.storage),
        }
    }

    /// A copy in a new vector, in the same memory order; the same as `clone`.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`].
    pub fn duplicate(&self) -> Result<Self>
    where
        T: Clone,
    {
        Ok(Self {
            layout: self.layout.clone(),
            storage: self.storage.duplicate("duplicate")?,
        })
    }

    /// Labels the memory: the caller has locked it in place, say, or knows which cores it is close to.
    #[must_use]
    pub fn with_placement(mut self, placement: Placement) -> Self {
        self.storage.set_placement(placement);
        self
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Gpu> {
    /// The same tensor with its representation known only when running; the buffer stays where it is.
    #[must_use]
    pub fn into_dynamic(self) -> TypedTensor<T, R, Dynamic> {
        TypedTensor {
            layout: self.layout,
            storage: DynamicStorage::Buffer(self.storage),
        }
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Dynamic> {
    /// The same tensor as plain host memory; the vector stays where it is.
    ///
    /// # Errors
    /// The tensor itself, with [`TensorError::NotPlainHost`], if a buffer owns its elements, also where the host can read
    /// them: a conversion never falls back to a copy.
    pub fn into_host(self) -> Result<TypedTensor<T, R, Host>, ReinterpretError<Self>> {
        self.into_host_as("TypedTensor::into_host")
    }

    fn into_host_as(
        self,
        op: &'static str,
    ) -> Result<TypedTensor<T, R, Host>, ReinterpretError<Self>> {
        let Self { layout, storage } = self;
        match storage {
            DynamicStorage::Host(storage) => Ok(TypedTensor { layout, storage }),
            DynamicStorage::Buffer(_) => {
                let placement = Dynamic::placement(&storage);
                let error = TensorError::NotPlainHost { op, placement };
                Err(ReinterpretError::new(Self { layout, storage }, error))
            }
        }
    }

    /// The same tensor as a [`Buffer`](crate::Buffer); it stays where it is.
    ///
    /// # Errors
    /// The tensor itself, with [`TensorError::NotBuffer`], if it is plain host memory.
    pub fn into_gpu(self) -> Result<TypedTensor<T, R, Gpu>, ReinterpretError<Self>> {
        let Self { layout, storage } = self;
        match storage {
            DynamicStorage::Buffer(storage) => Ok(TypedTensor { layout, storage }),
            DynamicStorage::Host(_) => {
                let op = "TypedTensor::into_gpu";
                Err(ReinterpretError::new(
                    Self { layout, storage },
                    TensorError::NotBuffer { op },
                ))
            }
        }
    }

    /// The vector, whose elements are in row-major order; nothing is copied.
    ///
    /// # Errors
    /// The tensor itself, if memory has another order or a buffer owns it; `to_vec()` copies.
    pub fn into_vec(self) -> Result<Vec<T>, ReinterpretError<Self>> {
        const OP: &str = "TypedTensor::into_vec";
        if !self.layout.is_row_major_contiguous() {
            let error = self.layout.non_contiguous(OP);
            return Err(ReinterpretError::new(self, error));
        }
        self.into_host_as(OP).map(|host| host.into_parts().0)
    }

    /// The vector, whose elements are in column-major order; nothing is copied.
    ///
    /// # Errors
    /// The tensor itself, if memory has another order or a buffer owns it.
    pub fn into_vec_col_major(self) -> Result<Vec<T>, ReinterpretError<Self>> {
        const OP: &str = "TypedTensor::into_vec_col_major";
        if !self.layout.is_col_major_contiguous() {
            let error = self.layout.non_contiguous(OP);
            return Err(ReinterpretError::new(self, error));
        }
        self.into_host_as(OP).map(|host| host.into_parts().0)
    }

    /// The vector, in memory order, and the layout that reads it; nothing is copied.
    ///
    /// # Errors
    /// The tensor itself, if a buffer owns its elements.
    pub fn try_into_parts(self) -> Result<(Vec<T>, TensorLayout<R>), ReinterpretError<Self>> {
        self.into_host_as("TypedTensor::try_into_parts")
            .map(TypedTensor::into_parts)
    }

    /// A copy in plain host memory, in the same memory order.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`] (use [`TypedTensor::to_host`] there) or [`TensorError::OutOfMemory`].
    pub fn duplicate(&self) -> Result<Self>
    where
        T: Clone,
    {
        Dynamic::host(&self.storage, "duplicate")?;
        Ok(self.to_host()?.into_dynamic())
    }
}

/// Only plain host memory clones: a clone of any other could move data between memories unseen.
impl<T: Clone, R: TensorRank> Clone for TypedTensor<T, R, Host> {
    fn clone(&self) -> Self {
        let data = self.storage.as_slice().to_vec();
        Self {
            layout: self.layout.clone(),
            storage: HostStorage::new(data),
        }
    }
}
