//! Elementwise functions of slices.

use super::isa::{Isa, dispatch};
use super::simd::Simd;

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
