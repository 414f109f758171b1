//! Names, extents, initializers, order, outputs.

use super::*;

#[test]
fn a_small_net() {
    let nodes = vec![
        node("MatMul", &["x", "w/1:0"], &["7"]).named("/layer1/MatMul"),
        node("Add", &["7", "bias"], &["größe"]).named("/layer1/Add"),
        node("Softmax", &["größe"], &["p"]),
    ];
    let weights = vec![
        floats("w/1:0", &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        floats("bias", &[2], &[0.5, -0.0]),
        floats("unused", &[1], &[1.0]),
    ];
    check_text(
        &model(
            13,
            vec![port("x", FLOAT, &["batch size", "2"])],
            nodes,
            &["p"],
        )
        .with(weights),
        r#"func g(x: f32["batch size", 2]) -> (p: f32["batch size", 2]) {
  const "w/1:0": f32[2, 2] = {1, 2, 3, 4}
  const bias: f32[2] = {0.5, -0}
  "7": f32["batch size", 2] = matmul(x, "w/1:0") @ "/layer1/MatMul"
  "größe": f32["batch size", 2] = add("7", bias) @ "/layer1/Add"
  p: f32["batch size", 2] = softmax("größe", axis = -1) @ Softmax_2
}
"#,
    );
}

#[test]
fn axes_without_a_name_get_one_each() {
    let inputs = vec![
        port("x", FLOAT, &["?", "?", "-1", "-", "", "0", "n"]),
        port("y", FLOAT, &["?0", "n"]),
    ];
    check_text(
        &model(13, inputs, vec![], &["x"]),
        r#"func g(x: f32["?1", "?2", "?3", "?4", "?5", 0, n], y: f32["?0", n]) -> (x: f32["?1", "?2", "?3", "?4", "?5", 0, n]) {
}
"#,
    );
}

#[test]
fn an_initializer_is_a_constant_also_as_an_input() {
    let inputs = vec![port("x", FLOAT, &["2"]), port("w", FLOAT, &["2"])];
    let add = node("Add", &["x", "w"], &["y"]);
    check_text(
        &model(13, inputs, vec![add], &["y", "w"]).with(vec![floats("w", &[2], &[1.0, 2.0])]),
        r#"func g(x: f32[2]) -> (y: f32[2], w: f32[2]) {
  const w: f32[2] = {1, 2}
  y: f32[2] = add(x, w) @ Add_0
}
"#,
    );
}

#[test]
fn nodes_are_sorted_and_intermediate_names_are_free() {
    // `y.reshape` is the name that an intermediate value would take.
    let nodes = vec![
        node("Neg", &["y"], &["y.reshape"]),
        node("Softmax", &["x"], &["y"]).int("axis", 0),
    ];
    check_text(
        &model(
            12,
            vec![port("x", FLOAT, &["2", "3"])],
            nodes,
            &["y.reshape"],
        ),
        r#"func g(x: f32[2, 3]) -> (y.reshape: f32[2, 3]) {
  "y.reshape'": f32[1, 6] = reshape(x, shape = [1, 6]) @ Softmax_1
  y.softmax: f32[1, 6] = softmax("y.reshape'", axis = -1) @ Softmax_1
  y: f32[2, 3] = reshape(y.softmax, shape = [2, 3]) @ Softmax_1
  y.reshape: f32[2, 3] = neg(y) @ Neg_0
}
"#,
    );
}

#[test]
fn declared_types_of_results_are_hints() {
    let mut model = model(
        13,
        vec![port("x", FLOAT, &["2"])],
        vec![node("Relu", &["x"], &["y"])],
        &[],
    );
    model.graph_mut().output = vec![port("y", INT64, &["7", "7"])];
    assert_eq!(body(&model), "y: f32[2] = relu(x) @ Relu_0");
}

#[test]
fn the_default_domain_has_two_names() {
    let mut relu = node("Relu", &["x"], &["y"]);
    relu.domain = "ai.onnx".into();
    let mut model = model(13, vec![port("x", FLOAT, &["2"])], vec![relu], &["y"]);
    assert_eq!(body(&model), "y: f32[2] = relu(x) @ Relu_0");
    model.opset_import[0].domain = "ai.onnx".into();
    assert_eq!(body(&model), "y: f32[2] = relu(x) @ Relu_0");
}

#[test]
fn shapes_are_followed_through_symbols() {
    let nodes = vec![
        node("Shape", &["x"], &["s"]),
        node("Gather", &["s", "zero"], &["n"]),
        node("Unsqueeze", &["n"], &["n1"]).ints("axes", &[0]),
        node("Concat", &["n1", "rest"], &["to"]).int("axis", 0),
        node("Reshape", &["x", "to"], &["y"]),
    ];
    let constants = vec![ints("zero", &[], &[0]), ints("rest", &[1], &[-1])];
    let model = model(
        11,
        vec![port("x", FLOAT, &["batch", "3", "4"])],
        nodes,
        &["y"],
    )
    .with(constants);
    let last = body(&model);
    assert!(
        last.ends_with("y: f32[batch, 12] = reshape(x, to, allow_zero = false) @ Reshape_4"),
        "{last}"
    );
}

