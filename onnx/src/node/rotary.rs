//! Rotary position embeddings.
//!
//! <https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html>
//!
//! - Opset 23: `RotaryEmbedding`, by slices, products and `Concat` as the standard's own function body does it.

use graph::op::{Concat, Gather, Op, Slice, SliceAxis};
use graph::{Dim, ValueId};

use super::extents::{Extent, reshaped, reshaped_like};
use super::{Row, row};
use crate::call::{Call, Done, Stop};

pub(super) const ROWS: &[Row] = &[row(
    "RotaryEmbedding",
    23,
    (3, 4),
    &["interleaved", "num_heads", "rotary_embedding_dim"],
    rotary,
)];

/// The last axis of `[.., .., .., width]`.
const WIDTH: i64 = 3;

fn rotary(call: &mut Call<'_>) -> Done {
    let interleaved = call.flag("interleaved", false);
    let heads = call.int("num_heads", 0);
    let turned = call.count("rotary_embedding_dim", 0);
    let x = call.input(0)?;
    let (parted, head_axis) = parted(call, heads)?;
    let half = half(call, parted, turned)?;
    let (cos, sin) = (angles(call, 1, head_axis)?, angles(call, 2, head_axis)?);
    let (a, b) = if interleaved {
        (
            part(call, parted, 0, 2 * half, 2)?,
            part(call, parted, 1, 2 * half, 2)?,
        )
    } else {
        (
            part(call, parted, 0, half, 1)?,
            part(call, parted, half, 2 * half, 1)?,
        )
    };
    let real = combined(call, "sub", [a, cos], [b, sin])?;
    let imaginary = combined(call, "add", [a, sin], [b, cos])?;
    let mut made = if interleaved {
        let (real, imaginary) = (
            call.unsqueeze(real, [WIDTH + 1])?,
            call.unsqueeze(imaginary, [WIDTH + 1])?,
        );
        let pairs = joined(call, &[real, imaginary], WIDTH + 1)?;
        let [batch, second, third] = [0, 1, 2].map(Extent::axis);
        reshaped(
            call,
            pairs,
            &[batch, second, third, Extent::Number(2 * half)],
        )?
    } else {
        joined(call, &[real, imaginary], WIDTH)?
    };
    if call.ty(parted).shape[3] != Dim::Known(2 * half) {
        let rest = part(call, parted, 2 * half, i64::MAX, 1)?;
        made = joined(call, &[made, rest], WIDTH)?;
    }
    if parted != x {
        made = reshaped_like(call, made, x)?;
    }
    call.output_value(0, made)
}

/// Input 0 with an axis of heads, and where this is: `[batch, heads, length, width]`, or of a packed input `[batch, length, heads,
/// width]`.
fn parted(call: &mut Call<'_>, heads: i64) -> Result<(ValueId, i64), Stop> {
    let x = call.input(0)?;
    let ty = call.ty(x);
    match ty.rank() {
        4 => return Ok((x, 1)),
        3 if heads > 0 => {}
        3 => {
            call.refuse_attribute(
                "num_heads",
                heads,
                "must be given for an input of three axes",
            );
            return Err(Stop);
        }
        _ => {
            let reason = format!(
                "is {ty}; [batch, heads, length, width] or [batch, length, heads * width] is needed"
            );
            return call.fail_input(0, reason);
        }
    }
    let width = match ty.shape[2].as_known() {
        Some(all) if all % heads != 0 => {
            return call.fail_input(0, format!("is {ty}, which {heads} heads do not divide"));
        }
        Some(all) => all / heads,
        None => -1,
    };
    let [batch, length] = [0, 1].map(Extent::axis);
    let entries = [batch, length, Extent::Number(heads), Extent::Number(width)];
    Ok((reshaped(call, x, &entries)?, 2))
}

/// Half the number of elements of a head that are turned.
fn half(call: &mut Call<'_>, parted: ValueId, turned: usize) -> Result<i64, Stop> {
    let width = call.ty(parted).shape[3].as_known();
    let turned = i64::try_from(turned).unwrap_or(i64::MAX);
    let turned = match (turned, width) {
        (0, Some(width)) => width,
        (0, None) => {
            let reason = "must be given where the width of a head is not known before the run";
            call.refuse_attribute("rotary_embedding_dim", 0, reason);
            return Err(Stop);
        }
        (turned, _) => turned,
    };
    if turned % 2 != 0 || width.is_some_and(|width| turned > width) {
        let width = width.map_or_else(|| "not known".to_owned(), |width| width.to_string());
        let reason = format!("pairs are turned, of a head whose width is {width}");
        call.refuse_attribute("rotary_embedding_dim", turned, reason);
        return Err(Stop);
    }
    let half = turned / 2;
    for index in [1, 2] {
        let cache = call.input(index)?;
        let ty = call.ty(cache);
        let last = ty.shape.last().and_then(Dim::as_known);
        if last.is_some_and(|last| last != half) {
            let reason =
                format!("is {ty}; for {turned} turned elements the last extent must be {half}");
            return call.fail_input(index, reason);
        }
    }
    Ok(half)
}

/// The cosines or sines for each batch and place, with an axis for heads.
fn angles(call: &mut Call<'_>, index: usize, head_axis: i64) -> Result<ValueId, Stop> {
    let cache = call.input(index)?;
    let positions = call.optional(3)?;
    let ty = call.ty(cache);
    let at = match positions {
        None if ty.rank() == 3 => cache,
        Some(positions) if ty.rank() == 2 && call.ty(positions).rank() == 2 => {
            let gather = Op::Gather(Gather { axis: 0 });
            call.emit(gather, &[Some(cache), Some(positions)])?
        }
        _ => {
            let reason = format!(
                "is {ty}; [batch, length, half] is needed, or with position_ids [batch, length] [positions, half]"
            );
            return call.fail_input(index, reason);
        }
    };
    call.unsqueeze(at, [head_axis])
}

/// The sum or difference of two products.
fn combined(
    call: &mut Call<'_>,
    name: &str,
    first: [ValueId; 2],
    second: [ValueId; 2],
) -> Result<ValueId, Stop> {
    let (first, second) = (call.apply("mul", &first)?, call.apply("mul", &second)?);
    call.apply(name, &[first, second])
}

fn part(call: &mut Call<'_>, x: ValueId, start: i64, end: i64, step: i64) -> Result<ValueId, Stop> {
    let slice = SliceAxis {
        axis: WIDTH,
        start,
        end,
        step,
    };
    let axes = Some(vec![slice]);
    call.emit(Op::Slice(Slice { axes }), &[Some(x)])
}

fn joined(call: &mut Call<'_>, parts: &[ValueId], axis: i64) -> Result<ValueId, Stop> {
    let parts: Vec<_> = parts.iter().map(|&id| Some(id)).collect();
    call.emit(Op::Concat(Concat { axis }), &parts)
}
