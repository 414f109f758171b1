//! Normalisation by statistics of the data: per instance, per group of channels, per batch while training.
//!
//! <https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html>, `GroupNormalization`, and `BatchNormalization` with
//! `training_mode`.
//!
//! - Opset 6: `InstanceNormalization`. Opset 18: `GroupNormalization` with a scale and bias per group; opset 21: per channel, and
//!   `stash_type`. Opset 14: `BatchNormalization` has `training_mode`.
//!
//! All of them are built from sums and elementwise ops. 16-bit floats are computed in `f32`.

use graph::ValueId;
use graph::op::{Op, Reduce, ReduceKind, Reshape, Unsqueeze};
use tensor_core::DType;

use super::extents::reshaped_like;
use super::{Row, row};
use crate::call::{Call, Done, Stop, map};

const GROUP_18: &[&str] = &["epsilon", "num_groups"];
const GROUP_21: &[&str] = &["epsilon", "num_groups", "stash_type"];

pub(super) const ROWS: &[Row] = &[
    row(
        "InstanceNormalization",
        6,
        (3, 3),
        &["epsilon"],
        instance_norm,
    ),
    row("GroupNormalization", 18, (3, 3), GROUP_18, group_norm),
    row("GroupNormalization", 21, (3, 3), GROUP_21, group_norm),
];

/// The dtype that statistics of values of `own` are computed in.
fn wide(own: DType) -> DType {
    if own == DType::F64 { own } else { DType::F32 }
}

fn mean(call: &mut Call<'_>, x: ValueId, axes: &[i64], keep: bool) -> Result<ValueId, Stop> {
    let mean = Reduce {
        kind: ReduceKind::Mean,
        axes: Some(axes.to_vec()),
        keep,
        noop_if_empty: true,
    };
    call.emit(Op::Reduce(mean), &[Some(x)])
}

/// `x` less its mean, and the mean of the square of that.
fn centred(call: &mut Call<'_>, x: ValueId, axes: &[i64]) -> Result<(ValueId, ValueId), Stop> {
    let mean_of_x = mean(call, x, axes, true)?;
    let centred = call.emit(map("sub"), &[Some(x), Some(mean_of_x)])?;
    let squares = call.emit(map("mul"), &[Some(centred), Some(centred)])?;
    let variance = mean(call, squares, axes, true)?;
    Ok((centred, variance))
}

/// `(x - mean) / sqrt(variance + epsilon)` over these axes
fn normalised(
    call: &mut Call<'_>,
    x: ValueId,
    axes: &[i64],
    epsilon: f32,
) -> Result<ValueId, Stop> {
    let (centred, variance) = centred(call, x, axes)?;
    let epsilon = call.scalar(call.dtype(x), epsilon.into())?;
    let shifted = call.emit(map("add"), &[Some(variance), Some(epsilon)])?;
    let deviation = call.emit(map("sqrt"), &[Some(shifted)])?;
    call.emit(map("div"), &[Some(centred), Some(deviation)])
}

/// The list `index` of the inputs, in the dtype of `x`, with `trailing` axes of extent 1 after it.
fn column(call: &mut Call<'_>, index: usize, x: ValueId, trailing: usize) -> Result<ValueId, Stop> {
    let list = call.input(index)?;
    if call.ty(list).rank() != 1 {
        return call.fail_input(index, "must be a list: one axis");
    }
    let list = call.cast(list, call.dtype(x))?;
    if trailing == 0 {
        return Ok(list);
    }
    let after = Unsqueeze {
        axes: Some((1..).take(trailing).collect()),
    };
    call.emit(Op::Unsqueeze(after), &[Some(list)])
}

/// Input 0 in the dtype of its statistics, and its rank.
fn data(call: &mut Call<'_>, least: usize) -> Result<(ValueId, usize), Stop> {
    let x = call.input(0)?;
    let ty = call.ty(x);
    if ty.rank() < least {
        return call.fail_input(0, format!("is {ty}; [batch, channels, ..] is needed"));
    }
    Ok((call.cast(x, wide(ty.dtype))?, ty.rank()))
}

