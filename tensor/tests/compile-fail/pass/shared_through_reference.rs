//! A holder that is borrowed mutably writes if it is the only one; a holder that is owned can be taken apart.

use tensor::{Result, SharedTensor, Tensor, TensorError};

fn write(holder: &mut SharedTensor) -> Result<()> {
    holder.view_mut()?.as_mut_slice::<f32>()?[0] = 2.0;
    Ok(())
}

fn main() -> Result<()> {
    let mut holder = Tensor::scalar(1.0_f32).into_shared();
    write(&mut holder)?;
    let mut other = holder.clone();
    assert!(matches!(
        write(&mut other),
        Err(TensorError::Shared { holders: 2, .. })
    ));
    drop(other);
    let owner = holder.try_into_tensor()?;
    assert_eq!(owner.to_vec::<f32>()?, [2.0]);
    Ok(())
}
