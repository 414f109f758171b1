//! Arrays of `ndarray`: both sides must read the same elements, at the same addresses.

use ::ndarray::{Array, Array1, Array2, ArrayD, Axis, Ix2, IxDyn, arr2, s};

use crate::view::ViewError;
use crate::{
    Host, Rank, ReinterpretError, Result, SliceSpec, TensorError, TypedTensor, TypedTensorView,
    TypedTensorViewMut, ValidationError,
};

const DATA: [i32; 6] = [1, 2, 3, 4, 5, 6];

#[test]
fn views_of_every_layout_become_arrays() {
    let view = TypedTensorView::<i32>::from_slice([2, 3], &DATA).unwrap();
    let check = |view: TypedTensorView<'_, i32>| {
        let array = view.to_ndarray().unwrap();
        assert_eq!(array.shape(), view.shape());
        assert!(array.iter().eq(view.iter()), "{view:?}");
        for ((index, element), ours) in array.indexed_iter().zip(&view) {
            assert!(std::ptr::eq(element, ours), "{view:?} at {index:?}");
        }
    };
    let back = SliceSpec::reverse();
    check(view.clone());
    check(view.transpose());
    check(view.slice(&[back]).unwrap());
    check(view.slice(&[back, SliceSpec::new(None, None, -2)]).unwrap());
    check(
        view.slice(&[SliceSpec::range(1, 2), SliceSpec::range(1, 3)])
            .unwrap()
            .transpose(),
    );
    check(view.slice(&[SliceSpec::range(2, 2), back]).unwrap());
    check(view.index_axis(0, 1).unwrap().broadcast_to([4, 3]).unwrap());
    check(
        view.slice_axis(1, back)
            .unwrap()
            .index_axis(0, 0)
            .unwrap()
            .broadcast_to([2, 2, 3])
            .unwrap(),
    );
    check(view.index_axis(0, 1).unwrap().index_axis(0, 2).unwrap());
    check(view.reshape([1, 2, 1, 1, 3, 1, 1, 1]).unwrap());
    let ranked = view
        .to_rank::<2>()
        .unwrap()
        .transpose()
        .to_ndarray()
        .unwrap();
    assert_eq!(ranked, arr2(&[[1, 4], [2, 5], [3, 6]]));
}

#[test]
fn extents_that_ndarray_can_not_count_are_a_typed_error() {
    let none: [u8; 0] = [];
    let view = TypedTensorView::<u8>::from_slice([usize::MAX, 0], &none).unwrap();
    let error = view.to_ndarray().unwrap_err();
    assert!(matches!(
        error,
        TensorError::View(ViewError::NotAnArray {
            op: "to_ndarray",
            ..
        })
    ));
    let t = TypedTensor::<u8>::zeros([usize::MAX, 0]).unwrap();
    assert_eq!(
        t.into_ndarray().unwrap_err().into_owner().shape(),
        [usize::MAX, 0]
    );
}

#[test]
fn arrays_that_fill_their_memory_become_views() {
    let array = arr2(&[[1, 2, 3], [4, 5, 6]]);
    let check = |array: ::ndarray::ArrayView<'_, i32, Ix2>| {
        let view = TypedTensorView::<i32, Rank<2>>::from_ndarray(array).unwrap();
        assert_eq!(
            (view.shape(), view.strides()),
            (array.shape(), array.strides())
        );
        assert!(
            view.iter()
                .zip(&array)
                .all(|(ours, theirs)| std::ptr::eq(ours, theirs))
        );
        assert_eq!(view.to_ndarray().unwrap(), array);
    };
    check(array.view());
    check(array.t());
    check(array.slice(s![..;-1, ..;-1]));
    check(array.slice(s![..;-1, ..]));
    check(array.slice(s![.., ..;-1]).reversed_axes());
    check(array.slice(s![1..2, ..]));
    let mut empty = array.clone();
    let view = TypedTensorView::<i32>::from_ndarray(empty.slice(s![1..1, ..]));
    assert_eq!(view.unwrap().shape(), [0, 3]);
    let view = TypedTensorViewMut::<i32>::from_ndarray(empty.slice_mut(s![.., ..0]));
    assert_eq!(view.unwrap().shape(), [2, 0]);
    let dynamic = array.clone().into_dyn();
    let view = TypedTensorView::<i32>::from_ndarray(dynamic.view()).unwrap();
    assert_eq!(view.get(&[1, 0]).unwrap(), &4);
}

#[test]
fn arrays_with_gaps_are_refused_with_the_cure() {
    let array = arr2(&[[1, 2, 3], [4, 5, 6]]);
    for gaps in [
        array.slice(s![.., ..2]),
        array.slice(s![.., ..;2]),
        array.slice(s![.., 1..2]),
    ] {
        let error = TypedTensorView::<i32>::from_ndarray(gaps).unwrap_err();
        assert!(
            error.to_string().contains("as_standard_layout()"),
            "{error}"
        );
        let cured = gaps.as_standard_layout();
        let view = TypedTensorView::<i32>::from_ndarray(cured.view()).unwrap();
        assert!(view.iter().eq(gaps.iter()));
    }
    let row = array.row(0);
    let repeated = row.broadcast((2, 3)).unwrap();
    assert!(TypedTensorView::<i32>::from_ndarray(repeated).is_err());
    assert!(matches!(
        TypedTensorView::<i32, Rank<3>>::from_ndarray(array.view()),
        Err(TensorError::Validation(ValidationError::RankMismatch {
            expected: 3,
            actual: 2,
            ..
        }))
    ));
}