fn instance_norm(call: &mut Call<'_>) -> Done {
    let epsilon = call.float("epsilon", 1e-5);
    let (x, rank) = data(call, 3)?;
    let axes: Vec<i64> = (2..).take(rank - 2).collect();
    let normal = normalised(call, x, &axes, epsilon)?;
    let (scale, bias) = (column(call, 1, x, rank - 2)?, column(call, 2, x, rank - 2)?);
    let scaled = call.emit(map("mul"), &[Some(normal), Some(scale)])?;
    let own = call.own_dtype()?;
    call.finish_as(own, map("add"), &[Some(scaled), Some(bias)])
}

fn group_norm(call: &mut Call<'_>) -> Done {
    let epsilon = call.float("epsilon", 1e-5);
    let groups = call.required_int("num_groups");
    if groups < 1 {
        call.refuse_attribute("num_groups", groups, "must be at least 1");
    }
    if call.int("stash_type", 1) != 1 {
        call.refuse_attribute("stash_type", "...", "only 1 (FLOAT) is supported");
    }
    let (x, rank) = data(call, 2)?;
    let rows = call.list(&[0, groups, -1])?;
    let rows_of = Op::Reshape(Reshape {
        shape: None,
        allow_zero: false,
    });
    let rows = call.emit(rows_of, &[Some(x), Some(rows)])?;
    let normal = normalised(call, rows, &[2], epsilon)?;
    let own = call.own_dtype()?;
    if call.opset < 21 {
        let (scale, bias) = (column(call, 1, x, 1)?, column(call, 2, x, 1)?);
        let scaled = call.emit(map("mul"), &[Some(normal), Some(scale)])?;
        let shifted = call.emit(map("add"), &[Some(scaled), Some(bias)])?;
        let result = reshaped_like(call, shifted, x)?;
        return call.finish_as(own, map("identity"), &[Some(result)]);
    }
    let normal = reshaped_like(call, normal, x)?;
    let (scale, bias) = (column(call, 1, x, rank - 2)?, column(call, 2, x, rank - 2)?);
    let scaled = call.emit(map("mul"), &[Some(normal), Some(scale)])?;
    call.finish_as(own, map("add"), &[Some(scaled), Some(bias)])
}

/// Batch normalisation by the statistics of the batch; outputs 1 and 2 are the running statistics after it.
pub(super) fn batch_norm_training(call: &mut Call<'_>, epsilon: f32, momentum: f32) -> Done {
    let (x, rank) = data(call, 2)?;
    let last = i64::try_from(rank).unwrap_or(i64::MAX);
    let axes: Vec<i64> = std::iter::once(0).chain(2..last).collect();
    let normal = normalised(call, x, &axes, epsilon)?;
    let (scale, bias) = (column(call, 1, x, rank - 2)?, column(call, 2, x, rank - 2)?);
    let scaled = call.emit(map("mul"), &[Some(normal), Some(scale)])?;
    let own = call.own_dtype()?;
    call.finish_as(own, map("add"), &[Some(scaled), Some(bias)])?;
    if !call.wants(1) && !call.wants(2) {
        return Ok(());
    }
    let average = mean(call, x, &axes, false)?;
    let (_, variance) = centred(call, x, &axes)?;
    let variance = reshaped_like(call, variance, average)?;
    for (output, current) in [(1, average), (2, variance)] {
        let index = output + 2;
        let before = call.input(index)?;
        let dtype = call.dtype(before);
        let before = column(call, index, x, 0)?;
        let (keep, take) = (f64::from(momentum), 1.0 - f64::from(momentum));
        let (keep, take) = (
            call.scalar(call.dtype(x), keep)?,
            call.scalar(call.dtype(x), take)?,
        );
        let kept = call.emit(map("mul"), &[Some(before), Some(keep)])?;
        let taken = call.emit(map("mul"), &[Some(current), Some(take)])?;
        let sum = call.emit(map("add"), &[Some(kept), Some(taken)])?;
        let sum = call.cast(sum, dtype)?;
        call.output(output, map("identity"), &[Some(sum)])?;
    }
    Ok(())
}
