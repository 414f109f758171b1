//! Borrowed views: a slice of a buffer and the layout that reads it.
//!
//! [`TypedTensorView`] reads, [`TypedTensorViewMut`] writes; [`TensorView`] and [`TensorViewMut`] are the same with the
//! element type known only when running. Every transformation edits the layout alone and allocates nothing up to rank 8.
//!
//! Files: `index` (square brackets), `iter`, `parts` (lanes, axes, halves), `mutable`, `dense` (row-major and column-major
//! views of static rank), `complex` and `bytes` (other element types over the same memory), `erased` and `erased_mut`,
//! `error`.
//!
//! Invariant: the layout addresses only elements of the slice, so indexing by it can't fail. Views are covariant in their
//! lifetime and element type.

mod bytes;
mod complex;
mod dense;
mod erased;
mod erased_mut;
mod error;
mod index;
mod iter;
mod mutable;
mod parts;
#[cfg(test)]
mod tests;

use std::fmt;

use tensor_core::{
    DynRank, IntoRankShape, Rank, SliceSpec, TensorLayout, TensorRank, ValidationError,
};

#[cfg(feature = "tracing")]
use crate::Placement;
use crate::storage::{copied, gather_into, gathered};
use crate::{Result, TensorError, TypedTensor, trace_span};

pub use complex::RealPart;
pub(crate) use complex::{COMPLEX, REAL, complex_layout, real_layout};
pub use dense::{
    ColMajorView, ColMajorViewMut, DenseLanes, DenseLanesMut, RowMajorView, RowMajorViewMut,
};
pub use erased::TensorView;
pub use erased_mut::TensorViewMut;
pub use error::ViewError;
pub use iter::Iter;
pub use mutable::TypedTensorViewMut;
pub use parts::{AxisIter, Lanes};

/// A borrowed view of elements of type `T`, in any layout: strides may be 0 or negative.
///
/// The owner can neither move nor go while a view of it lives, so a view always reads living elements:
/// ```compile_fail,E0505
/// let t = tensor::TypedTensor::<f32>::zeros([2]).unwrap();
/// let view = t.as_view().unwrap();
/// drop(t);
/// println!("{view:?}");
/// ```
/// A view of dynamic rank is read by [`TypedTensorView::get`]; only a static rank has an index whose length is right:
/// ```compile_fail,E0608
/// let view = tensor::TypedTensorView::<f32>::from_slice([2], &[1.0, 2.0]).unwrap();
/// let element = view[&[1][..]];
/// ```
/// ```compile_fail,E0308
/// let view = tensor::TypedTensorView::<f32, tensor::Rank<1>>::from_slice([2], &[1.0, 2.0]).unwrap();
/// let element = view[[1, 0]];
/// ```
pub struct TypedTensorView<'a, T, R: TensorRank = DynRank> {
    data: &'a [T],
    layout: TensorLayout<R>,
}

impl<T, R: TensorRank> Clone for TypedTensorView<'_, T, R> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            data: self.data,
            layout: self.layout.clone(),
        }
    }
}

impl<'a, T, R: TensorRank> TypedTensorView<'a, T, R> {
    /// A view whose layout is known to fit.
    #[inline]
    pub(crate) fn trusted(data: &'a [T], layout: TensorLayout<R>) -> Self {
        debug_assert!(
            layout.validate_in_bounds(data.len()).is_ok(),
            "a view must fit its buffer"
        );
        Self { data, layout }
    }

    /// A view of the caller's memory, whose elements are listed with the last axis fastest.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's element count is not `data.len()`.
    pub fn from_slice(shape: impl IntoRankShape<R>, data: &'a [T]) -> Result<Self> {
        const OP: &str = "from_slice";
        let layout = TensorLayout::row_major(shape).map_err(TensorError::from_validation(OP))?;
        let product = layout.element_count();
        if product != data.len() {
            return Err(ValidationError::ShapeDataLengthMismatch {
                op: OP,
                product,
                length: data.len(),
            }
            .into());
        }
        Ok(Self::trusted(data, layout))
    }

