//! Softmax and the norms.
//!
//! <https://onnx.ai/onnx/operators/onnx__Softmax.html>, `LogSoftmax`, `LayerNormalization`,
//! `BatchNormalization`.
//!
//! - Opset 1: `Softmax` and `LogSoftmax` see a matrix whose rows are the axes from `axis` (default 1)
//!   on. Opset 11: negative axis. Opset 13: along one axis (default -1).
//! - Opset 7: `BatchNormalization` has `spatial`, of which only 1 is supported; opset 9 drops it.
//!   Opset 14: `training_mode`. Opset 15: parameters of other types.
//! - Opset 17: `LayerNormalization`; its statistics, where they are wanted, are computed beside it.

use graph::op::{BatchNorm, LayerNorm, MapOp, Op, Reduce, ReduceKind, Reshape, Softmax};
use graph::{Dim, ValueId};
use tensor_core::DType;

use super::batch::batch_norm_training;
use super::{Row, row};
use crate::call::{Call, Done, map};

const BATCH_7: &[&str] = &["epsilon", "momentum", "spatial"];
const BATCH_9: &[&str] = &["epsilon", "momentum"];
const BATCH_14: &[&str] = &["epsilon", "momentum", "training_mode"];
const LAYER: &[&str] = &["axis", "epsilon", "stash_type"];

pub(super) const ROWS: &[Row] = &[
    row("Softmax", 1, (1, 1), &["axis"], |c| {
        softmax_of_rows(c, false)
    }),
    row("Softmax", 13, (1, 1), &["axis"], |c| softmax(c, false)),
    row("LogSoftmax", 1, (1, 1), &["axis"], |c| {
        softmax_of_rows(c, true)
    }),
    row("LogSoftmax", 13, (1, 1), &["axis"], |c| softmax(c, true)),
    row("LayerNormalization", 17, (2, 3), LAYER, layer_norm),
    row("BatchNormalization", 7, (5, 5), BATCH_7, batch_norm),
    row("BatchNormalization", 9, (5, 5), BATCH_9, batch_norm),
    row("BatchNormalization", 14, (5, 5), BATCH_14, batch_norm),
];

fn softmax(call: &mut Call<'_>, log: bool) -> Done {
    let axis = call.int("axis", -1);
    let x = call.input(0)?;
    call.finish(Op::Softmax(Softmax { axis, log }), &[Some(x)])
}

fn softmax_of_rows(call: &mut Call<'_>, log: bool) -> Done {
    let axis = call.int("axis", 1);
    let x = call.input(0)?;
    let shape = call.ty(x).shape;
    let at = call.axis(axis, shape.len())?;
    let along = |axis| Op::Softmax(Softmax { axis, log });
    if shape[at + 1..].iter().all(|d| *d == Dim::Known(1)) {
        let axis = i64::try_from(at).unwrap_or(axis);
        return call.finish(along(axis), &[Some(x)]);
    }
    let (before, after) = shape.split_at(at);
    let matrix = Reshape::to([Dim::product(before), Dim::product(after)]);
    let rows = call.emit(Op::Reshape(matrix), &[Some(x)])?;
    let result = call.emit(along(-1), &[Some(rows)])?;
    call.finish(Op::Reshape(Reshape::to(shape)), &[Some(result)])
}

fn layer_norm(call: &mut Call<'_>) -> Done {
    let (axis, epsilon) = (call.int("axis", -1), call.float("epsilon", 1e-5));
    let stash_type = call.int("stash_type", 1);
    if stash_type != 1 {
        let reason = "only 1 (FLOAT) is supported";
        call.refuse_attribute("stash_type", stash_type, reason);
    }
    let x = call.input(0)?;
    call.input(1)?;
    let inputs = call.all()?;
    call.finish(Op::LayerNorm(LayerNorm { axis, epsilon }), &inputs)?;
    if call.wants(1) || call.wants(2) {
        statistics(call, x, axis, epsilon)?;
    }
    Ok(())
}

/// Outputs 1 and 2 of a layer norm in `f32`: the mean, and `1 / sqrt(variance + epsilon)`.
fn statistics(call: &mut Call<'_>, x: ValueId, axis: i64, epsilon: f32) -> Done {
    let rank = call.ty(x).rank();
    let first = call.axis(axis, rank)?;
    let axes = (first..rank).filter_map(|a| i64::try_from(a).ok());
    let mean_of = Op::Reduce(Reduce {
        kind: ReduceKind::Mean,
        axes: Some(axes.collect()),
        keep: true,
        noop_if_empty: false,
    });
    let x = call.cast(x, DType::F32)?;
    let mean = call.emit(mean_of.clone(), &[Some(x)])?;
    let centred = call.emit(map("sub"), &[Some(x), Some(mean)])?;
    let squares = call.emit(map("mul"), &[Some(centred), Some(centred)])?;
    let variance = call.emit(mean_of, &[Some(squares)])?;
    if call.wants(1) {
        call.output(1, map("identity"), &[Some(mean)])?;
    }
    if call.wants(2) {
        let epsilon = call.scalar(DType::F32, epsilon.into())?;
        let shifted = call.emit(map("add"), &[Some(variance), Some(epsilon)])?;
        let deviation = call.emit(map("sqrt"), &[Some(shifted)])?;
        call.output(2, map("reciprocal"), &[Some(deviation)])?;
    }
    Ok(())
}

fn batch_norm(call: &mut Call<'_>) -> Done {
    let epsilon = call.float("epsilon", 1e-5);
    let momentum = call.float("momentum", 0.9);
    if !call.flag("spatial", true) {
        call.refuse_attribute("spatial", 0, "only 1 is supported");
    }
    if call.flag("training_mode", false) {
        return batch_norm_training(call, epsilon, momentum);
    }
    let mut inputs = Vec::with_capacity(5);
    for index in 0..5 {
        inputs.push(call.input(index)?);
    }
    let own = call.dtype(inputs[0]);
    let wide = widest(call, &inputs);
    let mut same = Vec::with_capacity(5);
    for input in inputs {
        same.push(Some(call.cast(input, wide)?));
    }
    let op = Op::BatchNorm(BatchNorm { epsilon });
    if wide == own {
        return call.finish(op, &same);
    }
    let result = call.emit(op, &same)?;
    call.finish(Op::Map(MapOp::cast(own)), &[Some(result)])
}

/// The dtype in which values of different float dtypes are combined.
fn widest(call: &Call<'_>, values: &[ValueId]) -> DType {
    let dtypes = values.iter().map(|&v| call.dtype(v));
    dtypes
        .reduce(|a, b| match a.size_bytes().cmp(&b.size_bytes()) {
            _ if a == b => a,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            // f16 and bf16.
            std::cmp::Ordering::Equal => DType::F32,
        })
        .unwrap_or(DType::F32)
}
