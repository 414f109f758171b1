//! A dense view is made where memory has its order, and is a view of any order by name.

use tensor::{ColMajorView, Rank, Result, RowMajorView, TypedTensor};

fn columns(view: ColMajorView<'_, f64, 2>) -> Vec<f64> {
    view.lanes().map(|column| column.iter().sum()).collect()
}

fn main() -> Result<()> {
    let elements = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let rows = RowMajorView::from_slice([2, 3], &elements)?;
    let again = rows;
    assert_eq!((rows[[1, 0]], again.get([1, 3])), (4.0, None));
    // The transposed view of row-major memory is column-major.
    let turned = rows.to_typed_view().transpose();
    assert_eq!(columns(turned.col_major_view()?), [6.0, 15.0]);
    let mut owner = TypedTensor::<f64, Rank<2>>::from_vec_col_major([2, 3], elements.to_vec())?;
    assert_eq!(columns(owner.col_major_view()?), [3.0, 7.0, 11.0]);
    assert!(owner.row_major_view().is_err());
    owner.col_major_view_mut()?[[0, 0]] = 0.0;
    assert_eq!(owner[[0, 0]], 0.0);
    Ok(())
}
