//! Windows beside convolution, the mean and the largest element.

use super::structured::{POOLS, columns, window};
use super::{FLOATS, PLAIN, Row, Values, row};
use Values::Within;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    transposed(&mut rows);
    deformed(&mut rows);
    pools(&mut rows);
    col2im(&mut rows);
    rows
}

/// Input, weights, strides, dilations, padding, output padding, given output, groups, result.
const TRANSPOSED: &[&str] = &[
    "1, 2, 3, 4 | 2, 3, 3, 2 | [1, 1] | [1, 1] | [0, 0, 0, 0] | [0, 0] | none | 1 | 1, 3, 5, 5",
    "2, 4, 3, 3 | 4, 3, 3, 3 | [2, 3] | [1, 2] | [1, 0, 1, 2] | [1, 0] | none | 2 | 2, 6, 6, 9",
    "1, 1, 3, 3 | 1, 2, 3, 3 | [3, 2] | [1, 1] | [0, 0, 0, 0] | [0, 0] | [10, 8] | 1 | 1, 2, 10, 8",
    "1, 1, 3, 3 | 1, 2, 3, 3 | [2, 2] | [1, 1] | same_upper | [0, 0] | none | 1 | 1, 2, 6, 6",
    "1, 1, 3, 3 | 1, 2, 3, 3 | [2, 2] | [1, 1] | same_lower | [0, 0] | none | 1 | 1, 2, 6, 6",
    "1, 2, 5 | 2, 2, 3 | [2] | [1] | [0, 0] | [1] | none | 1 | 1, 2, 12",
    "1, 1, 2, 3, 2 | 1, 2, 2, 2, 2 | [1, 2, 1] | [1, 1, 1] | [0, 0, 0, 0, 0, 0] | [0, 0, 0] | none | 1 | 1, 2, 3, 6, 3",
    "0, 2, 3 | 2, 2, 3 | [1] | [1] | [0, 0] | [0] | none | 1 | 0, 2, 5",
];

fn transposed(rows: &mut Vec<Row>) {
    for line in TRANSPOSED {
        let [x, w, strides, dilations, pads, more, output, groups, result] = columns(line);
        let output = match output {
            "none" => String::new(),
            output => format!("output = {output}, "),
        };
        let tail = format!(
            "{}, output_padding = {more}, {output}groups = {groups}",
            window(strides, dilations, pads)
        );
        let filters = result.split(", ").nth(1).unwrap_or_default();
        let inputs = format!("x: T[{x}], w: T[{w}]");
        let result = format!("T[{result}]");
        let biased = format!("{inputs}, b: T[{filters}]");
        rows.push(row(
            &inputs,
            &result,
            format!("conv_transpose(x, w, {tail})"),
            FLOATS,
        ));
        rows.push(row(
            biased,
            &result,
            format!("conv_transpose(x, w, b, {tail})"),
            FLOATS,
        ));
    }
}

fn deformed(rows: &mut Vec<Row>) {
    let tail =
        "strides = [1, 1], dilations = [1, 1], pads = [1, 0, 0, 0], groups = 2, offset_groups = 2";
    let inputs = "x: T[2, 4, 4, 5], w: T[2, 2, 2, 3], o: T[2, 24, 4, 3]";
    for (more, names) in [
        ("", ""),
        (", b: T[2], m: T[2, 12, 4, 3]", ", b, m"),
        (", m: T[2, 12, 4, 3]", ", _, m"),
    ] {
        let call = format!("deform_conv(x, w, o{names}, {tail})");
        let values = [PLAIN, PLAIN, Within(2.0), PLAIN];
        rows.push(row(format!("{inputs}{more}"), "T[2, 2, 4, 3]", call, FLOATS).values(&values));
    }
}

fn pools(rows: &mut Vec<Row>) {
    for line in POOLS {
        let [x, kernel, strides, dilations, pads, ceil, result] = columns(line);
        let tail = format!(
            "kernel = {kernel}, {}, ceil = {ceil}",
            window(strides, dilations, pads)
        );
        let inputs = format!("x: T[{x}]");
        for column_major in [true, false] {
            let call = format!("arg_max_pool(x, {tail}, column_major = {column_major})");
            rows.push(row(&inputs, format!("i64[{result}]"), call, FLOATS));
        }
        for p in [1, 2, 3] {
            let call = format!("lp_pool(x, {tail}, p = {p})");
            rows.push(row(&inputs, format!("T[{result}]"), call, FLOATS));
        }
    }
}

fn col2im(rows: &mut Vec<Row>) {
    for (x, image, kernel, rest, result) in [
        (
            "1, 5, 5",
            "5, 5",
            "1, 5",
            "strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0]",
            "1, 1, 5, 5",
        ),
        (
            "2, 12, 9",
            "5, 6",
            "2, 3",
            "strides = [2, 2], dilations = [1, 1], pads = [0, 1, 1, 0]",
            "2, 2, 5, 6",
        ),
        (
            "1, 4, 4",
            "5, 5",
            "2, 2",
            "strides = [2, 2], dilations = [2, 2], pads = [0, 0, 0, 0]",
            "1, 1, 5, 5",
        ),
    ] {
        let constants = format!("const i: i64[2] = {{{image}}} const k: i64[2] = {{{kernel}}}");
        let one = row(
            format!("x: T[{x}]"),
            format!("T[{result}]"),
            format!("col2im(x, i, k, {rest})"),
            FLOATS,
        );
        rows.push(one.constants(constants));
    }
}
