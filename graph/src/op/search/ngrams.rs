//! How often n-grams of a pool occur.

use tensor_core::DType;

use super::def;
use crate::op::{Attrs, Entry, Inputs, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};

pub(in crate::op) static NGRAM_COUNTS: OpDef = def(
    "ngram_counts",
    (1, 1),
    "y[.., columns[g]] = how often the n-gram g of the pool occurs in the row x[.., :], its elements 1 to `max_skip` + 1 apart",
    "integers only",
    "ONNX TfIdfVectorizer, mode TF",
);

/// Counts of n-grams in a row `[n]` or in rows `[batches, n]` of integers, as `f32`.
///
/// An n-gram of one element counts once per place; a longer one once per place and distance of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NgramCounts {
    /// Length of the shortest n-gram that counts.
    pub min_len: usize,
    /// Length of the longest n-gram that counts.
    pub max_len: usize,
    /// Most elements left out between two elements of an n-gram.
    pub max_skip: usize,
    /// The n-grams one after another, by length.
    pub pool: Vec<i64>,
    /// Where in the pool the n-grams of length 1, 2, .. start.
    pub starts: Vec<usize>,
    /// By n-gram: its column of the result.
    pub columns: Vec<usize>,
}

impl NgramCounts {
    /// The n-grams of the pool, in order.
    pub fn grams(&self) -> Vec<&[i64]> {
        let mut grams = Vec::new();
        for (at, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(at + 1).copied().unwrap_or(self.pool.len());
            let of_len = self.pool.get(start..end).unwrap_or_default();
            grams.extend(of_len.chunks_exact(at + 1));
        }
        grams
    }

    /// Number of columns of the result.
    pub fn width(&self) -> usize {
        self.columns
            .iter()
            .max()
            .map_or(0, |last| last.saturating_add(1))
    }

    fn check(&self, inputs: &Inputs<'_>) -> Result<(), InferError> {
        let last = self.pool.len();
        let ends = self.starts.iter().skip(1).chain([&last]);
        let mut parts = self.starts.iter().zip(ends).enumerate();
        let whole = |(at, (start, end)): (usize, (&usize, &usize))| {
            end.checked_sub(*start)
                .is_some_and(|items| items % (at + 1) == 0)
        };
        if self.starts.first().is_some_and(|&start| start != 0) || !parts.all(whole) {
            let reason = "must start at 0, rise, and leave whole n-grams of 1, 2, .. elements";
            return Err(inputs.attribute_error("starts", format!("{:?}", self.starts), reason));
        }
        let grams = self.grams().len();
        if self.columns.len() != grams {
            let reason = format!("needs one column for each of {grams} n-grams");
            return Err(inputs.attribute_error("columns", self.columns.len(), reason));
        }
        if self.min_len == 0 || self.min_len > self.max_len {
            let reason = format!("must be from 1 to max_len = {}", self.max_len);
            return Err(inputs.attribute_error("min_len", self.min_len, reason));
        }
        Ok(())
    }
}

impl Entry for NgramCounts {
    fn defs() -> Vec<&'static OpDef> {
        vec![&NGRAM_COUNTS]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(NgramCounts {
            min_len: attrs.usize("min_len")?,
            max_len: attrs.usize("max_len")?,
            max_skip: attrs.usize("max_skip")?,
            pool: attrs.ints("pool")?,
            starts: attrs.usizes("starts")?,
            columns: attrs.usizes("columns")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &NGRAM_COUNTS
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        self.check(inputs)?;
        let x = inputs.indices(0)?;
        let width = Dim::from(self.width());
        let shape = match &x.shape[..] {
            [_] => vec![width],
            [batches, _] => vec![batches.clone(), width],
            _ => return Err(inputs.shape_error(0, "needs [n] or [batches, n]")),
        };
        Ok(vec![ValueFacts::of_type(TensorType::new(
            DType::F32,
            shape,
        ))])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_usize("min_len", self.min_len)
            .with_usize("max_len", self.max_len)
            .with_usize("max_skip", self.max_skip)
            .with_ints("pool", &self.pool)
            .with_usizes("starts", &self.starts)
            .with_usizes("columns", &self.columns)
    }
}
