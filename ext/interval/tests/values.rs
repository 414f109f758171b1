//! The inclusion property against exact integer arithmetic, the sign cases against numbers worked by hand.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails as it should")]

#[path = "../../algebra/tests/support/stream.rs"]
mod stream;

use interval::{Interval, IntervalError};
use stream::Stream;

fn of(lo: f64, hi: f64) -> Interval {
    Interval::new(lo, hi).unwrap()
}

/// A whole number of 53 bits and a sign.
fn whole(stream: &mut Stream) -> i128 {
    (i128::from(stream.next()) >> 11)
        * if stream.next().is_multiple_of(2) {
            1
        } else {
            -1
        }
}

/// Whether `lo <= exact <= hi`, in exact arithmetic: bounds here are whole numbers below 2^127, or infinite.
fn encloses(interval: Interval, exact: i128) -> bool {
    // A float-to-integer `as` is exact for whole numbers in range and saturates outside.
    interval.lo() as i128 <= exact && exact <= interval.hi() as i128
}

#[test]
fn results_enclose_the_exact_one_and_are_one_step_wide() {
    let mut stream = Stream(5);
    for _ in 0..20_000 {
        let (a, b) = (whole(&mut stream), whole(&mut stream));
        let (x, y) = (of(a as f64, a as f64), of(b as f64, b as f64));
        for (got, exact) in [(x + y, a + b), (x - y, a - b), (x * y, a * b)] {
            assert!(encloses(got, exact), "{a} {b}: {got} misses {exact}");
            let exact_is_float = (exact as f64) as i128 == exact;
            let steps = if exact_is_float {
                got.lo()
            } else {
                got.lo().next_up()
            };
            assert_eq!(steps, got.hi(), "{a} {b}: {got} is wider than needed");
        }
        if b != 0 {
            // lo * b <= a <= hi * b for a positive b, where each bound times 2^70 is a whole number.
            let scale = 2.0_f64.powi(70);
            let quotient = (x / y) * of(scale, scale);
            let (lo, hi) = (quotient.lo().floor() as i128, quotient.hi().ceil() as i128);
            let (first, second) = if b > 0 { (lo, hi) } else { (hi, lo) };
            assert!(
                div_le(first, a, b) && div_ge(second, a, b),
                "{a} / {b}: {quotient}"
            );
        }
    }
}

/// Whether `scaled * b <= a * 2^70`, by whole quotients so that nothing overflows.
fn div_le(scaled: i128, a: i128, b: i128) -> bool {
    compare(scaled, a, b) != std::cmp::Ordering::Greater
}

fn div_ge(scaled: i128, a: i128, b: i128) -> bool {
    compare(scaled, a, b) != std::cmp::Ordering::Less
}

/// `scaled * b` against `a * 2^70`, with 192-bit products made of two halves.
fn compare(scaled: i128, a: i128, b: i128) -> std::cmp::Ordering {
    let wide = |x: i128, y: i128| -> (i128, u128) {
        let (high, low) = (x >> 64, x & 0xffff_ffff_ffff_ffff);
        let low = low * y;
        (
            high * y + (low >> 64),
            (low as u128) & 0xffff_ffff_ffff_ffff,
        )
    };
    wide(scaled, b).cmp(&wide(1 << 70, a))
}

#[test]
fn products_by_signs() {
    // (a, b, the product: least and greatest of the four corners, by hand)
    let rows = [
        ((2.0, 3.0), (5.0, 7.0), (10.0, 21.0)),
        ((2.0, 3.0), (-5.0, 7.0), (-15.0, 21.0)),
        ((2.0, 3.0), (-7.0, -5.0), (-21.0, -10.0)),
        ((-2.0, 3.0), (5.0, 7.0), (-14.0, 21.0)),
        ((-2.0, 3.0), (-5.0, 7.0), (-15.0, 21.0)),
        ((-4.0, 3.0), (-6.0, 7.0), (-28.0, 24.0)),
        ((-2.0, 3.0), (-7.0, -5.0), (-21.0, 14.0)),
        ((-3.0, -2.0), (5.0, 7.0), (-21.0, -10.0)),
        ((-3.0, -2.0), (-5.0, 7.0), (-21.0, 15.0)),
        ((-3.0, -2.0), (-7.0, -5.0), (10.0, 21.0)),
        ((0.0, 3.0), (-5.0, 0.0), (-15.0, 0.0)),
        ((0.0, 0.0), (f64::NEG_INFINITY, f64::INFINITY), (0.0, 0.0)),
        ((0.0, 2.0), (1.0, f64::INFINITY), (0.0, f64::INFINITY)),
        (
            (-1.0, 2.0),
            (f64::NEG_INFINITY, 3.0),
            (f64::NEG_INFINITY, f64::INFINITY),
        ),
    ];
    for (a, b, expect) in rows {
        let (x, y, z) = (of(a.0, a.1), of(b.0, b.1), of(expect.0, expect.1));
        assert_eq!(x * y, z, "{x} * {y}");
        assert_eq!(y * x, z, "{y} * {x}");
        assert_eq!(-x * y, -z);
    }
}

