//! Layout tests; expected values are worked by hand or come from numpy (`numpy_cases`).

mod numpy_cases;

use numpy_cases::{RESHAPES, SLICES};

use super::*;

type Layout = TensorLayout<DynRank>;

fn row(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::from_parts(shape, strides, offset, 10_000).unwrap()
}

fn offsets(layout: &Layout) -> Vec<usize> {
    let by_next = {
        let mut walk = layout.offsets();
        let mut out = Vec::new();
        while let Some(at) = walk.next() {
            out.push(at);
            assert_eq!(walk.len(), layout.element_count() - out.len());
        }
        out
    };
    let mut by_fold = Vec::new();
    layout.offsets().for_each(|at| by_fold.push(at));
    assert_eq!(by_next, by_fold);
    by_next
}

#[test]
fn dense_strides() {
    for (shape, row_strides, col_strides) in [
        (&[][..], &[][..], &[][..]),
        (&[5], &[1], &[1]),
        (&[2, 3, 4], &[12, 4, 1], &[1, 2, 6]),
        (&[3, 1, 2], &[2, 2, 1], &[1, 3, 3]),
    ] {
        assert_eq!(row(shape).strides(), row_strides, "{shape:?}");
        assert_eq!(
            Layout::col_major(shape).unwrap().strides(),
            col_strides,
            "{shape:?}"
        );
    }
}

