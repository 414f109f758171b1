//! Constructors. Each says its memory order; none has a default.

use std::sync::Weak;

use tensor_core::{
    DynRank, IntoRankShape, MemoryOrder, ScalarArithmetic, TensorLayout, TensorRank,
    ValidationError,
};

use super::TypedTensor;
use crate::storage::{
    Buffer, Dynamic, DynamicStorage, Gpu, Host, HostBufferRecycler, HostStorage, try_vec,
};
use crate::{Result, TensorError};

/// The dense layout of `shape`, if it has `length` elements; names `op` in what is refused.
///
/// Inlined into each constructor: a layout that is returned from a call is copied right after it was written in smaller
/// parts, and that wait is a third of the time that making a tensor takes.
#[inline(always)]
fn filled<R: TensorRank>(
    op: &'static str,
    order: MemoryOrder,
    shape: impl IntoRankShape<R>,
    length: usize,
) -> Result<TensorLayout<R>> {
    match TensorLayout::dense(shape, order) {
        Ok(layout) if layout.element_count() == length => Ok(layout),
        Ok(layout) => Err(wrong_length(op, layout.element_count(), length)),
        Err(error) => Err(TensorError::from_validation(op)(error)),
    }
}

#[cold]
#[inline(never)]
fn wrong_length(op: &'static str, product: usize, length: usize) -> TensorError {
    ValidationError::ShapeDataLengthMismatch {
        op,
        product,
        length,
    }
    .into()
}

fn filled_with<T: Clone>(op: &'static str, count: usize, value: T) -> Result<Vec<T>> {
    let mut data = try_vec(op, count)?;
    data.resize(count, value);
    Ok(data)
}

impl<T, R: TensorRank> TypedTensor<T, R, Dynamic> {
    #[inline]
    fn from_host(layout: TensorLayout<R>, data: Vec<T>) -> Self {
        Self {
            layout,
            storage: DynamicStorage::Host(HostStorage::new(data)),
        }
    }

    /// A tensor of elements already in the order of a dense `layout` of as many elements.
    #[inline]
    pub(crate) fn from_dense(layout: TensorLayout<R>, data: Vec<T>) -> Self {
        debug_assert_eq!(
            layout.element_count(),
            data.len(),
            "a dense layout owns its whole buffer"
        );
        Self::from_host(layout, data)
    }

    /// A tensor whose elements are listed with the last axis fastest. Adopts the vector; nothing is copied.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's rank is not `R` or its element count is not `data.len()`.
    #[inline]
    pub fn from_vec_row_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_vec_row_major",
            MemoryOrder::RowMajor,
            shape,
            data.len(),
        )?;
        Ok(Self::from_host(layout, data))
    }

    /// A tensor whose elements are listed with the first axis fastest. Adopts the vector; nothing is copied.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_vec_col_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_vec_col_major",
            MemoryOrder::ColMajor,
            shape,
            data.len(),
        )?;
        Ok(Self::from_host(layout, data))
    }

    /// A row-major tensor in which every element is `value`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's rank is not `R` or it overflows, or [`TensorError::OutOfMemory`].
    pub fn full(shape: impl IntoRankShape<R>, value: T) -> Result<Self>
    where
        T: Clone,
    {
        let layout =
            TensorLayout::row_major(shape).map_err(TensorError::from_validation("full"))?;
        let data = filled_with("full", layout.element_count(), value)?;
        Ok(Self::from_host(layout, data))
    }

    /// As [`TypedTensor::from_vec_row_major`]; `recycler` gets the vector back when the tensor is dropped.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_vec_row_major_with_recycler(
        shape: impl IntoRankShape<R>,
        data: Vec<T>,
        recycler: Weak<dyn HostBufferRecycler<T>>,
    ) -> Result<Self> {
        const OP: &str = "from_vec_row_major_with_recycler";
        let layout = filled(OP, MemoryOrder::RowMajor, shape, data.len())?;
        let storage = DynamicStorage::Host(HostStorage::with_recycler(data, recycler));
        Ok(Self { layout, storage })
    }

    /// As [`TypedTensor::from_vec_col_major`]; `recycler` gets the vector back when the tensor is dropped.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_vec_col_major_with_recycler(
        shape: impl IntoRankShape<R>,
        data: Vec<T>,
        recycler: Weak<dyn HostBufferRecycler<T>>,
    ) -> Result<Self> {
        const OP: &str = "from_vec_col_major_with_recycler";
        let layout = filled(OP, MemoryOrder::ColMajor, shape, data.len())?;
        let storage = DynamicStorage::Host(HostStorage::with_recycler(data, recycler));
        Ok(Self { layout, storage })
    }

    /// A row-major tensor in which every element is the one of multiplication.
    ///
    /// # Errors
    /// As [`TypedTensor::full`].
    pub fn ones(shape: impl IntoRankShape<R>) -> Result<Self>
    where
        T: ScalarArithmetic,
    {
        let layout =
            TensorLayout::row_major(shape).map_err(TensorError::from_validation("ones"))?;
        let data = filled_with("ones", layout.element_count(), T::ONE)?;
        Ok(Self::from_host(layout, data))
    }

    /// A row-major tensor in which every element is `T::default()`, the zero of a number.
    ///
    /// # Errors
    /// As [`TypedTensor::full`].
    pub fn zeros(shape: impl IntoRankShape<R>) -> Result<Self>
    where
        T: Clone + Default,
    {
        let layout =
            TensorLayout::row_major(shape).map_err(TensorError::from_validation("zeros"))?;
        let data = filled_with("zeros", layout.element_count(), T::default())?;
        Ok(Self::from_host(layout, data))
    }
}

