//! Types of recurrent layers and linear attention, by the text form, and what inference refuses.

use super::*;
use crate::op::Op;
use crate::{NoConstants, parse};

/// The types of the outputs of `call` for these declarations, by the text form, which has to print as it was.
fn check(inputs: &str, results: &str, call: &str) {
    let text = format!("func f({inputs}) -> (y.0: f32[1]) {{\n  {results} = {call}\n}}\n");
    let first = results.split(", y.1").next().expect("a result");
    let text = text.replace("y.0: f32[1]", first);
    match parse(&text, &NoConstants) {
        Ok(graph) => assert_eq!(graph.to_string(), text),
        Err(error) => panic!("{text}\n{error}"),
    }
}

/// The error of inference for inputs of these types, `_` for one that is left out.
fn check_error(op: &Op, inputs: &[&str], expect: &str) {
    let facts: Vec<Option<ValueFacts>> = inputs
        .iter()
        .map(|text| (*text != "_").then(|| ValueFacts::of_type(super::super::tests::ty(text))))
        .collect();
    let given: Vec<Option<&ValueFacts>> = facts.iter().map(Option::as_ref).collect();
    let error = op.infer(&given, "y").expect_err(expect);
    assert_eq!(error.to_string(), expect);
}

#[test]
fn shapes_follow_from_time_batch_and_the_recurrent_weights() {
    check(
        "x: f32[T, B, 3], w: f32[1, 5, 3], r: f32[1, 5, 5]",
        "y.0: f32[T, 1, B, 5], y.1: f32[1, B, 5]",
        "rnn(x, w, r, direction = reverse, f = affine, f_alpha = 0.5, f_beta = 1.0, clip = 3.0)",
    );
    check(
        "x: f16[7, B, 3], w: f16[2, 15, 3], r: f16[2, 15, 5], b: f16[2, 30], h: f16[2, B, 5]",
        "y.0: f16[7, 2, B, 5], y.1: f16[2, B, 5]",
        "gru(x, w, r, b, _, h, direction = bidirectional, f = sigmoid, g = tanh, back_f = hard_sigmoid, back_f_alpha = 0.2, \
         back_f_beta = 0.5, back_g = leaky_relu, back_g_alpha = 0.01, linear_before_reset = true)",
    );
    check(
        "x: f64[T, 2, I], w: f64[1, 12, I], r: f64[1, 12, 3], l: i32[2], c: f64[1, 2, 3], p: f64[1, 9]",
        "y.0: f64[T, 1, 2, 3], y.1: f64[1, 2, 3], y.2: f64[1, 2, 3]",
        "lstm(x, w, r, _, l, _, c, p, direction = forward, f = sigmoid, g = tanh, h = tanh, input_forget = false)",
    );
}

fn lstm(functions: usize) -> Op {
    Op::Recurrent(Recurrent {
        cell: Cell::Lstm {
            input_forget: false,
        },
        direction: Direction::Forward,
        functions: vec![Activation::plain(ActivationKind::Tanh); functions],
        clip: None,
    })
}

#[test]
fn inputs_of_other_shapes_are_refused() {
    let (x, w, r) = ("f32[T, B, 3]", "f32[1, 8, 3]", "f32[1, 8, 2]");
    let check = |inputs: &[&str], want: &str| check_error(&lstm(3), inputs, want);
    check(
        &["f32[T, 3]", w, r],
        "lstm: input 0 has shape f32[T, 3]: must be [time, batch, features]",
    );
    check(
        &[x, "f32[1, 8, 4]", r],
        "lstm: input 1 has shape f32[1, 8, 4]: must be [directions, gates * hidden, features], here [1, 8, 3]",
    );
    check(
        &[x, w, "f32[2, 8, 2]"],
        "lstm: input 2 has shape f32[2, 8, 2]: must be [directions, gates * hidden, hidden], here [1, 8, 2]",
    );
    check(
        &[x, w, r, "f32[1, 8]"],
        "lstm: input 3 has shape f32[1, 8]: must be [directions, 2 * gates * hidden], here [1, 16]",
    );
    check(
        &[x, w, r, "_", "f32[B]"],
        "lstm: input 4 is f32, expected i32 or i64",
    );
    check(
        &["f32[T, 4, 3]", w, r, "_", "i32[3]"],
        "lstm: input 4 has shape i32[3]: must be [batch], here [4]",
    );
    check(
        &[x, w, r, "_", "_", "f64[1, B, 2]"],
        "lstm: input 5 is f64, expected f32 like input 0",
    );
    check(
        &[x, w, r, "_", "_", "_", "_", "f32[1, 8]"],
        "lstm: input 7 has shape f32[1, 8]: must be [directions, 3 * hidden], here [1, 6]",
    );
    check_error(
        &lstm(2),
        &[x, w, r],
        "lstm: functions = 2: 3 functions are needed",
    );
}

fn linear(rule: UpdateRule, q_heads: usize) -> Op {
    Op::LinearAttention(LinearAttention {
        rule,
        q_heads,
        kv_heads: 2,
        scale: None,
    })
}

#[test]
fn linear_attention_has_a_matrix_of_state_for_each_head() {
    check(
        "q: f16[B, T, 12], k: f16[B, T, 6], v: f16[B, T, 10], s: f32[B, 2, 3, 5], d: f16[B, T, 6], b: f16[B, T, 1]",
        "y.0: f16[B, T, 20], y.1: f32[B, 2, 3, 5]",
        "linear_attention(q, k, v, s, d, b, rule = gated_delta, q_heads = 4, kv_heads = 2, scale = 0.5)",
    );
    let (q, k, v) = ("f32[B, T, 6]", "f32[B, T, 6]", "f32[B, T, 10]");
    let plain = linear(UpdateRule::Linear, 2);
    check_error(
        &linear(UpdateRule::Linear, 3),
        &[q, k, v],
        "linear_attention: q_heads = 3: must be a multiple of kv_heads = 2",
    );
    check_error(
        &linear(UpdateRule::Gated, 2),
        &[q, k, v],
        "linear_attention: input 4 is required but was left out",
    );
    check_error(
        &plain,
        &[q, k, v, "_", "_", "f32[B, T, 1]"],
        "linear_attention: rule = linear: input 5 has no part in it; leave it out",
    );
    check_error(
        &plain,
        &[q, k, "f32[B, T, 9]"],
        "linear_attention: input 2 has shape f32[B, T, 9]: must be [batch, time, 2 heads * width]",
    );
    check_error(
        &plain,
        &[q, "f32[B, T, 8]", v],
        "linear_attention: input 1 has shape f32[B, T, 8]: must be [batch, time, kv_heads * k], here [B, T, 6]",
    );
    check_error(
        &plain,
        &[q, k, v, "f32[B, 2, 5, 3]"],
        "linear_attention: input 3 has shape f32[B, 2, 5, 3]: must be [batch, kv_heads, k, v], here [B, 2, 3, 5]",
    );
    check_error(
        &linear(UpdateRule::Gated, 2),
        &[q, k, v, "_", "f32[B, T, 4]"],
        "linear_attention: input 4 has shape f32[B, T, 4]: must be [batch, time, kv_heads], here [B, T, 2]",
    );
}
