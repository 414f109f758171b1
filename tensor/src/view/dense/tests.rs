//! Dense views; expected values are worked by hand.

use crate::{
    ColMajorView, ColMajorViewMut, Host, Rank, RowMajorView, RowMajorViewMut, TypedTensor,
    TypedTensorView, TypedTensorViewMut, ValidationError,
};

#[test]
fn both_orders_index_by_their_own_strides() {
    let data = [1, 2, 3, 4, 5, 6];
    let col = ColMajorView::from_slice([2, 3], &data).unwrap();
    let row = RowMajorView::from_slice([2, 3], &data).unwrap();
    for (index, in_col, in_row) in [
        ([0, 0], Some(1), Some(1)),
        ([1, 0], Some(2), Some(4)),
        ([0, 1], Some(3), Some(2)),
        ([1, 2], Some(6), Some(6)),
        ([2, 0], None, None),
        ([0, 3], None, None),
        ([usize::MAX, 0], None, None),
    ] {
        assert_eq!(col.get(index).copied(), in_col, "{index:?}");
        assert_eq!(row.get(index).copied(), in_row, "{index:?}");
        if let (Some(in_col), Some(in_row)) = (in_col, in_row) {
            assert_eq!((col[index], row[index]), (in_col, in_row));
        }
    }
    let data: Vec<usize> = (0..24).collect();
    let col = ColMajorView::from_slice([2, 3, 4], &data).unwrap();
    let row = RowMajorView::from_slice([2, 3, 4], &data).unwrap();
    assert_eq!((col[[1, 2, 3]], row[[1, 2, 3]]), (23, 23));
    assert_eq!((col[[1, 0, 2]], row[[1, 0, 2]]), (1 + 2 * 6, 12 + 2));
    assert_eq!(
        (col.shape(), col.len(), row.iter().sum::<usize>()),
        ([2, 3, 4], 24, 276)
    );
}

#[test]
fn lanes_are_slices_along_the_fastest_axis() {
    let data = [1, 2, 3, 4, 5, 6];
    let col = ColMajorView::from_slice([2, 3], &data).unwrap();
    assert!(col.lanes().eq([&[1, 2][..], &[3, 4], &[5, 6]]));
    assert!(col.lanes().rev().eq([&[5, 6][..], &[3, 4], &[1, 2]]));
    let row = RowMajorView::from_slice([2, 3], &data).unwrap();
    assert!(row.lanes().eq([&[1, 2, 3][..], &[4, 5, 6]]));
    let mut lanes = row.lanes();
    assert_eq!(
        (lanes.len(), lanes.next_back(), lanes.len()),
        (2, Some(&[4, 5, 6][..]), 1)
    );
    assert_eq!(
        (lanes.next(), lanes.next(), lanes.next_back()),
        (Some(&[1, 2, 3][..]), None, None)
    );
}

#[test]
fn lanes_of_rank_zero_and_of_empty_shapes() {
    assert!(
        ColMajorView::from_slice([], &[7])
            .unwrap()
            .lanes()
            .eq([&[7][..]])
    );
    assert_eq!(RowMajorView::from_slice([], &[7]).unwrap()[[]], 7);
    let none: [u8; 0] = [];
    for (shape, in_col, in_row) in [([0, 3], 3, 0), ([3, 0], 0, 3), ([0, 0], 0, 0)] {
        assert_eq!(
            ColMajorView::from_slice(shape, &none)
                .unwrap()
                .lanes()
                .count(),
            in_col
        );
        assert_eq!(
            RowMajorView::from_slice(shape, &none)
                .unwrap()
                .lanes()
                .count(),
            in_row
        );
    }
    let huge = ColMajorView::from_slice([0, usize::MAX, usize::MAX], &none).unwrap();
    assert_eq!(huge.lanes().len(), usize::MAX);
    assert_eq!(huge.get([0, usize::MAX - 1, usize::MAX - 1]), None);
}

#[test]
fn writing() {
    let mut data = [0; 6];
    let mut col = ColMajorViewMut::from_slice([2, 3], &mut data).unwrap();
    col[[1, 2]] = 6;
    *col.get_mut([0, 1]).unwrap() = 3;
    assert_eq!((col[[1, 2]], col.get([0, 1])), (6, Some(&3)));
    assert_eq!(col.get_mut([2, 0]), None);
    for (number, lane) in col.lanes_mut().enumerate() {
        lane[0] += 10 * number;
    }
    for element in &mut col {
        *element += 100;
    }
    assert_eq!(col.as_slice(), [100, 100, 113, 100, 120, 106]);
    assert_eq!(col.as_view().lanes().nth(2), Some(&[120, 106][..]));
    col.as_mut_slice()[0] = 1;

    let mut row = RowMajorViewMut::from_slice([2, 3], &mut data).unwrap();
    let mut lanes = row.lanes_mut();
    lanes.next_back().unwrap().fill(9);
    lanes.next().unwrap()[1] = 5;
    assert!(lanes.next().is_none());
    row.iter_mut().for_each(|element| *element *= 2);
    row.into_typed_view()
        .transpose()
        .get_mut(&[0, 0])
        .map(|first| *first = 7)
        .unwrap();
    assert_eq!(data, [7, 10, 226, 18, 18, 18]);
}

