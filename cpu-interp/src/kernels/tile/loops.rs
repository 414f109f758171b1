//! Loops over elements of any served dtype.

use graph::scalar::Prim;
use tensor_core::DType;

/// An operand of one instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    /// Elements one after another.
    Ptr(*const u8),
    /// One element throughout, as its bits.
    Splat(u64),
}

/// A dtype that tiles hold; a bool is a byte.
pub(super) trait Element: Copy {
    fn of_bits(bits: u64) -> Self;
}

macro_rules! element {
    ($($T:ty),*) => {$(
        impl Element for $T {
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as $T
            }
        }
    )*};
}
element!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Element for f32 {
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

impl Element for f64 {
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// Where a loop finds element `i` of an operand; known before the loop starts, so that it vectorises.
trait Source: Copy {
    /// # Safety
    /// Elements in memory must be more than `i`.
    unsafe fn at<T: Element>(self, i: usize) -> T;
}

#[derive(Clone, Copy)]
struct Elements(*const u8);

#[derive(Clone, Copy)]
struct Same(u64);

impl Source for Elements {
    #[inline(always)]
    unsafe fn at<T: Element>(self, i: usize) -> T {
        // SAFETY: the caller promises that the element is there.
        unsafe { self.0.cast::<T>().add(i).read_unaligned() }
    }
}

impl Source for Same {
    #[inline(always)]
    unsafe fn at<T: Element>(self, _i: usize) -> T {
        T::of_bits(self.0)
    }
}

/// Evaluates `$body` with `$x` as the source of `$arg`.
macro_rules! with_source {
    ($arg:expr, $x:ident => $body:expr) => {
        match $arg {
            Arg::Ptr(p) => {
                let $x = Elements(p);
                $body
            }
            Arg::Splat(bits) => {
                let $x = Same(bits);
                $body
            }
        }
    };
}

/// `dst[i] = f(a[i])`
///
/// # Safety
/// `dst` and pointers among the operands must hold `n` elements.
#[inline(always)]
pub(super) unsafe fn map1<T: Element, U>(dst: *mut u8, a: Arg, n: usize, f: impl Fn(T) -> U) {
    with_source!(a, a => for i in 0..n {
        // SAFETY: i < n, and the caller promises n elements.
        unsafe { dst.cast::<U>().add(i).write_unaligned(f(a.at(i))) };
    });
}

/// `dst[i] = f(a[i], b[i])`
///
/// # Safety
/// As [`map1`].
#[inline(always)]
pub(super) unsafe fn map2<T: Element, U>(
    dst: *mut u8,
    [a, b]: [Arg; 2],
    n: usize,
    f: impl Fn(T, T) -> U,
) {
    with_source!(a, a => with_source!(b, b => for i in 0..n {
        // SAFETY: i < n, and the caller promises n elements.
        unsafe { dst.cast::<U>().add(i).write_unaligned(f(a.at(i), b.at(i))) };
    }));
}

/// `dst[i] = c[i] != 0 ? a[i] : b[i]`
///
/// # Safety
/// As [`map1`].
#[inline(always)]
unsafe fn choose<T: Element>(dst: *mut u8, [c, a, b]: [Arg; 3], n: usize) {
    with_source!(c, c => with_source!(a, a => with_source!(b, b => for i in 0..n {
        // SAFETY: i < n, and the caller promises n elements.
        unsafe {
            let (condition, yes, no): (u8, T, T) = (c.at(i), a.at(i), b.at(i));
            dst.cast::<T>().add(i).write_unaligned(if condition != 0 { yes } else { no });
        }
    })));
}

/// `dst[i] = a[i]` for elements of a width.
///
/// # Safety
/// As [`map1`].
pub(super) unsafe fn copy(width: usize, dst: *mut u8, a: Arg, n: usize) {
    // SAFETY: the caller's promise is passed on; `copy` allows source and destination to be the same.
    unsafe {
        match (a, width) {
            (Arg::Ptr(p), _) => std::ptr::copy(p, dst, n * width),
            (_, 1) => map1::<u8, u8>(dst, a, n, |x| x),
            (_, 2) => map1::<u16, u16>(dst, a, n, |x| x),
            (_, 4) => map1::<u32, u32>(dst, a, n, |x| x),
            _ => map1::<u64, u64>(dst, a, n, |x| x),
        }
    }
}

/// Selection among elements of a width.
///
/// # Safety
/// As [`map1`].
pub(super) unsafe fn select(width: usize, dst: *mut u8, args: [Arg; 3], n: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match width {
            1 => choose::<u8>(dst, args, n),
            2 => choose::<u16>(dst, args, n),
            4 => choose::<u32>(dst, args, n),
            _ => choose::<u64>(dst, args, n),
        }
    }
}

/// A primitive over operands of a dtype other than f32. These loops are compiled once, for the baseline of the
/// target: they are rare, and a copy per instruction set would triple the time it takes to build this crate.
///
/// # Safety
/// As [`map1`].
pub(super) unsafe fn run(prim: Prim, dtype: DType, dst: *mut u8, args: [Arg; 3], n: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match dtype {
            _ if prim == Prim::Select => select(dtype.size_bytes(), dst, args, n),
            DType::F64 => double(prim, dst, args, n),
            DType::I8 => i8_loop(prim, dst, args, n),
            DType::I16 => i16_loop(prim, dst, args, n),
            DType::I32 => i32_loop(prim, dst, args, n),
            DType::I64 => i64_loop(prim, dst, args, n),
            DType::U8 => u8_loop(prim, dst, args, n),
            DType::U16 => u16_loop(prim, dst, args, n),
            DType::U32 => u32_loop(prim, dst, args, n),
            DType::U64 => u64_loop(prim, dst, args, n),
            DType::Bool => boolean(prim, dst, args, n),
            DType::F32
            | DType::F16
            | DType::BF16
            | DType::C32
            | DType::C64
            | DType::External(_) => {
                unreachable!("{dtype} has loops of its own or none")
            }
        }
    }
}

