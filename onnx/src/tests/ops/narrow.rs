//! Element types narrower than any dtype: what becomes of them, and what is refused.

use super::*;

const UINT8: i32 = 2;
const INT8: i32 = 3;
const E4M3: i32 = 17;
const INT4: i32 = 22;

fn narrow(name: &str, data_type: i32, dims: &[i64], bytes: &[i32]) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: dims.to_vec(),
        data_type,
        int32_data: bytes.to_vec(),
        ..TensorProto::default()
    }
}

#[test]
fn casts_convert_codes() {
    let codes = [port("x", E4M3, &["n"])];
    check(vec![
        case(
            19,
            node("Cast", &["x"], &["y"])
                .int("to", 17)
                .int("saturate", 0),
            &[x(&["n"])],
            "y: u8[n] = encode(x, format = f8e4m3fn, rounding = nearest_even, saturate = false) @ Cast_0",
        ),
        case(
            24,
            node("Cast", &["x"], &["y"])
                .int("to", 24)
                .text("round_mode", "nearest"),
            &[x(&["n"])],
            "y: u8[n] = encode(x, format = f8e8m0fnu, rounding = nearest_away, saturate = true) @ Cast_0",
        ),
        case(
            19,
            node("Cast", &["x"], &["y"]).int("to", 10),
            &codes,
            "y: f16[n] = decode(x, format = f8e4m3fn, to = f16) @ Cast_0",
        ),
        case(
            19,
            node("Cast", &["x"], &["y"]).int("to", 6),
            &codes,
            r#"y.decode: f32[n] = decode(x, format = f8e4m3fn, to = f32) @ Cast_0
               y: i32[n] = cast(y.decode, to = i32) @ Cast_0"#,
        ),
        case(
            21,
            node("CastLike", &["x", "a"], &["y"]),
            &[x(&["n"]), port("a", INT4, &[])],
            r#"y.cast: i64[n] = cast(x, to = i64) @ CastLike_0
               const y.const: i64[] = {8}
               y.add: i64[n] = add(y.cast, y.const) @ CastLike_0
               const y.const_5: i64[] = {15}
               y.bitwise_and: i64[n] = bitwise_and(y.add, y.const_5) @ CastLike_0
               const y.const_7: i64[] = {8}
               y.sub: i64[n] = sub(y.bitwise_and, y.const_7) @ CastLike_0
               y: i8[n] = cast(y.sub, to = i8) @ CastLike_0"#,
        ),
        // A number of four bits is a number of its dtype.
        case(
            21,
            node("Cast", &["x"], &["y"]).int("to", 1),
            &[port("x", INT4, &["n"])],
            "y: f32[n] = cast(x, to = f32) @ Cast_0",
        ),
    ]);
}

#[test]
fn moves_hand_the_type_on() {
    let nodes = vec![
        node("Constant", &[], &["k"]).tensor("value", narrow("", E4M3, &[1, 2], &[8, 9])),
        node("Concat", &["x", "k"], &["c"]).int("axis", 0),
        node("Transpose", &["c"], &["t"]),
        node("Split", &["t"], &["s", "u"]).int("axis", 0),
        node("Cast", &["u"], &["y"]).int("to", 1),
    ];
    let model = model(19, vec![port("x", E4M3, &["3", "2"])], nodes, &["y", "s"]);
    let text = body(&model);
    let last = text.lines().last();
    assert_eq!(
        last,
        Some("y: f32[1, 4] = decode(u, format = f8e4m3fn, to = f32) @ Cast_4")
    );
}

#[test]
fn codes_are_not_computed_with() {
    let inputs = || {
        vec![
            port("x", E4M3, &["3"]),
            port("a", INT4, &["3"]),
            port("b", UINT8, &["3"]),
        ]
    };
    let concat = |inputs: &[&str]| node("Concat", inputs, &["y"]).int("axis", 0);
    let cases = [
        (
            node("Add", &["x", "x"], &["y"]),
            r#"input 0 ("x"): is FLOAT8E4M3FN, which Add does not compute with; Cast it to FLOAT first"#,
        ),
        (
            node("Mul", &["b", "a"], &["y"]),
            r#"input 1 ("a"): is INT4, which Mul does not compute with; Cast it to FLOAT first"#,
        ),
        (
            concat(&["x", "a"]),
            r#"input 1 ("a"): is INT4, but input 0 is FLOAT8E4M3FN; Cast both to FLOAT first"#,
        ),
        (
            concat(&["b", "x"]),
            r#"input 0 ("b"): is not FLOAT8E4M3FN, but input 1 is; Cast both to FLOAT first"#,
        ),
        (
            node("Reshape", &["b", "a"], &["y"]),
            r#"input 1 ("a"): is INT4, which Reshape does not compute with; Cast it to FLOAT first"#,
        ),
        (
            node("DequantizeLinear", &["x", "s", "b"], &["y"]),
            r#"input 2 ("b"): is UINT8, but the zero point of FLOAT8E4M3FN must be of its type"#,
        ),
        (
            node("QuantizeLinear", &["x", "s"], &["y"]),
            r#"input 0 ("x"): is FLOAT8E4M3FN, which QuantizeLinear does not compute with; Cast it to FLOAT first"#,
        ),
        (
            node("MatMulInteger", &["x", "x"], &["y"]),
            r#"input 0 ("x"): is FLOAT8E4M3FN, which MatMulInteger does not compute with; Cast it to FLOAT first"#,
        ),
    ];
    for (node, expect) in cases {
        let op_type = node.op_type.clone();
        let model = model(21, inputs(), vec![node], &["y"]).with(vec![floats("s", &[], &[2.0])]);
        let place = format!("m.onnx: \"{op_type}_0\" ({op_type}, node 0): ");
        check_error(&model, &(place + expect));
    }
}

