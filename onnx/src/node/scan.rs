//! Along one axis, with memory or order.
//!
//! <https://onnx.ai/onnx/operators/onnx__ArgMax.html>, `ArgMin`, `CumSum`, `CumProd`, `TopK`, `Hardmax`.
//!
//! - Opset 1: `ArgMax`, `ArgMin`; opset 12: `select_last_index`.
//! - Opset 1: `TopK` has the attribute `k`; opset 10: `k` is an input; opset 11: `largest`, `sorted`. The result is sorted
//!   whatever `sorted` says.
//! - Opset 1: `Hardmax` sees a matrix whose rows are the axes from `axis` (default 1) on; opset 13: one axis (default -1).
//! - Opset 11: `CumSum`, negative axes. Opset 26: `CumProd`.

use graph::op::{ArgReduce, Cumulative, CumulativeKind, Extreme, MapOp, Op, Reshape, TopK};
use graph::{Dim, ValueId};

use super::{Row, row};
use crate::call::{Call, Done, Stop};

const ARG_1: &[&str] = &["axis", "keepdims"];
const ARG_12: &[&str] = &["axis", "keepdims", "select_last_index"];
const CUMULATIVE: &[&str] = &["exclusive", "reverse"];
const TOP_11: &[&str] = &["axis", "largest", "sorted"];

pub(super) const ROWS: &[Row] = &[
    row("ArgMax", 1, (1, 1), ARG_1, |c| arg(c, Extreme::Max)),
    row("ArgMax", 12, (1, 1), ARG_12, |c| arg(c, Extreme::Max)),
    row("ArgMin", 1, (1, 1), ARG_1, |c| arg(c, Extreme::Min)),
    row("ArgMin", 12, (1, 1), ARG_12, |c| arg(c, Extreme::Min)),
    row("CumSum", 11, (2, 2), CUMULATIVE, |c| {
        cumulative(c, CumulativeKind::Sum)
    }),
    row("CumProd", 26, (2, 2), CUMULATIVE, |c| {
        cumulative(c, CumulativeKind::Prod)
    }),
    row("TopK", 1, (1, 1), &["axis", "k"], top_k_attribute),
    row("TopK", 10, (2, 2), &["axis"], top_k),
    row("TopK", 11, (2, 2), TOP_11, top_k),
    row("Hardmax", 1, (1, 1), &["axis"], hardmax_of_rows),
    row("Hardmax", 13, (1, 1), &["axis"], hardmax),
];

fn arg(call: &mut Call<'_>, extreme: Extreme) -> Done {
    let op = ArgReduce {
        extreme,
        axis: call.int("axis", 0),
        keep: call.flag("keepdims", true),
        last: call.flag("select_last_index", false),
    };
    let x = call.input(0)?;
    call.finish(Op::ArgReduce(op), &[Some(x)])
}

/// The axis is an attribute where it is known, else it stays an input.
fn cumulative(call: &mut Call<'_>, kind: CumulativeKind) -> Done {
    let exclusive = call.flag("exclusive", false);
    let reverse = call.flag("reverse", false);
    let (x, input) = (call.input(0)?, call.input(1)?);
    let known = known_number(call, input);
    let op = Cumulative {
        kind,
        axis: known,
        exclusive,
        reverse,
    };
    let inputs = [Some(x), Some(input)];
    let count = if known.is_some() { 1 } else { 2 };
    call.finish(Op::Cumulative(op), &inputs[..count])
}

/// The number that an input holds, if it is known.
fn known_number(call: &Call<'_>, id: ValueId) -> Option<i64> {
    match call.known_ints(id).as_deref() {
        Some([number]) => Some(*number),
        _ => None,
    }
}

fn top_k_attribute(call: &mut Call<'_>) -> Done {
    let (axis, k) = (call.int("axis", -1), call.required_int("k"));
    let x = call.input(0)?;
    let op = TopK {
        k: Some(k),
        axis,
        largest: true,
    };
    call.finish_many(Op::TopK(op), &[Some(x)])
}

fn top_k(call: &mut Call<'_>) -> Done {
    let mut op = TopK {
        k: None,
        axis: call.int("axis", -1),
        largest: call.flag("largest", true),
    };
    call.flag("sorted", true);
    let (x, k) = (call.input(0)?, call.input(1)?);
    op.k = known_number(call, k);
    let inputs = [Some(x), Some(k)];
    let count = if op.k.is_some() { 1 } else { 2 };
    call.finish_many(Op::TopK(op), &inputs[..count])
}

fn hardmax(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", -1);
    let x = call.input(0)?;
    let rank = call.ty(x).rank();
    let axis = call.axis(axis, rank)?;
    let (op, hit) = hardmax_along(call, x, axis)?;
    call.finish(op, &[Some(hit)])
}

fn hardmax_of_rows(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", 1);
    let x = call.input(0)?;
    let shape = call.ty(x).shape;
    let at = call.axis(axis, shape.len())?;
    let (before, after) = shape.split_at(at);
    let matrix = Reshape::to([Dim::product(before), Dim::product(after)]);
    let rows = call.emit(Op::Reshape(matrix), &[Some(x)])?;
    let (op, hit) = hardmax_along(call, rows, 1)?;
    let result = call.emit(op, &[Some(hit)])?;
    call.finish(Op::Reshape(Reshape::to(shape)), &[Some(result)])
}

/// The last op, which gives 1 at the first of the largest elements and 0 elsewhere, and its input.
fn hardmax_along(call: &mut Call<'_>, x: ValueId, axis: usize) -> Result<(Op, ValueId), Stop> {
    let op = ArgReduce {
        extreme: Extreme::Max,
        axis: i64::try_from(axis).unwrap_or(i64::MAX),
        keep: true,
        last: false,
    };
    let largest = call.emit(Op::ArgReduce(op), &[Some(x)])?;
    let positions = call.positions_along(x, axis)?;
    let hit = call.apply("equal", &[positions, largest])?;
    Ok((Op::Map(MapOp::cast(call.dtype(x))), hit))
}
