//! [`TensorView`]: a borrowed view whose element type is known when running.

use std::fmt;

use tensor_core::{DType, DynRank, ExternalScalar, IntoRankShape, SliceSpec, TensorLayout};

use super::TypedTensorView;
use crate::external::ExternalView;
use crate::payload::{ViewPayload, each_preset};
use crate::{Result, Tensor, TensorElement, TensorError};

/// A borrowed view of any dtype and any layout.
///
/// Executors reach the elements with [`TensorView::as_typed`], whose result has
/// [`storage`](TypedTensorView::storage) (the whole buffer) and [`layout`](TypedTensorView::layout).
#[derive(Clone)]
pub struct TensorView<'a> {
    payload: ViewPayload<'a>,
}

/// No elements: `f32` of shape `[0]`.
impl Default for TensorView<'_> {
    fn default() -> Self {
        TypedTensorView::<f32>::trusted(&[], TensorLayout::empty()).into()
    }
}

impl<'a, T: TensorElement> From<TypedTensorView<'a, T>> for TensorView<'a> {
    fn from(view: TypedTensorView<'a, T>) -> Self {
        Self {
            payload: T::wrap_view(view),
        }
    }
}

impl<'a> From<ExternalView<'a>> for TensorView<'a> {
    fn from(view: ExternalView<'a>) -> Self {
        Self {
            payload: ViewPayload::External(view),
        }
    }
}

impl<'a> TryFrom<&'a Tensor> for TensorView<'a> {
    type Error = TensorError;

    fn try_from(tensor: &'a Tensor) -> Result<Self> {
        tensor.view()
    }
}

impl<'a> TensorView<'a> {
    /// A view of the caller's memory, whose elements are listed with the last axis fastest.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's element count is not `data.len()`.
    pub fn from_slice<T: TensorElement>(
        shape: impl IntoRankShape<DynRank>,
        data: &'a [T],
    ) -> Result<Self> {
        TypedTensorView::from_slice(shape, data).map(Self::from)
    }

    /// A view of the caller's memory with any strides, in elements.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if an element lies outside `data`, or ranks differ.
    pub fn from_slice_strided<T: TensorElement>(
        shape: impl IntoRankShape<DynRank>,
        strides: &[isize],
        offset: usize,
        data: &'a [T],
    ) -> Result<Self> {
        TypedTensorView::from_slice_strided(shape, strides, offset, data).map(Self::from)
    }

    /// The same elements through a layout that was made from this view's, and so fits.
    pub(crate) fn with_layout(&self, layout: TensorLayout) -> Self {
        each_preset!(ViewPayload, &self.payload, view => TypedTensorView::trusted(view.storage(), layout).into(),
            external => external.with_layout(layout).into())
    }

