//! Losses of class scores against class numbers.
//!
//! <https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html>, `SoftmaxCrossEntropyLoss`.
//!
//! - Opset 12: both. Opset 13, 22: more element types.
//!
//! A class number that names no class, and is not `ignore_index`, adds a loss and a weight of 0: the standard leaves it open.

use graph::ValueId;
use graph::op::{Op, ReduceKind, Softmax};
use tensor::Tensor;
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop};

const ATTRIBUTES: &[&str] = &["ignore_index", "reduction"];

pub(super) const ROWS: &[Row] = &[
    row(
        "NegativeLogLikelihoodLoss",
        12,
        (2, 3),
        ATTRIBUTES,
        likelihood,
    ),
    row(
        "SoftmaxCrossEntropyLoss",
        12,
        (2, 3),
        ATTRIBUTES,
        cross_entropy,
    ),
];

/// What becomes of the losses of the samples.
#[derive(Clone, Copy, PartialEq)]
enum Reduction {
    None,
    Sum,
    Mean,
}

/// The attributes of both ops.
struct Attributes {
    ignore: Option<i64>,
    reduction: Reduction,
}

impl Attributes {
    fn of(call: &mut Call<'_>) -> Attributes {
        let ignore = call.optional_int("ignore_index");
        let reduction = match call.text("reduction", "mean").as_str() {
            "none" => Reduction::None,
            "sum" => Reduction::Sum,
            "mean" => Reduction::Mean,
            other => {
                let value = format!("{other:?}");
                call.refuse_attribute("reduction", value, "must be none, sum or mean");
                Reduction::Mean
            }
        };
        Attributes { ignore, reduction }
    }
}

fn likelihood(call: &mut Call<'_>) -> Done {
    let attributes = Attributes::of(call);
    let logs = call.input(0)?;
    let loss = loss(call, logs, &attributes)?;
    call.output_value(0, loss)
}

fn cross_entropy(call: &mut Call<'_>) -> Done {
    let attributes = Attributes::of(call);
    let scores = call.input(0)?;
    let softmax = Softmax { axis: 1, log: true };
    let logs = call.emit(Op::Softmax(softmax), &[Some(scores)])?;
    let loss = loss(call, logs, &attributes)?;
    call.output_value(0, loss)?;
    if call.wants(1) {
        call.output_value(1, logs)?;
    }
    Ok(())
}

/// The loss of `logs`, `[batch, classes, d..]`, for the class numbers of input 1, `[batch, d..]`, with the weights of the classes
/// of input 2.
fn loss(call: &mut Call<'_>, logs: ValueId, attributes: &Attributes) -> Result<ValueId, Stop> {
    let (classes, weights) = (call.input(1)?, call.optional(2)?);
    let (ty, classes_ty) = (call.ty(logs), call.ty(classes));
    if ty.rank() < 2 || classes_ty.rank() + 1 != ty.rank() {
        let reason = format!("is {classes_ty}; for scores {ty} [batch, d..] is needed");
        return call.fail_input(1, reason);
    }
    let zero = call.scalar(ty.dtype, 0.0)?;
    let classes = call.cast(classes, DType::I64)?;
    let positions = call.positions_along(logs, 1)?;
    let column = call.unsqueeze(classes, [1])?;
    let hit = call.apply("equal", &[column, positions])?;
    let picked = pick(call, hit, logs, zero)?;
    let mut losses = call.apply("neg", &[picked])?;
    let mut factors = match weights {
        Some(weights) => {
            let behind = ty.rank() - 2;
            let weights = call.unsqueeze(weights, (1..).take(behind))?;
            Some(pick(call, hit, weights, zero)?)
        }
        None => None,
    };
    if let Some(ignore) = attributes.ignore {
        let ignore = call.constant(Tensor::scalar(ignore))?;
        let ignored = call.apply("equal", &[classes, ignore])?;
        losses = call.apply("where", &[ignored, zero, losses])?;
        let factor = match factors {
            Some(factors) => factors,
            None => call.scalar(ty.dtype, 1.0)?,
        };
        factors = Some(call.apply("where", &[ignored, zero, factor])?);
    }
    if let (Some(factors), Some(_)) = (factors, weights) {
        losses = call.apply("mul", &[losses, factors])?;
    }
    match (attributes.reduction, factors) {
        (Reduction::None, _) => Ok(losses),
        (Reduction::Sum, _) => call.reduce_all(ReduceKind::Sum, losses),
        (Reduction::Mean, None) => call.reduce_all(ReduceKind::Mean, losses),
        (Reduction::Mean, Some(factors)) => {
            let sum = call.reduce_all(ReduceKind::Sum, losses)?;
            let whole = call.reduce_all(ReduceKind::Sum, factors)?;
            call.apply("div", &[sum, whole])
        }
    }
}

/// The values at which `hit` is true, of which there is at most one along axis 1; without that axis.
fn pick(
    call: &mut Call<'_>,
    hit: ValueId,
    values: ValueId,
    zero: ValueId,
) -> Result<ValueId, Stop> {
    let picked = call.apply("where", &[hit, values, zero])?;
    call.reduce(ReduceKind::Sum, picked, &[1], false)
}
