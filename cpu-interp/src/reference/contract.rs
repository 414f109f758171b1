//! Matrix products: the sum over `k`, once per element of the result.

use tensor::{Tensor, TensorView};

use super::element::{Real, each_real};
use super::number::Number;
use super::{Call, Result};

/// `y[.., i, j] = sum over k of a[.., i, k] * b[.., k, j]`
pub(super) fn matmul(call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let (a, b) = (call.input(0), call.input(1));
    // A vector is a row on the left and a column on the right.
    let a = if a.rank() == 1 {
        a.insert_axis(0)?
    } else {
        a.clone()
    };
    let b = if b.rank() == 1 {
        b.insert_axis(1)?
    } else {
        b.clone()
    };
    let (a_batch, b_batch) = (&a.shape()[..a.rank() - 2], &b.shape()[..b.rank() - 2]);
    let batch =
        tensor_core::broadcast_shapes(&[a_batch, b_batch]).map_err(tensor::TensorError::from)?;
    let (m, k, n) = (
        a.shape()[a.rank() - 2],
        a.shape()[a.rank() - 1],
        b.shape()[b.rank() - 1],
    );

    let a = a.broadcast_to([&batch[..], &[m, k]].concat())?;
    // The columns of b as rows, so that a sum walks two lists side by side.
    let b = swap_last_two(&b)?.broadcast_to([&batch[..], &[n, k]].concat())?;
    each_real!(a.dtype(), T => {
        let (a, b) = (call.widened::<T>(&a)?, call.widened::<T>(&b)?);
        let mut out = call.buffer::<T>(shape.iter().product())?;
        for matrix in 0..batch.iter().product() {
            for i in 0..m {
                let row = &a[(matrix * m + i) * k..][..k];
                for j in 0..n {
                    let column = &b[(matrix * n + j) * k..][..k];
                    out.push(T::narrow(Number::sum(row.iter().zip(column).map(|(&x, &y)| x.mul(y)))));
                }
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

fn swap_last_two<'a>(view: &TensorView<'a>) -> Result<TensorView<'a>> {
    let mut order: Vec<usize> = (0..view.rank()).collect();
    order.swap(view.rank() - 2, view.rank() - 1);
    Ok(view.permute(&order)?)
}
