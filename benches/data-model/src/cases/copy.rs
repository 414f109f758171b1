//! Deep copies.

use ndarray::{Array2, Array4, ArrayD, s};
use tensor::{Host, Rank, SliceSpec, TypedTensor};

use super::{Inputs, VALID};
use crate::Case;

const GROUP: &str = "copy";

pub(super) fn cases(inputs: &Inputs) -> Vec<Case<'_>> {
    let mut cases = whole(inputs);
    cases.extend(to_contiguous(inputs));
    cases
}

fn whole(inputs: &Inputs) -> Vec<Case<'_>> {
    let (fixed, dynamic) = (&inputs.table, &inputs.table_dyn);
    vec![
        Case::new(
            (GROUP, "clone, 1 MiB"),
            (&inputs.table_host, |t: &TypedTensor<f32, Rank<2>, Host>| {
                t.clone()
            }),
            (&fixed.theirs, |a: &Array2<f32>| a.clone()),
        ),
        Case::new(
            (GROUP, "duplicate, 1 MiB, dynamic rank"),
            (&dynamic.ours, |t: &TypedTensor<f32>| {
                t.duplicate().expect(VALID)
            }),
            (&dynamic.theirs, |a: &ArrayD<f32>| a.clone()),
        ),
    ]
}

fn to_contiguous(inputs: &Inputs) -> Vec<Case<'_>> {
    let (matrix, images) = (&inputs.matrix, &inputs.images);
    const STEP_2: [SliceSpec; 2] = [SliceSpec::new(None, None, 2); 2];
    vec![
        Case::new(
            (GROUP, "transposed to contiguous, 4 MiB"),
            (&matrix.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let view = t.as_view().expect(VALID).transpose();
                view.to_contiguous().expect(VALID)
            }),
            (&matrix.theirs, |a: &Array2<f32>| {
                a.t().as_standard_layout().into_owned()
            }),
        ),
        Case::new(
            (GROUP, "every second of both axes to contiguous"),
            (&matrix.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let view = t.as_view().expect(VALID).slice(&STEP_2).expect(VALID);
                view.to_contiguous().expect(VALID)
            }),
            (&matrix.theirs, |a: &Array2<f32>| {
                a.slice(s![..;2, ..;2]).as_standard_layout().into_owned()
            }),
        ),
        Case::new(
            (GROUP, "channels last to contiguous, 4 MiB"),
            (&images.ours, |t: &TypedTensor<f32, Rank<4>>| {
                let view = t.as_view().expect(VALID).permute(&[0, 2, 3, 1]);
                view.expect(VALID).to_contiguous().expect(VALID)
            }),
            (&images.theirs, |a: &Array4<f32>| {
                let view = a.view().permuted_axes([0, 2, 3, 1]);
                view.as_standard_layout().into_owned()
            }),
        ),
    ]
}
