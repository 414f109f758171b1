//! Conversions between served dtypes: float to integer truncates toward zero, saturates, and gives 0
//! for NaN; integer to integer saturates; to bool is `x != 0`; everything else rounds once.

use tensor_core::DType;

use super::loops::{Arg, Element, map1};
use crate::kernels::isa::{Isa, dispatch};

/// A conversion to `U`.
trait CastTo<U> {
    fn cast(self) -> U;
}

macro_rules! same_or_as {
    ($T:ty => $($U:ty),*) => {$(
        impl CastTo<$U> for $T {
            #[inline(always)]
            fn cast(self) -> $U {
                self as $U
            }
        }
    )*};
}
same_or_as!(f32 => f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);
same_or_as!(f64 => f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! integer {
    ($($T:ty),*) => {$(
        same_or_as!($T => f32, f64);
        integer!(@to $T => i8, i16, i32, i64, u8, u16, u32, u64);
    )*};
    (@to $T:ty => $($U:ty),*) => {$(
        impl CastTo<$U> for $T {
            #[inline(always)]
            fn cast(self) -> $U {
                // Both fit i128, and the clamped value fits the target.
                i128::from(self).clamp(<$U>::MIN.into(), <$U>::MAX.into()) as $U
            }
        }
    )*};
}
integer!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Runs `$body` with `$T` as the type of `$dtype`; bool is a byte.
macro_rules! typed {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::F32 => {
                type $T = f32;
                $body
            }
            DType::F64 => {
                type $T = f64;
                $body
            }
            DType::I8 => {
                type $T = i8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::U8 | DType::Bool => {
                type $T = u8;
                $body
            }
            DType::U16 => {
                type $T = u16;
                $body
            }
            DType::U32 => {
                type $T = u32;
                $body
            }
            DType::U64 => {
                type $T = u64;
                $body
            }
            DType::F16 | DType::BF16 | DType::C32 | DType::C64 | DType::External(_) => {
                unreachable!("{} is not served", $dtype)
            }
        }
    };
}

/// `dst[i] = a[i]` converted. The conversions that models do to much data are compiled for every
/// instruction set; the others once, for the baseline of the target.
///
/// # Safety
/// `a` must hold `n` elements of `from`, `dst` have room for `n` of `to`.
pub(super) unsafe fn run(isa: Isa, from: DType, to: DType, dst: *mut u8, a: Arg, n: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match (from, to) {
            (DType::Bool | DType::U8, DType::F32) => {
                dispatch!(isa, |_s| convert::<u8, f32>(dst, a, n));
            }
            (DType::I32, DType::F32) => dispatch!(isa, |_s| convert::<i32, f32>(dst, a, n)),
            (_, DType::Bool) => {
                typed!(from, T => map1::<T, u8>(dst, a, n, |x| u8::from(x != 0 as T)))
            }
            _ => typed!(from, T => typed!(to, U => convert::<T, U>(dst, a, n))),
        }
    }
}

/// # Safety
/// As [`run`], for `T` and `U`.
#[inline(always)]
unsafe fn convert<T: Element + CastTo<U>, U>(dst: *mut u8, a: Arg, n: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        map1::<T, U>(
            dst,
            a,
            n,
            #[inline(always)]
            |x| x.cast(),
        );
    }
}