#[test]
fn packed_tensors_fill_their_shape() {
    // Element type, extents, bytes, what is wrong.
    let cases: [(i32, &[i64], &[i32], &str); 4] = [
        (
            INT4,
            &[3],
            &[1],
            "the tensor's shape [3] of INT4 needs 2 int32_data, but the file holds 1",
        ),
        (
            25,
            &[5],
            &[1, 2, 3],
            "the tensor's shape [5] of UINT2 needs 2 int32_data, but the file holds 3",
        ),
        (
            E4M3,
            &[1 << 40],
            &[1],
            "the tensor's shape [1099511627776] of FLOAT8E4M3FN needs 1099511627776 int32_data, but the file holds 1",
        ),
        (
            E4M3,
            &[1],
            &[256],
            "the tensor holds 256, which is no FLOAT8E4M3FN",
        ),
    ];
    for (data_type, dims, bytes, expect) in cases {
        let model = model(21, vec![], vec![], &["w"]);
        let model = model.with(vec![narrow("w", data_type, dims, bytes)]);
        check_error(&model, &format!("m.onnx: initializer \"w\": {expect}"));
    }
}

#[test]
fn scales_lie_along_an_axis_or_in_blocks() {
    let one = |op| node(op, &["x", "s"], &["y"]);
    // Extents of x, node, extents of the scale, what is wrong.
    let cases: Vec<(&[&str], NodeProto, &[i64], &str)> = vec![
        (
            &["2", "3"],
            one("QuantizeLinear"),
            &[2],
            r#"input 1 ("s"): is f32[2], which does not fit axis 1 of f32[2, 3]"#,
        ),
        (
            &["2", "3"],
            one("QuantizeLinear").int("axis", 2),
            &[3],
            r#"attribute "axis" = 2: is no axis of a tensor of rank 2"#,
        ),
        (
            &["2", "3"],
            one("QuantizeLinear"),
            &[2, 3],
            r#"input 1 ("s"): is f32[2, 3]; a number, a list, or a list per block with a block_size is needed"#,
        ),
        (
            &["2", "3"],
            one("QuantizeLinear").int("block_size", 2),
            &[2, 3],
            r#"input 1 ("s"): is f32[2, 3], which does not fit blocks of 2 along axis 1 of f32[2, 3]"#,
        ),
        (
            &["2", "3"],
            one("QuantizeLinear").int("block_size", -1),
            &[],
            r#"attribute "block_size" = -1: can't be negative"#,
        ),
        (
            &["2", "3"],
            one("QuantizeLinear").int("output_dtype", 1),
            &[],
            "has element type FLOAT, which is not supported",
        ),
        (
            &["2", "3"],
            one("QuantizeLinear").int("precision", 6),
            &[],
            r#"attribute "precision" = INT32: must be FLOAT, FLOAT16 or BFLOAT16"#,
        ),
        (
            &["2", "3"],
            one("DequantizeLinear"),
            &[],
            r#"input 0 ("x"): is FLOAT, which is not quantised"#,
        ),
    ];
    for (extents, node, dims, expect) in cases {
        let op_type = node.op_type.clone();
        let count = dims.iter().product::<i64>();
        let data = vec![1.0; usize::try_from(count).expect("small extents")];
        let model = model(23, vec![x(extents)], vec![node], &["y"]);
        let place = format!("m.onnx: \"{op_type}_0\" ({op_type}, node 0): ");
        check_error(
            &model.with(vec![floats("s", dims, &data)]),
            &(place + expect),
        );
    }
}

#[test]
fn blocks_gather_their_scales() {
    check(vec![
        case(
            21,
            node("DequantizeLinear", &["x", "s"], &["y"])
                .int("axis", 0)
                .int("block_size", 2),
            &[port("x", INT8, &["n"])],
            r#"y.cast: i32[n] = cast(x, to = i32) @ DequantizeLinear_0
               y.cast_3: f32[n] = cast(y.cast, to = f32) @ DequantizeLinear_0
               y.shape: i64[1] = shape(x, start = 0, end = 1) @ DequantizeLinear_0
               const y.const: i64[] = {0}
               y.gather: i64[] = gather(y.shape, y.const, axis = 0) @ DequantizeLinear_0
               const y.const_7: i64[] = {0}
               const y.const_8: i64[] = {1}
               y.range: i64[n] = range(y.const_7, y.gather, y.const_8) @ DequantizeLinear_0
               const y.const_10: i64[] = {2}
               y.div: i64[n] = div(y.range, y.const_10) @ DequantizeLinear_0
               y.gather_12: f32[n] = gather(s, y.div, axis = 0) @ DequantizeLinear_0
               y: f32[n] = mul(y.cast_3, y.gather_12) @ DequantizeLinear_0"#,
        )
        .with(floats("s", &[3], &[1.0, 2.0, 3.0])),
    ]);
}
