//! The portable level: arrays of 8 lanes that the compiler vectorises for the build's baseline.

use super::Simd;
use std::array::from_fn;

/// The token of the portable level.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

const N: usize = 8;

impl Simd for Portable {
    type V = [f32; N];
    type I = [i32; N];
    type M = [bool; N];

    const LANES: usize = N;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::V {
        [x; N]
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> Self::V {
        // SAFETY: the caller promises N readable elements; an array of f32 may be read unaligned.
        unsafe { p.cast::<Self::V>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: Self::V) {
        // SAFETY: the caller promises N writable elements.
        unsafe { p.cast::<Self::V>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn load_part(self, p: *const f32, n: usize) -> Self::V {
        let mut out = [0.0; N];
        for (i, lane) in out.iter_mut().enumerate().take(n) {
            // SAFETY: the caller promises n readable elements.
            *lane = unsafe { *p.add(i) };
        }
        out
    }
    #[inline(always)]
    unsafe fn store_part(self, p: *mut f32, v: Self::V, n: usize) {
        for (i, lane) in v.into_iter().enumerate().take(n) {
            // SAFETY: the caller promises n writable elements.
            unsafe { *p.add(i) = lane };
        }
    }
    #[inline(always)]
    fn prefetch(self, _p: *const f32) {}

    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn div(self, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| a[i] / b[i])
    }
    #[inline(always)]
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        // Where the baseline has the instruction it is one; elsewhere a fused multiply-add would be a slow call.
        if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
            from_fn(|i| a[i].mul_add(b[i], c[i]))
        } else {
            from_fn(|i| a[i] * b[i] + c[i])
        }
    }
    #[inline(always)]
    fn min(self, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn sqrt(self, a: Self::V) -> Self::V {
        from_fn(|i| a[i].sqrt())
    }

    #[inline(always)]
    fn lt(self, a: Self::V, b: Self::V) -> Self::M {
        from_fn(|i| a[i] < b[i])
    }
    #[inline(always)]
    fn eq(self, a: Self::V, b: Self::V) -> Self::M {
        from_fn(|i| a[i] == b[i])
    }
    #[inline(always)]
    fn int_eq(self, a: Self::I, b: Self::I) -> Self::M {
        from_fn(|i| a[i] == b[i])
    }
    #[inline(always)]
    fn select(self, m: Self::M, a: Self::V, b: Self::V) -> Self::V {
        from_fn(|i| if m[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn to_int(self, v: Self::V) -> Self::I {
        // Adding 1.5 * 2^23 rounds to an integer in the low mantissa bits, ties to even, without a library call.
        const MAGIC: f32 = 12_582_912.0;
        from_fn(|i| {
            if v[i].abs() < 4_194_304.0 {
                ((v[i] + MAGIC).to_bits() as i32).wrapping_sub(MAGIC.to_bits() as i32)
            } else {
                v[i] as i32
            }
        })
    }
    #[inline(always)]
    fn to_float(self, v: Self::I) -> Self::V {
        from_fn(|i| v[i] as f32)
    }
    #[inline(always)]
    fn bits(self, v: Self::V) -> Self::I {
        from_fn(|i| v[i].to_bits() as i32)
    }
    #[inline(always)]
    fn of_bits(self, v: Self::I) -> Self::V {
        from_fn(|i| f32::from_bits(v[i] as u32))
    }
    #[inline(always)]
    fn int_splat(self, x: i32) -> Self::I {
        [x; N]
    }
    #[inline(always)]
    fn int_add(self, a: Self::I, b: Self::I) -> Self::I {
        from_fn(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    fn int_sub(self, a: Self::I, b: Self::I) -> Self::I {
        from_fn(|i| a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    fn int_and(self, a: Self::I, b: Self::I) -> Self::I {
        from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn int_or(self, a: Self::I, b: Self::I) -> Self::I {
        from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn int_xor(self, a: Self::I, b: Self::I) -> Self::I {
        from_fn(|i| a[i] ^ b[i])
    }
    #[inline(always)]
    fn int_shl<const S: u32>(self, a: Self::I) -> Self::I {
        from_fn(|i| a[i] << S)
    }
    #[inline(always)]
    fn int_shr<const S: u32>(self, a: Self::I) -> Self::I {
        from_fn(|i| a[i] >> S)
    }

    #[inline(always)]
    fn scale(self, v: Self::V, n: Self::V) -> Self::V {
        from_fn(|i| {
            // Two exact powers of two; only the last product can round.
            let n = n[i] as i32;
            let half = n >> 1;
            let power = |e: i32| f32::from_bits(((e + 127) as u32) << 23);
            v[i] * power(half) * power(n.wrapping_sub(half))
        })
    }
    #[inline(always)]
    fn reduce_half_pi(self, x: Self::V) -> (Self::I, Self::V) {
        let n: [f64; N] =
            from_fn(|i| (f64::from(x[i]) * std::f64::consts::FRAC_2_PI).round_ties_even());
        let r = from_fn(|i| {
            let r = f64::from(x[i]) - n[i] * super::HALF_PI_HIGH;
            (r - n[i] * super::HALF_PI_LOW) as f32
        });
        (from_fn(|i| n[i] as i32), r)
    }
    #[inline(always)]
    fn deinterleave(self, a: Self::V, b: Self::V) -> (Self::V, Self::V) {
        let pick = |i: usize| if i < N { a[i] } else { b[i - N] };
        (from_fn(|i| pick(2 * i)), from_fn(|i| pick(2 * i + 1)))
    }

    #[inline(always)]
    fn sum(self, v: Self::V) -> f32 {
        let q: [f32; 4] = from_fn(|i| v[i] + v[i + 4]);
        (q[0] + q[2]) + (q[1] + q[3])
    }
}