/// Element type, setter, text of the elements; values from the specification of the fields.
type Stored = (i32, fn(&mut TensorProto), &'static str);

/// Tensors of two elements.
fn check_tensors(cases: &[Stored]) {
    for &(data_type, set, expect) in cases {
        let mut tensor = TensorProto {
            name: "c".into(),
            dims: vec![2],
            data_type,
            ..TensorProto::default()
        };
        set(&mut tensor);
        let model = model(13, vec![], vec![], &["c"]).with(vec![tensor]);
        assert_eq!(body(&model), format!("const c: {expect}"), "{data_type}");
    }
}

#[test]
fn tensors_of_every_element_type() {
    check_tensors(&[
        (1, |t| t.float_data = vec![1.5, -2.0], "f32[2] = {1.5, -2}"),
        (2, |t| t.int32_data = vec![0, 255], "u8[2] = {0, 255}"),
        (3, |t| t.int32_data = vec![-128, 127], "i8[2] = {-128, 127}"),
        (4, |t| t.int32_data = vec![0, 65535], "u16[2] = {0, 65535}"),
        (
            5,
            |t| t.int32_data = vec![-32768, 1],
            "i16[2] = {-32768, 1}",
        ),
        (6, |t| t.int32_data = vec![-5, 5], "i32[2] = {-5, 5}"),
        (
            7,
            |t| t.int64_data = vec![-5, 1 << 40],
            "i64[2] = {-5, 1099511627776}",
        ),
        (9, |t| t.int32_data = vec![0, 1], "bool[2] = {false, true}"),
        (
            10,
            |t| t.int32_data = vec![0x3c00, 0xc000],
            "f16[2] = {1, -2}",
        ),
        (11, |t| t.double_data = vec![0.1, 2.0], "f64[2] = {0.1, 2}"),
        (
            12,
            |t| t.uint64_data = vec![0, 4_294_967_295],
            "u32[2] = {0, 4294967295}",
        ),
        (
            13,
            |t| t.uint64_data = vec![0, u64::MAX],
            "u64[2] = {0, 18446744073709551615}",
        ),
        (
            16,
            |t| t.int32_data = vec![0x3f80, 0xc000],
            "bf16[2] = {1, -2}",
        ),
        (
            1,
            |t| t.raw_data = Some(Bytes::from_static(&[0, 0, 128, 63, 0, 0, 0, 192])),
            "f32[2] = {1, -2}",
        ),
        (
            10,
            |t| t.raw_data = Some(Bytes::from_static(&[0, 0x3c, 0, 0xc0])),
            "f16[2] = {1, -2}",
        ),
        (
            9,
            |t| t.raw_data = Some(Bytes::from_static(&[0, 1])),
            "bool[2] = {false, true}",
        ),
        (
            3,
            |t| t.raw_data = Some(Bytes::from_static(&[0x80, 0x7f])),
            "i8[2] = {-128, 127}",
        ),
    ]);
}

#[test]
fn narrow_elements_take_a_byte_each() {
    check_tensors(&[
        (
            17,
            |t| t.int32_data = vec![0x7e, 0xff],
            "u8[2] = {126, 255}",
        ),
        (21, |t| t.int32_data = vec![0xa7], "u8[2] = {7, 10}"),
        (22, |t| t.int32_data = vec![0xa7], "i8[2] = {7, -6}"),
        (22, |t| t.int32_data = vec![-89], "i8[2] = {7, -6}"),
        (27, |t| t.int32_data = vec![8, 63], "u8[2] = {8, 63}"),
        (
            23,
            |t| t.raw_data = Some(Bytes::from_static(&[0xa7])),
            "u8[2] = {7, 10}",
        ),
        (
            25,
            |t| t.raw_data = Some(Bytes::from_static(&[0xf9])),
            "u8[2] = {1, 2}",
        ),
        (
            26,
            |t| t.raw_data = Some(Bytes::from_static(&[0xf9])),
            "i8[2] = {1, -2}",
        ),
        (
            24,
            |t| t.raw_data = Some(Bytes::from_static(&[0, 127])),
            "u8[2] = {0, 127}",
        ),
    ]);
}

#[test]
fn empty_tensors_are_tensors() {
    let empty = floats("c", &[2, 0, 1 << 40], &[]);
    let model = model(13, vec![], vec![], &["c"]).with(vec![empty]);
    assert_eq!(body(&model), "const c: f32[2, 0, 1099511627776] = {}");
}
