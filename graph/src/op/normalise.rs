//! Softmax and the norms.

use super::rule::{Inputs, broadcast};
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{InferError, ValueFacts};

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    numerics: Numerics,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Normalise,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics,
        source,
    }
}

const fn summed(max_ulp: u32) -> Numerics {
    Numerics {
        accumulator: "f32, pairwise or wider",
        nan: "propagates over its row",
        max_ulp,
    }
}

pub(super) static SOFTMAX: OpDef = def(
    "softmax",
    (1, 1),
    "e^(x - m) / sum over axis of e^(x - m), m = max over axis; a row with inf, or of -inf alone, gives NaN",
    summed(8),
    "ONNX Softmax, opset 13",
);

pub(super) static LOG_SOFTMAX: OpDef = def(
    "log_softmax",
    (1, 1),
    "x - m - ln(sum over axis of e^(x - m)), m = max over axis; a row with inf, or of -inf alone, gives NaN",
    summed(8),
    "ONNX LogSoftmax, opset 13",
);

pub(super) static LAYER_NORM: OpDef = def(
    "layer_norm",
    (1, 3),
    "(x - mean) / sqrt(mean of (x - mean)^2 + epsilon) * scale + bias, over axes `axis`..rank",
    summed(16),
    "ONNX LayerNormalization; Ba, Kiros, Hinton 2016",
);

pub(super) static BATCH_NORM: OpDef = def(
    "batch_norm",
    (5, 5),
    "(x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c], c = axis 1",
    Numerics {
        accumulator: "",
        nan: "propagates",
        max_ulp: 8,
    },
    "ONNX BatchNormalization, inference form",
);

/// Softmax or its logarithm along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// The axis, negative counted from the end.
    pub axis: i64,
    /// Whether the logarithm is wanted.
    pub log: bool,
}

impl Entry for Softmax {
    fn defs() -> Vec<&'static OpDef> {
        vec![&SOFTMAX, &LOG_SOFTMAX]
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Softmax {
            axis: attrs.int("axis")?,
            log: name == LOG_SOFTMAX.name,
        })
    }

    fn def(&self) -> &'static OpDef {
        if self.log { &LOG_SOFTMAX } else { &SOFTMAX }
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        let ty = inputs.ty(0)?;
        inputs.axis("axis", self.axis, ty.rank())?;
        Ok(vec![ValueFacts::of_type(ty.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_int("axis", self.axis)
    }
}

/// Layer normalisation over the axes from `axis` to the last; scale and bias broadcast to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// First normalised axis, negative counted from the end.
    pub axis: i64,
    /// Added to the variance.
    pub epsilon: f32,
}

impl Entry for LayerNorm {
    fn defs() -> Vec<&'static OpDef> {
        vec![&LAYER_NORM]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(LayerNorm {
            axis: attrs.int("axis")?,
            epsilon: attrs.f32("epsilon")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &LAYER_NORM
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        inputs.same_dtype(0)?;
        let ty = inputs.ty(0)?;
        let axis = inputs.axis("axis", self.axis, ty.rank())?;
        for index in 1..inputs.len() {
            let Some(facts) = inputs.optional(index) else {
                continue;
            };
            let normalised = &ty.shape[axis..];
            let fits =
                broadcast(normalised, &facts.ty.shape).is_some_and(|s| s.len() == normalised.len());
            if !fits {
                return Err(inputs.shapes_error(
                    0,
                    index,
                    "scale and bias must broadcast to the normalised axes",
                ));
            }
        }
        Ok(vec![ValueFacts::of_type(ty.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_int("axis", self.axis)
            .with_f32("epsilon", self.epsilon)
    }
}

/// Batch normalisation with given statistics: inputs x `[batch, channels, ..]`, then scale, bias,
/// mean and variance `[channels]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchNorm {
    /// Added to the variance.
    pub epsilon: f32,
}

impl Entry for BatchNorm {
    fn defs() -> Vec<&'static OpDef> {
        vec![&BATCH_NORM]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(BatchNorm {
            epsilon: attrs.f32("epsilon")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &BATCH_NORM
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        inputs.same_dtype(0)?;
        let ty = inputs.ty(0)?;
        if ty.rank() < 2 {
            return Err(inputs.shape_error(0, "needs a batch and a channel axis"));
        }
        for index in 1..5 {
            let parameter = inputs.ty(index)?;
            let fits = parameter.rank() == 1
                && broadcast(&ty.shape[1..2], &parameter.shape).is_some()
                && (parameter.shape[0] != crate::Dim::Known(1)
                    || ty.shape[1] == parameter.shape[0]);
            if !fits {
                return Err(inputs.shapes_error(
                    0,
                    index,
                    "needs one element per channel (axis 1)",
                ));
            }
        }
        Ok(vec![ValueFacts::of_type(ty.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_f32("epsilon", self.epsilon)
    }
}
