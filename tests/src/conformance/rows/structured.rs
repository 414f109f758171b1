//! Everything but elementwise ops.

use tensor::DType;

use super::{ANY, FLOATS, NUMBERS, PLAIN, Row, SHAPES, Values, row};
use Values::{Between, Infinite, Special, Within};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    reductions(&mut rows);
    products(&mut rows);
    convolutions(&mut rows);
    pools(&mut rows);
    normalisations(&mut rows);
    gathers(&mut rows);
    views(&mut rows);
    random_numbers(&mut rows);
    rows
}

fn random_numbers(rows: &mut Vec<Row>) {
    for kind in ["random_uniform", "random_normal"] {
        for &dtype in FLOATS {
            let call = format!("{kind}(key, dtype = {dtype}, shape = [5, 13])");
            let result = format!("{dtype}[5, 13]");
            rows.push(row("key: u64[2]", result, call, &[DType::U64]));
        }
    }
}

fn reductions(rows: &mut Vec<Row>) {
    let cases = [
        ("3, 5, 7", "axes = [1], keep = false", "3, 7"),
        ("3, 5, 7", "axes = [0, -1], keep = true", "1, 5, 1"),
        ("3, 5, 7", "keep = false", ""),
        ("13, 613", "axes = [1], keep = false", "13"),
        ("613, 3", "axes = [0], keep = true", "1, 3"),
        ("", "keep = false", ""),
        ("1, 1", "axes = [0], keep = false", "1"),
        ("0, 3", "axes = [0], keep = false", "3"),
        ("3, 0", "axes = [0], keep = false", "0"),
    ];
    for kind in ["sum", "mean", "max", "min", "prod"] {
        let everyday = if kind == "prod" {
            Between(0.9, 1.1)
        } else {
            PLAIN
        };
        let extreme = if matches!(kind, "max" | "min") {
            Special
        } else {
            Infinite
        };
        for (shape, attributes, result) in cases {
            let call = format!("reduce_{kind}(a, {attributes}, noop_if_empty = false)");
            let one = |dtypes| {
                row(
                    format!("a: T[{shape}]"),
                    format!("T[{result}]"),
                    &call,
                    dtypes,
                )
            };
            rows.push(one(NUMBERS).values(&[everyday]));
            rows.push(one(FLOATS).values(&[extreme]));
        }
        let call = format!("reduce_{kind}(a, axes = [0], keep = false, noop_if_empty = false)");
        rows.push(
            row("a: T[29, 2]", "T[2]", call, NUMBERS).values(&[if kind == "mean" {
                PLAIN
            } else {
                extreme
            }]),
        );
        let nothing = format!("reduce_{kind}(a, keep = false, noop_if_empty = true)");
        rows.push(row("a: T[2, 3]", "T[2, 3]", nothing, NUMBERS));
    }
}

fn products(rows: &mut Vec<Row>) {
    for (a, b, result) in [
        ("1, 1", "1, 1", "1, 1"),
        ("2, 3", "3, 4", "2, 4"),
        ("7, 13", "13, 5", "7, 5"),
        ("17, 613", "613, 19", "17, 19"),
        ("67, 31", "31, 71", "67, 71"),
        ("5", "5", ""),
        ("3", "2, 3, 4", "2, 4"),
        ("2, 5, 3", "3", "2, 5"),
        ("2, 1, 4, 3", "5, 3, 2", "2, 5, 4, 2"),
        ("3, 4, 6", "3, 6, 5", "3, 4, 5"),
        ("1, 64", "64, 513", "1, 513"),
        ("521, 8", "8, 1", "521, 1"),
        ("2, 0", "0, 3", "2, 3"),
        ("0, 2", "2, 3", "0, 3"),
    ] {
        let one = |dtypes| {
            row(
                format!("a: T[{a}], b: T[{b}]"),
                format!("T[{result}]"),
                "matmul(a, b)",
                dtypes,
            )
        };
        rows.push(one(NUMBERS));
        if a.len() < 7 {
            rows.push(one(FLOATS).values(&[Infinite]));
        }
    }
    // Terms that cancel.
    rows.push(
        row(
            "a: T[3, 257], b: T[257, 5]",
            "T[3, 5]",
            "matmul(a, b)",
            FLOATS,
        )
        .values(&[Within(100.0)]),
    );
}

