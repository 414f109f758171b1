//! What occurs in a tensor, where and how often.

mod boxes;
mod ngrams;

use std::cmp::Ordering;

use graph::op::Unique;
use tensor::Tensor;

use super::element::{Element, Exact, each_element};
use super::index::unflatten;
use super::{Call, Result, from_front};

pub(super) use boxes::non_max_suppression;
pub(super) use ngrams::ngram_counts;

/// Column `j` is the index of the `j`-th element that is not 0.
pub(super) fn non_zero(call: &Call<'_>) -> Result<Tensor> {
    let input = call.input(0);
    let places: Vec<usize> = each_element!(input.dtype(), T => {
        let elements = input.to_vec::<T>()?;
        let is_zero = |element: T| matches!(element.exact(), Exact::Int(0) | Exact::Float(0.0));
        let there = elements.into_iter().enumerate().filter(|(_, element)| !is_zero(*element));
        there.map(|(at, _)| at).collect()
    }, other => return Err(call.unsupported(other)));
    let mut out = call.buffer::<i64>(places.len().saturating_mul(input.rank()))?;
    for axis in 0..input.rank() {
        let along = places.iter().map(|&at| unflatten(at, input.shape())[axis]);
        out.extend(along.map(|index| i64::try_from(index).unwrap_or(i64::MAX)));
    }
    Ok(Tensor::from_vec_row_major(
        [input.rank(), places.len()],
        out,
    )?)
}

/// The different elements or slices, where each is first, which of them each one is, and how often each occurs.
pub(super) fn unique(op: Unique, call: &Call<'_>) -> Result<Vec<Tensor>> {
    let input = call.input(0);
    let axis = op.axis.map(|axis| from_front(axis, input.rank()));
    // The axis of the slices goes first; without one every element is a slice.
    let order: Vec<usize> = match axis {
        Some(axis) => std::iter::once(axis)
            .chain((0..input.rank()).filter(|&a| a != axis))
            .collect(),
        None => (0..input.rank()).collect(),
    };
    let slices = input.permute(&order)?;
    let (count, each) = match axis {
        Some(_) => (slices.shape()[0], slices.shape()[1..].to_vec()),
        None => (slices.len(), Vec::new()),
    };
    let len: usize = each.iter().product();
    each_element!(input.dtype(), T => {
        let elements = slices.to_vec::<T>()?;
        let slice = |at: usize| &elements[at * len..][..len];
        let groups = Groups::of(count, op.sorted, |a, b| lexicographic(slice(a), slice(b)));
        let mut out = call.buffer::<T>(groups.first.len().saturating_mul(len))?;
        for &first in &groups.first {
            out.extend_from_slice(slice(first));
        }
        let shape: Vec<usize> = std::iter::once(groups.first.len()).chain(each).collect();
        let found = Tensor::from_vec_row_major(&shape[..], out)?;
        let mut back: Vec<usize> = (0..shape.len()).collect();
        if let Some(axis) = axis {
            back[..=axis].rotate_left(1);
        }
        Ok(vec![
            found.view()?.permute(&back)?.to_contiguous()?,
            numbers(&groups.first)?,
            numbers(&groups.inverse)?,
            numbers(&groups.counts)?,
        ])
    }, other => Err(call.unsupported(other)))
}

fn numbers(list: &[usize]) -> Result<Tensor> {
    let list: Vec<i64> = list
        .iter()
        .map(|&n| i64::try_from(n).unwrap_or(i64::MAX))
        .collect();
    Ok(Tensor::from_vec_row_major([list.len()], list)?)
}

/// Things that are equal.
struct Groups {
    /// By group: its first member.
    first: Vec<usize>,
    /// By member: its group.
    inverse: Vec<usize>,
    /// By group: how many members it has.
    counts: Vec<usize>,
}

impl Groups {
    fn of(count: usize, sorted: bool, compare: impl Fn(usize, usize) -> Ordering) -> Groups {
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| compare(a, b));
        let mut members: Vec<Vec<usize>> = Vec::new();
        for at in order {
            match members.last_mut() {
                Some(group) if compare(group[0], at).is_eq() => group.push(at),
                _ => members.push(vec![at]),
            }
        }
        if !sorted {
            members.sort_by_key(|group| group[0]);
        }
        let mut inverse = vec![0; count];
        for (nth, group) in members.iter().enumerate() {
            for &member in group {
                inverse[member] = nth;
            }
        }
        Groups {
            first: members.iter().map(|group| group[0]).collect(),
            inverse,
            counts: members.iter().map(Vec::len).collect(),
        }
    }
}

/// Element by element, ascending; all NaN are equal and last.
fn lexicographic<T: Element>(a: &[T], b: &[T]) -> Ordering {
    let order = |(a, b): (&T, &T)| match (a.exact(), b.exact()) {
        (Exact::Int(a), Exact::Int(b)) => a.cmp(&b),
        (Exact::Float(a), Exact::Float(b)) => a
            .partial_cmp(&b)
            .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        (Exact::Int(_), Exact::Float(_)) | (Exact::Float(_), Exact::Int(_)) => Ordering::Equal,
    };
    let orders = a.iter().zip(b).map(order);
    orders.fold(Ordering::Equal, Ordering::then)
}
