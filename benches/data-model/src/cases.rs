//! The cases, by group; each group is a file below.
//!
//! Elements are small whole numbers, so that every sum is exact and both sides must give the same.

mod construct;
mod copy;
mod index;
mod iterate;
mod view;

use ndarray::{Array, Dim, Dimension, IntoDimension, Ix2, Ix4, IxDyn};
use tensor::core::IntoRankShape;
use tensor::{DynRank, Host, Rank, TensorRank, TypedTensor};

use crate::Case;

/// The bytes of the contiguous input: more than the nearer caches hold.
pub const CONTIGUOUS_BYTES: usize = 4 << 20;

/// Why nothing fails here.
const VALID: &str = "the inputs of the cases are valid";

/// The same tensor on either side.
#[derive(Debug)]
struct Both<R: TensorRank, D: Dimension> {
    ours: TypedTensor<f32, R>,
    theirs: Array<f32, D>,
}

impl<R: TensorRank, D: Dimension> Both<R, D> {
    fn new<const N: usize>(shape: [usize; N], theirs: impl IntoDimension<Dim = D>) -> Self
    where
        [usize; N]: IntoRankShape<R>,
    {
        let elements = elements(shape.iter().product());
        Self {
            ours: TypedTensor::from_vec_row_major(shape, elements.clone()).expect(VALID),
            theirs: Array::from_shape_vec(theirs.into_dimension(), elements).expect(VALID),
        }
    }
}

/// Row-major elements that repeat after 16.
fn elements(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 16) as f32).collect()
}

/// What the cases borrow.
#[derive(Debug)]
pub struct Inputs {
    /// 1 MiB, for indexing.
    table: Both<Rank<2>, Ix2>,
    table_dyn: Both<DynRank, IxDyn>,
    /// As the table, in a representation that clones.
    table_host: TypedTensor<f32, Rank<2>, Host>,
    /// 4 MiB, for walking.
    matrix: Both<Rank<2>, Ix2>,
    matrix_dyn: Both<DynRank, IxDyn>,
    /// 4 MiB as images are: batch, channels, height, width.
    images: Both<Rank<4>, Ix4>,
    images_dyn: Both<DynRank, IxDyn>,
    /// One element per column of the matrix.
    row: Both<Rank<1>, Dim<[usize; 1]>>,
    row_dyn: Both<DynRank, IxDyn>,
}

impl Inputs {
    /// The inputs; about 30 MiB.
    #[must_use]
    pub fn new() -> Self {
        const TABLE: [usize; 2] = [512, 512];
        const MATRIX: [usize; 2] = [1024, 1024];
        const IMAGES: [usize; 4] = [16, 16, 64, 64];
        const ROW: [usize; 1] = [1024];
        let host = elements(TABLE.iter().product());
        Self {
            table: Both::new(TABLE, TABLE),
            table_dyn: Both::new(TABLE, &TABLE[..]),
            table_host: TypedTensor::from_host_vec_row_major(TABLE, host).expect(VALID),
            matrix: Both::new(MATRIX, MATRIX),
            matrix_dyn: Both::new(MATRIX, &MATRIX[..]),
            images: Both::new(IMAGES, IMAGES),
            images_dyn: Both::new(IMAGES, &IMAGES[..]),
            row: Both::new(ROW, ROW),
            row_dyn: Both::new(ROW, &ROW[..]),
        }
    }
}

impl Default for Inputs {
    fn default() -> Self {
        Self::new()
    }
}

/// Every case.
///
/// # Panics
/// If the sides of a case disagree.
#[must_use]
pub fn all(inputs: &Inputs) -> Vec<Case<'_>> {
    let mut cases = construct::cases();
    cases.extend(index::cases(inputs));
    cases.extend(iterate::cases(inputs));
    cases.extend(copy::cases(inputs));
    cases.extend(view::cases(inputs));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cases_agree_and_run() {
        let inputs = Inputs::new();
        let mut names = Vec::new();
        for mut case in all(&inputs) {
            (case.ours)(1);
            (case.theirs)(1);
            names.push((case.group, case.name));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name is given twice");
    }
}