#[test]
fn views_and_owners_lend_dense_views_of_their_own_order() {
    let data = [1, 2, 3, 4, 5, 6];
    let view = TypedTensorView::<i32, Rank<2>>::from_slice([2, 3], &data).unwrap();
    assert_eq!(view.row_major_view().unwrap()[[1, 0]], 4);
    let turned = view.transpose().col_major_view().unwrap();
    assert_eq!((turned.shape(), turned[[0, 1]]), ([3, 2], 4));
    assert_eq!(turned.to_typed_view().shape(), [3, 2]);
    assert_eq!(
        view.col_major_view().unwrap_err().to_string(),
        "col_major_view: shape [2, 3] with strides [3, 1] needs a copy here; call to_contiguous() first"
    );
    // A part of a buffer: only its own elements are lent.
    let part = view.slice(&[crate::SliceSpec::range(1, 2)]).unwrap();
    assert_eq!(part.row_major_view().unwrap().as_slice(), [4, 5, 6]);

    let mut owner =
        TypedTensor::<i32, Rank<2>, Host>::from_host_vec_col_major([2, 2], vec![1, 3, 2, 4])
            .unwrap();
    assert_eq!(owner.col_major_view().unwrap()[[0, 1]], 2);
    owner.col_major_view_mut().unwrap()[[0, 1]] = 20;
    assert!(owner.row_major_view().is_err() && owner.row_major_view_mut().is_err());
    let mut owner = owner.to_contiguous().unwrap();
    assert_eq!(owner.row_major_view().unwrap().as_slice(), [1, 20, 3, 4]);
    owner
        .row_major_view_mut()
        .unwrap()
        .lanes_mut()
        .for_each(|lane| lane.reverse());
    assert!(owner.col_major_view_mut().is_err());
    assert_eq!(owner.as_slice().unwrap(), [20, 1, 4, 3]);

    let mut data = data;
    let mut view = TypedTensorViewMut::<i32, Rank<2>>::from_slice([2, 3], &mut data).unwrap();
    view.row_major_view_mut().unwrap()[[0, 0]] = 0;
    assert!(view.col_major_view_mut().is_err() && view.col_major_view().is_err());
    assert_eq!(view.row_major_view().unwrap()[[0, 0]], 0);
    assert_eq!(
        view.transpose().col_major_view_mut().unwrap().as_slice()[0],
        0
    );
}

#[test]
fn memory_must_fill_the_shape() {
    for error in [
        ColMajorView::from_slice([2, 2], &[0; 3]).unwrap_err(),
        ColMajorViewMut::from_slice([2, 2], &mut [0; 5]).unwrap_err(),
        RowMajorView::from_slice([0, 2], &[0; 1]).unwrap_err(),
        RowMajorViewMut::from_slice([], &mut [0; 0]).unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                crate::TensorError::Validation(ValidationError::ShapeDataLengthMismatch { .. })
            ),
            "{error}"
        );
    }
    assert_eq!(
        ColMajorView::from_slice([usize::MAX, 2], &[0; 3])
            .unwrap_err()
            .to_string(),
        "ColMajorView::from_slice: the element count overflows for shape [18446744073709551615, 2]"
    );
}

#[test]
#[should_panic(expected = "index [0, 3] is outside shape [2, 3]; use get()")]
fn indexing_outside_panics_with_both() {
    let _ = ColMajorView::from_slice([2, 3], &[0; 6]).unwrap()[[0, 3]];
}

#[test]
#[should_panic(expected = "index [2, 0] is outside shape [2, 3]; use get()")]
fn writing_outside_panics_with_both() {
    RowMajorViewMut::from_slice([2, 3], &mut [0; 6]).unwrap()[[2, 0]] = 1;
}

#[test]
fn dense_views_are_small_covariant_and_cross_threads() {
    fn shorten<'s, 'l: 's>(
        view: ColMajorView<'l, &'static str, 1>,
        _: &'s u8,
    ) -> ColMajorView<'s, &'s str, 1> {
        view
    }
    fn check<T: Send + Sync>() {}
    assert_eq!(size_of::<ColMajorView<'_, f64, 2>>(), 32);
    assert_eq!(size_of::<RowMajorView<'_, f64, 2>>(), 32);
    assert_eq!(size_of::<ColMajorViewMut<'_, f64, 2>>(), 32);
    assert_eq!(
        shorten(ColMajorView::from_slice([1], &["a"]).unwrap(), &0)[[0]],
        "a"
    );
    check::<ColMajorView<'_, f64, 2>>();
    check::<RowMajorViewMut<'_, f64, 2>>();
}