    pub(crate) fn payload(&self) -> &ViewPayload<'a> {
        &self.payload
    }

    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        fn tag<T: TensorElement>(_: &TypedTensorView<'_, T>) -> DType {
            T::dtype()
        }
        each_preset!(ViewPayload, &self.payload, view => tag(view), external => external.tensor().dtype())
    }

    /// Shape, strides and offset.
    #[must_use]
    pub fn layout(&self) -> &TensorLayout {
        each_preset!(ViewPayload, &self.payload, view => view.layout(), external => external.layout())
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout().shape()
    }

    /// The strides, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout().strides()
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout().rank()
    }

    /// The number of logical elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout().element_count()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout().is_empty()
    }

    /// The typed view inside, if its elements are of type `T`.
    #[must_use]
    pub fn as_typed<T: TensorElement>(&self) -> Option<&TypedTensorView<'a, T>> {
        T::peek_view(&self.payload)
    }

    /// The view with its type, if its elements are the external scalar `U`.
    #[must_use]
    pub fn as_external<U: ExternalScalar>(&self) -> Option<TypedTensorView<'a, U>> {
        match &self.payload {
            ViewPayload::External(view) => view.typed(),
            _ => None,
        }
    }

    /// The typed view inside.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`].
    pub fn typed<T: TensorElement>(&self) -> Result<&TypedTensorView<'a, T>> {
        self.typed_for("typed")
    }

    fn typed_for<T: TensorElement>(&self, op: &'static str) -> Result<&TypedTensorView<'a, T>> {
        let error = || TensorError::DTypeMismatch {
            op,
            expected: T::dtype(),
            actual: self.dtype(),
        };
        self.as_typed().ok_or_else(error)
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`], or
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) if they do not lie so.
    pub fn as_slice<T: TensorElement>(&self) -> Result<&'a [T]> {
        self.typed_for("as_slice")?.as_slice()
    }

    /// The element at `index`.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`], or [`TensorError::Validation`] if the index does not exist.
    pub fn get<T: TensorElement>(&self, index: &[usize]) -> Result<T> {
        self.typed_for("get")?.get(index).copied()
    }

    /// A copy of the elements in row-major logical order.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`] or [`TensorError::OutOfMemory`].
    pub fn to_vec<T: TensorElement>(&self) -> Result<Vec<T>> {
        self.typed_for("to_vec")?.to_vec()
    }

    /// A row-major copy.
    ///
    /// # Errors
    /// [`TensorError::OutOfMemory`]: a broadcast view can be larger than memory.
    pub fn to_contiguous(&self) -> Result<Tensor> {
        each_preset!(ViewPayload, &self.payload, view => Ok(view.to_contiguous()?.into()),
            external => Ok(Tensor::from_erased(external.tensor().gather(external.layout())?)))
    }

    /// Axis `a` of the result is axis `axes[a]` of this view.
    ///
    /// # Errors
    /// [`TensorError::Validation`] unless `axes` names every axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        Ok(self.with_layout(self.layout().permute(axes)?))
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transpose(&self) -> Self {
        self.with_layout(self.layout().transpose())
    }

    /// The elements that `specs` take, one spec per leading axis; see [`SliceSpec`].
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there are more specs than axes or a step is 0.
    pub fn slice(&self, specs: &[SliceSpec]) -> Result<Self> {
        Ok(self.with_layout(self.layout().slice(specs)?))
    }

    /// The elements that `spec` takes of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or the step is 0.
    pub fn slice_axis(&self, axis: usize, spec: SliceSpec) -> Result<Self> {
        Ok(self.with_layout(self.layout().slice_axis(axis, spec)?))
    }

    /// The elements at `index` of axis `axis`; that axis is gone from the result.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the axis or the index does not exist.
    pub fn index_axis(&self, axis: usize, index: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout().index_axis(axis, index)?))
    }

    /// The same elements, in row-major logical order, with another shape.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the element count differs, or if only a copy could do it: `to_contiguous()` first.
    pub fn reshape(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        Ok(self.with_layout(self.layout().reshape(shape)?))
    }

    /// The view repeated to `shape` by numpy's rules, with stride 0.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shapes do not broadcast.
    pub fn broadcast_to(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        Ok(self.with_layout(self.layout().broadcast_to(shape)?))
    }

    /// A new axis of extent 1 in front of axis `axis`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if `axis` is above the rank.
    pub fn insert_axis(&self, axis: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout().insert_axis(axis)?))
    }

    /// The view without axis `axis`, which has extent 1.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or its extent is not 1.
    pub fn remove_axis(&self, axis: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout().remove_axis(axis)?))
    }

    /// The elements with index below `index` on `axis`, and the others.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if there is no such axis or `index` is above its extent.
    pub fn split_at(&self, axis: usize, index: usize) -> Result<(Self, Self)> {
        let (low, high) = self.layout().split_at(axis, index)?;
        Ok((self.with_layout(low), self.with_layout(high)))
    }
}

/// Metadata only: `Display` prints values.
impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorView")
            .field("dtype", &self.dtype())
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.layout().offset())
            .finish()
    }
}
