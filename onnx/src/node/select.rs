//! Ops that choose or join elements: gather, slice, split, concat.
//!
//! <https://onnx.ai/onnx/operators/onnx__Gather.html>, `Slice`, `Split`, `Concat`.
//!
//! - Opset 1: `Gather`; opset 11: negative indices and axes.
//! - Opset 1: `Slice` with attributes; opset 10: bounds, axes and steps are inputs.
//! - Opset 2: `Split` with the attribute `split`; opset 13: `split` is an input; opset 18:
//!   `num_outputs`, the last part may be smaller.
//! - Opset 4: `Concat` has the attribute `axis`; opset 11: negative axis.

use graph::ValueId;
use graph::op::{Concat, Gather, Op, Shape, Slice, SliceAxis};

use super::{Row, row};
use crate::call::{Call, Done, Stop, map};

const SLICE: &[&str] = &["axes", "ends", "starts"];

pub(super) const ROWS: &[Row] = &[
    row("Gather", 1, (2, 2), &["axis"], gather),
    row("Slice", 1, (1, 1), SLICE, slice_attributes),
    row("Slice", 10, (3, 5), &[], slice_inputs),
    row("Split", 2, (1, 1), &["axis", "split"], split),
    row("Split", 13, (1, 2), &["axis"], split),
    row("Split", 18, (1, 2), &["axis", "num_outputs"], split),
    row("Concat", 4, (1, usize::MAX), &["axis"], concat),
];

fn gather(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", 0);
    let (x, indices) = (call.input(0)?, call.input(1)?);
    call.finish(Op::Gather(Gather { axis }), &[Some(x), Some(indices)])
}

fn slice_attributes(call: &mut Call<'_>) -> Done {
    let (starts, ends) = (call.required_ints("starts"), call.required_ints("ends"));
    let axes = call.ints("axes");
    let axes = axes.unwrap_or_else(|| (0..).take(starts.len()).collect());
    if starts.len() != ends.len() || starts.len() != axes.len() {
        let reason = format!(
            "{} ends and {} axes differ in length",
            ends.len(),
            axes.len()
        );
        call.refuse_attribute("starts", format!("{starts:?}"), reason);
    }
    let x = call.input(0)?;
    let all = axes.into_iter().zip(starts).zip(ends);
    let slices = all.map(|((axis, start), end)| SliceAxis {
        axis,
        start,
        end,
        step: 1,
    });
    let axes = Some(slices.collect());
    call.finish(Op::Slice(Slice { axes }), &[Some(x)])
}

fn slice_inputs(call: &mut Call<'_>) -> Done {
    for index in 0..3 {
        call.input(index)?;
    }
    let inputs = call.all()?;
    call.finish(Op::Slice(Slice { axes: None }), &inputs)
}

fn concat(call: &mut Call<'_>) -> Done {
    let axis = call.required_int("axis");
    let mut inputs = Vec::with_capacity(call.inputs.len());
    for index in 0..call.inputs.len() {
        inputs.push(Some(call.input(index)?));
    }
    call.finish(Op::Concat(Concat { axis }), &inputs)
}

/// One slice per output.
fn split(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", 0);
    let attribute = call.ints("split");
    let count = call.optional_int("num_outputs");
    let x = call.input(0)?;
    let ty = call.ty(x);
    let at = call.axis(axis, ty.rank())?;
    let extent = ty.shape[at].as_known();
    let sizes = match (attribute, call.optional(1)?) {
        (Some(sizes), _) => sizes,
        (None, None) => match equal_parts(call, extent, count)? {
            Some(sizes) => sizes,
            None => return split_evenly(call, x, at),
        },
        (None, Some(input)) => match call.known_ints(input) {
            Some(sizes) => sizes,
            None => return split_by(call, x, at, input),
        },
    };
    let total = sizes.iter().try_fold(0_i64, |sum, &n| sum.checked_add(n));
    let adds_up = total.is_some() && (extent.is_none() || total == extent);
    if sizes.iter().any(|&n| n < 0) || !adds_up || sizes.len() < call.proto.output.len() {
        let outputs = call.proto.output.len();
        let reason = format!("cannot split axis {at} of {ty} into {outputs} parts of {sizes:?}");
        return call.fail_input(0, reason);
    }
    let mut start = 0;
    for (index, size) in sizes.into_iter().enumerate() {
        let end = start + size;
        if call.wants(index) {
            let slice = SliceAxis {
                axis: i64::try_from(at).unwrap_or(axis),
                start,
                end,
                step: 1,
            };
            let axes = Some(vec![slice]);
            call.output(index, Op::Slice(Slice { axes }), &[Some(x)])?;
        }
        start = end;
    }
    Ok(())
}

