//! Activations beside those of every model.
//!
//! <https://onnx.ai/onnx/operators/onnx__Elu.html>, `Selu`, `Celu`, `Softplus`, `Softsign`, `Mish`, `ThresholdedRelu`, `Shrink`,
//! `PRelu`.
//!
//! - Opset 6: `Elu`, `Selu`. Opset 1: `Softplus`, `Softsign`. Opset 7: `PRelu` whose slope broadcasts to the input.
//! - Opset 9: `Shrink`. Opset 10: `ThresholdedRelu`. Opset 12: `Celu`. Opset 18: `Mish`.
//! - Opset 9, 16: `PRelu` of integers, bfloat16. Opset 22, 28: more element types.

use graph::op::{MapOp, Op};

use super::{Row, row};
use crate::call::{Call, Done};

pub(super) const ROWS: &[Row] = &[
    row("Elu", 6, (1, 1), &["alpha"], |c| {
        with_numbers(c, "elu", &[("alpha", "alpha", 1.0)])
    }),
    row("Selu", 6, (1, 1), &["alpha", "gamma"], |c| {
        let alpha = ("alpha", "alpha", 1.673_263_2);
        with_numbers(c, "selu", &[alpha, ("gamma", "gamma", 1.050_701)])
    }),
    row("Celu", 12, (1, 1), &["alpha"], |c| {
        with_numbers(c, "celu", &[("alpha", "alpha", 1.0)])
    }),
    row("Softplus", 1, (1, 1), &[], |c| {
        c.finish_elementwise("softplus")
    }),
    row("Softsign", 1, (1, 1), &[], |c| {
        c.finish_elementwise("softsign")
    }),
    row("Mish", 18, (1, 1), &[], |c| c.finish_elementwise("mish")),
    row("ThresholdedRelu", 10, (1, 1), &["alpha"], |c| {
        with_numbers(c, "thresholded_relu", &[("alpha", "alpha", 1.0)])
    }),
    row("Shrink", 9, (1, 1), &["bias", "lambd"], |c| {
        let lambda = ("lambd", "lambda", 0.5);
        with_numbers(c, "shrink", &[lambda, ("bias", "bias", 0.0)])
    }),
    row("PRelu", 7, (2, 2), &[], prelu),
];

/// An op whose numbers are attributes: ONNX's name, ours, ONNX's default.
fn with_numbers(
    call: &mut Call<'_>,
    name: &str,
    numbers: &[(&'static str, &'static str, f32)],
) -> Done {
    let mut op = MapOp::named(name).expect("the name is a row of the op table");
    for &(theirs, ours, default) in numbers {
        op = op.with(ours, call.float(theirs, default));
    }
    let x = call.input(0)?;
    call.finish(Op::Map(op), &[Some(x)])
}

/// The slope broadcasts to the input, never the other way.
fn prelu(call: &mut Call<'_>) -> Done {
    let (x, slope) = (call.input(0)?, call.input(1)?);
    let (ty, slopes) = (call.ty(x), call.ty(slope));
    let aligned = ty.shape.iter().rev().zip(slopes.shape.iter().rev());
    let grows = |(extent, slope): (&graph::Dim, &graph::Dim)| {
        slope.as_known().is_some_and(|n| n != 1) && extent.as_known().is_some() && extent != slope
    };
    if slopes.rank() > ty.rank() || aligned.into_iter().any(grows) {
        let reason = format!("is {slopes}, which does not broadcast to {ty}");
        return call.fail_input(1, reason);
    }
    call.finish_map("prelu", &[x, slope])
}
