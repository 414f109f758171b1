//! Normalisation by what the elements themselves say.
//!
//! <https://onnx.ai/onnx/operators/onnx__LpNormalization.html>, `MeanVarianceNormalization`.
//!
//! - Opset 1: `LpNormalization`. Opset 9: `MeanVarianceNormalization`. Opset 13, 22: more element types.

use graph::op::ReduceKind;

use super::{Row, row};
use crate::call::{Call, Done};

pub(super) const ROWS: &[Row] = &[
    row("LpNormalization", 1, (1, 1), &["axis", "p"], lp),
    row(
        "MeanVarianceNormalization",
        9,
        (1, 1),
        &["axes"],
        mean_variance,
    ),
];

/// `x / norm`, or 0 where all elements are 0.
fn lp(call: &mut Call<'_>) -> Done {
    let (axis, p) = (call.int("axis", -1), call.int("p", 2));
    if !matches!(p, 1 | 2) {
        call.refuse_attribute("p", p, "must be 1 or 2");
    }
    let x = call.input(0)?;
    let norm = if p == 1 {
        let sizes = call.apply("abs", &[x])?;
        call.reduce(ReduceKind::Sum, sizes, &[axis], true)?
    } else {
        let squares = call.apply("mul", &[x, x])?;
        let sum = call.reduce(ReduceKind::Sum, squares, &[axis], true)?;
        call.apply("sqrt", &[sum])?
    };
    let zero = call.scalar(call.dtype(x), 0.0)?;
    let nothing = call.apply("equal", &[norm, zero])?;
    let quotient = call.apply("div", &[x, norm])?;
    call.finish_map("where", &[nothing, zero, quotient])
}

/// `(x - mean) / (sqrt(mean of (x - mean)^2) + 1e-9)`
fn mean_variance(call: &mut Call<'_>) -> Done {
    let axes = call.ints("axes").unwrap_or_else(|| vec![0, 2, 3]);
    let x = call.input(0)?;
    let mean = call.reduce(ReduceKind::Mean, x, &axes, true)?;
    let centred = call.apply("sub", &[x, mean])?;
    let squares = call.apply("mul", &[centred, centred])?;
    let variance = call.reduce(ReduceKind::Mean, squares, &axes, true)?;
    let deviation = call.apply("sqrt", &[variance])?;
    let divisor = call.apply_number("add", deviation, 1e-9)?;
    call.finish_map("div", &[centred, divisor])
}
