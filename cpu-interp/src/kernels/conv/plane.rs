//! A padded copy of some rows of one channel, laid out so that every kernel element meets contiguous pixels.
//!
//! A row of the copy holds the padded image row split by the horizontal stride: first the pixels 0, s, 2s, ... of the
//! padded row, then 1, s + 1, ... So for kernel column kx, the pixels of outputs ox, ox + 1, ... are adjacent whatever
//! the stride. Rows are long enough that whole vectors may be read from any output column.

use super::ConvShape;
use crate::kernels::simd::Simd;

/// The layout of the copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Elements of one phase of a row.
    pitch: usize,
    /// Phases: the horizontal stride.
    phases: usize,
}

impl Plane {
    /// The layout for `shape` and vectors of `lanes`.
    pub(super) fn new(shape: &ConvShape, lanes: usize) -> Self {
        let phases = shape.stride[1];
        let reach = (shape.kernel[1] - 1) * shape.dilation[1] / phases;
        // One more vector, so that copies may overrun the pixels they bring.
        let pitch = (shape.output()[1].next_multiple_of(lanes) + reach).next_multiple_of(16) + 16;
        Self { pitch, phases }
    }

    /// Elements of a row.
    pub(super) fn row(&self) -> usize {
        self.pitch * self.phases
    }

    /// Rows that `outputs` rows of the result need.
    pub(super) fn rows(shape: &ConvShape, outputs: usize) -> usize {
        (outputs - 1) * shape.stride[0] + (shape.kernel[0] - 1) * shape.dilation[0] + 1
    }

    /// Where the pixels of kernel element (ky, kx) start, relative to the output's row and column, where rows are
    /// `step` apart.
    pub(super) fn offset(&self, shape: &ConvShape, step: usize, ky: usize, kx: usize) -> usize {
        let x = kx * shape.dilation[1];
        ky * shape.dilation[0] * step + x % self.phases * self.pitch + x / self.phases
    }

    /// Copies the padded rows from `first` on, one to the start of each `step` elements of `dst`.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(
        &self,
        s: S,
        shape: &ConvShape,
        channel: &[f32],
        first: usize,
        step: usize,
        dst: &mut [f32],
    ) {
        let [h, w] = shape.input;
        for (index, row) in dst.chunks_mut(step).enumerate() {
            let row = &mut row[..self.row()];
            let y = (first + index).wrapping_sub(shape.pad_begin[0]);
            if y >= h || w == 0 {
                row.fill(0.0);
                continue;
            }
            let pixels = &channel[y * w..][..w];
            for (phase, out) in row.chunks_exact_mut(self.pitch).enumerate() {
                // Padded column q * phases + phase is image column x0 at q0, x0 + phases at q0 + 1, ...
                let q0 = shape.pad_begin[1]
                    .saturating_sub(phase)
                    .div_ceil(self.phases);
                let x0 = q0 * self.phases + phase - shape.pad_begin[1];
                let count = w.saturating_sub(x0).div_ceil(self.phases);
                spread(s, pixels, x0, self.phases, q0, count, out);
            }
        }
    }
}

/// `out[q0 + t] = pixels[x0 + t * stride]` for `t < count` as far as `out` goes; the rest of `out` becomes 0.
#[inline(always)]
fn spread<S: Simd>(
    s: S,
    pixels: &[f32],
    x0: usize,
    stride: usize,
    q0: usize,
    count: usize,
    out: &mut [f32],
) {
    let q0 = q0.min(out.len());
    let count = count.min(out.len() - q0);
    zero(s, &mut out[..q0]);
    zero(s, &mut out[q0 + count..]);
    let out = &mut out[q0..q0 + count];
    let whole = match stride {
        // Whole vectors only: both sides have at least this many elements.
        1 => count / S::LANES * S::LANES,
        2 => pixels.len().saturating_sub(x0) / (2 * S::LANES) * S::LANES,
        _ => 0,
    }
    .min(count / S::LANES * S::LANES);
    for t in (0..whole).step_by(S::LANES) {
        // SAFETY: t + LANES <= count, and the pixels up to x0 + (t + LANES) * stride exist by the choice of `whole`.
        unsafe {
            let from = pixels.as_ptr().add(x0 + t * stride);
            let value = if stride == 1 {
                s.load(from)
            } else {
                s.deinterleave(s.load(from), s.load(from.add(S::LANES))).0
            };
            s.store(out.as_mut_ptr().add(t), value);
        }
    }
    for t in whole..count {
        out[t] = pixels[x0 + t * stride];
    }
}

/// Zeros, without a call for the few elements that it usually is.
#[inline(always)]
fn zero<S: Simd>(s: S, out: &mut [f32]) {
    let mut chunks = out.chunks_exact_mut(S::LANES);
    for chunk in &mut chunks {
        // SAFETY: a chunk has exactly LANES elements.
        unsafe { s.store(chunk.as_mut_ptr(), s.zero()) };
    }
    let rest = chunks.into_remainder();
    // SAFETY: fewer than LANES elements, all in bounds.
    unsafe { s.store_part(rest.as_mut_ptr(), s.zero(), rest.len()) };
}
