//! The product of two matrices.

use tensor::core::ScalarArithmetic;
use tensor::{Rank, TypedTensor, TypedTensorView};

use crate::error::room_for;
use crate::{AlgebraError, Result};

/// `out[i, j] = sum over k of lhs[i, k] * rhs[k, j]`.
///
/// **Shapes** `[m, k]` by `[k, n]` gives `[m, n]`; any of them may be 0, and a sum of no terms is `T::ZERO`. Another rank
/// does not compile.
///
/// **Numerics** Each sum is kept in `T::Accumulator` and rounded once; `k` runs upwards.
///
/// # Errors
/// [`AlgebraError::InnerExtents`] if the shapes do not fit, [`AlgebraError::Tensor`] if memory can't be had.
///
/// ```
/// use tensor::{Rank, TypedTensor};
/// let a = TypedTensor::<i32, Rank<2>>::from_vec_row_major([2, 2], vec![1, 2, 3, 4])?;
/// let column = TypedTensor::<i32, Rank<2>>::from_vec_row_major([2, 1], vec![10, 1])?;
/// assert_eq!(algebra::matmul(&a.as_view()?, &column.as_view()?)?.as_slice()?, [12, 34]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// ```compile_fail,E0308
/// let a = tensor::TypedTensor::<i32, tensor::Rank<2>>::zeros([2, 2]).unwrap();
/// let b = tensor::TypedTensor::<i32, tensor::Rank<3>>::zeros([2, 2, 2]).unwrap();
/// let _ = algebra::matmul(&a.as_view().unwrap(), &b.as_view().unwrap());
/// ```
/// `bool` has no arithmetic:
/// ```compile_fail,E0277
/// let a = tensor::TypedTensor::<bool, tensor::Rank<2>>::zeros([2, 2]).unwrap();
/// let _ = algebra::matmul(&a.as_view().unwrap(), &a.as_view().unwrap());
/// ```
pub fn matmul<T: ScalarArithmetic>(
    lhs: &TypedTensorView<'_, T, Rank<2>>,
    rhs: &TypedTensorView<'_, T, Rank<2>>,
) -> Result<TypedTensor<T, Rank<2>>> {
    const OP: &str = "matmul";
    if lhs.shape()[1] != rhs.shape()[0] {
        return Err(AlgebraError::InnerExtents {
            op: OP,
            lhs: lhs.shape().into(),
            rhs: rhs.shape().into(),
        });
    }
    let shape = [lhs.shape()[0], rhs.shape()[1]];
    let mut out = room_for(OP, &shape)?;
    if !shape.contains(&0) {
        let columns: Vec<_> = (0..shape[1])
            .map(|j| rhs.index_axis(1, j))
            .collect::<tensor::Result<_>>()
            .map_err(AlgebraError::tensor(OP, &shape))?;
        for i in 0..shape[0] {
            let row = lhs
                .index_axis(0, i)
                .map_err(AlgebraError::tensor(OP, &shape))?;
            out.extend(columns.iter().map(|column| dot(&row, column)));
        }
    }
    TypedTensor::from_vec_row_major(shape, out).map_err(AlgebraError::tensor(OP, &shape))
}

/// The sum of the products of two vectors of one length.
fn dot<T: ScalarArithmetic>(lhs: &TypedTensorView<'_, T>, rhs: &TypedTensorView<'_, T>) -> T {
    let pairs = lhs.iter().zip(rhs.iter());
    T::finish_sum(pairs.fold(T::empty_sum(), |sum, (&a, &b)| T::add_product(sum, a, b)))
}
