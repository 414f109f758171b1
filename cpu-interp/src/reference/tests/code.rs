//! Codes of narrow floats, and convolutions of integers, worked by hand.

use super::*;

#[test]
fn floats_become_codes() {
    let nearest = "rounding = nearest_even, saturate = true";
    let strict = "rounding = nearest_even, saturate = false";
    // 448 is 1.75 * 2^8, 0.3 lies between 0.28125 and 0.3125; 2^-10 is half of the smallest value.
    check(
        &format!("encode(a, format = f8e4m3fn, {nearest})"),
        &[8],
        &[1.0_f32, -1.5, 0.3, 448.0, 1e9, -INF, NAN, 0.000_976_562_5],
        "u8[8]",
        &[0x38_u8, 0xbc, 0x2a, 0x7e, 0x7e, 0xfe, 0x7f, 0],
    );
    check(
        &format!("encode(a, format = f8e5m2, {strict})"),
        &[4],
        &[1.0_f64, 57344.0, 65536.0, f64::NEG_INFINITY],
        "u8[4]",
        &[0x3c_u8, 0x7b, 0x7c, 0xfc],
    );
    check(
        &format!("encode(a, format = f4e2m1fn, {nearest})"),
        &[5],
        &[0.25_f32, 0.75, -5.0, 100.0, -0.0],
        "u8[5]",
        &[0_u8, 2, 0xe, 7, 8],
    );
    check(
        "encode(a, format = f8e8m0fnu, rounding = away_from_zero, saturate = true)",
        &[3],
        &[1.0_f32, 1.1, 0.0],
        "u8[3]",
        &[127_u8, 128, 0],
    );
}

#[test]
fn codes_become_floats() {
    let codes = [0x38_u8, 0xbc, 0x7e, 0x7f, 1];
    let values = [1.0_f32, -1.5, 448.0, NAN, 0.001_953_125];
    check(
        "decode(a, format = f8e4m3fn, to = f32)",
        &[5],
        &codes,
        "f32[5]",
        &values,
    );
    check(
        "decode(a, format = f8e8m0fnu, to = f16)",
        &[4],
        &[0_u8, 127, 254, 142],
        "f16[4]",
        &[0.0, 1.0, f32::INFINITY, 32768.0].map(tensor_core::f16::from_f32),
    );
    check(
        "decode(a, format = f4e2m1fn, to = f64)",
        &[3],
        &[1_u8, 0xf, 8],
        "f64[3]",
        &[0.5_f64, -6.0, -0.0],
    );
}

#[test]
fn integers_are_convolved() {
    // One row of four, a kernel of two: 1*3 - 2*4, 2*3 - 3*4, and the end, where padding is 0.
    let text = "func f(x: i32[1, 1, 3], w: i32[1, 1, 2], b: i32[1]) -> (y: i32[1, 1, 3]) {
  y: i32[1, 1, 3] = conv(x, w, b, strides = [1], dilations = [1], pads = [0, 1], groups = 1)
}";
    let graph = parse(text, &NoConstants).unwrap();
    let feeds = [
        ("x", tensor(&[1, 1, 3], &[1_i32, 2, 3])),
        ("w", tensor(&[1, 1, 2], &[3_i32, -4])),
        ("b", tensor(&[1], &[100_i32])),
    ];
    let views: Vec<_> = feeds.iter().map(|(n, t)| (*n, t.view().unwrap())).collect();
    let made = run_views(&graph, &views).unwrap();
    assert_eq!(made[0].1.to_vec::<i32>().unwrap(), [95, 94, 109]);
}
