//! Sums and products over axes.

use tensor::core::{ScalarArithmetic, ShapeVec};
use tensor::{TensorRank, TypedTensor, TypedTensorView};

use crate::error::room_for;
use crate::{AlgebraError, Result};

/// The sums over `axes`, which are gone from the result.
///
/// Over no axes each element is its own sum, unchanged; a sum of no terms is `T::ZERO`.
///
/// **Numerics** Each sum is kept in `T::Accumulator` and rounded once; terms come in row-major logical order.
///
/// # Errors
/// [`AlgebraError::Axes`] if an axis does not exist or occurs twice, [`AlgebraError::Tensor`] if memory can't be had.
///
/// ```
/// use tensor::TypedTensor;
/// let t = TypedTensor::<i32>::from_vec_row_major([2, 3], vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(algebra::sum(&t.as_view()?, &[1])?.as_slice()?, [6, 15]);
/// assert_eq!(algebra::product(&t.as_view()?, &[0, 1])?.as_slice()?, [720]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sum<T: ScalarArithmetic, R: TensorRank>(
    view: &TypedTensorView<'_, T, R>,
    axes: &[usize],
) -> Result<TypedTensor<T>> {
    reduce("sum", view, axes, |terms| {
        T::finish_sum(terms.fold(T::empty_sum(), |sum, &term| T::add_term(sum, term)))
    })
}

/// The products over `axes`, which are gone from the result.
///
/// Over no axes each element is its own product, unchanged; a product of no factors is `T::ONE`.
///
/// **Numerics** Every multiplication rounds; factors come in row-major logical order.
///
/// # Errors
/// As [`sum`].
pub fn product<T: ScalarArithmetic, R: TensorRank>(
    view: &TypedTensorView<'_, T, R>,
    axes: &[usize],
) -> Result<TypedTensor<T>> {
    reduce("product", view, axes, |factors| {
        factors.fold(T::ONE, |product, &factor| product.scalar_mul(factor))
    })
}

/// `fold` of the elements that share their index on all axes but `axes`.
fn reduce<T: ScalarArithmetic, R: TensorRank>(
    op: &'static str,
    view: &TypedTensorView<'_, T, R>,
    axes: &[usize],
    fold: impl Fn(&mut dyn Iterator<Item = &T>) -> T,
) -> Result<TypedTensor<T>> {
    let rank = view.rank();
    for (i, &axis) in axes.iter().enumerate() {
        if axis >= rank || axes[..i].contains(&axis) {
            return Err(AlgebraError::Axes {
                op,
                axis,
                axes: axes.into(),
                shape: view.shape().into(),
            });
        }
    }
    let kept: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
    let shape: ShapeVec = kept.iter().map(|&axis| view.shape()[axis]).collect();
    let mut out = room_for(op, &shape)?;
    if axes.is_empty() {
        out.extend(view.iter().copied());
    } else {
        // With the reduced axes last, each fold takes a run of consecutive elements of the walk.
        let mut order = kept;
        order.extend((0..rank).filter(|axis| axes.contains(axis)));
        let moved = view
            .permute(&order)
            .map_err(AlgebraError::tensor(op, &shape))?;
        let results: usize = if shape.contains(&0) {
            0
        } else {
            shape.iter().product()
        };
        let terms = view.len().checked_div(results).unwrap_or(0);
        let mut walk = moved.iter();
        out.extend((0..results).map(|_| fold(&mut walk.by_ref().take(terms))));
    }
    TypedTensor::from_vec_row_major(&shape, out).map_err(AlgebraError::tensor(op, &shape))
}
