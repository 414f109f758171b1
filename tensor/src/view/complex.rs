//! Complex numbers seen as pairs of real ones, and back, without a copy.
//!
//! The two parts are a new **last** axis of extent 2 and stride 1: index 0 is the real part. A complex number is stored as
//! these two numbers, and needs no stricter alignment than they do, so only the layout can refuse.

#[cfg(test)]
mod tests;

use bytemuck::Pod;
use num_complex::Complex;
use tensor_core::{DynRank, TensorLayout, TensorRank, TensorScalar};

use super::{TensorView, TensorViewMut, TypedTensorView, TypedTensorViewMut, ViewError};
use crate::payload::{ViewMutPayload, ViewPayload};
use crate::{Result, TensorError};

/// What the real and the imaginary part of a complex number can be: `f32` or `f64`. Sealed.
pub trait RealPart: Pod + TensorScalar {}

impl RealPart for f32 {}
impl RealPart for f64 {}

/// What has real and imaginary parts.
pub(crate) const COMPLEX: &str = "c32 or c64";
/// What real and imaginary parts can be.
pub(crate) const REAL: &str = "f32 or f64";

/// The layout of the parts of complex numbers.
pub(crate) fn real_layout<R: TensorRank>(
    op: &'static str,
    layout: &TensorLayout<R>,
) -> Result<TensorLayout<DynRank>> {
    layout
        .split_elements(2)
        .map_err(TensorError::from_validation(op))
}

/// The layout of the complex numbers whose parts are on the last axis.
pub(crate) fn complex_layout<R: TensorRank>(
    op: &'static str,
    layout: &TensorLayout<R>,
) -> Result<TensorLayout<DynRank>> {
    if layout.shape().last() != Some(&2) {
        let shape = layout.shape().into();
        return Err(ViewError::NotPairs { op, shape }.into());
    }
    layout
        .join_elements(2)
        .ok_or_else(|| layout.non_contiguous(op).into())
}

/// As many numbers as make whole pairs.
fn whole_pairs(len: usize) -> usize {
    len - len % 2
}

impl<'a, F: RealPart, R: TensorRank> TypedTensorView<'a, Complex<F>, R> {
    /// The real and imaginary parts, as a view of shape `[.., 2]`; copies nothing.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if a broadcast view has too many parts to count.
    ///
    /// ```
    /// use tensor::{Complex64, TypedTensorView};
    /// let data = [Complex64::new(1., 2.), Complex64::new(3., 4.)];
    /// let view = TypedTensorView::<Complex64>::from_slice([2], &data)?;
    /// let parts = view.as_real_view()?;
    /// assert_eq!((parts.shape(), parts.as_slice()?), (&[2, 2][..], &[1., 2., 3., 4.][..]));
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    pub fn as_real_view(&self) -> Result<TypedTensorView<'a, F>> {
        let layout = real_layout("as_real_view", &self.layout)?;
        Ok(TypedTensorView::trusted(
            bytemuck::cast_slice(self.data),
            layout,
        ))
    }
}

impl<'a, F: RealPart, R: TensorRank> TypedTensorView<'a, F, R> {
    /// The complex numbers whose real and imaginary parts are on the last axis; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::NotPairs`] unless the last extent is 2;
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) unless its stride is 1 and the other
    /// strides and the offset are even: copy with `to_contiguous()`.
    pub fn as_complex_view(&self) -> Result<TypedTensorView<'a, Complex<F>>> {
        let layout = complex_layout("as_complex_view", &self.layout)?;
        let pairs = &self.data[..whole_pairs(self.data.len())];
        Ok(TypedTensorView::trusted(
            bytemuck::cast_slice(pairs),
            layout,
        ))
    }
}

