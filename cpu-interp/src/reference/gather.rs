//! Indexed reads.

use graph::op::{Gather, GatherElements, GatherNd, ReverseSequence};
use tensor::Tensor;
use tensor_core::dispatch_dtype;

use super::index::{checked, flatten, signed, unflatten};
use super::{Call, ReferenceError, Result, from_front};

/// `y[a.., i.., b..] = x[a.., index[i..], b..]`
pub(super) fn gather(op: Gather, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let axis = from_front(op.axis, input.rank());
    let extent = input.shape()[axis];
    let outer: usize = input.shape()[..axis].iter().product();
    let inner: usize = input.shape()[axis + 1..].iter().product();
    let indices: Vec<usize> = signed(call.input(1))?
        .into_iter()
        .map(|index| checked(call.op, index, extent))
        .collect::<Result<_>>()?;
    dispatch_dtype!(input.dtype(), T => {
        let x = input.to_vec::<T>()?;
        let mut out = call.buffer::<T>(shape.iter().product())?;
        for block in 0..outer {
            for index in &indices {
                out.extend_from_slice(&x[(block * extent + index) * inner..][..inner]);
            }
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, _id => Err(call.unsupported(input.dtype())))
}

/// `y[i..] = x[i.. with index[i..] at axis]`
pub(super) fn gather_elements(
    op: GatherElements,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let places = element_places(call, op.axis)?;
    picked(call, shape, &places)
}

/// For each index of input 1, the position in input 0 that it names along `axis`.
pub(super) fn element_places(call: &Call<'_>, axis: i64) -> Result<Vec<usize>> {
    let (x, indices) = (call.input(0).shape(), call.input(1));
    let axis = from_front(axis, x.len());
    let place = |(at, index): (usize, i64)| {
        let mut place = unflatten(at, indices.shape());
        place[axis] = checked(call.op, index, x[axis])?;
        Ok(flatten(&place, x))
    };
    signed(indices)?
        .into_iter()
        .enumerate()
        .map(place)
        .collect()
}

/// `y[a.., i.., b..] = x[a.., index[a.., i.., :].., b..]`
pub(super) fn gather_nd(op: GatherNd, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let blocks = block_places(call, op.batch_dims)?;
    let places: Vec<usize> = blocks.into_iter().flatten().collect();
    picked(call, shape, &places)
}

/// For each index tuple of input 1, the positions in input 0 of the block that it names.
pub(super) fn block_places(
    call: &Call<'_>,
    batch_dims: usize,
) -> Result<Vec<std::ops::Range<usize>>> {
    let (x, indices) = (call.input(0).shape(), call.input(1));
    let (tuples, len) = indices.shape().split_at(indices.rank() - 1);
    let (named, block) = x.split_at(batch_dims + len[0]);
    let block: usize = block.iter().product();
    let count: usize = tuples.iter().product();
    let indices = signed(indices)?;
    let place = |at: usize| {
        let mut place = unflatten(at, tuples)[..batch_dims].to_vec();
        for (i, &index) in indices[at * len[0]..][..len[0]].iter().enumerate() {
            place.push(checked(call.op, index, named[batch_dims + i])?);
        }
        let first = flatten(&place, named) * block;
        Ok(first..first + block)
    };
    (0..count).map(place).collect()
}

/// `y[.., t, .., b, ..] = x[.., len[b] - 1 - t, .., b, ..]` for `t < len[b]`
pub(super) fn reverse_sequence(
    op: ReverseSequence,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let time = from_front(op.time_axis, shape.len());
    let batch = from_front(op.batch_axis, shape.len());
    let check = |len: i64| {
        let fits = usize::try_from(len).ok().filter(|&len| len <= shape[time]);
        fits.ok_or(ReferenceError::IndexOutOfRange {
            op: call.op,
            index: len,
            extent: shape[time],
        })
    };
    let lengths = signed(call.input(1))?.into_iter().map(check);
    let lengths = lengths.collect::<Result<Vec<usize>>>()?;
    let place = |at: usize| {
        let mut place = unflatten(at, shape);
        let len = lengths[place[batch]];
        if place[time] < len {
            place[time] = len - 1 - place[time];
        }
        flatten(&place, shape)
    };
    let places: Vec<usize> = (0..shape.iter().product()).map(place).collect();
    picked(call, shape, &places)
}

/// The elements of input 0 at these positions.
fn picked(call: &Call<'_>, shape: &[usize], places: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    dispatch_dtype!(input.dtype(), T => {
        let x = input.to_vec::<T>()?;
        let mut out = call.buffer::<T>(places.len())?;
        out.extend(places.iter().map(|&at| x[at]));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, _id => Err(call.unsupported(input.dtype())))
}
