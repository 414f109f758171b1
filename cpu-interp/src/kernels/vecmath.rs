//! Elementwise functions of f32 slices: exp, log, tanh, sigmoid, erf, sin, cos.
//!
//! Each is branch-free and written once over vectors ([`exp_v`] and its like serve kernels that fuse them), and a slice
//! function runs it for an [`Isa`]. The bounds below hold for every level and are checked against f64 over dense sweeps
//! of all exponents and at the edges.
//!
//! | function | largest error | range and edges |
//! |---|---|---|
//! | exp | 2 ULP | overflow to inf, subnormal results kept, NaN to NaN |
//! | log | 2 ULP | log 0 = -inf, of negative numbers NaN, subnormal arguments kept |
//! | tanh | 3 ULP | within -1..=1 |
//! | sigmoid | 3 ULP | within 0..=1, subnormal results kept |
//! | erf | 3 ULP | within -1..=1 |
//! | sin, cos | 2 ULP, or 2^-40 near zeros | for finite arguments up to 1e5; beyond, accuracy fades; NaN for inf |

use super::isa::{Isa, dispatch};
use super::simd::Simd;

/// `e^x`.
#[inline(always)]
pub fn exp_v<S: Simd>(s: S, x: S::V) -> S::V {
    // Cody-Waite reduction: x = n ln 2 + r with |r| <= ln 2 / 2; the high part of ln 2 has few bits, so n * high is
    // exact. Beyond the clamp the result is 0 or inf all the same. The operand order lets NaN through.
    let x = s.min(s.splat(89.0), s.max(s.splat(-104.0), x));
    let n = s.to_float(s.to_int(s.mul(x, s.splat(std::f32::consts::LOG2_E))));
    let r = s.fma(n, s.splat(-0.693_359_4), x);
    let r = s.fma(n, s.splat(2.121_944_4e-4), r);
    let mut p = s.splat(1.987_569_1e-4);
    for c in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        5e-1,
    ] {
        p = s.fma(p, r, s.splat(c));
    }
    let y = s.add(s.fma(s.mul(r, r), p, r), s.splat(1.0));
    s.scale(y, n)
}

