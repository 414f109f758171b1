//! Indexed writes: a copy of the first input in which some elements are replaced or combined with updates.
//!
//! An index counts from the end when negative; one that names no element is an error when the graph runs. Updates apply in
//! row-major order of the indices, so of two that name the same element without a reduction the last one stays.

use tensor_core::DType;

use super::attrs::words;
use super::gather::{check_elements, tuple_len};
use super::rule::{Inputs, shapes_may_equal};
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{InferError, ValueFacts};

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Scatter,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: "f32 for f32, f64 for f64",
            nan: "kept; propagates through reductions",
            max_ulp: 4,
        },
        source,
    }
}

pub(super) static SCATTER_ELEMENTS: OpDef = def(
    "scatter_elements",
    (3, 3),
    "y = x, then y[i.. with index[i..] at `axis`] = reduction of it and updates[i..]",
    "ONNX ScatterElements",
);
pub(super) static SCATTER_ND: OpDef = def(
    "scatter_nd",
    (3, 3),
    "y = x, then y[index[i.., :].., b..] = reduction of it and updates[i.., b..]",
    "ONNX ScatterND",
);
pub(super) static TENSOR_SCATTER: OpDef = def(
    "tensor_scatter",
    (2, 3),
    "y = x, then y[b, .., start[b] + s, ..] = updates[b, .., s, ..] with s at `axis`; start is 0 if left out",
    "ONNX TensorScatter",
);

words! {
    /// What becomes of an element and an update.
    pub enum Reduction {
        /// The update.
        None = "none",
        /// Their sum.
        Add = "add",
        /// Their product.
        Mul = "mul",
        /// The larger.
        Max = "max",
        /// The smaller.
        Min = "min",
    }
}

impl Reduction {
    fn check(self, inputs: &Inputs<'_>) -> Result<(), InferError> {
        let dtype = inputs.ty(0)?.dtype;
        if self != Reduction::None && (dtype == DType::Bool || dtype.is_complex()) {
            return Err(inputs.dtype_error(
                0,
                format!("a real number for the reduction {}", self.name()),
            ));
        }
        if inputs.ty(2)?.dtype != dtype {
            return Err(inputs.dtype_error(2, format!("{dtype} like input 0")));
        }
        Ok(())
    }
}

/// One element per index: `index` and `updates` have one shape, and the rank of `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterElements {
    /// The axis that the indices count along, negative counted from the end.
    pub axis: i64,
    /// How an update combines with what is there.
    pub reduction: Reduction,
}

impl Entry for ScatterElements {
    fn defs() -> Vec<&'static OpDef> {
        vec![&SCATTER_ELEMENTS]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(ScatterElements {
            axis: attrs.int("axis")?,
            reduction: attrs.word("reduction", Reduction::named)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &SCATTER_ELEMENTS
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        check_elements(inputs, self.axis)?;
        self.reduction.check(inputs)?;
        if !shapes_may_equal(&inputs.ty(1)?.shape, &inputs.ty(2)?.shape) {
            return Err(inputs.shapes_error(1, 2, "needs one update per index"));
        }
        Ok(vec![ValueFacts::of_type(inputs.ty(0)?.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_int("axis", self.axis)
            .with_word("reduction", self.reduction.name())
    }
}

/// Blocks of `x`, each named by an index tuple along the last axis of `index`, whose extent must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterNd {
    /// How an update combines with what is there.
    pub reduction: Reduction,
}

impl Entry for ScatterNd {
    fn defs() -> Vec<&'static OpDef> {
        vec![&SCATTER_ND]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(ScatterNd {
            reduction: attrs.word("reduction", Reduction::named)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &SCATTER_ND
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let len = tuple_len(inputs, 0)?;
        self.reduction.check(inputs)?;
        let (x, indices) = (inputs.ty(0)?, inputs.ty(1)?);
        let tuples = &indices.shape[..indices.rank() - 1];
        let wanted = [tuples, &x.shape[len..]].concat();
        if !shapes_may_equal(&wanted, &inputs.ty(2)?.shape) {
            return Err(inputs.shapes_error(1, 2, "needs one block of updates per index tuple"));
        }
        Ok(vec![ValueFacts::of_type(x.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_word("reduction", self.reduction.name())
    }
}

/// A run of updates along `axis` per batch (axis 0), as a cache of keys and values takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorScatter {
    /// The axis that is written along, negative counted from the end; not axis 0.
    pub axis: i64,
    /// Whether positions beyond the end go on at the start; else they are an error when the graph runs.
    pub circular: bool,
}

impl Entry for TensorScatter {
    fn defs() -> Vec<&'static OpDef> {
        vec![&TENSOR_SCATTER]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(TensorScatter {
            axis: attrs.int("axis")?,
            circular: attrs.bool("circular")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &TENSOR_SCATTER
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (x, updates) = (inputs.ty(0)?, inputs.ty(1)?);
        let axis = inputs.axis("axis", self.axis, x.rank())?;
        if axis == 0 {
            return Err(inputs.attribute_error("axis", self.axis, "is the axis of batches"));
        }
        if updates.dtype != x.dtype {
            return Err(inputs.dtype_error(1, format!("{} like input 0", x.dtype)));
        }
        let mut room = x.shape.clone();
        if let (Some(from), Some(here)) = (updates.shape.get(axis), room.get_mut(axis)) {
            let longer = from
                .as_known()
                .zip(here.as_known())
                .is_some_and(|(u, x)| u > x);
            if !longer {
                *here = from.clone();
            }
        }
        if !shapes_may_equal(&room, &updates.shape) {
            let reason = format!(
                "but on axis {axis}, where there may be fewer updates, extents must be equal"
            );
            return Err(inputs.shapes_error(0, 1, reason));
        }
        if inputs.optional(2).is_some()
            && !shapes_may_equal(&inputs.indices(2)?.shape, &x.shape[..1])
        {
            return Err(inputs.shapes_error(0, 2, "needs one start per batch"));
        }
        Ok(vec![ValueFacts::of_type(x.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_int("axis", self.axis)
            .with_bool("circular", self.circular)
    }
}
