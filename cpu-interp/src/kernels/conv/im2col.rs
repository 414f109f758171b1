//! The columns of an image as the right operand of a product, gathered while they are packed and never stored whole.
//!
//! Row (c, ky, kx), column (oy, ox) is the pixel that weight meets output. A panel's columns are cut into runs within
//! one output row; for each row of the matrix a run is a contiguous (or strided) piece of an image row with zeros at
//! its ends.

use std::ops::Range;

use super::ConvShape;
use crate::kernels::gemm::PackB;

/// The implicit matrix `[C_in / groups * KH * KW, OH * OW]` of each (image, group).
pub(super) struct Columns<'a> {
    shape: &'a ConvShape,
    input: &'a [f32],
    width: usize,
}

/// Columns of a panel that lie in one output row.
#[derive(Clone, Copy, Default)]
struct Run {
    /// The first column in the panel.
    at: usize,
    len: usize,
    /// The padded image's row and column of kernel element (0, 0).
    y: usize,
    x: usize,
}

impl<'a> Columns<'a> {
    pub(super) fn new(shape: &'a ConvShape, input: &'a [f32]) -> Self {
        Self {
            shape,
            input,
            width: shape.output()[1],
        }
    }

    /// The runs of a panel: at most one a column.
    fn runs(&self, cols: Range<usize>, runs: &mut [Run; 32]) -> usize {
        let s = self.shape;
        let (mut count, mut j) = (0, cols.start);
        while j < cols.end {
            let (oy, ox) = (j / self.width, j % self.width);
            let len = (self.width - ox).min(cols.end - j);
            runs[count] = Run {
                at: j - cols.start,
                len,
                y: oy * s.stride[0],
                x: ox * s.stride[1],
            };
            count += 1;
            j += len;
        }
        count
    }

    /// One run of one row of the matrix.
    fn gather(&self, channel: &[f32], run: &Run, ky: usize, kx: usize, dst: &mut [f32]) {
        let s = self.shape;
        let [h, w] = s.input;
        let y = run.y + ky * s.dilation[0];
        if y < s.pad_begin[0] || y - s.pad_begin[0] >= h {
            dst.fill(0.0);
            return;
        }
        let row = &channel[(y - s.pad_begin[0]) * w..][..w];
        let x = run.x + kx * s.dilation[1];
        let (stride, pad) = (s.stride[1], s.pad_begin[1]);
        // Columns before `first` fall left of the image, those from `end` on right of it.
        let first = pad.saturating_sub(x).div_ceil(stride).min(dst.len());
        let end = (w + pad)
            .saturating_sub(x)
            .div_ceil(stride)
            .clamp(first, dst.len());
        dst[..first].fill(0.0);
        dst[end..].fill(0.0);
        if first == end {
            return;
        }
        let from = x + first * stride - pad;
        let inside = &mut dst[first..end];
        if stride == 1 {
            inside.copy_from_slice(&row[from..from + inside.len()]);
        } else {
            for (out, &pixel) in inside.iter_mut().zip(row[from..].iter().step_by(stride)) {
                *out = pixel;
            }
        }
    }
}

impl PackB for Columns<'_> {
    fn pack_b(
        &self,
        batch: usize,
        k: Range<usize>,
        cols: Range<usize>,
        nr: usize,
        dst: &mut [f32],
    ) {
        let s = self.shape;
        let [kh, kw] = s.kernel;
        let image = s.image();
        let group = &self.input[batch * s.group_in() * image..][..s.group_in() * image];
        let mut runs = [Run::default(); 32];
        for (panel, out) in dst
            .chunks_exact_mut(k.len() * nr)
            .take(cols.len().div_ceil(nr))
            .enumerate()
        {
            let from = cols.start + panel * nr;
            let to = cols.end.min(from + nr);
            let count = self.runs(from..to, &mut runs);
            for (row, p) in out.chunks_exact_mut(nr).zip(k.clone()) {
                let (c, ky, kx) = (p / (kh * kw), p / kw % kh, p % kw);
                let channel = &group[c * image..][..image];
                for run in &runs[..count] {
                    self.gather(channel, run, ky, kx, &mut row[run.at..run.at + run.len]);
                }
                row[to - from..].fill(0.0);
            }
        }
    }
}
