//! Codes of narrow float formats.

use graph::op::{Decode, Encode};
use tensor::Tensor;

use super::element::{Element, Exact, Real, each_float};
use super::{Call, Result};

/// `y[i] = the code of x[i]`
pub(super) fn encode(op: Encode, call: &Call<'_>) -> Result<Tensor> {
    let input = call.input(0);
    let mut out = call.buffer::<u8>(input.len())?;
    each_float!(input.dtype(), T => {
        let elements = input.typed::<T>()?;
        let values = elements.iter().map(|&element| element.widen());
        out.extend(values.map(|value| op.format.encode(value, op.rounding, op.saturate)));
    }, other => return Err(call.unsupported(other)));
    Ok(Tensor::from_vec_row_major(input.shape(), out)?)
}

/// `y[i] = the value of the code x[i]`
pub(super) fn decode(op: Decode, call: &Call<'_>) -> Result<Tensor> {
    let input = call.input(0);
    let codes = input.typed::<u8>()?;
    let values = codes.iter().map(|&code| op.format.decode(code));
    each_float!(op.to, T => {
        let mut out = call.buffer::<T>(input.len())?;
        out.extend(values.map(|value| T::from_exact(Exact::Float(value.into()))));
        Ok(Tensor::from_vec_row_major(input.shape(), out)?)
    }, other => Err(call.unsupported(other)))
}
