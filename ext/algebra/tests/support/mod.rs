//! What every scalar of `ext/` must be able to do in tensors, whatever its arithmetic: included by the tests of each crate.
//!
//! The values that operations should give are not known here. What is known: memory order and views never change a value,
//! reductions over nothing are neutral, and an identity matrix changes nothing.
//! `dynamic.rs`, beside this file, has the same for dynamic tensors.

use std::fmt::Debug;

use algebra::tensor::core::ScalarArithmetic;
use algebra::tensor::{Rank, SliceSpec, TypedTensor, TypedTensorView};
use algebra::{matmul, product, sum};

/// A 2 x 3 matrix in both memory orders.
fn matrices<T: Copy>(v: [T; 6]) -> [TypedTensor<T, Rank<2>>; 2] {
    [
        TypedTensor::from_vec_row_major([2, 3], v.to_vec()).unwrap(),
        TypedTensor::from_vec_col_major([2, 3], vec![v[0], v[3], v[1], v[4], v[2], v[5]]).unwrap(),
    ]
}

/// Runs all checks on six values that differ from each other.
pub(crate) fn check<T: ScalarArithmetic + PartialEq + Debug>(values: [T; 6]) {
    for matrix in &matrices(values) {
        views(&matrix.as_view().unwrap(), values);
        neutral(&matrix.as_view().unwrap(), values);
    }
    memory_order(values);
}

fn views<T: Copy + PartialEq + Debug>(view: &TypedTensorView<'_, T, Rank<2>>, v: [T; 6]) {
    assert_eq!(view.to_vec().unwrap(), v);
    assert_eq!((view[[0, 2]], view.get(&[1, 0]).unwrap()), (v[2], &v[3]));
    assert!(view.get(&[2, 0]).is_err());
    let turned = view.permute(&[1, 0]).unwrap();
    assert_eq!(
        turned.to_vec().unwrap(),
        [v[0], v[3], v[1], v[4], v[2], v[5]]
    );
    let copy = turned.to_contiguous().unwrap();
    assert_eq!(
        (copy.shape(), copy.as_slice().unwrap()[1]),
        (&[3, 2][..], v[3])
    );
    let odd = view.slice_axis(1, SliceSpec::new(None, None, -2)).unwrap();
    assert_eq!(odd.to_vec().unwrap(), [v[2], v[0], v[5], v[3]]);
    let row = view.index_axis(0, 1).unwrap();
    let wide = row.broadcast_to([2, 3]).unwrap();
    assert_eq!(wide.strides()[0], 0);
    assert_eq!(wide.to_vec().unwrap(), [v[3], v[4], v[5], v[3], v[4], v[5]]);
    assert!(row.broadcast_to([2, 2]).is_err());
}

fn neutral<T: ScalarArithmetic + PartialEq + Debug>(
    view: &TypedTensorView<'_, T, Rank<2>>,
    v: [T; 6],
) {
    assert_eq!(sum(view, &[]).unwrap().to_vec().unwrap(), v);
    assert_eq!(product(view, &[]).unwrap().to_vec().unwrap(), v);
    let none = view.slice_axis(1, SliceSpec::range(3, 3)).unwrap();
    assert_eq!(none.shape(), [2, 0]);
    assert_eq!(sum(&none, &[1]).unwrap().as_slice().unwrap(), [T::ZERO; 2]);
    assert_eq!(
        product(&none, &[1]).unwrap().as_slice().unwrap(),
        [T::ONE; 2]
    );
    assert_eq!(sum(&none, &[0]).unwrap().shape(), [0]);
    let empty = matmul(&none, &none.transpose()).unwrap();
    assert_eq!(empty.as_slice().unwrap(), [T::ZERO; 4]);
    let unit = TypedTensor::<T, Rank<2>>::from_vec_row_major(
        [2, 2],
        vec![T::ONE, T::ZERO, T::ZERO, T::ONE],
    )
    .unwrap();
    let same = matmul(&unit.as_view().unwrap(), view).unwrap();
    assert_eq!(same.as_slice().unwrap(), v);
}

fn memory_order<T: ScalarArithmetic + PartialEq + Debug>(v: [T; 6]) {
    let [row, col] = matrices(v);
    let (row, col) = (row.as_view().unwrap(), col.as_view().unwrap());
    assert_ne!(row.storage(), col.storage(), "the values must differ");
    let expect = matmul(&row, &row.transpose()).unwrap().to_vec().unwrap();
    assert_eq!(
        matmul(&col, &row.transpose()).unwrap().to_vec().unwrap(),
        expect
    );
    assert_eq!(
        matmul(&row, &col.transpose()).unwrap().to_vec().unwrap(),
        expect
    );
    for axes in [&[0][..], &[1], &[0, 1], &[1, 0]] {
        let (a, b) = (sum(&row, axes).unwrap(), sum(&col, axes).unwrap());
        assert_eq!(
            (a.shape(), a.as_slice().unwrap()),
            (b.shape(), b.as_slice().unwrap())
        );
        let (a, b) = (product(&row, axes).unwrap(), product(&col, axes).unwrap());
        assert_eq!(a.as_slice().unwrap(), b.as_slice().unwrap());
    }
}