/// # Safety
/// As [`map1`].
unsafe fn boolean(prim: Prim, dst: *mut u8, [a, b, _]: [Arg; 3], n: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match prim {
            Prim::Not => map1::<u8, u8>(dst, a, n, |x| u8::from(x == 0)),
            Prim::And => map2::<u8, u8>(dst, [a, b], n, |x, y| x & y),
            Prim::Or => map2::<u8, u8>(dst, [a, b], n, |x, y| x | y),
            Prim::Xor => map2::<u8, u8>(dst, [a, b], n, |x, y| x ^ y),
            Prim::Eq => map2::<u8, u8>(dst, [a, b], n, |x, y| u8::from(x == y)),
            other => unreachable!("{} takes no bools", other.name()),
        }
    }
}

/// # Safety
/// As [`map1`].
unsafe fn double(prim: Prim, dst: *mut u8, [a, b, _]: [Arg; 3], n: usize) {
    use Prim::*;
    let two = [a, b];
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match prim {
            Neg => map1(dst, a, n, |x: f64| -x),
            Abs => map1(dst, a, n, f64::abs),
            Sign => map1(dst, a, n, |x: f64| {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else {
                    x
                }
            }),
            Sqrt => map1(dst, a, n, f64::sqrt),
            Recip => map1(dst, a, n, |x: f64| 1.0 / x),
            Exp => map1(dst, a, n, f64::exp),
            Log => map1(dst, a, n, f64::ln),
            Sin => map1(dst, a, n, f64::sin),
            Cos => map1(dst, a, n, f64::cos),
            Tan => map1(dst, a, n, f64::tan),
            Asin => map1(dst, a, n, f64::asin),
            Acos => map1(dst, a, n, f64::acos),
            Atan => map1(dst, a, n, f64::atan),
            Sinh => map1(dst, a, n, f64::sinh),
            Cosh => map1(dst, a, n, f64::cosh),
            Tanh => map1(dst, a, n, f64::tanh),
            Asinh => map1(dst, a, n, libm::asinh),
            Acosh => map1(dst, a, n, libm::acosh),
            Atanh => map1(dst, a, n, libm::atanh),
            Sigmoid => map1(dst, a, n, |x: f64| 1.0 / (1.0 + (-x).exp())),
            Erf => map1(dst, a, n, libm::erf),
            Floor => map1(dst, a, n, f64::floor),
            Ceil => map1(dst, a, n, f64::ceil),
            Round => map1(dst, a, n, f64::round_ties_even),
            Add => map2(dst, two, n, |x: f64, y| x + y),
            Sub => map2(dst, two, n, |x: f64, y| x - y),
            Mul => map2(dst, two, n, |x: f64, y| x * y),
            Div => map2(dst, two, n, |x: f64, y| x / y),
            Rem => map2(dst, two, n, |x: f64, y| x % y),
            Pow => map2(dst, two, n, f64::powf),
            Max => map2(
                dst,
                two,
                n,
                |x: f64, y| if x > y || x.is_nan() { x } else { y },
            ),
            Min => map2(
                dst,
                two,
                n,
                |x: f64, y| if x < y || x.is_nan() { x } else { y },
            ),
            Eq => map2(dst, two, n, |x: f64, y| u8::from(x == y)),
            Lt => map2(dst, two, n, |x: f64, y| u8::from(x < y)),
            Le => map2(dst, two, n, |x: f64, y| u8::from(x <= y)),
            Not | And | Or | Xor | Shl | Shr | Select => {
                unreachable!("{} takes no floats", prim.name())
            }
        }
    }
}

