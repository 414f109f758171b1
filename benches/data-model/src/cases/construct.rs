//! Tensors from ready vectors, and filled ones.

use ndarray::{Array2, Array4, ArrayD};
use tensor::{Rank, TypedTensor};

use super::{VALID, elements};
use crate::Case;

const GROUP: &str = "construct";
const RANK_2: [usize; 2] = [3, 4];
const RANK_4: [usize; 4] = [2, 3, 4, 5];
/// 64 KiB.
const ZEROS: [usize; 2] = [128, 128];

pub(super) fn cases<'a>() -> Vec<Case<'a>> {
    let small = || elements(12);
    let larger = || elements(120);
    vec![
        Case::consuming(
            (GROUP, "from a vector, rank 2"),
            small,
            |v| TypedTensor::<f32, Rank<2>>::from_vec_row_major(RANK_2, v).expect(VALID),
            |v| Array2::from_shape_vec(RANK_2, v).expect(VALID),
        ),
        Case::consuming(
            (GROUP, "from a vector, rank 4"),
            larger,
            |v| TypedTensor::<f32, Rank<4>>::from_vec_row_major(RANK_4, v).expect(VALID),
            |v| Array4::from_shape_vec(RANK_4, v).expect(VALID),
        ),
        Case::consuming(
            (GROUP, "from a vector, dynamic rank 2"),
            small,
            |v| TypedTensor::<f32>::from_vec_row_major(RANK_2, v).expect(VALID),
            |v| ArrayD::from_shape_vec(&RANK_2[..], v).expect(VALID),
        ),
        Case::consuming(
            (GROUP, "from a vector, dynamic rank 4"),
            larger,
            |v| TypedTensor::<f32>::from_vec_row_major(RANK_4, v).expect(VALID),
            |v| ArrayD::from_shape_vec(&RANK_4[..], v).expect(VALID),
        ),
        Case::new(
            (GROUP, "zeros, 64 KiB"),
            (&ZEROS, |shape| {
                TypedTensor::<f32, Rank<2>>::zeros(shape).expect(VALID)
            }),
            (&ZEROS, |shape| Array2::<f32>::zeros(*shape)),
        ),
    ]
}