/// Input, weights, strides, dilations, padding, groups, result.
const CONVOLUTIONS: &[&str] = &[
    "1, 3, 8, 9 | 4, 3, 3, 3 | [1, 1] | [1, 1] | [1, 1, 1, 1] | 1 | 1, 4, 8, 9",
    "2, 4, 7, 5 | 6, 2, 3, 2 | [2, 1] | [1, 2] | [0, 1, 2, 0] | 2 | 2, 6, 4, 4",
    "1, 8, 19, 23 | 16, 8, 3, 3 | [1, 1] | [1, 1] | [1, 1, 1, 1] | 1 | 1, 16, 19, 23",
    "2, 16, 11, 13 | 24, 16, 1, 1 | [1, 1] | [1, 1] | [0, 0, 0, 0] | 1 | 2, 24, 11, 13",
    "1, 16, 11, 13 | 16, 1, 3, 3 | [1, 1] | [1, 1] | [1, 1, 1, 1] | 16 | 1, 16, 11, 13",
    "1, 17, 12, 13 | 17, 1, 5, 5 | [2, 2] | [1, 1] | [2, 2, 2, 2] | 17 | 1, 17, 6, 7",
    "1, 6, 9, 8 | 12, 1, 3, 3 | [1, 1] | [1, 1] | [0, 0, 0, 0] | 6 | 1, 12, 7, 6",
    "1, 3, 33, 35 | 8, 3, 3, 3 | [2, 2] | [1, 1] | [1, 1, 1, 1] | 1 | 1, 8, 17, 18",
    "1, 4, 6, 6 | 5, 4, 2, 2 | [1, 1] | [3, 3] | [0, 0, 0, 0] | 1 | 1, 5, 3, 3",
    "1, 2, 9 | 3, 2, 4 | [3] | [1] | same_upper | 1 | 1, 3, 3",
    "1, 2, 9 | 3, 2, 4 | [3] | [1] | same_lower | 1 | 1, 3, 3",
    "1, 6, 613 | 4, 6, 5 | [1] | [2] | [4, 4] | 1 | 1, 4, 613",
    "1, 1, 3, 4, 3 | 2, 1, 2, 3, 1 | [1, 2, 1] | [1, 1, 1] | [0, 1, 0, 1, 1, 0] | 1 | 1, 2, 3, 2, 3",
    "1, 1, 1, 1 | 1, 1, 1, 1 | [1, 1] | [1, 1] | [0, 0, 0, 0] | 1 | 1, 1, 1, 1",
    "0, 2, 4, 4 | 3, 2, 3, 3 | [1, 1] | [1, 1] | [0, 0, 0, 0] | 1 | 0, 3, 2, 2",
    "1, 2, 2, 2 | 3, 2, 3, 3 | [1, 1] | [1, 1] | [0, 0, 0, 0] | 1 | 1, 3, 0, 0",
];

/// Input, kernel, strides, dilations, padding, whether a rest gets a window, result.
pub(super) const POOLS: &[&str] = &[
    "1, 2, 8, 9 | [2, 2] | [2, 2] | [1, 1] | [0, 0, 0, 0] | false | 1, 2, 4, 4",
    "2, 3, 7, 6 | [3, 2] | [2, 1] | [1, 1] | [1, 0, 0, 1] | false | 2, 3, 3, 6",
    "1, 2, 7, 6 | [3, 2] | [2, 2] | [1, 1] | [1, 1, 1, 1] | true | 1, 2, 4, 4",
    "1, 16, 31, 33 | [3, 3] | [1, 1] | [1, 1] | [1, 1, 1, 1] | false | 1, 16, 31, 33",
    "1, 1, 9 | [3] | [2] | [2] | [1, 2] | false | 1, 1, 4",
    "1, 1, 8 | [3] | [2] | [1] | same_upper | false | 1, 1, 4",
    "1, 1, 8 | [3] | [2] | [1] | same_lower | false | 1, 1, 4",
    "2, 1, 4, 3, 4 | [2, 3, 2] | [2, 1, 2] | [1, 1, 1] | [0, 1, 0, 0, 1, 0] | false | 2, 1, 2, 3, 2",
    "1, 1, 6 | [4] | [4] | [1] | [2, 2] | true | 1, 1, 2",
    "1, 3, 613 | [7] | [3] | [1] | [3, 3] | false | 1, 3, 205",
    "0, 3, 4 | [2] | [1] | [1] | [0, 0] | false | 0, 3, 3",
];

/// The columns of a line.
pub(super) fn columns<const N: usize>(line: &str) -> [&str; N] {
    let columns: Vec<&str> = line.split(" | ").collect();
    columns
        .try_into()
        .unwrap_or_else(|_| panic!("{line:?} has not {N} columns"))
}

