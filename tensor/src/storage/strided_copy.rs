//! Copies of views of any layout into row-major order.
//!
//! Neighbouring axes that walk memory as one are joined first, and a short innermost row (a complex number, a pixel) is
//! moved as one unit where a register holds it. What is left is one of three cases, each over all outer axes:
//! - the innermost axis lies side by side in the source: rows are copied;
//! - an outer axis lies closer in the source than the innermost: `tile` moves squares of a cache line on either side;
//! - the innermost axis is the closest, but with gaps: rows are picked together.
//!
//! A transposition of a large matrix is a matter of cache lines and pages: every line is read once and written once, tiles
//! walk a band of rows of the destination, and what no cache could hold is written around it.
//!
//! Invariant: only [`copy_strided`] makes a [`Walk`], for a layout that it has checked to lie inside the source and to have
//! as many elements as the destination; everything below relies on that.

mod tile;
mod unit;

use std::mem::MaybeUninit;

use tensor_core::{INLINE_RANK, TensorLayout, TensorRank};
use tinyvec::TinyVec;

use super::try_vec;
use crate::Result;
use tile::{LINE, Tile};
use unit::{Bits, Cloned, Unit, is_preset};

/// Bytes of a destination from which on writes bypass the caches.
const STREAM_BYTES: usize = 8 << 20;
/// Rows of the destination that are written in turns: as many lines wait in the cache for their other bytes.
const BAND: usize = 512;

/// The elements that `layout` names in `data`, in row-major logical order.
///
/// # Panics
/// If the layout leaves `data`.
pub(crate) fn gathered<T: Clone, R: TensorRank>(
    op: &'static str,
    data: &[T],
    layout: &TensorLayout<R>,
) -> Result<Vec<T>> {
    let len = layout.element_count();
    let mut out = try_vec(op, len)?;
    copy_strided(data, layout, &mut out.spare_capacity_mut()[..len]);
    // SAFETY: there is room for `len` elements, and `copy_strided` has written all of them.
    unsafe { out.set_len(len) };
    Ok(out)
}

/// As [`gathered`], into memory that holds elements already.
///
/// # Panics
/// If the layout leaves `data` or has not as many elements as `out`.
pub(crate) fn gather_into<T: Clone, R: TensorRank>(
    data: &[T],
    layout: &TensorLayout<R>,
    out: &mut [T],
) {
    if std::mem::needs_drop::<T>() {
        assert!(layout.element_count() == out.len(), "as many elements");
        let mut out = out.iter_mut();
        layout.offsets().for_each(|at| {
            if let Some(to) = out.next() {
                to.clone_from(&data[at]);
            }
        });
        return;
    }
    let (start, len) = (out.as_mut_ptr().cast::<MaybeUninit<T>>(), out.len());
    // SAFETY: the same memory, given up for as long. `copy_strided` writes elements of type `T` there and nothing else, and
    // those that it writes over need no destructor.
    let slots = unsafe { std::slice::from_raw_parts_mut(start, len) };
    copy_strided(data, layout, slots);
}

/// Writes every slot of `out`: the elements that `layout` names in `data`, in row-major logical order.
///
/// # Panics
/// If the layout leaves `data` or has not as many elements as `out`.
pub(crate) fn copy_strided<T: Clone, R: TensorRank>(
    data: &[T],
    layout: &TensorLayout<R>,
    out: &mut [MaybeUninit<T>],
) {
    let fits = layout.validate_in_bounds(data.len()).is_ok() && layout.element_count() == out.len();
    assert!(fits, "a layout that fits its source and destination");
    if out.is_empty() {
        return;
    }
    // SAFETY: the offset of a layout with elements is that of its first one, and so inside. The pointer may go back from
    // there, where strides are negative: it is one to all of `data`.
    let from = unsafe { data.as_ptr().add(layout.offset()) }.cast::<u8>();
    let to = out.as_mut_ptr().cast::<u8>();
    let bytes = size_of::<T>().cast_signed();
    let blocks = layout.blocks();
    // Extents above 1 only: each step leads to another element of `data`, so no product overflows.
    let axes = blocks.iter().map(|block| Axis {
        extent: block.extent,
        step: block.stride * bytes,
    });
    let walk = Walk {
        from,
        axes: axes.collect(),
        to,
        stream: size_of_val(out) >= STREAM_BYTES,
    };
    // SAFETY: the layout names elements of `data` only, and one for each slot of `out`. Presets are plain bytes without
    // padding, which any copy of as many bytes moves; all others are cloned at places where elements of their type lie.
    unsafe {
        if is_preset::<T>() {
            walk.copy_bits(size_of::<T>());
        } else {
            walk.copy::<Cloned<T>>();
        }
    }
}

