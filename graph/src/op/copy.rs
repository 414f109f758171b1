//! Several values side by side.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub(super) static CONCAT: OpDef = OpDef {
    name: "concat",
    family: Family::Copy,
    arity: (1, usize::MAX),
    algebra: Algebra::NONE,
    formula: "the inputs one after another along `axis`",
    numerics: Numerics {
        accumulator: "",
        nan: "kept",
        max_ulp: 0,
    },
    source: "ONNX Concat",
};

/// Concatenation. All inputs have one dtype and rank, and equal extents on the other axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concat {
    /// The axis, negative counted from the end.
    pub axis: i64,
}

impl Concat {
    fn known(inputs: &Inputs<'_>) -> Option<Vec<Dim>> {
        let mut all = Vec::new();
        for (_, facts) in inputs.present() {
            all.extend(facts.known.as_ref()?.iter().cloned());
        }
        (all.len() <= ValueFacts::KNOWN_LIMIT).then_some(all)
    }
}

impl Entry for Concat {
    fn defs() -> Vec<&'static OpDef> {
        vec![&CONCAT]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Concat {
            axis: attrs.int("axis")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &CONCAT
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let first = inputs.ty(0)?;
        let dtype = inputs.same_dtype(0)?;
        let axis = inputs.axis("axis", self.axis, first.rank())?;
        let mut shape = first.shape.clone();
        for index in 1..inputs.len() {
            let ty = inputs.ty(index)?;
            if ty.rank() != first.rank() {
                return Err(inputs.shapes_error(0, index, "the ranks must be equal"));
            }
            for (i, (mine, theirs)) in shape.iter_mut().zip(&ty.shape).enumerate() {
                if i == axis {
                    *mine = Dim::apply(DimOp::Add, mine.clone(), theirs.clone());
                } else if mine.as_known().is_none() {
                    *mine = theirs.clone();
                } else if theirs.as_known().is_some() && theirs != mine {
                    let reason = format!("extents must be equal on every axis but {axis}");
                    return Err(inputs.shapes_error(0, index, reason));
                }
            }
        }
        let known = if first.rank() == 1 {
            Concat::known(inputs)
        } else {
            None
        };
        Ok(vec![ValueFacts::new(TensorType { dtype, shape }, known)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_int("axis", self.axis)
    }
}
