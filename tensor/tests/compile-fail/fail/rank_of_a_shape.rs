//! A shape written as an array has the tensor's rank.

use tensor::{Rank, TensorLayout, TypedTensor, TypedTensorView};

type Matrix = TypedTensor<f64, Rank<2>>;

fn main() {
    let _ = Matrix::zeros([2, 3, 1]); //~ E0277: ; 3]: IntoRankShape<Rank<2>>` is not satisfied
    let _ = Matrix::from_vec_col_major([6], vec![0.0; 6]); //~ E0277: ; 1]: IntoRankShape<Rank<2>>` is not satisfied
    let _ = Matrix::from_vec_row_major(&[2, 3, 1], vec![0.0; 6]); //~ E0277: ; 3]: IntoRankShape<Rank<2>>` is not satisfied
    let _ = TypedTensorView::<f64, Rank<0>>::from_slice([1], &[0.0]); //~ E0277: ; 1]: IntoRankShape<Rank<0>>` is not satisfied
    let _ = TensorLayout::<Rank<3>>::row_major([2, 3]); //~ E0277: ; 2]: IntoRankShape<Rank<3>>` is not satisfied
    let _ = Matrix::zeros([2_i32, 3]); //~ E0277: `[i32; 2]: IntoRankShape<Rank<2>>` is not satisfied
}
