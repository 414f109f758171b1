//! Strided copies on several threads: any view (permuted, sliced, reversed, broadcast) into dense row-major memory.
//!
//! How a view is copied well is the data model's to know ([`TypedTensorView::copy_into`]). Here the work is divided: the
//! elements of a range of an outer axis, at each position of the axes before it, lie side by side in the destination, so a
//! task copies a smaller view into a slice of its own.

use tensor::TypedTensorView;

use super::Cpu;
use super::pool::SharedMut;

/// Bytes a nanosecond, roughly.
const BYTES_PER_NS: f64 = 4.0;
/// Tasks for each thread, so that they end at about the same time.
const TASKS_PER_THREAD: usize = 2;
/// Positions of a divided axis that stay together, as a cache line of the source does.
const TOGETHER: usize = 64;

/// Copies the view of `from` that starts at `offset` and has `shape` and `strides` (elements, any sign) into `to`.
///
/// # Panics
/// If `shape` and `strides` differ in length, the view leaves `from`, or `to` has another number of elements.
pub fn copy_strided<T: Copy + Send + Sync>(
    cpu: &Cpu,
    from: &[T],
    offset: usize,
    shape: &[usize],
    strides: &[isize],
    to: &mut [T],
) {
    let view = |shape: &[usize], strides: &[isize], offset| {
        TypedTensorView::<T>::from_slice_strided(shape, strides, offset, from)
    };
    let whole = view(shape, strides, offset).unwrap_or_else(|error| {
        panic!("view {shape:?} with strides {strides:?} at {offset} leaves its slice: {error}")
    });
    let len = whole.len();
    assert!(to.len() == len, "view of {len} elements into {}", to.len());
    let ns = size_of_val(to) as f64 / BYTES_PER_NS;
    let threads = cpu.threads.useful(usize::MAX, ns / usize::MAX as f64);
    if threads <= 1 {
        whole.copy_into(to).expect("as many elements");
        return;
    }
    let split = Split::new(shape, threads * TASKS_PER_THREAD);
    let to = SharedMut::new(to);
    cpu.threads
        .for_each(split.tasks(), ns / split.tasks() as f64, |task| {
            let part = split.part(task);
            let mut extents = shape[split.axis..].to_vec();
            extents[0] = part.count;
            let mut at = offset.cast_signed() + part.first.cast_signed() * strides[split.axis];
            let mut index = part.outer;
            for (&extent, &stride) in shape[..split.axis].iter().zip(strides).rev() {
                at += (index % extent).cast_signed() * stride;
                index /= extent;
            }
            let part_view = view(&extents, &strides[split.axis..], at.cast_unsigned());
            let start = (part.outer * shape[split.axis] + part.first) * split.inner;
            // SAFETY: positions of this task alone: each is one position of the outer axes and a range of the divided one.
            let slots = unsafe { to.slice(start..start + part.count * split.inner) };
            part_view
                .and_then(|part| part.copy_into(slots))
                .expect("a part of a view that is inside");
        });
}

/// A view divided along one axis.
struct Split {
    axis: usize,
    /// Positions of the axes before.
    outer: usize,
    extent: usize,
    /// Elements of the axes behind.
    inner: usize,
    /// Positions of the axis in a task.
    piece: usize,
}

/// What a task copies.
struct Part {
    outer: usize,
    first: usize,
    count: usize,
}

impl Split {
    /// The first axis by which a shape with elements, of rank 1 at least, falls into about so many tasks.
    fn new(shape: &[usize], tasks: usize) -> Self {
        let (mut axis, mut outer) = (0, 1);
        while axis + 1 < shape.len() && outer * shape[axis] < tasks {
            outer *= shape[axis];
            axis += 1;
        }
        let extent = shape[axis];
        let pieces = tasks.div_ceil(outer).min(extent);
        let piece = extent.div_ceil(pieces);
        Self {
            axis,
            outer,
            extent,
            inner: shape[axis + 1..].iter().product(),
            piece: if piece > TOGETHER {
                piece.next_multiple_of(TOGETHER)
            } else {
                piece
            },
        }
    }

    fn pieces(&self) -> usize {
        self.extent.div_ceil(self.piece)
    }

    fn tasks(&self) -> usize {
        self.outer * self.pieces()
    }

    fn part(&self, task: usize) -> Part {
        let first = task % self.pieces() * self.piece;
        Part {
            outer: task / self.pieces(),
            first,
            count: self.piece.min(self.extent - first),
        }
    }
}

#[cfg(test)]
mod tests;
