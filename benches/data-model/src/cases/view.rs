//! Views made from a tensor: no element moves.
//!
//! Bounds and axes are opaque, as where a program computes them.

use std::hint::black_box;

use ndarray::{Array1, Array2, Array4, ArrayD, Axis, SliceInfoElem, s};
use tensor::{Rank, SliceSpec, TensorRank, TypedTensor, TypedTensorView};

use super::{Inputs, VALID};
use crate::Case;

const GROUP: &str = "view";

fn view<R: TensorRank>(tensor: &TypedTensor<f32, R>) -> TypedTensorView<'_, f32, R> {
    tensor.as_view().expect(VALID)
}

pub(super) fn cases(inputs: &Inputs) -> Vec<Case<'_>> {
    let mut cases = fixed(inputs);
    cases.extend(dynamic(inputs));
    cases
}

/// Static rank.
fn fixed(inputs: &Inputs) -> Vec<Case<'_>> {
    let (table, images, row) = (&inputs.table, &inputs.images, &inputs.row);
    vec![
        Case::new(
            (GROUP, "whole, rank 2"),
            (&table.ours, |t: &TypedTensor<f32, Rank<2>>| view(t)),
            (&table.theirs, |a: &Array2<f32>| a.view()),
        ),
        Case::new(
            (GROUP, "slice, rank 2"),
            (&table.ours, |t: &TypedTensor<f32, Rank<2>>| {
                let (start, end): (isize, isize) = black_box((1, 9));
                let specs = [SliceSpec::range(start, end), SliceSpec::new(None, None, 2)];
                view(t).slice(&specs).expect(VALID)
            }),
            (&table.theirs, |a: &Array2<f32>| {
                let (start, end): (isize, isize) = black_box((1, 9));
                a.slice(s![start..end, ..;2])
            }),
        ),
        Case::new(
            (GROUP, "transpose, rank 2"),
            (&table.ours, |t: &TypedTensor<f32, Rank<2>>| {
                view(t).transpose()
            }),
            (&table.theirs, |a: &Array2<f32>| a.t()),
        ),
        Case::new(
            (GROUP, "permute, rank 4"),
            (&images.ours, |t: &TypedTensor<f32, Rank<4>>| {
                view(t).permute(&black_box([0, 2, 3, 1])).expect(VALID)
            }),
            (&images.theirs, |a: &Array4<f32>| {
                a.view().permuted_axes(black_box([0, 2, 3, 1]))
            }),
        ),
        Case::new(
            (GROUP, "reshape, rank 4 to 2"),
            (&images.ours, |t: &TypedTensor<f32, Rank<4>>| {
                let shape = black_box([256, 4096]);
                view(t).reshape_as::<Rank<2>>(shape).expect(VALID)
            }),
            (&images.theirs, |a: &Array4<f32>| {
                let shape = black_box([256, 4096]);
                a.view().into_shape_with_order(shape).expect(VALID)
            }),
        ),
        Case::new(
            (GROUP, "broadcast, rank 1 to 2"),
            (&row.ours, |t: &TypedTensor<f32, Rank<1>>| {
                let shape = black_box([8, 1024]);
                view(t).broadcast_to_as::<Rank<2>>(shape).expect(VALID)
            }),
            (&row.theirs, |a: &Array1<f32>| {
                a.broadcast(black_box([8, 1024])).expect(VALID)
            }),
        ),
        Case::new(
            (GROUP, "row, rank 2 to dynamic rank"),
            (&table.ours, |t: &TypedTensor<f32, Rank<2>>| {
                view(t).index_axis(0, black_box(5)).expect(VALID)
            }),
            (&table.theirs, |a: &Array2<f32>| {
                a.index_axis(Axis(0), black_box(5))
            }),
        ),
    ]
}

/// Dynamic rank.
fn dynamic(inputs: &Inputs) -> Vec<Case<'_>> {
    let (table, images, row) = (&inputs.table_dyn, &inputs.images_dyn, &inputs.row_dyn);
    vec![
        Case::new(
            (GROUP, "whole, dynamic rank"),
            (&table.ours, |t: &TypedTensor<f32>| view(t)),
            (&table.theirs, |a: &ArrayD<f32>| a.view()),
        ),
        Case::new(
            (GROUP, "slice, dynamic rank"),
            (&table.ours, |t: &TypedTensor<f32>| {
                let (start, end): (isize, isize) = black_box((1, 9));
                let specs = [SliceSpec::range(start, end), SliceSpec::new(None, None, 2)];
                view(t).slice(&specs).expect(VALID)
            }),
            (&table.theirs, |a: &ArrayD<f32>| {
                let (start, end): (isize, isize) = black_box((1, 9));
                let rows = SliceInfoElem::from(start..end);
                let columns = SliceInfoElem::Slice {
                    start: 0,
                    end: None,
                    step: 2,
                };
                a.slice(&[rows, columns][..])
            }),
        ),
        Case::new(
            (GROUP, "transpose, dynamic rank"),
            (&table.ours, |t: &TypedTensor<f32>| view(t).transpose()),
            (&table.theirs, |a: &ArrayD<f32>| a.t()),
        ),
        Case::new(
            (GROUP, "permute, dynamic rank 4"),
            (&images.ours, |t: &TypedTensor<f32>| {
                view(t).permute(&black_box([0, 2, 3, 1])).expect(VALID)
            }),
            (&images.theirs, |a: &ArrayD<f32>| {
                a.view().permuted_axes(&black_box([0, 2, 3, 1])[..])
            }),
        ),
        Case::new(
            (GROUP, "reshape, dynamic rank 4 to 2"),
            (&images.ours, |t: &TypedTensor<f32>| {
                view(t).reshape(black_box([256, 4096])).expect(VALID)
            }),
            (&images.theirs, |a: &ArrayD<f32>| {
                let shape = &black_box([256, 4096])[..];
                a.view().into_shape_with_order(shape).expect(VALID)
            }),
        ),
        Case::new(
            (GROUP, "broadcast, dynamic rank 1 to 2"),
            (&row.ours, |t: &TypedTensor<f32>| {
                view(t).broadcast_to(black_box([8, 1024])).expect(VALID)
            }),
            (&row.theirs, |a: &ArrayD<f32>| {
                a.broadcast(&black_box([8, 1024])[..]).expect(VALID)
            }),
        ),
        Case::new(
            (GROUP, "row, dynamic rank 2 to 1"),
            (&table.ours, |t: &TypedTensor<f32>| {
                view(t).index_axis(0, black_box(5)).expect(VALID)
            }),
            (&table.theirs, |a: &ArrayD<f32>| {
                a.index_axis(Axis(0), black_box(5))
            }),
        ),
    ]
}
