//! Arrays of exactly the rank, and containers whose length is checked when running.

use tensor::core::ShapeVec;
use tensor::{DynRank, Rank, Result, TensorLayout, TypedTensor, TypedTensorView};

type Matrix = TypedTensor<f64, Rank<2>>;

fn main() -> Result<()> {
    Matrix::zeros([2, 3])?;
    Matrix::from_vec_col_major(&[2, 3], vec![0.0; 6])?;
    Matrix::from_vec_row_major(vec![2, 3], vec![0.0; 6])?;
    Matrix::full(&[2, 3][..], 1.0)?;
    Matrix::ones(ShapeVec::from([2, 3].as_slice()))?;
    assert!(Matrix::zeros(vec![2, 3, 1]).is_err());
    TypedTensor::<f64, Rank<0>>::zeros([])?;
    TypedTensor::<f64, Rank<10>>::zeros([1; 10])?;
    TypedTensorView::<f64, Rank<1>>::from_slice([1], &[0.0])?;
    TensorLayout::<Rank<3>>::row_major([2, 3, 4])?;
    // A rank that is known when running takes any of them.
    TypedTensor::<f64, DynRank>::zeros([2, 3, 1])?;
    TypedTensor::<f64>::zeros(vec![2; 9])?;
    Ok(())
}
