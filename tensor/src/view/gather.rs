//! Copying a view of any layout into row-major order.
//!
//! Three ways: a dense view is one `memcpy`; a view whose innermost axis is its closest in memory is copied run by run; any
//! other (a transposed matrix, say) is copied in square tiles over its innermost axis and the axis that is closest in
//! memory, so that both sides stay in the cache.

use tensor_core::{DynRank, TensorLayout, TensorRank};

use super::TypedTensorView;
use crate::Result;
use crate::storage::try_vec;

/// Side of a tile: 32 x 32 elements of 8 bytes are 8 KiB on either side.
const TILE: usize = 32;

/// The elements of `view` in row-major logical order.
pub(super) fn gather<T: Clone, R: TensorRank>(view: &TypedTensorView<'_, T, R>) -> Result<Vec<T>> {
    let mut out = try_vec("to_vec", view.len())?;
    if let Some(elements) = view.dense() {
        out.extend_from_slice(elements);
    } else if let Some(pair) = tiled_pair(view.layout()).filter(|_| !std::mem::needs_drop::<T>()) {
        // Elements without a destructor may be written twice: the first value only makes the room.
        out.resize(view.len(), view.storage()[view.layout().offset()].clone());
        copy_tiles(view.storage(), view.layout(), pair, &mut out)?;
    } else {
        copy_runs(view.storage(), view.layout(), &mut out);
    }
    Ok(out)
}

/// The elements of `view` in row-major logical order, written to `out`, which has as many.
pub(crate) fn gather_into<T: Copy, R: TensorRank>(
    view: &TypedTensorView<'_, T, R>,
    out: &mut [T],
) -> Result<()> {
    if let Some(elements) = view.dense() {
        out.copy_from_slice(elements);
    } else if let Some(pair) = tiled_pair(view.layout()) {
        copy_tiles(view.storage(), view.layout(), pair, out)?;
    } else {
        let elements = out.iter_mut().zip(view.iter());
        elements.for_each(|(to, from)| *to = *from);
    }
    Ok(())
}

fn copy_runs<T: Clone, R: TensorRank>(data: &[T], layout: &TensorLayout<R>, out: &mut Vec<T>) {
    for run in layout.runs() {
        match run.stride {
            1 => out.extend_from_slice(&data[run.offset..run.offset + run.len]),
            0 => out.extend(std::iter::repeat_n(&data[run.offset], run.len).cloned()),
            stride => out.extend(
                (0..run.len)
                    .scan(run.offset, |at, _| {
                        Some(std::mem::replace(at, at.wrapping_add_signed(stride)))
                    })
                    .map(|at| data[at].clone()),
            ),
        }
    }
}

/// The block beside the innermost one to tile over, if it is closer in memory than the innermost.
fn tiled_pair<R: TensorRank>(layout: &TensorLayout<R>) -> Option<usize> {
    let blocks = layout.blocks();
    let (inner, outer) = blocks.split_last()?;
    let closest = (0..outer.len()).min_by_key(|&block| outer[block].stride.unsigned_abs())?;
    (outer[closest].stride.unsigned_abs() < inner.stride.unsigned_abs()).then_some(closest)
}

/// Copies tile by tile over block `closest` and the innermost one, to `out`, which has as many elements as the layout.
fn copy_tiles<T: Clone, R: TensorRank>(
    data: &[T],
    layout: &TensorLayout<R>,
    closest: usize,
    out: &mut [T],
) -> Result<()> {
    let extents: Vec<usize> = layout.blocks().iter().map(|block| block.extent).collect();
    let from: TensorLayout<DynRank> = layout.reshape(&extents)?;
    let to: TensorLayout<DynRank> = from.row_major_like();
    let inner = extents.len() - 1;
    let (from_row, from_column) = (from.strides()[closest], from.strides()[inner]);
    let to_row = to.strides()[closest];
    // What is left, walked outside the tiles; the innermost axis goes first, so that `closest` keeps its number.
    let rest = |layout: &TensorLayout<DynRank>| layout.index_axis(inner, 0)?.index_axis(closest, 0);
    let (from, to) = (rest(&from)?, rest(&to)?);
    let step = |at: usize, stride: isize, count: usize| {
        at.wrapping_add_signed(stride.wrapping_mul(count as isize))
    };
    for (from, to) in from.offsets().zip(to.offsets()) {
        for row_tile in (0..extents[closest]).step_by(TILE) {
            for column_tile in (0..extents[inner]).step_by(TILE) {
                let columns = TILE.min(extents[inner] - column_tile);
                for row in row_tile..extents[closest].min(row_tile + TILE) {
                    let to = step(to, to_row, row) + column_tile;
                    let mut at = step(step(from, from_row, row), from_column, column_tile);
                    for element in &mut out[to..to + columns] {
                        element.clone_from(&data[at]);
                        at = at.wrapping_add_signed(from_column);
                    }
                }
            }
        }
    }
    Ok(())
}
