//! Which keys a query attends to, and what is added to its scores.
//!
//! Everything that forbids keys is one value of booleans that broadcasts over the scores: a mask of booleans, causality, windows, the
//! lengths of padded keys. Whether a query is left without a key follows from this value and the added mask, not from the
//! scores, so a score that is NaN doesn't hide it.

use graph::ValueId;
use graph::op::{Concat, Op, PadMode, PadOp, ReduceKind};
use tensor::Tensor;
use tensor_core::DType;

use super::super::extents::{Extent, extents};
use super::Attributes;
use crate::call::{Call, Stop};

/// Positions of inputs.
const MASK: usize = 3;
const PAST_KEY: usize = 4;
const LENGTHS: usize = 6;

/// What applies to scores `[batch, heads, queries, keys]`.
#[derive(Debug, Default)]
pub(super) struct Mask {
    /// Whether a query attends to a key.
    allowed: Option<ValueId>,
    /// Added to the scores.
    bias: Option<ValueId>,
    /// Whether a query may be left without a key.
    may_be_empty: bool,
}

impl Mask {
    pub(super) fn of(
        call: &mut Call<'_>,
        attributes: &Attributes,
        scores: ValueId,
    ) -> Result<Mask, Stop> {
        let mut mask = Mask::default();
        if let Some(given) = call.optional(MASK)? {
            mask.given(call, given, scores)?;
        }
        let lengths = match call.optional(LENGTHS)? {
            Some(lengths) => Some(column(call, lengths)?),
            None => None,
        };
        let [left, right] = attributes.window;
        if attributes.causal || left.is_some() || right.is_some() {
            let keys = call.positions_along(scores, 3)?;
            let here = places(call, scores, lengths)?;
            if let Some(left) = left {
                let left = call.constant(Tensor::scalar(left))?;
                let first = call.apply("sub", &[here, left])?;
                mask.and(call, "greater_equal", keys, first)?;
                mask.may_be_empty = true;
            }
            // Of both limits on the right, that of causality is the closer one.
            match (attributes.causal, right) {
                (true, _) | (false, Some(0)) => mask.and(call, "less_equal", keys, here)?,
                (false, Some(right)) => {
                    let right = call.constant(Tensor::scalar(right))?;
                    let last = call.apply("add", &[here, right])?;
                    mask.and(call, "less_equal", keys, last)?;
                }
                (false, None) => {}
            }
        }
        if let Some(lengths) = lengths {
            let keys = call.positions_along(scores, 3)?;
            mask.and(call, "less", keys, lengths)?;
            mask.may_be_empty = true;
        }
        Ok(mask)
    }

    /// The mask that is an input.
    fn given(&mut self, call: &mut Call<'_>, mask: ValueId, scores: ValueId) -> Result<(), Stop> {
        let ty = call.ty(mask);
        if ty.rank() > 4 {
            return call.fail_input(MASK, format!("is {ty}; at most four axes are possible"));
        }
        let mask = match ty.rank() {
            0 => call.unsqueeze(mask, [0])?,
            _ => mask,
        };
        self.may_be_empty = true;
        if ty.dtype == DType::Bool {
            self.allowed = Some(as_long_as_keys(call, mask, scores)?);
        } else {
            let mask = call.cast(mask, call.dtype(scores))?;
            self.bias = Some(as_long_as_keys(call, mask, scores)?);
        }
        Ok(())
    }

    /// Allows only where the comparison `name` holds as well.
    fn and(&mut self, call: &mut Call<'_>, name: &str, a: ValueId, b: ValueId) -> Result<(), Stop> {
        let holds = call.apply(name, &[a, b])?;
        self.allowed = Some(match self.allowed {
            Some(allowed) => call.apply("and", &[allowed, holds])?,
            None => holds,
        });
        Ok(())
    }

    /// The scores with the mask added, and negative infinity where a key is not allowed.
    pub(super) fn applied(&self, call: &mut Call<'_>, scores: ValueId) -> Result<ValueId, Stop> {
        let added = match self.bias {
            Some(bias) => call.apply("add", &[scores, bias])?,
            None => scores,
        };
        self.forbidden(call, added)
    }

