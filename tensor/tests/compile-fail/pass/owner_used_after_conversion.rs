//! A conversion that fails gives its owner back, so that another can be tried.

use tensor::{AllocationGroup, Rank, ReinterpretError, Result, SharedTensor, Tensor, TypedTensor};

fn either(owner: Tensor) -> Result<TypedTensor<f64>, ReinterpretError<Tensor>> {
    match owner.into_typed::<f64>() {
        Ok(typed) => Ok(typed),
        Err(failed) => {
            let (owner, _cause) = failed.into_parts();
            Ok(owner
                .cast(tensor::DType::F64)
                .expect("a real number")
                .into_typed()?)
        }
    }
}

fn main() -> Result<()> {
    let typed = either(Tensor::scalar(1.0_f32))?;
    let failed: ReinterpretError<TypedTensor<f64>> = typed.try_into_rank::<2>().unwrap_err();
    let ranked: TypedTensor<f64, Rank<0>> = failed.into_owner().try_into_rank::<0>()?;
    let failed = Tensor::from(ranked.into_dyn_rank()).into_shared();
    let other = failed.clone();
    let failed: ReinterpretError<SharedTensor> = failed.try_into_tensor().unwrap_err();
    drop(other);
    let owner = failed.into_owner().try_into_tensor()?;
    let (group, _) = AllocationGroup::from_tensors(vec![owner, Tensor::scalar(2)]);
    let group: AllocationGroup = group.into_tensor().unwrap_err().into_owner();
    assert_eq!(group.len(), 2);
    Ok(())
}