impl<T> TypedTensor<T, DynRank, Dynamic> {
    /// A tensor of rank 0.
    #[must_use]
    pub fn scalar(value: T) -> Self {
        Self::from_host(TensorLayout::scalar(), vec![value])
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Host> {
    /// As [`TypedTensor::from_vec_row_major`], for a tensor that is known to be in host memory.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_host_vec_row_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_host_vec_row_major",
            MemoryOrder::RowMajor,
            shape,
            data.len(),
        )?;
        Ok(Self {
            layout,
            storage: HostStorage::new(data),
        })
    }

    /// As [`TypedTensor::from_vec_col_major`], for a tensor that is known to be in host memory.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`].
    pub fn from_host_vec_col_major(shape: impl IntoRankShape<R>, data: Vec<T>) -> Result<Self> {
        let layout = filled(
            "from_host_vec_col_major",
            MemoryOrder::ColMajor,
            shape,
            data.len(),
        )?;
        Ok(Self {
            layout,
            storage: HostStorage::new(data),
        })
    }
}

impl<T, R: TensorRank> TypedTensor<T, R, Gpu> {
    /// A tensor over a buffer of as many elements as the dense `layout` has.
    pub(crate) fn from_dense_buffer(layout: TensorLayout<R>, buffer: Box<dyn Buffer<T>>) -> Self {
        Self {
            layout,
            storage: buffer,
        }
    }

    /// A tensor over a buffer whose elements lie with the last axis fastest. Nothing is copied.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`], with the length of the buffer.
    pub fn from_buffer_row_major(
        shape: impl IntoRankShape<R>,
        buffer: Box<dyn Buffer<T>>,
    ) -> Result<Self> {
        const OP: &str = "from_buffer_row_major";
        let layout = filled(OP, MemoryOrder::RowMajor, shape, buffer.len())?;
        Ok(Self::from_dense_buffer(layout, buffer))
    }

    /// A tensor over a buffer whose elements lie with the first axis fastest. Nothing is copied.
    ///
    /// # Errors
    /// As [`TypedTensor::from_vec_row_major`], with the length of the buffer.
    pub fn from_buffer_col_major(
        shape: impl IntoRankShape<R>,
        buffer: Box<dyn Buffer<T>>,
    ) -> Result<Self> {
        const OP: &str = "from_buffer_col_major";
        let layout = filled(OP, MemoryOrder::ColMajor, shape, buffer.len())?;
        Ok(Self::from_dense_buffer(layout, buffer))
    }
}
