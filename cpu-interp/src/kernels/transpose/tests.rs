//! Views against index arithmetic: permutations, slices, reversals, broadcasts, whole and divided.

use super::*;

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
    let mut to = vec![T::default(); want.len()];
    copy_strided(&Cpu::new(1), &from, offset, shape, strides, &mut to);
    assert!(to == want, "{shape:?} {strides:?} at {offset}");
}

fn check(offset: usize, shape: &[usize], strides: &[isize]) {
    check_as(|i| i as u8, offset, shape, strides);
    check_as(|i| i as u64, offset, shape, strides);
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
fn large_copies_are_divided() {
    for (shape, axes) in [
        (&[1536, 1537][..], &[1, 0][..]),
        (&[3, 700, 40, 33], &[0, 2, 3, 1]),
        (&[1, 2, 3000, 300], &[3, 2, 1, 0]),
    ] {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        let from: Vec<u32> = (0..shape.iter().product::<usize>() as u32).collect();
        let shape: Vec<usize> = axes.iter().map(|&axis| shape[axis]).collect();
        let strides: Vec<isize> = axes.iter().map(|&axis| strides[axis]).collect();
        let want = expected(&from, 0, &shape, &strides);
        for threads in [1, 2, 5] {
            let mut to = vec![0; want.len()];
            copy_strided(&Cpu::new(threads), &from, 0, &shape, &strides, &mut to);
            assert!(to == want, "{shape:?} {strides:?} on {threads} threads");
        }
    }
}

#[test]
#[should_panic(expected = "leaves its slice")]
fn views_outside_their_slice_are_refused() {
    copy_strided(&Cpu::new(1), &[0_u8; 5], 0, &[2, 3], &[3, 1], &mut [0; 6]);
}
