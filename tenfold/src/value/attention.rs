//! Scaled dot-product attention.

use super::Value;
use crate::Error;

impl Value {
    /// `softmax(q k^T / sqrt(d) + mask) v` for `q` (this) of `[.., queries, d]`, `k` of `[.., keys, d]` and `v` of
    /// `[.., keys, e]`; leading axes broadcast. `mask` is added to the scores and broadcasts over them: 0 keeps a key,
    /// `-inf` hides it.
    ///
    /// A query whose every key is hidden gives NaN, as the softmax of nothing is.
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
        let scores = match mask {
            Some(mask) => scores.add(mask)?,
            None => scores,
        };
        scores.softmax(-1)?.matmul(v)
    }
}
