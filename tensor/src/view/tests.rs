//! Views; expected values are worked by hand.

use crate::{
    DType, Rank, SliceSpec, Tensor, TensorError, TensorView, TypedTensorView, TypedTensorViewMut,
};

/// Compiles only if views are covariant.
fn shorten<'short, 'long: 'short>(
    view: TypedTensorView<'long, &'static str>,
    _: &'short u8,
) -> TypedTensorView<'short, &'short str> {
    view
}

fn shorten_erased<'short, 'long: 'short>(
    view: TensorView<'long>,
    _: &'short u8,
) -> TensorView<'short> {
    view
}

#[test]
fn views_are_covariant() {
    let data = ["a", "b"];
    let local = 0;
    assert_eq!(
        shorten(TypedTensorView::from_slice([2], &data).unwrap(), &local).len(),
        2
    );
    let numbers = [1_u8, 2];
    assert_eq!(
        shorten_erased(TensorView::from_slice([2], &numbers).unwrap(), &local).len(),
        2
    );
}

#[test]
fn a_view_shares_memory() {
    let data = [1_i64, 2, 3, 4, 5, 6];
    let view = TensorView::from_slice([2, 3], &data).unwrap();
    assert_eq!(
        (view.dtype(), view.shape(), view.rank(), view.len()),
        (DType::I64, &[2, 3][..], 2, 6)
    );
    assert_eq!(view.as_slice::<i64>().unwrap().as_ptr(), data.as_ptr());
    let typed = view.as_typed::<i64>().unwrap();
    assert_eq!(
        (typed.storage(), typed.layout().strides()),
        (&data[..], &[3, 1][..])
    );
    assert!(view.as_typed::<i32>().is_none());
    assert_eq!(
        view.typed::<i32>().unwrap_err(),
        TensorError::DTypeMismatch {
            op: "typed",
            expected: DType::I32,
            actual: DType::I64
        }
    );
}

#[test]
fn transformations() {
    let data = [1, 2, 3, 4, 5, 6];
    let view = TensorView::from_slice([2, 3], &data).unwrap();
    let check = |made: Result<TensorView<'_>, TensorError>, shape: &[usize], expect: &[i32]| {
        let made = made.unwrap();
        assert_eq!(made.shape(), shape);
        assert_eq!(made.to_vec::<i32>().unwrap(), expect);
        let copy = made.to_contiguous().unwrap();
        assert_eq!(copy.as_slice::<i32>().unwrap(), expect);
        let each: Vec<i32> = made.as_typed::<i32>().unwrap().iter().copied().collect();
        assert_eq!(each, expect);
    };
    check(Ok(view.transpose()), &[3, 2], &[1, 4, 2, 5, 3, 6]);
    check(view.permute(&[1, 0]), &[3, 2], &[1, 4, 2, 5, 3, 6]);
    check(
        view.slice(&[SliceSpec::reverse(), SliceSpec::new(None, None, 2)]),
        &[2, 2],
        &[4, 6, 1, 3],
    );
    check(
        view.slice_axis(1, SliceSpec::range(1, 3)),
        &[2, 2],
        &[2, 3, 5, 6],
    );
    check(view.index_axis(0, 1), &[3], &[4, 5, 6]);
    check(view.reshape([3, 2]), &[3, 2], &data);
    check(view.insert_axis(1), &[2, 1, 3], &data);
    check(view.insert_axis(0).unwrap().remove_axis(0), &[2, 3], &data);
    check(
        view.index_axis(0, 0).unwrap().broadcast_to([2, 3]),
        &[2, 3],
        &[1, 2, 3, 1, 2, 3],
    );
    check(
        view.slice_axis(1, SliceSpec::range(0, 1))
            .unwrap()
            .broadcast_to([2, 2]),
        &[2, 2],
        &[1, 1, 4, 4],
    );
    assert!(
        view.transpose()
            .reshape([6])
            .unwrap_err()
            .to_string()
            .contains("to_contiguous()")
    );
    assert_eq!(view.get::<i32>(&[1, 1]).unwrap(), 5);
    assert!(view.get::<i32>(&[1, 3]).is_err());
}