impl<F: RealPart, R: TensorRank> TypedTensorViewMut<'_, Complex<F>, R> {
    /// The real and imaginary parts, as a view of shape `[.., 2]` that can be written; copies nothing.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the layout is one of those whose parts can't be proved to be free of overlap.
    pub fn as_real_view_mut(&mut self) -> Result<TypedTensorViewMut<'_, F>> {
        const OP: &str = "as_real_view_mut";
        let layout = real_layout(OP, self.layout())?;
        // Twice the elements may be more than are counted one by one, where the strides alone prove nothing.
        layout
            .validate_mutable_no_overlap()
            .map_err(TensorError::from_validation(OP))?;
        Ok(TypedTensorViewMut::trusted(
            bytemuck::cast_slice_mut(self.storage_mut()),
            layout,
        ))
    }
}

impl<F: RealPart, R: TensorRank> TypedTensorViewMut<'_, F, R> {
    /// The complex numbers whose real and imaginary parts are on the last axis, to be written; copies nothing.
    ///
    /// # Errors
    /// As [`TypedTensorView::as_complex_view`].
    pub fn as_complex_view_mut(&mut self) -> Result<TypedTensorViewMut<'_, Complex<F>>> {
        let layout = complex_layout("as_complex_view_mut", self.layout())?;
        let data = self.storage_mut();
        let pairs = whole_pairs(data.len());
        Ok(TypedTensorViewMut::trusted(
            bytemuck::cast_slice_mut(&mut data[..pairs]),
            layout,
        ))
    }
}

impl<'a> TensorView<'a> {
    /// The real and imaginary parts, as a view of shape `[.., 2]`; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::WrongDType`] unless the elements are complex, else as [`TypedTensorView::as_real_view`].
    pub fn as_real_view(&self) -> Result<TensorView<'a>> {
        match self.payload() {
            ViewPayload::C32(view) => Ok(view.as_real_view()?.into()),
            ViewPayload::C64(view) => Ok(view.as_real_view()?.into()),
            _ => Err(ViewError::WrongDType {
                op: "as_real_view",
                dtype: self.dtype(),
                wanted: COMPLEX,
            }
            .into()),
        }
    }

    /// The complex numbers whose real and imaginary parts are on the last axis; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::WrongDType`] unless the elements are `f32` or `f64`, else as [`TypedTensorView::as_complex_view`].
    pub fn as_complex_view(&self) -> Result<TensorView<'a>> {
        match self.payload() {
            ViewPayload::F32(view) => Ok(view.as_complex_view()?.into()),
            ViewPayload::F64(view) => Ok(view.as_complex_view()?.into()),
            _ => Err(ViewError::WrongDType {
                op: "as_complex_view",
                dtype: self.dtype(),
                wanted: REAL,
            }
            .into()),
        }
    }
}

impl TensorViewMut<'_> {
    /// The real and imaginary parts, as a view of shape `[.., 2]` that can be written; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::WrongDType`] unless the elements are complex, else as [`TypedTensorViewMut::as_real_view_mut`].
    pub fn as_real_view_mut(&mut self) -> Result<TensorViewMut<'_>> {
        let dtype = self.dtype();
        match self.payload_mut() {
            ViewMutPayload::C32(view) => Ok(view.as_real_view_mut()?.into()),
            ViewMutPayload::C64(view) => Ok(view.as_real_view_mut()?.into()),
            _ => Err(ViewError::WrongDType {
                op: "as_real_view_mut",
                dtype,
                wanted: COMPLEX,
            }
            .into()),
        }
    }

    /// The complex numbers whose real and imaginary parts are on the last axis, to be written; copies nothing.
    ///
    /// # Errors
    /// [`ViewError::WrongDType`] unless the elements are `f32` or `f64`, else as [`TypedTensorView::as_complex_view`].
    pub fn as_complex_view_mut(&mut self) -> Result<TensorViewMut<'_>> {
        let dtype = self.dtype();
        match self.payload_mut() {
            ViewMutPayload::F32(view) => Ok(view.as_complex_view_mut()?.into()),
            ViewMutPayload::F64(view) => Ok(view.as_complex_view_mut()?.into()),
            _ => Err(ViewError::WrongDType {
                op: "as_complex_view_mut",
                dtype,
                wanted: REAL,
            }
            .into()),
        }
    }
}
