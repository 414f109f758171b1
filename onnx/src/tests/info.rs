//! What `inspect` tells.

use super::*;
use crate::{Info, inspect};

fn info(model: &ModelProto) -> Info {
    inspect(Bytes::from(model.encode_to_vec()), "m.onnx").expect("a model")
}

#[test]
fn facts_are_told_also_of_models_that_are_not_supported() {
    let body = GraphProto {
        node: vec![node("Relu", &["x"], &["z"]), node("Loop", &[], &[])],
        initializer: vec![floats("inner", &[3], &[0.0; 3])],
        ..GraphProto::default()
    };
    let mut branch = node("If", &["c"], &["y"]);
    branch = branch.attr("then_branch", 5, |a| a.g = Some(Box::new(body)));
    let mut custom = node("Fancy", &["x"], &["f"]);
    custom.domain = "com.example".into();
    let constant = node("Constant", &[], &["k"]).tensor("value", ints("", &[2], &[1, 2]));
    let nodes = vec![branch, custom, constant, node("Relu", &["x"], &["r"])];
    let inputs = vec![
        port("x", FLOAT, &["n", "2", "?"]),
        port("c", BOOL, &[]),
        port("w", FLOAT, &["4"]),
    ];
    let mut model = model(13, inputs, nodes, &["y", "r"]).with(vec![floats("w", &[4], &[0.0; 4])]);
    model.producer_version = "1.2".into();
    model.metadata_props = vec![EntryProto {
        key: "k".into(),
        value: "v".into(),
    }];
    let info = info(&model);
    assert_eq!(
        (info.ir_version, info.opsets),
        (8, vec![(String::new(), 13)])
    );
    assert_eq!(
        (info.producer.as_str(), info.producer_version.as_str()),
        ("test", "1.2")
    );
    assert_eq!(info.metadata, [("k".to_owned(), "v".to_owned())]);
    let ports: Vec<String> = info.inputs.iter().map(ToString::to_string).collect();
    assert_eq!(ports, ["x: FLOAT[n, 2, ?]", "c: BOOL[]"]);
    let ports: Vec<String> = info.outputs.iter().map(ToString::to_string).collect();
    assert_eq!(ports, ["y: UNDEFINED[...]", "r: UNDEFINED[...]"]);
    let ops: Vec<(&str, usize)> = info
        .op_histogram
        .iter()
        .map(|(op, n)| (op.as_str(), *n))
        .collect();
    assert_eq!(
        ops,
        [
            ("Relu", 2),
            ("Constant", 1),
            ("If", 1),
            ("Loop", 1),
            ("com.example.Fancy", 1)
        ]
    );
    // 4 + 3 floats and 2 integers of 8 bytes.
    assert_eq!((info.parameter_count, info.parameter_bytes), (9, 44));
    let problems: Vec<String> = info.unsupported.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            r#"m.onnx: "If_0" (If, node 0): the op If of the default domain opset 13 is not supported"#,
            r#"m.onnx: "Loop_1" (Loop, node 1): the op Loop of the default domain opset 13 is not supported"#,
            r#"m.onnx: "Fancy_1" (com.example.Fancy, node 1): the op Fancy of domain "com.example" opset 0 is not supported"#,
        ]
    );
}

#[test]
fn an_imported_model_has_no_problems() {
    let model = model(
        13,
        vec![port("x", FLOAT, &["2"])],
        vec![node("Relu", &["x"], &["y"])],
        &["y"],
    );
    let imported = import_proto(&model).expect("a model");
    assert_eq!(imported.info, info(&model));
    assert_eq!(imported.info.unsupported, []);
}
