//! Arrays index every static rank, slices index plain host memory of any rank, and `get` reads everywhere.

use tensor::{DynRank, Host, Rank, Result, Tensor, TypedTensor};

fn main() -> Result<()> {
    let mut host =
        TypedTensor::<i32, DynRank, Host>::from_host_vec_row_major([2, 2], vec![1, 2, 3, 4])?;
    host[&[1, 0][..]] = 30;
    assert_eq!(host[&[1, 0][..]], 30);
    let mut ranked: TypedTensor<i32, Rank<2>> = host.into_dynamic().try_into_rank()?;
    ranked[[0, 1]] = 20;
    assert_eq!(ranked.as_view()?.transpose()[[1, 0]], 20);
    let dynamic: TypedTensor<i32> = ranked.into_dyn_rank();
    assert_eq!(dynamic.get(&[1, 1])?, &4);
    assert_eq!(Tensor::from(dynamic).view()?.get::<i32>(&[0, 0])?, 1);
    Ok(())
}
