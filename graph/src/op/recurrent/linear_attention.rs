//! Attention without a softmax: a matrix per head that every step adds to and reads.

use super::super::attrs::words;
use super::super::rule::{Inputs, may_equal};
use super::super::{Attrs, Entry, OpDef};
use super::{def, expect};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

static LINEAR_ATTENTION: OpDef = def(
    "linear_attention",
    (3, 6),
    "S = e^decay * S (gated); u = beta * (v - S^T k) (delta) or v; S' = S + k u^T; y = scale * S'^T q",
    "ONNX LinearAttention; Katharopoulos et al. 2020, Yang et al. 2024",
);

words! {
    /// How a step changes the state.
    pub enum UpdateRule {
        /// It adds `k v^T`.
        Linear = "linear",
        /// It first lets the state decay.
        Gated = "gated",
        /// It adds `beta` times what `v` lacks of what `k` reads.
        Delta = "delta",
        /// Both.
        GatedDelta = "gated_delta",
    }
}

impl UpdateRule {
    /// Whether the state decays.
    pub fn decays(self) -> bool {
        matches!(self, UpdateRule::Gated | UpdateRule::GatedDelta)
    }

    /// Whether a step corrects by what the key reads.
    pub fn corrects(self) -> bool {
        matches!(self, UpdateRule::Delta | UpdateRule::GatedDelta)
    }
}

/// Linear attention over `[batch, time, heads * width]`.
///
/// **Inputs**: queries `[batch, time, q_heads * k]`, keys `[batch, time, kv_heads * k]`, values `[batch, time, kv_heads * v]`; the
/// state before the first step `[batch, kv_heads, k, v]`, zeros if left out; the decay, natural logarithm of a factor, `[batch, time,
/// kv_heads]` or `[batch, time, kv_heads * k]` for a factor per row of the state; `beta` `[batch, time, kv_heads]` or `[batch, time, 1]`. The
/// rule says which of the last two there are. Query head `i` reads the state of head `i / (q_heads / kv_heads)`.
///
/// **Outputs**: `[batch, time, q_heads * v]`, and the state after the last step. **DTypes**: one float; the state may have another, which
/// its output has too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearAttention {
    /// How a step changes the state.
    pub rule: UpdateRule,
    /// Number of query heads, a multiple of `kv_heads`.
    pub q_heads: usize,
    /// Number of heads of keys and values, not 0.
    pub kv_heads: usize,
    /// Factor of the result; `None` is `1 / sqrt(k)`.
    pub scale: Option<f32>,
}

/// Position of the state among the inputs.
const STATE: usize = 3;
/// Position of the decay.
const DECAY: usize = 4;
/// Position of the update rate.
const BETA: usize = 5;

impl LinearAttention {
    fn check(&self, inputs: &Inputs<'_>) -> Result<(), InferError> {
        if self.kv_heads == 0 || self.q_heads == 0 || !self.q_heads.is_multiple_of(self.kv_heads) {
            let reason = format!("must be a multiple of kv_heads = {}", self.kv_heads);
            return Err(inputs.attribute_error("q_heads", self.q_heads, reason));
        }
        for (index, used) in [(DECAY, self.rule.decays()), (BETA, self.rule.corrects())] {
            match (inputs.optional(index), used) {
                (None, true) => {
                    inputs.get(index)?;
                }
                (Some(_), false) => {
                    let reason = format!("input {index} has no part in it; leave it out");
                    return Err(inputs.attribute_error("rule", self.rule.name(), reason));
                }
                _ => {}
            }
        }
        let dtype = inputs.float(0)?;
        for (index, facts) in inputs.present() {
            if index == STATE {
                inputs.float(index)?;
            } else if facts.ty.dtype != dtype {
                return Err(inputs.dtype_error(index, format!("{dtype} like input 0")));
            }
        }
        Ok(())
    }

    /// The width of a head of a packed input.
    fn width(inputs: &Inputs<'_>, index: usize, heads: usize) -> Result<Dim, InferError> {
        let reason = || format!("must be [batch, time, {heads} heads * width]");
        let [_, _, packed] = &inputs.ty(index)?.shape[..] else {
            return Err(inputs.shape_error(index, reason()));
        };
        let heads = Dim::from(heads);
        let width = Dim::apply(DimOp::FloorDiv, packed.clone(), heads.clone());
        if may_equal(&Dim::apply(DimOp::Mul, width.clone(), heads), packed) {
            Ok(width)
        } else {
            Err(inputs.shape_error(index, reason()))
        }
    }
}

impl Entry for LinearAttention {
    fn defs() -> Vec<&'static OpDef> {
        vec![&LINEAR_ATTENTION]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(LinearAttention {
            rule: attrs.word("rule", UpdateRule::named)?,
            q_heads: attrs.usize("q_heads")?,
            kv_heads: attrs.usize("kv_heads")?,
            scale: attrs.optional("scale", Attrs::f32)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &LINEAR_ATTENTION
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        self.check(inputs)?;
        let k = LinearAttention::width(inputs, 0, self.q_heads)?;
        let v = LinearAttention::width(inputs, 2, self.kv_heads)?;
        let query = inputs.ty(0)?;
        let (batch, time) = (query.shape[0].clone(), query.shape[1].clone());
        let times = |n: usize, dim: &Dim| Dim::apply(DimOp::Mul, Dim::from(n), dim.clone());
        let rows = |last: Dim| [batch.clone(), time.clone(), last];
        let kv = self.kv_heads;
        expect(inputs, 1, "batch, time, kv_heads * k", &rows(times(kv, &k)))?;
        expect(inputs, 2, "batch, time, kv_heads * v", &rows(times(kv, &v)))?;
        let state = [batch.clone(), Dim::from(kv), k.clone(), v.clone()];
        expect(inputs, STATE, "batch, kv_heads, k, v", &state)?;
        let one_each = rows(Dim::from(kv));
        expect(inputs, DECAY, "batch, time, kv_heads", &one_each).or_else(|error| {
            let each_row = rows(times(kv, &k));
            let per_row = expect(inputs, DECAY, "batch, time, kv_heads * k", &each_row);
            per_row.map_err(|_| error)
        })?;
        expect(inputs, BETA, "batch, time, kv_heads", &one_each).or_else(|error| {
            let shared = rows(Dim::Known(1));
            let one = expect(inputs, BETA, "batch, time, 1", &shared);
            one.map_err(|_| error)
        })?;
        let state_dtype = inputs
            .optional(STATE)
            .map_or(query.dtype, |facts| facts.ty.dtype);
        let types = [
            TensorType::new(query.dtype, rows(times(self.q_heads, &v))),
            TensorType::new(state_dtype, state),
        ];
        Ok(types.into_iter().map(ValueFacts::of_type).collect())
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::new()
            .with_word("rule", self.rule.name())
            .with_usize("q_heads", self.q_heads)
            .with_usize("kv_heads", self.kv_heads);
        match self.scale {
            Some(scale) => attrs.with_f32("scale", scale),
            None => attrs,
        }
    }
}
