//! A view that writes is read through itself, and its owner once it has ended.

use tensor::{Result, Tensor, TypedTensor};

fn main() -> Result<()> {
    let mut owner = TypedTensor::<f64>::zeros([2])?;
    let mut writer = owner.as_view_mut()?;
    writer.fill(1.0);
    assert_eq!(writer.shape(), [2]);
    assert_eq!(writer.as_view().to_vec()?, [1.0; 2]);
    writer.fill(2.0);
    assert_eq!(owner.get(&[0])?, &2.0);

    let mut shared = Tensor::from(owner).into_shared();
    shared.view_mut()?.as_mut_slice::<f64>()?[0] = 3.0;
    let other = shared.clone();
    assert_eq!(other.view()?.to_vec::<f64>()?, [3.0, 2.0]);
    Ok(())
}
