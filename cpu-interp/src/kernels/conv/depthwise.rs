//! One input channel to one output channel: a vector loop over pixels, several output rows at once.
//!
//! A task takes some rows of one channel, makes a padded copy of the image rows they need ([`Plane`]: any stride and
//! padding become contiguous loads), and sums the taps. For 3x3 and 5x5 kernels with stride 1 or 2 the taps are
//! unrolled and rows that several outputs share are loaded once.

use super::plane::Plane;
use super::{ConvShape, Epilogue, Strip};
use crate::kernels::Cpu;
use crate::kernels::gemm::micro::tile_shape;
use crate::kernels::isa::{Isa, dispatch};
use crate::kernels::pool::SharedMut;
use crate::kernels::simd::Simd;
use std::ops::Range;

/// Output pixels of a piece: its copy stays in the first-level cache.
const PIXELS: usize = 3072;
/// Channels and rows are grouped into tasks of about this many nanoseconds.
const TASK_NS: f64 = 10_000.0;

/// Weights and offsets of a depthwise convolution.
#[derive(Debug)]
pub(super) struct Depthwise {
    weights: Vec<f32>,
    plane: Plane,
    /// For each tap: where its pixels start in a plane.
    offsets: Vec<usize>,
    /// Output rows of a piece.
    rows: usize,
}

/// One channel's piece: where it reads and writes.
struct Piece<'a> {
    plane: &'a [f32],
    /// From one output row to the next.
    plane_step: usize,
    weights: &'a [f32],
    offsets: &'a [usize],
    rows: usize,
    width: usize,
    out: *mut f32,
}

impl Depthwise {
    pub(super) fn new(isa: Isa, shape: &ConvShape, weights: &[f32]) -> Self {
        let plane = Plane::new(shape, tile_shape(isa).lanes);
        let [kh, kw] = shape.kernel;
        let [height, width] = shape.output();
        let rows = (PIXELS / width.max(1)).clamp(1, height.max(1));
        let pieces = height.max(1).div_ceil(rows);
        Self {
            weights: weights.to_vec(),
            plane,
            offsets: (0..kh * kw)
                .map(|p| plane.offset(shape, plane.row(), p / kw, p % kw))
                .collect(),
            // Pieces of equal size, in whole groups of the rows that a loop takes at once.
            rows: height.div_ceil(pieces).next_multiple_of(4).max(1),
        }
    }

    pub(super) fn run(
        &self,
        cpu: &Cpu,
        shape: &ConvShape,
        input: &[f32],
        output: &mut [f32],
        epilogue: &dyn Epilogue,
    ) {
        let [height, width] = shape.output();
        let pieces = height.div_ceil(self.rows);
        let total = shape.batch * shape.c_out * pieces;
        let piece_ns = (self.rows * width) as f64 * (0.15 + 0.02 * shape.taps() as f64) + 20.0;
        // Several pieces a task: few are worth the counter's contention, many balance poorly.
        let per_task = ((TASK_NS / piece_ns) as usize).clamp(1, total);
        let tasks = total.div_ceil(per_task);
        let shared = SharedMut::new(output);
        let plane_len = Plane::rows(shape, self.rows) * self.plane.row();
        cpu.threads
            .for_each_with(tasks, piece_ns * per_task as f64, |scratch, task| {
                let plane = scratch.get(plane_len);
                for index in task * per_task..total.min((task + 1) * per_task) {
                    let (channel, first) = (index / pieces, index % pieces * self.rows);
                    let rows = first..height.min(first + self.rows);
                    let at = (channel * height + rows.start) * width;
                    // SAFETY: rows `rows` of channel `channel` are inside the output and this task's alone.
                    let out = unsafe { shared.slice(at..at + rows.len() * width) };
                    self.piece(cpu.isa, shape, input, channel, rows, plane, out, epilogue);
                }
            });
    }

    #[expect(clippy::too_many_arguments, reason = "the body of the loop over tasks")]
    fn piece(
        &self,
        isa: Isa,
        shape: &ConvShape,
        input: &[f32],
        channel: usize,
        rows: Range<usize>,
        plane: &mut [f32],
        out: &mut [f32],
        epilogue: &dyn Epilogue,
    ) {
        let width = shape.output()[1];
        let taps = self.offsets.len();
        let plane = &mut plane[..Plane::rows(shape, rows.len()) * self.plane.row()];
        let pixels = &input[channel * shape.image()..][..shape.image()];
        let c = channel % shape.c_out;
        dispatch!(isa, |s| {
            self.plane.fill(
                s,
                shape,
                pixels,
                rows.start * shape.stride[0],
                self.plane.row(),
                plane,
            );
            let piece = Piece {
                plane,
                plane_step: shape.stride[0] * self.plane.row(),
                weights: &self.weights[c * taps..][..taps],
                offsets: &self.offsets,
                rows: rows.len(),
                width,
                out: out.as_mut_ptr(),
            };
            // SAFETY: `out` has `rows.len()` rows of `width` elements, borrowed exclusively.
            unsafe {
                match (shape.kernel, shape.stride[0]) {
                    _ if shape.dilation[0] != 1 => piece.any(s),
                    ([3, 3], 1) => piece.unrolled::<_, 3, 3, 1>(s),
                    ([3, 3], 2) => piece.unrolled::<_, 3, 3, 2>(s),
                    ([5, 5], 1) => piece.unrolled::<_, 5, 5, 1>(s),
                    ([5, 5], 2) => piece.unrolled::<_, 5, 5, 2>(s),
                    _ => piece.any(s),
                }
            }
        });
        if !epilogue.is_none() {
            let cols = (rows.start * width, rows.len() * width);
            // SAFETY: `out` is exactly this one row of the strip.
            let mut strip = unsafe {
                Strip::new(
                    channel / shape.c_out,
                    (c, 1),
                    cols,
                    out.as_mut_ptr(),
                    out.len(),
                )
            };
            epilogue.apply(&mut strip);
        }
    }
}

