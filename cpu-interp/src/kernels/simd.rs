//! The vector operations that kernels are written in, once, for every instruction set.
//!
//! A token (`Portable`, `Avx2`, `Avx512`) is evidence that its instructions exist; it has no size. All methods are
//! `#[inline(always)]`, so that they compile to single instructions inside the function that
//! [`dispatch!`](super::isa) enters.
//!
//! Conventions: `V` holds [`Simd::LANES`] f32, `I` as many i32, `M` one truth value a lane. Comparisons with NaN are
//! false. [`Simd::min`] and [`Simd::max`] return their *second* operand where either is NaN, as x86 does.

pub mod portable;

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;

/// pi/2 rounded to 33 bits, so that its product with a 20 bit integer is exact in f64.
const HALF_PI_HIGH: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
/// What [`HALF_PI_HIGH`] leaves out, rounded to f64.
const HALF_PI_LOW: f64 = f64::from_bits(0x3dd0_b461_1a62_6331);

/// One instruction set. See the module's conventions.
#[expect(
    missing_docs,
    reason = "the one-line methods are named after the operation they are"
)]
#[expect(
    clippy::missing_safety_doc,
    reason = "every unsafe method reads or writes the lanes it names through its pointer: those must be in bounds"
)]
pub trait Simd: Copy + Send + Sync + std::fmt::Debug + 'static {
    type V: Copy;
    type I: Copy;
    type M: Copy;

    /// f32 lanes of a vector.
    const LANES: usize;

    fn splat(self, x: f32) -> Self::V;
    unsafe fn load(self, p: *const f32) -> Self::V;
    unsafe fn store(self, p: *mut f32, v: Self::V);
    /// The first `n` lanes; the others are 0 and their memory is not touched.
    unsafe fn load_part(self, p: *const f32, n: usize) -> Self::V;
    /// Writes the first `n` lanes only.
    unsafe fn store_part(self, p: *mut f32, v: Self::V, n: usize);
    /// Hints that the line at `p` is needed soon; any address will do.
    fn prefetch(self, p: *const f32);

    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`, fused except in the portable level.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(self, a: Self::V) -> Self::V;

    fn lt(self, a: Self::V, b: Self::V) -> Self::M;
    fn eq(self, a: Self::V, b: Self::V) -> Self::M;
    fn int_eq(self, a: Self::I, b: Self::I) -> Self::M;
    /// Lanes of `a` where the mask is true, else of `b`.
    fn select(self, m: Self::M, a: Self::V, b: Self::V) -> Self::V;

    /// To the nearest integer, ties to even; unspecified outside the range of i32.
    fn to_int(self, v: Self::V) -> Self::I;
    fn to_float(self, v: Self::I) -> Self::V;
    fn bits(self, v: Self::V) -> Self::I;
    fn of_bits(self, v: Self::I) -> Self::V;
    fn int_splat(self, x: i32) -> Self::I;
    fn int_add(self, a: Self::I, b: Self::I) -> Self::I;
    fn int_sub(self, a: Self::I, b: Self::I) -> Self::I;
    fn int_and(self, a: Self::I, b: Self::I) -> Self::I;
    fn int_or(self, a: Self::I, b: Self::I) -> Self::I;
    fn int_xor(self, a: Self::I, b: Self::I) -> Self::I;
    fn int_shl<const N: u32>(self, a: Self::I) -> Self::I;
    /// Arithmetic (sign-keeping) shift right.
    fn int_shr<const N: u32>(self, a: Self::I) -> Self::I;

    /// `v * 2^n` for integers `n` in -252..=252, rounded once (so subnormal results are right).
    fn scale(self, v: Self::V, n: Self::V) -> Self::V;
    /// The nearest multiple `n` of pi/2 (as i32) and `x - n * pi/2`, reduced in f64; for |x| up to 1e8.
    fn reduce_half_pi(self, x: Self::V) -> (Self::I, Self::V);
    /// The even and the odd elements of `a` followed by `b`.
    fn deinterleave(self, a: Self::V, b: Self::V) -> (Self::V, Self::V);

    /// The sum of the lanes, adding halves.
    fn sum(self, v: Self::V) -> f32;

    #[inline(always)]
    fn zero(self) -> Self::V {
        self.splat(0.0)
    }

    #[inline(always)]
    fn abs(self, v: Self::V) -> Self::V {
        self.of_bits(self.int_and(self.bits(v), self.int_splat(0x7fff_ffff)))
    }

    /// The magnitude of `v` with the sign of `sign`.
    #[inline(always)]
    fn copysign(self, v: Self::V, sign: Self::V) -> Self::V {
        let sign = self.int_and(self.bits(sign), self.int_splat(i32::MIN));
        let v = self.int_and(self.bits(v), self.int_splat(i32::MAX));
        self.of_bits(self.int_or(sign, v))
    }

    #[inline(always)]
    fn neg(self, v: Self::V) -> Self::V {
        self.of_bits(self.int_xor(self.bits(v), self.int_splat(i32::MIN)))
    }

    /// `a` where both are numbers and `a` is greater, NaN where either is NaN.
    #[inline(always)]
    fn max_nan(self, a: Self::V, b: Self::V) -> Self::V {
        self.select(self.eq(b, b), self.max(b, a), b)
    }

    /// The lesser of two numbers, NaN where either is NaN.
    #[inline(always)]
    fn min_nan(self, a: Self::V, b: Self::V) -> Self::V {
        self.select(self.eq(b, b), self.min(b, a), b)
    }

    /// The lanes as an array's first [`Simd::LANES`] elements.
    #[inline(always)]
    fn lanes(self, v: Self::V) -> [f32; 16] {
        let mut out = [0.0; 16];
        // SAFETY: no level has more than 16 lanes.
        unsafe { self.store(out.as_mut_ptr(), v) };
        out
    }
}

#[cfg(test)]
mod tests;
