//! [`Tensor`]: an owned tensor whose element type is known when running.
//!
//! It is a private enum with one variant per preset dtype, each a plain [`TypedTensor`], and one for scalars defined outside
//! this crate; `as_typed` is a match, never a pointer cast, and moving in or out moves fields only. Files: this one has the
//! type, constructors, metadata and access; `allocated` makes tensors in memory of an allocator; `convert` moves tensors in
//! and out; `bytes` reads and writes little-endian bytes.

mod allocated;
mod bytes;
mod complex;
mod convert;
#[cfg(test)]
mod tests;

use std::fmt;

use tensor_core::{DType, IntoRankShape, TensorLayout, dispatch_dtype};

use crate::external::ExternalView;
use crate::payload::{Payload, each_preset};
use crate::{
    DynRank, Placement, Result, TensorElement, TensorError, TensorView, TensorViewMut, TypedTensor,
};

/// An owned, move-only tensor of any dtype and any rank.
///
/// ```
/// use tensor::{DType, Tensor};
/// let t = Tensor::from_vec_row_major([2, 2], vec![1_i32, 2, 3, 4])?;
/// assert_eq!((t.dtype(), t.shape()), (DType::I32, &[2, 2][..]));
/// assert_eq!(t.cast(DType::F32)?.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), tensor::TensorError>(())
/// ```
pub struct Tensor {
    payload: Payload,
}

/// No elements, and no memory: `f32` of shape `[0]`.
impl Default for Tensor {
    fn default() -> Self {
        TypedTensor::<f32>::from_dense(TensorLayout::empty(), Vec::new()).into()
    }
}

impl Tensor {
    /// A tensor whose elements are listed with the last axis fastest. Adopts the vector; nothing is copied.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape's element count is not `data.len()`.
    pub fn from_vec_row_major<T: TensorElement>(
        shape: impl IntoRankShape<DynRank>,
        data: Vec<T>,
    ) -> Result<Self> {
        TypedTensor::<T>::from_vec_row_major(shape, data).map(Self::from)
    }

    /// A tensor whose elements are listed with the first axis fastest. Adopts the vector; nothing is copied.
    ///
    /// # Errors
    /// As [`Tensor::from_vec_row_major`].
    pub fn from_vec_col_major<T: TensorElement>(
        shape: impl IntoRankShape<DynRank>,
        data: Vec<T>,
    ) -> Result<Self> {
        TypedTensor::<T>::from_vec_col_major(shape, data).map(Self::from)
    }

    /// A row-major tensor of zeros (`false` for bool).
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape overflows, [`TensorError::UnsupportedDType`] for an external scalar, or
    /// [`TensorError::OutOfMemory`].
    pub fn zeros(dtype: DType, shape: impl IntoRankShape<DynRank>) -> Result<Self> {
        dispatch_dtype!(dtype, T => TypedTensor::<T>::zeros(shape).map(Self::from),
            _id => Err(TensorError::UnsupportedDType { op: "zeros", dtype }))
    }

    /// A row-major tensor in which every element is `value`.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape overflows, or [`TensorError::OutOfMemory`].
    pub fn full<T: TensorElement>(shape: impl IntoRankShape<DynRank>, value: T) -> Result<Self> {
        TypedTensor::<T>::full(shape, value).map(Self::from)
    }

    /// A tensor of rank 0.
    #[must_use]
    pub fn scalar<T: TensorElement>(value: T) -> Self {
        TypedTensor::scalar(value).into()
    }

    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        fn tag<T: TensorElement>(_: &TypedTensor<T>) -> DType {
            T::dtype()
        }
        each_preset!(Payload, &self.payload, t => tag(t), external => external.dtype())
    }

    /// Shape, strides and offset.
    #[inline]
    #[must_use]
    pub fn layout(&self) -> &TensorLayout {
        each_preset!(Payload, &self.payload, t => t.layout(), external => external.layout())
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

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout().element_count()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout().is_empty()
    }

    /// Bytes of all elements.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let element_bytes = match &self.payload {
            Payload::External(external) => external.element_bytes(),
            _ => self.dtype().size_bytes(),
        };
        self.len() * element_bytes
    }

    /// Where the elements are: the kind of memory, the device, the cores close to it.
    #[must_use]
    pub fn placement(&self) -> Placement {
        each_preset!(Payload, &self.payload, t => t.placement(), external => external.placement())
    }

    /// Whether host code can read the elements where they are. If not, [`Tensor::to_host`] copies them.
    #[must_use]
    pub fn is_on_host(&self) -> bool {
        each_preset!(Payload, &self.payload, t => t.is_on_host(), _external => true)
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`], or
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) if memory has another order.
    pub fn as_slice<T: TensorElement>(&self) -> Result<&[T]> {
        self.as_typed()
            .ok_or_else(|| self.mismatch::<T>("as_slice"))?
            .as_slice()
    }

    /// The elements in row-major order, to be written.
    ///
    /// # Errors
    /// As [`Tensor::as_slice`].
    pub fn as_mut_slice<T: TensorElement>(&mut self) -> Result<&mut [T]> {
        let error = self.mismatch::<T>("as_mut_slice");
        self.as_typed_mut().ok_or(error)?.as_mut_slice()
    }

    /// A copy of the elements in row-major logical order, whatever the memory order.
    ///
    /// # Errors
    /// [`TensorError::DTypeMismatch`] or [`TensorError::OutOfMemory`].
    pub fn to_vec<T: TensorElement>(&self) -> Result<Vec<T>> {
        self.as_typed()
            .ok_or_else(|| self.mismatch::<T>("to_vec"))?
            .to_vec()
    }

    /// The whole tensor as a borrowed view; copies and allocates nothing.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`]: a view never moves data.
    pub fn view(&self) -> Result<TensorView<'_>> {
        each_preset!(Payload, &self.payload, t => Ok(t.as_view()?.into()),
            external => Ok(ExternalView::new(&**external).into()))
    }

    /// The whole tensor as a borrowed view that can be written.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`], [`TensorError::ReadOnly`], or [`TensorError::UnsupportedDType`] for an external scalar,
    /// which is written through its type: [`Tensor::as_external_mut`].
    pub fn view_mut(&mut self) -> Result<TensorViewMut<'_>> {
        each_preset!(Payload, &mut self.payload, t => Ok(t.as_view_mut()?.into()), external =>
            Err(TensorError::UnsupportedDType { op: "view_mut", dtype: external.dtype() }))
    }

    /// The elements converted to `dtype`, row-major; see [`TensorView::cast`].
    ///
    /// # Errors
    /// As [`TensorView::cast`], or [`TensorError::NotOnHost`].
    pub fn cast(&self, dtype: DType) -> Result<Self> {
        self.view()?.cast(dtype)
    }
}

/// Metadata only: `Display` prints values.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("dtype", &self.dtype())
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("placement", &format_args!("{}", self.placement()))
            .finish()
    }
}
