//! Every code, against `ml_dtypes` and against a search for the nearest value.

use super::FloatRounding::{AwayFromZero, NearestAway, NearestEven, TowardZero};
use super::*;
use crate::f16;

/// What `make_tables.py` has made.
const DECODED: &str = include_str!("decoded.tsv");
const ENCODED: &str = include_str!("encoded.tsv");

/// The formats of a table's head and its rows.
fn table(text: &str) -> (Vec<Option<FloatFormat>>, Vec<Vec<&str>>) {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let formats = head.split('\t').map(FloatFormat::named).collect();
    (formats, lines.map(|l| l.split('\t').collect()).collect())
}

fn bits(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap()
}

#[test]
fn every_code_decodes_as_in_ml_dtypes() {
    let (formats, rows) = table(DECODED);
    assert_eq!((formats.len(), rows.len()), (FloatFormat::ALL.len(), 256));
    for (code, row) in (0_u8..=255).zip(rows) {
        for (format, expect) in formats.iter().zip(row) {
            let format = format.unwrap();
            let value = format.decode(code);
            let got = if value.is_nan() {
                "nan".to_owned()
            } else {
                format!("{:08x}", value.to_bits())
            };
            assert_eq!(got, expect, "{} {code:#x}", format.name());
        }
    }
}

#[test]
fn floats_encode_as_in_ml_dtypes() {
    let (formats, rows) = table(ENCODED);
    for row in rows {
        let x = f32::from_bits(bits(row[0]));
        for (format, expect) in formats.iter().zip(&row).skip(1) {
            let format = format.unwrap();
            let mut expect = u8::try_from(bits(expect)).unwrap();
            if x.is_nan() && format.bits() < 8 {
                // Without a NaN any zero is as good; here it is -0 for both signs.
                expect = 1 << (format.bits() - 1);
            }
            let got = format.encode(x.into(), NearestEven, false);
            assert_eq!(got, expect, "{} {x:e} ({:08x})", format.name(), x.to_bits());
        }
    }
}

#[test]
fn codes_survive_a_round_trip() {
    for format in FloatFormat::ALL {
        for rounding in FloatRounding::ALL {
            for code in 0..=u8::MAX >> (8 - format.bits()) {
                let value = format.decode(code);
                for saturate in [false, true] {
                    let back = format.encode(value.into(), rounding, saturate);
                    if value.is_nan() {
                        assert!(format.decode(back).is_nan(), "{} {code:#x}", format.name());
                    } else if value.is_finite() || !saturate {
                        assert_eq!(back, code, "{} {value:e}", format.name());
                    }
                }
            }
        }
    }
}

/// The rounding of a positive value by a search among all values of the format; `None` beyond the largest one.
fn searched(values: &[f64], x: f64, rounding: FloatRounding) -> Option<usize> {
    let above = values.partition_point(|&v| v <= x);
    let below = above.checked_sub(1)?;
    if values[below] == x {
        return Some(below);
    }
    let last = values.len() - 1;
    // The value that would follow the largest one.
    let next = values.get(above).copied();
    let next = next.unwrap_or(2.0 * values[last] - values[last - 1]);
    if x >= next {
        return None;
    }
    let (down, up) = (x - values[below], next - x);
    let rises = match rounding {
        NearestEven => up < down || (up == down && below % 2 == 1),
        NearestAway => up <= down,
        AwayFromZero => true,
        TowardZero => false,
    };
    let at = below + usize::from(rises);
    (at <= last).then_some(at)
}

