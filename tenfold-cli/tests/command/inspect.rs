//! `tenfold inspect` and `tenfold devices`.

use serde_json::json;

use super::tenfold::{keys, tenfold};

#[test]
fn a_model_is_described_in_tables() {
    let expect = "\
head.onnx: ONNX, IR version 8, opset 17, made by make_models.py
metadata:
  author  \"make_models.py\"
inputs:
  x  f32  [N, 4]
outputs:
  /head/out:0  f32  [N, 3]
  best         f32  [N]
ops:
  1  Add
  1  MatMul
  1  ReduceMax
  1  Relu
parameters: 15 in 60 bytes
supported: yes
";
    assert_eq!(tenfold("inspect head.onnx").success(), expect);
}

#[test]
fn a_model_is_described_in_json() {
    let info = tenfold("inspect head.onnx --json").json();
    let expect = json!({
        "file": "head.onnx",
        "format": "ONNX",
        "ir_version": 8,
        "opsets": [{ "domain": "", "version": 17 }],
        "producer": "make_models.py",
        "producer_version": "",
        "metadata": { "author": "make_models.py" },
        "inputs": [{ "name": "x", "dtype": "f32", "shape": ["N", 4] }],
        "outputs": [
            { "name": "/head/out:0", "dtype": "f32", "shape": ["N", 3] },
            { "name": "best", "dtype": "f32", "shape": ["N"] },
        ],
        "ops": [
            { "op": "Add", "count": 1 },
            { "op": "MatMul", "count": 1 },
            { "op": "ReduceMax", "count": 1 },
            { "op": "Relu", "count": 1 },
        ],
        "parameter_count": 15,
        "parameter_bytes": 60,
        "supported": true,
        "unsupported": [],
    });
    assert_eq!(info, expect);
}

#[test]
fn a_dimension_without_a_name_is_null() {
    let info = tenfold("inspect pair.onnx --json").json();
    let expect = json!([
        { "name": "x", "dtype": "f32", "shape": ["N", null] },
        { "name": "n=1", "dtype": "i64", "shape": ["N", 1] },
    ]);
    assert_eq!(info["inputs"], expect);
    let table = tenfold("inspect pair.onnx").success();
    assert!(
        table.contains("\n  x    f32  [N, ?]\n  n=1  i64  [N, 1]\n"),
        "{table}"
    );
}

#[test]
fn what_is_not_supported_is_told_and_is_no_failure() {
    let table = tenfold("inspect unsupported.onnx").success();
    let expect = "\
supported: no
  \"/first/Frobnicate\" (com.example.Frobnicate, node 0) and 1 more: the op Frobnicate of domain \"com.example\" opset 1 is not supported
";
    assert!(table.ends_with(expect), "{table}");
    assert!(
        table.contains("  2  com.example.Frobnicate\n  1  Relu\n"),
        "{table}"
    );

    let info = tenfold("inspect unsupported.onnx --json").json();
    let expect = json!([{
        "where": "\"/first/Frobnicate\" (com.example.Frobnicate, node 0)",
        "node": "/first/Frobnicate",
        "op": "Frobnicate",
        "domain": "com.example",
        "opset": 1,
        "problem": "the op Frobnicate of domain \"com.example\" opset 1 is not supported",
        "count": 2,
    }]);
    assert_eq!(
        (&info["supported"], &info["unsupported"]),
        (&json!(false), &expect)
    );
}

#[test]
fn devices_are_listed() {
    let table = tenfold("devices").success();
    assert!(
        table.starts_with("device  kind  detail\ncpu     cpu   "),
        "{table}"
    );
    let json = tenfold("devices --json").json();
    assert_eq!(keys(&json), ["devices"]);
    let first = &json["devices"][0];
    assert_eq!(keys(first), ["detail", "kind", "name"]);
    assert_eq!(
        (&first["name"], &first["kind"]),
        (&json!("cpu"), &json!("cpu"))
    );
}
