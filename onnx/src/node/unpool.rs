//! Pooled elements and columns of windows put back in place.
//!
//! <https://onnx.ai/onnx/operators/onnx__MaxUnpool.html>, `Col2Im`.
//!
//! - Opset 9: `MaxUnpool`. Opset 18: `Col2Im`. Opset 11, 22: other words and more element types.

use graph::op::{
    Col2Im, Concat, Expand, Op, Pad, PadMode, PadOp, Reduction, ScatterElements, Window,
};

use super::extents::{Extent, exactly, extents};
use super::window::{attributes, spatial_axes};
use super::{Row, row};
use crate::call::{Call, Done, map};
use crate::error::ProblemKind;

const UNPOOL: &[&str] = &["kernel_shape", "pads", "strides"];
const COLUMNS: &[&str] = &["dilations", "pads", "strides"];

pub(super) const ROWS: &[Row] = &[
    row("MaxUnpool", 9, (2, 3), UNPOOL, max_unpool),
    row("Col2Im", 18, (3, 3), COLUMNS, col2im),
];

/// Zeros, with the elements at their indices, which count within the extents that the kernel gives. A shape that is asked for is
/// met by padding after that.
fn max_unpool(call: &mut Call<'_>) -> Done {
    let attributes = attributes(call);
    let Some(kernel) = attributes.kernel.clone() else {
        let name = "kernel_shape";
        return call.fail(ProblemKind::MissingAttribute { name });
    };
    let spatial = spatial_axes(call)?;
    let window = attributes.window(spatial);
    let Pad::Explicit { begin, end } = &window.pad else {
        return call.fail_input(0, "the padding must be explicit");
    };
    let lists = [kernel.len(), window.strides.len(), begin.len(), end.len()];
    if lists != [spatial; 4] {
        let reason = format!("needs {spatial} numbers, one per spatial axis");
        call.refuse_attribute("kernel_shape", format!("{kernel:?}"), reason);
    }
    let (x, indices, wanted) = (call.input(0)?, call.input(1)?, call.optional(2)?);
    let mut entries = vec![Extent::axis(0), Extent::axis(1)];
    for axis in 0..spatial {
        let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let stride = number(window.strides[axis]);
        let more = number(kernel[axis]) - stride - number(begin[axis]) - number(end[axis]);
        entries.push(Extent::Of(axis + 2, stride, more));
    }
    let shape = extents(call, x, &entries)?;
    let zero = call.scalar(call.dtype(x), 0.0)?;
    let zeros = call.emit(
        Op::Expand(Expand { shape: None }),
        &[Some(zero), Some(shape)],
    )?;
    let rest = call.list(&[-1])?;
    let mut flat = [zeros, indices, x];
    for value in &mut flat {
        *value = call.emit(exactly(), &[Some(*value), Some(rest)])?;
    }
    let place = Op::ScatterElements(ScatterElements {
        axis: 0,
        reduction: Reduction::None,
    });
    let placed = call.emit(place, &flat.map(Some))?;
    let Some(wanted) = wanted else {
        return call.finish(exactly(), &[Some(placed), Some(shape)]);
    };
    let placed = call.emit(exactly(), &[Some(placed), Some(shape)])?;
    let after = call.emit(map("sub"), &[Some(wanted), Some(shape)])?;
    let before = call.list(&vec![0; spatial + 2])?;
    let pads = call.emit(Op::Concat(Concat { axis: 0 }), &[Some(before), Some(after)])?;
    let mode = PadMode::Constant;
    call.finish(Op::Pad(PadOp { mode }), &[Some(placed), Some(pads)])
}

fn col2im(call: &mut Call<'_>) -> Done {
    let attributes = attributes(call);
    let inputs = [call.input(0)?, call.input(1)?, call.input(2)?];
    let [_, image, _] = inputs;
    let extents = call.ty(image).shape;
    let [axes] = &extents[..] else {
        return call.fail_input(1, "must be a list: one axis");
    };
    let Some(axes) = axes.as_extent() else {
        return call.fail_input(1, "the number of extents must be known before the run");
    };
    let window: Window = attributes.window(axes);
    call.finish(Op::Col2Im(Col2Im { window }), &inputs.map(Some))
}
