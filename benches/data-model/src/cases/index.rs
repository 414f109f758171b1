//! Elements by index, in loops over all of them.

use ndarray::{Array2, ArrayD};
use tensor::{Rank, TypedTensor};

use super::{Inputs, VALID};
use crate::Case;

const GROUP: &str = "index in a loop";

pub(super) fn cases(inputs: &Inputs) -> Vec<Case<'_>> {
    let (fixed, dynamic) = (&inputs.table, &inputs.table_dyn);
    vec![
        Case::new(
            (GROUP, "t[[i, j]]"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let &[rows, columns] = t.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| t[[i, j]])
            }),
            (&fixed.theirs, |a: &Array2<f32>| {
                over(a.nrows(), a.ncols(), |i, j| a[[i, j]])
            }),
        ),
        Case::new(
            (GROUP, "view[[j, i]], transposed"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let view = t.as_view().expect(VALID).transpose();
                let &[rows, columns] = view.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| view[[i, j]])
            }),
            (&fixed.theirs, |a: &Array2<f32>| {
                let view = a.t();
                over(view.nrows(), view.ncols(), |i, j| view[[i, j]])
            }),
        ),
        Case::new(
            (GROUP, "get, rank 2"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let &[rows, columns] = t.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| *t.get(&[i, j]).expect(VALID))
            }),
            (&fixed.theirs, |a: &Array2<f32>| {
                over(a.nrows(), a.ncols(), |i, j| *a.get([i, j]).expect(VALID))
            }),
        ),
        Case::new(
            (GROUP, "get, dynamic rank"),
            (&dynamic.ours, |t: &TypedTensor<f32>| {
                let &[rows, columns] = t.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| *t.get(&[i, j]).expect(VALID))
            }),
            (&dynamic.theirs, |a: &ArrayD<f32>| {
                let &[rows, columns] = a.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| *a.get(&[i, j][..]).expect(VALID))
            }),
        ),
        Case::new(
            (GROUP, "get of a view, dynamic rank"),
            (&dynamic.ours, |t: &TypedTensor<f32>| {
                let view = t.as_view().expect(VALID);
                let &[rows, columns] = view.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| *view.get(&[i, j]).expect(VALID))
            }),
            (&dynamic.theirs, |a: &ArrayD<f32>| {
                let view = a.view();
                let &[rows, columns] = view.shape() else {
                    return 0.0;
                };
                over(rows, columns, |i, j| *view.get(&[i, j][..]).expect(VALID))
            }),
        ),
    ]
}

/// Sums what `at` gives for every index of a matrix.
#[inline(always)]
fn over(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..rows {
        for j in 0..columns {
            sum += at(i, j);
        }
    }
    sum
}
