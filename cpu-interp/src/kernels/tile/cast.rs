//! Conversions between served dtypes: float to integer truncates toward zero, saturates, and gives 0
//! for NaN; integer to integer saturates; to bool is `x != 0`; everything else rounds once.

use tensor_core::DType;

use super::loops::{Arg, map1};
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

/// `dst[i] = a[i]` converted.
///
/// # Safety
/// `a` must hold `n` elements of `from`, `dst` have room for `n` of `to`.
pub(super) unsafe fn run(isa: Isa, from: DType, to: DType, dst: *mut u8, a: Arg, n: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        if to == DType::Bool {
            typed!(from, T => map1::<T, u8>(dst, a, n, #[inline(always)] |x| u8::from(x != 0 as T)));
        } else {
            typed!(from, T => typed!(to, U => dispatch!(isa, |_s| map1::<T, U>(dst, a, n, #[inline(always)] |x| x.cast()))));
        }
    }
}