/// Integer powers by squaring, wrapping; a negative exponent truncates the exact result.
macro_rules! power {
    ($T:ty, $base:expr, $exponent:expr) => {{
        let (mut base, mut exponent): ($T, $T) = ($base, $exponent);
        // Below 1 and not 0: negative, without a comparison that is always false for unsigned types.
        if exponent < 1 && exponent != 0 {
            match base {
                1 => 1,
                b if b.wrapping_add(1) == 0 => if exponent % 2 == 0 { 1 } else { b },
                _ => 0,
            }
        } else {
            let mut result: $T = 1;
            while exponent > 0 {
                if exponent % 2 == 1 {
                    result = result.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                exponent /= 2;
            }
            result
        }
    }};
}

/// By how many places a shift moves, unless it moves every bit out.
macro_rules! places {
    ($T:ty, $y:expr) => {
        u32::try_from($y).ok().filter(|&y| y < <$T>::BITS)
    };
}

macro_rules! integer {
    ($name:ident, $T:ty, $neg:expr, $abs:expr, $sign:expr) => {
        /// # Safety
        /// As [`map1`].
        unsafe fn $name(prim: Prim, dst: *mut u8, [a, b, _]: [Arg; 3], n: usize) {
            use Prim::*;
            let two = [a, b];
            // SAFETY: the caller's promise is passed on.
            unsafe {
                match prim {
                    Neg => map1::<$T, $T>(dst, a, n, $neg),
                    Abs => map1::<$T, $T>(dst, a, n, $abs),
                    Sign => map1::<$T, $T>(dst, a, n, $sign),
                    Add => map2(dst, two, n, <$T>::wrapping_add),
                    Sub => map2(dst, two, n, <$T>::wrapping_sub),
                    Mul => map2(dst, two, n, <$T>::wrapping_mul),
                    Div => map2(
                        dst,
                        two,
                        n,
                        |x: $T, y| if y == 0 { 0 } else { x.wrapping_div(y) },
                    ),
                    Rem => map2(
                        dst,
                        two,
                        n,
                        |x: $T, y| if y == 0 { 0 } else { x.wrapping_rem(y) },
                    ),
                    Pow => map2(dst, two, n, |x: $T, y| power!($T, x, y)),
                    Max => map2(dst, two, n, |x: $T, y| x.max(y)),
                    Min => map2(dst, two, n, |x: $T, y| x.min(y)),
                    Eq => map2(dst, two, n, |x: $T, y| u8::from(x == y)),
                    Lt => map2(dst, two, n, |x: $T, y| u8::from(x < y)),
                    Le => map2(dst, two, n, |x: $T, y| u8::from(x <= y)),
                    Not => map1::<$T, $T>(dst, a, n, |x| !x),
                    And => map2(dst, two, n, |x: $T, y| x & y),
                    Or => map2(dst, two, n, |x: $T, y| x | y),
                    Xor => map2(dst, two, n, |x: $T, y| x ^ y),
                    Shl => map2(dst, two, n, |x: $T, y| match places!($T, y) {
                        Some(places) => x << places,
                        None => 0,
                    }),
                    Shr => map2(dst, two, n, |x: $T, y| match places!($T, y) {
                        Some(places) => x >> places,
                        None => x >> (<$T>::BITS - 1) >> 1,
                    }),
                    Sqrt | Recip | Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
                    | Cosh | Tanh | Asinh | Acosh | Atanh | Sigmoid | Erf | Floor | Ceil
                    | Round | Select => {
                        unreachable!("{} takes no integers", prim.name())
                    }
                }
            }
        }
    };
}

integer!(i8_loop, i8, i8::wrapping_neg, i8::wrapping_abs, i8::signum);
integer!(
    i16_loop,
    i16,
    i16::wrapping_neg,
    i16::wrapping_abs,
    i16::signum
);
integer!(
    i32_loop,
    i32,
    i32::wrapping_neg,
    i32::wrapping_abs,
    i32::signum
);
integer!(
    i64_loop,
    i64,
    i64::wrapping_neg,
    i64::wrapping_abs,
    i64::signum
);
integer!(u8_loop, u8, u8::wrapping_neg, |x| x, |x| x.min(1));
integer!(u16_loop, u16, u16::wrapping_neg, |x| x, |x| x.min(1));
integer!(u32_loop, u32, u32::wrapping_neg, |x| x, |x| x.min(1));
integer!(u64_loop, u64, u64::wrapping_neg, |x| x, |x| x.min(1));
