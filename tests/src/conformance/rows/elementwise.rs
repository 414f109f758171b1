//! Elementwise ops.

use tensor::DType;

use super::{ANY, BOOL, FLOATS, NUMBERS, PAIRS, PLAIN, Row, SHAPES, Values, row};
use Values::{Between, Special, Within};

/// Ops of one operand that keep its dtype, and what they are tried on.
const UNARY: &[(&str, &[DType], &[Values])] = &[
    ("identity(a)", ANY, &[PLAIN, Special]),
    ("neg(a)", NUMBERS, &[PLAIN, Special]),
    ("abs(a)", NUMBERS, &[PLAIN, Special]),
    ("sign(a)", NUMBERS, &[PLAIN, Special]),
    ("sqrt(a)", FLOATS, &[Between(0.0, 9.0), Special]),
    ("reciprocal(a)", FLOATS, &[PLAIN, Special]),
    ("exp(a)", FLOATS, &[PLAIN, Within(87.0), Special]),
    (
        "log(a)",
        FLOATS,
        &[Between(0.0, 9.0), Between(0.9, 1.1), Special],
    ),
    ("sin(a)", FLOATS, &[PLAIN, Within(1000.0), Special]),
    ("cos(a)", FLOATS, &[PLAIN, Within(1000.0), Special]),
    (
        "tanh(a)",
        FLOATS,
        &[PLAIN, Within(0.01), Within(20.0), Special],
    ),
    ("sigmoid(a)", FLOATS, &[PLAIN, Within(87.0), Special]),
    ("erf(a)", FLOATS, &[PLAIN, Within(0.01), Special]),
    ("floor(a)", FLOATS, &[Within(20.0), Special]),
    ("ceil(a)", FLOATS, &[Within(20.0), Special]),
    ("round(a)", FLOATS, &[Within(20.0), Special]),
    ("not(a)", BOOL, &[PLAIN]),
    ("relu(a)", NUMBERS, &[PLAIN, Special]),
    ("leaky_relu(a, alpha = 0.3)", FLOATS, &[PLAIN, Special]),
    (
        "hard_sigmoid(a, alpha = 0.2, beta = 0.5)",
        FLOATS,
        &[PLAIN, Special],
    ),
    ("hard_swish(a)", FLOATS, &[PLAIN, Special]),
    ("gelu(a)", FLOATS, &[PLAIN, Within(20.0), Special]),
    ("gelu_tanh(a)", FLOATS, &[PLAIN, Within(20.0), Special]),
    ("silu(a)", FLOATS, &[PLAIN, Within(20.0), Special]),
    ("clip(a)", NUMBERS, &[PLAIN]),
];

/// Ops of two operands that keep their dtype.
const BINARY: &[(&str, &[DType], &[Values])] = &[
    ("add", NUMBERS, &[PLAIN]),
    ("sub", NUMBERS, &[PLAIN]),
    ("mul", NUMBERS, &[PLAIN]),
    ("div", NUMBERS, &[PLAIN]),
    ("pow", FLOATS, &[Between(0.1, 4.0), PLAIN]),
    ("pow", NUMBERS, &[PLAIN, Between(0.0, 4.0)]),
    ("max", NUMBERS, &[PLAIN]),
    ("min", NUMBERS, &[PLAIN]),
    ("and", BOOL, &[PLAIN]),
    ("or", BOOL, &[PLAIN]),
    ("xor", BOOL, &[PLAIN]),
];

/// Ops of two operands that give bool.
const COMPARISONS: &[(&str, &[DType])] = &[
    ("equal", ANY),
    ("less", NUMBERS),
    ("less_equal", NUMBERS),
    ("greater", NUMBERS),
    ("greater_equal", NUMBERS),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    unary(&mut rows, "T", UNARY);
    for to in ANY {
        for values in [Within(300.0), Special] {
            let call = format!("cast(a, to = {to})");
            rows.push(
                row("a: T[S]", format!("{to}[S]"), call, ANY)
                    .shapes(shapes(values))
                    .values(&[values]),
            );
        }
    }
    for (name, dtypes, values) in BINARY {
        binary(&mut rows, name, dtypes, "T", values);
    }
    for (name, dtypes) in COMPARISONS {
        binary(&mut rows, name, dtypes, "bool", &[Within(2.0)]);
    }
    rows.extend(choices());
    rows
}

