//! Several values side by side.

use graph::op::Concat;
use tensor::Tensor;
use tensor_core::dispatch_dtype;

use super::{Call, Result, from_front};

/// The inputs one after another along `axis`.
pub(super) fn concat(op: Concat, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let first = call.input(0);
    let axis = from_front(op.axis, first.rank());
    let outer: usize = shape[..axis].iter().product();
    dispatch_dtype!(first.dtype(), T => {
        let parts: Vec<Vec<T>> = call.inputs.iter().flatten().map(|part| part.to_vec::<T>()).collect::<Result<_, _>>()?;
        let mut out = call.buffer::<T>(shape.iter().product())?;
        for block in 0..outer {
            for part in &parts {
                let len = part.len() / outer;
                out.extend_from_slice(&part[block * len..][..len]);
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, _id => Err(call.unsupported(first.dtype())))
}