/// Strides, dilations and padding as attributes.
pub(super) fn window(strides: &str, dilations: &str, pads: &str) -> String {
    let pads = match pads {
        "same_upper" => "same_upper = true".to_owned(),
        "same_lower" => "same_upper = false".to_owned(),
        explicit => format!("pads = {explicit}"),
    };
    format!("strides = {strides}, dilations = {dilations}, {pads}")
}

/// Sums of whole numbers, among them those that wrap.
const WHOLE: &[DType] = &[DType::I32, DType::U8];

fn convolutions(rows: &mut Vec<Row>) {
    for line in CONVOLUTIONS {
        let [x, w, strides, dilations, pads, groups, result] = columns(line);
        let filters = w.split(',').next().unwrap_or_default();
        let tail = format!("{}, groups = {groups}", window(strides, dilations, pads));
        let inputs = format!("x: T[{x}], w: T[{w}]");
        let with_bias = format!("{inputs}, b: T[{filters}]");
        let result = format!("T[{result}]");
        let biased = format!("conv(x, w, b, {tail})");
        rows.push(row(&with_bias, &result, &biased, FLOATS));
        rows.push(row(inputs, &result, format!("conv(x, w, {tail})"), FLOATS));
        rows.push(row(&with_bias, &result, &biased, WHOLE));
        if x.len() < 12 {
            let values = [Infinite, PLAIN];
            rows.push(row(&with_bias, &result, &biased, FLOATS).values(&values));
        }
    }
}

fn pools(rows: &mut Vec<Row>) {
    for line in POOLS {
        let [x, kernel, strides, dilations, pads, ceil, result] = columns(line);
        let tail = format!("{}, ceil = {ceil}", window(strides, dilations, pads));
        for (name, count, extreme) in [
            ("max_pool", false, Special),
            ("average_pool", false, Infinite),
            ("average_pool", true, Infinite),
        ] {
            let call = format!("{name}(x, kernel = {kernel}, {tail}, count_pad = {count})");
            let one = row(format!("x: T[{x}]"), format!("T[{result}]"), call, FLOATS);
            rows.push(one.clone().values(&[extreme]));
            rows.push(one);
        }
    }
}

fn normalisations(rows: &mut Vec<Row>) {
    for name in ["softmax", "log_softmax"] {
        for (shape, axis) in [
            ("3, 5, 7", -1),
            ("3, 5, 7", 0),
            ("3, 5, 7", 1),
            ("13, 613", 1),
            ("613, 3", 0),
            ("1", 0),
            ("2, 0", 1),
            ("0, 3", 1),
        ] {
            for values in [PLAIN, Within(40.0), Infinite] {
                let call = format!("{name}(a, axis = {axis})");
                rows.push(
                    row(
                        format!("a: T[{shape}]"),
                        format!("T[{shape}]"),
                        call,
                        FLOATS,
                    )
                    .values(&[values]),
                );
            }
        }
    }
    for (shape, axis, inner) in [
        ("3, 5, 7", -1, "7"),
        ("3, 5, 7", 1, "5, 7"),
        ("7, 613", 1, "613"),
        ("4, 1", 1, "1"),
        ("0, 3", 1, "3"),
    ] {
        let x = format!("x: T[{shape}]");
        let result = format!("T[{shape}]");
        for (inputs, names) in [
            (format!("{x}, s: T[{inner}], b: T[{inner}]"), "x, s, b"),
            (format!("{x}, s: T[{inner}]"), "x, s"),
            (format!("{x}, b: T[1]"), "x, _, b"),
            (x.clone(), "x"),
        ] {
            for (values, epsilon) in [(PLAIN, "0.00001"), (Infinite, "0.5")] {
                let call = format!("layer_norm({names}, axis = {axis}, epsilon = {epsilon})");
                rows.push(row(&inputs, &result, call, FLOATS).values(&[values, PLAIN]));
            }
        }
    }
    for (shape, channels) in [
        ("2, 3", 3),
        ("2, 3, 5", 3),
        ("1, 16, 7, 9", 16),
        ("3, 1, 2, 2, 2", 1),
        ("0, 3, 2", 3),
        ("1, 3, 613", 3),
    ] {
        let c = format!("T[{channels}]");
        let inputs = format!("x: T[{shape}], s: {c}, b: {c}, m: {c}, v: {c}");
        let parameters = [PLAIN, PLAIN, PLAIN, Between(0.1, 4.0)];
        for first in [PLAIN, Infinite] {
            let values = [&[first], &parameters[..]].concat();
            let call = "batch_norm(x, s, b, m, v, epsilon = 0.001)";
            rows.push(row(&inputs, format!("T[{shape}]"), call, FLOATS).values(&values));
        }
    }
}

