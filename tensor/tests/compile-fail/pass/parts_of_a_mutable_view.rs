//! Parts that share no element are written at the same time, on several threads too.

use std::thread;

use tensor::{
    ColMajorViewMut, Rank, Result, SliceSpec, StridedMut, TypedTensor, TypedTensorViewMut,
};

fn columns(elements: StridedMut<'_, i32, Rank<2>>) -> Result<()> {
    // Columns of a row-major matrix interleave in memory, so they are split without their buffer.
    let (mut left, mut right) = elements.split_at(1, 1)?;
    std::mem::swap(left.get_mut(&[0, 0])?, right.get_mut(&[1, 1])?);
    thread::scope(|scope| {
        scope.spawn(|| left.iter_mut().for_each(|element| *element += 10));
        scope.spawn(|| right.iter_mut().for_each(|element| *element += 20));
    });
    Ok(())
}

fn main() -> Result<()> {
    let elements = vec![1, 2, 3, 4, 5, 6];
    let mut owner = TypedTensor::<i32, Rank<2>>::from_vec_row_major([2, 3], elements)?;
    let mut view = owner.as_view_mut()?;
    let (mut top, mut bottom) = view.split_at(0, 1)?;
    top.fill(0);
    bottom.copy_from(&top.as_view())?;
    columns(view.strided_mut())?;
    let (mut first, mut last) =
        view.multi_slice_mut(&[SliceSpec::range(0, 1)], &[SliceSpec::range(1, 2)])?;
    first
        .iter_mut()
        .zip(last.iter_mut())
        .for_each(|(a, b)| std::mem::swap(a, b));
    for row in view.axis_iter_mut(0)? {
        row.into_iter().for_each(|element| *element += 1);
    }
    assert_eq!(owner.as_slice()?, [11, 21, 21, 11, 21, 21]);

    let mut memory = vec![1.0, 2.0, 3.0, 4.0];
    let mut dense = ColMajorViewMut::from_slice([2, 2], &mut memory)?;
    dense[[0, 1]] = 30.0;
    dense.lanes_mut().for_each(|column| column.reverse());
    assert_eq!(memory, [2.0, 1.0, 4.0, 30.0]);
    let all = TypedTensorViewMut::<f64>::from_slice([4], &mut memory)?;
    let elements: Vec<&mut f64> = all.into_strided_mut().into_iter().collect();
    assert_eq!(elements.len(), 4);
    Ok(())
}
