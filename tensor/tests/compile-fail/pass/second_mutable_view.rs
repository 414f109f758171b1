//! Views that write live one after the other, or look at disjoint memory.

use tensor::{Result, SliceSpec, Tensor, TypedTensor, TypedTensorViewMut};

fn main() -> Result<()> {
    let mut owner = TypedTensor::<f64>::zeros([2, 3])?;
    let mut first = owner.as_view_mut()?;
    first.fill(1.0);
    let mut second = owner.as_view_mut()?;
    second
        .transpose()
        .slice(&[SliceSpec::range(0, 1)])?
        .fill(2.0);
    second.slice(&[SliceSpec::range(1, 2)])?.fill(3.0);
    let mut shorter = second.reborrow();
    shorter.reshape([6])?.fill(4.0);
    second.fill(5.0);
    assert_eq!(owner.as_slice()?, [5.0; 6]);

    let mut elements = vec![0.0; 6];
    let (left, right) = elements.split_at_mut(2);
    let mut left = TypedTensorViewMut::<f64>::from_slice([2], left)?;
    let mut right = TypedTensorViewMut::<f64>::from_slice([2, 2], right)?;
    left.fill(1.0);
    right.fill(2.0);
    left.fill(3.0);

    let (mut a, mut b) = (Tensor::scalar(1), Tensor::scalar(2));
    let (mut to, mut from) = (a.view_mut()?, b.view_mut()?);
    to.copy_from(&from.as_view())?;
    from.as_mut_slice::<i32>()?[0] = 3;
    Ok(())
}
