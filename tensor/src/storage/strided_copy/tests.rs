//! Views against index arithmetic, for every width of a unit: permutations, slices, reversals, broadcasts, elements that
//! clone.

use super::*;
use crate::{Complex64, DynRank};

/// The elements by the definition of a layout.
fn expected<T: Clone>(from: &[T], offset: usize, shape: &[usize], strides: &[isize]) -> Vec<T> {
    let len: usize = shape.iter().product();
    let element = |mut index: usize| {
        let mut at = offset.cast_signed();
        for (&extent, &stride) in shape.iter().zip(strides).rev() {
            at += (index % extent).cast_signed() * stride;
            index /= extent;
        }
        from[at.cast_unsigned()].clone()
    };
    (0..len).map(element).collect()
}

fn check_as<T: Clone + PartialEq>(
    make: impl Fn(usize) -> T,
    offset: usize,
    shape: &[usize],
    strides: &[isize],
) {
    let reach = shape
        .iter()
        .zip(strides)
        .map(|(&n, &s)| n * s.unsigned_abs());
    let from: Vec<T> = (0..offset + reach.sum::<usize>() + 1).map(make).collect();
    let layout: TensorLayout<DynRank> =
        TensorLayout::from_parts(shape, strides, offset, from.len()).unwrap();
    let name = std::any::type_name::<T>();
    let found = gathered("test", &from, &layout).unwrap();
    assert!(
        found == expected(&from, offset, shape, strides),
        "{shape:?} {strides:?} at {offset}, {name}"
    );
}

/// A value of its own for each index, in every byte.
fn bits(index: usize) -> u64 {
    (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn check(offset: usize, shape: &[usize], strides: &[isize]) {
    check_as(|i| (bits(i) >> 56) as u8, offset, shape, strides);
    check_as(|i| (bits(i) >> 48) as u16, offset, shape, strides);
    check_as(|i| (bits(i) >> 32) as u32, offset, shape, strides);
    check_as(bits, offset, shape, strides);
    let complex = |i| Complex64::new(i as f64, -(i as f64));
    check_as(complex, offset, shape, strides);
    check_as(|i| i.to_string(), offset, shape, strides);
    check_as(|i| [i as u8; 3], offset, shape, strides);
    check_as(|_| (), offset, shape, strides);
}

#[test]
fn views_of_every_kind() {
    for (offset, shape, strides) in [
        (0, &[][..], &[][..]),
        (3, &[1, 1], &[7, 9]),
        (0, &[0, 4], &[4, 1]),
        (0, &[5, 7], &[7, 1]),
        (0, &[7, 5], &[1, 7]),
        (0, &[16, 16], &[1, 16]),
        (2, &[4, 5, 6], &[1, 4, 20]),
        (0, &[18, 3, 6], &[1, 18, 54]),
        (0, &[6, 33, 20], &[660, 1, 33]),
        (0, &[3, 8, 17, 5], &[680, 1, 40, 8]),
        (0, &[3, 17, 8, 5], &[680, 40, 1, 8]),
        (0, &[3, 2, 17, 8], &[272, 8, 16, 1]),
        (19, &[4, 5], &[-5, -1]),
        (40, &[3, 5], &[1, -7]),
        (3, &[3, 5], &[-1, 7]),
        (0, &[6, 9], &[0, 1]),
        (0, &[6, 9], &[1, 0]),
        (0, &[9], &[0]),
        (0, &[3, 17, 20], &[0, 1, 17]),
        (8, &[9], &[-1]),
        (0, &[9, 9], &[27, 2]),
        (0, &[9, 9], &[2, 18]),
        (0, &[5, 9, 2], &[2, 10, 1]),
        (0, &[5, 9, 4], &[4, 20, 1]),
        (0, &[7, 9, 16], &[16, 112, 1]),
        (
            0,
            &[2, 2, 2, 2, 2, 2, 2, 2, 2],
            &[1, 2, 4, 8, 16, 32, 64, 128, 256],
        ),
    ] {
        // Miri takes minutes for large ones.
        if !cfg!(miri) || shape.iter().product::<usize>() <= 512 {
            check(offset, shape, strides);
        }
    }
}

#[test]
fn tiles_with_and_without_rests() {
    let sizes: &[usize] = if cfg!(miri) {
        &[3, 18]
    } else {
        &[1, 2, 3, 8, 15, 16, 17, 31, 63, 64, 65, 80, 131, 520]
    };
    for &rows in sizes {
        for &columns in sizes {
            let step = columns.cast_signed();
            check(1, &[columns, rows], &[1, step]);
            check(0, &[columns, rows], &[1, step + 3]);
        }
    }
}

#[test]
fn large_copies_go_around_the_caches() {
    if cfg!(miri) {
        return;
    }
    // Above STREAM_BYTES: transposed with whole lines and without, and rows of 64 elements.
    check_as(|i| i as u32, 0, &[1536, 1536], &[1, 1536]);
    check_as(|i| i as u32, 0, &[1501, 1500], &[1, 1501]);
    check_as(|i| i as u8, 0, &[3008, 3008], &[1, 3008]);
    check_as(|i| i as u32, 0, &[4, 12, 800, 64], &[614_400, 64, 768, 1]);
}

#[test]
fn destinations_of_any_alignment() {
    let from: Vec<u8> = (0..=255).cycle().take(64 * 64).collect();
    let layout: TensorLayout<DynRank> =
        TensorLayout::from_parts([64, 64], &[1, 64], 0, from.len()).unwrap();
    let expect = expected(&from, 0, &[64, 64], &[1, 64]);
    let mut out = vec![0_u8; 64 * 64 + 64];
    for start in [0, 1, 7, 16, 48, 63] {
        gather_into(&from, &layout, &mut out[start..start + 64 * 64]);
        assert!(out[start..start + 64 * 64] == expect, "{start}");
    }
}

#[test]
fn presets_are_known() {
    assert!(is_preset::<f32>() && is_preset::<bool>() && is_preset::<Complex64>());
    assert!(!is_preset::<&f32>() && !is_preset::<String>() && !is_preset::<u128>());
}

#[test]
#[should_panic(expected = "fits its source")]
fn a_layout_that_leaves_its_source_is_refused() {
    let layout: TensorLayout<DynRank> = TensorLayout::from_parts([2, 3], &[1, 2], 0, 6).unwrap();
    gather_into(&[0_u8; 5], &layout, &mut [0; 6]);
}