#[test]
fn user_memory_is_checked() {
    let data = [1.0_f32, 2.0, 3.0];
    assert_eq!(
        TensorView::from_slice([2, 2], &data)
            .unwrap_err()
            .to_string(),
        "from_slice: shape product 4 does not match data length 3"
    );
    assert_eq!(
        TensorView::from_slice_strided([2, 2], &[2, 1], 1, &data)
            .unwrap_err()
            .to_string(),
        "from_slice_strided: the layout reaches elements 1..=4, the buffer has 3"
    );
    let view = TensorView::from_slice_strided([2, 2], &[1, 1], 0, &data).unwrap();
    assert_eq!(view.to_vec::<f32>().unwrap(), [1.0, 2.0, 2.0, 3.0]);
    let layout = view.layout().clone();
    assert!(TypedTensorView::from_layout(layout.clone(), &data[..2]).is_err());
    assert_eq!(
        TypedTensorView::from_layout(layout, &data).unwrap().len(),
        4
    );
}

// Miri ends a run whose memory is at an end; nothing here is `unsafe`.
#[cfg(not(miri))]
#[test]
fn a_broadcast_larger_than_memory_is_an_error() {
    let view = TensorView::from_slice([1], &[1_u8])
        .unwrap()
        .broadcast_to([1 << 50])
        .unwrap();
    assert!(matches!(
        view.to_contiguous(),
        Err(TensorError::OutOfMemory { .. })
    ));
    assert!(matches!(
        view.to_le_bytes(),
        Err(TensorError::OutOfMemory { .. })
    ));
    assert!(matches!(
        view.cast(DType::F64),
        Err(TensorError::OutOfMemory { .. })
    ));
}

#[test]
fn static_ranks() {
    let data = [1, 2, 3, 4, 5, 6];
    let view = TypedTensorView::<i32, Rank<2>>::from_slice([2, 3], &data).unwrap();
    assert_eq!((view[[0, 2]], view[[1, 0]]), (3, 4));
    let back = view.into_dyn_rank().to_rank::<2>().unwrap();
    assert_eq!(back.transpose()[[2, 1]], 6);
    assert!(back.to_rank::<3>().is_err());
}

#[test]
fn mutable_views() {
    let mut data = [0; 6];
    let mut view = TypedTensorViewMut::<i32>::from_slice([2, 3], &mut data).unwrap();
    view.slice(&[SliceSpec::all(), SliceSpec::new(Some(1), None, 1)])
        .unwrap()
        .fill(7);
    *view.get_mut(&[1, 0]).unwrap() = 9;
    let source = [1, 2, 3];
    let source = TypedTensorView::<i32>::from_slice([3], &source).unwrap();
    view.slice(&[SliceSpec::range(0, 1)])
        .unwrap()
        .reshape([3])
        .unwrap()
        .copy_from(&source)
        .unwrap();
    assert!(
        view.copy_from(&source)
            .unwrap_err()
            .to_string()
            .contains("must be equal")
    );
    let mut next = 0;
    view.transpose().for_each(|element| {
        next += 10;
        *element += next;
    });
    assert_eq!(
        view.reborrow().as_mut_slice().unwrap(),
        [11, 32, 53, 29, 47, 67]
    );
    let mut swapped = view.permute(&[1, 0]).unwrap();
    assert!(swapped.as_mut_slice().is_err());
    assert_eq!(swapped.as_view().get(&[2, 1]).unwrap(), &67);
}

#[test]
fn mutable_views_never_alias() {
    let mut data = [0; 4];
    for strides in [[0], [0]] {
        assert!(
            TypedTensorViewMut::<i32>::from_slice_strided([4], &strides, 0, &mut data).is_err()
        );
    }
    let mut view = TypedTensorViewMut::<i32>::from_slice_strided([4], &[-1], 3, &mut data).unwrap();
    let source = [1, 2, 3, 4];
    view.copy_from(&TypedTensorView::<i32>::from_slice([4], &source).unwrap())
        .unwrap();
    assert_eq!(data, [4, 3, 2, 1]);
}

