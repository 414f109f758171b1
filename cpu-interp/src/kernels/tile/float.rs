//! Loops over f32 with the vector instructions of the machine.

use graph::scalar::Prim;

use super::loops::{Arg, map1, map2, select};
use crate::kernels::isa::{Isa, dispatch};
use crate::kernels::simd::Simd;
use crate::kernels::vecmath;

/// `dst[i] = f(a[i])`, a vector at a time.
///
/// # Safety
/// `dst` and a pointer operand must hold `n` elements.
#[inline(always)]
unsafe fn lanes1<S: Simd>(s: S, dst: *mut u8, a: Arg, n: usize, f: impl Fn(S::V) -> S::V) {
    let dst = dst.cast::<f32>();
    let full = n - n % S::LANES;
    // SAFETY: every access is below n, which the caller promises.
    unsafe {
        match a {
            Arg::Ptr(a) => {
                let a = a.cast::<f32>();
                for i in (0..full).step_by(S::LANES) {
                    s.store(dst.add(i), f(s.load(a.add(i))));
                }
                if full < n {
                    s.store_part(
                        dst.add(full),
                        f(s.load_part(a.add(full), n - full)),
                        n - full,
                    );
                }
            }
            Arg::Splat(bits) => fill(s, dst, f(s.splat(f32::from_bits(bits as u32))), n),
        }
    }
}

/// # Safety
/// `dst` must hold `n` elements.
#[inline(always)]
unsafe fn fill<S: Simd>(s: S, dst: *mut f32, v: S::V, n: usize) {
    let full = n - n % S::LANES;
    // SAFETY: every access is below n, which the caller promises.
    unsafe {
        for i in (0..full).step_by(S::LANES) {
            s.store(dst.add(i), v);
        }
        if full < n {
            s.store_part(dst.add(full), v, n - full);
        }
    }
}

/// `dst[i] = f(a[i], b[i])`, a vector at a time.
///
/// # Safety
/// As [`lanes1`].
#[inline(always)]
unsafe fn lanes2<S: Simd>(
    s: S,
    dst: *mut u8,
    args: [Arg; 2],
    n: usize,
    f: impl Fn(S::V, S::V) -> S::V,
) {
    let splat = |bits: u64| s.splat(f32::from_bits(bits as u32));
    // SAFETY: every access is below n, which the caller promises.
    unsafe {
        match args {
            [a, Arg::Splat(bits)] => {
                let b = splat(bits);
                lanes1(
                    s,
                    dst,
                    a,
                    n,
                    #[inline(always)]
                    |a| f(a, b),
                );
            }
            [Arg::Splat(bits), b] => {
                let a = splat(bits);
                lanes1(
                    s,
                    dst,
                    b,
                    n,
                    #[inline(always)]
                    |b| f(a, b),
                );
            }
            [Arg::Ptr(a), Arg::Ptr(b)] => {
                let (dst, a, b) = (dst.cast::<f32>(), a.cast::<f32>(), b.cast::<f32>());
                let full = n - n % S::LANES;
                for i in (0..full).step_by(S::LANES) {
                    s.store(dst.add(i), f(s.load(a.add(i)), s.load(b.add(i))));
                }
                if full < n {
                    let rest = n - full;
                    let (a, b) = (
                        s.load_part(a.add(full), rest),
                        s.load_part(b.add(full), rest),
                    );
                    s.store_part(dst.add(full), f(a, b), rest);
                }
            }
        }
    }
}

/// One vectorised loop over one operand, compiled for the level of `$isa`.
macro_rules! unary {
    ($isa:expr, $loop:expr, |$s:ident, $x:ident| $body:expr) => {{
        let (dst, a, n) = $loop;
        dispatch!($isa, |$s| lanes1(
            $s,
            dst,
            a,
            n,
            #[inline(always)]
            |$x| $body
        ))
    }};
}

/// One vectorised loop over two operands, compiled for the level of `$isa`.
macro_rules! binary {
    ($isa:expr, $loop:expr, |$s:ident, $x:ident, $y:ident| $body:expr) => {{
        let (dst, args, n) = $loop;
        dispatch!($isa, |$s| lanes2(
            $s,
            dst,
            args,
            n,
            #[inline(always)]
            |$x, $y| $body
        ))
    }};
}

/// One loop of scalar code, compiled (and vectorised where the compiler can) for the level of `$isa`.
macro_rules! scalar {
    ($isa:expr, $map:ident, $loop:expr, |$($x:ident),+| $body:expr) => {{
        let (dst, args, n) = $loop;
        dispatch!($isa, |_s| $map(
            dst,
            args,
            n,
            #[inline(always)]
            |$($x: f32),+| $body
        ))
    }};
}

