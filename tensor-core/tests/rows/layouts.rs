//! Strides, views and what may be written.

use tensor_core::{
    DType, DynRank, MemoryOrder, Rank, SliceSpec, TensorLayout, ValidationError, contiguous_strides,
};

type Layout = TensorLayout<DynRank>;

fn positions(layout: &Layout) -> Vec<usize> {
    layout.offsets().collect()
}

fn row(shape: &[usize]) -> Layout {
    Layout::row_major(shape).expect("a small shape")
}

#[test]
fn c01_column_major_strides() {
    // Column-major is one of two orders of equal rank; the constructor says which.
    for rank in 0..=10 {
        let shape: Vec<usize> = (0..rank).map(|axis| axis % 3 + 1).collect();
        let layout = Layout::col_major(&shape).unwrap();
        for axis in 0..rank {
            let expect: usize = shape[..axis].iter().product();
            assert_eq!(layout.strides()[axis].unsigned_abs(), expect, "{shape:?}");
        }
        assert!(layout.is_col_major_contiguous());
        assert_eq!(layout.offset(), 0);
    }
}

#[test]
fn c02_row_major_strides() {
    // Strides count elements; times the size of an element they are the bytes that the claim counts.
    let strides = contiguous_strides(&[2, 3, 4], MemoryOrder::RowMajor).unwrap();
    assert_eq!(strides.as_slice(), [12, 4, 1]);
    let bytes: Vec<usize> = strides
        .iter()
        .map(|stride| stride.unsigned_abs() * DType::F32.size_bytes())
        .collect();
    assert_eq!(bytes, [48, 16, 4]);
    assert_eq!(row(&[2, 3, 4]).strides(), strides.as_slice());
}

#[test]
fn c03_contiguous_strides() {
    use MemoryOrder::{ColMajor, RowMajor};
    let check = |shape: &[usize], order, expect: &[isize]| {
        assert_eq!(contiguous_strides(shape, order).unwrap().as_slice(), expect);
    };
    check(&[], RowMajor, &[]);
    check(&[5], RowMajor, &[1]);
    check(&[2, 3, 4], ColMajor, &[1, 2, 6]);
    check(&[3, 1, 2], RowMajor, &[2, 2, 1]);
    // An extent of 0 counts as 1, and what it stands beside can't overflow.
    check(&[2, 0, 4], RowMajor, &[4, 4, 1]);
    check(&[2, 0, 4], ColMajor, &[1, 2, 2]);
    check(&[0, usize::MAX, 2], RowMajor, &[isize::MAX, 2, 1]);
    for shape in [&[usize::MAX][..], &[1 << 32, 1 << 31]] {
        for order in [RowMajor, ColMajor] {
            let error = contiguous_strides(shape, order).unwrap_err();
            assert_eq!(
                error,
                ValidationError::IntegerOverflow {
                    op: "contiguous_strides",
                    what: "the element count",
                    shape: shape.into()
                }
            );
        }
    }
}

#[test]
fn c05_slices_of_several_axes() {
    // numpy: numpy.arange(24).reshape(2, 3, 4)[0:2, :, 1:3]
    let specs = [
        SliceSpec::range(0, 2),
        SliceSpec::all(),
        SliceSpec::range(1, 3),
    ];
    let view = row(&[2, 3, 4]).slice(&specs).unwrap();
    assert_eq!(view.shape(), [2, 3, 2]);
    assert_eq!((view.strides(), view.offset()), (&[12, 4, 1][..], 1));
    assert!(!view.is_row_major_contiguous());
    assert_eq!(
        positions(&view),
        [1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22]
    );
}

#[test]
fn c06_transpose_swaps_strides() {
    let layout = row(&[2, 3]);
    let swapped = layout.permute(&[1, 0]).unwrap();
    assert_eq!(
        (swapped.shape(), swapped.strides()),
        (&[3, 2][..], &[1, 3][..])
    );
    assert_eq!(swapped, layout.transpose());
    assert_eq!(positions(&swapped), [0, 3, 1, 4, 2, 5]);
}

#[test]
fn c07_broadcast_repeats_with_stride_zero() {
    let view = row(&[3, 1]).broadcast_to([2, 3, 4]).unwrap();
    assert_eq!(view.strides(), [0, 1, 0]);
    assert_eq!(
        positions(&view),
        [[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]; 2].concat()
    );
    assert!(view.validate_mutable_no_overlap().is_err());
    let column = row(&[3]).broadcast_in_dim([3, 4], &[0]).unwrap();
    assert_eq!(column.strides(), [1, 0]);
}

