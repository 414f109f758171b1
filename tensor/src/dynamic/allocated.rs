//! Dynamic tensors in memory of an allocator that the caller chose.

use std::sync::Arc;

use tensor_core::{DType, IntoRankShape, dispatch_dtype};

use super::Tensor;
use crate::alloc::Allocator;
use crate::payload::{Payload, ViewPayload, each_preset};
use crate::{DynRank, Gpu, Result, TensorElement, TensorError, TensorView, TypedTensor};

impl<T: TensorElement> From<TypedTensor<T, DynRank, Gpu>> for Tensor {
    fn from(tensor: TypedTensor<T, DynRank, Gpu>) -> Self {
        tensor.into_dynamic().into()
    }
}

impl Tensor {
    /// A row-major tensor of zeros (`false` for bool) in memory of `allocator`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape overflows, [`TensorError::UnsupportedDType`] for an external scalar, or
    /// [`TensorError::Alloc`].
    pub fn zeros_in(
        allocator: &Arc<dyn Allocator>,
        dtype: DType,
        shape: impl IntoRankShape<DynRank>,
    ) -> Result<Self> {
        dispatch_dtype!(dtype, T => Ok(TypedTensor::<T, DynRank, Gpu>::zeros_in(allocator, shape)?.into()),
            _id => Err(TensorError::UnsupportedDType { op: "zeros_in", dtype }))
    }

    /// A row-major tensor in which every element is `value`, in memory of `allocator`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape overflows, or [`TensorError::Alloc`].
    pub fn full_in<T: TensorElement>(
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<DynRank>,
        value: T,
    ) -> Result<Self> {
        Ok(TypedTensor::full_in(allocator, shape, value)?.into())
    }

    /// A tensor in memory of `allocator`, of elements that are listed with the last axis fastest and are copied.
    ///
    /// # Errors
    /// As [`Tensor::full_in`], or [`TensorError::Validation`] if the element count is not `elements.len()`.
    pub fn from_slice_row_major_in<T: TensorElement>(
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<DynRank>,
        elements: &[T],
    ) -> Result<Self> {
        Ok(TypedTensor::from_slice_row_major_in(allocator, shape, elements)?.into())
    }

    /// A tensor in memory of `allocator`, of elements that are listed with the first axis fastest and are copied.
    ///
    /// # Errors
    /// As [`Tensor::from_slice_row_major_in`].
    pub fn from_slice_col_major_in<T: TensorElement>(
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<DynRank>,
        elements: &[T],
    ) -> Result<Self> {
        Ok(TypedTensor::from_slice_col_major_in(allocator, shape, elements)?.into())
    }

    /// A row-major copy in memory of `allocator`.
    ///
    /// # Errors
    /// As [`TensorView::to_contiguous_in`], or [`TensorError::NotOnHost`].
    pub fn to_contiguous_in(&self, allocator: &Arc<dyn Allocator>) -> Result<Self> {
        self.view()?.to_contiguous_in(allocator)
    }

    /// A copy in memory of `allocator`, in the same memory order.
    ///
    /// # Errors
    /// As [`Tensor::to_contiguous_in`].
    pub fn duplicate_in(&self, allocator: &Arc<dyn Allocator>) -> Result<Self> {
        each_preset!(Payload, &self.payload, t => Ok(t.duplicate_in(allocator)?.into()),
            _external => Err(TensorError::UnsupportedDType { op: "duplicate_in", dtype: self.dtype() }))
    }

    /// The allocator that the elements' memory came from, if it was one.
    #[must_use]
    pub fn allocator(&self) -> Option<&Arc<dyn Allocator>> {
        each_preset!(Payload, &self.payload, t => t.allocator(), _external => None)
    }
}

impl TensorView<'_> {
    /// A row-major copy in memory of `allocator`.
    ///
    /// # Errors
    /// [`TensorError::UnsupportedDType`] for an external scalar, or [`TensorError::Alloc`].
    pub fn to_contiguous_in(&self, allocator: &Arc<dyn Allocator>) -> Result<Tensor> {
        each_preset!(ViewPayload, self.payload(), view => Ok(view.to_contiguous_in(allocator)?.into()),
            _external => Err(TensorError::UnsupportedDType { op: "to_contiguous_in", dtype: self.dtype() }))
    }

    /// A dense copy in memory of `allocator`, whose axes lie in memory in the order of this view's.
    ///
    /// # Errors
    /// As [`TensorView::to_contiguous_in`].
    pub fn duplicate_in(&self, allocator: &Arc<dyn Allocator>) -> Result<Tensor> {
        each_preset!(ViewPayload, self.payload(), view => Ok(view.duplicate_in(allocator)?.into()),
            _external => Err(TensorError::UnsupportedDType { op: "duplicate_in", dtype: self.dtype() }))
    }
}
