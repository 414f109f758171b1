//! What the kernels' tests share: pseudo-random values and comparison with f64 results.

use super::Cpu;
use super::isa::Isa;

/// Reproducible values in -1..1 (xorshift).
pub(crate) fn values(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 40) as f32 / (1_u64 << 23) as f32) - 1.0
        })
        .collect()
}

/// Panics unless `got` is within `tolerance` (absolute, plus relative) of `want` everywhere.
pub(crate) fn assert_close(what: &str, got: &[f32], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(got) - want).abs();
        assert!(
            error <= tolerance * (1.0 + want.abs())
                || (got.is_nan() && want.is_nan())
                || f64::from(got) == want,
            "{what}: element {i} is {got}, expected {want}"
        );
    }
}

/// The distance of `got` from `want` in units of the last place of `want` as f32.
pub(crate) fn ulp_error(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == rounded {
        return 0.0;
    }
    if got.is_infinite() || rounded.is_infinite() {
        return f64::INFINITY;
    }
    let exponent = if want == 0.0 {
        -126
    } else {
        (want.abs().log2().floor() as i32).clamp(-126, 127)
    };
    (f64::from(got) - want).abs() / 2f64.powi(exponent - 23)
}

/// Runs `make` on every level with one and with two threads, checks that the threads do not change a bit, and gives the
/// result of each level to `check`.
pub(crate) fn on_every_level(make: impl Fn(&Cpu) -> Vec<f32>, check: impl Fn(Isa, &[f32])) {
    for isa in Isa::available() {
        let one = make(&Cpu::with_isa(isa, 1));
        let two = make(&Cpu::with_isa(isa, 2));
        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(
            bits(&one) == bits(&two),
            "{isa:?}: two threads change the result"
        );
        check(isa, &one);
    }
}
