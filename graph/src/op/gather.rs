//! Indexed reads.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};
use tensor_core::DType;

pub(super) static GATHER: OpDef = OpDef {
    name: "gather",
    family: Family::Gather,
    arity: (2, 2),
    algebra: Algebra::NONE,
    formula: "y[a.., i.., b..] = x[a.., index[i..], b..] with a.. the axes before `axis`",
    numerics: Numerics {
        accumulator: "",
        nan: "kept",
        max_ulp: 0,
    },
    source: "ONNX Gather",
};

/// Slices of `x` along `axis`, chosen by integer indices. A negative index counts from the end; an
/// index out of range is an error when the graph runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gather {
    /// The axis, negative counted from the end.
    pub axis: i64,
}

impl Gather {
    fn known(inputs: &Inputs<'_>) -> Option<Vec<Dim>> {
        let (list, indices) = (inputs.optional(0)?, inputs.optional(1)?);
        let elements = list.known.as_ref()?;
        let pick = |index: &Dim| {
            let at = super::rule::resolve_axis(index.as_known()?, elements.len())?;
            Some(elements[at].clone())
        };
        indices.known.as_ref()?.iter().map(pick).collect()
    }
}

impl Entry for Gather {
    fn defs() -> Vec<&'static OpDef> {
        vec![&GATHER]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Gather {
            axis: attrs.int("axis")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &GATHER
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (x, indices) = (inputs.ty(0)?, inputs.ty(1)?);
        if !matches!(indices.dtype, DType::I32 | DType::I64) {
            return Err(inputs.dtype_error(1, "i32 or i64"));
        }
        let axis = inputs.axis("axis", self.axis, x.rank())?;
        let before = x.shape[..axis].iter();
        let shape = before
            .chain(&indices.shape)
            .chain(&x.shape[axis + 1..])
            .cloned();
        let ty = TensorType::new(x.dtype, shape);
        let known = if x.rank() == 1 && ty.rank() <= 1 {
            Gather::known(inputs)
        } else {
            None
        };
        Ok(vec![ValueFacts::new(ty, known)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_int("axis", self.axis)
    }
}
