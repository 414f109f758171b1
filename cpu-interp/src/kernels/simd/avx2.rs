//! AVX2 with fused multiply-add: 8 lanes.

use super::Simd;
use core::arch::x86_64::*;

/// The token of the AVX2 level.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The token.
    ///
    /// # Safety
    /// The processor has AVX2 and FMA.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// Eight set lanes, then eight clear ones: a mask of the first `n` lanes starts at element `8 - n`.
static FIRST_LANES: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The mask of the first `n` lanes.
#[inline(always)]
fn first_lanes(n: usize) -> __m256i {
    debug_assert!(n <= 8);
    // SAFETY: AVX is implied by the token of every caller; 8 - n is in 0..=8, so 8 elements from there are in bounds.
    unsafe { _mm256_loadu_si256(FIRST_LANES.as_ptr().add(8 - n).cast()) }
}

/// Wraps intrinsics that have no precondition but the instruction set.
macro_rules! op {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            // SAFETY: the token is evidence of AVX2 and FMA, the only precondition of these intrinsics.
            unsafe { $body }
        }
    )*};
}

impl Simd for Avx2 {
    type V = __m256;
    type I = __m256i;
    type M = __m256;

    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m256 {
        // SAFETY: the caller promises 8 readable elements.
        unsafe { _mm256_loadu_ps(p) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: __m256) {
        // SAFETY: the caller promises 8 writable elements.
        unsafe { _mm256_storeu_ps(p, v) }
    }
    #[inline(always)]
    unsafe fn load_part(self, p: *const f32, n: usize) -> __m256 {
        // SAFETY: the caller promises n readable elements; masked lanes are not accessed.
        unsafe { _mm256_maskload_ps(p, first_lanes(n)) }
    }
    #[inline(always)]
    unsafe fn store_part(self, p: *mut f32, v: __m256, n: usize) {
        // SAFETY: the caller promises n writable elements; masked lanes are not accessed.
        unsafe { _mm256_maskstore_ps(p, first_lanes(n), v) }
    }

    op! {
        splat(x: f32) -> __m256 = _mm256_set1_ps(x);
        prefetch(p: *const f32) -> () = _mm_prefetch::<_MM_HINT_T0>(p.cast());
        add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
        sub(a: __m256, b: __m256) -> __m256 = _mm256_sub_ps(a, b);
        mul(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        div(a: __m256, b: __m256) -> __m256 = _mm256_div_ps(a, b);
        fma(a: __m256, b: __m256, c: __m256) -> __m256 = _mm256_fmadd_ps(a, b, c);
        min(a: __m256, b: __m256) -> __m256 = _mm256_min_ps(a, b);
        max(a: __m256, b: __m256) -> __m256 = _mm256_max_ps(a, b);
        sqrt(a: __m256) -> __m256 = _mm256_sqrt_ps(a);
        lt(a: __m256, b: __m256) -> __m256 = _mm256_cmp_ps::<_CMP_LT_OQ>(a, b);
        eq(a: __m256, b: __m256) -> __m256 = _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b);
        int_eq(a: __m256i, b: __m256i) -> __m256 = _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
        select(m: __m256, a: __m256, b: __m256) -> __m256 = _mm256_blendv_ps(b, a, m);
        to_int(v: __m256) -> __m256i = _mm256_cvtps_epi32(v);
        to_float(v: __m256i) -> __m256 = _mm256_cvtepi32_ps(v);
        bits(v: __m256) -> __m256i = _mm256_castps_si256(v);
        of_bits(v: __m256i) -> __m256 = _mm256_castsi256_ps(v);
        int_splat(x: i32) -> __m256i = _mm256_set1_epi32(x);
        int_add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
        int_sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
        int_and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        int_or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
        int_xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256(a, b);
    }

    #[inline(always)]
    fn int_shl<const N: u32>(self, a: __m256i) -> __m256i {
        // SAFETY: the token is evidence of AVX2.
        unsafe { _mm256_sll_epi32(a, _mm_cvtsi32_si128(N as i32)) }
    }
    #[inline(always)]
    fn int_shr<const N: u32>(self, a: __m256i) -> __m256i {
        // SAFETY: the token is evidence of AVX2.
        unsafe { _mm256_sra_epi32(a, _mm_cvtsi32_si128(N as i32)) }
    }

    #[inline(always)]
    fn scale(self, v: __m256, n: __m256) -> __m256 {
        // Two exact powers of two; only the last product can round.
        let n = self.to_int(n);
        let half = self.int_shr::<1>(n);
        let power = |e| self.of_bits(self.int_shl::<23>(self.int_add(e, self.int_splat(127))));
        self.mul(self.mul(v, power(half)), power(self.int_sub(n, half)))
    }

    #[inline(always)]
    fn reduce_half_pi(self, x: __m256) -> (__m256i, __m256) {
        let part = |x: __m128| {
            // SAFETY: the token is evidence of AVX2 and FMA.
            unsafe {
                let x = _mm256_cvtps_pd(x);
                let scaled = _mm256_mul_pd(x, _mm256_set1_pd(std::f64::consts::FRAC_2_PI));
                let n =
                    _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(scaled);
                let r = _mm256_fnmadd_pd(n, _mm256_set1_pd(super::HALF_PI_HIGH), x);
                let r = _mm256_fnmadd_pd(n, _mm256_set1_pd(super::HALF_PI_LOW), r);
                (_mm256_cvtpd_epi32(n), _mm256_cvtpd_ps(r))
            }
        };
        // SAFETY: the token is evidence of AVX2.
        unsafe {
            let (n0, r0) = part(_mm256_castps256_ps128(x));
            let (n1, r1) = part(_mm256_extractf128_ps::<1>(x));
            (_mm256_set_m128i(n1, n0), _mm256_set_m128(r1, r0))
        }
    }

    #[inline(always)]
    fn deinterleave(self, a: __m256, b: __m256) -> (__m256, __m256) {
        // SAFETY: the token is evidence of AVX2.
        unsafe {
            let even = _mm256_shuffle_ps::<0b10_00_10_00>(a, b);
            let odd = _mm256_shuffle_ps::<0b11_01_11_01>(a, b);
            let fix =
                |v| _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(v)));
            (fix(even), fix(odd))
        }
    }

    #[inline(always)]
    fn sum(self, v: __m256) -> f32 {
        // SAFETY: the token is evidence of AVX2.
        unsafe {
            let q = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
            let d = _mm_add_ps(q, _mm_movehl_ps(q, q));
            _mm_cvtss_f32(_mm_add_ss(d, _mm_movehdup_ps(d)))
        }
    }
}
