//! Values cut, joined, repeated and surrounded.

use graph::op::{Op, PadMode, PadOp};
use graph::{Dim, DimOp};
use tensor::Tensor;

use super::{Value, apply_all, refused};
use crate::Error;

impl Value {
    /// The values, which have one shape, along a new axis, this one first; a negative axis counts from the end of the result.
    ///
    /// # Errors
    /// If dtypes or shapes differ.
    pub fn stack(&self, others: &[&Value], axis: i64) -> Result<Value, Error> {
        let others: Vec<Value> = others
            .iter()
            .map(|other| other.unsqueeze(axis))
            .collect::<Result<_, _>>()?;
        let others: Vec<&Value> = others.iter().collect();
        self.unsqueeze(axis)?.concat(&others, axis)
    }

    /// Parts of these extents, one after another along an axis. On eager values they share this one's elements.
    ///
    /// # Errors
    /// If there is no such axis, its extent is not a number, or it is not the sum of `extents`.
    pub fn split(&self, extents: &[usize], axis: i64) -> Result<Vec<Value>, Error> {
        let at = self.axis("split", axis)?;
        let whole = self.extent("split", at)?;
        if extents
            .iter()
            .try_fold(0, |sum: usize, &n| sum.checked_add(n))
            != Some(whole)
        {
            let reason = format!("do not add up to axis {at} of {}", self.ty());
            return Err(refused("split", "extents", format!("{extents:?}"), reason));
        }
        let mut start = 0;
        let mut parts = Vec::with_capacity(extents.len());
        for &extent in extents {
            let end = start + i64::try_from(extent).unwrap_or(i64::MAX);
            parts.push(self.slice(axis, start, end)?);
            start = end;
        }
        Ok(parts)
    }

    /// At most `count` parts of one extent along an axis, but that the last may be smaller.
    ///
    /// # Errors
    /// If there is no such axis, its extent is not a number, or `count` is 0.
    pub fn chunk(&self, count: usize, axis: i64) -> Result<Vec<Value>, Error> {
        let whole = self.extent("chunk", self.axis("chunk", axis)?)?;
        if count == 0 {
            return Err(refused("chunk", "count", count, "must be at least 1"));
        }
        let each = whole.div_ceil(count).max(1);
        let mut extents = vec![each; whole / each];
        extents.extend(Some(whole % each).filter(|&rest| rest > 0));
        self.split(&extents, axis)
    }

    /// The whole value `counts[k]` times along axis `k`: `[a, b]` twice is `[a, b, a, b]`.
    ///
    /// # Errors
    /// Unless there is one count per axis.
    pub fn tile(&self, counts: &[usize]) -> Result<Value, Error> {
        if counts.len() != self.rank() {
            let reason = format!("needs a count for each axis of {}", self.ty());
            return Err(refused("tile", "counts", format!("{counts:?}"), reason));
        }
        let dims = self.dims();
        let pairs = || dims.iter().zip(counts);
        let apart = pairs().flat_map(|(dim, _)| [Dim::Known(1), dim.clone()]);
        let copies = pairs().flat_map(|(dim, &count)| [Dim::from(count), dim.clone()]);
        let joined = pairs().map(|(dim, &n)| Dim::apply(DimOp::Mul, dim.clone(), Dim::from(n)));
        let whole: Vec<Dim> = joined.collect();
        self.reshape(apart)?.broadcast_to(copies)?.reshape(whole)
    }

    /// Every element `count` times along an axis: `[a, b]` twice is `[a, a, b, b]`.
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn repeat(&self, count: usize, axis: i64) -> Result<Value, Error> {
        let at = self.axis("repeat", axis)?;
        let mut dims = self.dims();
        let long = Dim::apply(DimOp::Mul, dims[at].clone(), Dim::from(count));
        let mut copies = dims.clone();
        copies.insert(at + 1, Dim::from(count));
        dims.insert(at + 1, Dim::Known(1));
        let copies = self.reshape(dims)?.broadcast_to(copies)?;
        let mut whole = self.dims();
        whole[at] = long;
        copies.reshape(whole)
    }

    /// The elements along an axis in the other order.
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn flip(&self, axis: i64) -> Result<Value, Error> {
        self.slice_step(axis, -1, i64::MIN, -1)
    }

    /// The value with `around[k]` elements (before, after) of `number` added to axis `k`; negative numbers take elements away.
    ///
    /// # Errors
    /// Unless there is one pair per axis; a pair that takes away more than there is.
    pub fn pad(&self, around: &[(i64, i64)], number: f64) -> Result<Value, Error> {
        let number = self.number(number)?;
        self.padded(PadMode::Constant, around, Some(&number))
    }

    /// As [`Value::pad`], with elements of the value itself: mirrored at the ends, the last one again and again, or those of
    /// the other end, as `mode` says ([`PadMode::Constant`] adds zeros).
    ///
    /// # Errors
    /// As [`Value::pad`]; a mirror or a repetition of an axis that has no elements, when it runs.
    pub fn pad_with(&self, mode: PadMode, around: &[(i64, i64)]) -> Result<Value, Error> {
        self.padded(mode, around, None)
    }

    fn padded(
        &self,
        mode: PadMode,
        around: &[(i64, i64)],
        number: Option<&Value>,
    ) -> Result<Value, Error> {
        if around.len() != self.rank() {
            let reason = format!("needs a pair for each axis of {}", self.ty());
            return Err(refused("pad", "around", format!("{around:?}"), reason));
        }
        let (before, after) = (around.iter().map(|p| p.0), around.iter().map(|p| p.1));
        let pads = before.chain(after).collect::<Vec<i64>>();
        let pads = self.beside(Tensor::from_vec_row_major([pads.len()], pads)?)?;
        let inputs: &[Option<&Value>] = &[Some(self), Some(&pads), number];
        let given = if number.is_some() { 3 } else { 2 };
        let op = Op::Pad(PadOp { mode });
        Ok(apply_all(&op, &inputs[..given])?.swap_remove(0))
    }
}