impl Piece<'_> {
    /// Any kernel: one output row at a time, taps from the table.
    ///
    /// # Safety
    /// `out` has `rows` rows of `width` elements that nobody else uses.
    #[inline(always)]
    unsafe fn any<S: Simd>(&self, s: S) {
        for y in 0..self.rows {
            for x in (0..self.width).step_by(S::LANES) {
                let base = y * self.plane_step + x;
                let mut acc = s.zero();
                for (&offset, &weight) in self.offsets.iter().zip(self.weights) {
                    let from = &self.plane[base + offset..][..S::LANES];
                    // SAFETY: the slice has LANES elements.
                    let pixels = unsafe { s.load(from.as_ptr()) };
                    acc = s.fma(s.splat(weight), pixels, acc);
                }
                // SAFETY: y < rows and x < width.
                unsafe { self.put(s, y, x, acc) };
            }
        }
    }

    /// A `KH` by `KW` kernel with vertical stride `SY`: four output rows at a time, then the rest one by one.
    ///
    /// # Safety
    /// As [`Piece::any`].
    #[inline(always)]
    unsafe fn unrolled<S: Simd, const KH: usize, const KW: usize, const SY: usize>(&self, s: S) {
        let whole = self.rows / 4 * 4;
        // SAFETY: rows below `rows`.
        unsafe {
            for y in (0..whole).step_by(4) {
                self.rows_of::<S, KH, KW, SY, 4>(s, y);
            }
            for y in whole..self.rows {
                self.rows_of::<S, KH, KW, SY, 1>(s, y);
            }
        }
    }

    /// `R` output rows from row `y` on, for kernels without vertical dilation.
    ///
    /// # Safety
    /// As [`Piece::any`], with `y + R <= rows`.
    #[inline(always)]
    unsafe fn rows_of<
        S: Simd,
        const KH: usize,
        const KW: usize,
        const SY: usize,
        const R: usize,
    >(
        &self,
        s: S,
        y: usize,
    ) {
        let row = self.plane_step / SY;
        let cols: [usize; KW] = std::array::from_fn(|kx| self.offsets[kx]);
        let weights: [[S::V; KW]; KH] =
            std::array::from_fn(|ky| std::array::from_fn(|kx| s.splat(self.weights[ky * KW + kx])));
        let first = y * self.plane_step;
        let reach = cols
            .iter()
            .max()
            .map_or(0, |&c| c + self.width.next_multiple_of(S::LANES));
        assert!(
            first + ((R - 1) * SY + KH - 1) * row + reach <= self.plane.len(),
            "copy too small"
        );
        let base = self.plane.as_ptr().wrapping_add(first);
        for x in (0..self.width).step_by(S::LANES) {
            let mut acc = [s.zero(); R];
            // SAFETY: rows up to (R - 1) * SY + KH - 1 below the first are in the copy, and as wide as whole vectors
            // from any output column plus the reach of the kernel; the outputs are the caller's promise.
            unsafe {
                for r in 0..(R - 1) * SY + KH {
                    for kx in 0..KW {
                        let pixels = s.load(base.add(r * row + cols[kx] + x));
                        for (i, sum) in acc.iter_mut().enumerate() {
                            if r >= i * SY && r - i * SY < KH {
                                *sum = s.fma(weights[r - i * SY][kx], pixels, *sum);
                            }
                        }
                    }
                }
                for (i, &sum) in acc.iter().enumerate() {
                    self.put(s, y + i, x, sum);
                }
            }
        }
    }

    /// # Safety
    /// `y < rows`, `x < width`, and as [`Piece::any`].
    #[inline(always)]
    unsafe fn put<S: Simd>(&self, s: S, y: usize, x: usize, value: S::V) {
        // SAFETY: no lane goes past row y of `out`.
        unsafe {
            let at = self.out.add(y * self.width + x);
            if x + S::LANES <= self.width {
                s.store(at, value);
            } else {
                s.store_part(at, value, self.width - x);
            }
        }
    }
}
