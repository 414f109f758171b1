//! Strided copies: any view (permuted, sliced, reversed, broadcast) into dense row-major memory.
//!
//! Axes that step together are merged first. What is left is one of three cases, each over all remaining outer axes:
//! rows that are contiguous on both sides are copied; a source that is contiguous along another axis than the last is
//! transposed in square blocks (`block`); anything else is gathered element by element.
//!
//! Large transpositions are a matter of pages and cache lines: blocks walk a band of the destination narrow enough for
//! its pages to stay known, each destination line is written whole, and writes that no cache could hold go around it.
//!
//! Elements are moved, never interpreted: any `Copy` type of 1, 2, 4 or 8 bytes (others work, slowly).

use super::Cpu;
use super::pool::SharedMut;

mod block;

/// Bytes a nanosecond, roughly.
const BYTES_PER_NS: f64 = 8.0;
/// Destination bytes from which writes bypass the caches.
const STREAM_BYTES: usize = 8 * 1024 * 1024;

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
    assert!(
        shape.len() == strides.len(),
        "shape {shape:?} with strides {strides:?}"
    );
    let len: usize = if shape.contains(&0) {
        0
    } else {
        shape.iter().product()
    };
    assert!(to.len() == len, "view of {len} elements into {}", to.len());
    if len == 0 {
        return;
    }
    let reach = |negative: bool| -> isize {
        let steps = shape
            .iter()
            .zip(strides)
            .filter(|(_, s)| (**s < 0) == negative);
        steps.map(|(&n, &s)| (n as isize - 1) * s).sum()
    };
    let (low, high) = (
        offset as isize + reach(true),
        offset as isize + reach(false),
    );
    assert!(
        low >= 0 && high < from.len() as isize,
        "view {shape:?} with strides {strides:?} at {offset} leaves its slice of {}",
        from.len()
    );
    let axes = Axes::merged(shape, strides);
    let copy = Copying {
        // SAFETY: the offset is inside `from`: the view has at least one element.
        from: Source(unsafe { from.as_ptr().add(offset) }),
        to: SharedMut::new(to),
    };
    let (&(n, step), outer) = axes.list().split_last().unwrap_or((&(1, 1), &[]));
    let across = outer.iter().rposition(|axis| axis.1 == 1);
    // SAFETY: every element of the view is inside `from`, as checked; `to` has one place for each.
    unsafe {
        match across {
            _ if step == 1 => copy.rows(cpu, outer, n, Row::Contiguous),
            Some(across) if n > 1 => copy.transposed(cpu, outer, across, (n, step)),
            _ => copy.rows(cpu, outer, n, Row::Strided(step)),
        }
    }
}

/// Axes (length, stride) that remain after merging, most significant first.
struct Axes {
    list: [(usize, isize); Self::MOST],
    count: usize,
}

impl Axes {
    /// More axes than this after merging do not occur: shapes have fewer than 2^64 elements and every axis 2 or more.
    const MOST: usize = 64;

    fn merged(shape: &[usize], strides: &[isize]) -> Self {
        let mut axes = Self {
            list: [(1, 1); Self::MOST],
            count: 0,
        };
        for (&n, &stride) in shape.iter().zip(strides).filter(|(n, _)| **n != 1) {
            if let Some(last) = axes.list[..axes.count].last_mut()
                && last.1 == stride * n as isize
            {
                *last = (last.0 * n, stride);
                continue;
            }
            axes.list[axes.count] = (n, stride);
            axes.count += 1;
        }
        axes
    }

    fn list(&self) -> &[(usize, isize)] {
        &self.list[..self.count]
    }
}

/// How a row of the destination lies in the source.
#[derive(Clone, Copy)]
enum Row {
    Contiguous,
    Strided(isize),
}

/// The start of the view.
struct Source<T>(*const T);

// SAFETY: the source is only read, and stays borrowed for the whole copy.
unsafe impl<T: Sync> Sync for Source<T> {}

struct Copying<T> {
    from: Source<T>,
    to: SharedMut<T>,
}

