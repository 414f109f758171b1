//! Reductions, and the pools over all spatial axes.
//!
//! <https://onnx.ai/onnx/operators/onnx__ReduceSum.html>, `ReduceMean`, `ReduceMax`, `ReduceMin`,
//! `ReduceProd`, `GlobalAveragePool`, `GlobalMaxPool`.
//!
//! - Opset 1: `axes` is an attribute; without it all axes are reduced.
//! - Opset 11: negative axes.
//! - Opset 13: `ReduceSum` takes `axes` as an input and has `noop_with_empty_axes`.
//! - Opset 18: the others do.
//! - Opset 20: `ReduceMax` and `ReduceMin` of bools, by way of 8-bit integers.
//! - Opset 22: more element types for the pools.

use graph::op::{MapOp, Op, Reduce, ReduceKind};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done};

const OLD: &[&str] = &["axes", "keepdims"];
const NEW: &[&str] = &["keepdims", "noop_with_empty_axes"];

pub(super) const ROWS: &[Row] = &[
    row("ReduceSum", 1, (1, 1), OLD, |c| reduce(c, ReduceKind::Sum)),
    row("ReduceSum", 13, (1, 2), NEW, |c| reduce(c, ReduceKind::Sum)),
    row("ReduceMean", 1, (1, 1), OLD, |c| {
        reduce(c, ReduceKind::Mean)
    }),
    row("ReduceMean", 18, (1, 2), NEW, |c| {
        reduce(c, ReduceKind::Mean)
    }),
    row("ReduceMax", 1, (1, 1), OLD, |c| reduce(c, ReduceKind::Max)),
    row("ReduceMax", 18, (1, 2), NEW, |c| reduce(c, ReduceKind::Max)),
    row("ReduceMin", 1, (1, 1), OLD, |c| reduce(c, ReduceKind::Min)),
    row("ReduceMin", 18, (1, 2), NEW, |c| reduce(c, ReduceKind::Min)),
    row("ReduceProd", 1, (1, 1), OLD, |c| {
        reduce(c, ReduceKind::Prod)
    }),
    row("ReduceProd", 18, (1, 2), NEW, |c| {
        reduce(c, ReduceKind::Prod)
    }),
    row("GlobalAveragePool", 1, (1, 1), &[], |c| {
        pool(c, ReduceKind::Mean)
    }),
    row("GlobalMaxPool", 1, (1, 1), &[], |c| {
        pool(c, ReduceKind::Max)
    }),
];

/// A row allows `axes` either as an attribute or as an input, so at most one of them is there.
fn reduce(call: &mut Call<'_>, kind: ReduceKind) -> Done {
    let axes = call.ints("axes");
    let keep = call.flag("keepdims", true);
    let noop_if_empty = call.flag("noop_with_empty_axes", false);
    let x = call.input(0)?;
    let mut inputs = call.all()?;
    let op = Op::Reduce(Reduce {
        kind,
        axes,
        keep,
        noop_if_empty,
    });
    let bools = call.dtype(x) == DType::Bool && call.opset >= 20;
    if bools && matches!(kind, ReduceKind::Max | ReduceKind::Min) {
        inputs[0] = Some(call.cast(x, DType::U8)?);
        let result = call.emit(op, &inputs)?;
        return call.finish(Op::Map(MapOp::cast(DType::Bool)), &[Some(result)]);
    }
    call.finish(op, &inputs)
}

/// A reduction over every axis after batch and channel; they stay with extent 1.
fn pool(call: &mut Call<'_>, kind: ReduceKind) -> Done {
    let x = call.input(0)?;
    let ty = call.ty(x);
    if ty.rank() < 3 {
        return call.fail_input(
            0,
            format!("is {ty}; [batch, channels, spatial..] is needed"),
        );
    }
    let axes = (2..).take(ty.rank() - 2).collect();
    let op = Reduce {
        kind,
        axes: Some(axes),
        keep: true,
        noop_if_empty: false,
    };
    call.finish(Op::Reduce(op), &[Some(x)])
}
