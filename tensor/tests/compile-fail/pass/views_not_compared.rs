//! Values, layouts and identity are compared by name.

use tensor::{Result, Tensor};

fn main() -> Result<()> {
    let row = Tensor::from_vec_row_major([2, 2], vec![1, 2, 3, 4])?;
    let col = Tensor::from_vec_col_major([2, 2], vec![1, 3, 2, 4])?;
    assert_eq!(row.to_vec::<i32>()?, col.to_vec::<i32>()?);
    assert_ne!(row.layout(), col.layout());
    assert!(
        row.view()?.as_typed::<i32>().unwrap().iter().eq(col
            .view()?
            .as_typed::<i32>()
            .unwrap()
            .iter())
    );
    let holder = row.into_shared();
    assert!(holder.shares_storage_with(&holder.transpose()));
    Ok(())
}
