//! Values made from numbers.

use tensor::Tensor;

use super::element::{Real, each_real};
use super::number::Number;
use super::{Call, Result};

/// `y[i] = start + i * delta`
pub(super) fn range(call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let dtype = call.input(0).dtype();
    each_real!(dtype, T => {
        let (start, delta) = (call.widened::<T>(call.input(0))?[0], call.widened::<T>(call.input(2))?[0]);
        let count = shape[0];
        let mut out = call.buffer::<T>(count)?;
        out.extend((0..count).map(|i| T::narrow(element(start, delta, i))));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

fn element<N: Number>(start: N, delta: N, i: usize) -> N {
    start.add(N::of_count(i).mul(delta))
}