#[test]
fn erased_mutable_views() {
    let mut t = Tensor::zeros(DType::F32, [2, 2]).unwrap();
    let source = Tensor::from_vec_col_major([2, 2], vec![1.0_f32, 3.0, 2.0, 4.0]).unwrap();
    let mut view = t.view_mut().unwrap();
    view.copy_from(&source.view().unwrap()).unwrap();
    view.as_mut_slice::<f32>().unwrap()[0] = 8.0;
    assert!(view.as_mut_slice::<i32>().is_err());
    assert!(
        view.copy_from(&Tensor::scalar(1_i32).view().unwrap())
            .is_err()
    );
    assert_eq!(
        view.as_view().to_vec::<f32>().unwrap(),
        [8.0, 2.0, 3.0, 4.0]
    );
    assert_eq!(t.as_slice::<f32>().unwrap(), [8.0, 2.0, 3.0, 4.0]);
}

/// The element at flat logical position `flat`, by the definition of a layout.
fn by_definition(view: &TypedTensorView<'_, u32>, mut flat: usize) -> u32 {
    let mut at = view.layout().offset() as isize;
    for (&extent, &stride) in view.shape().iter().zip(view.strides()).rev() {
        at += (flat % extent) as isize * stride;
        flat /= extent;
    }
    view.storage()[at as usize]
}

#[test]
fn copies_follow_the_definition_for_every_layout() {
    // Miri takes minutes for the large one; a whole and a cut tile are in either.
    let shape = if cfg!(miri) {
        [3, 9, 2, 5]
    } else {
        [3, 41, 2, 37]
    };
    let data: Vec<u32> = (0..shape.iter().product::<usize>() as u32).collect();
    let whole = TypedTensorView::<u32>::from_slice(shape, &data).unwrap();
    let mut views = vec![whole.clone(), whole.transpose()];
    for axes in [
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [1, 0, 3, 2],
        [3, 0, 1, 2],
        [2, 3, 0, 1],
        [3, 2, 0, 1],
    ] {
        views.push(whole.permute(&axes).unwrap());
    }
    let (even, back) = (SliceSpec::new(None, None, 2), SliceSpec::reverse());
    for view in views.clone() {
        views.push(view.slice(&[back, even, back, even]).unwrap());
        views.push(view.slice(&[even, back]).unwrap());
        let middle = view.slice_axis(1, SliceSpec::range(1, 2)).unwrap();
        let mut repeated = middle.shape().to_vec();
        repeated[1] = 5;
        views.push(middle.broadcast_to(&repeated).unwrap());
    }
    for view in views {
        let expect: Vec<u32> = (0..view.len())
            .map(|flat| by_definition(&view, flat))
            .collect();
        assert_eq!(view.to_vec().unwrap(), expect, "{view:?}");
        assert!(view.iter().copied().eq(expect.iter().copied()), "{view:?}");
    }
}

#[test]
fn elements_with_destructors_are_cloned_once_each() {
    let count = std::rc::Rc::new(());
    let data = vec![std::rc::Rc::clone(&count); 6];
    let view = TypedTensorView::<std::rc::Rc<()>>::from_slice([2, 3], &data).unwrap();
    let copy = view.transpose().to_vec().unwrap();
    assert_eq!((copy.len(), std::rc::Rc::strong_count(&count)), (6, 13));
}

#[test]
fn shapes_of_static_rank_give_views_of_static_rank() {
    let data: Vec<u32> = (0..6).collect();
    let row = TypedTensorView::<u32>::from_slice([6], &data).unwrap();
    let matrix = row.reshape_as::<Rank<2>>([2, 3]).unwrap();
    assert_eq!((matrix[[0, 2]], matrix[[1, 0]]), (2, 3));
    let repeated = row.broadcast_to_as::<Rank<2>>([2, 6]).unwrap();
    assert_eq!((repeated[[0, 5]], repeated[[1, 5]]), (5, 5));
    for (error, expect) in [
        (
            row.reshape_as::<Rank<2>>(vec![6]).unwrap_err(),
            "reshape: rank mismatch",
        ),
        (
            row.broadcast_to_as::<Rank<1>>(vec![2, 6]).unwrap_err(),
            "broadcast_to: rank mismatch",
        ),
    ] {
        assert!(error.to_string().starts_with(expect), "{error}");
    }
}
