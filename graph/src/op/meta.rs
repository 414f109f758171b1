//! Facts of a value's type as a value.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};
use tensor_core::DType;

pub(super) static SHAPE: OpDef = OpDef {
    name: "shape",
    family: Family::Meta,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "the extents start..end of x as i64",
    numerics: Numerics {
        accumulator: "",
        nan: "ignored",
        max_ulp: 0,
    },
    source: "ONNX Shape",
};

/// The extents of a value. `start` and `end` count from the end when negative and are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// First axis.
    pub start: i64,
    /// One past the last axis; `None` for the rank.
    pub end: Option<i64>,
}

impl Entry for Shape {
    fn defs() -> Vec<&'static OpDef> {
        vec![&SHAPE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Shape {
            start: attrs.int("start")?,
            end: attrs.optional("end", Attrs::int)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &SHAPE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let shape = &inputs.ty(0)?.shape;
        let rank = i64::try_from(shape.len()).unwrap_or(i64::MAX);
        let clamp = |at: i64| {
            let at = if at < 0 { at.saturating_add(rank) } else { at };
            usize::try_from(at.clamp(0, rank)).unwrap_or(0)
        };
        let (start, end) = (clamp(self.start), clamp(self.end.unwrap_or(rank)));
        let known: Vec<Dim> = shape.get(start..end).unwrap_or_default().to_vec();
        Ok(vec![ValueFacts::new(
            TensorType::fixed(DType::I64, &[known.len()]),
            Some(known),
        )])
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::new().with_int("start", self.start);
        match self.end {
            Some(end) => attrs.with_int("end", end),
            None => attrs,
        }
    }
}
