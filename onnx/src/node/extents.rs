//! Lists of extents, computed by nodes of the graph.
//!
//! An importer that needs the extents of a value can't read them where they are known only when the graph runs. It asks for a
//! list instead; where the extents are numbers or symbols, inference follows its elements, so nothing is lost.

use graph::ValueId;
use graph::op::{Concat, Gather, Op, Reshape, Shape};

use crate::call::{Call, Stop, map};

/// An entry of a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    /// A number.
    Number(i64),
    /// The extent of this axis, times the second number, plus the third.
    Of(usize, i64, i64),
}

impl Extent {
    /// The extent of an axis.
    pub(super) fn axis(axis: usize) -> Extent {
        Extent::Of(axis, 1, 0)
    }
}

/// All extents of a value.
pub(super) fn shape_of(call: &mut Call<'_>, x: ValueId) -> Result<ValueId, Stop> {
    let (start, end) = (0, None);
    call.emit(Op::Shape(Shape { start, end }), &[Some(x)])
}

/// The list of these entries about the axes of `x`.
pub(super) fn extents(
    call: &mut Call<'_>,
    x: ValueId,
    entries: &[Extent],
) -> Result<ValueId, Stop> {
    let one = i64::try_from(call.ty(x).rank()).unwrap_or(i64::MAX);
    let parts = |pick: fn(&Extent, i64) -> i64| entries.iter().map(|e| pick(e, one)).collect();
    let places: Vec<i64> = parts(|entry, one| match *entry {
        Extent::Number(_) => one,
        Extent::Of(axis, ..) => i64::try_from(axis).unwrap_or(one),
    });
    let factors: Vec<i64> = parts(|entry, _| match *entry {
        Extent::Number(number) => number,
        Extent::Of(_, factor, _) => factor,
    });
    let terms: Vec<i64> = parts(|entry, _| match *entry {
        Extent::Number(_) => 0,
        Extent::Of(_, _, term) => term,
    });
    if entries
        .iter()
        .all(|entry| matches!(entry, Extent::Number(_)))
    {
        return call.list(&factors);
    }
    let shape = shape_of(call, x)?;
    let one = call.list(&[1])?;
    let all = call.emit(Op::Concat(Concat { axis: 0 }), &[Some(shape), Some(one)])?;
    let places = call.list(&places)?;
    let mut list = call.emit(Op::Gather(Gather { axis: 0 }), &[Some(all), Some(places)])?;
    if factors.iter().any(|&factor| factor != 1) {
        let factors = call.list(&factors)?;
        list = call.emit(map("mul"), &[Some(list), Some(factors)])?;
    }
    if terms.iter().any(|&term| term != 0) {
        let terms = call.list(&terms)?;
        list = call.emit(map("add"), &[Some(list), Some(terms)])?;
    }
    Ok(list)
}

/// A reshape to what its second input holds, where 0 is an extent like any other.
pub(super) fn exactly() -> Op {
    Op::Reshape(Reshape {
        shape: None,
        allow_zero: true,
    })
}

/// `x` under the extents of these entries; one of them may be -1, for what remains.
pub(super) fn reshaped(
    call: &mut Call<'_>,
    x: ValueId,
    entries: &[Extent],
) -> Result<ValueId, Stop> {
    let list = extents(call, x, entries)?;
    call.emit(exactly(), &[Some(x), Some(list)])
}

/// `x` under the extents of `like`.
pub(super) fn reshaped_like(
    call: &mut Call<'_>,
    x: ValueId,
    like: ValueId,
) -> Result<ValueId, Stop> {
    let shape = shape_of(call, like)?;
    call.emit(exactly(), &[Some(x), Some(shape)])
}
