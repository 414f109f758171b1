//! Tensors in and out of [`Tensor`], and copies of it. Moving changes fields only.

use std::any::Any;

use tensor_core::{DynRank, ExternalScalar};

use super::Tensor;
use crate::external::{self, ErasedTensor};
use crate::payload::{Payload, each_preset};
use crate::{
    Host, ReinterpretError, Result, SharedTensor, TensorElement, TensorError, TypedTensor,
};

impl<T: TensorElement> From<TypedTensor<T>> for Tensor {
    #[inline]
    fn from(tensor: TypedTensor<T>) -> Self {
        Self {
            payload: T::wrap(tensor),
        }
    }
}

impl Tensor {
    /// The same tensor with its element type known only when running; no element moves.
    #[must_use]
    pub fn from_typed<T: TensorElement>(tensor: TypedTensor<T>) -> Self {
        tensor.into()
    }

    /// The typed tensor inside, if its elements are of type `T`.
    #[must_use]
    pub fn as_typed<T: TensorElement>(&self) -> Option<&TypedTensor<T>> {
        T::peek(&self.payload)
    }

    /// The typed tensor inside, to be written, if its elements are of type `T`.
    #[must_use]
    pub fn as_typed_mut<T: TensorElement>(&mut self) -> Option<&mut TypedTensor<T>> {
        T::peek_mut(&mut self.payload)
    }

    /// The vector, whose elements are in row-major order; nothing is copied.
    ///
    /// # Errors
    /// The tensor itself, if its elements are of another type, memory has another order or a buffer owns it; `to_vec()`
    /// copies.
    pub fn into_vec<T: TensorElement>(self) -> Result<Vec<T>, ReinterpretError<Self>> {
        let typed = self.into_typed::<T>()?;
        typed
            .into_vec()
            .map_err(|failed| failed.map_owner(Self::from))
    }

    /// The vector, whose elements are in column-major order; nothing is copied.
    ///
    /// # Errors
    /// As [`Tensor::into_vec`].
    pub fn into_vec_col_major<T: TensorElement>(self) -> Result<Vec<T>, ReinterpretError<Self>> {
        let typed = self.into_typed::<T>()?;
        typed
            .into_vec_col_major()
            .map_err(|failed| failed.map_owner(Self::from))
    }

    /// The typed tensor inside; moves fields only.
    ///
    /// # Errors
    /// The tensor itself, with [`TensorError::DTypeMismatch`].
    pub fn into_typed<T: TensorElement>(self) -> Result<TypedTensor<T>, ReinterpretError<Self>> {
        let error = self.mismatch::<T>("Tensor::into_typed");
        T::unwrap(self.payload).map_err(|payload| ReinterpretError::new(Self { payload }, error))
    }

    pub(crate) fn mismatch<T: TensorElement>(&self, op: &'static str) -> TensorError {
        TensorError::DTypeMismatch {
            op,
            expected: T::dtype(),
            actual: self.dtype(),
        }
    }

    pub(crate) fn from_erased(tensor: Box<dyn ErasedTensor>) -> Self {
        Self {
            payload: Payload::External(tensor),
        }
    }

    /// A tensor of a scalar defined outside this crate; no element moves.
    ///
    /// ```
    /// # use tensor::{DType, ExternalScalar, Host, Scalar, ScalarDomain, Tensor, TypedTensor};
    /// # #[derive(Clone, Copy, Debug, PartialEq)]
    /// # struct Percent(u8);
    /// # impl Scalar for Percent {
    /// #     const DOMAIN: ScalarDomain = ScalarDomain::NonField;
    /// # }
    /// # impl std::fmt::Display for Percent {
    /// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    /// #         write!(f, "{} %", self.0)
    /// #     }
    /// # }
    /// impl ExternalScalar for Percent {
    ///     const NAME: &'static str = "example.percent";
    /// }
    /// let shares = TypedTensor::from_host_vec_row_major([2], vec![Percent(30), Percent(70)])?;
    /// let t = Tensor::external(shares);
    /// assert_eq!(t.dtype(), Percent::DTYPE);
    /// assert_eq!(t.to_string(), format!("[30 % 70 %] {}[2]", Percent::DTYPE));
    /// assert_eq!(t.as_external::<Percent>().unwrap()[&[1][..]], Percent(70));
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    #[must_use]
    pub fn external<U: ExternalScalar>(tensor: TypedTensor<U, DynRank, Host>) -> Self {
        Self::from_erased(Box::new(tensor))
    }

    /// The tensor inside, if its elements are the external scalar `U`.
    #[must_use]
    pub fn as_external<U: ExternalScalar>(&self) -> Option<&TypedTensor<U, DynRank, Host>> {
        match &self.payload {
            Payload::External(tensor) => (&**tensor as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// The tensor inside, to be written, if its elements are the external scalar `U`.
    #[must_use]
    pub fn as_external_mut<U: ExternalScalar>(
        &mut self,
    ) -> Option<&mut TypedTensor<U, DynRank, Host>> {
        match &mut self.payload {
            Payload::External(tensor) => (&mut **tensor as &mut dyn Any).downcast_mut(),
            _ => None,
        }
    }

    /// The tensor inside, if its elements are the external scalar `U`; no element moves.
    ///
    /// # Errors
    /// The tensor itself, with [`TensorError::DTypeMismatch`].
    pub fn into_external<U: ExternalScalar>(
        self,
    ) -> Result<TypedTensor<U, DynRank, Host>, ReinterpretError<Self>> {
        let error = TensorError::DTypeMismatch {
            op: "Tensor::into_external",
            expected: U::DTYPE,
            actual: self.dtype(),
        };
        match self.payload {
            Payload::External(tensor) => external::unbox(tensor)
                .map_err(|tensor| ReinterpretError::new(Self::from_erased(tensor), error)),
            payload => Err(ReinterpretError::new(Self { payload }, error)),
        }
    }

    /// The same tensor with many owners, who may each look at a part of it.
    #[must_use]
    pub fn into_shared(self) -> SharedTensor {
        self.into()
    }

    /// A copy in plain host memory, in the same memory order.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`] (use [`Tensor::to_host`] there) or [`TensorError::OutOfMemory`].
    pub fn duplicate(&self) -> Result<Self> {
        each_preset!(Payload, &self.payload, t => Ok(t.duplicate()?.into()),
            external => Ok(Self::from_erased(external.duplicate()?)))
    }

    /// A copy in plain host memory, in the same memory order, wherever the elements are: the explicit download.
    ///
    /// # Errors
    /// What the buffer reports, or [`TensorError::OutOfMemory`].
    pub fn to_host(&self) -> Result<Self> {
        each_preset!(Payload, &self.payload, t => Ok(t.to_host()?.into_dynamic().into()),
            _external => self.duplicate())
    }

    /// A row-major copy in plain host memory.
    ///
    /// # Errors
    /// [`TensorError::NotOnHost`] or [`TensorError::OutOfMemory`].
    pub fn to_contiguous(&self) -> Result<Self> {
        self.view()?.to_contiguous()
    }
}
