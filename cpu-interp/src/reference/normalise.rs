//! Softmax and the norms: one row at a time, in `f64`.

use graph::op::{BatchNorm, LayerNorm, Softmax};
use tensor::{Tensor, TensorView};
use tensor_core::DType;

use super::element::{Real, each_float};
use super::number::Number;
use super::{Call, Result, from_front};

/// `e^(x - m) / sum of e^(x - m)` along one axis with its maximum `m`, or the logarithm of that.
pub(super) fn softmax(op: Softmax, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let axis = from_front(op.axis, input.rank());
    let mut order: Vec<usize> = (0..input.rank()).filter(|&other| other != axis).collect();
    order.push(axis);
    let rows = input.permute(&order)?;
    let x = floats(call, &rows)?;
    let mut out = call.buffer::<f64>(x.len())?;
    for row in x.chunks(shape[axis].max(1)) {
        let max = row.iter().copied().fold(f64::LOWEST, Number::larger);
        let sum = f64::sum(row.iter().map(|x| (x - max).exp()));
        out.extend(row.iter().map(|x| {
            if op.log {
                x - max - sum.ln()
            } else {
                (x - max).exp() / sum
            }
        }));
    }
    let made = rounded(call, input.dtype(), rows.shape(), &out)?;
    let mut back: Vec<usize> = (0..axis).collect();
    back.push(input.rank() - 1);
    back.extend(axis..input.rank() - 1);
    Ok(made.view()?.permute(&back)?.to_contiguous()?)
}

/// `(x - mean) / sqrt(mean of (x - mean)^2 + epsilon) * scale + bias`
pub(super) fn layer_norm(op: LayerNorm, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let normalised = &shape[from_front(op.axis, input.rank())..];
    let x = floats(call, input)?;
    let parameter = |index: usize, default: f64| match call.optional(index) {
        Some(view) => floats(call, &view.broadcast_to(normalised)?),
        None => Ok(vec![default; normalised.iter().product()]),
    };
    let (scale, bias) = (parameter(1, 1.0)?, parameter(2, 0.0)?);
    let mut out = call.buffer::<f64>(x.len())?;
    for row in x.chunks(scale.len().max(1)) {
        let mean = f64::sum(row.iter().copied()).over(row.len());
        let variance = f64::sum(row.iter().map(|x| (x - mean).powi(2))).over(row.len());
        let deviation = (variance + f64::from(op.epsilon)).sqrt();
        let affine = scale.iter().zip(&bias);
        out.extend(
            row.iter()
                .zip(affine)
                .map(|(x, (scale, bias))| (x - mean) / deviation * scale + bias),
        );
    }
    rounded(call, input.dtype(), shape, &out)
}

/// `(x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]`
pub(super) fn batch_norm(op: BatchNorm, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let x = floats(call, input)?;
    let parameter = |index: usize| floats(call, call.input(index));
    let (scale, bias, mean, variance) =
        (parameter(1)?, parameter(2)?, parameter(3)?, parameter(4)?);
    let plane: usize = shape[2..].iter().product();
    let mut out = call.buffer::<f64>(x.len())?;
    for (at, x) in x.iter().enumerate() {
        let c = at / plane % shape[1];
        let deviation = (variance[c] + f64::from(op.epsilon)).sqrt();
        out.push((x - mean[c]) / deviation * scale[c] + bias[c]);
    }
    rounded(call, input.dtype(), shape, &out)
}

/// The elements of a float view in row-major order; inference has refused other dtypes.
pub(super) fn floats(call: &Call<'_>, view: &TensorView<'_>) -> Result<Vec<f64>> {
    each_float!(view.dtype(), T => call.widened::<T>(view), other => Err(call.unsupported(other)))
}

/// The numbers as elements of a float dtype, each rounded once.
pub(super) fn rounded(
    call: &Call<'_>,
    dtype: DType,
    shape: &[usize],
    wide: &[f64],
) -> Result<Tensor> {
    each_float!(dtype, T => {
        let mut out = call.buffer::<T>(wide.len())?;
        out.extend(wide.iter().map(|&wide| T::narrow(wide)));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}