#[test]
fn quotients_by_signs() {
    let rows = [
        ((6.0, 12.0), (2.0, 3.0), (2.0, 6.0)),
        ((-6.0, 12.0), (2.0, 3.0), (-3.0, 6.0)),
        ((-12.0, -6.0), (2.0, 3.0), (-6.0, -2.0)),
        ((6.0, 12.0), (-3.0, -2.0), (-6.0, -2.0)),
        ((-6.0, 12.0), (-3.0, -2.0), (-6.0, 3.0)),
        ((-12.0, -6.0), (-3.0, -2.0), (2.0, 6.0)),
        ((1.0, 2.0), (1.0, f64::INFINITY), (0.0, 2.0)),
    ];
    for (a, b, expect) in rows {
        let (x, y, z) = (of(a.0, a.1), of(b.0, b.1), of(expect.0, expect.1));
        let got = x / y;
        assert!(
            got.encloses(z) && z.lo() - got.lo() <= 1e-300 && got.hi() == z.hi(),
            "{x} / {y} = {got}"
        );
    }
    for divisor in [
        of(-1.0, 1.0),
        of(0.0, 1.0),
        of(-1.0, 0.0),
        Interval::ZERO,
        Interval::ENTIRE,
    ] {
        assert_eq!(of(1.0, 2.0) / divisor, Interval::ENTIRE);
    }
}

#[test]
fn overflow_keeps_a_finite_bound() {
    let max = of(f64::MAX, f64::MAX);
    assert_eq!(max + max, of(f64::MAX, f64::INFINITY));
    assert_eq!(-max - max, of(f64::NEG_INFINITY, f64::MIN));
    assert_eq!((max * max).lo(), f64::MAX);
    assert_eq!(max + Interval::ENTIRE, Interval::ENTIRE);
    assert_eq!(Interval::ENTIRE - Interval::ENTIRE, Interval::ENTIRE);
}

#[test]
fn what_is_no_interval() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (lo, hi) in [
        (nan, 1.0),
        (1.0, nan),
        (nan, nan),
        (2.0, 1.0),
        (inf, inf),
        (-inf, -inf),
        (inf, -inf),
    ] {
        let error = Interval::new(lo, hi).unwrap_err();
        assert_eq!(
            (error.lo.to_bits(), error.hi.to_bits()),
            (lo.to_bits(), hi.to_bits())
        );
        assert!(
            error.to_string().contains("encloses no real number"),
            "{error}"
        );
    }
    assert_eq!(
        Interval::try_from(inf),
        Err(IntervalError { lo: inf, hi: inf })
    );
    assert!(Interval::point(nan).is_err());
    assert!(
        !Interval::ENTIRE.contains(inf)
            && !Interval::ENTIRE.contains(nan)
            && Interval::ENTIRE.contains(1e308)
    );
}

#[test]
fn midpoints_widths_and_text() {
    assert_eq!((of(1.0, 3.0).midpoint(), of(1.0, 3.0).width()), (2.0, 2.0));
    assert_eq!(
        (Interval::ENTIRE.midpoint(), Interval::ENTIRE.width()),
        (0.0, f64::INFINITY)
    );
    assert!(of(0.0, f64::INFINITY).contains(of(0.0, f64::INFINITY).midpoint()));
    assert!(of(f64::MIN, f64::MAX).contains(of(f64::MIN, f64::MAX).midpoint()));
    let rows = [
        (of(-0.5, 2.0).to_string(), "[-0.5, 2]"),
        (Interval::ENTIRE.to_string(), "[-inf, inf]"),
        (format!("{:.2}", of(0.125, 1.0)), "[0.12, 1.00]"),
        (format!("{:>10}|", of(1.0, 2.0)), "    [1, 2]|"),
        (format!("{:10.1}|", of(1.0, 2.0)), "[1.0, 2.0]|"),
    ];
    for (got, expect) in rows {
        assert_eq!(got, expect);
    }
}
