//! All elements of a tensor or view, in row-major logical order.

use ndarray::{Array2, Array4, ArrayD, s};
use tensor::{DynRank, Rank, SliceSpec, TensorRank, TypedTensor, TypedTensorView};

use super::{CONTIGUOUS_BYTES, Inputs, VALID};
use crate::Case;

const GROUP: &str = "iterate";

fn view<R: TensorRank>(tensor: &TypedTensor<f32, R>) -> TypedTensorView<'_, f32, R> {
    tensor.as_view().expect(VALID)
}

/// All bits combined: no order is prescribed, so that only reading takes time.
fn bits<'e>(elements: impl Iterator<Item = &'e f32>) -> u32 {
    let mut all = 0;
    elements.for_each(|element| all ^= element.to_bits());
    all
}

pub(super) fn cases(inputs: &Inputs) -> Vec<Case<'_>> {
    let mut cases = contiguous(inputs);
    cases.extend(strided(inputs));
    cases
}

fn contiguous(inputs: &Inputs) -> Vec<Case<'_>> {
    let (fixed, dynamic) = (&inputs.matrix, &inputs.matrix_dyn);
    let cases = vec![
        Case::new(
            (GROUP, "contiguous, for_each"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                bits(view(t).iter())
            }),
            (&fixed.theirs, |a: &Array2<f32>| bits(a.iter())),
        ),
        Case::new(
            (GROUP, "contiguous, for_each, dynamic rank"),
            (&dynamic.ours, |t: &TypedTensor<f32>| bits(view(t).iter())),
            (&dynamic.theirs, |a: &ArrayD<f32>| bits(a.iter())),
        ),
        Case::new(
            (GROUP, "contiguous, for loop"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let mut all = 0;
                for element in view(t).iter() {
                    all ^= element.to_bits();
                }
                all
            }),
            (&fixed.theirs, |a: &Array2<f32>| {
                let mut all = 0;
                for element in a.iter() {
                    all ^= element.to_bits();
                }
                all
            }),
        ),
        Case::new(
            (GROUP, "contiguous, sum in order"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                view(t).iter().sum::<f32>()
            }),
            (&fixed.theirs, |a: &Array2<f32>| a.iter().sum::<f32>()),
        ),
    ];
    let cases = cases.into_iter();
    cases.map(|case| case.reading(CONTIGUOUS_BYTES)).collect()
}

fn strided(inputs: &Inputs) -> Vec<Case<'_>> {
    let (fixed, dynamic) = (&inputs.matrix, &inputs.matrix_dyn);
    let (images, images_dyn) = (&inputs.images, &inputs.images_dyn);
    const STEP_2: [SliceSpec; 2] = [SliceSpec::new(None, None, 2); 2];
    vec![
        Case::new(
            (GROUP, "transposed, sum"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                view(t).transpose().iter().sum::<f32>()
            }),
            (&fixed.theirs, |a: &Array2<f32>| a.t().iter().sum::<f32>()),
        ),
        Case::new(
            (GROUP, "transposed, sum, dynamic rank"),
            (&dynamic.ours, |t: &TypedTensor<f32>| {
                view(t).transpose().iter().sum::<f32>()
            }),
            (&dynamic.theirs, |a: &ArrayD<f32>| a.t().iter().sum::<f32>()),
        ),
        Case::new(
            (GROUP, "transposed, for loop"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let mut sum = 0.0;
                for element in view(t).transpose().iter() {
                    sum += element;
                }
                sum
            }),
            (&fixed.theirs, |a: &Array2<f32>| {
                let mut sum = 0.0;
                for element in a.t().iter() {
                    sum += element;
                }
                sum
            }),
        ),
        Case::new(
            (GROUP, "every second of both axes, sum"),
            (&fixed.ours, |t: &TypedTensor<f32, Rank<2>>| {
                view(t).slice(&STEP_2).expect(VALID).iter().sum::<f32>()
            }),
            (&fixed.theirs, |a: &Array2<f32>| {
                a.slice(s![..;2, ..;2]).iter().sum::<f32>()
            }),
        ),
        Case::new(
            (GROUP, "channels last, sum"),
            (&images.ours, |t: &TypedTensor<f32, Rank<4>>| {
                let last = view(t).permute(&[0, 2, 3, 1]).expect(VALID);
                last.iter().sum::<f32>()
            }),
            (&images.theirs, |a: &Array4<f32>| {
                let last = a.view().permuted_axes([0, 2, 3, 1]);
                last.iter().sum::<f32>()
            }),
        ),
        Case::new(
            (GROUP, "channels last, sum, dynamic rank"),
            (&images_dyn.ours, |t: &TypedTensor<f32, DynRank>| {
                let last = view(t).permute(&[0, 2, 3, 1]).expect(VALID);
                last.iter().sum::<f32>()
            }),
            (&images_dyn.theirs, |a: &ArrayD<f32>| {
                let last = a.view().permuted_axes(&[0, 2, 3, 1][..]);
                last.iter().sum::<f32>()
            }),
        ),
    ]
}
