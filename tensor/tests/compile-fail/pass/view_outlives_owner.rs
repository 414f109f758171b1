//! What a view lends lives as long as the owner, longer than the view itself; and views shorten their lifetime by themselves.

use tensor::{
    Iter, Rank, Result, SharedTensor, SliceSpec, Tensor, TensorView, TypedTensor, TypedTensorView,
};

fn first_row(owner: &TypedTensor<f64>) -> Result<TypedTensorView<'_, f64>> {
    owner.as_view()?.transpose().transpose().index_axis(0, 0)
}

fn slice_of_a_view(owner: &Tensor) -> Result<&[f64]> {
    let view = owner.view()?;
    view.slice(&[SliceSpec::range(0, 1)])?.as_slice()
}

fn shorter<'s>(
    typed: TypedTensorView<'static, f64, Rank<1>>,
    erased: TensorView<'static>,
    iter: Iter<'static, f64>,
    _scope: &'s (),
) -> (
    TypedTensorView<'s, f64, Rank<1>>,
    TensorView<'s>,
    Iter<'s, f64>,
) {
    (typed, erased, iter)
}

fn larger<'a>(a: TensorView<'a>, b: TensorView<'a>) -> TensorView<'a> {
    if a.len() < b.len() { b } else { a }
}

fn part(holder: &SharedTensor) -> Result<SharedTensor> {
    holder.index_axis(0, 1)
}

static MEMORY: [f64; 2] = [1.0, 2.0];

fn main() -> Result<()> {
    let owner = TypedTensor::<f64>::from_vec_row_major([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    assert_eq!(first_row(&owner)?.to_vec()?, [1.0, 2.0]);
    let long_lived = TensorView::from_slice([2], &MEMORY)?;
    let owner = Tensor::from(owner);
    assert_eq!(larger(long_lived.clone(), owner.view()?).len(), 4);
    assert_eq!(slice_of_a_view(&owner)?, [1.0, 2.0]);
    let typed = TypedTensorView::from_slice([2], &MEMORY)?;
    let iter = typed.iter();
    let scope = ();
    shorter(typed, long_lived, iter, &scope);
    // A shared part keeps its storage alive by itself.
    let kept = {
        let holder = owner.into_shared();
        part(&holder)?
    };
    assert_eq!(kept.view()?.to_vec::<f64>()?, [3.0, 4.0]);
    Ok(())
}
