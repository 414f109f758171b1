//! What views promise, one requirement per test: the name starts with the requirement's id. Expected values are worked by
//! hand. What does not compile is shown in the documentation of the types; what costs no allocation is in `cost.rs`.

use tensor::core::TensorLayout;
use tensor::{
    ColMajorView, DType, DynRank, Host, Rank, RowMajorView, SliceSpec, Tensor, TensorError,
    TensorView, TypedTensor, TypedTensorView, TypedTensorViewMut, ValidationError,
};

static DATA: [f64; 6] = [1., 2., 3., 4., 5., 6.];

#[test]
fn a14_static_rank_indexes_by_arrays() {
    let mut t = TypedTensor::<f64, Rank<2>>::from_vec_row_major([2, 3], DATA.to_vec()).unwrap();
    assert_eq!(t[[1, 2]], 6.0);
    t[[0, 1]] = 20.0;
    let mut view = t.as_view_mut().unwrap();
    view[[0, 1]] += 2.0;
    assert_eq!((view[[0, 2]], view[[0, 1]]), (3.0, 22.0));
    let turned = view.as_view();
    let turned = turned.transpose();
    assert_eq!((turned[[2, 0]], turned[[1, 0]]), (3.0, 22.0));
    assert_eq!(
        ColMajorView::from_slice([3, 2], &DATA).unwrap()[[2, 1]],
        6.0
    );
    assert_eq!(
        RowMajorView::from_slice([2, 3], &DATA).unwrap()[[0, 2]],
        3.0
    );
    assert!(t.get(&[2, 0]).is_err());
}

#[test]
#[should_panic(expected = "index 2 is out of bounds for axis 0 with extent 2; use get()")]
fn a14_a_wrong_index_of_a_view_panics() {
    let view = TypedTensorView::<f64, Rank<2>>::from_slice([2, 3], &DATA).unwrap();
    let _ = view[[2, 0]];
}

#[test]
#[should_panic(expected = "index 3 is out of bounds for axis 1 with extent 3; use get()")]
fn a14_a_wrong_index_of_a_mutable_view_panics() {
    let mut data = DATA;
    let mut view = TypedTensorViewMut::<f64, Rank<2>>::from_slice([2, 3], &mut data).unwrap();
    view[[1, 3]] = 0.0;
}

#[test]
fn a15_host_tensors_of_dynamic_rank_are_read_by_slices() {
    let t =
        TypedTensor::<f64, DynRank, Host>::from_host_vec_row_major([2, 3], DATA.to_vec()).unwrap();
    assert_eq!(t.get(&[1, 1]).unwrap(), &5.0);
    assert_eq!(t.as_view().unwrap().get(&[1, 0]).unwrap(), &4.0);
    assert!(t.as_view().unwrap().get(&[1]).is_err());
}

#[test]
fn a30_views_share_the_memory_of_their_owner() {
    let t = Tensor::from_vec_row_major([2, 3], DATA.to_vec()).unwrap();
    let address = t.as_slice::<f64>().unwrap().as_ptr();
    let view = t.view().unwrap();
    for made in [
        view.transpose(),
        view.slice(&[SliceSpec::reverse()]).unwrap(),
        view.reshape([3, 2]).unwrap(),
        view.insert_axis(0)
            .unwrap()
            .broadcast_to([4, 2, 3])
            .unwrap(),
    ] {
        assert_eq!(made.typed::<f64>().unwrap().storage().as_ptr(), address);
    }
}

fn shorten<'s, 'l: 's>(view: TypedTensorView<'l, f64>, _: &'s u8) -> TypedTensorView<'s, f64> {
    view
}

fn shorten_mut<'s, 'l: 's>(
    view: TypedTensorViewMut<'l, f64>,
    _: &'s u8,
) -> TypedTensorViewMut<'s, f64> {
    view
}

fn shorten_dense<'s, 'l: 's>(
    view: RowMajorView<'l, f64, 2>,
    _: &'s u8,
) -> RowMajorView<'s, f64, 2> {
    view
}

