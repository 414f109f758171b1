//! Views: another index map over the same elements, copied out. Any dtype.

use graph::ValueFacts;
use graph::op::{Slice, Transpose};
use tensor::Tensor;
use tensor_core::SliceSpec;

use super::{Call, Result, from_front, static_shape};

/// The elements in row-major order under another shape.
pub(super) fn reshape(call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    Ok(call
        .input(0)
        .to_contiguous()?
        .view()?
        .reshape(shape)?
        .to_contiguous()?)
}

/// Axis `k` of the result is axis `perm[k]` of the input.
pub(super) fn transpose(op: &Transpose, call: &Call<'_>) -> Result<Tensor> {
    Ok(call.input(0).permute(&op.perm)?.to_contiguous()?)
}

/// `x[start:end:step]` per axis.
pub(super) fn slice(op: &Slice, call: &Call<'_>) -> Result<Tensor> {
    let mut view = call.input(0).clone();
    for slice in op.with_axes_of(call.facts)?.axes.into_iter().flatten() {
        let spec = SliceSpec::new(
            Some(bound(slice.start)),
            Some(bound(slice.end)),
            bound(slice.step),
        );
        view = view.slice_axis(from_front(slice.axis, view.rank()), spec)?;
    }
    Ok(view.to_contiguous()?)
}

/// A bound beyond what an index can be is clamped, as it would be to the axis.
fn bound(at: i64) -> isize {
    isize::try_from(at).unwrap_or(if at < 0 { isize::MIN } else { isize::MAX })
}

/// The input repeated to `shape` by numpy's rule.
pub(super) fn expand(call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    Ok(call.input(0).broadcast_to(shape)?.to_contiguous()?)
}

/// The extents of the input: inference knows them, since the input's shape is one of numbers.
pub(super) fn shape(out: &ValueFacts) -> Result<Tensor> {
    let extents: Option<Vec<i64>> = out
        .known
        .as_ref()
        .and_then(|known| known.iter().map(graph::Dim::as_known).collect());
    let extents = extents.expect("extents of a tensor are numbers");
    Ok(Tensor::from_vec_row_major(
        static_shape("shape", &out.ty)?,
        extents,
    )?)
}
