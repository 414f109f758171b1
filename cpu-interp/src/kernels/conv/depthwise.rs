//! One input channel to one output channel: a vector loop over pixels, several output rows at once.
//!
//! A task takes some rows of one channel, makes a padded copy of the image rows they need ([`Plane`]: any stride and
//! padding become contiguous loads), and sums the taps. For undilated 3x3 and 5x5 kernels with stride 1 or 2 the taps are
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
    /// From one phase of a row of the copy to the next.
    pitch: usize,
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
        let channels = shape.batch * shape.c_out;
        let total = channels * pieces;
        let piece_ns = (self.rows * width) as f64 * (0.15 + 0.02 * shape.taps() as f64) + 20.0;
        // Several pieces a task: few are worth the counter's contention, many balance poorly.
        let per_task = ((TASK_NS / piece_ns) as usize).clamp(1, total);
        let tasks = total.div_ceil(per_task);
        let shared = SharedMut::new(output);
        let plane_len = Plane::rows(shape, self.rows) * self.plane.row();
        cpu.threads
            .for_each_with(tasks, piece_ns * per_task as f64, |scratch, task| {
                let plane = scratch.get(plane_len);
                // Pieces at the same rows of several channels follow each other: the zeros around their pixels are shared.
                let mut zeroed = usize::MAX;
                for index in task * per_task..total.min((task + 1) * per_task) {
                    let (channel, piece) = (index % channels, index / channels);
                    let first = piece * self.rows;
                    let rows = first..height.min(first + self.rows);
                    let at = (channel * height + rows.start) * width;
                    // SAFETY: rows `rows` of channel `channel` are inside the output and this task's alone.
                    let out = unsafe { shared.slice(at..at + rows.len() * width) };
                    let zero = zeroed != piece;
                    zeroed = piece;
                    self.piece(
                        cpu.isa, shape, input, channel, rows, zero, plane, out, epilogue,
                    );
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
        zero: bool,
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
            let (first, step) = (rows.start * shape.stride[0], self.plane.row());
            if zero {
                self.plane
                    .fill::<_, true>(s, shape, pixels, first, step, plane);
            } else {
                self.plane
                    .fill::<_, false>(s, shape, pixels, first, step, plane);
            }
            let weights = &self.weights[c * taps..][..taps];
            let piece = Piece {
                plane,
                plane_step: shape.stride[0] * self.plane.row(),
                pitch: self.plane.pitch(),
                weights,
                offsets: &self.offsets,
                rows: rows.len(),
                width,
                out: out.as_mut_ptr(),
            };
            // SAFETY: `out` has `rows.len()` rows of `width` elements, borrowed exclusively.
            unsafe {
                match (shape.kernel, shape.stride) {
                    _ if shape.dilation != [1, 1] => piece.any(s),
                    ([3, 3], [1, 1]) => piece.unrolled::<_, 3, 1, 1>(s),
                    ([3, 3], [2, 1]) => piece.unrolled::<_, 3, 2, 1>(s),
                    ([3, 3], [2, 2]) => piece.unrolled::<_, 3, 2, 2>(s),
                    ([5, 5], [1, 1]) => piece.unrolled::<_, 5, 1, 1>(s),
                    ([5, 5], [2, 1]) => piece.unrolled::<_, 5, 2, 1>(s),
                    ([5, 5], [2, 2]) => piece.unrolled::<_, 5, 2, 2>(s),
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

    /// A `K` by `K` kernel without dilation and with strides `SY`, `SX`: four output rows at a time while there are that
    /// many, then fewer.
    ///
    /// # Safety
    /// As [`Piece::any`].
    #[inline(always)]
    unsafe fn unrolled<S: Simd, const K: usize, const SY: usize, const SX: usize>(&self, s: S) {
        let mut y = 0;
        // SAFETY: y plus the rows taken is at most `rows`.
        unsafe {
            while y + 4 <= self.rows {
                self.rows_of::<S, K, SY, SX, 4, 1>(s, y);
                y += 4;
            }
            if y + 2 <= self.rows {
                self.rows_of::<S, K, SY, SX, 2, 2>(s, y);
                y += 2;
            }
            if y < self.rows {
                self.rows_of::<S, K, SY, SX, 1, 4>(s, y);
            }
        }
    }

    /// `R` output rows from row `y` on, `X` vectors of them at a time.
    ///
    /// # Safety
    /// As [`Piece::any`], with `y + R <= rows`.
    #[inline(always)]
    unsafe fn rows_of<
        S: Simd,
        const K: usize,
        const SY: usize,
        const SX: usize,
        const R: usize,
        const X: usize,
    >(
        &self,
        s: S,
        y: usize,
    ) {
        let row = self.plane_step / SY;
        let first = y * self.plane_step;
        let reach = (SX - 1) * self.pitch + (K - 1) / SX + self.width.next_multiple_of(S::LANES);
        assert!(
            first + ((R - 1) * SY + K - 1) * row + reach <= self.plane.len(),
            "copy too small"
        );
        let base = self.plane.as_ptr().wrapping_add(first);
        let step = X * S::LANES;
        let whole = self.width / step * step;
        // SAFETY: rows up to (R - 1) * SY + K - 1 below the first are in the copy, and as wide as whole vectors from
        // any output column plus the reach of the kernel; the outputs are the caller's promise.
        unsafe {
            for x in (0..whole).step_by(step) {
                self.pixels::<S, K, SY, SX, R, X>(s, base, row, y, x);
            }
            for x in (whole..self.width).step_by(S::LANES) {
                self.pixels::<S, K, SY, SX, R, 1>(s, base, row, y, x);
            }
        }
    }

    /// `R` rows of `X` vectors from (y, x) on.
    ///
    /// # Safety
    /// The copy's rows from `base` on, `row` apart, hold what these outputs need; they are the caller's to write.
    #[inline(always)]
    unsafe fn pixels<
        S: Simd,
        const K: usize,
        const SY: usize,
        const SX: usize,
        const R: usize,
        const X: usize,
    >(
        &self,
        s: S,
        base: *const f32,
        row: usize,
        y: usize,
        x: usize,
    ) {
        let mut acc = [[s.zero(); X]; R];
        // Written out, because the compiler does not unroll a loop of this size, and only constants decide which
        // outputs a row of the copy serves.
        macro_rules! rows {
            ($($r:literal)*) => {$(
                if $r < (R - 1) * SY + K {
                    // SAFETY: row $r is one of those that the caller vouches for.
                    unsafe {
                        let from = base.add($r * row + x);
                        self.taps::<S, K, SY, SX, R, X, $r>(s, from, &mut acc);
                    }
                }
            )*};
        }
        rows!(0 1 2 3 4 5 6 7 8 9 10);
        const { assert!((R - 1) * SY + K <= 11, "more rows than are written out") };
        for (i, sums) in acc.iter().enumerate() {
            for (v, &sum) in sums.iter().enumerate() {
                // SAFETY: as the caller promises.
                unsafe { self.put(s, y + i, x + v * S::LANES, sum) };
            }
        }
    }

    /// Adds what row `ROW` of the copy contributes.
    ///
    /// # Safety
    /// `X` vectors from `from` plus any tap's column on are readable.
    #[inline(always)]
    unsafe fn taps<
        S: Simd,
        const K: usize,
        const SY: usize,
        const SX: usize,
        const R: usize,
        const X: usize,
        const ROW: usize,
    >(
        &self,
        s: S,
        from: *const f32,
        acc: &mut [[S::V; X]; R],
    ) {
        for kx in 0..K {
            let col = kx % SX * self.pitch + kx / SX;
            let pixels: [S::V; X] =
                // SAFETY: as the caller promises.
                std::array::from_fn(|v| unsafe { s.load(from.add(col + v * S::LANES)) });
            for (i, sums) in acc.iter_mut().enumerate() {
                if ROW >= i * SY && ROW - i * SY < K {
                    let weight = s.splat(self.weights[(ROW - i * SY) * K + kx]);
                    for (sum, &pixel) in sums.iter_mut().zip(&pixels) {
                        *sum = s.fma(weight, pixel, *sum);
                    }
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