#[test]
fn element_counts_and_overflow() {
    for (shape, expect) in [
        (&[][..], Some(1)),
        (&[7], Some(7)),
        (&[2, 0, 3], Some(0)),
        (&[usize::MAX, 0], Some(0)),
        (&[0, usize::MAX, usize::MAX], Some(0)),
        (&[usize::MAX], None),
        (&[1 << 32, 1 << 31], None),
        (&[1 << 32, 1 << 30], Some(1 << 62)),
    ] {
        for made in [Layout::row_major(shape), Layout::col_major(shape)] {
            match (made, expect) {
                (Ok(layout), Some(count)) => assert_eq!(layout.element_count(), count),
                (Err(ValidationError::IntegerOverflow { .. }), None) => {}
                (other, _) => panic!("{shape:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn from_parts_checks_the_reachable_range() {
    let check =
        |shape: &[usize], strides: &[isize], offset, len, expect: Option<(isize, isize)>| {
            let made = Layout::from_parts(shape, strides, offset, len);
            match (made, expect) {
                (Ok(_), None) => {}
                (
                    Err(ValidationError::ViewOutOfBounds {
                        op: "from_parts",
                        min,
                        max,
                        buffer_len,
                    }),
                    Some(range),
                ) => {
                    assert_eq!(((min, max), buffer_len), (range, len));
                }
                (other, _) => panic!("{shape:?} {strides:?} {offset} in {len}: {other:?}"),
            }
        };
    check(&[2, 3], &[3, 1], 0, 6, None);
    check(&[2, 3], &[3, 1], 0, 5, Some((0, 5)));
    check(&[2, 3], &[3, 1], 1, 6, Some((1, 6)));
    check(&[3], &[-1], 2, 3, None);
    check(&[3], &[-1], 1, 3, Some((-1, 1)));
    check(&[1000, 1000], &[0, 0], 4, 5, None);
    check(&[], &[], 0, 1, None);
    check(&[], &[], 0, 0, Some((0, 0)));
    check(&[0, 3], &[9, 9], 6, 6, None);
    check(&[0, 3], &[9, 9], 7, 6, Some((7, 7)));
}

#[test]
fn from_parts_survives_hostile_numbers() {
    assert!(matches!(
        Layout::from_parts([2, 2], &[isize::MAX, isize::MAX], 0, 10),
        Err(ValidationError::IntegerOverflow { .. })
    ));
    assert!(matches!(
        Layout::from_parts([3], &[isize::MIN], 0, 10),
        Err(ValidationError::IntegerOverflow { .. })
    ));
    assert!(matches!(
        Layout::from_parts([1], &[1], usize::MAX, 10),
        Err(ValidationError::IntegerOverflow { .. })
    ));
    assert_eq!(
        Layout::from_parts([2, 2], &[1], 0, 10).unwrap_err(),
        ValidationError::RankMismatch {
            op: "from_parts",
            expected: 2,
            actual: 1
        }
    );
}

#[test]
fn contiguity_ignores_unit_axes() {
    for (layout, row_major, col_major) in [
        (row(&[2, 3]), true, false),
        (row(&[2, 3]).transpose(), false, true),
        (row(&[1, 5]).transpose(), true, true),
        (strided(&[1, 5, 1], &[77, 1, -9], 0), true, true),
        (strided(&[5], &[-1], 4), false, false),
        (strided(&[4], &[0], 0), false, false),
        (strided(&[0, 4], &[3, 3], 0), true, true),
        (row(&[]), true, true),
        (row(&[2, 3, 4]).permute(&[1, 0, 2]).unwrap(), false, false),
    ] {
        assert_eq!(layout.is_row_major_contiguous(), row_major, "{layout:?}");
        assert_eq!(layout.is_col_major_contiguous(), col_major, "{layout:?}");
    }
}

#[test]
fn permute_and_transpose() {
    let layout = row(&[2, 3, 4]).permute(&[2, 0, 1]).unwrap();
    assert_eq!(
        (layout.shape(), layout.strides()),
        (&[4, 2, 3][..], &[1, 12, 4][..])
    );
    assert_eq!(row(&[2, 3, 4]).transpose().strides(), &[1, 4, 12]);
    let refuse = |axes: &[usize]| row(&[2, 3]).permute(axes).unwrap_err();
    assert_eq!(
        refuse(&[0]),
        ValidationError::InvalidPermutationLength {
            op: "permute",
            rank: 2,
            actual: 1
        }
    );
    assert_eq!(
        refuse(&[0, 2]),
        ValidationError::AxisOutOfBounds {
            op: "permute",
            axis: 2,
            rank: 2
        }
    );
    assert_eq!(
        refuse(&[1, 1]),
        ValidationError::DuplicateAxis {
            op: "permute",
            axis: 1
        }
    );
}

#[test]
fn axes_in_the_order_of_memory() {
    let layout = row(&[2, 3, 4]).permute(&[1, 2, 0]).unwrap();
    assert_eq!(layout.descending(), row(&[2, 3, 4]));
    let mixed = strided(&[2, 3, 4, 5], &[0, 7, -30, 7], 500).descending();
    assert_eq!(mixed.shape(), [4, 3, 5, 2]);
    assert_eq!(mixed.strides(), [-30, 7, 7, 0]);
    assert_eq!(row(&[]).descending(), row(&[]));
}

#[test]
fn inserting_removing_and_indexing_axes() {
    let layout = row(&[2, 3]);
    for (axis, shape) in [(0, [1, 2, 3]), (1, [2, 1, 3]), (2, [2, 3, 1])] {
        let wide = layout.insert_axis(axis).unwrap();
        assert_eq!(wide.shape(), shape);
        assert!(wide.is_row_major_contiguous());
        assert_eq!(wide.remove_axis(axis).unwrap(), layout);
    }
    assert!(layout.insert_axis(3).is_err());
    assert_eq!(
        layout.remove_axis(1).unwrap_err(),
        ValidationError::NonUnitAxis {
            op: "remove_axis",
            axis: 1,
            extent: 3
        }
    );
    let column = layout.index_axis(1, 2).unwrap();
    assert_eq!(
        (column.shape(), column.strides(), column.offset()),
        (&[2][..], &[3][..], 2)
    );
    assert!(layout.index_axis(1, 3).is_err());
    assert!(layout.index_axis(2, 0).is_err());
    assert_eq!(row(&[0, 3]).index_axis(1, 2).unwrap().offset(), 0);
    let wide = row(&[1; 9]).insert_axis(9).unwrap();
    assert_eq!(wide.rank(), 10);
}

#[test]
fn slices_take_what_numpy_takes() {
    for &(extent, start, end, step, expect) in SLICES {
        let spec = SliceSpec::new(start, end, step);
        let layout = row(&[extent]).slice(&[spec]).unwrap();
        assert_eq!(offsets(&layout), expect, "{extent} {spec:?}");
        layout.validate_in_bounds(extent).unwrap();
    }
}

#[test]
fn slices_of_several_axes() {
    // numpy: a = arange(24).reshape(2, 3, 4); a[:, ::-2, 1:3].ravel()
    let specs = [
        SliceSpec::all(),
        SliceSpec::new(None, None, -2),
        SliceSpec::range(1, 3),
    ];
    let layout = row(&[2, 3, 4]).slice(&specs).unwrap();
    assert_eq!(layout.shape(), [2, 2, 2]);
    assert_eq!(offsets(&layout), [9, 10, 1, 2, 21, 22, 13, 14]);
    // Fewer specs leave trailing axes whole; an empty result stays inside the buffer.
    let layout = row(&[3, 2])
        .slice(&[SliceSpec::range(-1, isize::MAX)])
        .unwrap();
    assert_eq!(offsets(&layout), [4, 5]);
    let empty = row(&[3, 2])
        .slice(&[SliceSpec::range(2, 3), SliceSpec::range(2, 2)])
        .unwrap();
    assert_eq!((empty.shape(), empty.offset()), (&[1, 0][..], 0));
    assert_eq!(
        row(&[3]).slice(&[SliceSpec::all(); 2]).unwrap_err(),
        ValidationError::TooManySlices {
            op: "slice",
            count: 2,
            rank: 1
        }
    );
    assert_eq!(
        row(&[3])
            .slice(&[SliceSpec::new(None, None, 0)])
            .unwrap_err(),
        ValidationError::InvalidSliceStep {
            op: "slice",
            axis: 0
        }
    );
    assert!(row(&[3]).slice_axis(1, SliceSpec::all()).is_err());
    let back = row(&[3]).slice_axis(0, SliceSpec::reverse()).unwrap();
    assert_eq!(offsets(&back), [2, 1, 0]);
}

#[test]
fn reshape_needs_a_copy_exactly_where_numpy_does() {
    for &(shape, strides, offset, target, expect) in RESHAPES {
        let source = strided(shape, strides, offset);
        match (source.reshape(target), expect) {
            (Ok(made), Some(strides)) => {
                for ((&extent, &got), &want) in target.iter().zip(made.strides()).zip(strides) {
                    assert!(
                        extent == 1 || got == want,
                        "{source:?} to {target:?}: {made:?}"
                    );
                }
                assert_eq!(offsets(&made), offsets(&source));
            }
            (Err(ValidationError::NonContiguous { op: "reshape", .. }), None) => {}
            (other, _) => panic!("{source:?} to {target:?}: {other:?}, numpy says {expect:?}"),
        }
    }
}

#[test]
fn reshape_edges() {
    let error = row(&[2, 3]).reshape([4, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reshape: cannot reshape [2, 3] into [4, 2]: the element counts differ"
    );
    let error = row(&[2, 3]).transpose().reshape([6]).unwrap_err();
    assert!(
        error.to_string().contains("call to_contiguous() first"),
        "{error}"
    );
    assert_eq!(row(&[0, 4]).reshape([2, 0, 9]).unwrap().shape(), [2, 0, 9]);
    assert_eq!(row(&[1]).reshape([]).unwrap().rank(), 0);
    assert_eq!(row(&[]).reshape([1, 1]).unwrap().shape(), [1, 1]);
    assert!(row(&[4]).reshape([usize::MAX, 2]).is_err());
    let ranked: TensorLayout<Rank<2>> = row(&[6]).reshape_as([2, 3]).unwrap();
    assert_eq!(ranked.strides(), [3, 1]);
}

#[test]
fn broadcasting() {
    let check = |shape: &[usize], target: &[usize], expect: Option<&[isize]>| {
        let made = row(shape).broadcast_to(target);
        match (&made, expect) {
            (Ok(layout), Some(strides)) => assert_eq!(layout.strides(), strides),
            (Err(ValidationError::BroadcastTarget { .. }), None) => {}
            (other, _) => panic!("{shape:?} to {target:?}: {other:?}"),
        }
    };
    check(&[3], &[2, 3], Some(&[0, 1]));
    check(&[2, 1], &[2, 3], Some(&[1, 0]));
    check(&[], &[2, 3], Some(&[0, 0]));
    check(&[1], &[0], Some(&[0]));
    check(&[2], &[3], None);
    check(&[2, 3], &[3], None);
    check(&[3], &[1], None);
    assert!(row(&[1]).broadcast_to([1 << 40, 1 << 40]).is_err());

    let shapes = |list: &[&[usize]]| broadcast_shapes(list).map(|shape| shape.to_vec());
    assert_eq!(shapes(&[]).unwrap(), [0_usize; 0]);
    assert_eq!(shapes(&[&[3], &[2, 1], &[]]).unwrap(), [2, 3]);
    assert_eq!(shapes(&[&[0], &[1]]).unwrap(), [0]);
    assert_eq!(shapes(&[&[8, 1, 6, 1], &[7, 1, 5]]).unwrap(), [8, 7, 6, 5]);
    let error = shapes(&[&[2, 3], &[4]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "broadcast_shapes: shapes [2, 3] and [4] do not broadcast; aligned at the right, extents must be equal or 1"
    );
    assert!(shapes(&[&[0], &[2]]).is_err());
    assert!(shapes(&[&[1 << 40, 1], &[1, 1 << 40]]).is_err());
}

#[test]
fn broadcasting_to_named_axes() {
    let check = |shape: &[usize], target: &[usize], axes: &[usize], expect: &[isize]| {
        let made = row(shape).broadcast_in_dim(target, axes).unwrap();
        assert_eq!((made.shape(), made.strides()), (target, expect));
    };
    check(&[2, 3], &[2, 5, 3], &[0, 2], &[3, 0, 1]);
    check(&[2, 3], &[3, 2], &[1, 0], &[1, 3]);
    check(&[1, 3], &[4, 3], &[0, 1], &[0, 1]);
    check(&[], &[2, 2], &[], &[0, 0]);
    check(&[1], &[usize::MAX, 0], &[1], &[0, 0]);
    let refuse = |shape: &[usize], target: &[usize], axes: &[usize]| {
        row(shape).broadcast_in_dim(target, axes).unwrap_err()
    };
    let op = "broadcast_in_dim";
    assert_eq!(
        refuse(&[2], &[2, 2], &[]),
        ValidationError::RankMismatch {
            op,
            expected: 1,
            actual: 0
        }
    );
    assert_eq!(
        refuse(&[2], &[2, 2], &[2]),
        ValidationError::AxisOutOfBounds {
            op,
            axis: 2,
            rank: 2
        }
    );
    assert_eq!(
        refuse(&[2, 2], &[2, 2], &[1, 1]),
        ValidationError::DuplicateAxis { op, axis: 1 }
    );
    assert_eq!(
        refuse(&[2], &[3], &[0]).to_string(),
        "broadcast_in_dim: axis 0 of extent 2 can't become an axis of extent 3; extents must be equal or 1"
    );
    assert!(
        row(&[2])
            .broadcast_in_dim_as::<Rank<2>>([3, 2], &[1])
            .is_ok()
    );
    assert!(
        row(&[1])
            .broadcast_in_dim([1 << 40, 1 << 40], &[0])
            .is_err()
    );
}

#[test]
fn both_orders_of_one_shape() {
    use MemoryOrder::{ColMajor, RowMajor};
    assert_eq!(MemoryOrder::default(), RowMajor);
    let layout = TensorLayout::<Rank<3>>::dense([2, 3, 4], ColMajor).unwrap();
    assert_eq!(
        (layout.shape_array(), layout.strides_array()),
        ([2, 3, 4], [1, 2, 6])
    );
    assert!(layout.is_contiguous_in(ColMajor) && !layout.is_contiguous_in(RowMajor));
    assert_eq!(layout.dense_like(RowMajor).strides(), [12, 4, 1]);
    assert_eq!(layout.row_major_like(), layout.dense_like(RowMajor));
    assert_eq!(
        TensorLayout::<Rank<1>>::dense(vec![2, 3], RowMajor)
            .unwrap_err()
            .to_string(),
        "dense: rank mismatch: expected 1, actual 2"
    );
}

#[test]
fn huge_axes_of_empty_layouts_slice_exactly() {
    let huge = row(&[usize::MAX, 0]);
    let sliced = |spec| huge.slice(&[spec]).unwrap().shape()[0];
    assert_eq!(sliced(SliceSpec::all()), usize::MAX);
    assert_eq!(sliced(SliceSpec::reverse()), usize::MAX);
    assert_eq!(sliced(SliceSpec::range(-1, isize::MAX)), 0);
    assert_eq!(sliced(SliceSpec::new(Some(-3), None, 2)), 2);
    assert_eq!(sliced(SliceSpec::new(None, Some(-3), -1)), 2);
    assert_eq!(sliced(SliceSpec::new(None, None, isize::MIN)), 2);
    assert_eq!(huge.slice(&[SliceSpec::all()]).unwrap().offset(), 0);
}

#[test]
fn mutable_overlap() {
    for (layout, ok) in [
        (row(&[2, 3, 4]), true),
        (row(&[2, 3, 4]).permute(&[1, 2, 0]).unwrap(), true),
        (strided(&[4], &[-2], 8), true),
        (strided(&[4], &[0], 0), false),
        (strided(&[1, 4], &[0, 1], 0), true),
        (strided(&[3, 3], &[1, 1], 0), false),
        // 3 a + 2 b with a < 2, b < 3: 0 2 4 3 5 7, no two equal, though 3 <= 4.
        (strided(&[2, 3], &[3, 2], 0), true),
        (strided(&[3, 4], &[3, 2], 0), false),
        (strided(&[0, 4], &[0, 0], 0), true),
        (strided(&[70, 70], &[2, 1], 0), false),
    ] {
        let checked = layout.validate_mutable_no_overlap();
        assert_eq!(checked.is_ok(), ok, "{layout:?}: {checked:?}");
    }
}

#[test]
fn offsets_of_indices() {
    let layout = strided(&[2, 3], &[-10, 2], 15);
    assert_eq!(offsets(&layout), [15, 17, 19, 5, 7, 9]);
    assert_eq!(layout.min_max_offset(), Some((5, 19)));
    for (index, expect) in [([0, 0], 15), ([1, 2], 9)] {
        assert_eq!(layout.offset_of(&index), Ok(expect));
    }
    assert_eq!(
        layout.offset_of(&[1, 3]).unwrap_err().to_string(),
        "index: index 3 is out of bounds for axis 1 with extent 3"
    );
    assert_eq!(
        layout.offset_of(&[1]).unwrap_err().to_string(),
        "index: rank mismatch: expected 2, actual 1"
    );
    assert_eq!(
        layout.offset_of(&[0, 3, 0]).unwrap_err().to_string(),
        "index: rank mismatch: expected 2, actual 3"
    );
    assert_eq!(row(&[0, 2]).min_max_offset(), None);
    assert!(offsets(&row(&[0, 2])).is_empty());
    assert_eq!(offsets(&row(&[])), [0]);
}

#[test]
fn steps_go_both_ways() {
    for (at, stride, count, expect) in [(7, 3, 0, 7), (7, 3, 4, 19), (7, -3, 2, 1), (7, 0, 9, 7)] {
        assert_eq!(stepped(at, stride, count), expect, "{at} {stride} {count}");
    }
}

#[test]
fn a_walk_is_folded_from_wherever_it_is() {
    // No two axes join, and a row is longer than what is unrolled.
    let layout = strided(&[2, 3, 2, 19], &[1000, -200, 50, 2], 500);
    let mut expect = Vec::new();
    for (a, b, c) in (0..12).map(|row| (row / 6, row / 2 % 3, row % 2)) {
        expect.extend((0..19).map(|d| 500 + 1000 * a + 50 * c + 2 * d - 200 * b));
    }
    for taken in 0..=expect.len() {
        let mut walk = layout.offsets();
        walk.by_ref().take(taken).for_each(drop);
        let mut left = Vec::new();
        walk.for_each(|at| left.push(at));
        assert_eq!(left, expect[taken..], "after {taken} elements");
    }
    for taken in 0..=12 {
        let mut runs = layout.runs();
        runs.by_ref().take(taken).for_each(drop);
        let mut left = Vec::new();
        runs.for_each(|run| left.push(run.offset));
        let starts: Vec<usize> = expect.iter().copied().step_by(19).collect();
        assert_eq!(left, starts[taken..], "after {taken} runs");
    }
}

#[test]
fn dense_layouts_are_one_run() {
    let runs = |layout: &Layout| {
        layout
            .runs()
            .map(|run| (run.offset, run.len, run.stride))
            .collect::<Vec<_>>()
    };
    assert_eq!(runs(&row(&[2, 3, 1, 4])), [(0, 24, 1)]);
    assert_eq!(
        runs(&row(&[2, 3]).transpose()),
        [(0, 2, 3), (1, 2, 3), (2, 2, 3)]
    );
    assert_eq!(
        runs(&row(&[3]).broadcast_to([2, 3]).unwrap()),
        [(0, 3, 1), (0, 3, 1)]
    );
    assert_eq!(
        runs(&row(&[2, 3]).slice_axis(1, SliceSpec::range(0, 2)).unwrap()),
        [(0, 2, 1), (3, 2, 1)]
    );
}

#[test]
fn blocks_join_what_walks_as_one() {
    let blocks = |layout: &Layout| {
        layout
            .blocks()
            .iter()
            .map(|b| (b.extent, b.stride))
            .collect::<Vec<_>>()
    };
    assert_eq!(blocks(&row(&[2, 3, 1, 4])), [(24, 1)]);
    assert_eq!(
        blocks(&row(&[2, 3, 4]).permute(&[2, 0, 1]).unwrap()),
        [(4, 1), (6, 4)]
    );
    assert_eq!(blocks(&strided(&[2, 3], &[-3, -1], 5)), [(6, -1)]);
    assert_eq!(blocks(&row(&[1]).broadcast_to([4, 5]).unwrap()), [(20, 0)]);
    assert!(blocks(&row(&[])).is_empty());
    assert!(blocks(&row(&[3, 0])).is_empty());
}

#[test]
fn sizes_and_static_ranks() {
    assert!(size_of::<TensorLayout<DynRank>>() <= 168);
    assert!(size_of::<TensorLayout<Rank<2>>>() <= 40);
    let layout = TensorLayout::<Rank<2>>::row_major([2, 3]).unwrap();
    assert_eq!(layout.clone().into_dynamic(), row(&[2, 3]));
    assert_eq!(row(&[2, 3]).to_rank::<2>().unwrap(), layout);
    assert_eq!(
        row(&[2, 3]).to_rank::<3>().unwrap_err(),
        ValidationError::RankMismatch {
            op: "to_rank",
            expected: 3,
            actual: 2
        }
    );
    assert_eq!(
        TensorLayout::<Rank<2>>::row_major(vec![1])
            .unwrap_err()
            .to_string(),
        "row_major: rank mismatch: expected 2, actual 1"
    );
}

#[test]
fn h13_a_layout_tells_itself_in_a_line() {
    let dense = TensorLayout::<Rank<2>>::col_major([2, 3]).unwrap();
    assert_eq!(dense.to_string(), "shape=[2, 3] strides=[1, 2] offset=0");
    let turned = dense.slice(&[SliceSpec::reverse()]).unwrap();
    assert_eq!(turned.to_string(), "shape=[2, 3] strides=[-1, 2] offset=1");
    let scalar = TensorLayout::<DynRank>::row_major([]).unwrap();
    assert_eq!(scalar.to_string(), "shape=[] strides=[] offset=0");
}
