//! Copying a view of any layout into row-major order.
//!
//! Three ways: a dense view is one `memcpy`; a view whose innermost axis is its closest in memory is copied run by run; any
//! other (a transposed matrix, say) is copied in square tiles over its innermost axis and the axis that is closest in
//! memory, so that both sides stay in the cache.

use tensor_core::{DynRank, ShapeVec, TensorLayout, TensorRank, stepped};

use super::TypedTensorView;
#[cfg(feature = "tracing")]
use crate::Placement;
use crate::storage::try_vec;
use crate::{Result, trace_span};

/// Side of a tile: 32 x 32 elements of 8 bytes are 8 KiB on either side.
const TILE: usize = 32;
/// Columns that are read at once.
const LANES: usize = 8;

/// The elements of `view` in row-major logical order.
pub(super) fn gather<T: Clone, R: TensorRank>(view: &TypedTensorView<'_, T, R>) -> Result<Vec<T>> {
    let _span = trace_span!(
        DEBUG,
        "to_contiguous",
        bytes = view.len().saturating_mul(size_of::<T>()),
        shape = ?view.shape(),
        strides = ?view.layout().strides(),
        dtype = std::any::type_name::<T>(),
        device = %Placement::HOST,
    );
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
            stride => {
                let at = |step| stepped(run.offset, stride, step);
                out.extend((0..run.len).map(|step| data[at(step)].clone()));
            }
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
    // Few blocks live inside the vector, so that a copy allocates its elements and nothing else.
    let extents: ShapeVec = layout.blocks().iter().map(|block| block.extent).collect();
    let from: TensorLayout<DynRank> = layout.reshape(&extents)?;
    let to: TensorLayout<DynRank> = from.row_major_like();
    let inner = extents.len() - 1;
    let (from_row, from_column) = (from.strides()[closest], from.strides()[inner]);
    let to_row = to.strides()[closest];
    // What is left, walked outside the tiles; the innermost axis goes first, so that `closest` keeps its number.
    let rest = |layout: &TensorLayout<DynRank>| layout.index_axis(inner, 0)?.index_axis(closest, 0);
    let (from, to) = (rest(&from)?, rest(&to)?);
    for (from, to) in from.offsets().zip(to.offsets()) {
        for row in (0..extents[closest]).step_by(TILE) {
            for column in (0..extents[inner]).step_by(TILE) {
                let tile = Tile {
                    rows: TILE.min(extents[closest] - row),
                    columns: TILE.min(extents[inner] - column),
                    from: stepped(stepped(from, from_row, row), from_column, column),
                    from_row,
                    from_column,
                    to: stepped(to, to_row, row) + column,
                    to_row,
                };
                tile.copy(data, out);
            }
        }
    }
    Ok(())
}

/// A part of a matrix that is small enough for the nearest cache, in the source and in the copy.
struct Tile {
    rows: usize,
    columns: usize,
    from: usize,
    from_row: isize,
    from_column: isize,
    to: usize,
    to_row: isize,
}

impl Tile {
    fn copy<T: Clone>(&self, data: &[T], out: &mut [T]) {
        // Where the source has its columns side by side in memory, some are read at once.
        let whole = if self.from_row == 1 {
            self.columns - self.columns % LANES
        } else {
            0
        };
        for column in (0..whole).step_by(LANES) {
            self.copy_lanes(data, out, column);
        }
        for row in 0..self.rows {
            let to = stepped(self.to, self.to_row, row);
            let mut at = stepped(
                stepped(self.from, self.from_row, row),
                self.from_column,
                whole,
            );
            for element in &mut out[to + whole..to + self.columns] {
                element.clone_from(&data[at]);
                at = stepped(at, self.from_column, 1);
            }
        }
    }

    /// Copies the columns `first..first + LANES`; each lies in one piece in the source.
    fn copy_lanes<T: Clone>(&self, data: &[T], out: &mut [T], first: usize) {
        let lanes: [&[T]; LANES] = std::array::from_fn(|lane| {
            let start = stepped(self.from, self.from_column, first + lane);
            &data[start..start + self.rows]
        });
        for row in 0..self.rows {
            let to = stepped(self.to, self.to_row, row) + first;
            for (element, lane) in out[to..to + LANES].iter_mut().zip(lanes) {
                element.clone_from(&lane[row]);
            }
        }
    }
}
