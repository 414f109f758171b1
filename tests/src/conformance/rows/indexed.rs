//! Indexed reads and writes, and searches.

use super::{ANY, FLOATS, NUMBERS, PLAIN, Row, Values, row};
use Values::{Between, Special};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    reads(&mut rows);
    writes(&mut rows);
    searches(&mut rows);
    rows
}

fn reads(rows: &mut Vec<Row>) {
    for index in ["i64", "i32"] {
        for (x, indices, axis, extent) in [
            ("5, 3", "2, 3", 0, 5.0),
            ("5, 3", "5, 7", 1, 3.0),
            ("2, 7, 3", "2, 4, 3", -2, 7.0),
            ("7", "0", 0, 7.0),
            ("613", "67", 0, 613.0),
        ] {
            let inputs = format!("a: T[{x}], i: {index}[{indices}]");
            let call = format!("gather_elements(a, i, axis = {axis})");
            let values = [Special, Between(-extent, extent - 1.0)];
            rows.push(row(inputs, format!("T[{indices}]"), call, ANY).values(&values));
        }
        for (x, indices, batch, extent, result) in [
            ("5, 3", "4, 2", 0, 3.0, "4"),
            ("5, 3", "4, 1", 0, 5.0, "4, 3"),
            ("2, 5, 3", "2, 7, 1", 1, 5.0, "2, 7, 3"),
            ("2, 5, 3", "2, 2", 1, 3.0, "2"),
            ("2, 3", "4, 0", 0, 1.0, "4, 2, 3"),
        ] {
            let inputs = format!("a: T[{x}], i: {index}[{indices}]");
            let call = format!("gather_nd(a, i, batch_dims = {batch})");
            let values = [Special, Between(-extent, extent - 1.0)];
            rows.push(row(inputs, format!("T[{result}]"), call, ANY).values(&values));
        }
    }
    for (x, lengths, time, batch, extent) in [
        ("5, 3", "3", 0, 1, 5.0),
        ("3, 7, 2", "3", 1, 0, 7.0),
        ("2, 3, 613", "3", -1, -2, 613.0),
    ] {
        let inputs = format!("a: T[{x}], l: i64[{lengths}]");
        let call = format!("reverse_sequence(a, l, time_axis = {time}, batch_axis = {batch})");
        let values = [Special, Between(0.0, extent)];
        rows.push(row(inputs, format!("T[{x}]"), call, ANY).values(&values));
    }
}

fn writes(rows: &mut Vec<Row>) {
    for reduction in ["none", "add", "mul", "max", "min"] {
        let dtypes = if reduction == "none" { ANY } else { NUMBERS };
        for (x, indices, axis, extent) in [
            ("5, 3", "2, 3", 0, 5.0),
            ("5, 3", "5, 7", 1, 3.0),
            ("7", "0", 0, 7.0),
        ] {
            let inputs = format!("a: T[{x}], i: i64[{indices}], u: T[{indices}]");
            let call = format!("scatter_elements(a, i, u, axis = {axis}, reduction = {reduction})");
            let values = [PLAIN, Between(-extent, extent - 1.0), PLAIN];
            rows.push(row(inputs, format!("T[{x}]"), call, dtypes).values(&values));
        }
        for (x, indices, updates, extent) in [
            ("5, 3", "4, 2", "4", 3.0),
            ("5, 3", "4, 1", "4, 3", 5.0),
            ("2, 3", "0, 1", "0, 3", 2.0),
        ] {
            let inputs = format!("a: T[{x}], i: i64[{indices}], u: T[{updates}]");
            let call = format!("scatter_nd(a, i, u, reduction = {reduction})");
            let values = [PLAIN, Between(-extent, extent - 1.0), PLAIN];
            rows.push(row(inputs, format!("T[{x}]"), call, dtypes).values(&values));
        }
    }
    for (inputs, call) in [
        (
            "a: T[2, 7, 3], u: T[2, 4, 3], s: i64[2]",
            "a, u, s, axis = -2, circular = false",
        ),
        (
            "a: T[2, 3, 7], u: T[2, 3, 7], s: i64[2]",
            "a, u, s, axis = 2, circular = true",
        ),
        ("a: T[2, 7], u: T[2, 3]", "a, u, axis = 1, circular = false"),
    ] {
        let x = inputs
            .split(", u")
            .next()
            .unwrap_or_default()
            .trim_start_matches("a: ");
        let values = [Special, Special, Between(0.0, 3.0)];
        rows.push(row(inputs, x, format!("tensor_scatter({call})"), ANY).values(&values));
    }
}

fn searches(rows: &mut Vec<Row>) {
    for (shape, rank) in [("3, 5", 2), ("23", 1), ("", 0), ("2, 0", 2)] {
        let result = format!("i64[{rank}, \"result.1\"]");
        let inputs = format!("a: T[{shape}]");
        rows.push(row(inputs, result, "non_zero(a)", ANY).values(&[Special]));
    }
    for (shape, len, axis, found) in [
        ("67", "67", "", "\"result.0\""),
        ("3, 5", "15", "", "\"result.0\""),
        ("5, 3", "5", "axis = 0, ", "\"result.0\", 3"),
        ("2, 5, 2", "5", "axis = -2, ", "2, \"result.1\", 2"),
    ] {
        let count = if axis.contains('-') {
            "i64[\"result.1\"]"
        } else {
            "i64[\"result.0\"]"
        };
        for sorted in [true, false] {
            let results = format!("T[{found}] ; {count} ; i64[{len}] ; {count}");
            let call = format!("unique(a, {axis}sorted = {sorted})");
            rows.push(row(format!("a: T[{shape}]"), results, call, ANY).values(&[Special]));
        }
    }
    for center in [true, false] {
        let call = format!("non_max_suppression(b, s, n, i, m, center_point_box = {center})");
        rows.push(
            row(
                "b: T[2, 7, 4], s: T[2, 3, 7]",
                "i64[\"result.0\", 3]",
                call,
                FLOATS,
            )
            .constants("const n: i64[1] = {3} const i: f32[1] = {0.25} const m: f32[] = {-1}"),
        );
    }
    let tail =
        "pool = [2, 3, 5, 4, 5, 6, 7, 8, 6, 7], starts = [0, 4], columns = [0, 1, 2, 3, 4, 5, 6]";
    for (shape, result) in [("12", "7"), ("2, 17", "2, 7")] {
        for (min, max, skip) in [(1, 1, 0), (1, 2, 5), (2, 2, 0)] {
            let call = format!(
                "ngram_counts(a, min_len = {min}, max_len = {max}, max_skip = {skip}, {tail})"
            );
            let inputs = format!("a: i64[{shape}]");
            let one = row(
                inputs,
                format!("f32[{result}]"),
                call,
                &[tensor::DType::I64],
            );
            rows.push(one.values(&[Between(0.0, 9.0)]));
        }
    }
}
