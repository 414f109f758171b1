//! `Q16` against exact integers: products and their sums in `i128`, with one rounding written another way.

#[path = "../../algebra/tests/support/stream.rs"]
mod stream;

use fixed_point::Q16;
use stream::Stream;

/// A value whose magnitude has any number of bits.
fn value(stream: &mut Stream) -> Q16 {
    let shift = stream.next() % 32;
    Q16::from_bits(
        ((stream.next() as u32 as i32) >> shift).wrapping_add((stream.next() % 3) as i32 - 1),
    )
}

/// `exact` units of 2^-32 to the nearest 2^-16, ties to even, held in range: by twice the distance to the floor.
fn rounded(exact: i128) -> i32 {
    let floor = exact.div_euclid(65536);
    let twice = 2 * exact.rem_euclid(65536);
    let nearest = match twice.cmp(&65536) {
        std::cmp::Ordering::Less => floor,
        std::cmp::Ordering::Greater => floor + 1,
        std::cmp::Ordering::Equal => floor + floor.rem_euclid(2),
    };
    nearest.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i32
}

#[test]
fn products_and_sums_are_rounded_exact_ones() {
    let mut stream = Stream(6);
    for _ in 0..50_000 {
        let (a, b) = (value(&mut stream), value(&mut stream));
        let (x, y) = (i128::from(a.to_bits()), i128::from(b.to_bits()));
        assert_eq!((a * b).to_bits(), rounded(x * y), "{a} * {b}");
        assert_eq!((a + b).to_bits(), rounded((x + y) * 65536), "{a} + {b}");
        assert_eq!((a - b).to_bits(), rounded((x - y) * 65536), "{a} - {b}");
        assert_eq!((-a).to_bits(), rounded(-x * 65536), "-{a}");
    }
}

#[test]
fn ties_and_ends() {
    let (one, half) = (Q16::ONE, Q16::from_f64(0.5));
    // (bits, bits of the product with a half)
    for (bits, expect) in [
        (1, 0),
        (3, 2),
        (5, 2),
        (7, 4),
        (-1, 0),
        (-3, -2),
        (-5, -2),
        (2, 1),
    ] {
        assert_eq!((Q16::from_bits(bits) * half).to_bits(), expect, "{bits}");
    }
    assert_eq!(
        (Q16::MAX + one, Q16::MIN - one, -Q16::MIN),
        (Q16::MAX, Q16::MIN, Q16::MAX)
    );
    assert_eq!(
        (Q16::MIN * Q16::MIN, Q16::MIN * Q16::MAX),
        (Q16::MAX, Q16::MIN)
    );
    assert_eq!(
        (Q16::MIN * one, Q16::MAX * -one),
        (Q16::MIN, Q16::from_bits(-i32::MAX))
    );
}

#[test]
fn conversions_and_text() {
    let rows = [
        (0.0, 0),
        (1.0, 65536),
        (-0.75, -49152),
        (1.0 / 131_072.0, 0),
        (3.0 / 131_072.0, 2),
        (-5.0 / 131_072.0, -2),
        (32768.0, i32::MAX),
        (-32768.0, i32::MIN),
        (1e300, i32::MAX),
        (f64::NEG_INFINITY, i32::MIN),
        (f64::NAN, 0),
    ];
    for (value, bits) in rows {
        assert_eq!(Q16::from_f64(value).to_bits(), bits, "{value}");
    }
    for bits in [0, 1, -1, 12345, i32::MAX, i32::MIN] {
        let value = Q16::from_bits(bits);
        assert_eq!(f64::from(value), f64::from(bits) / 65536.0);
        assert_eq!(Q16::from_f64(value.to_f64()), value);
    }
    assert_eq!(
        (Q16::from(-3_i16).to_f64(), Q16::from(i16::MIN)),
        (-3.0, Q16::MIN)
    );
    let rows = [
        (Q16::from_f64(-1.5).to_string(), "-1.5"),
        (Q16::MIN.to_string(), "-32768"),
        (Q16::from_bits(1).to_string(), "0.0000152587890625"),
        (format!("{:7.2}", Q16::from_f64(2.0)), "   2.00"),
    ];
    for (got, expect) in rows {
        assert_eq!(got, expect);
    }
}