    fn forbidden(&self, call: &mut Call<'_>, values: ValueId) -> Result<ValueId, Stop> {
        let Some(allowed) = self.allowed else {
            return Ok(values);
        };
        let never = call.scalar(call.dtype(values), f64::NEG_INFINITY)?;
        call.apply("where", &[allowed, values, never])
    }

    /// The weights with zeros for queries that attend to no key, of which the softmax makes NaN.
    pub(super) fn cleared(&self, call: &mut Call<'_>, weights: ValueId) -> Result<ValueId, Stop> {
        if !self.may_be_empty {
            return Ok(weights);
        }
        let bias = match self.bias {
            Some(bias) => bias,
            None => call.scalar(DType::F32, 0.0)?,
        };
        let bias = self.forbidden(call, bias)?;
        let best = call.reduce(ReduceKind::Max, bias, &[-1], true)?;
        let none = call.apply_number("equal", best, f64::NEG_INFINITY)?;
        let zero = call.scalar(call.dtype(weights), 0.0)?;
        call.apply("where", &[none, zero, weights])
    }
}

/// The positions of the queries among the keys, `[queries, 1]`, or `[batch, 1, queries, 1]` behind keys of several lengths.
fn places(call: &mut Call<'_>, scores: ValueId, lengths: Option<ValueId>) -> Result<ValueId, Stop> {
    let queries = call.positions_along(scores, 2)?;
    match (call.optional(PAST_KEY)?, lengths) {
        (Some(past), _) => {
            let before = call.extent(past, 2)?;
            call.apply("add", &[queries, before])
        }
        (None, Some(lengths)) => {
            let count = call.extent(scores, 2)?;
            let before = call.apply("sub", &[lengths, count])?;
            call.apply("add", &[queries, before])
        }
        (None, None) => Ok(queries),
    }
}

/// The lengths of the keys, `[batch]`, as `[batch, 1, 1, 1]`.
fn column(call: &mut Call<'_>, lengths: ValueId) -> Result<ValueId, Stop> {
    let ty = call.ty(lengths);
    if ty.rank() != 1 || ty.dtype != DType::I64 {
        return call.fail_input(LENGTHS, format!("is {ty}; i64[batch] is needed"));
    }
    if call.optional(PAST_KEY)?.is_some() {
        return call.fail_input(LENGTHS, "can't be used together with past_key");
    }
    call.unsqueeze(lengths, [1, 2, 3])
}

/// The mask with what it lacks on its last axis forbidden. Before opset 24 it has to broadcast.
fn as_long_as_keys(call: &mut Call<'_>, mask: ValueId, scores: ValueId) -> Result<ValueId, Stop> {
    let ty = call.ty(mask);
    let last = ty.rank() - 1;
    let (own, keys) = (ty.shape[last].clone(), call.ty(scores).shape[3].clone());
    if call.opset < 24 || own == keys {
        return Ok(mask);
    }
    let after = match (own.as_known(), keys.as_known()) {
        (Some(own), Some(keys)) if own > keys => {
            let reason = format!("is {ty}, more than there are keys, {keys}");
            return call.fail_input(MASK, reason);
        }
        (Some(own), Some(keys)) => call.list(&[keys - own])?,
        _ => {
            let have = extents(call, mask, &[Extent::axis(last)])?;
            let want = extents(call, scores, &[Extent::axis(3)])?;
            call.apply("sub", &[want, have])?
        }
    };
    let before = call.list(&[0])?;
    let pads = call.emit(Op::Concat(Concat { axis: 0 }), &[Some(before), Some(after)])?;
    let fill = match ty.dtype {
        DType::Bool => 0.0,
        _ => f64::NEG_INFINITY,
    };
    let fill = call.scalar(ty.dtype, fill)?;
    let axes = call.list(&[-1])?;
    let mode = PadMode::Constant;
    let inputs = [mask, pads, fill, axes].map(Some);
    call.emit(Op::Pad(PadOp { mode }), &inputs)
}
