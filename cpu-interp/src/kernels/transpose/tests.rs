//! Views against index arithmetic: permutations, slices, reversals, broadcasts, for every element size and level.

use super::*;
use crate::kernels::isa::Isa;

fn expected<T: Copy>(from: &[T], offset: usize, shape: &[usize], strides: &[isize]) -> Vec<T> {
    let len: usize = shape.iter().product();
    (0..len)
        .map(|mut index| {
            let mut at = offset as isize;
            for (&n, &stride) in shape.iter().zip(strides).rev() {
                at += (index % n) as isize * stride;
                index /= n;
            }
            from[at as usize]
        })
        .collect()
}

fn check_as<T: Copy + Send + Sync + PartialEq + std::fmt::Debug + Default>(
    make: impl Fn(usize) -> T,
    offset: usize,
    shape: &[usize],
    strides: &[isize],
) {
    let reach: usize = shape
        .iter()
        .zip(strides)
        .map(|(&n, &s)| n * s.unsigned_abs())
        .sum();
    let from: Vec<T> = (0..offset + reach + 1).map(make).collect();
    let want = expected(&from, offset, shape, strides);
    for isa in Isa::available() {
        for threads in [1, 2] {
            let mut to = vec![T::default(); want.len()];
            copy_strided(
                &Cpu::with_isa(isa, threads),
                &from,
                offset,
                shape,
                strides,
                &mut to,
            );
            assert!(
                to == want,
                "{shape:?} {strides:?} at {offset}, {} bytes, {isa:?}",
                size_of::<T>()
            );
        }
    }
}

fn check(offset: usize, shape: &[usize], strides: &[isize]) {
    check_as(|i| i as u8, offset, shape, strides);
    check_as(|i| i as u16, offset, shape, strides);
    check_as(|i| i as u32, offset, shape, strides);
    check_as(|i| i as u64, offset, shape, strides);
    // Signalling NaN patterns must survive.
    check_as(
        |i| f32::from_bits(0x7f80_0001 + i as u32).to_bits(),
        offset,
        shape,
        strides,
    );
}

#[test]
fn views_of_every_kind() {
    check(0, &[], &[]);
    check(3, &[1, 1], &[7, 9]);
    check(0, &[0, 4], &[4, 1]);
    check(0, &[5, 7], &[7, 1]);
    check(0, &[7, 5], &[1, 7]);
    check(0, &[16, 16], &[1, 16]);
    check(0, &[131, 67], &[1, 131]);
    check(0, &[64, 48], &[1, 64]);
    check(2, &[4, 5, 6], &[1, 4, 20]);
    check(0, &[6, 33, 20], &[660, 1, 33]);
    check(0, &[3, 8, 17, 5], &[680, 1, 40, 8]);
    check(0, &[3, 17, 8, 5], &[680, 40, 1, 8]);
    check(19, &[4, 5], &[-5, -1]);
    check(40, &[3, 5], &[1, -7]);
    check(0, &[6, 9], &[0, 1]);
    check(0, &[6, 9], &[1, 0]);
    check(0, &[9], &[0]);
    check(0, &[9, 9], &[27, 3]);
    check(0, &[40, 70], &[1, 45]);
    check(0, &[2, 2, 2, 2, 2, 2, 2], &[1, 2, 4, 8, 16, 32, 64]);
}

#[test]
fn large_transposition_streams() {
    // Above STREAM_BYTES, aligned and not.
    for (rows, cols) in [(1536, 1536), (1500, 1501)] {
        let from: Vec<u32> = (0..rows * cols).map(|i| i as u32).collect();
        let mut to = vec![0_u32; rows * cols];
        copy_strided(
            &Cpu::new(2),
            &from,
            0,
            &[cols, rows],
            &[1, cols as isize],
            &mut to,
        );
        assert!(to == expected(&from, 0, &[cols, rows], &[1, cols as isize]));
    }
}

#[test]
#[should_panic(expected = "leaves its slice")]
fn views_outside_their_slice_are_refused() {
    copy_strided(&Cpu::new(1), &[0_u8; 5], 0, &[2, 3], &[3, 1], &mut [0; 6]);
}