/// An axis of the source, in row-major order of the destination.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    extent: usize,
    /// The distance of neighbours, in bytes.
    step: isize,
}

/// A view and the dense memory that takes it. Invariant: see the module.
struct Walk {
    from: *const u8,
    /// Without extents of 1; outermost first.
    axes: TinyVec<[Axis; INLINE_RANK]>,
    to: *mut u8,
    stream: bool,
}

impl Walk {
    /// Copies elements of so many bytes that are no more than their bytes.
    ///
    /// # Safety
    /// The invariant; and elements have this size, no padding, and no other way to be copied.
    unsafe fn copy_bits(mut self, bytes: usize) {
        let mut unit = bytes;
        if let [_, .., inner] = self.axes[..]
            && inner.step == bytes.cast_signed()
            && matches!(inner.extent * bytes, 2 | 4 | 8 | 16)
        {
            unit = inner.extent * bytes;
            self.axes.pop();
        }
        // SAFETY: so many bytes lie side by side on either side, at each position of the axes that are left.
        unsafe {
            match unit {
                1 => self.copy::<Bits<1>>(),
                2 => self.copy::<Bits<2>>(),
                4 => self.copy::<Bits<4>>(),
                8 => self.copy::<Bits<8>>(),
                16 => self.copy::<Bits<16>>(),
                other => unreachable!("no preset has {other} bytes"),
            }
        }
    }

    /// Copies units of type `U`.
    ///
    /// # Safety
    /// The invariant, with a `U` at every position.
    unsafe fn copy<U: Unit>(&self) {
        let Some((&inner, outer)) = self.axes.split_last() else {
            // SAFETY: the one unit that there is.
            return unsafe { U::put(self.from, self.to) };
        };
        let distance = |axis: &Axis| axis.step.unsigned_abs();
        let moving = (0..outer.len()).filter(|&axis| outer[axis].step != 0);
        let closest = moving.min_by_key(|&axis| distance(&outer[axis]));
        let across = closest.filter(|&axis| distance(&outer[axis]) < distance(&inner));
        // SAFETY: the caller's promise.
        unsafe {
            match across {
                Some(across) => self.copy_tiles::<U>(across),
                None => self.copy_rows::<U>(outer, inner),
            }
        }
    }

    /// Row after row along the innermost axis.
    ///
    /// # Safety
    /// As [`Walk::copy`].
    unsafe fn copy_rows<U: Unit>(&self, outer: &[Axis], inner: Axis) {
        let rows = Rows {
            from: self.from,
            outer,
            to: self.to,
            bytes: inner.extent * size_of::<U>(),
            stream: self.stream,
        };
        // SAFETY: the caller's promise: as many units lie behind each row's first, on either side.
        unsafe {
            if inner.step == size_of::<U>().cast_signed() {
                U::put_rows(&rows);
            } else {
                rows.each(|from, to| U::pick_row(from, inner.step, to, inner.extent));
            }
        }
        tile::finish_streaming();
    }

