//! [`TensorViewMut`]: a borrowed view that can be written, whose element type is known when running.

use std::fmt;

use tensor_core::{DType, DynRank, IntoRankShape, TensorLayout};

use super::{TensorView, TypedTensorViewMut};
use crate::payload::{ViewMutPayload, ViewPayload, each_preset};
use crate::{Result, Tensor, TensorElement, TensorError};

/// A borrowed view of any preset dtype that can be written; it reaches no element by two indices.
pub struct TensorViewMut<'a> {
    payload: ViewMutPayload<'a>,
}

impl<'a, T: TensorElement> From<TypedTensorViewMut<'a, T>> for TensorViewMut<'a> {
    fn from(view: TypedTensorViewMut<'a, T>) -> Self {
        Self {
            payload: T::wrap_view_mut(view),
        }
    }
}

impl<'a> TryFrom<&'a mut Tensor> for TensorViewMut<'a> {
    type Error = TensorError;

    fn try_from(tensor: &'a mut Tensor) -> Result<Self> {
        tensor.view_mut()
    }
}

impl<'a> TensorViewMut<'a> {
    /// A view of the caller's memory, whose elements are listed with the last axis fastest.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's element count is not `data.len()`.
    pub fn from_slice<T: TensorElement>(
        shape: impl IntoRankShape<DynRank>,
        data: &'a mut [T],
    ) -> Result<Self> {
        TypedTensorViewMut::from_slice(shape, data).map(Self::from)
    }

    /// The same elements through a layout that fits the buffer and reaches no element twice.
    pub(crate) fn with_layout(self, layout: TensorLayout) -> Self {
        each_preset!(ViewMutPayload, self.payload, view => TypedTensorViewMut::trusted(view.into_storage(), layout).into())
    }

    pub(crate) fn payload_mut(&mut self) -> &mut ViewMutPayload<'a> {
        &mut self.payload
    }

    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        fn tag<T: TensorElement>(_: &TypedTensorViewMut<'_, T>) -> DType {
            T::dtype()
        }
        each_preset!(ViewMutPayload, &self.payload, view => tag(view))
    }

    /// Shape, strides and offset.
    #[must_use]
    pub fn layout(&self) -> &TensorLayout {
        each_preset!(ViewMutPayload, &self.payload, view => view.layout())
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout().shape()
    }

    /// The typed view inside, if its elements are of type `T`.
    #[must_use]
    pub fn as_typed_mut<T: TensorElement>(&mut self) -> Option<&mut TypedTensorViewMut<'a, T>> {
        T::peek_view_mut(&mut self.payload)
    }

    /// The elements in row-major order, to be written.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`], or
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) if they do not lie so.
    pub fn as_mut_slice<T: TensorElement>(&mut self) -> Result<&mut [T]> {
        let error = TensorError::DTypeMismatch {
            op: "as_mut_slice",
            expected: T::dtype(),
            actual: self.dtype(),
        };
        self.as_typed_mut().ok_or(error)?.as_mut_slice()
    }

    /// The same view, read only.
    #[must_use]
    pub fn as_view(&self) -> TensorView<'_> {
        each_preset!(ViewMutPayload, &self.payload, view => view.as_view().into())
    }

    /// Copies the elements of `source`, which has the same dtype and shape.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`], or [`TensorError::Validation`] if the shapes differ.
    pub fn copy_from(&mut self, source: &TensorView<'_>) -> Result<()> {
        let actual = self.dtype();
        each_preset!(ViewPayload, source.payload(), view => {
            let expected = source.dtype();
            let error = TensorError::DTypeMismatch { op: "copy_from", expected, actual };
            self.as_typed_mut().ok_or(error)?.copy_from(view)
        }, _external => Err(TensorError::UnsupportedDType { op: "copy_from", dtype: source.dtype() }))
    }
}

/// Metadata only.
impl fmt::Debug for TensorViewMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorViewMut")
            .field("dtype", &self.dtype())
            .field("shape", &self.shape())
            .field("strides", &self.layout().strides())
            .finish()
    }
}
