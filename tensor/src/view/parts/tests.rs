//! Parts of views; expected values are worked by hand.

use crate::{
    SliceSpec, TensorError, TypedTensorView, TypedTensorViewMut, ValidationError, ViewError,
};

const DATA: [i32; 6] = [1, 2, 3, 4, 5, 6];

fn two_by_three() -> TypedTensorView<'static, i32> {
    TypedTensorView::from_slice([2, 3], &DATA).unwrap()
}

fn listed<'a>(views: impl Iterator<Item = TypedTensorView<'a, i32>>) -> Vec<Vec<i32>> {
    views.map(|view| view.to_vec().unwrap()).collect()
}

#[test]
fn lanes_are_views_of_rank_one() {
    let view = two_by_three();
    let lanes = |view: &TypedTensorView<'static, i32>, axis| {
        listed(
            view.lanes(axis)
                .unwrap()
                .map(TypedTensorView::into_dyn_rank),
        )
    };
    assert_eq!(lanes(&view, 0), [[1, 4], [2, 5], [3, 6]]);
    assert_eq!(lanes(&view, 1), [[1, 2, 3], [4, 5, 6]]);
    assert_eq!(lanes(&view.transpose(), 0), [[1, 2, 3], [4, 5, 6]]);
    let repeated = view.index_axis(0, 1).unwrap().broadcast_to([2, 3]).unwrap();
    assert_eq!(lanes(&repeated, 0), [[4, 4], [5, 5], [6, 6]]);
    let mut walk = view.lanes(0).unwrap();
    assert_eq!(
        (walk.len(), walk.next().unwrap()[[1]], walk.len()),
        (3, 4, 2)
    );
    assert_eq!(walk.fold(0, |sum, lane| sum * 100 + lane[[0]]), 203);
    assert!(matches!(
        view.lanes(2),
        Err(TensorError::Validation(ValidationError::AxisOutOfBounds {
            op: "lanes",
            axis: 2,
            rank: 2
        }))
    ));
}

#[test]
fn views_along_an_axis() {
    let view = two_by_three();
    assert_eq!(listed(view.axis_iter(0).unwrap()), [[1, 2, 3], [4, 5, 6]]);
    assert_eq!(listed(view.axis_iter(1).unwrap()), [[1, 4], [2, 5], [3, 6]]);
    assert_eq!(
        listed(view.axis_iter(1).unwrap().rev()),
        [[3, 6], [2, 5], [1, 4]]
    );
    let mut walk = view.axis_iter(1).unwrap();
    assert_eq!(walk.nth(1).unwrap().to_vec().unwrap(), [2, 5]);
    assert_eq!(
        (
            walk.len(),
            walk.next_back().is_some(),
            walk.next().is_none()
        ),
        (1, true, true)
    );
    assert!(walk.next_back().is_none() && view.axis_iter(1).unwrap().nth(7).is_none());
    assert!(view.axis_iter(2).is_err());
    let one = TypedTensorView::<i32>::from_slice([3], &DATA[..3]).unwrap();
    assert!(
        one.axis_iter(0)
            .unwrap()
            .all(|element| element.rank() == 0 && element.len() == 1)
    );
}

#[test]
fn views_are_iterable() {
    let (mut by_reference, view) = (0, two_by_three().transpose());
    for element in &view {
        by_reference = by_reference * 10 + element;
    }
    assert_eq!(
        (by_reference, view.into_iter().copied().sum::<i32>()),
        (142_536, 21)
    );
}

#[test]
fn halves() {
    let view = two_by_three();
    let (left, right) = view.split_at(1, 2).unwrap();
    assert_eq!(
        (left.to_vec().unwrap(), right.to_vec().unwrap()),
        (vec![1, 2, 4, 5], vec![3, 6])
    );
    let (none, all) = view.split_at(0, 0).unwrap();
    assert_eq!((none.shape(), all.shape()), (&[0, 3][..], &[2, 3][..]));
    assert!(view.split_at(1, 4).is_err() && view.split_at(2, 0).is_err());
}