    /// Tiles over axis `across`, which is closest in the source, and all later axes, which are one in the destination.
    ///
    /// # Safety
    /// As [`Walk::copy`].
    unsafe fn copy_tiles<U: Unit>(&self, across: usize) {
        let (earlier, later) = (&self.axes[..across], &self.axes[across + 1..]);
        let Axis { extent, step } = self.axes[across];
        let mut planes = Positions::new(earlier);
        let run: usize = later.iter().map(|axis| axis.extent).product();
        let to_row = run * size_of::<U>();
        // Whole lines begin behind so many bytes; rows of other lengths begin differently each.
        let head_bytes = self.to.addr().wrapping_neg() % LINE;
        let lines = to_row.is_multiple_of(LINE) && head_bytes.is_multiple_of(size_of::<U>().max(1));
        let head = if lines {
            head_bytes / size_of::<U>().max(1)
        } else {
            0
        };
        let mut offsets = [0; LINE];
        for plane in 0..planes.count() {
            let from_plane = planes.next();
            for band in (0..extent).step_by(BAND) {
                let end = extent.min(band + BAND);
                let mut positions = Positions::new(later);
                let mut at = 0;
                while at < run {
                    let side = if at == 0 && head > 0 { head } else { U::SIDE };
                    let offsets = &mut offsets[..side.min(run - at)];
                    offsets.fill_with(|| from_plane + positions.next());
                    for first in (band..end).step_by(U::SIDE) {
                        // SAFETY: positions inside the axes, on either side.
                        unsafe {
                            U::put_tile(&Tile {
                                from: self.from.offset(first.cast_signed() * step),
                                step,
                                rows: offsets,
                                columns: U::SIDE.min(end - first),
                                to: self
                                    .to
                                    .add((plane * extent + first) * to_row + at * size_of::<U>()),
                                to_row,
                                stream: self.stream && lines,
                            });
                        }
                    }
                    at += offsets.len();
                }
            }
        }
        tile::finish_streaming();
    }
}

/// The rows of a copy, which lie one behind the other in the destination. The positions of the outer axes are inside the
/// source, and a row has room at its place in the destination.
struct Rows<'a> {
    from: *const u8,
    outer: &'a [Axis],
    to: *mut u8,
    /// The bytes of a row.
    bytes: usize,
    stream: bool,
}

impl Rows<'_> {
    /// Calls `put` with both places of each row.
    ///
    /// # Safety
    /// The outer axes, `to` and `bytes` are those of a [`Walk`].
    #[inline(always)]
    unsafe fn each(&self, put: impl Fn(*const u8, *mut u8)) {
        // The nearest of the outer axes is a plain loop.
        let (near, far) = match self.outer.split_last() {
            Some((&near, far)) => (near, far),
            None => (Axis { extent: 1, step: 0 }, self.outer),
        };
        let mut starts = Positions::new(far);
        let mut to = self.to;
        for _ in 0..starts.count() {
            let start = starts.next();
            for row in 0..near.extent {
                // SAFETY: these positions of the outer axes are inside the source; before the last row of the destination
                // comes another.
                unsafe {
                    put(self.from.offset(start + row.cast_signed() * near.step), to);
                    to = to.add(self.bytes);
                }
            }
        }
    }
}

/// The positions of some axes in the source, in bytes from the first, in row-major order.
struct Positions<'a> {
    axes: &'a [Axis],
    index: TinyVec<[usize; INLINE_RANK]>,
    at: isize,
}

impl<'a> Positions<'a> {
    fn new(axes: &'a [Axis]) -> Self {
        Self {
            axes,
            index: axes.iter().map(|_| 0).collect(),
            at: 0,
        }
    }

    fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.extent).product()
    }

    /// The next position; behind the last one comes the first again.
    #[inline]
    fn next(&mut self) -> isize {
        let at = self.at;
        for (axis, index) in self.axes.iter().zip(&mut self.index).rev() {
            self.at += axis.step;
            *index += 1;
            if *index < axis.extent {
                break;
            }
            self.at -= axis.step * axis.extent.cast_signed();
            *index = 0;
        }
        at
    }
}

#[cfg(test)]
mod tests;
