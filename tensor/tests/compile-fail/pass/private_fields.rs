//! What the fields hold is read by methods and put together by constructors, which check.

use tensor::{DynRank, Result, Tensor, TensorLayout, TypedTensor, TypedTensorView};

fn main() -> Result<()> {
    let elements = [1.0, 2.0, 3.0, 4.0];
    let layout = TensorLayout::<DynRank>::col_major([2, 2])?;
    let view = TypedTensorView::from_layout(layout, &elements)?;
    assert_eq!(view.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    assert_eq!((view.storage().len(), view.layout().offset()), (4, 0));
    assert!(
        TypedTensorView::from_layout(TensorLayout::<DynRank>::row_major([5])?, &elements).is_err()
    );

    let owner = TypedTensor::<f64>::from_vec_col_major([2, 2], elements.to_vec())?;
    assert_eq!(
        (owner.storage()?, owner.strides()),
        (&elements[..], &[1, 2][..])
    );
    let (elements, layout) = owner.try_into_parts()?;
    assert_eq!((elements.len(), layout.shape()), (4, &[2, 2][..]));
    assert!(Tensor::scalar(1.0).as_typed::<f64>().is_some());
    Ok(())
}