#[test]
fn a31_views_are_covariant_and_small() {
    let local = 0;
    let view = TypedTensorView::from_slice([2, 3], &DATA).unwrap();
    assert_eq!(shorten(view, &local).len(), 6);
    let mut data = DATA;
    let view = TypedTensorViewMut::from_slice([6], &mut data).unwrap();
    assert_eq!(shorten_mut(view, &local).len(), 6);
    let view = RowMajorView::from_slice([2, 3], &DATA).unwrap();
    assert_eq!(shorten_dense(view, &local).len(), 6);
    for (name, bytes, limit) in [
        (
            "TypedTensorView<f64>",
            size_of::<TypedTensorView<'_, f64>>(),
            200,
        ),
        (
            "TypedTensorViewMut<f64>",
            size_of::<TypedTensorViewMut<'_, f64>>(),
            200,
        ),
        ("TensorView", size_of::<TensorView<'_>>(), 200),
        (
            "TypedTensorView<f64, Rank<2>>",
            size_of::<TypedTensorView<'_, f64, Rank<2>>>(),
            56,
        ),
        (
            "ColMajorView<f64, 2>",
            size_of::<ColMajorView<'_, f64, 2>>(),
            32,
        ),
    ] {
        assert!(bytes <= limit, "{name}: {bytes}");
    }
}

#[test]
fn c04_a_slice_changes_shape_strides_and_offset_only() {
    // [N, C, H, W]: the elements 1..3 of axis 1, that is channels 1 and 2.
    let mut t = TypedTensor::<i32>::from_vec_row_major([2, 3, 2, 2], (0..24).collect()).unwrap();
    let storage = t.storage().unwrap().as_ptr();
    let view = t.as_view().unwrap();
    let channels = view.slice_axis(1, SliceSpec::range(1, 3)).unwrap();
    assert_eq!(channels.storage().as_ptr(), storage);
    assert_eq!(
        (
            channels.shape(),
            channels.strides(),
            channels.layout().offset()
        ),
        (&[2, 2, 2, 2][..], &[12, 4, 2, 1][..], 4)
    );
    // Channel 1 alone is an index, and its axis goes.
    let one = view.index_axis(1, 1).unwrap();
    assert_eq!((one.shape(), one.layout().offset()), (&[2, 2, 2][..], 4));
    assert_eq!(one.to_vec().unwrap(), [4, 5, 6, 7, 16, 17, 18, 19]);
    // Writing through the slice is seen in the owner.
    t.as_view_mut()
        .unwrap()
        .slice_axis(1, SliceSpec::range(1, 3))
        .unwrap()
        .fill(-1);
    assert_eq!(
        t.storage().unwrap()[..12],
        [0, 1, 2, 3, -1, -1, -1, -1, -1, -1, -1, -1]
    );
}

#[test]
fn c05_slices_of_several_axes_are_not_contiguous() {
    // tensor[0:2, :, 1:3]
    let t = TypedTensor::<i32>::from_vec_row_major([3, 2, 4], (0..24).collect()).unwrap();
    let view = t.as_view().unwrap();
    let part = view
        .slice(&[
            SliceSpec::range(0, 2),
            SliceSpec::all(),
            SliceSpec::range(1, 3),
        ])
        .unwrap();
    assert!(!part.layout().is_row_major_contiguous() && part.as_slice().is_err());
    assert_eq!(part.to_vec().unwrap(), [1, 2, 5, 6, 9, 10, 13, 14]);
}

#[test]
fn c06_transposing_swaps_strides() {
    let view = TypedTensorView::<f64>::from_slice([2, 3], &DATA).unwrap();
    let turned = view.permute(&[1, 0]).unwrap();
    assert_eq!(
        (turned.shape(), turned.strides()),
        (&[3, 2][..], &[1, 3][..])
    );
    assert_eq!(turned.storage().as_ptr(), DATA.as_ptr());
    assert_eq!(turned.to_vec().unwrap(), [1., 4., 2., 5., 3., 6.]);
}

#[test]
fn c07_broadcast_axes_have_stride_zero_and_are_never_written() {
    let view = TypedTensorView::<f64>::from_slice([3], &DATA[..3]).unwrap();
    let wide = view.broadcast_to([2, 3]).unwrap();
    assert_eq!(wide.strides(), [0, 1]);
    assert_eq!(wide.to_vec().unwrap(), [1., 2., 3., 1., 2., 3.]);
    let mut data = DATA;
    assert!(matches!(
        TypedTensorViewMut::<f64>::from_slice_strided([2, 3], &[0, 1], 0, &mut data),
        Err(TensorError::Validation(
            ValidationError::OverlappingMutableLayout { .. }
        ))
    ));
}

#[test]
fn c08_reshape_shares_or_refuses() {
    let view = TypedTensorView::<f64>::from_slice([2, 3], &DATA).unwrap();
    let flat = view.reshape([6]).unwrap();
    assert_eq!(flat.as_slice().unwrap().as_ptr(), DATA.as_ptr());
    let error = view.transpose().reshape([6]).unwrap_err();
    assert!(matches!(
        error,
        TensorError::Validation(ValidationError::NonContiguous { op: "reshape", .. })
    ));
    assert!(error.to_string().contains("to_contiguous()"), "{error}");
    let copy = view.transpose().to_contiguous().unwrap();
    let flat = copy
        .as_view()
        .unwrap()
        .reshape([6])
        .unwrap()
        .to_vec()
        .unwrap();
    assert_eq!(flat, [1., 4., 2., 5., 3., 6.]);
}

#[test]
fn c09_contiguity_ignores_axes_of_extent_one_and_empty_views() {
    let check = |shape: &[usize], strides: &[isize], expect: bool| {
        let view = TypedTensorView::<f64>::from_slice_strided(shape, strides, 0, &DATA).unwrap();
        assert_eq!(
            view.layout().is_row_major_contiguous(),
            expect,
            "{shape:?} {strides:?}"
        );
        assert_eq!(view.as_slice().is_ok(), expect, "{shape:?} {strides:?}");
    };
    check(&[2, 3], &[3, 1], true);
    check(&[1, 6], &[77, 1], true);
    check(&[6, 1], &[1, -5], true);
    check(&[2, 1, 3], &[3, 0, 1], true);
    check(&[0, 3], &[5, 5], true);
    check(&[], &[], true);
    check(&[3, 2], &[1, 3], false);
    check(&[2, 2], &[3, 1], false);
    check(&[3], &[2], false);
    check(&[3], &[0], false);
}

#[test]
fn c10_only_a_copy_moves_elements() {
    let view = TypedTensorView::<f64>::from_slice([2, 3], &DATA).unwrap();
    // In order already: the slice is the memory itself. Otherwise a copy is asked for by name, and is a new buffer.
    assert_eq!(view.as_slice().unwrap().as_ptr(), DATA.as_ptr());
    let turned = view.transpose();
    assert!(turned.as_slice().is_err());
    let copy = turned.to_contiguous().unwrap();
    assert_ne!(copy.as_slice().unwrap().as_ptr(), DATA.as_ptr());
    assert_eq!(copy.as_slice().unwrap(), [1., 4., 2., 5., 3., 6.]);
}

#[test]
fn c11_elements_live_as_long_as_any_view() {
    // The compiler holds the owner; a view may outlive the views that it was made from.
    let t = TypedTensor::<String>::from_vec_row_major([2], vec!["a".into(), "b".into()]).unwrap();
    let last = {
        let view = t.as_view().unwrap();
        let slice = view.slice(&[SliceSpec::range(1, 2)]).unwrap();
        drop(view);
        slice.get(&[0]).unwrap()
    };
    assert_eq!(last, "b");
}

#[test]
fn c12_views_do_not_affect_each_other() {
    let view = TypedTensorView::<f64>::from_slice([2, 3], &DATA).unwrap();
    let slice = view.slice_axis(1, SliceSpec::range(1, 3)).unwrap();
    let flat = view.reshape([6]).unwrap();
    let again = view.transpose();
    assert_eq!((view.shape(), flat.shape()), (&[2, 3][..], &[6][..]));
    assert_eq!((slice.shape(), again.shape()), (&[2, 2][..], &[3, 2][..]));
    assert_eq!(slice.to_vec().unwrap(), [2., 3., 5., 6.]);
}

#[test]
fn c13_slices_for_kernels_are_lent_only_where_elements_lie_in_order() {
    let view = TypedTensorView::<f64, Rank<2>>::from_slice([2, 3], &DATA).unwrap();
    let turned = view.transpose();
    assert_eq!(view.row_major_view().unwrap().as_slice(), DATA);
    assert_eq!(turned.col_major_view().unwrap().as_slice(), DATA);
    for error in [
        turned.as_slice().map(|_| ()).unwrap_err(),
        turned.row_major_view().map(|_| ()).unwrap_err(),
        view.col_major_view().map(|_| ()).unwrap_err(),
        turned.as_bytes().map(|_| ()).unwrap_err(),
    ] {
        assert!(
            error.to_string().contains("call to_contiguous() first"),
            "{error}"
        );
    }
}

#[test]
fn c14_every_kind_of_view() {
    let mut host =
        TypedTensor::<f64, Rank<2>, Host>::from_host_vec_col_major([2, 3], DATA.to_vec()).unwrap();
    assert_eq!(host.as_view().unwrap()[[1, 2]], 6.0);
    assert_eq!(host.col_major_view().unwrap().lanes().len(), 3);
    host.col_major_view_mut().unwrap()[[0, 0]] = 10.0;
    host.as_view_mut().unwrap()[[1, 0]] = 20.0;
    let mut t = Tensor::from(host.into_dynamic().into_dyn_rank());
    assert_eq!(t.view().unwrap().dtype(), DType::F64);
    t.view_mut()
        .unwrap()
        .as_typed_mut::<f64>()
        .unwrap()
        .iter_mut()
        .for_each(|value| *value += 1.0);
    assert_eq!(t.to_vec::<f64>().unwrap(), [11., 4., 6., 21., 5., 7.]);
}

#[test]
fn c15_layouts_are_small_and_checked() {
    assert!(size_of::<TensorLayout<DynRank>>() <= 168);
    assert!(size_of::<TensorLayout<Rank<2>>>() <= 40);
    let check = |strides: &[isize], offset: usize, fits: bool| {
        let made = TypedTensorView::<f64>::from_slice_strided([2, 3], strides, offset, &DATA);
        assert_eq!(made.is_ok(), fits, "{strides:?} {offset}");
    };
    check(&[3, 1], 0, true);
    check(&[3, 1], 1, false);
    check(&[-3, 1], 3, true);
    check(&[-3, -1], 5, true);
    check(&[-3, -1], 4, false);
    check(&[isize::MAX, 1], 0, false);
    check(&[isize::MIN, 1], 0, false);
    // An empty view may start one past the end.
    let empty = TypedTensorView::<f64>::from_slice_strided([0], &[1], 6, &DATA);
    assert!(empty.unwrap().is_empty());
    assert!(TypedTensorView::<f64>::from_slice_strided([0], &[1], 7, &DATA).is_err());
}

#[test]
fn c16_mutable_views_never_alias() {
    let mut data = vec![0_u32; 8192];
    let check = |shape: &[usize], strides: &[isize], writable: bool, data: &mut [u32]| {
        let made = TypedTensorViewMut::<u32>::from_slice_strided(shape, strides, 0, data);
        assert_eq!(made.is_ok(), writable, "{shape:?} {strides:?}");
    };
    check(&[4, 4], &[4, 1], true, &mut data);
    check(&[4, 4], &[1, 4], true, &mut data);
    check(&[4, 4], &[3, 1], false, &mut data);
    check(&[4], &[0], false, &mut data);
    // Interleaved without overlap: found by counting up to 4096 elements, refused above.
    check(&[2, 2048], &[2001, 2], true, &mut data);
    check(&[2, 2049], &[2001, 2], false, &mut data);
    // Two parts at once share no element.
    let mut view = TypedTensorViewMut::<u32>::from_slice([4, 2048], &mut data).unwrap();
    let (mut top, mut bottom) = view.split_at(0, 1).unwrap();
    top.fill(1);
    bottom.fill(2);
    assert!(
        view.multi_slice_mut(&[SliceSpec::range(0, 2)], &[SliceSpec::range(1, 3)])
            .is_err()
    );
    let (low, high) = view
        .multi_slice_mut(&[SliceSpec::range(0, 2)], &[SliceSpec::range(2, 4)])
        .unwrap();
    assert_eq!((low.len(), high.len()), (4096, 4096));
    assert_eq!(data.iter().sum::<u32>(), 2048 + 2 * 3 * 2048);
}
