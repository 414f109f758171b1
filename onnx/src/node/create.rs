//! Values made from numbers and positions.
//!
//! <https://onnx.ai/onnx/operators/onnx__Range.html>, `EyeLike`, `Trilu`, `OneHot`.
//!
//! - Opset 9: `EyeLike`, `OneHot`; opset 11: negative indices. Opset 14: `Trilu`.
//! - Opset 11: `Range`; opset 27: half floats and `stash_type`, of which only 1 (FLOAT) is supported.
//! - Opset 22, 28: more element types.

use graph::ValueId;
use graph::op::{MapOp, Op, Range};
use tensor::Tensor;
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop};

pub(super) const ROWS: &[Row] = &[
    row("Range", 11, (3, 3), &[], range),
    row("Range", 27, (3, 3), &["stash_type"], range),
    row("EyeLike", 9, (1, 1), &["dtype", "k"], eye_like),
    row("Trilu", 14, (1, 2), &["upper"], trilu),
    row("OneHot", 9, (3, 3), &["axis"], one_hot),
];

fn range(call: &mut Call<'_>) -> Done {
    let stash_type = call.int("stash_type", 1);
    if stash_type != 1 {
        let reason = "only 1 (FLOAT) is supported";
        call.refuse_attribute("stash_type", stash_type, reason);
    }
    let inputs = [call.number(0)?, call.number(1)?, call.number(2)?];
    call.finish(Op::Range(Range), &inputs.map(Some))
}

/// Column minus row, for the last two axes of `x`.
fn diagonals(call: &mut Call<'_>, x: ValueId) -> Result<ValueId, Stop> {
    let rank = call.ty(x).rank();
    let columns = call.positions_along(x, rank - 1)?;
    let rows = call.positions_along(x, rank - 2)?;
    call.apply("sub", &[columns, rows])
}

fn eye_like(call: &mut Call<'_>) -> Done {
    let k = call.int("k", 0);
    let named = call.has("dtype");
    let dtype = call.element_type("dtype", DType::F32);
    let x = call.input(0)?;
    let ty = call.ty(x);
    if ty.rank() != 2 {
        return call.fail_input(0, format!("is {ty}; two axes are needed"));
    }
    let diagonals = diagonals(call, x)?;
    let k = call.constant(Tensor::scalar(k))?;
    let ones = call.apply("equal", &[diagonals, k])?;
    let dtype = if named { dtype } else { ty.dtype };
    call.finish(Op::Map(MapOp::cast(dtype)), &[Some(ones)])
}

fn trilu(call: &mut Call<'_>) -> Done {
    let upper = call.flag("upper", true);
    let x = call.input(0)?;
    let ty = call.ty(x);
    if ty.rank() < 2 {
        return call.fail_input(0, format!("is {ty}; two axes or more are needed"));
    }
    let k = match call.optional(1)? {
        Some(_) => call.number(1)?,
        None => call.constant(Tensor::scalar(0_i64))?,
    };
    let diagonals = diagonals(call, x)?;
    let comparison = if upper { "greater_equal" } else { "less_equal" };
    let kept = call.apply(comparison, &[diagonals, k])?;
    let zero = call.scalar(ty.dtype, 0.0)?;
    call.finish_map("where", &[kept, x, zero])
}

/// An index that names no position gives a row of the first value.
fn one_hot(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", -1);
    let (indices, depth, values) = (call.input(0)?, call.number(1)?, call.input(2)?);
    let rank = call.ty(indices).rank();
    let axis = call.axis(axis, rank + 1)?;
    let indices = call.cast(indices, DType::I64)?;
    let depth = call.cast(depth, DType::I64)?;
    let negative = call.apply_number("less", indices, 0.0)?;
    let from_end = call.apply("add", &[indices, depth])?;
    let indices = call.apply("where", &[negative, from_end, indices])?;
    let indices = call.unsqueeze(indices, i64::try_from(axis))?;
    let positions = call.positions(depth)?;
    let positions = call.unsqueeze(positions, (1..).take(rank - axis))?;
    let hit = call.apply("equal", &[indices, positions])?;
    let (off, on) = (call.element(values, 0)?, call.element(values, 1)?);
    call.finish_map("where", &[hit, on, off])
}
