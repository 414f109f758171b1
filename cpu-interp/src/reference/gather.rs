//! Indexed reads.

use graph::op::Gather;
use tensor::{Tensor, TensorView};
use tensor_core::{DType, dispatch_dtype};

use super::{Call, ReferenceError, Result, from_front};

/// `y[a.., i.., b..] = x[a.., index[i..], b..]`
pub(super) fn gather(op: Gather, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let axis = from_front(op.axis, input.rank());
    let extent = input.shape()[axis];
    let outer: usize = input.shape()[..axis].iter().product();
    let inner: usize = input.shape()[axis + 1..].iter().product();
    let indices: Vec<usize> = signed(call.input(1))?
        .into_iter()
        .map(|index| checked(call.op, index, extent))
        .collect::<Result<_>>()?;
    dispatch_dtype!(input.dtype(), T => {
        let x = input.to_vec::<T>()?;
        let mut out = call.buffer::<T>(shape.iter().product())?;
        for block in 0..outer {
            for index in &indices {
                out.extend_from_slice(&x[(block * extent + index) * inner..][..inner]);
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, _id => Err(call.unsupported(input.dtype())))
}

/// The indices in row-major order.
pub(super) fn signed(view: &TensorView<'_>) -> Result<Vec<i64>> {
    Ok(view.cast(DType::I64)?.to_vec::<i64>()?)
}

/// `index` with negative values counted from the end.
pub(super) fn checked(op: &'static str, index: i64, extent: usize) -> Result<usize> {
    let from_end = || extent.checked_sub(usize::try_from(index.unsigned_abs()).ok()?);
    let at = if index < 0 {
        from_end()
    } else {
        usize::try_from(index).ok()
    };
    at.filter(|&at| at < extent)
        .ok_or(ReferenceError::IndexOutOfRange { op, index, extent })
}
