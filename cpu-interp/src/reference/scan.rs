//! Along one axis, with memory or order.

use std::cmp::Ordering;

use graph::op::{ArgReduce, Cumulative, CumulativeKind, Extreme, TopK};
use tensor::{Tensor, TensorElement, TensorView};

use super::element::{Real, each_real};
use super::index::{checked, signed};
use super::number::Number;
use super::{Call, ReferenceError, Result, from_front};

/// The view with `axis` last.
fn last<'a>(view: &TensorView<'a>, axis: usize) -> Result<TensorView<'a>> {
    let mut order: Vec<usize> = (0..view.rank()).filter(|&other| other != axis).collect();
    order.push(axis);
    Ok(view.permute(&order)?)
}

/// The tensor of `lanes`, one after another along what becomes `axis` of `shape`.
fn placed<T: TensorElement>(shape: &[usize], axis: usize, lanes: Vec<T>) -> Result<Tensor> {
    let mut turned: Vec<usize> = shape.to_vec();
    let extent = turned.remove(axis);
    turned.push(extent);
    let mut back: Vec<usize> = (0..axis).collect();
    back.push(shape.len() - 1);
    back.extend(axis..shape.len() - 1);
    let made = Tensor::from_vec_row_major(turned, lanes)?;
    Ok(made.view()?.permute(&back)?.to_contiguous()?)
}

/// By size; NaN is the largest.
fn order<N: Number>(a: N, b: N) -> Ordering {
    let is_nan = |x: N| x.partial_cmp(&x).is_none();
    a.partial_cmp(&b)
        .unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

/// The position of the extreme along an axis.
pub(super) fn arg_reduce(op: ArgReduce, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let axis = from_front(op.axis, input.rank());
    let extent = input.shape()[axis];
    let rows = last(input, axis)?;
    each_real!(input.dtype(), T => {
        let elements = call.widened::<T>(&rows)?;
        let mut out = call.buffer::<i64>(shape.iter().product())?;
        out.extend(elements.chunks(extent).map(|row| extreme(op, row) as i64));
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

fn extreme<N: Number>(op: ArgReduce, row: &[N]) -> usize {
    let is_nan = |x: N| x.partial_cmp(&x).is_none();
    let beyond = |x: N, best: N| match op.extreme {
        Extreme::Max => order(x, best),
        Extreme::Min if is_nan(x) || is_nan(best) => is_nan(x).cmp(&is_nan(best)),
        Extreme::Min => order(best, x),
    };
    let mut best = 0;
    for (at, &x) in row.iter().enumerate().skip(1) {
        match beyond(x, row[best]) {
            Ordering::Greater => best = at,
            Ordering::Equal if op.last => best = at,
            Ordering::Equal | Ordering::Less => {}
        }
    }
    best
}

/// Running sums or products along an axis.
pub(super) fn cumulative(op: Cumulative, call: &Call<'_>, shape: &[usize]) -> Result<Tensor> {
    let input = call.input(0);
    let rank = input.rank();
    let axis = match op.axis {
        Some(axis) => from_front(axis, rank),
        None => {
            let axis = signed(call.input(1))?;
            let [axis] = axis[..] else {
                return Err(ReferenceError::IndexCount {
                    op: call.op,
                    input: 1,
                    got: axis.len(),
                });
            };
            checked(call.op, axis, rank)?
        }
    };
    let rows = last(input, axis)?;
    each_real!(input.dtype(), T => {
        let elements = call.widened::<T>(&rows)?;
        let mut out = call.buffer::<T>(elements.len())?;
        for row in elements.chunks(shape[axis].max(1)) {
            let running = running(op, row);
            out.extend(running.into_iter().map(T::narrow));
        }
        placed(shape, axis, out)
    }, other => Err(call.unsupported(other)))
}

fn running<N: Number>(op: Cumulative, row: &[N]) -> Vec<N> {
    let mut value = match op.kind {
        CumulativeKind::Sum => N::ZERO,
        CumulativeKind::Prod => N::of_count(1),
    };
    let mut out = vec![N::ZERO; row.len()];
    for step in 0..row.len() {
        let at = if op.reverse {
            row.len() - 1 - step
        } else {
            step
        };
        let next = match op.kind {
            CumulativeKind::Sum => value.add(row[at]),
            CumulativeKind::Prod => value.mul(row[at]),
        };
        out[at] = if op.exclusive { value } else { next };
        value = next;
    }
    out
}

/// The first `k` of an axis in order, and where they were.
pub(super) fn top_k(op: TopK, call: &Call<'_>, shape: &[usize]) -> Result<Vec<Tensor>> {
    let input = call.input(0);
    let axis = from_front(op.axis, input.rank());
    let (extent, k) = (input.shape()[axis], shape[axis]);
    let rows = last(input, axis)?;
    each_real!(input.dtype(), T => {
        let elements = rows.to_vec::<T>()?;
        let count = shape.iter().product();
        let (mut values, mut positions) = (call.buffer::<T>(count)?, call.buffer::<i64>(count)?);
        for row in elements.chunks(extent.max(1)) {
            let mut sorted: Vec<usize> = (0..row.len()).collect();
            // The sort is stable: equal elements stay in the order of their positions.
            sorted.sort_by(|&a, &b| {
                let ascending = order(row[a].widen(), row[b].widen());
                if op.largest { ascending.reverse() } else { ascending }
            });
            values.extend(sorted[..k].iter().map(|&at| row[at]));
            positions.extend(sorted[..k].iter().map(|&at| at as i64));
        }
        Ok(vec![placed(shape, axis, values)?, placed(shape, axis, positions)?])
    }, other => Err(call.unsupported(other)))
}
