//! Reductions of a function of the elements, as a reduction between elementwise ops.
//!
//! <https://onnx.ai/onnx/operators/onnx__ReduceL1.html>, `ReduceL2`, `ReduceSumSquare`, `ReduceLogSum`, `ReduceLogSumExp`.
//!
//! - Opset 1: `axes` is an attribute; without it all axes are reduced. Opset 11: negative axes.
//! - Opset 18: `axes` is an input, `noop_with_empty_axes`.
//! - Opset 28: no integers for `ReduceLogSum` and `ReduceLogSumExp`. Roots and logarithms of integers are computed in `f64`.

use graph::ValueId;
use graph::op::{MapOp, Op, Reduce, ReduceKind};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop, map};

const OLD: &[&str] = &["axes", "keepdims"];
const NEW: &[&str] = &["keepdims", "noop_with_empty_axes"];

pub(super) const ROWS: &[Row] = &[
    row("ReduceL1", 1, (1, 1), OLD, l1),
    row("ReduceL1", 18, (1, 2), NEW, l1),
    row("ReduceL2", 1, (1, 1), OLD, l2),
    row("ReduceL2", 18, (1, 2), NEW, l2),
    row("ReduceSumSquare", 1, (1, 1), OLD, sum_square),
    row("ReduceSumSquare", 18, (1, 2), NEW, sum_square),
    row("ReduceLogSum", 1, (1, 1), OLD, log_sum),
    row("ReduceLogSum", 18, (1, 2), NEW, log_sum),
    row("ReduceLogSumExp", 1, (1, 1), OLD, log_sum_exp),
    row("ReduceLogSumExp", 18, (1, 2), NEW, log_sum_exp),
];

/// Which axes are reduced, and what becomes of them.
struct Over {
    axes: Option<Vec<i64>>,
    input: Option<ValueId>,
    keep: bool,
    noop_if_empty: bool,
}

impl Over {
    /// Reads the attributes and the input of axes.
    fn of(call: &mut Call<'_>) -> Result<Over, Stop> {
        let axes = call.ints("axes");
        let keep = call.flag("keepdims", true);
        let noop_if_empty = call.flag("noop_with_empty_axes", false);
        call.input(0)?;
        Ok(Over {
            axes,
            input: call.optional(1)?,
            keep,
            noop_if_empty,
        })
    }

    /// The reduction of `x` and its inputs.
    fn reduction(&self, kind: ReduceKind, x: ValueId, keep: bool) -> (Op, Vec<Option<ValueId>>) {
        let op = Reduce {
            kind,
            axes: self.axes.clone(),
            keep,
            noop_if_empty: self.noop_if_empty,
        };
        let mut inputs = vec![Some(x)];
        inputs.extend(self.input.map(Some));
        (Op::Reduce(op), inputs)
    }
}

/// An integer as `f64`, a float as it is.
fn as_float(call: &mut Call<'_>, x: ValueId) -> Result<ValueId, Stop> {
    if call.dtype(x).is_integer() {
        call.cast(x, DType::F64)
    } else {
        Ok(x)
    }
}

/// Makes the elementwise op of `x`, in the dtype of the first input, the output.
fn finish_as_input(call: &mut Call<'_>, name: &str, inputs: &[ValueId]) -> Done {
    let own = call.input(0)?;
    let dtype = call.dtype(own);
    if call.dtype(inputs[0]) == dtype {
        return call.finish_map(name, inputs);
    }
    let y = call.apply(name, inputs)?;
    call.finish(Op::Map(MapOp::cast(dtype)), &[Some(y)])
}

fn l1(call: &mut Call<'_>) -> Done {
    let over = Over::of(call)?;
    let x = call.input(0)?;
    let sizes = call.apply("abs", &[x])?;
    let (op, inputs) = over.reduction(ReduceKind::Sum, sizes, over.keep);
    call.finish(op, &inputs)
}

fn sum_square(call: &mut Call<'_>) -> Done {
    let over = Over::of(call)?;
    let x = call.input(0)?;
    let squares = call.apply("mul", &[x, x])?;
    let (op, inputs) = over.reduction(ReduceKind::Sum, squares, over.keep);
    call.finish(op, &inputs)
}

fn l2(call: &mut Call<'_>) -> Done {
    let over = Over::of(call)?;
    let x = call.input(0)?;
    let x = as_float(call, x)?;
    let squares = call.apply("mul", &[x, x])?;
    let (op, inputs) = over.reduction(ReduceKind::Sum, squares, over.keep);
    let sum = call.emit(op, &inputs)?;
    finish_as_input(call, "sqrt", &[sum])
}

fn log_sum(call: &mut Call<'_>) -> Done {
    let over = Over::of(call)?;
    let x = call.input(0)?;
    let x = as_float(call, x)?;
    let (op, inputs) = over.reduction(ReduceKind::Sum, x, over.keep);
    let sum = call.emit(op, &inputs)?;
    finish_as_input(call, "log", &[sum])
}

/// `m + ln(sum of e^(x - m))` with the largest element `m`, or 0 where that is infinite.
fn log_sum_exp(call: &mut Call<'_>) -> Done {
    let over = Over::of(call)?;
    let x = call.input(0)?;
    let x = as_float(call, x)?;
    let (op, inputs) = over.reduction(ReduceKind::Max, x, true);
    let largest = call.emit(op, &inputs)?;
    let infinite = call.apply("is_inf", &[largest])?;
    let zero = call.scalar(call.dtype(x), 0.0)?;
    let shift = call.apply("where", &[infinite, zero, largest])?;
    let shifted = call.apply("sub", &[x, shift])?;
    let powers = call.apply("exp", &[shifted])?;
    let (op, inputs) = over.reduction(ReduceKind::Sum, powers, true);
    let sum = call.emit(op, &inputs)?;
    let log = call.apply("log", &[sum])?;
    if over.keep {
        return finish_as_input(call, "add", &[log, shift]);
    }
    // The reduced axes have extent 1 by now.
    let kept = call.apply("add", &[log, shift])?;
    let (op, inputs) = over.reduction(ReduceKind::Max, kept, false);
    let y = call.emit(op, &inputs)?;
    let own = call.input(0)?;
    let op = match call.dtype(own) {
        dtype if dtype == call.dtype(y) => map("identity"),
        dtype => Op::Map(MapOp::cast(dtype)),
    };
    call.finish(op, &[Some(y)])
}