/// Rows of calls of one operand `a`, for each kind of values.
pub(super) fn unary(
    rows: &mut Vec<Row>,
    result: &str,
    calls: &[(&str, &'static [DType], &[Values])],
) {
    for (call, dtypes, values) in calls {
        rows.extend(values.iter().map(|&values| {
            row("a: T[S]", format!("{result}[S]"), *call, dtypes)
                .shapes(shapes(values))
                .values(&[values])
        }));
    }
}

/// Special values are a list, so few shapes say as much as many.
fn shapes(values: Values) -> &'static [&'static str] {
    if values == Special {
        &["41", "5, 131"]
    } else {
        SHAPES
    }
}

pub(super) fn binary(
    rows: &mut Vec<Row>,
    name: &str,
    dtypes: &'static [DType],
    result: &str,
    values: &[Values],
) {
    let call = format!("{name}(a, b)");
    let made = |shape: &str| format!("{result}[{shape}]");
    rows.push(
        row("a: T[S], b: T[S]", made("S"), &call, dtypes)
            .shapes(SHAPES)
            .values(values),
    );
    rows.push(
        row("a: T[S], b: T[S]", made("S"), &call, dtypes)
            .shapes(PAIRS)
            .values(&[Special]),
    );
    rows.push(
        row("a: T[S]", made("S"), format!("{name}(a, a)"), dtypes)
            .shapes(&["17"])
            .values(values),
    );
    for (a, b, shape) in [
        ("5, 1, 3", "4, 1", "5, 4, 3"),
        ("", "7", "7"),
        ("13, 29", "", "13, 29"),
        ("2, 3, 11", "1", "2, 3, 11"),
        ("2, 19, 5", "19, 1", "2, 19, 5"),
        ("3, 0", "3, 1", "3, 0"),
    ] {
        rows.push(row(format!("a: T[{a}], b: T[{b}]"), made(shape), &call, dtypes).values(values));
    }
}

fn choices() -> Vec<Row> {
    let bounds = [Within(9.0), Between(-3.0, 0.0), Between(1.0, 4.0)];
    vec![
        row(
            "c: bool[S], a: T[S], b: T[S]",
            "T[S]",
            "where(c, a, b)",
            ANY,
        )
        .shapes(SHAPES),
        row(
            "c: bool[3, 1], a: T[5], b: T[]",
            "T[3, 5]",
            "where(c, a, b)",
            ANY,
        ),
        row(
            "c: bool[], a: T[2, 3], b: T[2, 1]",
            "T[2, 3]",
            "where(c, a, b)",
            ANY,
        ),
        row(
            "c: bool[S], a: T[S], b: T[S]",
            "T[S]",
            "where(c, a, b)",
            ANY,
        )
        .shapes(&["607"])
        .values(&[PLAIN, Special]),
        row(
            "a: T[S], lo: T[], hi: T[]",
            "T[S]",
            "clip(a, lo, hi)",
            NUMBERS,
        )
        .shapes(SHAPES)
        .values(&bounds),
        row("a: T[S], hi: T[]", "T[S]", "clip(a, _, hi)", NUMBERS)
            .shapes(SHAPES)
            .values(&[bounds[0], bounds[2]]),
        row("a: T[S], lo: T[]", "T[S]", "clip(a, lo)", NUMBERS)
            .shapes(&["41"])
            .values(&[Special, bounds[1]]),
        row(
            "a: T[S], lo: T[S], hi: T[S]",
            "T[S]",
            "clip(a, lo, hi)",
            NUMBERS,
        )
        .shapes(PAIRS)
        .values(&[Special]),
    ]
}
