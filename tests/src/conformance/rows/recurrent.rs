//! Recurrent layers and linear attention.

use super::{FLOATS, Row, Values, row};
use Values::{Between, Within};

/// Weights and states of moderate size, so that no state saturates.
const MILD: Values = Within(0.5);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    cells(&mut rows);
    linear_attention(&mut rows);
    rows
}

/// Time, batch, features, size of the state.
const EXTENTS: &[[usize; 4]] = &[
    [5, 3, 2, 4],
    [1, 1, 1, 1],
    [7, 2, 3, 5],
    [0, 2, 3, 2],
    [3, 0, 2, 2],
    [2, 2, 0, 3],
];

/// A cell: name, gates, the functions of a direction whose names begin with `@`, its own attributes.
const CELLS: &[(&str, usize, &str, &str)] = &[
    ("rnn", 1, "@f = tanh", ""),
    ("rnn", 1, "@f = leaky_relu, @f_alpha = 0.3", ""),
    (
        "gru",
        3,
        "@f = sigmoid, @g = tanh",
        ", linear_before_reset = false",
    ),
    (
        "gru",
        3,
        "@f = hard_sigmoid, @f_alpha = 0.25, @f_beta = 0.5, @g = softsign",
        ", linear_before_reset = true",
    ),
    (
        "lstm",
        4,
        "@f = sigmoid, @g = tanh, @h = tanh",
        ", input_forget = false",
    ),
    (
        "lstm",
        4,
        "@f = sigmoid, @g = scaled_tanh, @g_alpha = 1.5, @g_beta = 0.5, @h = elu, @h_alpha = 0.5",
        ", clip = 0.75, input_forget = true",
    ),
];

fn cells(rows: &mut Vec<Row>) {
    for &cell in CELLS {
        for (at, &extents) in EXTENTS.iter().enumerate() {
            layers(rows, cell, extents, "bidirectional", 2);
            if at == 0 {
                layers(rows, cell, extents, "forward", 1);
                layers(rows, cell, extents, "reverse", 1);
            }
        }
    }
}

/// A layer with the inputs that have to be there, and one with all.
fn layers(
    rows: &mut Vec<Row>,
    (name, gates, functions, own): (&str, usize, &str, &str),
    [time, batch, features, hidden]: [usize; 4],
    direction: &str,
    count: usize,
) {
    let all = gates * hidden;
    let inputs = format!(
        "x: T[{time}, {batch}, {features}], w: T[{count}, {all}, {features}], r: T[{count}, {all}, {hidden}]"
    );
    let state = format!("T[{count}, {batch}, {hidden}]");
    let more = if name == "lstm" { 2 } else { 1 };
    let result = format!(
        "T[{time}, {count}, {batch}, {hidden}]{}",
        format!("; {state}").repeat(more)
    );
    let named: Vec<String> = ["", "back_"]
        .iter()
        .take(count)
        .map(|prefix| functions.replace('@', prefix))
        .collect();
    let attributes = format!("direction = {direction}, {}{own}", named.join(", "));
    let call = format!("{name}(x, w, r, {attributes})");
    rows.push(row(inputs.clone(), result.clone(), call, FLOATS).values(&[MILD]));
    let mut inputs = format!(
        "{inputs}, b: T[{count}, {}], l: i32[{batch}], h: {state}",
        2 * all
    );
    let mut call = format!("{name}(x, w, r, b, l, h");
    if name == "lstm" {
        inputs = format!("{inputs}, c: {state}, p: T[{count}, {}]", 3 * hidden);
        call = format!("{call}, c, p");
    }
    let lengths = Between(0.0, time as f64);
    let values = [MILD, MILD, MILD, MILD, lengths, MILD];
    rows.push(row(inputs, result, format!("{call}, {attributes})"), FLOATS).values(&values));
}

fn linear_attention(rows: &mut Vec<Row>) {
    // Batch, time, query heads, heads of keys, widths of keys and values.
    for [batch, time, q, kv, k, v] in [
        [2, 5, 2, 2, 3, 4],
        [1, 1, 4, 1, 2, 3],
        [2, 3, 4, 2, 1, 1],
        [0, 2, 1, 1, 2, 2],
        [2, 0, 1, 1, 2, 2],
    ] {
        let packed = |width: usize| format!("T[{batch}, {time}, {width}]");
        let inputs = format!(
            "q: {}, k: {}, v: {}",
            packed(q * k),
            packed(kv * k),
            packed(kv * v)
        );
        let state = format!("[{batch}, {kv}, {k}, {v}]");
        let heads = format!("q_heads = {q}, kv_heads = {kv}");
        let made = packed(q * v);
        let call = format!("linear_attention(q, k, v, rule = linear, {heads})");
        rows.push(row(inputs.clone(), format!("{made}; T{state}"), call, FLOATS).values(&[MILD]));
        for (decay, beta) in [(kv, kv), (kv * k, 1)] {
            let (decay, beta) = (packed(decay), packed(beta));
            for (rule, more, names) in [
                ("gated", format!("d: {decay}"), "d"),
                ("delta", format!("b: {beta}"), "_, b"),
                ("gated_delta", format!("d: {decay}, b: {beta}"), "d, b"),
            ] {
                let inputs = format!("{inputs}, s: f32{state}, {more}");
                let call = format!(
                    "linear_attention(q, k, v, s, {names}, rule = {rule}, {heads}, scale = 0.5)"
                );
                rows.push(row(inputs, format!("{made}; f32{state}"), call, FLOATS).values(&[MILD]));
            }
        }
    }
}
