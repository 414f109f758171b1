//! What occurs in a tensor, where and how often: results that follow from comparing elements.
//!
//! Extents of the results depend on the elements, so they are unknown before the run.

mod boxes;
mod ngrams;

use tensor_core::DType;

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};

pub use boxes::NonMaxSuppression;
pub use ngrams::NgramCounts;

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    nan: &'static str,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Search,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: "",
            nan,
            max_ulp: 0,
        },
        source,
    }
}

pub(super) static NON_ZERO: OpDef = def(
    "non_zero",
    (1, 1),
    "column j of y is the index of the j-th element of x, in row-major order, that is not 0",
    "is not 0",
    "ONNX NonZero",
);
pub(super) static UNIQUE: OpDef = def(
    "unique",
    (1, 1),
    "y = the different elements (or slices along `axis`) of x; first[i] = where y[i] is first in x; inverse[j] = where x[j] is in y; counts[i] = how often y[i] is in x",
    "all NaN are one element, the last when sorted",
    "ONNX Unique",
);

/// The indices of the elements that are not 0 (or not false), as columns: `i64[rank, n]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonZero;

impl NonZero {
    /// Where a short list with known elements is not 0.
    fn known(facts: &ValueFacts) -> Option<Vec<Dim>> {
        let elements: Option<Vec<i64>> = facts.known.as_ref()?.iter().map(Dim::as_known).collect();
        let elements = elements.filter(|_| facts.ty.rank() == 1)?;
        let there = elements
            .iter()
            .enumerate()
            .filter(|(_, element)| **element != 0);
        Some(there.map(|(at, _)| Dim::from(at)).collect())
    }
}

impl Entry for NonZero {
    fn defs() -> Vec<&'static OpDef> {
        vec![&NON_ZERO]
    }

    fn from_text(_name: &str, _attrs: &Attrs) -> Result<Self, String> {
        Ok(NonZero)
    }

    fn def(&self) -> &'static OpDef {
        &NON_ZERO
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let known = NonZero::known(facts);
        let count = match &known {
            Some(list) => Dim::from(list.len()),
            None => inputs.unknown(1),
        };
        let ty = TensorType::new(DType::I64, [Dim::from(facts.ty.rank()), count]);
        Ok(vec![ValueFacts::new(ty, known)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
    }
}

/// The different elements of a tensor or, with an axis, its different slices.
///
/// Four outputs: what is there (`[n]`, or `x` with `n` on the axis), and as `i64` where each is first, where each element of
/// `x` is in the first output, and how often each occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unique {
    /// The axis whose slices are compared, negative counted from the end; `None` compares elements.
    pub axis: Option<i64>,
    /// Whether the result is in ascending (for slices lexicographic) order rather than that of the first occurrence.
    pub sorted: bool,
}

impl Entry for Unique {
    fn defs() -> Vec<&'static OpDef> {
        vec![&UNIQUE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Unique {
            axis: attrs.optional("axis", Attrs::int)?,
            sorted: attrs.bool("sorted")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &UNIQUE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = inputs.ty(0)?;
        let axis = match self.axis {
            Some(axis) => Some(inputs.axis("axis", axis, x.rank())?),
            None => None,
        };
        let count = inputs.unknown(axis.unwrap_or(0));
        let (shape, len) = match axis {
            Some(axis) => {
                let mut shape = x.shape.clone();
                let len = std::mem::replace(&mut shape[axis], count.clone());
                (shape, len)
            }
            None => (vec![count.clone()], Dim::product(&x.shape)),
        };
        let list = |dim: &Dim| TensorType::new(DType::I64, [dim.clone()]);
        let types = [
            TensorType::new(x.dtype, shape),
            list(&count),
            list(&len),
            list(&count),
        ];
        Ok(types.into_iter().map(ValueFacts::of_type).collect())
    }

    fn attrs(&self) -> Attrs {
        let attrs = match self.axis {
            Some(axis) => Attrs::new().with_int("axis", axis),
            None => Attrs::new(),
        };
        attrs.with_bool("sorted", self.sorted)
    }
}