#[test]
fn mutable_iteration_over_any_layout() {
    let mut data = DATA;
    let mut view = TypedTensorViewMut::<i32>::from_slice([2, 3], &mut data).unwrap();
    for (number, element) in (0..).zip(&mut view.transpose()) {
        *element = 10 * *element + number;
    }
    view.iter_mut().for_each(|element| *element *= 2);
    assert_eq!(view.iter_mut().len(), 6);
    for (number, mut part) in (1..).zip(view.axis_iter_mut(1).unwrap()) {
        *part.get_mut(&[0]).unwrap() = number;
    }
    for (number, row) in (7..).zip(view.lanes_mut(1).unwrap()) {
        row.into_iter()
            .for_each(|element| *element += 1000 * number);
    }
    for element in view.transpose() {
        *element += 1;
    }
    assert_eq!(data, [7002, 7003, 7004, 8083, 8107, 8131]);
}

#[test]
fn mutable_halves_that_lie_apart() {
    let mut data = [1, 2, 3, 4, 5, 6];
    let mut view = TypedTensorViewMut::<i32>::from_slice([3, 2], &mut data).unwrap();
    let (mut low, mut high) = view.split_at(0, 1).unwrap();
    low.fill(0);
    high.copy_from(&TypedTensorView::<i32>::from_slice([2, 2], &DATA[..4]).unwrap())
        .unwrap();
    assert_eq!((low.len(), high.shape()), (2, &[2, 2][..]));
    // Backwards, the first half lies behind the second.
    let mut back = view.slice(&[SliceSpec::reverse()]).unwrap();
    let (mut low, mut high) = back.split_at(0, 2).unwrap();
    assert_eq!(
        low.iter_mut().map(|element| *element).collect::<Vec<_>>(),
        [3, 4, 1, 2]
    );
    high.fill(9);
    let (none, mut all) = back.split_at(0, 0).unwrap();
    assert_eq!((none.shape(), all.iter_mut().count()), (&[0, 2][..], 6));
    let (all, none) = back.split_at(1, 2).unwrap();
    assert_eq!((all.len(), none.shape()), (6, &[3, 0][..]));
    assert!(back.split_at(0, 4).is_err());
    assert_eq!(data, [9, 9, 1, 2, 3, 4]);
}

#[test]
fn mutable_parts_that_interleave_are_refused_with_the_cure() {
    let mut data = DATA;
    let mut view = TypedTensorViewMut::<i32>::from_slice([2, 3], &mut data).unwrap();
    let error = view.split_at(1, 1).unwrap_err();
    assert!(matches!(
        error,
        TensorError::View(ViewError::InterleavedParts { op: "split_at", .. })
    ));
    assert!(error.to_string().contains("call strided_mut()"), "{error}");
    let (mut left, _) = view.strided_mut().split_at(1, 1).unwrap();
    left.fill(0);
    assert_eq!(data, [0, 2, 3, 0, 5, 6]);
}

#[test]
fn two_slices() {
    let mut data = DATA;
    let mut view = TypedTensorViewMut::<i32>::from_slice([6], &mut data).unwrap();
    let range = |start, end| [SliceSpec::range(start, end)];
    let (mut a, mut b) = view.multi_slice_mut(&range(4, 6), &range(1, 3)).unwrap();
    a.fill(40);
    b.fill(10);
    let (a, b) = view.multi_slice_mut(&range(2, 2), &range(0, 6)).unwrap();
    assert_eq!((a.len(), b.len()), (0, 6));
    let step = |start| [SliceSpec::new(Some(start), None, 2)];
    for (a, b, expect) in [
        (
            range(0, 3),
            range(2, 6),
            "multi_slice_mut: the two slices of shape [6] share an element",
        ),
        (
            step(0),
            step(1),
            "multi_slice_mut: the two parts of shape [6] with strides [1] share no element but interleave",
        ),
        (
            step(0),
            [SliceSpec::new(None, None, 0)],
            "multi_slice_mut: the step of axis 0 is 0",
        ),
    ] {
        let text = view.multi_slice_mut(&a, &b).unwrap_err().to_string();
        assert!(text.starts_with(expect), "{text}");
    }
    let (even, odd) = view.strided_mut().multi_slice(&step(0), &step(1)).unwrap();
    assert_eq!((even.len(), odd.len()), (3, 3));
    assert_eq!(data, [1, 10, 10, 4, 40, 40]);
}