/// The element of the view that index `index` of the outer axes starts at.
fn start(outer: &[(usize, isize)], mut index: usize) -> isize {
    let mut at = 0;
    for &(n, stride) in outer.iter().rev() {
        at += (index % n) as isize * stride;
        index /= n;
    }
    at
}

impl<T: Copy + Send + Sync> Copying<T> {
    /// Row after row of `n` elements.
    ///
    /// # Safety
    /// The view is inside the source, and the destination has one element for each of the view.
    unsafe fn rows(&self, cpu: &Cpu, outer: &[(usize, isize)], n: usize, row: Row) {
        let rows: usize = outer.iter().map(|axis| axis.0).product();
        // A single row is cut into pieces, so that threads can share it.
        let piece = if rows < 4 * cpu.threads.count() {
            n.min(64 * 1024)
        } else {
            n
        };
        let pieces = n.div_ceil(piece);
        let piece_ns = 2.0 + (piece * size_of::<T>()) as f64 / BYTES_PER_NS;
        cpu.threads.for_ranges(rows * pieces, 1, piece_ns, |range| {
            for index in range {
                let (r, i) = (index / pieces, index % pieces * piece);
                let count = piece.min(n - i);
                // SAFETY: elements i..i + count of row r, on both sides; the row's piece is this task's alone.
                unsafe {
                    let from = self.from.0.offset(start(outer, r));
                    let to = self.to.slice(r * n + i..r * n + i + count);
                    match row {
                        Row::Contiguous => {
                            std::ptr::copy_nonoverlapping(from.add(i), to.as_mut_ptr(), count);
                        }
                        Row::Strided(0) => to.fill(*from),
                        Row::Strided(step) => {
                            let from = from.offset(i as isize * step);
                            for (j, to) in to.iter_mut().enumerate() {
                                *to = *from.offset(j as isize * step);
                            }
                        }
                    }
                }
            }
        });
    }

    /// Blocks of the plane of axis `across`, along which the source is contiguous, and the last axis.
    ///
    /// # Safety
    /// As [`Copying::rows`]; the stride of axis `across` is 1.
    unsafe fn transposed(
        &self,
        cpu: &Cpu,
        outer: &[(usize, isize)],
        across: usize,
        last: (usize, isize),
    ) {
        let (n, step) = last;
        let width = outer[across].0;
        // In the destination, one step along `across` passes all later axes.
        let to_step: usize = outer[across + 1..]
            .iter()
            .map(|axis| axis.0)
            .product::<usize>()
            * n;
        let planes: usize = outer.iter().map(|axis| axis.0).product::<usize>() / width;
        let bytes = planes * width * n * size_of::<T>();
        let stream = bytes >= STREAM_BYTES;
        // A task is a band: some positions along `across` (each a row of the destination), all of the last axis.
        let mut band = block::BAND.min(width);
        let bands = |band: usize| planes * width.div_ceil(band);
        let ns = bytes as f64 / BYTES_PER_NS * 2.0;
        let workers = cpu.threads.useful(usize::MAX, ns / usize::MAX as f64);
        while workers > 1 && band > 16 && bands(band) < 4 * workers {
            band = (band / 2).next_multiple_of(16);
        }
        let per_plane = width.div_ceil(band);
        let tasks = bands(band);
        cpu.threads.for_each(tasks, ns / tasks as f64, |task| {
            let (mut plane, i) = (task / per_plane, task % per_plane * band);
            // Where the plane starts: all outer axes but `across`.
            let (mut from_at, mut to_at, mut size) = (0, 0, n);
            for (axis, &(len, stride)) in outer.iter().enumerate().rev() {
                if axis != across {
                    from_at += (plane % len) as isize * stride;
                    to_at += plane % len * size;
                    plane /= len;
                }
                size *= len;
            }
            // SAFETY: positions i.. along `across` of this plane, on both sides; this task alone writes them.
            unsafe {
                let plane = block::Plane {
                    from: self.from.0.offset(from_at).add(i),
                    step,
                    to: self.to.get().add(to_at + i * to_step),
                    to_step,
                    width: band.min(width - i),
                    n,
                };
                plane.transpose(cpu.isa, stream);
            }
        });
    }
}

#[cfg(test)]
mod tests;
