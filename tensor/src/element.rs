//! The preset element types, as the storage layer sees them.
//!
//! [`TensorElement`] adds to [`TensorScalar`] what erased tensors need: the way into and out of the payload enums, bytes,
//! and numbers for cast, printing and summaries. It is sealed; exactly the fifteen presets implement it.

use tensor_core::{Complex32, Complex64, TensorScalar, bf16, f16};

/// A preset element type: what a [`Tensor`](crate::Tensor) can hold. Sealed.
pub trait TensorElement:
    TensorScalar + Default + PartialEq + std::fmt::Debug + sealed::Hooks
{
}

/// The value of any preset element, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Any integer; a bool is 0 or 1.
    Int(i128),
    /// Any real float.
    Float(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
}

pub(crate) mod sealed {
    use crate::payload::{Payload, ViewMutPayload, ViewPayload};
    use crate::{TypedTensor, TypedTensorView, TypedTensorViewMut};

    /// Ways into and out of the payload enums.
    pub trait Hooks: Sized + super::Encode {
        fn wrap(tensor: TypedTensor<Self>) -> Payload;
        fn peek(payload: &Payload) -> Option<&TypedTensor<Self>>;
        fn peek_mut(payload: &mut Payload) -> Option<&mut TypedTensor<Self>>;
        #[expect(
            clippy::result_large_err,
            reason = "moved once, straight into the box of a `ReinterpretError`"
        )]
        fn unwrap(payload: Payload) -> Result<TypedTensor<Self>, Payload>;
        fn wrap_view(view: TypedTensorView<'_, Self>) -> ViewPayload<'_>;
        fn peek_view<'s, 'a>(payload: &'s ViewPayload<'a>)
        -> Option<&'s TypedTensorView<'a, Self>>;
        fn wrap_view_mut(view: TypedTensorViewMut<'_, Self>) -> ViewMutPayload<'_>;
        fn peek_view_mut<'s, 'a>(
            payload: &'s mut ViewMutPayload<'a>,
        ) -> Option<&'s mut TypedTensorViewMut<'a, Self>>;
    }
}

/// One element as bytes, as a number and as text.
pub trait Encode: Copy {
    /// The exact value.
    fn number(self) -> Number;
    /// The nearest value: integers truncate toward zero and saturate with NaN to 0, floats round once, bool is `!= 0`.
    /// A real type takes the real part; `cast` refuses that before it gets here.
    fn from_number(number: Number) -> Self;
    /// The element of `size_of::<Self>()` little-endian bytes.
    fn read_le(bytes: &[u8]) -> Self;
    /// Appends the element's little-endian bytes.
    fn write_le(self, out: &mut Vec<u8>);
    /// The shortest decimal text that reads back as this value.
    fn decimal(self) -> String;
    /// The shortest text with an exponent.
    fn scientific(self) -> String;
}

/// The first `N` bytes of an element that the caller has cut to size.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(bytes);
    out
}

macro_rules! encode_integers {
    ($($Type:ty)+) => {$(
        impl Encode for $Type {
            fn number(self) -> Number {
                Number::Int(i128::from(self))
            }
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Int(value) => value.clamp(i128::from(Self::MIN), i128::from(Self::MAX)) as Self,
                    // A float-to-integer `as` truncates, saturates and takes NaN to 0.
                    Number::Float(value) | Number::Complex(value, _) => value as Self,
                }
            }
            fn read_le(bytes: &[u8]) -> Self {
                Self::from_le_bytes(array(bytes))
            }
            fn write_le(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn decimal(self) -> String {
                self.to_string()
            }
            fn scientific(self) -> String {
                self.to_string()
            }
        }
    )+};
}

encode_integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Encode for bool {
    fn number(self) -> Number {
        Number::Int(i128::from(self))
    }
    fn from_number(number: Number) -> Self {
        match number {
            Number::Int(value) => value != 0,
            Number::Float(value) => value != 0.0,
            Number::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }
    fn read_le(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|&byte| byte != 0)
    }
    fn write_le(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }
    fn decimal(self) -> String {
        self.to_string()
    }
    fn scientific(self) -> String {
        self.to_string()
    }
}

/// `value` as an f64 that rounds to any float of at most 50 significant bits as `value` itself would.
///
/// Bits below the 53 that an f64 holds are folded into its lowest bit ("round to odd"), so that a second rounding, to
/// `bf16` say, sees on which side of a tie the value lies.
fn int_to_f64_sticky(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let sticky = u128::from(magnitude != kept << excess);
    // At most 53 bits and a power of two: both exact.
    let rounded = (kept | sticky) as f64 * (1_u128 << excess) as f64;
    if value < 0 { -rounded } else { rounded }
}

/// `value` as an f32 that rounds to a 16-bit float as `value` itself would, by the same "round to odd".
///
/// `half` converts an f64 without looking at its low 32 bits, so ties must be told apart before.
fn f64_to_f32_sticky(value: f64) -> f32 {
    let nearest = value as f32;
    if nearest.is_infinite() || nearest.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    let beyond = f64::from(nearest).abs() > value.abs();
    // One step down in the bits is one step toward zero.
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

macro_rules! encode_floats {
    ($($Type:ty, $from_int:expr, $from_float:expr, $to_f64:expr;)+) => {$(
        impl Encode for $Type {
            fn number(self) -> Number {
                Number::Float($to_f64(self))
            }
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Int(value) => $from_int(value),
                    Number::Float(value) | Number::Complex(value, _) => $from_float(value),
                }
            }
            fn read_le(bytes: &[u8]) -> Self {
                Self::from_le_bytes(array(bytes))
            }
            fn write_le(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn decimal(self) -> String {
                self.to_string()
            }
            fn scientific(self) -> String {
                format!("{self:e}")
            }
        }
    )+};
}

encode_floats! {
    f32, |v: i128| v as f32, |v: f64| v as f32, f64::from;
    f64, |v: i128| v as f64, |v: f64| v, |v: f64| v;
    f16, |v| f16::from_f32(f64_to_f32_sticky(int_to_f64_sticky(v))), |v| f16::from_f32(f64_to_f32_sticky(v)), f64::from;
    bf16, |v| bf16::from_f32(f64_to_f32_sticky(int_to_f64_sticky(v))), |v| bf16::from_f32(f64_to_f32_sticky(v)), f64::from;
}

macro_rules! encode_complex {
    ($($Type:ident, $Real:ty;)+) => {$(
        impl Encode for $Type {
            fn number(self) -> Number {
                Number::Complex(f64::from(self.re), f64::from(self.im))
            }
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Complex(re, im) => $Type::new(re as $Real, im as $Real),
                    real => $Type::new(<$Real>::from_number(real), 0.0),
                }
            }
            fn read_le(bytes: &[u8]) -> Self {
                let (re, im) = bytes.split_at(size_of::<$Real>());
                $Type::new(<$Real>::read_le(re), <$Real>::read_le(im))
            }
            fn write_le(self, out: &mut Vec<u8>) {
                self.re.write_le(out);
                self.im.write_le(out);
            }
            fn decimal(self) -> String {
                format!("{}{:+}j", self.re, self.im)
            }
            fn scientific(self) -> String {
                format!("{:e}{:+e}j", self.re, self.im)
            }
        }
    )+};
}

encode_complex! {
    Complex32, f32;
    Complex64, f64;
}
