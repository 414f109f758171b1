//! Files that are cut, altered, or made to exhaust memory or time. None may panic.

use super::*;
use crate::inspect;

/// A model with most kinds of fields.
fn sample() -> ModelProto {
    let nodes = vec![
        node("Conv", &["x", "w"], &["c"])
            .ints("pads", &[1, 1, 1, 1])
            .text("auto_pad", "NOTSET"),
        node("Clip", &["c", "", "hi"], &["d"]),
        node("Shape", &["d"], &["s"]),
        node("Reshape", &["d", "s"], &["e"]),
        node("Split", &["e"], &["f", "g"]).int("axis", 1),
        node("LeakyRelu", &["f"], &["h"]).float("alpha", 0.5),
        node("Softmax", &["h"], &["y"]).int("axis", 1),
        node("Constant", &[], &["k"]).tensor("value", ints("", &[2], &[1, 2])),
    ];
    let raw = TensorProto {
        name: "w".into(),
        dims: vec![2, 1, 3, 3],
        data_type: FLOAT,
        raw_data: Some(Bytes::from(vec![0; 72])),
        ..TensorProto::default()
    };
    model(
        12,
        vec![port("x", FLOAT, &["n", "1", "8", "?"])],
        nodes,
        &["y", "g", "k"],
    )
    .with(vec![raw, floats("hi", &[], &[6.0])])
}

/// Both entry points agree on whether bytes are a model, and an imported graph verifies.
fn survive(bytes: &[u8]) {
    let inspected = inspect(Bytes::copy_from_slice(bytes), "m.onnx");
    match import(Bytes::copy_from_slice(bytes), "m.onnx") {
        Ok(model) => {
            assert_eq!(model.graph.verify(), Ok(()));
            assert!(inspected.is_ok());
        }
        Err(error) => {
            assert!(error.to_string().starts_with("m.onnx: "));
            assert_eq!(inspected.is_ok(), !error.problems().is_empty());
        }
    }
}

#[test]
fn every_truncation_is_an_error_or_a_model() {
    let bytes = sample().encode_to_vec();
    assert!(import_proto(&sample()).is_ok());
    for end in 0..bytes.len() {
        survive(&bytes[..end]);
    }
}

#[test]
fn altered_files_never_panic() {
    let original = sample().encode_to_vec();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // xorshift64: the same files in every run.
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).expect("31 bits fit")
    };
    for _ in 0..20_000 {
        let mut bytes = original.clone();
        for _ in 0..=random() % 4 {
            let at = random() % bytes.len();
            bytes[at] = random().to_le_bytes()[0];
        }
        survive(&bytes);
    }
}

#[test]
fn deep_nesting_is_refused() {
    // Graph in attribute in node in graph in ...
    let mut graph = GraphProto::default();
    for _ in 0..40 {
        let holder = node("If", &[], &[]).attr("then_branch", 5, |a| a.g = Some(Box::new(graph)));
        graph = GraphProto {
            node: vec![holder],
            ..GraphProto::default()
        };
    }
    let model = ModelProto {
        graph: Some(Box::new(graph)),
        ..ModelProto::default()
    };
    let error = import_proto(&model).unwrap_err().to_string();
    assert!(error.contains("messages nest too deeply"), "{error}");
}

#[test]
fn doubling_extents_are_refused() {
    let concat = |i: usize| {
        let (from, to) = (format!("x{i}"), format!("x{}", i + 1));
        node("Concat", &[&from, &from], &[&to]).int("axis", 0)
    };
    // (n + n), ((n + n) + (n + n)), ...: 2^i - 1 operators after i nodes.
    let nodes = (0..60).map(concat).collect();
    let model = model(13, vec![port("x0", FLOAT, &["n"])], nodes, &["x60"]);
    check_error(
        &model,
        "m.onnx: \"Concat_9\" (Concat, node 9): the result \"x10\" has extents that are expressions of more than 512 operators; bind symbols to numbers when exporting",
    );
}

#[test]
fn an_axis_list_cannot_make_a_huge_rank() {
    let axes: Vec<i64> = (0..1000).collect();
    let model = model(
        11,
        vec![port("x", FLOAT, &["n"])],
        vec![node("Unsqueeze", &["x"], &["y"]).ints("axes", &axes)],
        &["y"],
    );
    check_error(
        &model,
        "m.onnx: \"Unsqueeze_0\" (Unsqueeze, node 0): the result \"y\" has 1001 axes; at most 64 are supported",
    );
}

#[test]
fn extreme_numbers_in_attributes() {
    let extremes = [
        i64::MIN,
        i64::MIN + 1,
        -1,
        0,
        i64::from(i32::MAX),
        i64::MAX - 1,
        i64::MAX,
    ];
    for value in extremes {
        let list = [value, value];
        let many = [value; 4];
        let nodes = vec![
            node("MaxPool", &["x"], &["a"])
                .ints("kernel_shape", &list)
                .ints("strides", &list)
                .ints("pads", &many)
                .ints("dilations", &list),
            node("AveragePool", &["x"], &["b"])
                .ints("kernel_shape", &[3, 3])
                .ints("strides", &list)
                .text("auto_pad", "SAME_UPPER"),
            node("ReduceSum", &["x"], &["c"]).ints("axes", &list),
            node("Softmax", &["x"], &["d"]).int("axis", value),
            node("Slice", &["x"], &["e"])
                .ints("starts", &list)
                .ints("ends", &list)
                .ints("axes", &list),
            node("Squeeze", &["x"], &["f"]).ints("axes", &list),
            node("Unsqueeze", &["x"], &["g"]).ints("axes", &list),
            node("Flatten", &["x"], &["h"]).int("axis", value),
            node("Transpose", &["x"], &["i"]).ints("perm", &many),
            node("Split", &["x"], &["j", "k"])
                .int("axis", value)
                .ints("split", &list),
            node("Concat", &["x", "x"], &["l"]).int("axis", value),
            node("Cast", &["x"], &["m"]).int("to", value),
            node("Conv", &["x", "x"], &["n"])
                .int("group", value)
                .ints("dilations", &list),
            node("ConstantOfShape", &["s"], &["o"]),
            node("Reshape", &["x", "s"], &["p"]),
            node("Expand", &["x", "s"], &["q"]),
            node("Gather", &["s", "s"], &["r"]),
            node("Mul", &["s", "s"], &["t"]),
            node("Add", &["t", "t"], &["u"]),
        ];
        for node in nodes {
            for extents in [
                ["n", "4", "h", "w"],
                ["1", "4", "5", "6"],
                ["0", "0", "0", "0"],
            ] {
                let s = ints("s", &[2], &list);
                let t = ints("t", &[2], &list);
                let inputs = vec![port("x", FLOAT, &extents)];
                let outputs: Vec<&str> = node.output.iter().map(String::as_str).collect();
                for opset in [9, 12] {
                    let mut constants = vec![s.clone()];
                    constants.extend((node.op_type == "Add").then(|| t.clone()));
                    let model = model(opset, inputs.clone(), vec![node.clone()], &outputs);
                    survive(&model.with(constants).encode_to_vec());
                }
            }
        }
    }
}
