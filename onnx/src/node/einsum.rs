//! Sums of products by Einstein's convention.
//!
//! <https://onnx.ai/onnx/operators/onnx__Einsum.html>
//!
//! - Opset 12: `Einsum`; opset 28: `bfloat16`.
//!
//! The operands are joined in order, each to what is there: by a matrix product where the two share axes that are summed over, by
//! an elementwise product otherwise. An axis that one operand alone has and the result has not is summed over first; an axis that
//! an operand names twice becomes a diagonal. An extent of 1 broadcasts.

use graph::einsum::{Equation, Label, Pairing};
use graph::op::{MatMul, Op, ReduceKind, Reshape, Squeeze, Transpose};
use graph::{Dim, ValueId};

use super::{Row, row};
use crate::call::{Call, Done, Stop};
use crate::error::ProblemKind;

pub(super) const ROWS: &[Row] = &[row("Einsum", 12, (1, usize::MAX), &["equation"], einsum)];

/// A value whose axes have names, each another.
struct Term {
    id: ValueId,
    labels: Vec<Label>,
}

fn einsum(call: &mut Call<'_>) -> Done {
    if !call.has("equation") {
        return call.fail(ProblemKind::MissingAttribute { name: "equation" });
    }
    let text = call.text("equation", "");
    let mut inputs = Vec::with_capacity(call.inputs.len());
    for index in 0..call.inputs.len() {
        inputs.push(call.input(index)?);
    }
    let ranks: Vec<usize> = inputs.iter().map(|&id| call.ty(id).rank()).collect();
    let equation = match Equation::parse(&text, &ranks) {
        Ok(equation) => equation,
        Err(error) => {
            call.refuse_attribute("equation", format!("{text:?}"), error.reason);
            return Err(Stop);
        }
    };
    check_extents(call, &equation, &inputs)?;
    let mut have: Option<Term> = None;
    for (index, &id) in inputs.iter().enumerate() {
        let next = index + 1;
        let mut take = operand(call, id, &equation.operands()[index])?;
        have = Some(match have {
            None => summed(call, take, |label| equation.is_needed(label, next))?,
            Some(mut have) => {
                broadcast_sums(call, &equation, next, [&mut have, &mut take])?;
                let needed = |labels: &[Label], label| {
                    labels.contains(&label) || equation.is_needed(label, next)
                };
                let take = summed(call, take, |label| needed(&have.labels, label))?;
                let have = summed(call, have, |label| needed(&take.labels, label))?;
                joined(call, &equation, next, &have, &take)?
            }
        });
    }
    let Some(term) = have else {
        return call.fail_input(0, "at least one operand is needed");
    };
    let result = arranged(call, &term, equation.output())?;
    call.output_value(0, result)
}

/// Axes of one name must have one extent, or 1.
fn check_extents(call: &mut Call<'_>, equation: &Equation, inputs: &[ValueId]) -> Done {
    let mut seen: Vec<(Label, i64)> = Vec::new();
    for (index, (&id, labels)) in inputs.iter().zip(equation.operands()).enumerate() {
        let shape = call.ty(id).shape;
        for (label, extent) in labels.iter().zip(shape.iter().map(Dim::as_known)) {
            let Some(extent) = extent.filter(|&extent| extent != 1) else {
                continue;
            };
            match seen.iter().find(|(other, _)| other == label) {
                Some((Label::Letter(letter), other)) if *other != extent => {
                    let reason =
                        format!("has extent {extent} at {letter:?}, where another has {other}");
                    return call.fail_input(index, reason);
                }
                _ => seen.push((*label, extent)),
            }
        }
    }
    Ok(())
}

/// The operand with a diagonal for each axis that it names twice.
fn operand(call: &mut Call<'_>, id: ValueId, labels: &[Label]) -> Result<Term, Stop> {
    let mut term = Term {
        id,
        labels: labels.to_vec(),
    };
    let twice = |labels: &[Label]| {
        let first = |at: &usize| labels[..*at].iter().position(|label| *label == labels[*at]);
        (0..labels.len()).find_map(|at| first(&at).map(|first| (first, at)))
    };
    while let Some((first, second)) = twice(&term.labels) {
        term.id = square(call, term.id, first, second)?;
        let (rows, columns) = (
            call.positions_along(term.id, first)?,
            call.positions_along(term.id, second)?,
        );
        let on_diagonal = call.apply("equal", &[rows, columns])?;
        let zero = call.scalar(call.dtype(term.id), 0.0)?;
        let kept = call.apply("where", &[on_diagonal, term.id, zero])?;
        let axis = i64::try_from(second).unwrap_or(i64::MAX);
        term.id = call.reduce(ReduceKind::Sum, kept, &[axis], false)?;
        term.labels.remove(second);
    }
    Ok(term)
}

/// The value with two axes of one extent; an error here, or when the graph runs, if they differ.
fn square(call: &mut Call<'_>, id: ValueId, first: usize, second: usize) -> Result<ValueId, Stop> {
    let mut shape = call.ty(id).shape;
    if shape[first] == shape[second] {
        return Ok(id);
    }
    shape[second] = shape[first].clone();
    call.emit(Op::Reshape(Reshape::to(shape)), &[Some(id)])
}

