//! Whole owners can be exchanged, and elements between them.

use tensor::{Result, TypedTensor};

fn main() -> Result<()> {
    let mut a = TypedTensor::<f64>::zeros([2])?;
    let mut b = TypedTensor::<f64>::ones([3])?;
    std::mem::swap(&mut a, &mut b);
    assert_eq!(a.shape(), [3]);
    std::mem::swap(&mut a.storage_mut()?[0], &mut b.storage_mut()?[0]);
    assert_eq!((a.as_slice()?[0], b.as_slice()?[0]), (0.0, 1.0));
    Ok(())
}
