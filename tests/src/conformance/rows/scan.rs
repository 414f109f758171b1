//! Along one axis with memory or order, values made from numbers, and determinants.

use super::{FLOATS, NUMBERS, PLAIN, Row, Values, row};
use Values::{Between, Infinite, Special, Within};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (shape, axis, without, with) in [
        ("3, 5, 7", 1, "3, 7", "3, 1, 7"),
        ("3, 5, 7", -1, "3, 5", "3, 5, 1"),
        ("613", 0, "", "1"),
        ("5, 131", 0, "131", "1, 131"),
        ("0, 3", 1, "0", "0, 1"),
        ("1, 1", 0, "1", "1, 1"),
    ] {
        for name in ["argmax", "argmin"] {
            for (keep, result) in [(false, without), (true, with)] {
                for last in [false, true] {
                    let call = format!("{name}(a, axis = {axis}, keep = {keep}, last = {last})");
                    let one = row(
                        format!("a: T[{shape}]"),
                        format!("i64[{result}]"),
                        call,
                        NUMBERS,
                    );
                    rows.push(one.clone());
                    rows.push(one.values(&[Special]));
                }
            }
        }
    }
    cumulative(&mut rows);
    top_k(&mut rows);
    let bounds = [Within(3.0), Between(5.0, 9.0), Between(1.0, 2.0)];
    rows.push(
        row(
            "start: T[], limit: T[], delta: T[1]",
            "T[\"result.0\"]",
            "range(start, limit, delta)",
            NUMBERS,
        )
        .values(&bounds),
    );
    for (shape, result) in [
        ("1, 1", ""),
        ("2, 2", ""),
        ("3, 4, 4", "3"),
        ("2, 3, 5, 5", "2, 3"),
        ("0, 0", ""),
        ("0, 3, 3", "0"),
    ] {
        let one = row(
            format!("a: T[{shape}]"),
            format!("T[{result}]"),
            "det(a)",
            FLOATS,
        );
        rows.push(one.clone());
        rows.push(one.values(&[Infinite]));
    }
    rows
}

fn cumulative(rows: &mut Vec<Row>) {
    for (shape, axis) in [
        ("3, 5, 7", 1),
        ("3, 5, 7", -1),
        ("5, 3", 0),
        ("13", 0),
        ("0, 3", 0),
        ("3, 0", 0),
    ] {
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            for (name, values) in [("cumsum", PLAIN), ("cumprod", Between(0.9, 1.1))] {
                let call = format!(
                    "{name}(a, axis = {axis}, exclusive = {exclusive}, reverse = {reverse})"
                );
                let one = row(
                    format!("a: T[{shape}]"),
                    format!("T[{shape}]"),
                    call,
                    NUMBERS,
                );
                rows.push(one.clone().values(&[values]));
                rows.push(one.values(&[Special]));
            }
        }
    }
    let call = "cumsum(a, axis, exclusive = false, reverse = false)";
    for index in ["i32", "i64"] {
        rows.push(
            row(
                format!("a: T[3, 5], axis: {index}[]"),
                "T[3, 5]",
                call,
                NUMBERS,
            )
            .values(&[PLAIN, Between(-2.0, 1.0)]),
        );
    }
}

fn top_k(rows: &mut Vec<Row>) {
    for (shape, axis, k, result) in [
        ("3, 5, 7", 1, 2, "3, 2, 7"),
        ("3, 5, 7", -1, 7, "3, 5, 7"),
        ("613", 0, 10, "10"),
        ("5, 3", 0, 0, "0, 3"),
        ("0, 3", 1, 2, "0, 2"),
        ("3, 0", 1, 0, "3, 0"),
    ] {
        for largest in [true, false] {
            let call = format!("top_k(a, k = {k}, axis = {axis}, largest = {largest})");
            let one = row(
                format!("a: T[{shape}]"),
                format!("T[{result}]; i64[{result}]"),
                call,
                NUMBERS,
            );
            rows.push(one.clone());
            rows.push(one.values(&[Special]));
        }
    }
}
