//! Quantisation at its edges: NaN, infinities, a scale of 0, zero points, ties. The expected values are those of onnxruntime 1.32.0 on
//! the CPU, unless a line says otherwise.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::{CompileOptions, Model, Tensor};
use tests::wire;

const FLOAT: u64 = 1;
const UINT8: u64 = 2;
const INT8: u64 = 3;

/// The only output of these nodes for `x`.
fn run(nodes: &[Vec<u8>], initializers: &[Vec<u8>], x: &[f32]) -> Tensor {
    let extent = x.len().to_string();
    let mut parts = nodes.to_vec();
    parts.extend(initializers.to_vec());
    parts.push(wire::input("x", &[&extent]));
    parts.push(wire::output("y", &[&extent]));
    let model = Model::from_bytes(wire::model(&parts), "model").unwrap();
    let options = CompileOptions {
        threads: Some(1),
        ..CompileOptions::default()
    };
    let feed = Tensor::from_vec_row_major([x.len()], x.to_vec()).unwrap();
    let function = model.compile(&options).unwrap();
    let outputs = function.run(&[("x", &feed)]).unwrap();
    outputs.into_vec().swap_remove(0).1
}

fn number(name: &str, value: f32) -> Vec<u8> {
    wire::initializer(name, FLOAT, &[], &value.to_le_bytes())
}

fn byte(name: &str, dtype: u64, value: u8) -> Vec<u8> {
    wire::initializer(name, dtype, &[], &[value])
}

const X: [f32; 10] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    0.0,
    1e9,
    -1e9,
    0.5,
    1.5,
    2.5,
    -0.5,
];

#[test]
fn quotients_are_rounded_then_raised_then_held_within_the_range() {
    let node = wire::node("QuantizeLinear", &["x", "s", "z"], "y", &[]);
    let unsigned: [(f32, [u8; 10]); 2] = [
        (1.0, [0, 255, 0, 3, 255, 0, 3, 5, 5, 3]),
        (0.0, [0, 255, 0, 0, 255, 0, 255, 255, 255, 0]),
    ];
    for (scale, expect) in unsigned {
        let constants = [number("s", scale), byte("z", UINT8, 3)];
        let y = run(std::slice::from_ref(&node), &constants, &X);
        assert_eq!(y.to_vec::<u8>().unwrap(), expect, "scale {scale}");
    }
    let signed: [(f32, [i8; 10]); 2] = [
        (1.0, [-128, 127, -128, -3, 127, -128, -3, -1, -1, -3]),
        (0.0, [-128, 127, -128, -128, 127, -128, 127, 127, 127, -128]),
    ];
    for (scale, expect) in signed {
        let constants = [number("s", scale), byte("z", INT8, 0xfd)];
        let y = run(std::slice::from_ref(&node), &constants, &X);
        assert_eq!(y.to_vec::<i8>().unwrap(), expect, "scale {scale}");
    }
}

#[test]
fn without_a_zero_point_results_are_unsigned_bytes() {
    let node = wire::node("QuantizeLinear", &["x", "s"], "y", &[]);
    let y = run(&[node], &[number("s", 2.0)], &[-1.0, 3.0, 510.0, 511.0]);
    // -0.5, 1.5, 255 and 255.5, to even.
    assert_eq!(y.to_vec::<u8>().unwrap(), [0, 2, 255, 255]);
}

#[test]
fn a_range_chooses_its_scale() {
    let node = wire::node("DynamicQuantizeLinear", &["x"], "y", &[]);
    let cases: [(&[f32], &[u8]); 5] = [
        (&[0.0, 0.0, 0.0], &[0, 0, 0]),
        (&[1.0, 2.0, 3.0], &[85, 170, 255]),
        (&[-1.0, -2.0], &[128, 0]),
        (&[f32::INFINITY, 1.0], &[0, 0]),
        // No element, no range.
        (&[], &[]),
    ];
    for (x, expect) in cases {
        let y = run(std::slice::from_ref(&node), &[], x);
        assert_eq!(y.to_vec::<u8>().unwrap(), expect, "{x:?}");
    }
}

#[test]
fn bytes_and_back() {
    let constants = [number("s", 0.5), byte("z", INT8, 10)];
    let nodes = [
        wire::node("QuantizeLinear", &["x", "s", "z"], "q", &[]),
        wire::node("DequantizeLinear", &["q", "s", "z"], "y", &[]),
    ];
    let y = run(&nodes, &constants, &[0.3, -1.0, 58.5, 1000.0, -1000.0]);
    // By hand: multiples of 0.5 from (-128 - 10) / 2 to (127 - 10) / 2.
    let expect = [0.5, -1.0, 58.5, 58.5, -69.0];
    assert_eq!(y.to_vec::<f32>().unwrap(), expect);
}

#[test]
fn weights_of_four_bits_are_unpacked_and_scaled_by_row() {
    // Two rows of three: {1, -1, 7}, {-8, 0, 2}, scaled by 0.5 and 2, the first lower in each byte. By hand.
    let nodes = [
        wire::node("DequantizeLinear", &["w", "s"], "d", &wire::axis(0)),
        wire::node("MatMul", &["d", "x"], "y", &[]),
    ];
    let scales = [0.5_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat();
    let constants = [
        wire::initializer("w", 22, &[2, 3], &[0xf1, 0x87, 0x20]),
        wire::initializer("s", FLOAT, &[2], &scales),
    ];
    let y = run(&nodes, &constants, &[1.0, 10.0, 100.0]);
    assert_eq!(y.to_vec::<f32>().unwrap(), [345.5, 384.0]);
}
