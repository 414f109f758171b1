//! Reductions: one loop over the reduced elements per element of the result.

use graph::op::{Reduce, ReduceKind};
use tensor::Tensor;

use super::element::{Real, each_real};
use super::number::Number;
use super::{Call, Result, from_front};

/// `y[kept..] = kind over reduced.. of x`
pub(super) fn reduce(op: &Reduce, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let op = op.with_axes_of(call.facts)?;
    let reduced: Vec<usize> = op
        .axes
        .iter()
        .flatten()
        .map(|&axis| from_front(axis, input.rank()))
        .collect();
    let kept = (0..input.rank()).filter(|axis| !reduced.contains(axis));
    let order: Vec<usize> = kept.chain(reduced.iter().copied()).collect();
    let rows = input.permute(&order)?;
    let row_len: usize = reduced.iter().map(|&axis| input.shape()[axis]).product();
    let row_count: usize = shape.iter().product();
    each_real!(input.dtype(), T => {
        let elements = call.widened::<T>(&rows)?;
        let mut out = call.buffer::<T>(row_count)?;
        out.extend((0..row_count).map(|row| T::narrow(fold(op.kind, &elements[row * row_len..][..row_len]))));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

fn fold<N: Number>(kind: ReduceKind, row: &[N]) -> N {
    let terms = row.iter().copied();
    match kind {
        ReduceKind::Sum => N::sum(terms),
        ReduceKind::Mean => N::sum(terms).over(row.len()),
        ReduceKind::Max => terms.fold(N::LOWEST, N::larger),
        ReduceKind::Min => terms.fold(N::HIGHEST, N::smaller),
        ReduceKind::Prod => N::product(terms),
    }
}
