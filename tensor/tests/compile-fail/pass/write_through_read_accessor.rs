//! The accessors that write say so by their names.

use tensor::{Rank, Result, Tensor, TypedTensor};

fn main() -> Result<()> {
    let mut owner = TypedTensor::<f64, Rank<1>>::zeros([2])?;
    owner.storage_mut()?[0] = 1.0;
    owner.as_mut_slice()?[1] = 2.0;
    *owner.get_mut(&[0])? = 3.0;
    owner[[1]] = 4.0;
    let mut erased = Tensor::from(owner.into_dyn_rank());
    erased.as_mut_slice::<f64>()?[0] = 5.0;
    if let Some(typed) = erased.as_typed_mut::<f64>() {
        typed.as_view_mut()?.for_each(|element| *element += 1.0);
    }
    assert_eq!(erased.to_vec::<f64>()?, [6.0, 5.0]);
    Ok(())
}
