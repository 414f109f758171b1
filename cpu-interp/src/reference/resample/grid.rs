//! Sampling at the points of a grid, and grids made by affine maps.

use graph::op::{AffineGrid, GridMode, GridPadding, GridSample};
use tensor::Tensor;

use super::{Taps, cubic_weights, interpolated};
use crate::reference::index::unflatten;
use crate::reference::normalise::{floats, rounded};
use crate::reference::{Call, Result};

/// Parameter of the cubic convolution.
const CUBIC_A: f64 = -0.75;

/// `y[n, c, o..] = x[n, c]` interpolated at the point `grid[n, o.., :]`
pub(in crate::reference) fn grid_sample(
    op: GridSample,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let spatial = &input.shape()[2..];
    let plane: usize = spatial.iter().product();
    let out_plane: usize = shape[2..].iter().product();
    let (x, grid) = (floats(call, input)?, floats(call, call.input(1))?);
    let mut out = call.buffer::<f64>(shape.iter().product())?;
    for p in 0..shape[..2].iter().product() {
        for o in 0..out_plane {
            let first = (p / shape[1] * out_plane + o) * spatial.len();
            // The last spatial axis comes first.
            let point = grid[first..][..spatial.len()].iter().rev();
            let axes: Vec<Taps> = point
                .zip(spatial)
                .map(|(&at, &extent)| Sampled { op, extent }.taps(at))
                .collect();
            out.push(interpolated(&x[p * plane..][..plane], spatial, &axes));
        }
    }
    rounded(call, input.dtype(), shape, &out)
}

/// One axis that is sampled.
struct Sampled {
    op: GridSample,
    extent: usize,
}

impl Sampled {
    /// The ends between which elements are: their middles, or half an element further out.
    fn ends(&self) -> (f64, f64) {
        let d = self.extent as f64;
        if self.op.align_corners {
            (0.0, d - 1.0)
        } else {
            (-0.5, d - 0.5)
        }
    }

    /// The elements that a coordinate of a point reads, with their weights.
    fn taps(&self, point: f64) -> Taps {
        let (low, high) = self.ends();
        let mut x = low + (point + 1.0) / 2.0 * (high - low);
        if self.op.mode == GridMode::Nearest {
            x = x.round_ties_even();
        }
        if !(low..=high).contains(&x) {
            x = match self.op.padding {
                GridPadding::Zeros => x,
                // The cubic convolution runs on beyond the last element, over its repetitions.
                GridPadding::Border if self.op.mode == GridMode::Cubic => x,
                GridPadding::Border => x.max(0.0).min(self.extent as f64 - 1.0),
                GridPadding::Reflection => self.reflected(x),
            };
        }
        let (floor, t) = (x.floor(), x - x.floor());
        let weighted: Vec<(f64, f64)> = match self.op.mode {
            GridMode::Nearest => vec![(x, 1.0)],
            GridMode::Linear => vec![(floor, 1.0 - t), (floor + 1.0, t)],
            GridMode::Cubic => {
                let offsets = [-1.0, 0.0, 1.0, 2.0].map(|offset| floor + offset);
                offsets.into_iter().zip(cubic_weights(t, CUBIC_A)).collect()
            }
        };
        let there = weighted.into_iter().filter(|&(_, weight)| weight != 0.0);
        there
            .filter_map(|(at, weight)| Some((self.element(at)?, weight)))
            .collect()
    }

    /// `x` mirrored at the ends until it is between them.
    fn reflected(&self, x: f64) -> f64 {
        let (low, high) = self.ends();
        let length = high - low;
        if !(length > 0.0 && x.is_finite()) {
            return low.max(0.0);
        }
        let beyond = (x - low).rem_euclid(2.0 * length);
        low + beyond.min(2.0 * length - beyond)
    }

    /// The element that stands at a whole number.
    fn element(&self, at: f64) -> Option<usize> {
        let inside = (0.0..self.extent as f64).contains(&at);
        match self.op.padding {
            _ if inside => Some(at as usize),
            GridPadding::Zeros => None,
            // A cast truncates toward 0 and takes what is no number to 0.
            GridPadding::Border => self
                .extent
                .checked_sub(1)
                .map(|last| (at as usize).min(last)),
            GridPadding::Reflection => {
                let last = self.extent.checked_sub(1)?;
                Some((self.reflected(at) as usize).min(last))
            }
        }
    }
}

/// `y[n, o.., i] = sum over j of theta[n, i, j] * (p.., 1)[j]` with `p` the point of index `o`
pub(in crate::reference) fn affine_grid(
    op: AffineGrid,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let theta = floats(call, input)?;
    let axes = shape.len() - 2;
    let spatial = &shape[1..=axes];
    let coordinate = |at: usize, extent: usize| {
        let (i, d) = (at as f64, extent as f64);
        match (op.align_corners, extent) {
            (true, 1) => 0.0,
            (true, _) => 2.0 * i / (d - 1.0) - 1.0,
            (false, _) => (2.0 * i + 1.0) / d - 1.0,
        }
    };
    let mut out = call.buffer::<f64>(shape.iter().product())?;
    for n in 0..shape[0] {
        for o in 0..spatial.iter().product() {
            let index = unflatten(o, spatial);
            let along = index.iter().zip(spatial).rev();
            let mut point: Vec<f64> = along.map(|(&at, &extent)| coordinate(at, extent)).collect();
            point.push(1.0);
            for row in theta[n * axes * (axes + 1)..][..axes * (axes + 1)].chunks(axes + 1) {
                out.push(row.iter().zip(&point).map(|(a, b)| a * b).sum());
            }
        }
    }
    rounded(call, input.dtype(), shape, &out)
}
