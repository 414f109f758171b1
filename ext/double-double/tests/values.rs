//! Arithmetic against exact integers and published constants, text against decimals written by hand.

#[path = "../../algebra/tests/support/stream.rs"]
mod stream;

use double_double::DoubleDouble;
use stream::Stream;

/// A signed integer of at most `bits` bits.
fn random(stream: &mut Stream, bits: u32) -> i128 {
    let wide = (u128::from(stream.next()) << 64) | u128::from(stream.next());
    let magnitude = (wide >> (128 - bits)) as i128;
    if stream.next().is_multiple_of(2) {
        magnitude
    } else {
        -magnitude
    }
}

/// The value of an integer of at most 106 bits: the upper 53 and the lower 53 are exact each.
fn of(value: i128) -> DoubleDouble {
    let high = (value >> 53) << 53;
    let made = DoubleDouble::new(high as f64, (value - high) as f64);
    assert_eq!(integer(made), value, "the test's own input must be exact");
    made
}

/// The integer that a value is.
fn integer(value: DoubleDouble) -> i128 {
    let (hi, lo) = value.parts();
    assert_eq!((hi.fract(), lo.fract()), (0.0, 0.0));
    hi as i128 + lo as i128
}

#[test]
fn sums_of_integers_are_exact_up_to_106_bits() {
    let mut stream = Stream(1);
    for _ in 0..10_000 {
        let (a, b) = (random(&mut stream, 104), random(&mut stream, 104));
        assert_eq!(integer(of(a) + of(b)), a + b, "{a} + {b}");
        assert_eq!(integer(of(a) - of(b)), a - b, "{a} - {b}");
        let small = random(&mut stream, 20);
        assert_eq!(integer(of(a) + of(small)), a + small);
        assert_eq!(of(a).partial_cmp(&of(b)), Some(a.cmp(&b)), "{a} {b}");
        assert_eq!(
            of(a).partial_cmp(&of(a + 1)),
            Some(std::cmp::Ordering::Less)
        );
    }
}

#[test]
fn products_of_integers_are_exact_up_to_106_bits() {
    let mut stream = Stream(2);
    for _ in 0..10_000 {
        let (a, b) = (random(&mut stream, 53), random(&mut stream, 53));
        assert_eq!(integer(of(a) * of(b)), a * b, "{a} * {b}");
        let (a, b) = (random(&mut stream, 80), random(&mut stream, 25));
        assert_eq!(integer(of(a) * of(b)), a * b, "{a} * {b}");
    }
}

/// Parts far apart, and high parts that cancel: within 3 units of 2^-106 of the exact sum, in integers.
#[test]
fn sums_of_any_parts_keep_their_bound() {
    let mut stream = Stream(5);
    for _ in 0..10_000 {
        let (high, shift) = (random(&mut stream, 53) << 64, stream.next() % 10);
        let (low, other) = (random(&mut stream, 53), random(&mut stream, 53) << shift);
        let second = if stream.next().is_multiple_of(2) {
            -high
        } else {
            random(&mut stream, 53) << 60
        };
        let of_parts = |hi: i128, lo: i128| DoubleDouble::new(hi as f64, lo as f64);
        let got = integer(of_parts(high, low) + of_parts(second, other));
        let exact = high + low + second + other;
        assert!(
            (got - exact).abs() <= (3 * exact.abs()) >> 106,
            "{high} + {low}, {second} + {other}: {got}, not {exact}"
        );
    }
}

/// Factors of 63 bits: within 4 units of 2^-106 of the exact product of 126.
#[test]
fn products_keep_their_bound() {
    let mut stream = Stream(6);
    for _ in 0..10_000 {
        let (a, b) = (random(&mut stream, 63), random(&mut stream, 63));
        let (got, exact) = (integer(of(a) * of(b)), a * b);
        assert!(
            (got - exact).abs() <= exact.abs() >> 104,
            "{a} * {b}: {got}"
        );
    }
}

/// The quotient of integers is checked by the remainder, in exact arithmetic: `2^k * |q * b - a| <= |a|`.
#[test]
fn quotients_are_right_to_102_bits() {
    let mut stream = Stream(3);
    for _ in 0..10_000 {
        let (n, b) = (random(&mut stream, 60), random(&mut stream, 40));
        if b != 0 {
            assert_eq!(integer(of(n * b) / of(b)), n, "{n} * {b} / {b}");
        }
        // The quotient of a 20 by a 20 bit number, scaled by 2^84, as an integer of about 104 bits.
        let (a, b) = (random(&mut stream, 20) | 1, random(&mut stream, 20) | 1);
        let scaled = (of(a) / of(b)) * DoubleDouble::from(2.0_f64.powi(84));
        let (hi, lo) = scaled.parts();
        let q = hi as i128 + lo.floor() as i128;
        // |q * b - a * 2^84| is the error of the quotient times b * 2^84; one unit of q is its own truncation.
        let error = (q * b - (a << 84)).abs() - b.abs();
        assert!(error <= (a.abs() << 84) >> 102, "{a} / {b}: {error}");
    }
}

