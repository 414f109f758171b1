//! Columns of windows put back together, from the result's side.

use graph::op::{Col2Im, Pad};
use tensor::Tensor;

use crate::reference::element::{Real, each_real};
use crate::reference::index::{flatten, signed, unflatten};
use crate::reference::number::Number;
use crate::reference::{Call, Result};

/// `y[n, c, i..] = sum over k.., o.. with o * stride + k * dilation - pad = i of x[n, (c, k..), (o..)]`
pub(in crate::reference) fn col2im(
    op: &Col2Im,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let image = &shape[2..];
    let kernel: Vec<usize> = signed(call.input(2))?
        .into_iter()
        .map(|extent| usize::try_from(extent).unwrap_or(0))
        .collect();
    let (begin, end) = match &op.window.pad {
        Pad::Explicit { begin, end } => (begin.clone(), end.clone()),
        Pad::SameUpper | Pad::SameLower => (vec![0; image.len()], vec![0; image.len()]),
    };
    let windows: Vec<usize> = (0..image.len())
        .map(|axis| {
            let span = op.window.dilations[axis] * (kernel[axis] - 1) + 1;
            (image[axis] + begin[axis] + end[axis] - span) / op.window.strides[axis] + 1
        })
        .collect();
    let (taps, count): (usize, usize) = (kernel.iter().product(), windows.iter().product());
    // Tap and window that reach an element of the image.
    let sources = |at: usize| {
        let at = unflatten(at, image);
        let reached = |tap: usize| {
            let along = |(axis, k): (usize, usize)| {
                let reach = (at[axis] + begin[axis]).checked_sub(k * op.window.dilations[axis])?;
                let stride = op.window.strides[axis];
                (reach.is_multiple_of(stride) && reach / stride < windows[axis])
                    .then_some(reach / stride)
            };
            let index = unflatten(tap, &kernel).into_iter().enumerate().map(along);
            Some((
                tap,
                flatten(&index.collect::<Option<Vec<usize>>>()?, &windows),
            ))
        };
        (0..taps).filter_map(reached).collect::<Vec<_>>()
    };
    let planes = shape[0] * shape[1];
    let plane: usize = image.iter().product();
    each_real!(input.dtype(), T => {
        let x = call.widened::<T>(input)?;
        let mut out = call.buffer::<T>(planes * plane)?;
        for p in 0..planes {
            let x = &x[p * taps * count..][..taps * count];
            for at in 0..plane {
                let terms = sources(at).into_iter().map(|(tap, window)| x[tap * count + window]);
                out.push(T::narrow(Number::sum(terms)));
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}
