//! Reads between the elements: per axis a list of elements with weights, and the product of these lists.

mod grid;
mod resize;
mod roi;

use super::index::flatten;

pub(super) use grid::{affine_grid, grid_sample};
pub(super) use resize::resize;
pub(super) use roi::roi_align;

/// Elements along one axis with their weights.
type Taps = Vec<(usize, f64)>;

/// The sum of the elements of a row-major block, each weighted by the product of the weights that `axes` has for its index.
fn interpolated(block: &[f64], shape: &[usize], axes: &[Taps]) -> f64 {
    let mut terms: Vec<(Vec<usize>, f64)> = vec![(Vec::new(), 1.0)];
    for taps in axes {
        let extended = terms.iter().flat_map(|(index, weight)| {
            taps.iter().map(move |&(at, share)| {
                let mut index = index.clone();
                index.push(at);
                (index, weight * share)
            })
        });
        terms = extended.collect();
    }
    let products = terms
        .iter()
        .map(|(index, weight)| block[flatten(index, shape)] * weight);
    products.sum()
}

/// The two elements around `x`, without those outside or of weight 0.
fn linear_taps(x: f64, extent: usize) -> Taps {
    let floor = x.floor();
    let around = [(floor, 1.0 - (x - floor)), (floor + 1.0, x - floor)];
    let inside = |&(at, weight): &(f64, f64)| at >= 0.0 && at < extent as f64 && weight != 0.0;
    around
        .into_iter()
        .filter(inside)
        .map(|(at, weight)| (at as usize, weight))
        .collect()
}

/// A block read linearly at a point; outside it is 0.
pub(super) fn linear_inside(block: &[f64], shape: &[usize], point: &[f64]) -> f64 {
    let axes: Vec<Taps> = point
        .iter()
        .zip(shape)
        .map(|(&x, &extent)| linear_taps(x, extent))
        .collect();
    interpolated(block, shape, &axes)
}

/// The weights of the cubic convolution for the elements at -1, 0, 1 and 2 around a point at `t` from 0 to 1.
fn cubic_weights(t: f64, a: f64) -> [f64; 4] {
    [t + 1.0, t, 1.0 - t, 2.0 - t].map(|distance| cubic_kernel(distance, a))
}

/// Keys' cubic convolution.
fn cubic_kernel(distance: f64, a: f64) -> f64 {
    let x = distance.abs();
    if x <= 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    } else {
        0.0
    }
}