/// Digits of the constants as every table has them, rounded by hand to 31; parts as published with the QD library (Hida,
/// Li, Bailey).
#[test]
#[expect(
    clippy::excessive_precision,
    clippy::approx_constant,
    reason = "the parts are written as they were published"
)]
fn published_constants() {
    let rows = [
        (
            "3.1415926535897932384626433832795028841971",
            "3.14159265358979323846264338328",
            3.141592653589793116e+00,
            1.224646799147353207e-16,
        ),
        (
            "2.7182818284590452353602874713526624977572",
            "2.718281828459045235360287471353",
            2.718281828459045091e+00,
            1.445646891729250158e-16,
        ),
        (
            "0.6931471805599453094172321214581765680755",
            "0.6931471805599453094172321214582",
            6.931471805599452862e-01,
            2.319046813846299558e-17,
        ),
        (
            "2.3025850929940456840179914546843642076011",
            "2.302585092994045684017991454684",
            2.302585092994045901e+00,
            -2.170756223382249351e-16,
        ),
    ];
    for (text, printed, hi, lo) in rows {
        let value: DoubleDouble = text.parse().unwrap();
        assert_eq!(
            (value.parts(), value.to_string().as_str()),
            ((hi, lo), printed)
        );
    }
}

#[test]
fn text() {
    // (read, printed)
    let rows = [
        ("0", "0"),
        ("-0", "0"),
        ("1", "1"),
        ("-2.50", "-2.5"),
        ("1e31", "1e31"),
        ("1e30", "1000000000000000000000000000000"),
        ("0.00001", "0.00001"),
        ("0.000001", "1e-6"),
        ("0.1", "0.1"),
        (
            "123456789012345678901234567890.5",
            "123456789012345678901234567890.5",
        ),
        (
            "0.3333333333333333333333333333333333",
            "0.3333333333333333333333333333333",
        ),
        (
            "0.6666666666666666666666666666666666",
            "0.6666666666666666666666666666667",
        ),
        ("9.99999999999999999999999999999999", "10"),
        ("+.5e1", "5"),
        ("12345678901234567890e-40", "1.234567890123456789e-21"),
        ("inf", "inf"),
        ("-inf", "-inf"),
        ("NaN", "NaN"),
        ("1e400", "inf"),
        ("1e-400", "0"),
        ("1e-99999999999999999999", "0"),
    ];
    for (read, printed) in rows {
        assert_eq!(
            read.parse::<DoubleDouble>().unwrap().to_string(),
            printed,
            "{read}"
        );
    }
    for wrong in ["", "x", "1.2.3", "1e", "--1", "0x10", "1 ", "1_000"] {
        let error = wrong.parse::<DoubleDouble>().unwrap_err();
        assert_eq!(error.text, wrong);
        assert!(error.to_string().contains("is no number"));
    }
    let long = format!("{}.{}", "1".repeat(300), "7".repeat(5000));
    assert_eq!(
        long.parse::<DoubleDouble>().unwrap().to_f64(),
        long.parse::<f64>().unwrap()
    );
}

#[test]
fn flags_of_display() {
    let third: DoubleDouble = "0.33333333333333333333333333333333333".parse().unwrap();
    let rows = [
        (format!("{third:.3}"), "0.333"),
        (format!("{third:.0}"), "0"),
        (format!("{third:8.3}|"), "   0.333|"),
        (format!("{:+.1}", DoubleDouble::from(0.25)), "+0.2"),
        (format!("{:+.1}", DoubleDouble::from(0.75)), "+0.8"),
        (format!("{:.0}", DoubleDouble::from(-2.5)), "-2"),
        (format!("{:.2}", DoubleDouble::from(1e-9)), "0.00"),
        (format!("{:.1}", DoubleDouble::from(0.0625)), "0.1"),
        (format!("{:.1}", DoubleDouble::from(99.96)), "100.0"),
        (format!("{:08.2}", DoubleDouble::from(-1.5)), "-0001.50"),
        (format!("{:<5}|", DoubleDouble::from(1.0)), "1    |"),
        (format!("{:>5}|", DoubleDouble::from(f64::NAN)), "  NaN|"),
    ];
    for (got, expect) in rows {
        assert_eq!(got, expect);
    }
}

/// Reading what was printed with enough digits gives the value back: 106 bits need 33 digits, which `{:.N}` can print.
#[test]
fn printed_values_read_back() {
    let mut stream = Stream(4);
    for _ in 0..200 {
        let value = of(random(&mut stream, 106)) / DoubleDouble::from(2.0_f64.powi(100));
        let text = format!("{value:.110}");
        assert_eq!(text.parse::<DoubleDouble>().unwrap(), value, "{text}");
    }
}

#[test]
fn values_that_are_not_finite_or_barely() {
    let (inf, nan) = (
        DoubleDouble::from(f64::INFINITY),
        DoubleDouble::from(f64::NAN),
    );
    let (one, max) = (DoubleDouble::ONE, DoubleDouble::from(f64::MAX));
    let tiny: DoubleDouble = "1e-30".parse().unwrap();
    for (got, expect) in [
        (inf + one, inf),
        (one - inf, -inf),
        (inf * (one + tiny), inf),
        (one / inf, DoubleDouble::ZERO),
        (one / DoubleDouble::ZERO, inf),
        (max + max, inf),
        (max * max, inf),
        (max - max, DoubleDouble::ZERO),
        (max / one, max),
        (DoubleDouble::new(f64::MAX, f64::MAX), inf),
    ] {
        assert_eq!(got, expect);
    }
    for got in [
        inf - inf,
        inf * DoubleDouble::ZERO,
        nan + one,
        nan * one,
        one / nan,
        inf / inf,
    ] {
        assert!(got.to_f64().is_nan() && got != got);
        assert_eq!(got.partial_cmp(&one), None);
    }
    assert!((max / (one + tiny)).is_finite());
    assert_eq!((-one).abs(), one);
}
