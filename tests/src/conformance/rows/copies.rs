//! Copies of elements: padding.

use super::{ANY, Row, Values, row};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for mode in ["constant", "reflect", "edge", "wrap"] {
        for (x, pads, result) in [
            ("3, 5", "1, 2, 0, 3", "4, 10"),
            ("3, 5", "-1, 0, 0, -2", "2, 3"),
            ("7", "-2, 4", "9"),
            ("2, 1, 3", "0, 2, 1, 1, 2, 1", "3, 5, 5"),
            ("5", "11, 12", "28"),
        ] {
            let count = pads.split(',').count();
            let constant = format!("const p: i64[{count}] = {{{pads}}}");
            let call = format!("pad(a, p, mode = {mode})");
            let one = row(format!("a: T[{x}]"), format!("T[{result}]"), call, ANY);
            rows.push(one.constants(&constant).values(&[Values::Special]));
            if mode == "constant" {
                let inputs = format!("a: T[{x}], v: T[]");
                let one = row(
                    inputs,
                    format!("T[{result}]"),
                    "pad(a, p, v, mode = constant)",
                    ANY,
                );
                rows.push(
                    one.constants(constant)
                        .values(&[Values::Special, Values::Within(9.0)]),
                );
            }
        }
        let call = format!("pad(a, p, _, x, mode = {mode})");
        let constants = "const p: i64[4] = {1, 0, 2, 1} const x: i64[2] = {-1, 0}";
        rows.push(row("a: T[3, 5]", "T[4, 8]", call, ANY).constants(constants));
    }
    let constants = "const p: i64[2] = {1, 2}";
    rows.push(row("a: T[0]", "T[3]", "pad(a, p, mode = constant)", ANY).constants(constants));
    rows
}
