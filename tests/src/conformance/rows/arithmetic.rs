//! Remainders, bits, angles and hyperbolas, tests of floats, and the rarer activations.

use tensor::DType;

use super::elementwise::{binary, unary};
use super::{FLOATS, INTEGERS, NUMBERS, PLAIN, Row, SHAPES, Values, row};
use Values::{Between, Special, Within};

/// Ops of one operand that keep its dtype, and what they are tried on.
const UNARY: &[(&str, &[DType], &[Values])] = &[
    ("bitwise_not(a)", INTEGERS, &[PLAIN, Special]),
    ("tan(a)", FLOATS, &[PLAIN, Within(1000.0), Special]),
    ("asin(a)", FLOATS, &[Within(1.1), Special]),
    ("acos(a)", FLOATS, &[Within(1.1), Special]),
    ("atan(a)", FLOATS, &[PLAIN, Within(1000.0), Special]),
    ("sinh(a)", FLOATS, &[PLAIN, Within(87.0), Special]),
    ("cosh(a)", FLOATS, &[PLAIN, Within(87.0), Special]),
    ("asinh(a)", FLOATS, &[PLAIN, Within(0.01), Special]),
    (
        "acosh(a)",
        FLOATS,
        &[Between(0.9, 1.1), Within(50.0), Special],
    ),
    ("atanh(a)", FLOATS, &[Within(1.1), Special]),
    (
        "elu(a, alpha = 1.5)",
        FLOATS,
        &[PLAIN, Within(20.0), Special],
    ),
    (
        "selu(a, alpha = 1.6732632, gamma = 1.050701)",
        FLOATS,
        &[PLAIN, Within(20.0), Special],
    ),
    (
        "celu(a, alpha = 0.7)",
        FLOATS,
        &[PLAIN, Within(20.0), Special],
    ),
    ("softplus(a)", FLOATS, &[PLAIN, Within(87.0), Special]),
    ("softsign(a)", FLOATS, &[PLAIN, Special]),
    ("mish(a)", FLOATS, &[PLAIN, Within(20.0), Special]),
    (
        "thresholded_relu(a, alpha = 1.25)",
        FLOATS,
        &[PLAIN, Special],
    ),
    (
        "shrink(a, lambda = 1.5, bias = 0.5)",
        NUMBERS,
        &[PLAIN, Special],
    ),
];

/// Ops of one operand that give bool.
const TESTS: &[(&str, &[DType], &[Values])] = &[
    ("is_nan(a)", FLOATS, &[PLAIN, Special]),
    ("is_inf(a)", FLOATS, &[PLAIN, Special]),
];

/// Ops of two operands that keep their dtype.
const BINARY: &[(&str, &[DType], &[Values])] = &[
    ("mod", NUMBERS, &[PLAIN]),
    ("rem", NUMBERS, &[PLAIN]),
    ("bitwise_and", INTEGERS, &[Within(100.0)]),
    ("bitwise_or", INTEGERS, &[Within(100.0)]),
    ("bitwise_xor", INTEGERS, &[Within(100.0)]),
    ("shift_left", INTEGERS, &[PLAIN]),
    ("shift_right", INTEGERS, &[Within(100.0), PLAIN]),
    ("prelu", NUMBERS, &[PLAIN]),
];

/// dtypes of one width, of which one is `T`.
const WIDTHS: &[(&[DType], &[DType])] = &[
    (
        &[DType::I8, DType::U8, DType::Bool],
        &[DType::I8, DType::U8, DType::Bool],
    ),
    (
        &[DType::I16, DType::U16, DType::F16, DType::BF16],
        &[DType::I16, DType::U16, DType::F16, DType::BF16],
    ),
    (
        &[DType::I32, DType::U32, DType::F32],
        &[DType::I32, DType::U32, DType::F32],
    ),
    (
        &[DType::I64, DType::U64, DType::F64],
        &[DType::I64, DType::U64, DType::F64],
    ),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    unary(&mut rows, "T", UNARY);
    unary(&mut rows, "bool", TESTS);
    for (name, dtypes, values) in BINARY {
        binary(&mut rows, name, dtypes, "T", values);
    }
    for (from, to) in WIDTHS {
        for to in *to {
            let call = format!("bit_cast(a, to = {to})");
            let one = row("a: T[S]", format!("{to}[S]"), call, from);
            rows.push(one.clone().shapes(SHAPES));
            rows.push(one.shapes(&["5, 131"]).values(&[Special]));
        }
    }
    rows
}
