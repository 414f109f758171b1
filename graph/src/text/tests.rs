//! The text form, both ways.

use super::*;
use crate::op::{Conv, MapOp, MatMul, Op, Pad, Softmax, Window};
use crate::{Dim, Graph, GraphBuilder, TensorType, ValueId};
use tensor_core::DType;

fn sample() -> Graph {
    let mut b = GraphBuilder::new("two layers");
    let x = b
        .input(
            "x",
            TensorType::new(DType::F32, [Dim::from("B"), Dim::Known(24)]),
        )
        .unwrap();
    let w: Vec<f32> = (0..24 * 4).map(|i| i as f32 / 7.0).collect();
    let w = b
        .constant(
            "w/1:0",
            Arc::new(Tensor::from_vec_row_major([24, 4], w).unwrap()),
        )
        .unwrap();
    let bias = vec![0.1_f32, -0.0, f32::INFINITY, f32::from_bits(0x7fc0_0001)];
    let bias = b
        .constant(
            "bias",
            Arc::new(Tensor::from_vec_row_major([4], bias).unwrap()),
        )
        .unwrap();
    let h = b
        .node(
            Op::MatMul(MatMul),
            &[Some(x), Some(w)],
            "h",
            "/layer1/\"MatMul\"",
        )
        .unwrap();
    let add = Op::Map(MapOp::named("add").unwrap());
    let s = b.node(add, &[Some(h), Some(bias)], "const", "").unwrap();
    let leaky = Op::Map(MapOp::named("leaky_relu").unwrap().with("alpha", 0.3));
    let l = b.node(leaky, &[Some(s)], "l", "").unwrap();
    let p = b
        .node(
            Op::Softmax(Softmax {
                axis: -1,
                log: false,
            }),
            &[Some(l)],
            "p",
            "",
        )
        .unwrap();
    let clip = Op::Map(MapOp::named("clip").unwrap());
    let bound = b.constant("hi", Arc::new(Tensor::scalar(0.5_f32))).unwrap();
    let c = b
        .node(clip, &[Some(p), None, Some(bound)], "c", "")
        .unwrap();
    b.output("p", p);
    b.output("clipped", c);
    b.finish()
}

#[test]
fn a_graph_prints_parses_and_prints_the_same() {
    let graph = sample();
    let text = graph.to_string();
    let expected = "func \"two layers\"(x: f32[B, 24]) -> (p: f32[B, 4], clipped = c: f32[B, 4]) {
  const \"w/1:0\": f32[24, 4] = #";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("  const bias: f32[4] = {0.1, -0, inf, nan(0x7fc00001)}\n"),
        "{text}"
    );
    assert!(
        text.contains("  h: f32[B, 4] = matmul(x, \"w/1:0\") @ \"/layer1/\\\"MatMul\\\"\"\n"),
        "{text}"
    );
    assert!(text.contains("  c: f32[B, 4] = clip(p, _, hi)\n"), "{text}");
    let parsed = parse(&text, &graph).expect("the text parses");
    assert_eq!(parsed.verify(), Ok(()));
    assert_eq!(parsed.to_string(), text);
}

#[test]
fn a_window_keeps_its_attributes() {
    let mut b = GraphBuilder::new("f");
    let x = b
        .input("x", TensorType::fixed(DType::F32, &[1, 2, 5, 5]))
        .unwrap();
    let w = b
        .input("w", TensorType::fixed(DType::F32, &[4, 1, 3, 3]))
        .unwrap();
    for pad in [
        Pad::Explicit {
            begin: vec![0, 1],
            end: vec![2, 3],
        },
        Pad::SameUpper,
        Pad::SameLower,
    ] {
        let window = Window {
            strides: vec![1, 2],
            dilations: vec![2, 1],
            pad,
        };
        let y = b
            .apply(Op::Conv(Conv { window, groups: 2 }), &[x, w], "")
            .unwrap();
        let name = b.fresh_name("out");
        b.output(name, y);
    }
    let text = b.finish().to_string();
    assert_eq!(
        parse(&text, &NoConstants).expect("parses").to_string(),
        text
    );
}

#[test]
fn errors_name_the_place() {
    let cases = [
        (
            "func f(x: f32[2]) -> (y: f32[2]) {\n  y: f32[2] = exp(z)\n}",
            "line 2, column 19: there is no value \"z\" before this line",
        ),
        (
            "func f(x: f32[2]) -> (y: f32[3]) {\n  y: f32[3] = exp(x)\n}",
            "line 2, column 3: declared f32[3], but inference gives f32[2]",
        ),
        (
            "func f(x: f33[2]) -> ()",
            "line 1, column 11: expected a dtype such as f32",
        ),
        (
            "func f(x: f32[2]) -> () {\n  y: f32[2] = blur(x)\n}",
            "line 2, column 3: blur: there is no op named \"blur\"",
        ),
        (
            "func f(x: f32[2]) -> () {\n  const c: f32[2] = {1}\n}",
            "line 2, column 21: the elements do not fill f32[2]",
        ),
        (
            "func f(x: f32[2]) -> () {\n  const c: f32[2] = #00\n}",
            "line 2, column 9: the constant \"c\" is not in the text and was not provided",
        ),
        (
            "func f(x: f32[2) -> ()",
            "line 1, column 16: expected \",\" or ']', found ')'",
        ),
        (
            "func f(x: f32[2]) -> () { $",
            "line 1, column 27: unexpected character '$'",
        ),
        (
            "func f(\"x",
            "line 1, column 10: a quoted name does not end",
        ),
        (
            "",
            "line 1, column 1: expected \"func\", found the end of the text",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(
            parse(text, &NoConstants).expect_err(text).to_string(),
            want,
            "{text}"
        );
    }
}

#[test]
fn deep_extents_are_refused() {
    let deep = format!(
        "func f(x: f32[{}B{}]) -> () {{}}",
        "(".repeat(5000),
        " + 1)".repeat(5000)
    );
    let error = parse(&deep, &NoConstants).expect_err("too deep");
    assert_eq!(error.message, "extents nest too deeply");
}

#[test]
fn cut_and_altered_texts_never_panic() {
    let graph = sample();
    let text = graph.to_string();
    for end in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
        assert!(parse(&text[..end], &graph).is_err() || end + 1 >= text.len());
    }
    for at in 0..text.len() {
        for byte in [b'(', b'-', b'0', b'"', b'x'] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = byte;
            if let Ok(altered) = String::from_utf8(bytes) {
                // Either answer is right; only a panic is wrong.
                let _either = parse(&altered, &graph).is_ok();
            }
        }
    }
}

#[test]
fn duplicate_names_are_refused() {
    let mut b = GraphBuilder::new("f");
    b.input("x", TensorType::fixed(DType::F32, &[])).unwrap();
    let again: Result<ValueId, _> = b.input("x", TensorType::fixed(DType::F32, &[]));
    assert!(again.is_err());
}
