//! Scaled dot-product attention.

use super::Value;
use crate::Error;

impl Value {
    /// `softmax(q k^T / sqrt(d) + mask) v` for `q` (this) of `[.., queries, d]`, `k` of `[.., keys, d]` and `v` of
    /// `[.., keys, e]`; leading axes broadcast. `mask` is added to the scores and broadcasts over them: 0 keeps a key,
    /// `-inf` hides it.
    ///
    /// Any number of keys and any width will do. A query whose every key is hidden gives 0.
    ///
    /// # Errors
    /// Extents that do not fit, an extent `d` that is not a number, elements that are no floats.
    pub fn attention(&self, k: &Value, v: &Value, mask: Option<&Value>) -> Result<Value, Error> {
        let d = self.dims().last().and_then(graph::Dim::as_extent);
        let d = d.ok_or_else(|| Error::Argument {
            op: "attention",
            argument: "q",
            value: self.ty().to_string(),
            reason: "the last extent must be a number".into(),
        })?;
        let scores = self.matmul(&k.transpose()?)?;
        let scores = scores.mul_scalar(1.0 / (d as f64).sqrt())?;
        let weights = match mask {
            None => scores.softmax(-1)?,
            Some(mask) => {
                let scores = scores.add(mask)?;
                // The softmax of nothing is NaN.
                let best = scores.max_axes(&[-1], true)?;
                let blind = best.equal_scalar(f64::NEG_INFINITY)?;
                blind.select(&best.number(0.0)?, &scores.softmax(-1)?)?
            }
        };
        weights.matmul(v)
    }
}
