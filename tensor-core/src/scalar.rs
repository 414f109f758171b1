//! Traits of element types.
//!
//! [`Scalar`] is open: a crate outside implements it for its own number type, with [`ExternalScalar`] to give it a dtype and
//! [`ScalarArithmetic`] to give it sums and products. [`TensorScalar`] is sealed: exactly the presets of the [`DType`] table
//! implement it, so code may rely on the fifteen tags being all there is.

mod admission;
mod arithmetic;

pub use admission::{AdAdmissionError, ad_admission};
pub use arithmetic::ScalarArithmetic;

use std::fmt;

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::{DType, ExternalId};

/// What algebra a scalar supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarDomain {
    /// Addition and multiplication make sense; integers wrap and still count as a field.
    Field,
    /// No arithmetic, as for `bool`.
    NonField,
}

/// A type that can be the element of a tensor with arithmetic.
pub trait Scalar: Copy + Send + Sync + 'static {
    /// What algebra the type supports.
    const DOMAIN: ScalarDomain;
}

/// A scalar defined outside this crate: what makes it a dtype, so that a dynamic tensor can hold it.
///
/// ```
/// use tensor_core::{DType, ExternalId, ExternalScalar, Scalar, ScalarDomain};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Percent(u8);
///
/// impl Scalar for Percent {
///     const DOMAIN: ScalarDomain = ScalarDomain::NonField;
/// }
/// impl std::fmt::Display for Percent {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "{} %", self.0)
///     }
/// }
/// impl ExternalScalar for Percent {
///     const NAME: &'static str = "example.percent";
/// }
/// assert_eq!(Percent::DTYPE, DType::External(ExternalId::from_name("example.percent")));
/// ```
pub trait ExternalScalar: Scalar + PartialEq + fmt::Debug + fmt::Display {
    /// A name that no other scalar of the program has, such as `"tropical.max_plus"`.
    const NAME: &'static str;
    /// The dtype of tensors of this scalar.
    const DTYPE: DType = DType::External(ExternalId::from_name(Self::NAME));
}

/// A preset element type; sealed:
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Mine;
/// impl tensor_core::Scalar for Mine {
///     const DOMAIN: tensor_core::ScalarDomain = tensor_core::ScalarDomain::Field;
/// }
/// impl tensor_core::TensorScalar for Mine {
///     type Real = f32;
///     fn dtype() -> tensor_core::DType {
///         tensor_core::DType::F32
///     }
/// }
/// ```
pub trait TensorScalar: Scalar + sealed::Sealed {
    /// The real type of one component: `f32` for [`Complex32`], the type itself otherwise.
    type Real: TensorScalar;

    /// The tag of this type.
    fn dtype() -> DType;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! implement {
    ($($Type:ty => $Tag:ident, $Real:ty, $Domain:ident;)+) => {$(
        impl Scalar for $Type {
            const DOMAIN: ScalarDomain = ScalarDomain::$Domain;
        }
        impl sealed::Sealed for $Type {}
        impl TensorScalar for $Type {
            type Real = $Real;
            fn dtype() -> DType {
                DType::$Tag
            }
        }
    )+};
}

implement! {
    f32 => F32, f32, Field;
    f64 => F64, f64, Field;
    i32 => I32, i32, Field;
    i64 => I64, i64, Field;
    bool => Bool, bool, NonField;
    Complex32 => C32, f32, Field;
    Complex64 => C64, f64, Field;
    f16 => F16, f16, Field;
    bf16 => BF16, bf16, Field;
    i8 => I8, i8, Field;
    i16 => I16, i16, Field;
    u8 => U8, u8, Field;
    u16 => U16, u16, Field;
    u32 => U32, u32, Field;
    u64 => U64, u64, Field;
}
