//! Padding and cropping.
//!
//! <https://onnx.ai/onnx/operators/onnx__Pad.html>, `CenterCropPad`.
//!
//! - Opset 2: `Pad` has the attributes `pads` and `value`; opset 11: they are inputs; opset 18: `axes` is one too.
//! - Opset 19: the mode `wrap`. Opset 13 to 25: more element types.
//! - Opset 18: `CenterCropPad`, by `Pad` and `Slice` as the standard's own function body does it.

use graph::ValueId;
use graph::op::{Gather, Op, PadMode, PadOp, Slice};

use super::extents::shape_of;
use super::{Row, row};
use crate::call::{Call, Done, Stop, map};

const OLD: &[&str] = &["mode", "pads", "value"];

pub(super) const ROWS: &[Row] = &[
    row("Pad", 2, (1, 1), OLD, pad_attributes),
    row("Pad", 11, (2, 3), &["mode"], pad),
    row("Pad", 18, (2, 4), &["mode"], pad),
    row("CenterCropPad", 18, (2, 2), &["axes"], center_crop_pad),
];

fn mode(call: &mut Call<'_>) -> PadMode {
    let opset = call.opset;
    call.word("mode", PadMode::Constant, |word| {
        PadMode::named(word).filter(|&mode| opset >= 19 || mode != PadMode::Wrap)
    })
}

fn pad_attributes(call: &mut Call<'_>) -> Done {
    let (mode, pads) = (mode(call), call.required_ints("pads"));
    let value = call.float("value", 0.0);
    let x = call.input(0)?;
    let pads = call.list(&pads)?;
    let value = call.scalar(call.dtype(x), value.into())?;
    call.finish(Op::Pad(PadOp { mode }), &[x, pads, value].map(Some))
}

fn pad(call: &mut Call<'_>) -> Done {
    let mode = mode(call);
    call.input(0)?;
    call.input(1)?;
    let inputs = call.all()?;
    call.finish(Op::Pad(PadOp { mode }), &inputs)
}

/// Half of what is missing goes before, then half of what is too much is cut before; an odd rest goes or is cut after.
fn center_crop_pad(call: &mut Call<'_>) -> Done {
    let axes = call.ints("axes");
    let (x, wanted) = (call.input(0)?, call.input(1)?);
    let rank = i64::try_from(call.ty(x).rank()).unwrap_or(i64::MAX);
    let axes = axes.unwrap_or_else(|| (0..rank).collect());
    let wanted = call.cast(wanted, tensor_core::DType::I64)?;
    let axes = call.list(&axes)?;
    let half = call.list(&[2])?;
    let have = extents_along(call, x, axes)?;
    let padded = call.emit(map("max"), &[Some(have), Some(wanted)])?;
    let missing = call.emit(map("sub"), &[Some(padded), Some(have)])?;
    let before = call.emit(map("div"), &[Some(missing), Some(half)])?;
    let after = call.emit(map("sub"), &[Some(missing), Some(before)])?;
    let concat = Op::Concat(graph::op::Concat { axis: 0 });
    let pads = call.emit(concat, &[Some(before), Some(after)])?;
    let mode = PadMode::Constant;
    let inputs = [Some(x), Some(pads), None, Some(axes)];
    let whole = call.emit(Op::Pad(PadOp { mode }), &inputs)?;
    let surplus = call.emit(map("sub"), &[Some(padded), Some(wanted)])?;
    let start = call.emit(map("div"), &[Some(surplus), Some(half)])?;
    let end = call.emit(map("add"), &[Some(start), Some(wanted)])?;
    let inputs = [whole, start, end, axes].map(Some);
    call.finish(Op::Slice(Slice { axes: None }), &inputs)
}

fn extents_along(call: &mut Call<'_>, x: ValueId, axes: ValueId) -> Result<ValueId, Stop> {
    let shape = shape_of(call, x)?;
    call.emit(Op::Gather(Gather { axis: 0 }), &[Some(shape), Some(axes)])
}
