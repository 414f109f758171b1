//! Complex numbers and their parts; expected values are worked by hand.

use crate::{
    Complex32, Complex64, DType, Host, Rank, SliceSpec, Tensor, TensorError, TensorView,
    TypedTensor, TypedTensorView, TypedTensorViewMut, ValidationError, ViewError,
};

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

fn grid() -> [Complex64; 6] {
    [
        c(1., 2.),
        c(3., 4.),
        c(5., 6.),
        c(7., 8.),
        c(9., 10.),
        c(11., 12.),
    ]
}

#[test]
fn parts_are_the_last_axis_of_every_layout() {
    let data = grid();
    let view = TypedTensorView::<Complex64, Rank<2>>::from_slice([2, 3], &data).unwrap();
    let check = |view: TypedTensorView<'_, Complex64>,
                 shape: &[usize],
                 strides: &[isize],
                 expect: &[f64]| {
        let parts = view.as_real_view().unwrap();
        assert_eq!((parts.shape(), parts.strides()), (shape, strides));
        assert_eq!(parts.to_vec().unwrap(), expect);
        assert_eq!(parts.storage().as_ptr().cast(), data.as_ptr());
        let back = parts.as_complex_view().unwrap();
        assert_eq!(back.layout(), view.layout());
        assert_eq!(back.to_vec().unwrap(), view.to_vec().unwrap());
    };
    check(
        view.transpose().into_dyn_rank(),
        &[3, 2, 2],
        &[2, 6, 1],
        &[1., 2., 7., 8., 3., 4., 9., 10., 5., 6., 11., 12.],
    );
    let back = [SliceSpec::range(1, 2), SliceSpec::new(None, None, -2)];
    check(
        view.slice(&back).unwrap().into_dyn_rank(),
        &[1, 2, 2],
        &[6, -4, 1],
        &[11., 12., 7., 8.],
    );
    let one = view.index_axis(0, 1).unwrap().index_axis(0, 2).unwrap();
    check(one.clone(), &[2], &[1], &[11., 12.]);
    check(
        one.broadcast_to([2]).unwrap(),
        &[2, 2],
        &[0, 1],
        &[11., 12., 11., 12.],
    );
}

#[test]
fn only_whole_pairs_side_by_side_are_complex() {
    let data: Vec<f32> = (0..13_u8).map(f32::from).collect();
    let check = |shape: &[usize], strides: &[isize], offset| {
        TypedTensorView::<f32>::from_slice_strided(shape, strides, offset, &data)
            .unwrap()
            .as_complex_view()
            .map(|view| view.to_vec().unwrap())
    };
    let z = Complex32::new;
    assert_eq!(check(&[2, 2], &[4, 1], 2).unwrap(), [z(2., 3.), z(6., 7.)]);
    assert_eq!(
        check(&[2, 2], &[-6, 1], 10).unwrap(),
        [z(10., 11.), z(4., 5.)]
    );
    for (shape, strides, offset) in [
        (&[2, 2][..], &[3, 1][..], 0),
        (&[2, 2], &[2, 1], 1),
        (&[2, 2], &[1, 2], 0),
        (&[2, 2], &[2, -1], 1),
    ] {
        assert!(
            matches!(
                check(shape, strides, offset),
                Err(TensorError::Validation(ValidationError::NonContiguous {
                    op: "as_complex_view",
                    ..
                }))
            ),
            "{shape:?} {strides:?} {offset}"
        );
    }
    for shape in [&[3][..], &[2, 3], &[]] {
        let strides = vec![1; shape.len()];
        let error = check(shape, &strides, 0).unwrap_err();
        assert!(
            matches!(error, TensorError::View(ViewError::NotPairs { .. })),
            "{error}"
        );
    }
    assert_eq!(
        check(&[3], &[1], 0).unwrap_err().to_string(),
        "as_complex_view: the last axis of shape [3] must have extent 2: real and imaginary part"
    );
}

#[test]
fn parts_are_written_through() {
    let mut data = grid();
    let mut view = TypedTensorViewMut::<Complex64>::from_slice([2, 3], &mut data).unwrap();
    let mut turned = view.transpose();
    let mut parts = turned.as_real_view_mut().unwrap();
    *parts.get_mut(&[2, 0, 1]).unwrap() = 60.0;
    parts
        .as_complex_view_mut()
        .unwrap()
        .get_mut(&[0, 1])
        .unwrap()
        .re = 70.0;
    assert!(matches!(
        parts.transpose().as_complex_view_mut(),
        Err(TensorError::View(ViewError::NotPairs { .. }))
    ));
    assert_eq!((data[2], data[3]), (c(5., 60.), c(70., 8.)));
    // Even and odd positions interleave without overlap, which only counting shows, and the parts are too many to count.
    let mut many = vec![c(0., 0.); 8192];
    let mut odd =
        TypedTensorViewMut::<Complex64>::from_slice_strided([2, 2048], &[2001, 2], 0, &mut many)
            .unwrap();
    assert!(matches!(
        odd.as_real_view_mut(),
        Err(TensorError::Validation(
            ValidationError::OverlappingMutableLayout {
                op: "as_real_view_mut",
                ..
            }
        ))
    ));
}

