//! Ops that change or tell the shape.
//!
//! <https://onnx.ai/onnx/operators/onnx__Reshape.html>, `Transpose`, `Expand`, `Squeeze`,
//! `Unsqueeze`, `Flatten`, `Shape`, `Size`.
//!
//! - Opset 5: `Reshape` takes the shape as an input; opset 14: `allowzero`.
//! - Opset 1: `Squeeze` and `Unsqueeze` have the attribute `axes`; opset 11: negative axes;
//!   opset 13: `axes` is an input.
//! - Opset 8: `Expand`. Opset 11: `Flatten` takes a negative axis.
//! - Opset 15: `Shape` has `start` and `end`.
//! - Opset 13 to 25: more element types for all of them.

use graph::Dim;
use graph::op::{Expand, Gather, Op, Reshape, Shape, Squeeze, Transpose, Unsqueeze};
use tensor::Tensor;

use super::{Row, row};
use crate::call::{Call, Done, map};
use crate::error::ProblemKind;

pub(super) const ROWS: &[Row] = &[
    row("Reshape", 5, (2, 2), &[], reshape),
    row("Reshape", 14, (2, 2), &["allowzero"], reshape),
    row("Transpose", 1, (1, 1), &["perm"], transpose),
    row("Expand", 8, (2, 2), &[], expand),
    row("Squeeze", 1, (1, 1), &["axes"], squeeze),
    row("Squeeze", 13, (1, 2), &[], squeeze),
    row("Unsqueeze", 1, (1, 1), &["axes"], unsqueeze),
    row("Unsqueeze", 13, (2, 2), &[], unsqueeze),
    row("Flatten", 1, (1, 1), &["axis"], flatten),
    row("Shape", 1, (1, 1), &[], shape),
    row("Size", 1, (1, 1), &[], size),
    row("Shape", 15, (1, 1), &["start", "end"], shape),
];

fn reshape(call: &mut Call<'_>) -> Done {
    let allow_zero = call.flag("allowzero", false);
    let (x, shape) = (call.input(0)?, call.input(1)?);
    let op = Reshape {
        shape: None,
        allow_zero,
    };
    call.finish(Op::Reshape(op), &[Some(x), Some(shape)])
}

fn transpose(call: &mut Call<'_>) -> Done {
    let perm = call.ints("perm");
    let x = call.input(0)?;
    let rank = call.ty(x).rank();
    let perm = match perm {
        None => (0..rank).rev().collect(),
        Some(perm) => {
            let axes: Option<Vec<usize>> = perm.iter().map(|&a| usize::try_from(a).ok()).collect();
            axes.unwrap_or_else(|| {
                let reason = "axes are numbers from 0";
                call.refuse_attribute("perm", format!("{perm:?}"), reason);
                Vec::new()
            })
        }
    };
    call.finish(Op::Transpose(Transpose { perm }), &[Some(x)])
}

fn expand(call: &mut Call<'_>) -> Done {
    let (x, shape) = (call.input(0)?, call.input(1)?);
    call.finish(Op::Expand(Expand { shape: None }), &[Some(x), Some(shape)])
}

fn squeeze(call: &mut Call<'_>) -> Done {
    let axes = call.ints("axes");
    call.input(0)?;
    let inputs = call.all()?;
    call.finish(Op::Squeeze(Squeeze { axes }), &inputs)
}

fn unsqueeze(call: &mut Call<'_>) -> Done {
    let axes = call.ints("axes");
    if axes.is_none() && call.opset < 13 && !call.has("axes") {
        call.refuse(ProblemKind::MissingAttribute { name: "axes" });
    }
    call.input(0)?;
    let inputs = call.all()?;
    call.finish(Op::Unsqueeze(Unsqueeze { axes }), &inputs)
}

/// A matrix: the axes before `axis`, and the others.
fn flatten(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", 1);
    let x = call.input(0)?;
    let shape = call.ty(x).shape;
    // Unlike elsewhere the rank itself is an axis: everything is before it.
    let at = match usize::try_from(axis) {
        Ok(at) if at == shape.len() => at,
        _ => call.axis(axis, shape.len())?,
    };
    let (before, after) = shape.split_at(at);
    let to = [Dim::product(before), Dim::product(after)];
    call.finish(Op::Reshape(Reshape::to(to)), &[Some(x)])
}

fn shape(call: &mut Call<'_>) -> Done {
    let (start, end) = (call.int("start", 0), call.optional_int("end"));
    let x = call.input(0)?;
    call.finish(Op::Shape(Shape { start, end }), &[Some(x)])
}

/// The product of the extents, as ops whose elements inference follows.
fn size(call: &mut Call<'_>) -> Done {
    let x = call.input(0)?;
    let rank = call.ty(x).rank();
    let whole = Op::Shape(Shape {
        start: 0,
        end: None,
    });
    let extents = call.emit(whole, &[Some(x)])?;
    let mut product = call.constant(Tensor::scalar(1_i64))?;
    for axis in 0..rank {
        let index = call.constant(Tensor::scalar(i64::try_from(axis).unwrap_or(i64::MAX)))?;
        let pick = Op::Gather(Gather { axis: 0 });
        let extent = call.emit(pick, &[Some(extents), Some(index)])?;
        product = call.emit(map("mul"), &[Some(product), Some(extent)])?;
    }
    call.finish(map("identity"), &[Some(product)])
}
