//! Extents are values even where the rank is a type, and ranks convert by name.

use tensor::{Rank, Result, TensorRank, TypedTensor, TypedTensorView};

fn matrix(tensor: &TypedTensor<f64, Rank<2>>) -> f64 {
    tensor[[0, 0]]
}
fn matrix_view(view: TypedTensorView<'_, f64, Rank<2>>) -> f64 {
    view[[0, 1]]
}
fn any_rank<R: TensorRank>(tensor: &TypedTensor<f64, R>) -> usize {
    tensor.rank()
}

fn main() -> Result<()> {
    let mut tensor = TypedTensor::<f64, Rank<2>>::zeros([2, 3])?;
    // The same type: what the extents are is known only when running.
    tensor = TypedTensor::zeros([3, 2]).inspect(|_| drop(tensor))?;
    assert_eq!(matrix(&tensor) + matrix_view(tensor.as_view()?), 0.0);
    assert_eq!(any_rank(&tensor), 2);
    let dynamic: TypedTensor<f64> = tensor.into_dyn_rank();
    assert_eq!(any_rank(&dynamic), 2);
    matrix_view(dynamic.as_view()?.to_rank()?);
    matrix(&dynamic.try_into_rank::<2>()?);
    Ok(())
}
