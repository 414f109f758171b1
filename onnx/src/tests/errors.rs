//! The texts of problems.

use super::*;

fn x() -> ValueInfoProto {
    port("x", FLOAT, &["2", "3"])
}

/// The problem of one node over `x`, without the file's and the node's name.
fn check_node(opset: i64, node: NodeProto, expect: &str) {
    let op_type = node.op_type.clone();
    let model = model(opset, vec![x()], vec![node], &[]);
    check_error(
        &model,
        &format!("m.onnx: \"{op_type}_0\" ({op_type}, node 0): {expect}"),
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let nodes = vec![
        node("Blur", &["x"], &["a"]).named("/blur/1"),
        node("Relu", &["a"], &["b"]),
        node("Blur", &["b"], &["c"]).named("/blur/2"),
        node("LeakyRelu", &["c"], &["d"])
            .int("beta", 1)
            .int("alpha", 1),
        node("Add", &["d", "gone"], &["e"]),
        node("Mul", &["gone", "gone"], &["f"]),
        node("Sharpen", &["x"], &["y"]),
    ];
    let mut texts = floats("w", &[2], &[1.0, 2.0]);
    texts.data_type = 8;
    check_error(
        &model(13, vec![x()], nodes, &["y", "nowhere"]).with(vec![texts]),
        r#"m.onnx: 7 problems
  m.onnx: initializer "w": the tensor has element type STRING, which is not supported
  m.onnx: "/blur/1" (Blur, node 0) and 1 more: the op Blur of the default domain opset 13 is not supported
  m.onnx: "LeakyRelu_3" (LeakyRelu, node 3): attribute "beta" is not one of LeakyRelu in opset 13
  m.onnx: "LeakyRelu_3" (LeakyRelu, node 3): attribute "alpha" must be a float
  m.onnx: "Add_4" (Add, node 4): "gone" is defined nowhere: no input, initializer or node output has this name
  m.onnx: "Sharpen_6" (Sharpen, node 6): the op Sharpen of the default domain opset 13 is not supported
  m.onnx: output "nowhere": "nowhere" is defined nowhere: no input, initializer or node output has this name"#,
    );
}

#[test]
fn many_problems_are_cut_short() {
    let node = |i: usize| node(&format!("Op{i}"), &["x"], &[&format!("y{i}")]);
    let error = import_proto(&model(13, vec![x()], (0..300).map(node).collect(), &[])).unwrap_err();
    let text = error.to_string();
    assert_eq!(text.lines().count(), 22);
    assert!(text.starts_with("m.onnx: 300 problems\n"), "{text}");
    assert!(text.ends_with("\n  and 280 more"), "{text}");
    assert_eq!(error.problems().len(), 256);
}

#[test]
fn problems_of_inputs_and_types() {
    let one = |op| node(op, &["x"], &["y"]);
    check_node(
        13,
        one("HardSwish"),
        "the op HardSwish is supported from opset 14 on, but the model imports opset 13; export the model with opset 14 or newer",
    );
    check_node(13, node("Add", &["x"], &["y"]), "has 1 inputs; Add takes 2");
    check_node(
        13,
        node("Clip", &["x", "x", "x", "x"], &["y"]),
        "has 4 inputs; Clip takes 1 to 3",
    );
    check_node(
        13,
        node("Concat", &[], &["y"]).int("axis", 0),
        "has 0 inputs; Concat takes 1 or more",
    );
    check_node(
        13,
        node("Add", &["", "x"], &["y"]),
        "input 0 is required but left out",
    );
    check_node(13, one("Concat"), r#"attribute "axis" is missing"#);
    check_node(13, one("Cast"), r#"attribute "to" is missing"#);
    check_node(
        13,
        one("Cast").int("to", 8),
        r#"attribute "to" = STRING: casts to this element type are not supported"#,
    );
    check_node(
        20,
        one("Gelu").text("approximate", "cubic"),
        r#"attribute "approximate" = "cubic": must be none or tanh"#,
    );
    check_node(
        13,
        one("ReduceMax").int("keepdims", 2),
        r#"attribute "keepdims" = 2: must be 0 or 1"#,
    );
    check_node(
        13,
        one("ReduceMax").ints("axes", &[2]),
        r#"reduce_max: axes = 2: is no axis of a tensor of rank 2"#,
    );
    check_node(
        12,
        one("Softmax").int("axis", 2),
        r#"attribute "axis" = 2: is no axis of a tensor of rank 2"#,
    );
    check_node(
        13,
        node("Clip", &["x", "x"], &["y"]),
        r#"input 1 ("x"): a bound must be a scalar"#,
    );
    check_node(13, one("Not"), "not: input 0 is f32, expected bool");
    check_node(
        13,
        node("MatMul", &["x", "x"], &["y"]),
        "matmul: shapes f32[2, 3] and f32[2, 3] do not fit: the last axis of the first (3) must equal the second to last axis of the second (2)",
    );
    check_node(
        13,
        node("Gemm", &["x", "x"], &["y"])
            .int("transB", 1)
            .float("alpha", 0.0)
            .int("gamma", 1),
        r#"attribute "gamma" is not one of Gemm in opset 13"#,
    );
}

#[test]
fn problems_of_attributes() {
    let one = |op| node(op, &["x"], &["y"]);
    check_node(13, one("MaxPool"), "attribute \"kernel_shape\" is missing");
    check_node(
        13,
        one("MaxPool").ints("kernel_shape", &[2]),
        r#"input 0 ("x"): is f32[2, 3]; [batch, channels, spatial..] is needed"#,
    );
    check_node(
        13,
        one("MaxPool").ints("kernel_shape", &[0]),
        r#"attribute "kernel_shape" = [0]: numbers from 1 to 2147483647 are supported"#,
    );
    check_node(
        13,
        one("MaxPool")
            .ints("kernel_shape", &[2])
            .text("auto_pad", "SAME"),
        r#"attribute "auto_pad" = "SAME": must be NOTSET, SAME_UPPER, SAME_LOWER or VALID"#,
    );
    check_node(
        13,
        one("MaxPool")
            .ints("kernel_shape", &[2])
            .text("auto_pad", "SAME_UPPER")
            .ints("pads", &[1, 0]),
        r#"attribute "auto_pad" = SAME_UPPER: cannot be combined with pads that are not 0"#,
    );
    check_node(
        9,
        one("Slice").ints("starts", &[1]).ints("ends", &[1, 2]),
        r#"attribute "starts" = [1]: 2 ends and 1 axes differ in length"#,
    );
    check_node(
        11,
        node("Split", &["x"], &["y", "z"]).int("axis", 1),
        r#"input 0 ("x"): 3 elements do not split into 2 equal parts"#,
    );
    check_node(
        13,
        one("Transpose").ints("perm", &[0, -1]),
        r#"attribute "perm" = [0, -1]: axes are numbers from 0"#,
    );
    check_node(
        13,
        node("Reshape", &["x", "x"], &["y"]),
        "reshape: input 1 is f32, expected an integer dtype",
    );
}

#[test]
fn problems_of_constants() {
    let constant = || node("Constant", &[], &["y"]);
    check_node(13, constant(), r#"attribute "value" is missing"#);
    check_node(
        13,
        constant().text("value_string", "s"),
        r#"attribute "value_string" = ...: constants of this kind are not supported"#,
    );
    check_node(
        13,
        constant().int("value_int", 1).float("value_float", 1.0),
        r#"attribute "value" = ...: a constant has exactly one value"#,
    );
    check_node(
        11,
        constant().int("value_int", 1),
        r#"attribute "value_int" is not one of Constant in opset 11"#,
    );
    check_node(
        7,
        constant().tensor("value", floats("", &[3], &[1.0])),
        "the tensor's shape [3] of FLOAT needs 3 float_data, but the file holds 1",
    );
}

#[test]
fn problems_of_norms() {
    let channels = |name| port(name, FLOAT, &["3"]);
    let names = ["s", "b", "m", "v"];
    let inputs: Vec<_> = [x()].into_iter().chain(names.map(channels)).collect();
    let norm = node(
        "BatchNormalization",
        &["x", "s", "b", "m", "v"],
        &["y", "mean"],
    );
    let check = |opset, norm: NodeProto, outputs: &[&str], expect: &str| {
        let text =
            format!("m.onnx: \"BatchNormalization_0\" (BatchNormalization, node 0): {expect}");
        check_error(&model(opset, inputs.clone(), vec![norm], outputs), &text);
    };
    check(
        8,
        norm.clone().int("spatial", 0),
        &["y"],
        r#"attribute "spatial" = 0: only 1 is supported"#,
    );
    check(
        9,
        norm.clone(),
        &["y", "mean"],
        r#"output 1 ("mean") is used, but it is not supported"#,
    );
    // An output that nobody reads is no problem.
    assert!(import_proto(&model(9, inputs.clone(), vec![norm], &["y"])).is_ok());
}

#[test]
fn problems_of_the_model() {
    let relu = || node("Relu", &["x"], &["y"]);
    // How an unknown opset reads its attributes is not reported, too.
    let old = relu().ints("consumed_inputs", &[0]);
    check_error(
        &model(99, vec![x()], vec![old.clone()], &["y"]),
        "m.onnx: imports opset 99 of the default domain; opsets 1 to 28 are supported",
    );
    check_error(
        &model(5, vec![x()], vec![old], &["y"]),
        "m.onnx: \"Relu_0\" (Relu, node 0): the op Relu is supported from opset 6 on, but the model imports opset 5; export the model with opset 6 or newer",
    );
    let mut missing = model(13, vec![x()], vec![relu()], &["y"]);
    missing.opset_import.clear();
    check_error(
        &missing,
        "m.onnx: the model imports no opset of the default domain",
    );
    let mut local = model(13, vec![x()], vec![relu()], &["y"]);
    local.functions.push(FunctionProto {
        name: "Relu".into(),
        domain: String::new(),
    });
    check_error(
        &local,
        "m.onnx: \"Relu_0\" (Relu, node 0): calls the function Relu, which the model defines; functions in models are not supported, inline them when exporting",
    );
    let cycle = vec![
        node("Add", &["x", "b"], &["a"]),
        node("Relu", &["a"], &["b"]),
        node("Blur", &["b"], &["c"]),
    ];
    check_error(
        &model(13, vec![x()], cycle, &["c"]),
        r#"m.onnx: 2 problems
  m.onnx: the nodes need each other's results: a -> b -> a
  m.onnx: "Blur_2" (Blur, node 2): the op Blur of the default domain opset 13 is not supported"#,
    );
}

#[test]
fn names_are_unique() {
    let twice = vec![node("Relu", &["x"], &["y"]), node("Neg", &["x"], &["y"])];
    check_error(
        &model(13, vec![x()], twice, &["y"]),
        "m.onnx: \"Neg_1\" (Neg, node 1): \"y\" is defined twice; names of values are unique in a graph",
    );
    check_error(
        &model(13, vec![x()], vec![node("Relu", &["x"], &["x"])], &["x"]),
        "m.onnx: \"Relu_0\" (Relu, node 0): \"x\" is defined twice; names of values are unique in a graph",
    );
    check_error(
        &model(13, vec![x(), x()], vec![], &["x", "x"]),
        r#"m.onnx: 2 problems
  m.onnx: input "x": "x" is defined twice; names of values are unique in a graph
  m.onnx: output "x": "x" is defined twice; names of values are unique in a graph"#,
    );
}

#[test]
fn problems_of_inputs() {
    let check = |input: ValueInfoProto, expect: &str| {
        check_error(
            &model(13, vec![input], vec![], &["x"]),
            &format!("m.onnx: input \"x\": {expect}"),
        );
    };
    check(
        port("x", 8, &["2"]),
        "has element type STRING, which is not supported",
    );
    check(
        port("x", 99, &["2"]),
        "has element type data type 99, which is not supported",
    );
    let mut unranked = x();
    unranked.ty.as_mut().unwrap().tensor.as_mut().unwrap().shape = None;
    check(
        unranked,
        "declares no shape; at least the number of axes must be declared",
    );
    let mut sequence = x();
    sequence.ty = Some(TypeProto {
        sequence: Some(Ignored {}),
        ..TypeProto::default()
    });
    check(
        sequence,
        "has the type sequence; only tensors are supported",
    );
    check(
        port("x", FLOAT, &["1"; 65]),
        "has 65 axes; at most 64 are supported",
    );
}

#[test]
fn problems_of_tensors() {
    type Set = fn(&mut TensorProto);
    let cases: [(Set, &str); 9] = [
        (
            |t| t.dims = vec![-1],
            "the tensor has the impossible shape [-1]",
        ),
        (
            |t| t.dims = vec![1 << 40, 1 << 40],
            "the tensor has the impossible shape [1099511627776, 1099511627776]",
        ),
        (
            |t| t.dims = vec![1 << 40],
            "the tensor's shape [1099511627776] of FLOAT needs 1099511627776 float_data, but the file holds 2",
        ),
        (
            |t| t.raw_data = Some(Bytes::from_static(b"12345")),
            "the tensor's shape [2] of FLOAT needs 8 bytes, but the file holds 5",
        ),
        (
            |t| (t.data_type, t.int32_data) = (3, vec![1, 300]),
            "the tensor holds 300, which is no INT8",
        ),
        (
            |t| (t.data_type, t.uint64_data) = (12, vec![1, 1 << 33]),
            "the tensor holds 8589934592, which is no UINT32",
        ),
        (
            |t| t.segment = Some(Ignored {}),
            "the tensor is segmented, which is not supported",
        ),
        (
            |t| {
                t.external_data = vec![EntryProto {
                    key: "location".into(),
                    value: "../w.bin".into(),
                }]
            },
            "the tensor's data is in another file (\"../w.bin\"); external data is not supported, save the model in one file",
        ),
        (
            |t| t.data_location = 1,
            "the tensor's data is in another file (\"\"); external data is not supported, save the model in one file",
        ),
    ];
    for (set, expect) in cases {
        let mut tensor = floats("w", &[2], &[1.0, 2.0]);
        set(&mut tensor);
        let model = model(13, vec![], vec![], &["w"]).with(vec![tensor]);
        check_error(&model, &format!("m.onnx: initializer \"w\": {expect}"));
    }
}

#[test]
fn bytes_that_are_no_model() {
    let check = |bytes: &'static [u8], expect: &str| {
        let error = import(Bytes::from_static(bytes), "m.onnx").unwrap_err();
        assert_eq!(error.to_string(), expect);
        assert!(error.problems().is_empty());
    };
    check(
        b"",
        "m.onnx: holds no graph; it is empty or another kind of protobuf file than an ONNX model",
    );
    check(
        b"PK\x03\x04",
        "m.onnx: not an ONNX file, or one that is cut short: at byte 3: a field has the number 0",
    );
    check(
        b"\x3a\x7f",
        "m.onnx: not an ONNX file, or one that is cut short: at byte 2: 127 bytes should follow, but only 0 do",
    );
    check(
        b"\x12\x01\xff",
        "m.onnx: not an ONNX file, or one that is cut short: failed to decode Protobuf message: ModelProto.producer_name: invalid string value: data is not UTF-8 encoded",
    );
    check(
        &[0xff; 11],
        "m.onnx: not an ONNX file, or one that is cut short: at byte 10: a number has more than ten bytes",
    );
}

#[test]
fn attributes_of_indexing_and_sampling_are_checked() {
    let one = |op| node(op, &["x", "x"], &["y"]);
    check_node(
        16,
        node("ScatterElements", &["x", "x", "x"], &["y"]).text("reduction", "max"),
        r#"attribute "reduction" = "max": is none of the words of this opset"#,
    );
    check_node(
        11,
        one("GatherElements"),
        "gather_elements: input 1 is f32, expected i32 or i64",
    );
    check_node(
        12,
        one("GatherND").int("batch_dims", -1),
        r#"attribute "batch_dims" = -1: can't be negative"#,
    );
    check_node(
        13,
        one("Pad").text("mode", "wrap"),
        r#"attribute "mode" = "wrap": is none of the words of this opset"#,
    );
    check_node(
        2 + 5,
        node("Pad", &["x"], &["y"]),
        r#"attribute "pads" is missing"#,
    );
    check_node(
        18,
        node("Resize", &["x"], &["y"])
            .text("coordinate_transformation_mode", "half_pixel_symmetric"),
        r#"attribute "coordinate_transformation_mode" = "half_pixel_symmetric": is none of the words of this opset"#,
    );
    check_node(
        13,
        node("Resize", &["x"], &["y"]),
        "resize: input 2 is required but was left out",
    );
    check_node(
        20,
        one("GridSample").text("mode", "bilinear"),
        r#"attribute "mode" = "bilinear": is none of the words of this opset"#,
    );
    check_node(
        13,
        node("DepthToSpace", &["x"], &["y"]).int("blocksize", 0),
        r#"attribute "blocksize" = 0: must be at least 1"#,
    );
    check_node(
        11,
        one("Compress").int("axis", 0),
        r#"input 1 ("x"): the condition must be a list: one axis"#,
    );
    check_node(
        9,
        node("TfIdfVectorizer", &["x"], &["y"])
            .text("mode", "TF")
            .int("min_gram_length", 1)
            .int("max_gram_length", 1)
            .int("max_skip_count", 0)
            .ints("ngram_counts", &[0])
            .ints("ngram_indexes", &[0]),
        r#"attribute "pool_int64s" is missing"#,
    );
}
