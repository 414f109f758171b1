//! Layout validation, slicing and reshaping against brute force, over random layouts of at most 4,096 elements.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_core::{DynRank, MemoryOrder, SliceSpec, TensorLayout, contiguous_strides};

type Layout = TensorLayout<DynRank>;

/// The product of extents that brute force enumerates.
const MOST_ELEMENTS: usize = 4096;

fn wide(value: usize) -> i128 {
    i128::try_from(value).expect("i128 holds every usize")
}

fn narrow(value: i128) -> usize {
    usize::try_from(value).expect("a position of a small layout")
}

/// Every position that a layout names, in row-major logical order, by plain counting.
fn positions(shape: &[usize], strides: &[isize], offset: usize) -> Vec<i128> {
    let mut out = vec![wide(offset)];
    for (&extent, &stride) in shape.iter().zip(strides) {
        out = out
            .iter()
            .flat_map(|base| (0..extent).map(move |i| base + wide(i) * stride as i128))
            .collect();
    }
    out
}

/// Extents of rank 0 to 5 whose product stays small; 0 and 1 are frequent.
fn shapes() -> impl Strategy<Value = Vec<usize>> {
    let extent = prop_oneof![1 => Just(0_usize), 4 => Just(1), 12 => 2..7_usize, 4 => 7..70_usize];
    prop::collection::vec(extent, 0..=5).prop_map(|mut shape| {
        let mut count = 1;
        for extent in &mut shape {
            if count * (*extent).max(1) > MOST_ELEMENTS {
                *extent = 1;
            }
            count *= (*extent).max(1);
        }
        shape
    })
}

fn dense_strides(shape: &[usize], order: MemoryOrder) -> Vec<isize> {
    contiguous_strides(shape, order)
        .expect("a small shape")
        .to_vec()
}

/// Strides that are dense, permuted dense or arbitrary, with random signs and zeros among them.
fn strides_of(shape: &[usize]) -> impl Strategy<Value = Vec<isize>> + use<> {
    let rank = shape.len();
    let dense = dense_strides(shape, MemoryOrder::RowMajor);
    let scaled = (
        Just(dense).prop_shuffle(),
        prop::collection::vec(
            prop_oneof![6 => Just(1_isize), 2 => Just(-1), 1 => 2..4_isize, 1 => Just(0)],
            rank,
        ),
    )
        .prop_map(|(dense, factors)| {
            dense
                .iter()
                .zip(&factors)
                .map(|(stride, factor)| stride * factor)
                .collect()
        });
    let arbitrary = prop::collection::vec(-20..=20_isize, rank);
    let dense_signed = (
        Just(dense_strides(shape, MemoryOrder::ColMajor)),
        prop::collection::vec(prop::bool::weighted(0.2), rank),
    )
        .prop_map(|(dense, flip)| {
            dense
                .iter()
                .zip(&flip)
                .map(|(&stride, &flip)| if flip { -stride } else { stride })
                .collect()
        });
    prop_oneof![scaled, arbitrary, dense_signed]
}

fn parts() -> impl Strategy<Value = (Vec<usize>, Vec<isize>)> {
    shapes().prop_flat_map(|shape| {
        let strides = strides_of(&shape);
        (Just(shape), strides)
    })
}

/// A layout that is valid in some buffer: its offset is just what negative strides need, and a little more.
fn layouts() -> impl Strategy<Value = Layout> {
    (parts(), 0..5_usize).prop_map(|((shape, strides), extra)| {
        let lowest = positions(&shape, &strides, 0)
            .into_iter()
            .min()
            .unwrap_or(0);
        let offset = narrow(-lowest) + extra;
        Layout::from_parts(shape, &strides, offset, usize::MAX)
            .expect("the offset was chosen to fit")
    })
}

fn slice_specs() -> impl Strategy<Value = SliceSpec> {
    let bound = || {
        prop::option::of(
            prop_oneof![8 => -12..12_isize, 1 => Just(isize::MIN), 1 => Just(isize::MAX)],
        )
    };
    let step = prop_oneof![8 => -4..=4_isize, 1 => Just(isize::MIN), 1 => Just(isize::MAX)];
    (bound(), bound(), step).prop_map(|(start, end, step)| SliceSpec::new(start, end, step))
}

