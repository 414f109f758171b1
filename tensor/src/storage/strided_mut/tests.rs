//! Exclusive strided access; expected values are worked by hand. Small, so that an interpreter can run all of it.

use super::*;

fn grid<'a>(data: &'a mut [i32], shape: &[usize]) -> StridedMut<'a, i32> {
    StridedMut::new(data, TensorLayout::row_major(shape).unwrap()).unwrap()
}

#[test]
fn what_does_not_fit_or_names_an_element_twice_is_refused() {
    let mut data = [0; 6];
    let check = |shape: &[usize], strides: &[isize], offset, expect: &str, data: &mut [i32]| {
        let layout = TensorLayout::<DynRank>::from_parts(shape, strides, offset, 1000).unwrap();
        let text = StridedMut::new(data, layout).unwrap_err().to_string();
        assert!(
            text.starts_with("strided_mut: ") && text.contains(expect),
            "{text}"
        );
    };
    check(&[7], &[1], 0, "reaches elements 0..=6", &mut data);
    check(&[2, 3], &[3, 1], 1, "reaches elements 1..=6", &mut data);
    check(&[0], &[1], 7, "reaches elements 7..=7", &mut data);
    check(&[2], &[0], 0, "by two indices", &mut data);
    check(&[2, 2], &[1, 1], 0, "by two indices", &mut data);
}

#[test]
fn halves_over_an_inner_axis_live_at_once() {
    let mut data = [1, 2, 3, 4, 5, 6];
    let (mut left, mut right) = grid(&mut data, &[2, 3]).split_at(1, 1).unwrap();
    *left.get_mut(&[1, 0]).unwrap() = 40;
    *right.get_mut(&[0, 1]).unwrap() = 30;
    assert_eq!(
        (left.get(&[0, 0]).unwrap(), right.get(&[1, 0]).unwrap()),
        (&1, &5)
    );
    // Two shared references to one element may live at the same time.
    let (first, second) = (left.get(&[1, 0]).unwrap(), left.get(&[1, 0]).unwrap());
    assert_eq!(first, second);
    assert!(left.get(&[0, 1]).is_err() && right.get_mut(&[2, 0]).is_err());
    // Items of both iterators are held at the same time.
    let both: Vec<&mut i32> = left.iter_mut().chain(right.iter_mut()).collect();
    assert_eq!(both, [&1, &40, &2, &30, &5, &6]);
    for element in both {
        *element += 1;
    }
    left.fill(0);
    assert_eq!(data, [0, 3, 31, 0, 6, 7]);
}

#[test]
fn even_and_odd_slices() {
    let (even, odd) = (
        SliceSpec::new(None, None, 2),
        SliceSpec::new(Some(1), None, 2),
    );
    let mut data = [1, 2, 3, 4, 5];
    let (a, b) = grid(&mut data, &[5]).multi_slice(&[even], &[odd]).unwrap();
    for (a, b) in a.into_iter().zip(b) {
        std::mem::swap(a, b);
    }
    assert_eq!(data, [2, 1, 4, 3, 5]);
    let error = grid(&mut data, &[5])
        .multi_slice(&[even], &[SliceSpec::range(4, 5)])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "multi_slice: the two slices of shape [5] share an element; take slices that do not overlap"
    );
}

#[test]
fn lanes_and_parts_are_held_at_the_same_time() {
    let mut data = [1, 2, 3, 4, 5, 6];
    let mut whole = grid(&mut data, &[2, 3]);
    let mut columns: Vec<_> = whole.reborrow().lanes(0).unwrap().collect();
    assert_eq!(columns.len(), 3);
    columns.reverse();
    for (number, column) in (0..).zip(&mut columns) {
        column
            .iter_mut()
            .for_each(|element| *element += 10 * number);
    }
    whole
        .reborrow()
        .lanes(1)
        .unwrap()
        .for_each(|row| row.into_slice().unwrap().reverse());
    let mut parts = whole.reborrow().axis_iter(1).unwrap();
    assert_eq!(parts.len(), 3);
    let (first, second) = (parts.next().unwrap(), parts.next().unwrap());
    assert_eq!(first.shape(), [2]);
    for (a, b) in first.into_iter().zip(second) {
        std::mem::swap(a, b);
    }
    assert_eq!(
        (parts.len(), parts.next().is_some(), parts.next().is_none()),
        (1, true, true)
    );
    assert!(whole.reborrow().axis_iter(2).is_err() && whole.lanes(2).is_err());
    assert_eq!(data, [12, 3, 21, 15, 6, 24]);
}

#[test]
fn narrowing_and_turning() {
    let mut data = [0, 1, 2, 3, 4, 5];
    let turned = grid(&mut data, &[2, 3]).permute(&[1, 0]).unwrap();
    assert_eq!((turned.shape(), turned.len()), (&[3, 2][..], 6));
    let mut back = turned.slice(&[SliceSpec::reverse()]).unwrap();
    assert_eq!(
        back.iter_mut().map(|element| *element).collect::<Vec<_>>(),
        [2, 5, 1, 4, 0, 3]
    );
    assert!(back.reborrow().into_slice().is_err());
    let row = back.index_axis(1, 1).unwrap();
    let mut items = row.into_iter();
    assert_eq!(
        (items.len(), items.next(), items.len()),
        (3, Some(&mut 5), 2)
    );
    assert_eq!(items.fold(0, |sum, element| sum * 10 + *element), 43);
    let source = [7, 8, 9];
    let source = TypedTensorView::<i32>::from_slice([3], &source).unwrap();
    let mut column = grid(&mut data, &[3, 2]).index_axis(1, 0).unwrap();
    column.copy_from(&source).unwrap();
    assert!(grid(&mut data, &[6]).copy_from(&source).is_err());
    assert_eq!(data, [7, 1, 8, 3, 9, 5]);
}

#[test]
fn empty_layouts_and_elements_without_size() {
    let mut none: [i32; 0] = [];
    let (mut a, b) = grid(&mut none, &[0, 3]).split_at(1, 2).unwrap();
    assert_eq!((a.iter_mut().count(), b.into_iter().count()), (0, 0));
    assert!(a.is_empty() && a.get(&[0, 0]).is_err());
    assert_eq!(
        a.reborrow()
            .lanes(0)
            .unwrap()
            .map(|lane| lane.into_iter().count())
            .collect::<Vec<_>>(),
        [0, 0]
    );
    assert!(a.into_slice().unwrap().is_empty());
    let mut data = [0; 4];
    let tail = grid(&mut data, &[4])
        .slice(&[SliceSpec::range(4, 4)])
        .unwrap();
    assert!(tail.into_slice().unwrap().is_empty());
    let mut units = [(); 6];
    let layout = TensorLayout::<Rank<2>>::row_major([2, 3])
        .unwrap()
        .transpose();
    assert_eq!(
        StridedMut::new(&mut units, layout)
            .unwrap()
            .into_iter()
            .count(),
        6
    );
}

#[test]
fn parts_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<StridedMut<'_, f64>>();
    check::<IterMut<'_, f64>>();
    check::<LanesMut<'_, f64>>();
    check::<AxisIterMut<'_, f64, DynRank>>();
    let mut data = [1, 2, 3, 4];
    let (left, right) = grid(&mut data, &[2, 2]).split_at(1, 1).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || left.into_iter().for_each(|element| *element *= 10));
        scope.spawn(move || right.into_iter().for_each(|element| *element *= 100));
    });
    assert_eq!(data, [10, 200, 30, 400]);
}
