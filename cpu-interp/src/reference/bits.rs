//! The same bits as another dtype.

use graph::op::BitCast;
use tensor::Tensor;

use super::element::{Element, each_element};
use super::{Call, Result};

/// `y[i] = the bits of x[i]`
pub(super) fn bit_cast(op: BitCast, call: &Call<'_>) -> Result<Tensor> {
    let input = call.input(0);
    let bits: Vec<u64> = each_element!(input.dtype(), T => {
        input.typed::<T>()?.iter().map(|element| element.pattern()).collect()
    }, other => return Err(call.unsupported(other)));
    each_element!(op.to, T => {
        let mut out = call.buffer::<T>(bits.len())?;
        out.extend(bits.iter().map(|&bits| T::from_pattern(bits)));
        Ok(Tensor::from_vec_row_major(input.shape(), out)?)
    }, other => Err(call.unsupported(other)))
}
