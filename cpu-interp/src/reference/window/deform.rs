//! Deformable convolution: a convolution whose taps are read between the elements.

use graph::op::DeformConv;
use tensor::Tensor;

use crate::reference::index::unflatten;
use crate::reference::normalise::{floats, rounded};
use crate::reference::number::Number;
use crate::reference::resample::linear_inside;
use crate::reference::{Call, Result};

/// `y[n, m, o..] = bias[m] + sum over c, k.. of w[m, c, k..] * mask * x[n, c, o * stride + k * dilation - pad + offset]`
pub(in crate::reference) fn deform_conv(
    op: &DeformConv,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let (input, weights) = (call.input(0), call.input(1));
    let (spatial, kernel) = (&input.shape()[2..], &weights.shape()[2..]);
    let (channels, filters, per_group) = (input.shape()[1], shape[1], weights.shape()[1]);
    let plane: usize = spatial.iter().product();
    let (taps, axes): (usize, usize) = (kernel.iter().product(), spatial.len());
    let out_plane: usize = shape[2..].iter().product();
    let (x, w) = (floats(call, input)?, floats(call, weights)?);
    let offsets = floats(call, call.input(2))?;
    let optional = |index: usize| {
        call.optional(index)
            .map(|view| floats(call, view))
            .transpose()
    };
    let (bias, mask) = (optional(3)?, optional(4)?);
    let mut out = call.buffer::<f64>(shape.iter().product())?;
    for n in 0..shape[0] {
        // What a tap of a channel sees at an element of the result.
        let seen = |c: usize, tap: usize, o: usize| {
            let slot = (n * op.offset_groups + c / (channels / op.offset_groups)) * taps + tap;
            let (at, k) = (unflatten(o, &shape[2..]), unflatten(tap, kernel));
            let point: Vec<f64> = (0..axes)
                .map(|axis| {
                    let (before, _) = op.window.padding(axis, spatial[axis], kernel[axis]);
                    let start =
                        at[axis] * op.window.strides[axis] + k[axis] * op.window.dilations[axis];
                    start as f64 - before as f64 + offsets[(slot * axes + axis) * out_plane + o]
                })
                .collect();
            let share = mask.as_ref().map_or(1.0, |mask| mask[slot * out_plane + o]);
            linear_inside(&x[(n * channels + c) * plane..][..plane], spatial, &point) * share
        };
        for m in 0..filters {
            let first_channel = m / (filters / op.groups) * per_group;
            for o in 0..out_plane {
                let products = (0..per_group * taps).map(|at| {
                    w[m * per_group * taps + at] * seen(first_channel + at / taps, at % taps, o)
                });
                out.push(f64::sum(products.chain(bias.as_ref().map(|bias| bias[m]))));
            }
        }
    }
    rounded(call, input.dtype(), shape, &out)
}
