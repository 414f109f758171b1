//! Indexed writes: a list of where each update goes, then one loop over it.

use graph::op::{Reduction, ScatterElements, ScatterNd, TensorScatter};
use tensor::Tensor;
use tensor_core::dispatch_dtype;

use super::element::{Real, each_real};
use super::gather::{block_places, element_places};
use super::index::{checked_from_front, flatten, signed, unflatten};
use super::number::Number;
use super::{Call, ReferenceError, Result, from_front};

/// `y = x`, then `y[i.. with index[i..] at axis] = reduction of it and updates[i..]`
pub(super) fn scatter_elements(
    op: ScatterElements,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let places = element_places(call, op.axis)?;
    written(op.reduction, call, 2, shape, &places)
}

/// `y = x`, then `y[index[i.., :].., b..] = reduction of it and updates[i.., b..]`
pub(super) fn scatter_nd(op: ScatterNd, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let places: Vec<usize> = block_places(call, 0)?.into_iter().flatten().collect();
    written(op.reduction, call, 2, shape, &places)
}

/// `y = x`, then `y[b, .., start[b] + s, ..] = updates[b, .., s, ..]`
pub(super) fn tensor_scatter(
    op: TensorScatter,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let axis = from_front(op.axis, shape.len());
    let (extent, updates) = (shape[axis], call.input(1).shape());
    let starts = match call.optional(2) {
        Some(starts) => signed(starts)?,
        None => vec![0; shape[0]],
    };
    let place = |at: usize| {
        let mut place = unflatten(at, updates);
        let (start, step) = (starts[place[0]], place[axis]);
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let mut index = start.saturating_add(step);
        if op.circular && extent > 0 {
            index = index.rem_euclid(i64::try_from(extent).unwrap_or(i64::MAX));
        }
        place[axis] = checked_from_front(call.op, index, extent)?;
        Ok(flatten(&place, shape))
    };
    let places = (0..updates.iter().product()).map(place);
    let places = places.collect::<Result<Vec<usize>, ReferenceError>>()?;
    written(Reduction::None, call, 1, shape, &places)
}

/// Input 0 with the elements of input `updates`, in order, written to these positions.
fn written(
    reduction: Reduction,
    call: &Call<'_>,
    updates: usize,
    shape: &[usize],
    places: &[usize],
) -> Result<Tensor> {
    let (x, updates) = (call.input(0), call.input(updates));
    let combine = match reduction {
        Reduction::None => {
            return dispatch_dtype!(x.dtype(), T => {
                let mut out = x.to_vec::<T>()?;
                for (&at, update) in places.iter().zip(updates.to_vec::<T>()?) {
                    out[at] = update;
                }
                Ok(Tensor::from_vec_row_major(shape, out)?)
            }, _id => Err(call.unsupported(x.dtype())));
        }
        Reduction::Add => Combine::Add,
        Reduction::Mul => Combine::Mul,
        Reduction::Max => Combine::Max,
        Reduction::Min => Combine::Min,
    };
    each_real!(x.dtype(), T => {
        let mut wide = call.widened::<T>(x)?;
        for (&at, update) in places.iter().zip(call.widened::<T>(updates)?) {
            wide[at] = combine.of(wide[at], update);
        }
        let out = wide.into_iter().map(T::narrow).collect();
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

/// A reduction that computes.
#[derive(Clone, Copy)]
enum Combine {
    Add,
    Mul,
    Max,
    Min,
}

impl Combine {
    fn of<N: Number>(self, element: N, update: N) -> N {
        match self {
            Combine::Add => element.add(update),
            Combine::Mul => element.mul(update),
            Combine::Max => element.larger(update),
            Combine::Min => element.smaller(update),
        }
    }
}
