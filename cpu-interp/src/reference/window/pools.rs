//! Pools beside the largest element and the mean.

use graph::op::{ArgMaxPool, LpPool};
use tensor::Tensor;

use super::taps;
use crate::reference::index::unflatten;
use crate::reference::normalise::{floats, rounded};
use crate::reference::{Call, Result};

/// Where in `x` the first largest element of each window is.
pub(in crate::reference) fn arg_max_pool(
    op: &ArgMaxPool,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let spatial = &input.shape()[2..];
    let plane: usize = spatial.iter().product();
    let out_plane: usize = shape[2..].iter().product();
    let planes: usize = shape[..2].iter().product();
    let x = floats(call, input)?;
    let mut out = call.buffer::<i64>(planes * out_plane)?;
    out.resize(planes * out_plane, 0);
    for o in 0..out_plane {
        let taps = taps(&op.window, &op.kernel, spatial, &unflatten(o, &shape[2..]));
        for p in 0..planes {
            let x = &x[p * plane..][..plane];
            let places = taps.inside.iter().map(|&(at, _)| at);
            let larger =
                |best: usize, at: usize| x[at] > x[best] || (x[at].is_nan() && !x[best].is_nan());
            let best = places.reduce(|best, at| if larger(best, at) { at } else { best });
            if let Some(best) = best {
                let in_plane = if op.column_major {
                    let index = unflatten(best, spatial);
                    let axes = index.iter().zip(spatial).rev();
                    axes.fold(0, |flat, (at, extent)| flat * extent + at)
                } else {
                    best
                };
                out[p * out_plane + o] = i64::try_from(p * plane + in_plane).unwrap_or(i64::MAX);
            }
        }
    }
    Ok(Tensor::from_vec_row_major(shape, out)?)
}

/// `y[n, c, o..] = (sum over k.. of |x|^p)^(1/p)`
pub(in crate::reference) fn lp_pool(
    op: &LpPool,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let spatial = &input.shape()[2..];
    let plane: usize = spatial.iter().product();
    let out_plane: usize = shape[2..].iter().product();
    let planes: usize = shape[..2].iter().product();
    let x = floats(call, input)?;
    let p = op.p as f64;
    let mut out = call.buffer::<f64>(planes * out_plane)?;
    out.resize(planes * out_plane, 0.0);
    for o in 0..out_plane {
        let taps = taps(&op.window, &op.kernel, spatial, &unflatten(o, &shape[2..]));
        for at in 0..planes {
            let x = &x[at * plane..][..plane];
            let powers = taps.inside.iter().map(|&(at, _)| x[at].abs().powf(p));
            out[at * out_plane + o] = powers.sum::<f64>().powf(1.0 / p);
        }
    }
    rounded(call, input.dtype(), shape, &out)
}