/// The positions of the labels that `which` chooses.
fn axes(labels: &[Label], which: impl Fn(Label) -> bool) -> Vec<i64> {
    let chosen = (0..).zip(labels).filter(|(_, label)| which(**label));
    chosen.map(|(axis, _)| axis).collect()
}

/// The term without the axes that are not needed.
fn summed(call: &mut Call<'_>, term: Term, needed: impl Fn(Label) -> bool) -> Result<Term, Stop> {
    let over = axes(&term.labels, |label| !needed(label));
    if over.is_empty() {
        return Ok(term);
    }
    let kept = term.labels.into_iter().filter(|label| needed(*label));
    Ok(Term {
        labels: kept.collect(),
        id: call.reduce(ReduceKind::Sum, term.id, &over, false)?,
    })
}

/// Takes an axis of extent 1 away where the sum over it is one of the other term alone.
fn broadcast_sums(
    call: &mut Call<'_>,
    equation: &Equation,
    next: usize,
    terms: [&mut Term; 2],
) -> Done {
    let [have, take] = terms;
    let one = |call: &Call<'_>, term: &Term, label: Label| {
        let at = term.labels.iter().position(|other| *other == label)?;
        Some(call.ty(term.id).shape[at] == Dim::Known(1))
    };
    let shared: Vec<Label> = have.labels.clone();
    for label in shared
        .into_iter()
        .filter(|&label| !equation.is_needed(label, next))
    {
        let term = match (one(call, have, label), one(call, take, label)) {
            (Some(true), Some(false)) => &mut *have,
            (Some(false), Some(true)) => &mut *take,
            _ => continue,
        };
        let axes = Some(axes(&term.labels, |other| other == label));
        term.id = call.emit(Op::Squeeze(Squeeze { axes }), &[Some(term.id)])?;
        term.labels.retain(|other| *other != label);
    }
    Ok(())
}

/// The term with its axes in this order.
fn arranged(call: &mut Call<'_>, term: &Term, order: &[Label]) -> Result<ValueId, Stop> {
    let place = |label| term.labels.iter().position(|other| other == label);
    let perm: Vec<usize> = order.iter().filter_map(place).collect();
    if perm.iter().copied().eq(0..perm.len()) {
        return Ok(term.id);
    }
    call.emit(Op::Transpose(Transpose { perm }), &[Some(term.id)])
}

/// The product of two terms, summed over what only they need.
fn joined(
    call: &mut Call<'_>,
    equation: &Equation,
    next: usize,
    have: &Term,
    take: &Term,
) -> Result<Term, Stop> {
    let pairing = equation.pair(&have.labels, &take.labels, next);
    if pairing.contracted.is_empty() {
        return product(call, have, take, &pairing);
    }
    let Pairing {
        batch,
        left,
        right,
        contracted,
    } = &pairing;
    let rows = arranged(call, have, &[&batch[..], left, contracted].concat())?;
    let columns = arranged(call, take, &[&batch[..], contracted, right].concat())?;
    let (rows_shape, columns_shape) = (call.ty(rows).shape, call.ty(columns).shape);
    let rows = matrices(call, rows, batch.len(), left.len())?;
    let columns = matrices(call, columns, batch.len(), contracted.len())?;
    let made = call.emit(Op::MatMul(MatMul), &[Some(rows), Some(columns)])?;
    let labels = [&batch[..], left, right].concat();
    let mut id = made;
    if (left.len(), right.len()) != (1, 1) {
        let mut shape = call.ty(made).shape;
        shape.truncate(batch.len());
        shape.extend_from_slice(&rows_shape[batch.len()..][..left.len()]);
        shape.extend_from_slice(&columns_shape[batch.len() + contracted.len()..]);
        id = call.emit(Op::Reshape(Reshape::to(shape)), &[Some(made)])?;
    }
    Ok(Term { id, labels })
}

/// The value as matrices behind `batch` axes, whose rows are the `rows` axes behind these.
fn matrices(call: &mut Call<'_>, id: ValueId, batch: usize, rows: usize) -> Result<ValueId, Stop> {
    let shape = call.ty(id).shape;
    if rows == 1 && shape.len() == batch + 2 {
        return Ok(id);
    }
    let (before, behind) = shape[batch..].split_at(rows);
    let merged = [Dim::product(before), Dim::product(behind)];
    let shape = shape[..batch].iter().cloned().chain(merged);
    call.emit(Op::Reshape(Reshape::to(shape)), &[Some(id)])
}

/// The elementwise product over all axes of both.
fn product(call: &mut Call<'_>, have: &Term, take: &Term, pairing: &Pairing) -> Result<Term, Stop> {
    let labels = [&have.labels[..], &pairing.right].concat();
    let mut sides = [have.id; 2];
    for (side, term) in sides.iter_mut().zip([have, take]) {
        let id = arranged(call, term, &labels)?;
        let missing = axes(&labels, |label| !term.labels.contains(&label));
        *side = call.unsqueeze(id, missing)?;
    }
    let id = call.apply("mul", &sides)?;
    Ok(Term { id, labels })
}