fn gathers(rows: &mut Vec<Row>) {
    for index in ["i64", "i32"] {
        for (shape, indices, axis, extent, result) in [
            ("5, 3", "2, 4", 0, 5.0, "2, 4, 3"),
            ("2, 7, 3", "5", 1, 7.0, "2, 5, 3"),
            ("2, 7", "", -1, 7.0, "2"),
            ("613", "3, 2", 0, 613.0, "3, 2"),
            ("4, 3", "0, 2", 0, 4.0, "0, 2, 3"),
            ("3, 0", "2", 0, 3.0, "2, 0"),
        ] {
            let inputs = format!("a: T[{shape}], i: {index}[{indices}]");
            let call = format!("gather(a, i, axis = {axis})");
            rows.push(
                row(inputs, format!("T[{result}]"), call, ANY)
                    .values(&[Special, Between(-extent, extent - 1.0)]),
            );
        }
    }
}

fn views(rows: &mut Vec<Row>) {
    for (shape, call, result) in [
        ("3, 5, 7", "transpose(a, perm = [2, 0, 1])", "7, 3, 5"),
        ("3, 5, 7", "transpose(a, perm = [0, 2, 1])", "3, 7, 5"),
        ("", "transpose(a, perm = [])", ""),
        ("3, 0", "transpose(a, perm = [1, 0])", "0, 3"),
        ("67, 71", "transpose(a, perm = [1, 0])", "71, 67"),
        ("2, 3, 4", "reshape(a, shape = [4, 6])", "4, 6"),
        ("1, 1", "reshape(a, shape = [])", ""),
        ("3, 0", "reshape(a, shape = [0, 7])", "0, 7"),
        ("613", "reshape(a, shape = [1, 613, 1])", "1, 613, 1"),
        (
            "3, 5, 7",
            "slice(a, axes = [0, 2], starts = [-1, 5], ends = [9, -9], steps = [1, -2])",
            "1, 5, 3",
        ),
        (
            "613",
            "slice(a, axes = [0], starts = [600], ends = [-614], steps = [-7])",
            "86",
        ),
        (
            "4, 5",
            "slice(a, axes = [1], starts = [3], ends = [2], steps = [1])",
            "4, 0",
        ),
        ("3, 1, 5", "expand(a, shape = [2, 1, 4, 1])", "2, 3, 4, 5"),
        ("", "expand(a, shape = [3, 2])", "3, 2"),
        ("1, 3", "expand(a, shape = [0, 3])", "0, 3"),
        ("1, 3, 1, 5", "squeeze(a)", "3, 5"),
        ("1, 3, 1", "squeeze(a, axes = [-1])", "1, 3"),
        ("3, 5", "unsqueeze(a, axes = [0, -1])", "1, 3, 5, 1"),
        ("", "unsqueeze(a, axes = [0])", "1"),
        ("2, 3", "concat(a, axis = 0)", "2, 3"),
        ("2, 3", "concat(a, a, a, axis = 1)", "2, 9"),
    ] {
        rows.push(
            row(format!("a: T[{shape}]"), format!("T[{result}]"), call, ANY).values(&[Special]),
        );
    }
    for (a, b, axis, result) in [
        ("2, 3, 5", "2, 4, 5", 1, "2, 7, 5"),
        ("3, 5", "613, 5", 0, "616, 5"),
        ("3", "0", -1, "3"),
        ("2, 3", "2, 0", 1, "2, 3"),
    ] {
        let call = format!("concat(a, b, axis = {axis})");
        rows.push(
            row(
                format!("a: T[{a}], b: T[{b}]"),
                format!("T[{result}]"),
                call,
                ANY,
            )
            .values(&[Special]),
        );
    }
    rows.push(row("a: T[S]", "i64[0]", "shape(a, start = 0, end = 0)", ANY).shapes(SHAPES));
    rows.push(row("a: T[3, 0, 7]", "i64[3]", "shape(a, start = 0)", ANY));
    rows.push(row("a: T[3, 5, 7]", "i64[2]", "shape(a, start = -2)", ANY));
}