#[test]
fn both_sides_write() {
    let mut data = DATA;
    let mut view = TypedTensorViewMut::<i32, Rank<2>>::from_slice([2, 3], &mut data).unwrap();
    let mut back = view
        .slice(&[SliceSpec::reverse(), SliceSpec::new(None, None, -2)])
        .unwrap();
    back.to_ndarray_mut()
        .unwrap()
        .assign(&arr2(&[[60, 40], [30, 10]]));
    view.transpose().into_ndarray_mut().unwrap()[[1, 0]] = 20;
    assert_eq!(data, [10, 20, 30, 40, 5, 60]);

    let mut array = arr2(&[[1, 2, 3], [4, 5, 6]]);
    let turned = array.view_mut().reversed_axes();
    TypedTensorViewMut::<i32>::from_ndarray(turned)
        .unwrap()
        .index_row(2)
        .fill(0);
    let mut backwards = array.view_mut();
    backwards.invert_axis(Axis(0));
    let mut view = TypedTensorViewMut::<i32, Rank<2>>::from_ndarray(backwards).unwrap();
    *view.get_mut(&[0, 0]).unwrap() = 44;
    assert!(TypedTensorViewMut::<i32>::from_ndarray(array.slice_mut(s![.., ..2])).is_err());
    assert_eq!(array, arr2(&[[1, 2, 0], [44, 5, 0]]));

    // Without overlap, but not provably so by strides.
    let mut data = [0; 8];
    let mut odd =
        TypedTensorViewMut::<i32>::from_slice_strided([2, 3], &[3, 2], 0, &mut data).unwrap();
    assert!(matches!(
        odd.to_ndarray_mut(),
        Err(TensorError::View(ViewError::NotAnArray {
            op: "to_ndarray_mut",
            ..
        }))
    ));
}

impl TypedTensorViewMut<'_, i32> {
    fn index_row(&mut self, row: isize) -> TypedTensorViewMut<'_, i32> {
        self.slice(&[SliceSpec::range(row, row + 1)]).unwrap()
    }
}

#[test]
fn owners_keep_their_vector_both_ways() {
    let data = DATA.to_vec();
    let address = data.as_ptr();
    let t = TypedTensor::<i32, Rank<2>>::from_vec_col_major([2, 3], data).unwrap();
    let array: Array2<i32> = t.into_ndarray().unwrap();
    assert_eq!(
        (array.as_ptr(), &array),
        (address, &arr2(&[[1, 3, 5], [2, 4, 6]]))
    );
    let t = TypedTensor::<i32, Rank<2>>::from_ndarray(array).unwrap();
    assert_eq!(
        (t.storage().unwrap().as_ptr(), t.strides()),
        (address, &[1, 2][..])
    );
    let host: TypedTensor<i32, Rank<2>, Host> = t.into_host().unwrap();
    let array = host
        .into_ndarray()
        .unwrap()
        .into_shape_with_order(((3, 2), ::ndarray::Order::F))
        .unwrap();
    let t = TypedTensor::<i32>::from_ndarray(array).unwrap();
    assert_eq!(
        (t.shape(), t.storage().unwrap().as_ptr()),
        (&[3, 2][..], address)
    );

    let cube = Array::from_shape_vec((2, 3, 4), (0..24).collect()).unwrap();
    let turned = cube.clone().permuted_axes([1, 2, 0]);
    let t = TypedTensor::<i32, Rank<3>>::from_ndarray(turned.clone()).unwrap();
    assert_eq!(t.strides(), [4, 1, 12]);
    assert!(t.as_view().unwrap().iter().eq(turned.iter()));
    assert_eq!(t.into_ndarray().unwrap(), turned);
    let scalar: ArrayD<f64> = Array::from_elem(IxDyn(&[]), 2.0);
    assert_eq!(
        TypedTensor::<f64>::from_ndarray(scalar)
            .unwrap()
            .get(&[])
            .unwrap(),
        &2.0
    );
    let empty = Array2::<f32>::zeros((0, 3));
    assert_eq!(
        TypedTensor::<f32>::from_ndarray(empty).unwrap().shape(),
        [0, 3]
    );
}

#[test]
fn arrays_cut_out_of_larger_ones() {
    let mut array = Array1::from_iter((0..6).map(|number| number.to_string()));
    array.slice_axis_inplace(Axis(0), (2..5).into());
    let t = TypedTensor::<String>::from_ndarray(array).unwrap();
    assert_eq!(t.as_slice().unwrap(), ["2", "3", "4"]);
    assert_eq!(t.storage().unwrap().len(), 3);
}

#[test]
fn a_refused_array_comes_back() {
    let check = |made: Result<TypedTensor<i32>, ReinterpretError<Array2<i32>>>,
                 expect: &Array2<i32>| {
        let failed = made.unwrap_err();
        assert!(
            failed.to_string().contains("as_standard_layout()"),
            "{failed}"
        );
        assert_eq!(failed.into_owner(), expect);
    };
    let mut columns = arr2(&[[1, 2, 3], [4, 5, 6]]);
    columns.slice_axis_inplace(Axis(1), (0..2).into());
    check(
        TypedTensor::from_ndarray(columns.clone().slice_move(s![.., ..;-1])),
        &arr2(&[[2, 1], [5, 4]]),
    );
    check(TypedTensor::from_ndarray(columns), &arr2(&[[1, 2], [4, 5]]));
}
