//! Each operation of each level against plain arithmetic on its lanes.

use super::Simd;
use crate::kernels::isa::{Isa, dispatch};

fn check<S: Simd>(s: S) {
    let a: [f32; 16] = std::array::from_fn(|i| i as f32 - 5.5);
    let b: [f32; 16] = std::array::from_fn(|i| 3.0 - i as f32 * 0.75);
    let n = S::LANES;
    // SAFETY: the arrays have as many elements as any level has lanes.
    let (va, vb) = unsafe { (s.load(a.as_ptr()), s.load(b.as_ptr())) };
    let each = |name: &str, got: S::V, want: &dyn Fn(usize) -> f32| {
        let got = s.lanes(got);
        for (i, &got) in got.iter().enumerate().take(n) {
            let want = want(i);
            assert!(
                got.to_bits() == want.to_bits() || got == want || (got.is_nan() && want.is_nan()),
                "{name} lane {i}: {got}, expected {want}"
            );
        }
    };
    each("add", s.add(va, vb), &|i| a[i] + b[i]);
    each("sub", s.sub(va, vb), &|i| a[i] - b[i]);
    each("mul", s.mul(va, vb), &|i| a[i] * b[i]);
    each("div", s.div(va, vb), &|i| a[i] / b[i]);
    each("min", s.min(va, vb), &|i| a[i].min(b[i]));
    each("max", s.max(va, vb), &|i| a[i].max(b[i]));
    each("abs", s.abs(va), &|i| a[i].abs());
    each("neg", s.neg(va), &|i| -a[i]);
    each("copysign", s.copysign(va, vb), &|i| a[i].copysign(b[i]));
    each("lt", s.select(s.lt(va, vb), va, vb), &|i| a[i].min(b[i]));
    each("round", s.to_float(s.to_int(va)), &|i| {
        a[i].round_ties_even()
    });
    each("fma", s.fma(va, va, vb), &|i| a[i] * a[i] + b[i]);
    each("scale", s.scale(va, s.splat(-130.0)), &|i| {
        (f64::from(a[i]) * 2f64.powi(-130)) as f32
    });
    let (even, odd) = s.deinterleave(va, vb);
    let both = |i: usize| if i < n { a[i] } else { b[i - n] };
    each("even", even, &|i| both(2 * i));
    each("odd", odd, &|i| both(2 * i + 1));
    each("shl", s.to_float(s.int_shl::<3>(s.to_int(va))), &|i| {
        a[i].round_ties_even() * 8.0
    });
    each("shr", s.to_float(s.int_shr::<1>(s.to_int(va))), &|i| {
        (a[i].round_ties_even() / 2.0).floor()
    });
    assert_eq!(s.sum(va), a[..n].iter().sum::<f32>());
    let nan = s.splat(f32::NAN);
    each("max_nan right", s.max_nan(va, nan), &|_| f32::NAN);
    each("max_nan left", s.max_nan(nan, va), &|_| f32::NAN);
    each("min_nan left", s.min_nan(nan, va), &|_| f32::NAN);
    for part in 0..=n {
        // SAFETY: at most `n` lanes of a 16 element array.
        let got = unsafe { s.load_part(a.as_ptr(), part) };
        each("load_part", got, &|i| if i < part { a[i] } else { 0.0 });
        let mut out = [9.0_f32; 16];
        // SAFETY: as above.
        unsafe { s.store_part(out.as_mut_ptr(), va, part) };
        for i in 0..16 {
            assert_eq!(out[i], if i < part { a[i] } else { 9.0 }, "store_part");
        }
    }
}

#[test]
fn every_level_agrees_with_plain_arithmetic() {
    for isa in Isa::available() {
        dispatch!(isa, |s| check(s));
    }
}
