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

    /// Elements of one phase of a row.
    pub(super) fn pitch(&self) -> usize {
        self.pitch
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

    /// Copies the padded rows from `first` on, one to the start of each `step` elements of `dst`. With `ZERO` the pads
    /// around the pixels become 0; without, they must be so already, from a copy of the same rows of another channel.
    #[inline(always)]
    pub(super) fn fill<S: Simd, const ZERO: bool>(
        &self,
        s: S,
        shape: &ConvShape,
        channel: &[f32],
        first: usize,
        step: usize,
        dst: &mut [f32],
    ) {
        let [h, w] = shape.input;
        let pad = shape.pad_begin[1];
        for (index, row) in dst.chunks_mut(step).enumerate() {
            let row = &mut row[..self.row()];
            let y = (first + index).wrapping_sub(shape.pad_begin[0]);
            if y >= h || w == 0 {
                if ZERO {
                    zero(s, row);
                }
                continue;
            }
            let pixels = &channel[y * w..][..w];
            if self.phases == 1 {
                let start = pad.min(row.len());
                let count = w.min(row.len() - start);
                if ZERO {
                    zero(s, &mut row[..start]);
                    zero(s, &mut row[start + count..]);
                }
                copy(s, &pixels[..count], &mut row[start..start + count]);
                continue;
            }
            if ZERO {
                zero(s, row);
            }
            if self.phases == 2 {
                let (even, odd) = row.split_at_mut(self.pitch);
                split(s, pixels, pad, even, odd);
                continue;
            }
            for (phase, out) in row.chunks_exact_mut(self.pitch).enumerate() {
                // Padded column q * phases + phase is image column x0 at q0, x0 + phases at q0 + 1, ...
                let q0 = pad.saturating_sub(phase).div_ceil(self.phases);
                let x0 = q0 * self.phases + phase - pad;
                let from = pixels.iter().skip(x0).step_by(self.phases);
                out.iter_mut()
                    .skip(q0)
                    .zip(from)
                    .for_each(|(out, &x)| *out = x);
            }
        }
    }
}

/// Copies without a call for the few vectors that a row usually is.
#[inline(always)]
fn copy<S: Simd>(s: S, from: &[f32], to: &mut [f32]) {
    assert!(from.len() == to.len(), "copies have one length");
    let mut x = 0;
    while x + S::LANES <= from.len() {
        // SAFETY: x + LANES is at most the length of both slices.
        unsafe { s.store(to.as_mut_ptr().add(x), s.load(from.as_ptr().add(x))) };
        x += S::LANES;
    }
    let rest = from.len() - x;
    if rest > 0 {
        // SAFETY: `rest` elements remain in both slices.
        unsafe {
            let value = s.load_part(from.as_ptr().add(x), rest);
            s.store_part(to.as_mut_ptr().add(x), value, rest);
        }
    }
}

/// Column x of the image goes to `(x + pad) / 2` of `even` or `odd`, by the parity of `x + pad`.
#[inline(always)]
fn split<S: Simd>(s: S, pixels: &[f32], pad: usize, even: &mut [f32], odd: &mut [f32]) {
    assert!(even.len() == odd.len(), "phases have one length");
    let mut x = pad % 2;
    let q = |x: usize| (x + pad) / 2;
    let room = even.len();
    if x == 1 && q(0) < room && !pixels.is_empty() {
        odd[q(0)] = pixels[0];
    }
    while x + 2 * S::LANES <= pixels.len() && q(x) + S::LANES <= room {
        // SAFETY: the condition of the loop is that all of these elements exist.
        unsafe {
            let from = pixels.as_ptr().add(x);
            let (a, b) = s.deinterleave(s.load(from), s.load(from.add(S::LANES)));
            s.store(even.as_mut_ptr().add(q(x)), a);
            s.store(odd.as_mut_ptr().add(q(x)), b);
        }
        x += 2 * S::LANES;
    }
    // What is left of a row is less than two vectors: as parts of vectors again.
    while x < pixels.len() && q(x) < room {
        let first = S::LANES.min(pixels.len() - x);
        let second = S::LANES.min(pixels.len() - x - first);
        let evens = (first + second).div_ceil(2).min(room - q(x));
        let odds = ((first + second) / 2).min(room - q(x));
        // SAFETY: the lengths of the parts end at the slices' ends.
        unsafe {
            let from = pixels.as_ptr().add(x);
            let (a, b) = s.deinterleave(
                s.load_part(from, first),
                s.load_part(from.wrapping_add(first), second),
            );
            s.store_part(even.as_mut_ptr().add(q(x)), a, evens);
            s.store_part(odd.as_mut_ptr().add(q(x)), b, odds);
        }
        x += 2 * S::LANES;
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