/// What python's `range(extent)[start:end:step]` takes, by walking; `None` for step 0.
fn python_slice(extent: usize, spec: SliceSpec) -> Option<Vec<usize>> {
    let len = wide(extent);
    let step = spec.step as i128;
    // The documented defaults and clamps of `slice.indices`.
    let (low, high) = if step < 0 { (-1, len - 1) } else { (0, len) };
    let adjust = |bound: isize| {
        let bound = bound as i128;
        let wrapped = if bound < 0 { bound + len } else { bound };
        wrapped.max(low).min(high)
    };
    let (first, last) = if step < 0 { (high, low) } else { (low, high) };
    let mut at = spec.start.map_or(first, adjust);
    let end = spec.end.map_or(last, adjust);
    if step == 0 {
        return None;
    }
    let mut out = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        out.push(narrow(at));
        at += step;
    }
    Some(out)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn from_parts_accepts_what_brute_force_accepts(
        (shape, strides) in parts(),
        offset in 0..300_usize,
        // Lengths close to what is needed, on both sides, besides any.
        length in prop_oneof![0..400_usize, Just(usize::MAX)],
        nearby in -2..=2_i128,
        use_nearby: bool,
    ) {
        let named = positions(&shape, &strides, offset);
        let needed = named.iter().max().map_or(wide(offset), |max| max + 1);
        let length = if use_nearby { narrow((needed + nearby).max(0)) } else { length };
        let expect = if named.is_empty() {
            offset <= length
        } else {
            named.iter().all(|&at| at >= 0 && at < wide(length))
        };
        let made = Layout::from_parts(&shape, &strides, offset, length);
        prop_assert_eq!(made.is_ok(), expect, "{:?}", made);
        if let Ok(layout) = made {
            prop_assert_eq!(layout.element_count(), named.len());
            let walked: Vec<i128> = layout.offsets().map(wide).collect();
            prop_assert_eq!(&walked, &named);
            let range = named.iter().min().zip(named.iter().max());
            let found = layout.min_max_offset().map(|(min, max)| (wide(min), wide(max)));
            prop_assert_eq!(found, range.map(|(&min, &max)| (min, max)));
            prop_assert!(layout.validate_in_bounds(length).is_ok());
        }
    }

    #[test]
    fn the_overlap_check_is_exact(layout in layouts()) {
        let named: Vec<usize> = layout.offsets().collect();
        let distinct: BTreeSet<usize> = named.iter().copied().collect();
        prop_assert!(named.len() <= MOST_ELEMENTS);
        prop_assert_eq!(layout.validate_mutable_no_overlap().is_ok(), distinct.len() == named.len());
    }

    #[test]
    fn contiguity_is_what_the_positions_say(layout in layouts()) {
        let from = layout.offset();
        let in_order = |layout: &Layout| layout.offsets().eq(from..from + layout.element_count());
        prop_assert_eq!(layout.is_row_major_contiguous(), in_order(&layout));
        prop_assert_eq!(layout.is_col_major_contiguous(), in_order(&layout.transpose()));
    }

    #[test]
    fn slices_are_those_of_python(extent in 0..10_usize, spec in slice_specs()) {
        let taken = spec.resolve(extent).map(|(first, count)| {
            (0..count).map(|i| {
                let at = wide(first) + wide(i) * spec.step as i128;
                narrow(at)
            }).collect::<Vec<_>>()
        });
        prop_assert_eq!(taken, python_slice(extent, spec));
    }

    #[test]
    fn sliced_layouts_name_the_sliced_positions(layout in layouts(), spec in slice_specs(), pick: prop::sample::Index) {
        prop_assume!(layout.rank() > 0);
        let axis = pick.index(layout.rank());
        let extent = layout.shape()[axis];
        let Some(taken) = python_slice(extent, spec) else {
            prop_assert!(layout.slice_axis(axis, spec).is_err());
            return Ok(());
        };
        let sliced = layout.slice_axis(axis, spec).unwrap();
        prop_assert_eq!(sliced.shape()[axis], taken.len());
        if layout.is_empty() || sliced.is_empty() {
            prop_assert_eq!(sliced.offset(), layout.offset());
            return Ok(());
        }
        for (to, &from) in taken.iter().enumerate() {
            let got = sliced.index_axis(axis, to).unwrap();
            let want = layout.index_axis(axis, from).unwrap();
            prop_assert!(got.offsets().eq(want.offsets()));
        }
    }

    #[test]
    fn a_reshape_without_a_copy_keeps_the_order(layout in layouts(), target in shapes()) {
        match layout.reshape(&target) {
            Ok(made) => {
                prop_assert_eq!(made.shape(), target.as_slice());
                prop_assert!(made.offsets().eq(layout.offsets()));
            }
            Err(_) => {
                let count: usize = target.iter().product();
                // A dense layout never needs a copy.
                prop_assert!(count != layout.element_count() || !layout.is_row_major_contiguous());
            }
        }
    }

    #[test]
    fn no_numbers_make_a_layout_panic(
        shape in prop::collection::vec(prop_oneof![any::<usize>(), 0..3_usize, Just(usize::MAX)], 0..4),
        strides in prop::collection::vec(prop_oneof![any::<isize>(), -2..3_isize, Just(isize::MIN)], 0..4),
        offset in prop_oneof![any::<usize>(), 0..9_usize],
        length: usize,
        specs in prop::collection::vec(slice_specs(), 0..4),
    ) {
        if let Ok(layout) = Layout::from_parts(&shape, &strides, offset, length) {
            prop_assert!(layout.validate_in_bounds(length).is_ok());
            for made in [layout.slice(&specs), layout.reshape(&shape)].into_iter().flatten() {
                prop_assert!(made.validate_in_bounds(length).is_ok(), "{made:?}");
            }
            prop_assert_eq!(layout.offsets().next().is_none(), layout.is_empty());
            prop_assert_eq!(layout.runs().len() == 0, layout.is_empty());
            if let Some((min, max)) = layout.min_max_offset() {
                prop_assert!(min <= layout.offset() && layout.offset() <= max && max < length);
            }
            if layout.is_row_major_contiguous() {
                prop_assert!(layout.blocks().len() <= 1);
            }
        }
        if let Ok(layout) = Layout::row_major(&shape) {
            prop_assert!(layout.is_row_major_contiguous());
        }
    }
}