#[test]
fn halves_round_to_what_a_search_finds() {
    for format in FloatFormat::ALL.into_iter().filter(|f| f.is_signed()) {
        let codes = 0..1_u8 << (format.bits() - 1);
        let values: Vec<f64> = codes.map(|code| f64::from(format.decode(code))).collect();
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let overflow = match format {
            FloatFormat::F8E5M2 => f32::INFINITY,
            _ if format.bits() < 8 => format.largest(),
            _ => f32::NAN,
        };
        for half in 0..f16::INFINITY.to_bits() {
            let x = f16::from_bits(half).to_f64();
            for rounding in FloatRounding::ALL {
                let found = searched(&values, x, rounding);
                let code = format.encode(x, rounding, false);
                let negative = format.encode(-x, rounding, false);
                match found {
                    Some(at) => assert_eq!(usize::from(code), at, "{} {x}", format.name()),
                    None => assert_eq!(
                        format!("{}", format.decode(code)),
                        format!("{overflow}"),
                        "{} {x}",
                        format.name()
                    ),
                }
                let (value, mirrored) = (format.decode(code), format.decode(negative));
                assert!(
                    value == -mirrored || (value.is_nan() && mirrored.is_nan()),
                    "{} -{x}",
                    format.name()
                );
                let saturated = format.decode(format.encode(x, rounding, true));
                let largest = f64::from(format.largest());
                let expect = found.map_or(largest, |at| values[at]);
                assert_eq!(f64::from(saturated), expect, "{} {x}", format.name());
            }
        }
    }
}

#[test]
fn powers_of_two_have_no_zero_and_no_sign() {
    let format = FloatFormat::F8E8M0FnU;
    let (least, largest) = (2.0_f64.powi(-127), 2.0_f64.powi(127));
    // Value, rounding, the code where it saturates, the code where it does not.
    let cases = [
        (0.0, AwayFromZero, 0, 0xff),
        (-0.0, NearestAway, 0, 0xff),
        (least, AwayFromZero, 0, 0),
        (0.75 * least, AwayFromZero, 0, 0),
        (0.75 * least, NearestAway, 0, 0),
        (0.7 * least, NearestAway, 0, 0xff),
        (0.75 * least, TowardZero, 0, 0xff),
        (f64::MIN_POSITIVE, AwayFromZero, 0, 0xff),
        (1.0, AwayFromZero, 0x7f, 0x7f),
        (1.0 + f64::EPSILON, AwayFromZero, 0x80, 0x80),
        (1.999, TowardZero, 0x7f, 0x7f),
        (1.499, NearestAway, 0x7f, 0x7f),
        (1.5, NearestAway, 0x80, 0x80),
        (largest, AwayFromZero, 0xfe, 0xfe),
        (1.25 * largest, AwayFromZero, 0xfe, 0xff),
        (1.25 * largest, NearestAway, 0xfe, 0xfe),
        (f64::INFINITY, AwayFromZero, 0xfe, 0xff),
        (f64::MAX, TowardZero, 0xfe, 0xff),
        (f64::NAN, AwayFromZero, 0xff, 0xff),
        (-1.0, AwayFromZero, 0xff, 0xff),
        (f64::NEG_INFINITY, AwayFromZero, 0xff, 0xff),
    ];
    for (x, rounding, saturated, other) in cases {
        let got = [true, false].map(|saturate| format.encode(x, rounding, saturate));
        assert_eq!(got, [saturated, other], "{x:e} {}", rounding.name());
    }
}

#[test]
fn wider_floats_are_rounded_once() {
    // Just above the middle of 16 and 18; as an f32 it would be the middle, and go to 16.
    let above = 17.0 + 2.0_f64.powi(-40);
    let code = |x| FloatFormat::F8E4M3Fn.encode(x, NearestEven, true);
    let values = [17.0, above].map(|x| FloatFormat::F8E4M3Fn.decode(code(x)));
    assert_eq!(values, [16.0, 18.0]);
}

#[test]
fn names_lead_back() {
    for format in FloatFormat::ALL {
        assert_eq!(FloatFormat::named(format.name()), Some(format));
    }
    for rounding in FloatRounding::ALL {
        assert_eq!(FloatRounding::named(rounding.name()), Some(rounding));
    }
    assert_eq!(FloatFormat::named("f8"), None);
    let largest = FloatFormat::ALL.map(FloatFormat::largest);
    assert_eq!(largest[..4], [448.0, 240.0, 57344.0, 57344.0]);
    assert_eq!(largest[5..], [7.5, 28.0, 6.0]);
    // A byte's high half is no part of a code of 4 bits.
    assert_eq!(FloatFormat::F4E2M1Fn.decode(0xa7), 6.0);
}
