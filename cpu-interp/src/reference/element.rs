//! Elements as bits, as exact values, and as numbers to compute with.
//!
//! [`Element`] is what a scalar register can hold: the real dtypes and bool. [`Real`] is what arithmetic is done on; it
//! says in which wider type. The macros [`each_element`] and [`each_real`] go from a dtype to the Rust type.

use tensor::{TensorElement, TensorView};
use tensor_core::{bf16, f16};

use super::number::Number;
use super::{Call, Result};

/// An element's value without loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exact {
    /// Any integer; a bool is 0 or 1.
    Int(i128),
    /// Any float.
    Float(f64),
}

/// An element of a real dtype or bool.
pub(super) trait Element: TensorElement {
    /// The bit pattern in the low bytes.
    fn pattern(self) -> u64;
    /// The element of this bit pattern.
    fn from_pattern(bits: u64) -> Self;
    /// The value.
    fn exact(self) -> Exact;
    /// `value` by the rules of a cast: floats round once; integers truncate toward zero and saturate, NaN gives 0; bool is
    /// `value != 0`.
    fn from_exact(value: Exact) -> Self;
}

/// An element that numbers are computed with.
pub(super) trait Real: Element {
    /// The type that formulas are computed in: `f64` for floats, the integer itself otherwise.
    type Wide: Number;
    /// The same value.
    fn widen(self) -> Self::Wide;
    /// The value rounded once.
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! integers {
    ($($Type:ty, $Bits:ty;)+) => {$(
        impl Element for $Type {
            fn pattern(self) -> u64 {
                u64::from(self as $Bits)
            }
            fn from_pattern(bits: u64) -> Self {
                bits as $Type
            }
            fn exact(self) -> Exact {
                Exact::Int(self.into())
            }
            fn from_exact(value: Exact) -> Self {
                match value {
                    Exact::Int(v) => v.clamp(<$Type>::MIN.into(), <$Type>::MAX.into()) as $Type,
                    // `as` truncates, saturates and takes NaN to 0.
                    Exact::Float(v) => v as $Type,
                }
            }
        }
        impl Real for $Type {
            type Wide = $Type;
            fn widen(self) -> $Type {
                self
            }
            fn narrow(wide: $Type) -> Self {
                wide
            }
        }
    )+};
}

integers! {
    i8, u8; i16, u16; i32, u32; i64, u64;
    u8, u8; u16, u16; u32, u32; u64, u64;
}

macro_rules! floats {
    ($($Type:ty, $from_int:expr, $from_float:expr;)+) => {$(
        impl Element for $Type {
            fn pattern(self) -> u64 {
                self.to_bits().into()
            }
            fn from_pattern(bits: u64) -> Self {
                <$Type>::from_bits(bits as _)
            }
            fn exact(self) -> Exact {
                Exact::Float(self.into())
            }
            fn from_exact(value: Exact) -> Self {
                match value {
                    Exact::Int(v) => $from_int(v),
                    Exact::Float(v) => $from_float(v),
                }
            }
        }
        impl Real for $Type {
            type Wide = f64;
            fn widen(self) -> f64 {
                self.into()
            }
            fn narrow(wide: f64) -> Self {
                $from_float(wide)
            }
        }
    )+};
}

floats! {
    f32, |v| v as f32, |v| v as f32;
    f64, |v| v as f64, |v| v;
    f16, |v| f16::from_f32(odd_from_int(v)), |v| f16::from_f32(odd_from_float(v));
    bf16, |v| bf16::from_f32(odd_from_int(v)), |v| bf16::from_f32(odd_from_float(v));
}

impl Element for bool {
    fn pattern(self) -> u64 {
        self.into()
    }
    fn from_pattern(bits: u64) -> Self {
        bits != 0
    }
    fn exact(self) -> Exact {
        Exact::Int(self.into())
    }
    fn from_exact(value: Exact) -> Self {
        match value {
            Exact::Int(v) => v != 0,
            Exact::Float(v) => v != 0.0,
        }
    }
}

/// `value` rounded to `f32` "to odd": a second rounding, to a 16-bit float, then sees on which side of a tie `value` lies.
fn odd_from_float(value: f64) -> f32 {
    let nearest = value as f32;
    if nearest.is_nan() || nearest.is_infinite() || f64::from(nearest) == value {
        return nearest;
    }
    to_odd(nearest, f64::from(nearest).abs() > value.abs())
}

/// As [`odd_from_float`], for an integer.
fn odd_from_int(value: i128) -> f32 {
    let nearest = value as f32;
    let back = nearest as i128;
    if back == value {
        return nearest;
    }
    to_odd(nearest, back.unsigned_abs() > value.unsigned_abs())
}

/// One step down in the bits is one step toward zero.
fn to_odd(nearest: f32, beyond: bool) -> f32 {
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

/// Runs an expression with `T` set to the type of a real dtype or bool; the last arm is for all other dtypes.
macro_rules! each_element {
    ($dtype:expr, $T:ident => $body:expr, $other:pat => $otherwise:expr) => {
        match $dtype {
            tensor_core::DType::Bool => {
                type $T = bool;
                $body
            }
            dtype => $crate::reference::element::each_real!(dtype, $T => $body, $other => $otherwise),
        }
    };
}

/// Runs an expression with `T` set to the type of a real dtype; the last arm is for all other dtypes.
macro_rules! each_real {
    ($dtype:expr, $T:ident => $body:expr, $other:pat => $otherwise:expr) => {
        match $dtype {
            tensor_core::DType::I8 => { type $T = i8; $body }
            tensor_core::DType::I16 => { type $T = i16; $body }
            tensor_core::DType::I32 => { type $T = i32; $body }
            tensor_core::DType::I64 => { type $T = i64; $body }
            tensor_core::DType::U8 => { type $T = u8; $body }
            tensor_core::DType::U16 => { type $T = u16; $body }
            tensor_core::DType::U32 => { type $T = u32; $body }
            tensor_core::DType::U64 => { type $T = u64; $body }
            dtype => $crate::reference::element::each_float!(dtype, $T => $body, $other => $otherwise),
        }
    };
}

/// Runs an expression with `T` set to the type of a float dtype; the last arm is for all other dtypes.
macro_rules! each_float {
    ($dtype:expr, $T:ident => $body:expr, $other:pat => $otherwise:expr) => {
        match $dtype {
            tensor_core::DType::F32 => {
                type $T = f32;
                $body
            }
            tensor_core::DType::F64 => {
                type $T = f64;
                $body
            }
            tensor_core::DType::F16 => {
                type $T = tensor_core::f16;
                $body
            }
            tensor_core::DType::BF16 => {
                type $T = tensor_core::bf16;
                $body
            }
            $other => $otherwise,
        }
    };
}

pub(super) use {each_element, each_float, each_real};

impl Call<'_> {
    /// The elements of a view in row-major order, widened.
    pub(super) fn widened<T: Real>(&self, view: &TensorView<'_>) -> Result<Vec<T::Wide>> {
        let mut out = self.buffer(view.len())?;
        out.extend(view.typed::<T>()?.iter().map(|&element| element.widen()));
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bit_floats_are_rounded_once() {
        let half = |v: f64| f16::from_exact(Exact::Float(v));
        // 2049 is the tie of 2048 and 2050; through a plain f32 the bit beyond it is lost.
        assert_eq!(half(2049.0).to_f32(), 2048.0);
        assert_eq!(half(2049.0 + 2.0_f64.powi(-40)).to_f32(), 2050.0);
        assert_eq!(half(65519.99).to_f32(), 65504.0);
        assert_eq!(half(65520.0), f16::INFINITY);
        assert_eq!(half(-6e-8), f16::from_bits(0x8001));
        assert_eq!(half(-1e-30), f16::from_bits(0x8000));
        let brain = |v: i128| bf16::from_exact(Exact::Int(v));
        let tie = (1_i128 << 62) + (1 << 54);
        assert_eq!(
            [tie, tie + 1, -tie - 1].map(brain),
            [0x5e80, 0x5e81, 0xde81].map(bf16::from_bits)
        );
    }
}
