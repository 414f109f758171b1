//! A view ends with its last use; after that its owner can be consumed.

use tensor::{AllocationGroup, Result, Tensor, TypedTensor};

fn main() -> Result<()> {
    let owner = TypedTensor::<f64>::from_vec_row_major([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    let view = owner.as_view()?;
    assert_eq!(view.transpose().to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    let erased = Tensor::from(owner);
    assert_eq!(erased.view()?.shape(), [2, 2]);
    let typed = erased.into_typed::<f64>()?;

    let (group, slots) = AllocationGroup::from_tensors(vec![typed.into()]);
    assert_eq!(group.read_view(slots[0])?.len(), 4);
    drop(group.into_shared());
    Ok(())
}