/// A primitive over f32 operands.
///
/// # Safety
/// `dst` and pointer operands must hold `n` elements.
pub(super) unsafe fn run(isa: Isa, prim: Prim, dst: *mut u8, args: [Arg; 3], n: usize) {
    use Prim::*;
    let (one, two) = ((dst, args[0], n), (dst, [args[0], args[1]], n));
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match prim {
            Neg => unary!(isa, one, |s, x| s.neg(x)),
            Abs => unary!(isa, one, |s, x| s.abs(x)),
            Sqrt => unary!(isa, one, |s, x| s.sqrt(x)),
            Recip => unary!(isa, one, |s, x| s.div(s.splat(1.0), x)),
            Exp => unary!(isa, one, |s, x| vecmath::exp_v(s, x)),
            Log => unary!(isa, one, |s, x| vecmath::log_v(s, x)),
            Sin if has_huge(isa, args[0], n) => {
                scalar!(isa, map1, one, |x| f64::from(x).sin() as f32)
            }
            Cos if has_huge(isa, args[0], n) => {
                scalar!(isa, map1, one, |x| f64::from(x).cos() as f32)
            }
            Sin => unary!(isa, one, |s, x| vecmath::sin_v(s, x)),
            Cos => unary!(isa, one, |s, x| vecmath::cos_v(s, x)),
            Tanh => unary!(isa, one, |s, x| vecmath::tanh_v(s, x)),
            Sigmoid => unary!(isa, one, |s, x| vecmath::sigmoid_v(s, x)),
            Erf => unary!(isa, one, |s, x| vecmath::erf_v(s, x)),
            Tan => scalar!(isa, map1, one, |x| f64::from(x).tan() as f32),
            Asin => scalar!(isa, map1, one, |x| f64::from(x).asin() as f32),
            Acos => scalar!(isa, map1, one, |x| f64::from(x).acos() as f32),
            Atan => scalar!(isa, map1, one, |x| f64::from(x).atan() as f32),
            Sinh => scalar!(isa, map1, one, |x| f64::from(x).sinh() as f32),
            Cosh => scalar!(isa, map1, one, |x| f64::from(x).cosh() as f32),
            Asinh => scalar!(isa, map1, one, |x| libm::asinh(f64::from(x)) as f32),
            Acosh => scalar!(isa, map1, one, |x| libm::acosh(f64::from(x)) as f32),
            Atanh => scalar!(isa, map1, one, |x| libm::atanh(f64::from(x)) as f32),
            Sign => scalar!(isa, map1, one, |x| sign(x)),
            Floor => scalar!(isa, map1, one, |x| x.floor()),
            Ceil => scalar!(isa, map1, one, |x| x.ceil()),
            Round => scalar!(isa, map1, one, |x| x.round_ties_even()),
            Add => binary!(isa, two, |s, x, y| s.add(x, y)),
            Sub => binary!(isa, two, |s, x, y| s.sub(x, y)),
            Mul => binary!(isa, two, |s, x, y| s.mul(x, y)),
            Div => binary!(isa, two, |s, x, y| s.div(x, y)),
            Rem => scalar!(isa, map2, two, |x, y| x % y),
            Max => binary!(isa, two, |s, x, y| s.max_nan(x, y)),
            Min => binary!(isa, two, |s, x, y| s.min_nan(x, y)),
            Pow => scalar!(isa, map2, two, |x, y| f64::from(x).powf(f64::from(y))
                as f32),
            Eq => scalar!(isa, map2, two, |x, y| u8::from(x == y)),
            Lt => scalar!(isa, map2, two, |x, y| u8::from(x < y)),
            Le => scalar!(isa, map2, two, |x, y| u8::from(x <= y)),
            Select => select(4, dst, args, n),
            Not | And | Or | Xor | Shl | Shr => unreachable!("{} takes no floats", prim.name()),
        }
    }
}

/// Whether an angle is too large for the vector functions, which reduce up to 1e8.
///
/// # Safety
/// A pointer operand must hold `n` elements.
unsafe fn has_huge(isa: Isa, a: Arg, n: usize) -> bool {
    let mut huge = [0_u8; super::TILE];
    // SAFETY: the caller's promise is passed on; a tile has at most TILE elements.
    unsafe {
        scalar!(isa, map1, (huge.as_mut_ptr(), a, n), |x| u8::from(
            x.abs() > 1e8
        ))
    };
    huge[..n].contains(&1)
}

#[inline(always)]
fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}
