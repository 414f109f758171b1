//! Plain host memory clones; every other copy has a name.

use tensor::{DynRank, Host, Rank, Result, SharedTensor, Tensor, TypedTensor};

fn main() -> Result<()> {
    let host: TypedTensor<String, Rank<1>, Host> =
        TypedTensor::from_host_vec_row_major([2], vec!["a".to_owned(), "b".to_owned()])?;
    let copy = host.clone();
    assert_eq!((&copy[[1]], &host[[1]]), (&"b".to_owned(), &"b".to_owned()));
    let dynamic: TypedTensor<String, Rank<1>> = host.into_dynamic();
    let copy: TypedTensor<String, Rank<1>> = dynamic.duplicate()?;
    let sure: TypedTensor<String, DynRank, Host> = copy.into_dyn_rank().into_host()?.clone();
    assert_eq!(sure[&[0][..]], "a");
    let downloaded: TypedTensor<f64, DynRank, Host> = TypedTensor::scalar(1.0).to_host()?;

    let erased = Tensor::from(downloaded.into_dynamic());
    let _copy: Tensor = erased.duplicate()?;
    let holder: SharedTensor = erased.into_shared();
    let _holder: SharedTensor = holder.clone();
    Ok(())
}
