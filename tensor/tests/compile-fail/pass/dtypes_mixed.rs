//! One element type, in any layout and any rank; another dtype is a cast by name.

use tensor::{DType, Rank, Result, Tensor, TypedTensor};

fn main() -> Result<()> {
    let from = TypedTensor::<f64, Rank<2>>::from_vec_col_major([2, 2], vec![1.0, 3.0, 2.0, 4.0])?;
    let mut to = TypedTensor::<f64>::zeros([2, 2])?;
    to.as_view_mut()?.copy_from(&from.as_view()?)?;
    assert_eq!(to.as_slice()?, [1.0, 2.0, 3.0, 4.0]);

    let singles: TypedTensor<f32> = Tensor::from(to).cast(DType::F32)?.into_typed()?;
    let doubles: TypedTensor<f64> = Tensor::from(singles).cast(DType::F64)?.into_typed()?;
    assert_eq!(doubles.as_slice()?, [1.0, 2.0, 3.0, 4.0]);
    // Where the dtypes are known only when running, mixing them is an error, not a promotion.
    let (mut left, right) = (Tensor::scalar(1.0_f64), Tensor::scalar(1.0_f32));
    assert!(left.view_mut()?.copy_from(&right.view()?).is_err());
    Ok(())
}
