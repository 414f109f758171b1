//! Transposed convolution, from the result's side: which elements of the input reach an element of the result.

use graph::op::ConvTranspose;
use tensor::Tensor;

use crate::reference::element::{Real, each_real};
use crate::reference::index::{flatten, unflatten};
use crate::reference::number::Number;
use crate::reference::{Call, Result};

/// Flat positions in the plane of the input and in the kernel of what is added up at position `at` of the result.
fn sources(
    op: &ConvTranspose,
    kernel: &[usize],
    spatial: &[usize],
    at: &[usize],
) -> Vec<(usize, usize)> {
    let mut sources = Vec::new();
    for tap in 0..kernel.iter().product() {
        let along = |(axis, k): (usize, usize)| {
            let begin = op.begin(axis, spatial[axis], kernel[axis]);
            let reach = (at[axis] + begin).checked_sub(k * op.window.dilations[axis])?;
            let stride = op.window.strides[axis];
            (reach.is_multiple_of(stride) && reach / stride < spatial[axis])
                .then_some(reach / stride)
        };
        let taps = unflatten(tap, kernel).into_iter().enumerate();
        if let Some(index) = taps.map(along).collect::<Option<Vec<usize>>>() {
            sources.push((flatten(&index, spatial), tap));
        }
    }
    sources
}

/// `y[n, m, o..] = bias[m] + sum over c, i.., k.. with i * stride + k * dilation - begin = o of x[n, c, i..] * w[c, m, k..]`
pub(in crate::reference) fn conv_transpose(
    op: &ConvTranspose,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let (input, weights) = (call.input(0), call.input(1));
    let (spatial, kernel) = (&input.shape()[2..], &weights.shape()[2..]);
    let (channels, filters_per_group) = (input.shape()[1], weights.shape()[1]);
    let per_group = channels / op.groups;
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
            let sources = sources(op, kernel, spatial, &unflatten(o, &shape[2..]));
            for n in 0..shape[0] {
                for m in 0..shape[1] {
                    let (group, filter) = (m / filters_per_group, m % filters_per_group);
                    let products = (group * per_group..(group + 1) * per_group).flat_map(|c| {
                        let x = &x[(n * channels + c) * plane..][..plane];
                        let w = &w[(c * filters_per_group + filter) * kernel_len..][..kernel_len];
                        sources.iter().map(move |&(at, tap)| x[at].mul(w[tap]))
                    });
                    let sum = Number::sum(products.chain(bias.as_ref().map(|bias| bias[m])));
                    out[(n * shape[1] + m) * out_plane + o] = T::narrow(sum);
                }
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}
