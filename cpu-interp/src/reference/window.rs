//! Convolution and pooling: the elements below a window, once per element of the result.

use graph::op::{Conv, Pool, PoolKind, Window};
use tensor::Tensor;

mod col2im;
mod deform;
mod pools;
mod transpose;

use super::element::{Real, each_real};
use super::index::unflatten;
use super::number::Number;
use super::{Call, Result};

pub(super) use col2im::col2im;
pub(super) use deform::deform_conv;
pub(super) use pools::{arg_max_pool, lp_pool};
pub(super) use transpose::conv_transpose;

/// What lies below one window.
struct Taps {
    /// Positions in the plane of the input and in the window, both flat, of what lies inside the input.
    inside: Vec<(usize, usize)>,
    /// Number of positions inside the padded input.
    padded: usize,
}

/// The taps of the window at position `at` of the result.
fn taps(window: &Window, kernel: &[usize], spatial: &[usize], at: &[usize]) -> Taps {
    let mut taps = Taps {
        inside: Vec::new(),
        padded: 0,
    };
    for tap in 0..kernel.iter().product() {
        let (mut inside, mut padded, mut flat) = (true, true, 0);
        for (axis, k) in unflatten(tap, kernel).into_iter().enumerate() {
            let extent = spatial[axis];
            let (before, after) = window.padding(axis, extent, kernel[axis]);
            // Counted from the start of the padding.
            let position = at[axis] * window.strides[axis] + k * window.dilations[axis];
            padded &= position < before + extent + after;
            inside &= (before..before + extent).contains(&position);
            flat = flat * extent + position.saturating_sub(before);
        }
        taps.padded += usize::from(padded);
        if inside {
            taps.inside.push((flat, tap));
        }
    }
    taps
}

/// `y[n, m, o..] = bias[m] + sum over c, k.. of x[n, g * C/groups + c, o * stride + k * dilation - pad] * w[m, c, k..]`
pub(super) fn conv(op: &Conv, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let (input, weights) = (call.input(0), call.input(1));
    let (spatial, kernel) = (&input.shape()[2..], &weights.shape()[2..]);
    let (batches, channels) = (input.shape()[0], input.shape()[1]);
    let (filters, per_group) = (weights.shape()[0], weights.shape()[1]);
    let plane: usize = spatial.iter().product();
    let kernel_len: usize = kernel.iter().product();
    let out_plane: usize = shape[2..].iter().product();
    each_real!(input.dtype(), T => {
        let x = call.widened::<T>(input)?;
        let w = call.widened::<T>(weights)?;
        let bias = call.optional(2).map(|bias| call.widened::<T>(bias)).transpose()?;
        let mut out = call.buffer::<T>(shape.iter().product())?;
        out.resize(shape.iter().product(), T::narrow(Number::ZERO));
        for o in 0..out_plane {
            let below = taps(&op.window, kernel, spatial, &unflatten(o, &shape[2..])).inside;
            for n in 0..batches {
                for m in 0..filters {
                    let first_channel = m / (filters / op.groups) * per_group;
                    let products = (0..per_group).flat_map(|c| {
                        let x = &x[(n * channels + first_channel + c) * plane..][..plane];
                        let w = &w[(m * per_group + c) * kernel_len..][..kernel_len];
                        below.iter().map(move |&(at, tap)| x[at].mul(w[tap]))
                    });
                    let sum = Number::sum(products.chain(bias.as_ref().map(|bias| bias[m])));
                    out[(n * filters + m) * out_plane + o] = T::narrow(sum);
                }
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

/// `y[n, c, o..] = max or mean over k.. of x[n, c, o * stride + k * dilation - pad]`
pub(super) fn pool(op: &Pool, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let spatial = &input.shape()[2..];
    let plane: usize = spatial.iter().product();
    let out_plane: usize = shape[2..].iter().product();
    let planes: usize = shape[..2].iter().product();
    each_real!(input.dtype(), T => {
        let x = call.widened::<T>(input)?;
        let mut out = call.buffer::<T>(shape.iter().product())?;
        out.resize(shape.iter().product(), T::narrow(Number::ZERO));
        for o in 0..out_plane {
            let taps = taps(&op.window, &op.kernel, spatial, &unflatten(o, &shape[2..]));
            let count = if op.count_pad { taps.padded } else { taps.inside.len() };
            for p in 0..planes {
                let x = &x[p * plane..][..plane];
                let terms = taps.inside.iter().map(|&(at, _)| x[at]);
                out[p * out_plane + o] = T::narrow(match op.kind {
                    PoolKind::Max => terms.fold(Number::LOWEST, Number::larger),
                    PoolKind::Average => Number::sum(terms).over(count),
                });
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}
