//! AVX-512: 16 lanes with masks.

use super::Simd;
use core::arch::x86_64::*;

/// The token of the AVX-512 level.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The token.
    ///
    /// # Safety
    /// The processor has AVX-512 F, VL, BW and DQ, AVX2 and FMA.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// The mask of the first `n` lanes.
#[inline(always)]
fn first_lanes(n: usize) -> __mmask16 {
    debug_assert!(n <= 16);
    ((1_u32 << n) - 1) as __mmask16
}

/// Wraps intrinsics that have no precondition but the instruction set.
macro_rules! op {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            // SAFETY: the token is evidence of AVX-512, the only precondition of these intrinsics.
            unsafe { $body }
        }
    )*};
}

impl Simd for Avx512 {
    type V = __m512;
    type I = __m512i;
    type M = __mmask16;

    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m512 {
        // SAFETY: the caller promises 16 readable elements.
        unsafe { _mm512_loadu_ps(p) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: __m512) {
        // SAFETY: the caller promises 16 writable elements.
        unsafe { _mm512_storeu_ps(p, v) }
    }
    #[inline(always)]
    unsafe fn load_part(self, p: *const f32, n: usize) -> __m512 {
        // SAFETY: the caller promises n readable elements; masked lanes are not accessed.
        unsafe { _mm512_maskz_loadu_ps(first_lanes(n), p) }
    }
    #[inline(always)]
    unsafe fn store_part(self, p: *mut f32, v: __m512, n: usize) {
        // SAFETY: the caller promises n writable elements; masked lanes are not accessed.
        unsafe { _mm512_mask_storeu_ps(p, first_lanes(n), v) }
    }

    op! {
        splat(x: f32) -> __m512 = _mm512_set1_ps(x);
        prefetch(p: *const f32) -> () = _mm_prefetch::<_MM_HINT_T0>(p.cast());
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
        mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        div(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
        fma(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps(a, b, c);
        min(a: __m512, b: __m512) -> __m512 = _mm512_min_ps(a, b);
        max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps(a, b);
        sqrt(a: __m512) -> __m512 = _mm512_sqrt_ps(a);
        lt(a: __m512, b: __m512) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
        eq(a: __m512, b: __m512) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b);
        int_eq(a: __m512i, b: __m512i) -> __mmask16 = _mm512_cmpeq_epi32_mask(a, b);
        select(m: __mmask16, a: __m512, b: __m512) -> __m512 = _mm512_mask_blend_ps(m, b, a);
        to_int(v: __m512) -> __m512i = _mm512_cvtps_epi32(v);
        to_float(v: __m512i) -> __m512 = _mm512_cvtepi32_ps(v);
        bits(v: __m512) -> __m512i = _mm512_castps_si512(v);
        of_bits(v: __m512i) -> __m512 = _mm512_castsi512_ps(v);
        int_splat(x: i32) -> __m512i = _mm512_set1_epi32(x);
        int_add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        int_sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b);
        int_and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
        int_or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512(a, b);
        int_xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512(a, b);
        // Saturates at infinity, rounds once into subnormals.
        scale(v: __m512, n: __m512) -> __m512 = _mm512_scalef_ps(v, n);
        sum(v: __m512) -> f32 = {
            let o = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps::<1>(v));
            let q = _mm_add_ps(_mm256_castps256_ps128(o), _mm256_extractf128_ps::<1>(o));
            let d = _mm_add_ps(q, _mm_movehl_ps(q, q));
            _mm_cvtss_f32(_mm_add_ss(d, _mm_movehdup_ps(d)))
        };
    }

    #[inline(always)]
    fn int_shl<const N: u32>(self, a: __m512i) -> __m512i {
        // SAFETY: the token is evidence of AVX-512.
        unsafe { _mm512_slli_epi32::<N>(a) }
    }
    #[inline(always)]
    fn int_shr<const N: u32>(self, a: __m512i) -> __m512i {
        // SAFETY: the token is evidence of AVX-512.
        unsafe { _mm512_srai_epi32::<N>(a) }
    }

    #[inline(always)]
    fn reduce_half_pi(self, x: __m512) -> (__m512i, __m512) {
        let part = |x: __m256| {
            // SAFETY: the token is evidence of AVX-512.
            unsafe {
                let x = _mm512_cvtps_pd(x);
                let scaled = _mm512_mul_pd(x, _mm512_set1_pd(std::f64::consts::FRAC_2_PI));
                let n = _mm512_roundscale_pd::<_MM_FROUND_TO_NEAREST_INT>(scaled);
                let r = _mm512_fnmadd_pd(n, _mm512_set1_pd(super::HALF_PI_HIGH), x);
                let r = _mm512_fnmadd_pd(n, _mm512_set1_pd(super::HALF_PI_LOW), r);
                (_mm512_cvtpd_epi32(n), _mm512_cvtpd_ps(r))
            }
        };
        // SAFETY: the token is evidence of AVX-512.
        unsafe {
            let (n0, r0) = part(_mm512_castps512_ps256(x));
            let (n1, r1) = part(_mm512_extractf32x8_ps::<1>(x));
            (
                _mm512_inserti32x8::<1>(_mm512_castsi256_si512(n0), n1),
                _mm512_insertf32x8::<1>(_mm512_castps256_ps512(r0), r1),
            )
        }
    }

    #[inline(always)]
    fn deinterleave(self, a: __m512, b: __m512) -> (__m512, __m512) {
        // SAFETY: the token is evidence of AVX-512.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            (
                _mm512_permutex2var_ps(a, even, b),
                _mm512_permutex2var_ps(a, odd, b),
            )
        }
    }
}