    /// A view of the caller's memory with any strides, in elements.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if an element lies outside `data`, or ranks differ.
    pub fn from_slice_strided(
        shape: impl IntoRankShape<R>,
        strides: &[isize],
        offset: usize,
        data: &'a [T],
    ) -> Result<Self> {
        let layout = TensorLayout::from_parts(shape, strides, offset, data.len())
            .map_err(TensorError::from_validation("from_slice_strided"))?;
        Ok(Self::trusted(data, layout))
    }

    /// A view of `data` through a layout made elsewhere.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if an element lies outside `data`.
    pub fn from_layout(layout: TensorLayout<R>, data: &'a [T]) -> Result<Self> {
        layout
            .validate_in_bounds(data.len())
            .map_err(TensorError::from_validation("from_layout"))?;
        Ok(Self::trusted(data, layout))
    }

    /// The extents.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// The number of axes.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Shape, strides and offset.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> &TensorLayout<R> {
        &self.layout
    }

    /// The number of logical elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.layout.element_count()
    }

    /// Whether there is no element.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The whole buffer behind the view, in memory order; read it through [`TypedTensorView::layout`].
    #[must_use]
    #[inline]
    pub fn storage(&self) -> &'a [T] {
        self.data
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`] if they do not lie so; copy with [`TypedTensorView::to_contiguous`].
    pub fn as_slice(&self) -> Result<&'a [T]> {
        self.dense()
            .ok_or_else(|| self.layout.non_contiguous("as_slice").into())
    }

    /// The elements in row-major order, if they lie so.
    pub(crate) fn dense(&self) -> Option<&'a [T]> {
        let start = self.layout.offset();
        self.layout
            .is_row_major_contiguous()
            .then(|| &self.data[start..start + self.len()])
    }

    /// The element at `index`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the index has another rank or lies outside.
    #[inline]
    pub fn get(&self, index: &[usize]) -> Result<&'a T> {
        Ok(&self.data[self.layout.offset_of(index)?])
    }

    /// The elements in row-major logical order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter::new(self)
    }

    /// A copy of the elements in row-major logical order.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`]: a broadcast view can be larger than memory.
    pub fn to_vec(&self) -> Result<Vec<T>>
    where
        T: Clone,
    {
        let _span = trace_span!(
            DEBUG,
            "to_contiguous",
            bytes = self.len().saturating_mul(size_of::<T>()),
            shape = ?self.shape(),
            strides = ?self.layout.strides(),
            dtype = std::any::type_name::<T>(),
            device = %Placement::HOST,
        );
        match self.dense() {
            Some(elements) => copied("to_vec", elements),
            None => gathered("to_vec", self.data, &self.layout),
        }
    }

    /// Writes the elements in row-major logical order to `out`, which has as many.
    ///
    /// ```
    /// let view = tensor::TypedTensorView::<u8, tensor::Rank<2>>::from_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
    /// let mut out = [0; 6];
    /// view.transpose().copy_into(&mut out)?;
    /// assert_eq!(out, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    ///
    /// # Errors
    /// [`TensorError::Validation`] if `out` has another length.
    pub fn copy_into(&self, out: &mut [T]) -> Result<()>
    where
        T: Clone,
    {
        let (product, length) = (self.len(), out.len());
        if product != length {
            return Err(ValidationError::ShapeDataLengthMismatch {
                op: "copy_into",
                product,
                length,
            }
            .into());
        }
        match self.dense() {
            Some(elements) => out.clone_from_slice(elements),
            None => gather_into(self.data, &self.layout, out),
        }
        Ok(())
    }

    /// A row-major copy.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`]: a broadcast view can be larger than memory.
    pub fn to_contiguous(&self) -> Result<TypedTensor<T, R>>
    where
        T: Clone,
    {
        Ok(TypedTensor::from_dense(
            self.layout.row_major_like(),
            self.to_vec()?,
        ))
    }

    /// Axis `a` of the result is axis `axes[a]` of this view.
    ///
    /// # Errors
    /// [`TensorError::Validation`] unless `axes` names every axis once.
    #[inline]
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        Ok(Self::trusted(self.data, self.layout.permute(axes)?))
    }

    /// The axes in reverse order.
    #[must_use]
    #[inline]
    pub fn transpose(&self) -> Self {
        let mut out = self.clone();
        out.layout.transpose_in_place();
        out
    }

    /// The elements that `specs` take, one spec per leading axis; see [`SliceSpec`].
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there are more specs than axes or a step is 0.
    #[inline]
    pub fn slice(&self, specs: &[SliceSpec]) -> Result<Self> {
        let mut out = self.clone();
        out.layout.slice_in_place(specs)?;
        Ok(out)
    }

    /// The elements that `spec` takes of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or the step is 0.
    pub fn slice_axis(&self, axis: usize, spec: SliceSpec) -> Result<Self> {
        Ok(Self::trusted(
            self.data,
            self.layout.slice_axis(axis, spec)?,
        ))
    }

    /// The elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the axis or the index does not exist.
    #[inline]
    pub fn index_axis(&self, axis: usize, index: usize) -> Result<TypedTensorView<'a, T>> {
        Ok(TypedTensorView::trusted(
            self.data,
            self.layout.index_axis(axis, index)?,
        ))
    }

    /// The same elements, in row-major logical order, with another shape.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the element count differs, or if only a copy could do it: `to_contiguous()` first.
    #[inline]
    pub fn reshape(&self, shape: impl AsRef<[usize]>) -> Result<TypedTensorView<'a, T>> {
        self.reshape_as(shape)
    }

    /// As [`TypedTensorView::reshape`], with the rank of the result chosen by the caller.
    ///
    /// # Errors
    /// As [`TypedTensorView::reshape`], and if the shape has another rank.
    #[inline]
    pub fn reshape_as<R2: TensorRank>(
        &self,
        shape: impl IntoRankShape<R2>,
    ) -> Result<TypedTensorView<'a, T, R2>> {
        Ok(TypedTensorView::trusted(
            self.data,
            self.layout.reshape_as(shape)?,
        ))
    }

    /// The view repeated to `shape` by numpy's rules, with stride 0.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shapes do not broadcast.
    #[inline]
    pub fn broadcast_to(&self, shape: impl AsRef<[usize]>) -> Result<TypedTensorView<'a, T>> {
        self.broadcast_to_as(shape)
    }

    /// As [`TypedTensorView::broadcast_to`], with the rank of the result chosen by the caller.
    ///
    /// # Errors
    /// As [`TypedTensorView::broadcast_to`], and if the shape has another rank.
    #[inline]
    pub fn broadcast_to_as<R2: TensorRank>(
        &self,
        shape: impl IntoRankShape<R2>,
    ) -> Result<TypedTensorView<'a, T, R2>> {
        Ok(TypedTensorView::trusted(
            self.data,
            self.layout.broadcast_to_as(shape)?,
        ))
    }

    /// A new axis of extent 1 in front of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if `axis` is above the rank.
    pub fn insert_axis(&self, axis: usize) -> Result<TypedTensorView<'a, T>> {
        Ok(TypedTensorView::trusted(
            self.data,
            self.layout.insert_axis(axis)?,
        ))
    }

    /// The view without axis `axis`, which has extent 1.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or its extent is not 1.
    pub fn remove_axis(&self, axis: usize) -> Result<TypedTensorView<'a, T>> {
        Ok(TypedTensorView::trusted(
            self.data,
            self.layout.remove_axis(axis)?,
        ))
    }

    /// The same view with rank `N`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the rank differs.
    pub fn to_rank<const N: usize>(&self) -> Result<TypedTensorView<'a, T, Rank<N>>> {
        Ok(TypedTensorView::trusted(self.data, self.layout.to_rank()?))
    }

    /// The same view with its rank known only when running.
    #[must_use]
    pub fn into_dyn_rank(self) -> TypedTensorView<'a, T> {
        TypedTensorView::trusted(self.data, self.layout.into_dynamic())
    }
}

/// Metadata only.
impl<T, R: TensorRank> fmt::Debug for TypedTensorView<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedTensorView")
            .field("element", &std::any::type_name::<T>())
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.layout.offset())
            .finish()
    }
}