#[test]
fn c08_reshape_is_a_view() {
    let made = row(&[2, 3, 4]).reshape([6, 4]).unwrap();
    assert_eq!((made.strides(), made.offset()), (&[4, 1][..], 0));
    // Where strides can't say it, reshape is an error that names the cure.
    let error = row(&[2, 3]).transpose().reshape([6]).unwrap_err();
    assert!(matches!(
        error,
        ValidationError::NonContiguous { op: "reshape", .. }
    ));
    assert!(error.to_string().contains("to_contiguous()"));
    let error = row(&[2, 3]).reshape([5]).unwrap_err();
    assert!(matches!(error, ValidationError::ReshapeElementCount { .. }));
}

#[test]
fn c09_contiguity() {
    // Axes of extent 1 are ignored, whatever their stride; a layout without elements is contiguous.
    let strided =
        |shape: &[usize], strides: &[isize]| Layout::from_parts(shape, strides, 20, 40).unwrap();
    for (layout, expect) in [
        (row(&[2, 3, 4]), true),
        (row(&[2, 3]).transpose(), false),
        (row(&[1, 3]).transpose(), true),
        (strided(&[2, 1, 3], &[3, -17, 1]), true),
        (strided(&[2, 3], &[4, 1]), false),
        (strided(&[3], &[-1]), false),
        (strided(&[5, 0], &[7, 7]), true),
        (Layout::scalar(), true),
    ] {
        assert_eq!(layout.is_row_major_contiguous(), expect, "{layout:?}");
    }
    // One predicate serves reshape too.
    assert!(row(&[1, 3]).transpose().reshape([3]).is_ok());
}

#[test]
fn c12_layouts_are_independent() {
    let whole = row(&[4, 3]);
    let slice = whole.slice_axis(0, SliceSpec::range(1, 3)).unwrap();
    let before = slice.clone();
    let reshaped = whole.reshape([12]).unwrap();
    assert_eq!(reshaped.shape(), [12]);
    assert_eq!((slice, whole), (before, row(&[4, 3])));
}

#[test]
fn c15_layouts_of_any_rank() {
    assert!(size_of::<TensorLayout<DynRank>>() <= 168);
    assert!(size_of::<TensorLayout<Rank<2>>>() <= 40);
    let check = |shape: [usize; 2], strides: [isize; 2], offset, len, ok| {
        let made = TensorLayout::<Rank<2>>::from_parts(shape, &strides, offset, len);
        assert_eq!(made.is_ok(), ok, "{made:?}");
        let dynamic = Layout::from_parts(shape, &strides, offset, len);
        assert_eq!(dynamic.err(), made.err());
    };
    check([2, 3], [3, 1], 0, 6, true);
    check([2, 3], [3, 1], 0, 5, false);
    check([2, 3], [-3, -1], 5, 6, true);
    check([2, 3], [-3, -1], 4, 6, false);
    // Without elements the offset may lie one past the end, and no extent overflows.
    check([0, 3], [3, 1], 6, 6, true);
    check([0, 3], [3, 1], 7, 6, false);
    check([0, usize::MAX], [isize::MIN, isize::MAX], 6, 6, true);
    check([usize::MAX, 2], [0, 0], 0, 6, false);
    check([2, 2], [isize::MAX, isize::MAX], 0, usize::MAX, false);
    check([1, 1], [isize::MIN, isize::MAX], 5, 6, true);
}

#[test]
fn c16_mutable_layouts_do_not_overlap() {
    let check = |shape: &[usize], strides: &[isize], ok: bool| {
        let lowest: isize = shape
            .iter()
            .zip(strides)
            .map(|(&extent, &stride)| stride.min(0) * isize::try_from(extent - 1).unwrap())
            .sum();
        let layout = Layout::from_parts(shape, strides, lowest.unsigned_abs(), usize::MAX).unwrap();
        let checked = layout.validate_mutable_no_overlap();
        assert_eq!(checked.is_ok(), ok, "{layout:?}");
        if let Err(error) = checked {
            assert!(matches!(
                error,
                ValidationError::OverlappingMutableLayout { .. }
            ));
        }
    };
    check(&[4, 5], &[5, 1], true);
    check(&[4, 5], &[-1, 4], true);
    check(&[4], &[0], false);
    check(&[1], &[0], true);
    check(&[3, 3], &[1, 1], false);
    // Rows interleave, but odd and even positions never meet: exact up to 4,096 elements, refused above.
    check(&[2, 2048], &[3, 2], true);
    check(&[2, 2049], &[3, 2], false);
    check(&[2, 2048], &[4, 2], false);
    // Proved by the strides alone, whatever the size.
    check(&[1 << 30, 1 << 30], &[1 << 30, 1], true);
    assert!(
        row(&[0, 7])
            .broadcast_to([3, 0, 7])
            .unwrap()
            .validate_mutable_no_overlap()
            .is_ok()
    );
}
