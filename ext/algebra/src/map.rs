//! One function applied to each element: how a tensor is converted to another scalar.

use tensor::{TensorRank, TypedTensor, TypedTensorView};

use crate::error::room_for;
use crate::{AlgebraError, Result};

/// The row-major tensor of `f(x)` for each element `x`; called in row-major logical order.
///
/// # Errors
/// [`AlgebraError::Tensor`] if memory for the result can't be had: a broadcast view can be larger than memory.
///
/// ```
/// use tensor::TypedTensor;
/// let floats = TypedTensor::<f64>::from_vec_row_major([2], vec![1.0, 3.5])?;
/// let tenths = algebra::map(&floats.as_view()?, |&x| (x * 10.0) as i32)?;
/// assert_eq!(tenths.as_slice()?, [10, 35]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map<T, U, R>(
    view: &TypedTensorView<'_, T, R>,
    f: impl FnMut(&T) -> U,
) -> Result<TypedTensor<U, R>>
where
    R: TensorRank,
{
    const OP: &str = "map";
    let shape = view.shape();
    let mut out = room_for(OP, shape)?;
    out.extend(view.iter().map(f));
    let ranked = R::shape_from_slice(shape).map_err(AlgebraError::validation(OP, shape))?;
    TypedTensor::from_vec_row_major(ranked, out).map_err(AlgebraError::tensor(OP, shape))
}
