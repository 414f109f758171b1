//! Determinants, by elimination in `f64`.

use tensor::Tensor;

use super::element::{Real, each_float};
use super::{Call, Result};

/// `y[b..] = the determinant of x[b.., .., ..]`
pub(super) fn det(call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let n = input.shape()[input.rank() - 1];
    let count: usize = shape.iter().product();
    each_float!(input.dtype(), T => {
        let x = call.widened::<T>(input)?;
        let mut out = call.buffer::<T>(count)?;
        out.extend((0..count).map(|at| T::narrow(determinant(x[at * n * n..][..n * n].to_vec(), n))));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

/// The product of the pivots, negative for an odd number of exchanges.
fn determinant(mut a: Vec<f64>, n: usize) -> f64 {
    let mut product = 1.0;
    for column in 0..n {
        let size = |row: usize| a[row * n + column].abs();
        let pivot = (column..n)
            .max_by(|&x, &y| size(x).total_cmp(&size(y)))
            .unwrap_or(column);
        if pivot != column {
            for k in 0..n {
                a.swap(pivot * n + k, column * n + k);
            }
            product = -product;
        }
        let diagonal = a[column * n + column];
        product *= diagonal;
        if diagonal == 0.0 {
            return product;
        }
        for row in column + 1..n {
            let factor = a[row * n + column] / diagonal;
            for k in column..n {
                a[row * n + k] -= factor * a[column * n + k];
            }
        }
    }
    product
}
