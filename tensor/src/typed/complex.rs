//! Owned complex tensors that become tensors of their parts, and back; the buffer stays where it is.

use bytemuck::allocation::try_cast_vec;
use num_complex::Complex;
use tensor_core::{DynRank, TensorRank};

use super::TypedTensor;
use crate::storage::{Dynamic, Host, HostStorage};
use crate::view::{RealPart, ViewError, complex_layout, real_layout};
use crate::{ReinterpretError, Result};

impl<F: RealPart, R: TensorRank> TypedTensor<Complex<F>, R, Host> {
    /// The real and imaginary parts, on a new last axis; copies nothing. The other axes keep their order in memory.
    ///
    /// # Errors
    /// The tensor itself, if there are too many parts to count.
    pub fn into_real(self) -> Result<TypedTensor<F, DynRank, Host>, ReinterpretError<Self>> {
        let layout = match real_layout("TypedTensor::into_real", self.layout()) {
            Ok(layout) => layout,
            Err(error) => return Err(ReinterpretError::new(self, error)),
        };
        Ok(TypedTensor {
            layout,
            storage: HostStorage::new(bytemuck::allocation::cast_vec(self.storage.into_vec())),
        })
    }
}

impl<F: RealPart, R: TensorRank> TypedTensor<F, R, Host> {
    /// The complex numbers whose real and imaginary parts are on the last axis; copies nothing.
    ///
    /// # Errors
    /// The tensor itself, with the causes of [`as_complex_view`](crate::TypedTensorView::as_complex_view), or
    /// [`ViewError::OddCapacity`] if the vector has room for half a complex number.
    pub fn into_complex(
        self,
    ) -> Result<TypedTensor<Complex<F>, DynRank, Host>, ReinterpretError<Self>> {
        const OP: &str = "TypedTensor::into_complex";
        let layout = match complex_layout(OP, self.layout()) {
            Ok(layout) => layout,
            Err(error) => return Err(ReinterpretError::new(self, error)),
        };
        match try_cast_vec(self.storage.into_vec()) {
            Ok(data) => Ok(TypedTensor {
                layout,
                storage: HostStorage::new(data),
            }),
            Err((_, data)) => {
                let capacity = data.capacity();
                let owner = Self {
                    layout: self.layout,
                    storage: HostStorage::new(data),
                };
                let error = ViewError::OddCapacity { op: OP, capacity };
                Err(ReinterpretError::new(owner, error))
            }
        }
    }
}

impl<F: RealPart, R: TensorRank> TypedTensor<Complex<F>, R, Dynamic> {
    /// The real and imaginary parts, on a new last axis; copies nothing. The other axes keep their order in memory.
    ///
    /// # Errors
    /// The tensor itself, if it is not plain host memory or there are too many parts to count.
    pub fn into_real(self) -> Result<TypedTensor<F, DynRank, Dynamic>, ReinterpretError<Self>> {
        self.into_host()?
            .into_real()
            .map(TypedTensor::<_, _, Host>::into_dynamic)
            .map_err(|failed| failed.map_owner(TypedTensor::<_, _, Host>::into_dynamic))
    }
}

impl<F: RealPart, R: TensorRank> TypedTensor<F, R, Dynamic> {
    /// The complex numbers whose real and imaginary parts are on the last axis; copies nothing.
    ///
    /// # Errors
    /// The tensor itself, if it is not plain host memory, or with the causes of
    /// [`as_complex_view`](crate::TypedTensorView::as_complex_view), or with [`ViewError::OddCapacity`] if the vector has
    /// room for half a complex number.
    pub fn into_complex(
        self,
    ) -> Result<TypedTensor<Complex<F>, DynRank, Dynamic>, ReinterpretError<Self>> {
        self.into_host()?
            .into_complex()
            .map(TypedTensor::<_, _, Host>::into_dynamic)
            .map_err(|failed| failed.map_owner(TypedTensor::<_, _, Host>::into_dynamic))
    }
}
