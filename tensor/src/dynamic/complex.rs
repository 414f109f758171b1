//! Dynamic complex tensors that become tensors of their parts, and back; the buffer stays where it is.

use tensor_core::{Complex32, Complex64, DType};

use super::Tensor;
use crate::view::{COMPLEX, REAL, ViewError};
use crate::{ReinterpretError, Result, TensorElement, TypedTensor};

/// Converts the typed tensor inside by `convert`; a failure gives back the whole tensor.
fn with_typed<S: TensorElement, T: TensorElement>(
    tensor: Tensor,
    convert: impl FnOnce(TypedTensor<S>) -> Result<TypedTensor<T>, ReinterpretError<TypedTensor<S>>>,
) -> Result<Tensor, ReinterpretError<Tensor>> {
    convert(tensor.into_typed::<S>()?)
        .map(Tensor::from)
        .map_err(|failed| failed.map_owner(Tensor::from))
}

impl Tensor {
    /// The real and imaginary parts, on a new last axis; copies nothing. The other axes keep their order in memory.
    ///
    /// # Errors
    /// The tensor itself, with [`ViewError::WrongDType`] unless the elements are complex, or with the causes of
    /// [`TypedTensor::into_real`].
    pub fn into_real(self) -> Result<Self, ReinterpretError<Self>> {
        match self.dtype() {
            DType::C32 => with_typed::<Complex32, f32>(self, |typed| typed.into_real()),
            DType::C64 => with_typed::<Complex64, f64>(self, |typed| typed.into_real()),
            dtype => {
                let (op, wanted) = ("Tensor::into_real", COMPLEX);
                let error = ViewError::WrongDType { op, dtype, wanted };
                Err(ReinterpretError::new(self, error))
            }
        }
    }

    /// The complex numbers whose real and imaginary parts are on the last axis; copies nothing.
    ///
    /// # Errors
    /// The tensor itself, with [`ViewError::WrongDType`] unless the elements are `f32` or `f64`, or with the causes of
    /// [`TypedTensor::into_complex`].
    pub fn into_complex(self) -> Result<Self, ReinterpretError<Self>> {
        match self.dtype() {
            DType::F32 => with_typed::<f32, Complex32>(self, |typed| typed.into_complex()),
            DType::F64 => with_typed::<f64, Complex64>(self, |typed| typed.into_complex()),
            dtype => {
                let (op, wanted) = ("Tensor::into_complex", REAL);
                let error = ViewError::WrongDType { op, dtype, wanted };
                Err(ReinterpretError::new(self, error))
            }
        }
    }
}