/// The natural logarithm.
#[inline(always)]
pub fn log_v<S: Simd>(s: S, x: S::V) -> S::V {
    // Subnormals are scaled into the normal range first.
    let small = s.lt(x, s.splat(f32::MIN_POSITIVE));
    let scaled = s.select(small, s.mul(x, s.splat(8_388_608.0)), x);
    let offset = s.select(small, s.splat(-23.0), s.zero());
    // x = 2^n * m with m in [sqrt(1/2), sqrt(2)).
    let bits = s.bits(scaled);
    let shifted = s.int_sub(bits, s.int_splat(0x3f35_04f3));
    let n = s.int_shr::<23>(shifted);
    let m = s.of_bits(s.int_sub(bits, s.int_shl::<23>(n)));
    let n = s.add(s.to_float(n), offset);
    let f = s.sub(m, s.splat(1.0));
    let z = s.mul(f, f);
    let mut p = s.splat(7.037_683_6e-2);
    for c in [
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333_1e-1,
    ] {
        p = s.fma(p, f, s.splat(c));
    }
    let p = s.mul(s.mul(p, f), z);
    let p = s.fma(n, s.splat(-2.121_944_4e-4), p);
    let p = s.fma(s.splat(-0.5), z, p);
    let y = s.fma(n, s.splat(0.693_359_4), s.add(f, p));
    // Edges: 0, negative numbers, inf, NaN.
    let inf = s.splat(f32::INFINITY);
    let y = s.select(s.eq(x, inf), inf, y);
    let y = s.select(s.lt(x, s.zero()), s.splat(f32::NAN), y);
    let y = s.select(s.eq(x, s.zero()), s.splat(f32::NEG_INFINITY), y);
    s.select(s.eq(x, x), y, x)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh_v<S: Simd>(s: S, x: S::V) -> S::V {
    let a = s.abs(x);
    // Small arguments: an odd polynomial; else 1 - 2 / (e^2a + 1).
    let z = s.mul(x, x);
    let mut p = s.splat(-5.704_988_7e-3);
    for c in [
        2.063_908_9e-2,
        -5.373_971_5e-2,
        1.333_144_2e-1,
        -3.333_328e-1,
    ] {
        p = s.fma(p, z, s.splat(c));
    }
    let near = s.fma(s.mul(p, z), a, a);
    let e = exp_v(s, s.add(a, a));
    let far = s.sub(s.splat(1.0), s.div(s.splat(2.0), s.add(e, s.splat(1.0))));
    let y = s.select(s.lt(a, s.splat(0.625)), near, far);
    s.copysign(y, x)
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid_v<S: Simd>(s: S, x: S::V) -> S::V {
    // With e = e^-|x| nothing overflows: 1 / (1 + e) or e / (1 + e).
    let e = exp_v(s, s.neg(s.abs(x)));
    let top = s.select(s.lt(x, s.zero()), e, s.splat(1.0));
    s.div(top, s.add(e, s.splat(1.0)))
}

/// The error function.
#[inline(always)]
pub fn erf_v<S: Simd>(s: S, x: S::V) -> S::V {
    // Two minimax forms (after N. Juffa): an odd polynomial near 0, 1 - e^-q(|x|) beyond.
    let a = s.abs(x);
    let z = s.mul(x, x);
    let mut near = s.splat(-5.967_617e-4);
    for c in [
        4.991_194_2e-3,
        -2.676_813_5e-2,
        1.128_199_25e-1,
        -3.761_253_4e-1,
        1.283_791_7e-1,
    ] {
        near = s.fma(near, z, s.splat(c));
    }
    let near = s.fma(near, a, a);
    let high = s.fma(s.splat(-1.728_534_7e-5), a, s.splat(3.831_972e-4));
    let low = s.fma(s.splat(-3.883_964_4e-3), a, s.splat(2.425_462_2e-2));
    let mut q = s.fma(high, z, low);
    for c in [-1.067_778_8e-1, -6.348_467e-1, -1.287_175_1e-1] {
        q = s.fma(q, a, s.splat(c));
    }
    // Past 4 the result is 1; the clamp keeps the polynomial from turning.
    let far_a = s.min(s.splat(4.0), a);
    let q = s.fma(q, far_a, s.neg(far_a));
    let far = s.sub(s.splat(1.0), exp_v(s, q));
    let far = s.select(s.lt(s.splat(4.0), a), s.splat(1.0), far);
    let y = s.select(s.lt(a, s.splat(0.927_734_4)), near, far);
    let y = s.copysign(y, x);
    s.select(s.eq(x, x), y, x)
}

/// Sine and cosine of the reduced argument, swapped and signed by the quadrant `n`.
#[inline(always)]
fn sine_of_quadrant<S: Simd>(s: S, n: S::I, r: S::V) -> S::V {
    let z = s.mul(r, r);
    let mut sin = s.splat(2.718_311_5e-6);
    for c in [-1.983_985_7e-4, 8.333_329e-3, -1.666_666_7e-1] {
        sin = s.fma(sin, z, s.splat(c));
    }
    let sin = s.fma(s.mul(sin, z), r, r);
    let mut cos = s.splat(2.443_315_7e-5);
    for c in [-1.388_731_6e-3, 4.166_664_6e-2] {
        cos = s.fma(cos, z, s.splat(c));
    }
    let cos = s.fma(s.mul(z, z), cos, s.fma(s.splat(-0.5), z, s.splat(1.0)));
    let odd = s.int_eq(s.int_and(n, s.int_splat(1)), s.int_splat(1));
    let y = s.select(odd, cos, sin);
    // Quadrants 2 and 3 are negative.
    let sign = s.int_shl::<30>(s.int_and(n, s.int_splat(2)));
    s.of_bits(s.int_xor(s.bits(y), sign))
}

/// The sine.
#[inline(always)]
pub fn sin_v<S: Simd>(s: S, x: S::V) -> S::V {
    let (n, r) = s.reduce_half_pi(x);
    sine_of_quadrant(s, n, r)
}

/// The cosine.
#[inline(always)]
pub fn cos_v<S: Simd>(s: S, x: S::V) -> S::V {
    let (n, r) = s.reduce_half_pi(x);
    sine_of_quadrant(s, s.int_add(n, s.int_splat(1)), r)
}

/// `to[i] = f(from[i])`.
#[inline(always)]
pub(crate) fn map<S: Simd>(s: S, from: &[f32], to: &mut [f32], f: impl Fn(S::V) -> S::V) {
    assert!(
        from.len() == to.len(),
        "{} inputs, {} outputs",
        from.len(),
        to.len()
    );
    let whole = from.len() / S::LANES * S::LANES;
    let rest = from.len() - whole;
    let (from, to) = (from.as_ptr(), to.as_mut_ptr());
    for i in (0..whole).step_by(S::LANES) {
        // SAFETY: i + LANES is at most the length of both slices.
        unsafe { s.store(to.add(i), f(s.load(from.add(i)))) };
    }
    if rest > 0 {
        // SAFETY: `rest` elements remain in both slices.
        unsafe {
            let y = f(s.load_part(from.add(whole), rest));
            s.store_part(to.add(whole), y, rest);
        }
    }
}

/// Defines `name(isa, from, to)` and `name_in_place(isa, x)`.
macro_rules! slice_functions {
    ($($name:ident, $in_place:ident, $vector:ident;)*) => {$(
        #[doc = concat!("[`", stringify!($vector), "`] of each element.")]
        ///
        /// # Panics
        /// If the slices differ in length.
        pub fn $name(isa: Isa, from: &[f32], to: &mut [f32]) {
            dispatch!(isa, |s| map(s, from, to, #[inline(always)] |x| $vector(s, x)));
        }

        #[doc = concat!("[`", stringify!($vector), "`] of each element, over itself.")]
        pub fn $in_place(isa: Isa, x: &mut [f32]) {
            dispatch!(isa, |s| map_in_place(s, x, #[inline(always)] |x| $vector(s, x)));
        }
    )*};
}

/// `x[i] = f(x[i])`.
#[inline(always)]
pub(crate) fn map_in_place<S: Simd>(s: S, x: &mut [f32], f: impl Fn(S::V) -> S::V) {
    let mut chunks = x.chunks_exact_mut(S::LANES);
    for chunk in &mut chunks {
        // SAFETY: a chunk has LANES elements.
        unsafe { s.store(chunk.as_mut_ptr(), f(s.load(chunk.as_ptr()))) };
    }
    let rest = chunks.into_remainder();
    // SAFETY: the part is as long as the rest.
    unsafe {
        let y = f(s.load_part(rest.as_ptr(), rest.len()));
        s.store_part(rest.as_mut_ptr(), y, rest.len());
    }
}

slice_functions! {
    exp, exp_in_place, exp_v;
    log, log_in_place, log_v;
    tanh, tanh_in_place, tanh_v;
    sigmoid, sigmoid_in_place, sigmoid_v;
    erf, erf_in_place, erf_v;
    sin, sin_in_place, sin_v;
    cos, cos_in_place, cos_v;
}

/// Runs about `ops` floating-point operations as independent chains of multiply-adds in registers, for measuring the
/// processor; returns a value that depends on them all.
#[must_use]
pub fn multiply_adds(isa: Isa, x: f32, ops: usize) -> f32 {
    dispatch!(isa, |s| chains(s, x, ops))
}

#[inline(always)]
fn chains<S: Simd>(s: S, x: f32, ops: usize) -> f32 {
    const CHAINS: usize = 12;
    let (scale, shift) = (s.splat(x), s.splat(1.0 - x));
    let mut acc = [s.splat(x); CHAINS];
    for _ in 0..ops / (2 * CHAINS * S::LANES) {
        for value in &mut acc {
            *value = s.fma(*value, scale, shift);
        }
    }
    acc.iter().map(|&value| s.sum(value)).sum()
}

#[cfg(test)]
mod tests;
