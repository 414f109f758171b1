//! Any number of views read at once, and writing comes before or after them.

use tensor::{AllocationGroup, Result, SliceSpec, Tensor, TypedTensor};

fn main() -> Result<()> {
    let mut owner = TypedTensor::<i32>::from_vec_row_major([2, 2], vec![1, 2, 3, 4])?;
    owner.storage_mut()?[0] = 10;
    {
        let all = owner.as_view()?;
        let turned = all.transpose();
        let row = all.slice(&[SliceSpec::range(1, 2)])?;
        let copy = all.clone();
        assert_eq!(copy.to_vec()?, [10, 2, 3, 4]);
        assert_eq!(turned.get(&[1, 0])?, all.get(&[0, 1])?);
        assert_eq!(row.as_slice()?, [3, 4]);
    }
    *owner.get_mut(&[1, 1])? = 40;

    let tensors = vec![Tensor::from(owner), Tensor::scalar(5)];
    let (mut group, slots) = AllocationGroup::from_tensors(tensors);
    group.write_view(slots[1])?.as_mut_slice::<i32>()?[0] = 6;
    let views = group.read_views(&slots)?;
    assert_eq!(views[0].get::<i32>(&[1, 1])?, 40);
    assert_eq!(views[1].get::<i32>(&[])?, 6);

    let holder = Tensor::scalar(1).into_shared();
    let other = holder.clone();
    assert_eq!(
        holder.view()?.to_vec::<i32>()?,
        other.view()?.to_vec::<i32>()?
    );
    Ok(())
}
