//! Each function against f64, on every level: all exponents densely, the neighbourhoods that matter, the edges.

use super::*;
use crate::kernels::testing::ulp_error;

/// Bit patterns of every exponent and sign, a few hundred mantissas each, and the edges.
fn sweep() -> Vec<f32> {
    let mut out: Vec<f32> = (0..=u32::MAX / 20_011)
        .map(|i| f32::from_bits(i * 20_011))
        .collect();
    out.extend((0..400_000).map(|i| (i as f32 - 200_000.0) * 5e-4));
    out.extend((0..200_000).map(|i| (i as f32 - 100_000.0) * 5e-5));
    out.extend((0..100_000).map(|i| 1.0 + (i as f32 - 50_000.0) * 1e-6));
    for x in [
        0.0,
        1e-45,
        f32::MIN_POSITIVE,
        1.0,
        0.5,
        88.722_83,
        88.722_84,
        88.8,
        103.9,
        104.5,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ] {
        out.extend([x, -x]);
    }
    out
}

fn check(
    name: &str,
    limit: f64,
    f: fn(Isa, &[f32], &mut [f32]),
    want: fn(f64) -> f64,
    domain: fn(f32) -> bool,
    range: (f32, f32),
) {
    let x: Vec<f32> = sweep().into_iter().filter(|&x| domain(x)).collect();
    for isa in Isa::available() {
        let mut y = vec![0.0; x.len()];
        f(isa, &x, &mut y);
        let (mut worst, mut at) = (0.0, 0.0);
        for (&x, &y) in x.iter().zip(&y) {
            let error = ulp_error(y, want(f64::from(x)));
            assert!(
                y.is_nan() || (range.0 <= y && y <= range.1),
                "{name}({x}) = {y} on {isa:?} leaves its range"
            );
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        assert!(
            worst <= limit,
            "{name}({at}) on {isa:?} is off by {worst} ULP, the limit is {limit}"
        );
        println!("{name} {isa:?}: {worst:.2} ULP at {at}");
    }
}

const ALL: fn(f32) -> bool = |_| true;
const ANY: (f32, f32) = (f32::NEG_INFINITY, f32::INFINITY);

#[test]
fn exp_and_log() {
    check("exp", 2.0, exp, f64::exp, ALL, (0.0, f32::INFINITY));
    check("log", 2.0, log, f64::ln, ALL, ANY);
}

#[test]
fn saturating_functions() {
    check("tanh", 3.0, tanh, f64::tanh, ALL, (-1.0, 1.0));
    check(
        "sigmoid",
        3.0,
        sigmoid,
        |x| 1.0 / (1.0 + (-x).exp()),
        ALL,
        (0.0, 1.0),
    );
    check("erf", 3.0, erf, erf_f64, ALL, (-1.0, 1.0));
}

/// erf in f64: its Taylor series below 3, the continued fraction of erfc above (both to well below f32's precision).
fn erf_f64(x: f64) -> f64 {
    let a = x.abs();
    if x.is_nan() || a > 6.0 {
        return if x.is_nan() { x } else { x.signum() };
    }
    if a < 3.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > sum.abs() * 1e-18 {
            n += 1.0;
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return sum * 2.0 / std::f64::consts::PI.sqrt();
    }
    let mut fraction = 0.0;
    for n in (1..=60).rev() {
        fraction = f64::from(n) / 2.0 / (a + fraction);
    }
    let erfc = (-a * a).exp() / std::f64::consts::PI.sqrt() / (a + fraction);
    x.signum() * (1.0 - erfc)
}

#[test]
fn sine_and_cosine() {
    for (name, f, want) in [
        (
            "sin",
            sin as fn(Isa, &[f32], &mut [f32]),
            f64::sin as fn(f64) -> f64,
        ),
        ("cos", cos, f64::cos),
    ] {
        let mut x: Vec<f32> = sweep().into_iter().filter(|x| x.abs() <= 1e5).collect();
        // Next to multiples of pi/2, where cancellation is worst.
        x.extend((-63_000..63_000).map(|n| (f64::from(n) * std::f64::consts::FRAC_PI_2) as f32));
        for isa in Isa::available() {
            let mut y = vec![0.0; x.len()];
            f(isa, &x, &mut y);
            for (&x, &y) in x.iter().zip(&y) {
                let want = want(f64::from(x));
                let ok = ulp_error(y, want) <= 2.0 || (f64::from(y) - want).abs() <= 2f64.powi(-40);
                assert!(
                    ok && y.abs() <= 1.0,
                    "{name}({x}) = {y}, expected {want} on {isa:?}"
                );
            }
            let mut edge = [f32::INFINITY, f32::NAN, f32::NEG_INFINITY];
            f(isa, &edge.clone(), &mut edge);
            assert!(edge.iter().all(|x| x.is_nan()), "{name} of inf on {isa:?}");
        }
    }
}

#[test]
fn every_length_and_in_place() {
    for isa in Isa::available() {
        for len in 0..70 {
            let x: Vec<f32> = (0..len).map(|i| i as f32 * 0.1).collect();
            let mut y = vec![0.0; len];
            exp(isa, &x, &mut y);
            let mut z = x.clone();
            exp_in_place(isa, &mut z);
            assert_eq!(y, z);
            assert!(
                x.iter()
                    .zip(&y)
                    .all(|(x, y)| (x.exp() - y).abs() <= 2e-6 * y.abs())
            );
        }
    }
}
