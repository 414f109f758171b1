//! Ops that repeat or reorder elements.
//!
//! <https://onnx.ai/onnx/operators/onnx__Tile.html>, `DepthToSpace`, `SpaceToDepth`, `ReverseSequence`.
//!
//! - Opset 6: `Tile` takes repeats. Opset 10: `ReverseSequence`.
//! - Opset 1: `DepthToSpace`, `SpaceToDepth`; opset 11: `DepthToSpace` has `mode`; opset 28: `SpaceToDepth` has it too.
//! - Opset 13, 28: more element types.

use graph::op::{Concat, Expand, Gather, Op, ReverseSequence, Transpose, Unsqueeze};

use super::extents::{Extent, exactly, extents, reshaped, shape_of};
use super::{Row, row};
use crate::call::{Call, Done, Stop, map};

const REVERSE: &[&str] = &["batch_axis", "time_axis"];

pub(super) const ROWS: &[Row] = &[
    row("Tile", 6, (2, 2), &[], tile),
    row("DepthToSpace", 1, (1, 1), &["blocksize"], depth_to_space),
    row(
        "DepthToSpace",
        11,
        (1, 1),
        &["blocksize", "mode"],
        depth_to_space,
    ),
    row("SpaceToDepth", 1, (1, 1), &["blocksize"], space_to_depth),
    row(
        "SpaceToDepth",
        28,
        (1, 1),
        &["blocksize", "mode"],
        space_to_depth,
    ),
    row("ReverseSequence", 10, (2, 2), REVERSE, reverse_sequence),
];

fn reverse_sequence(call: &mut Call<'_>) -> Done {
    let op = ReverseSequence {
        time_axis: call.int("time_axis", 0),
        batch_axis: call.int("batch_axis", 1),
    };
    let inputs = [Some(call.input(0)?), Some(call.input(1)?)];
    call.finish(Op::ReverseSequence(op), &inputs)
}

/// An axis of extent 1 before each axis, expanded to the repeats, and both merged.
fn tile(call: &mut Call<'_>) -> Done {
    let (x, repeats) = (call.input(0)?, call.input(1)?);
    let rank = call.ty(x).rank();
    let counted = call.ty(repeats).shape;
    if counted.len() != 1 || counted[0].as_extent().is_some_and(|n| n != rank) {
        let reason = format!("needs one number for each of {rank} axes");
        return call.fail_input(1, reason);
    }
    if rank == 0 {
        return call.finish(map("identity"), &[Some(x)]);
    }
    let rank = i64::try_from(rank).unwrap_or(i64::MAX);
    let apart = Unsqueeze {
        axes: Some((0..rank).map(|axis| 2 * axis).collect()),
    };
    let apart = call.emit(Op::Unsqueeze(apart), &[Some(x)])?;
    let shape = shape_of(call, x)?;
    let both = Op::Concat(Concat { axis: 0 });
    let both = call.emit(both, &[Some(repeats), Some(shape)])?;
    let order: Vec<i64> = (0..rank).flat_map(|axis| [axis, axis + rank]).collect();
    let order = call.list(&order)?;
    let pairs = call.emit(Op::Gather(Gather { axis: 0 }), &[Some(both), Some(order)])?;
    let repeated = call.emit(
        Op::Expand(Expand { shape: None }),
        &[Some(apart), Some(pairs)],
    )?;
    let merged = call.emit(map("mul"), &[Some(repeats), Some(shape)])?;
    call.finish(exactly(), &[Some(repeated), Some(merged)])
}

/// The size of blocks, the number of channels of input 0, and whether the block's axes come before the channels.
fn blocks(call: &mut Call<'_>) -> Result<(i64, i64, bool), Stop> {
    let block = call.required_int("blocksize");
    let first = call.word("mode", true, |word| match word {
        "DCR" => Some(true),
        "CRD" => Some(false),
        _ => None,
    });
    if !(1..=i64::from(i32::MAX)).contains(&block) {
        call.refuse_attribute("blocksize", block, "must be at least 1");
    }
    let x = call.input(0)?;
    let ty = call.ty(x);
    match ty.shape.get(1).and_then(graph::Dim::as_known) {
        Some(channels) if ty.rank() == 4 => Ok((block, channels, first)),
        _ => call.fail_input(
            0,
            format!("is {ty}; [batch, channels, height, width] is needed, the channels a number"),
        ),
    }
}

fn depth_to_space(call: &mut Call<'_>) -> Done {
    let (block, channels, first) = blocks(call)?;
    let x = call.input(0)?;
    if channels % (block * block) != 0 {
        let reason = format!("the {channels} channels are not divisible by its square");
        call.refuse_attribute("blocksize", block, reason);
    }
    let rest = Extent::Number(channels / (block * block));
    let (b, [n, h, w]) = (Extent::Number(block), [0, 2, 3].map(Extent::axis));
    let (split, perm) = if first {
        ([n, b, b, rest, h, w], vec![0, 3, 4, 1, 5, 2])
    } else {
        ([n, rest, b, b, h, w], vec![0, 1, 4, 2, 5, 3])
    };
    let apart = reshaped(call, x, &split)?;
    let moved = call.emit(Op::Transpose(Transpose { perm }), &[Some(apart)])?;
    let merged = [n, rest, Extent::Of(2, block, 0), Extent::Of(3, block, 0)];
    let merged = extents(call, x, &merged)?;
    call.finish(exactly(), &[Some(moved), Some(merged)])
}

fn space_to_depth(call: &mut Call<'_>) -> Done {
    let (block, channels, first) = blocks(call)?;
    let x = call.input(0)?;
    let (b, [n, c]) = (Extent::Number(block), [0, 1].map(Extent::axis));
    // Division of an extent is one of the list.
    let spatial = extents(call, x, &[Extent::axis(2), Extent::axis(3)])?;
    let block_list = call.list(&[block, block])?;
    let blocks = call.emit(map("div"), &[Some(spatial), Some(block_list)])?;
    let head = extents(call, x, &[n, c])?;
    let sizes = extents(call, x, &[b])?;
    let at = |call: &mut Call<'_>, axis: i64| {
        let place = call.list(&[axis])?;
        call.emit(Op::Gather(Gather { axis: 0 }), &[Some(blocks), Some(place)])
    };
    let (rows, columns) = (at(call, 0)?, at(call, 1)?);
    let concat = || Op::Concat(Concat { axis: 0 });
    let split = call.emit(concat(), &[head, rows, sizes, columns, sizes].map(Some))?;
    let apart = call.emit(exactly(), &[Some(x), Some(split)])?;
    let perm = if first {
        vec![0, 3, 5, 1, 2, 4]
    } else {
        vec![0, 1, 3, 5, 2, 4]
    };
    let moved = call.emit(Op::Transpose(Transpose { perm }), &[Some(apart)])?;
    let deep = Extent::Number(channels.saturating_mul(block).saturating_mul(block));
    let head = extents(call, x, &[n, deep])?;
    let merged = call.emit(concat(), &[Some(head), Some(blocks)])?;
    call.finish(exactly(), &[Some(moved), Some(merged)])
}
