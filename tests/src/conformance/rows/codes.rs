//! Codes of narrow float formats.

use tensor::DType;

use super::{FLOATS, PLAIN, Row, SHAPES, Values, row};
use Values::{Between, Special, Within};

const FORMATS: &[&str] = &[
    "f8e4m3fn",
    "f8e4m3fnuz",
    "f8e5m2",
    "f8e5m2fnuz",
    "f8e8m0fnu",
    "f6e2m3fn",
    "f6e3m2fn",
    "f4e2m1fn",
];
const ROUNDINGS: &[&str] = &[
    "nearest_even",
    "nearest_away",
    "away_from_zero",
    "toward_zero",
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for format in FORMATS {
        for rounding in ROUNDINGS {
            for saturate in [true, false] {
                let call = format!(
                    "encode(a, format = {format}, rounding = {rounding}, saturate = {saturate})"
                );
                let one = row("a: T[S]", "u8[S]", call, FLOATS);
                rows.push(one.clone().shapes(&["5, 131"]).values(&[Special]));
                rows.push(one.shapes(&["613"]).values(&[Within(500.0)]));
            }
        }
        let call =
            format!("encode(a, format = {format}, rounding = nearest_even, saturate = true)");
        rows.push(
            row("a: T[S]", "u8[S]", call, FLOATS)
                .shapes(SHAPES)
                .values(&[PLAIN]),
        );
        for to in FLOATS {
            let call = format!("decode(a, format = {format}, to = {to})");
            let one = row("a: u8[S]", format!("{to}[S]"), call, &[DType::U8]);
            rows.push(one.shapes(SHAPES).values(&[Between(0.0, 255.0)]));
        }
    }
    rows
}
