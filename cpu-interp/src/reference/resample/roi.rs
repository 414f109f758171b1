//! Aligned regions of interest.

use graph::op::{RoiAlign, RoiMode};
use tensor::Tensor;

use super::{Taps, linear_taps};
use crate::reference::index::{checked_from_front, signed};
use crate::reference::normalise::{floats, rounded};
use crate::reference::number::Number;
use crate::reference::{Call, ReferenceError, Result};

/// More sampling points along one axis of a bin than this are refused.
const MOST_POINTS: f64 = 65536.0;

/// `y[r, c, i, j]` = mean or largest over the sampling points of bin `i, j` of region `r`
pub(in crate::reference) fn roi_align(
    op: RoiAlign,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let (batches, channels) = (input.shape()[0], input.shape()[1]);
    let (height, width) = (input.shape()[2], input.shape()[3]);
    let (x, rois) = (floats(call, input)?, floats(call, call.input(1))?);
    let of = signed(call.input(2))?;
    let mut out = call.buffer::<f64>(shape.iter().product())?;
    for (corners, batch) in rois.chunks_exact(4).zip(of) {
        let batch = checked_from_front(call.op, batch, batches)?;
        let columns = bins(op, call, [corners[0], corners[2]], op.width, width)?;
        let rows = bins(op, call, [corners[1], corners[3]], op.height, height)?;
        for c in 0..channels {
            let plane = &x[(batch * channels + c) * height * width..][..height * width];
            for row in &rows {
                for column in &columns {
                    let points = row.iter().flat_map(|y| column.iter().map(move |x| (y, x)));
                    let around = points.map(|(y, x)| {
                        let pairs = y.iter().flat_map(|a| x.iter().map(move |b| (a, b)));
                        let terms = pairs.map(|(y, x)| plane[y.0 * width + x.0] * y.1 * x.1);
                        match op.mode {
                            RoiMode::Average => terms.sum(),
                            // The elements around a point that have no weight count as 0.
                            RoiMode::Max if y.len() * x.len() < 4 => {
                                terms.fold(0.0, Number::larger)
                            }
                            RoiMode::Max => terms.fold(f64::LOWEST, Number::larger),
                        }
                    });
                    out.push(match op.mode {
                        RoiMode::Average => {
                            around.sum::<f64>() / (row.len() * column.len()).max(1) as f64
                        }
                        RoiMode::Max => around.reduce(Number::larger).unwrap_or(0.0),
                    });
                }
            }
        }
    }
    rounded(call, input.dtype(), shape, &out)
}

/// By bin of a region along one axis: the elements around each sampling point. A point more than an element outside has none.
fn bins(
    op: RoiAlign,
    call: &Call<'_>,
    ends: [f64; 2],
    count: usize,
    extent: usize,
) -> Result<Vec<Vec<Taps>>> {
    let offset = if op.half_pixel { 0.5 } else { 0.0 };
    let [start, end] = ends.map(|end| end * f64::from(op.spatial_scale) - offset);
    let length = if op.half_pixel {
        end - start
    } else {
        (end - start).max(1.0)
    };
    let bin = length / count as f64;
    let points = if op.sampling_ratio > 0 {
        op.sampling_ratio as f64
    } else {
        bin.ceil().max(0.0)
    };
    if points.is_nan() || points > MOST_POINTS {
        return Err(ReferenceError::OutOfMemory {
            op: call.op,
            elements: points as usize,
        });
    }
    let taps = |at: f64| {
        let (d, last) = (extent as f64, extent as f64 - 1.0);
        if at < -1.0 || at > d || extent == 0 {
            return Taps::new();
        }
        linear_taps(at.max(0.0).min(last), extent)
    };
    let place = |i: usize, j: usize| start + i as f64 * bin + (j as f64 + 0.5) * bin / points;
    let of_bin = |i: usize| (0..points as usize).map(|j| taps(place(i, j))).collect();
    Ok((0..count).map(of_bin).collect())
}
