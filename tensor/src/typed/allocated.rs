//! Tensors in memory of an allocator that the caller chose.
//!
//! Each of these asks the allocator once, after the shape was checked, and for nothing if there is no element; on failure
//! nothing is left behind.

use std::any::Any;
use std::sync::Arc;

use tensor_core::{IntoRankShape, TensorLayout, TensorRank, ValidationError};

use super::TypedTensor;
use crate::alloc::Allocator;
use crate::storage::{AllocBuffer, Gpu, Representation};
use crate::{Result, TensorError, TypedTensorView, trace_span};

/// The axes from the largest stride to the smallest, and the permutation that takes them back.
fn axis_order<R: TensorRank>(layout: &TensorLayout<R>) -> (Vec<usize>, Vec<usize>) {
    let strides = layout.strides();
    let mut axes: Vec<usize> = (0..layout.rank()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
    let mut back = vec![0; axes.len()];
    for (at, &axis) in axes.iter().enumerate() {
        back[axis] = at;
    }
    (axes, back)
}

/// A dense layout of the same shape, at offset 0, whose axes lie in memory in the order of those of `layout`.
pub(crate) fn dense_in_axis_order<R: TensorRank>(
    layout: &TensorLayout<R>,
) -> Result<TensorLayout<R>> {
    let (axes, back) = axis_order(layout);
    Ok(layout.permute(&axes)?.row_major_like().permute(&back)?)
}

impl<T: Copy + Send + Sync + 'static, R: TensorRank> TypedTensor<T, R, Gpu> {
    /// A row-major tensor of `T::default()`, the zero of a number, in memory of `allocator`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's rank is not `R` or it overflows, or [`TensorError::Alloc`].
    pub fn zeros_in(allocator: &Arc<dyn Allocator>, shape: impl IntoRankShape<R>) -> Result<Self>
    where
        T: Default,
    {
        Self::full_as("zeros_in", allocator, shape, T::default())
    }

    /// A row-major tensor in which every element is `value`, in memory of `allocator`.
    ///
    /// # Errors
    /// As [`TypedTensor::zeros_in`].
    pub fn full_in(
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<R>,
        value: T,
    ) -> Result<Self> {
        Self::full_as("full_in", allocator, shape, value)
    }

    fn full_as(
        op: &'static str,
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<R>,
        value: T,
    ) -> Result<Self> {
        let layout = TensorLayout::row_major(shape).map_err(TensorError::from_validation(op))?;
        let buffer = AllocBuffer::filled(allocator, layout.element_count(), value)
            .map_err(TensorError::from_alloc(op))?;
        Ok(Self::from_dense_buffer(layout, Box::new(buffer)))
    }

    /// A tensor in memory of `allocator`, of elements that are listed with the last axis fastest and are copied.
    ///
    /// # Errors
    /// As [`TypedTensor::zeros_in`], or [`TensorError::Validation`] if the element count is not `elements.len()`.
    pub fn from_slice_row_major_in(
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<R>,
        elements: &[T],
    ) -> Result<Self> {
        const OP: &str = "from_slice_row_major_in";
        Self::from_slice_as(OP, allocator, TensorLayout::row_major(shape), elements)
    }

    /// A tensor in memory of `allocator`, of elements that are listed with the first axis fastest and are copied.
    ///
    /// # Errors
    /// As [`TypedTensor::from_slice_row_major_in`].
    pub fn from_slice_col_major_in(
        allocator: &Arc<dyn Allocator>,
        shape: impl IntoRankShape<R>,
        elements: &[T],
    ) -> Result<Self> {
        const OP: &str = "from_slice_col_major_in";
        Self::from_slice_as(OP, allocator, TensorLayout::col_major(shape), elements)
    }

    fn from_slice_as(
        op: &'static str,
        allocator: &Arc<dyn Allocator>,
        layout: Result<TensorLayout<R>, ValidationError>,
        elements: &[T],
    ) -> Result<Self> {
        let layout = layout.map_err(TensorError::from_validation(op))?;
        let (product, length) = (layout.element_count(), elements.len());
        if product != length {
            return Err(ValidationError::ShapeDataLengthMismatch {
                op,
                product,
                length,
            }
            .into());
        }
        let buffer =
            AllocBuffer::copied(allocator, elements).map_err(TensorError::from_alloc(op))?;
        Ok(Self::from_dense_buffer(layout, Box::new(buffer)))
    }
}

impl<T: Copy + Send + Sync + 'static, R: TensorRank> TypedTensorView<'_, T, R> {
    /// A row-major copy in memory of `allocator`.
    ///
    /// # Errors
    /// [`TensorError::Alloc`].
    pub fn to_contiguous_in(
        &self,
        allocator: &Arc<dyn Allocator>,
    ) -> Result<TypedTensor<T, R, Gpu>> {
        self.gathered("to_contiguous_in", allocator)
    }

    /// A dense copy in memory of `allocator`, whose axes lie in memory in the order of this view's (the axis with the
    /// smallest stride fastest).
    ///
    /// # Errors
    /// [`TensorError::Alloc`].
    pub fn duplicate_in(&self, allocator: &Arc<dyn Allocator>) -> Result<TypedTensor<T, R, Gpu>> {
        let (axes, back) = axis_order(self.layout());
        let mut copy = self.permute(&axes)?.gathered("duplicate_in", allocator)?;
        copy.layout = copy.layout.permute(&back)?;
        Ok(copy)
    }

    fn gathered(
        &self,
        op: &'static str,
        allocator: &Arc<dyn Allocator>,
    ) -> Result<TypedTensor<T, R, Gpu>> {
        let _span = trace_span!(
            DEBUG,
            "to_contiguous",
            op,
            bytes = self.len().saturating_mul(size_of::<T>()),
            shape = ?self.shape(),
            strides = ?self.layout().strides(),
            dtype = std::any::type_name::<T>(),
            device = %allocator.placement(),
        );
        let layout = self.layout().row_major_like();
        let made = match self.dense() {
            Some(elements) => AllocBuffer::copied(allocator, elements),
            None => AllocBuffer::gathered(allocator, self.storage(), self.layout()),
        };
        let buffer = made.map_err(TensorError::from_alloc(op))?;
        Ok(TypedTensor::from_dense_buffer(layout, Box::new(buffer)))
    }
}

impl<T: Copy + Send + Sync + 'static, R: TensorRank, D: Representation> TypedTensor<T, R, D> {
    /// A row-major copy in memory of `allocator`.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`] or [`TensorError::Alloc`].
    pub fn to_contiguous_in(
        &self,
        allocator: &Arc<dyn Allocator>,
    ) -> Result<TypedTensor<T, R, Gpu>> {
        self.as_view()?.to_contiguous_in(allocator)
    }

    /// A copy in memory of `allocator`, in the same memory order.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`] or [`TensorError::Alloc`].
    pub fn duplicate_in(&self, allocator: &Arc<dyn Allocator>) -> Result<TypedTensor<T, R, Gpu>> {
        let buffer = AllocBuffer::copied(allocator, self.storage()?)
            .map_err(TensorError::from_alloc("duplicate_in"))?;
        Ok(TypedTensor::from_dense_buffer(
            self.layout.clone(),
            Box::new(buffer),
        ))
    }

    /// The allocator that the elements' memory came from, if it was one.
    #[must_use]
    pub fn allocator(&self) -> Option<&Arc<dyn Allocator>> {
        let buffer: &dyn Any = self.buffer()?.as_any();
        let allocated: &AllocBuffer<T> = buffer.downcast_ref()?;
        Some(allocated.allocation().allocator())
    }
}
