//! Both orders are constructors of their own.

use tensor::{Result, Tensor, TypedTensor};

fn main() -> Result<()> {
    let row = TypedTensor::<f64>::from_vec_row_major([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    let col = TypedTensor::<f64>::from_vec_col_major([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    assert_eq!((row.get(&[0, 1])?, col.get(&[0, 1])?), (&2.0, &3.0));
    Tensor::from_vec_row_major([1], vec![1.0])?;
    Tensor::from_vec_col_major([1], vec![1.0])?;
    TypedTensor::<f64>::zeros([2])?;
    Ok(())
}