#[test]
fn erased_views() {
    let data = grid();
    let view = TensorView::from_slice([2, 3], &data).unwrap();
    let parts = view.as_real_view().unwrap();
    assert_eq!((parts.dtype(), parts.shape()), (DType::F64, &[2, 3, 2][..]));
    assert_eq!(parts.as_complex_view().unwrap().dtype(), DType::C64);
    assert_eq!(
        view.as_complex_view().unwrap_err().to_string(),
        "as_complex_view: not available for dtype c64; use f32 or f64"
    );
    assert!(parts.as_real_view().is_err());
    let mut t = Tensor::zeros(DType::C32, [2]).unwrap();
    let mut view = t.view_mut().unwrap();
    assert!(view.as_complex_view_mut().is_err());
    let mut parts = view.as_real_view_mut().unwrap();
    parts.as_mut_slice::<f32>().unwrap()[3] = 4.0;
    assert!(parts.as_real_view_mut().is_err());
    assert_eq!(parts.as_complex_view_mut().unwrap().dtype(), DType::C32);
    assert_eq!(t.to_vec::<Complex32>().unwrap()[1], Complex32::new(0., 4.));
}

#[test]
fn owners_change_type_in_place() {
    let data = grid().to_vec();
    let address = data.as_ptr().cast::<f64>();
    let t = TypedTensor::<Complex64, Rank<2>>::from_vec_col_major([2, 3], data).unwrap();
    let parts = t.into_real().unwrap();
    assert_eq!(
        (parts.shape(), parts.strides()),
        (&[2, 3, 2][..], &[2, 4, 1][..])
    );
    assert_eq!(parts.storage().unwrap().as_ptr(), address);
    assert_eq!(parts.get(&[1, 0, 1]).unwrap(), &4.0);
    let back = parts.into_complex().unwrap();
    assert_eq!((back.shape(), back.strides()), (&[2, 3][..], &[1, 2][..]));
    assert_eq!(back.storage().unwrap().as_ptr().cast(), address);

    let host =
        TypedTensor::<Complex64, Rank<1>, Host>::from_host_vec_row_major([6], grid().to_vec())
            .unwrap();
    let host = host.into_real().unwrap();
    assert_eq!(host.as_slice().unwrap()[..4], [1., 2., 3., 4.]);
    assert_eq!(host.into_complex().unwrap().as_slice().unwrap(), grid());

    let t = Tensor::from_vec_row_major([6], grid().to_vec()).unwrap();
    let parts = t.into_real().unwrap();
    assert_eq!((parts.dtype(), parts.shape()), (DType::F64, &[6, 2][..]));
    let t = parts.into_complex().unwrap();
    assert_eq!(t.as_slice::<Complex64>().unwrap(), grid());
}

#[test]
fn a_failed_change_returns_the_owner() {
    let t = TypedTensor::<f32>::from_vec_row_major([2, 3], vec![1., 2., 3., 4., 5., 6.]).unwrap();
    let failed = t.into_complex().unwrap_err();
    assert_eq!(
        failed.to_string(),
        "tensor reinterpretation failed: TypedTensor::into_complex: the last axis of shape [2, 3] must have extent 2: real and imaginary part"
    );
    let t = failed.into_owner();
    assert_eq!(t.as_slice().unwrap()[5], 6.0);
    let t = TypedTensor::<f32>::from_vec_col_major([3, 2], t.into_vec().unwrap()).unwrap();
    let failed = t.into_complex().unwrap_err();
    assert!(matches!(
        failed.error(),
        TensorError::Validation(ValidationError::NonContiguous { .. })
    ));

    let mut data = Vec::with_capacity(5);
    data.extend([1.0_f64, 2.0]);
    let capacity = data.capacity();
    let failed = TypedTensor::<f64>::from_vec_row_major([2], data)
        .unwrap()
        .into_complex();
    match failed {
        Err(failed) if capacity % 2 == 1 => {
            assert!(failed.to_string().contains("which is odd"), "{failed}");
            assert_eq!(failed.into_owner().into_vec().unwrap(), [1.0, 2.0]);
        }
        made => assert_eq!(made.unwrap().as_slice().unwrap(), [c(1., 2.)]),
    }

    let failed = Tensor::scalar(1_i32).into_real().unwrap_err();
    assert!(
        failed
            .to_string()
            .ends_with("not available for dtype i32; use c32 or c64")
    );
    assert_eq!(failed.into_owner().dtype(), DType::I32);
    let failed = Tensor::scalar(1.0_f32).into_complex().unwrap_err();
    assert_eq!(failed.into_owner().to_vec::<f32>().unwrap(), [1.0]);
}
