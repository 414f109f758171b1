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
                lanes1(s, dst, a, n, |a| f(a, b));
            }
            [Arg::Splat(bits), b] => {
                let a = splat(bits);
                lanes1(s, dst, b, n, |b| f(a, b));
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

/// A primitive over f32 operands.
///
/// # Safety
/// `dst` and pointer operands must hold `n` elements.
pub(super) unsafe fn run(isa: Isa, prim: Prim, dst: *mut u8, args: [Arg; 3], n: usize) {
    use Prim::*;
    let ([a, b, _], two) = (args, [args[0], args[1]]);
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match prim {
            Neg => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| s.neg(x))),
            Abs => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| s.abs(x))),
            Sqrt => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| s.sqrt(x))),
            Recip => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| s.div(s.splat(1.0), x))),
            Add => dispatch!(isa, |s| lanes2(s, dst, two, n, |x, y| s.add(x, y))),
            Sub => dispatch!(isa, |s| lanes2(s, dst, two, n, |x, y| s.sub(x, y))),
            Mul => dispatch!(isa, |s| lanes2(s, dst, two, n, |x, y| s.mul(x, y))),
            Div => dispatch!(isa, |s| lanes2(s, dst, two, n, |x, y| s.div(x, y))),
            Max => dispatch!(isa, |s| lanes2(s, dst, two, n, |x, y| s.max_nan(x, y))),
            Min => dispatch!(isa, |s| lanes2(s, dst, two, n, |x, y| s.min_nan(x, y))),
            Exp => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::exp_v(s, x))),
            Log => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::log_v(s, x))),
            Sin => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::sin_v(s, x))),
            Cos => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::cos_v(s, x))),
            Tanh => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::tanh_v(s, x))),
            Sigmoid => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::sigmoid_v(s, x))),
            Erf => dispatch!(isa, |s| lanes1(s, dst, a, n, |x| vecmath::erf_v(s, x))),
            Sign => dispatch!(isa, |_s| map1(dst, a, n, |x: f32| {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else {
                    x
                }
            })),
            Floor => dispatch!(isa, |_s| map1(dst, a, n, f32::floor)),
            Ceil => dispatch!(isa, |_s| map1(dst, a, n, f32::ceil)),
            Round => dispatch!(isa, |_s| map1(dst, a, n, f32::round_ties_even)),
            Pow => map2(dst, two, n, |x: f32, y: f32| {
                f64::from(x).powf(f64::from(y)) as f32
            }),
            Eq => dispatch!(isa, |_s| map2(dst, two, n, |x: f32, y| u8::from(x == y))),
            Lt => dispatch!(isa, |_s| map2(dst, two, n, |x: f32, y| u8::from(x < y))),
            Le => dispatch!(isa, |_s| map2(dst, two, n, |x: f32, y| u8::from(x <= y))),
            Select => select(4, dst, args, n),
            Not | And | Or | Xor => unreachable!("{} takes no floats; {b:?}", prim.name()),
        }
    }
}