/// Parts of sizes that a list holds which is known only when the graph runs.
fn split_by(call: &mut Call<'_>, x: ValueId, axis: usize, sizes: ValueId) -> Done {
    let mut start = call.list(&[0])?;
    for index in 0..call.proto.output.len() {
        let at = i64::try_from(index).unwrap_or(i64::MAX);
        let place = call.list(&[at])?;
        let pick = Op::Gather(Gather { axis: 0 });
        let size = call.emit(pick, &[Some(sizes), Some(place)])?;
        let end = call.emit(map("add"), &[Some(start), Some(size)])?;
        part(call, x, axis, index, [start, end])?;
        start = end;
    }
    Ok(())
}

/// Parts of one size, of an extent that is a symbol; the last may be smaller.
fn split_evenly(call: &mut Call<'_>, x: ValueId, axis: usize) -> Done {
    let parts = i64::try_from(call.proto.output.len()).unwrap_or(i64::MAX);
    let start = i64::try_from(axis).unwrap_or(i64::MAX);
    let end = Some(start.saturating_add(1));
    let extent = call.emit(Op::Shape(Shape { start, end }), &[Some(x)])?;
    let (count, more) = (call.list(&[parts])?, call.list(&[parts - 1])?);
    let raised = call.emit(map("add"), &[Some(extent), Some(more)])?;
    let size = call.emit(map("div"), &[Some(raised), Some(count)])?;
    let mut start = call.list(&[0])?;
    for index in 0..call.proto.output.len() {
        let end = call.emit(map("add"), &[Some(start), Some(size)])?;
        part(call, x, axis, index, [start, end])?;
        start = end;
    }
    Ok(())
}

/// Output `index`: a slice between bounds that are lists of one number.
fn part(call: &mut Call<'_>, x: ValueId, axis: usize, index: usize, bounds: [ValueId; 2]) -> Done {
    if !call.wants(index) {
        return Ok(());
    }
    let axes = call.list(&[i64::try_from(axis).unwrap_or(i64::MAX)])?;
    let inputs = [x, bounds[0], bounds[1], axes].map(Some);
    call.output(index, Op::Slice(Slice { axes: None }), &inputs)
}

/// Sizes of as many parts as there are outputs; since opset 18 the last may be smaller. `None` for an extent that is a symbol.
fn equal_parts(
    call: &mut Call<'_>,
    extent: Option<i64>,
    count: Option<i64>,
) -> Result<Option<Vec<i64>>, Stop> {
    let outputs = i64::try_from(call.proto.output.len()).unwrap_or(i64::MAX);
    let parts = count.unwrap_or(outputs);
    if parts != outputs || parts == 0 {
        call.refuse_attribute(
            "num_outputs",
            parts,
            format!("the node has {outputs} outputs"),
        );
        return Err(Stop);
    }
    let Some(extent) = extent else {
        return Ok(None);
    };
    let rest = extent % parts;
    if rest != 0 && call.opset < 18 {
        let reason = format!("{extent} elements do not split into {parts} equal parts");
        return call.fail_input(0, reason);
    }
    let size = extent / parts + i64::from(rest != 0);
    let sizes = (0..parts).map(|part| (extent - part * size).clamp(0, size));
    Ok(Some(sizes.collect()))
}
