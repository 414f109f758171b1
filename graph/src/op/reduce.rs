//! Reductions over axes.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};
use tensor_core::DType;

/// What is computed over the reduced axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReduceKind {
    /// Sum; 0 for no elements.
    Sum,
    /// Sum divided by the number of elements; NaN for none.
    Mean,
    /// Largest; NaN if any is NaN; the lowest value of the dtype (`-inf`) for no elements.
    Max,
    /// Smallest; NaN if any is NaN; the highest value of the dtype (`inf`) for no elements.
    Min,
    /// Product; 1 for no elements.
    Prod,
}

const fn def(
    name: &'static str,
    formula: &'static str,
    source: &'static str,
    exact: bool,
) -> OpDef {
    OpDef {
        name,
        family: Family::Reduce,
        arity: (1, 2),
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: if exact {
                ""
            } else {
                "f32, pairwise or wider; f64 for f64; wrapping for integers"
            },
            nan: "propagates",
            max_ulp: if exact { 0 } else { 4 },
        },
        source,
    }
}

/// Entries in the order of [`ReduceKind`].
pub(super) static DEFS: [OpDef; 5] = [
    def(
        "reduce_sum",
        "sum of x over `axes`",
        "ONNX ReduceSum",
        false,
    ),
    def(
        "reduce_mean",
        "sum of x over `axes` / number of elements",
        "ONNX ReduceMean, GlobalAveragePool",
        false,
    ),
    def(
        "reduce_max",
        "max of x over `axes`",
        "ONNX ReduceMax, GlobalMaxPool",
        true,
    ),
    def("reduce_min", "min of x over `axes`", "ONNX ReduceMin", true),
    def(
        "reduce_prod",
        "product of x over `axes`",
        "ONNX ReduceProd",
        false,
    ),
];

impl ReduceKind {
    pub(super) fn from_name(name: &str) -> Option<ReduceKind> {
        use ReduceKind::{Max, Mean, Min, Prod, Sum};
        [Sum, Mean, Max, Min, Prod]
            .into_iter()
            .find(|kind| DEFS[*kind as usize].name == name)
    }

    /// Name without the prefix `reduce_`.
    pub fn name(self) -> &'static str {
        DEFS[self as usize].name.trim_start_matches("reduce_")
    }
}

/// A reduction. Axes come from the attribute or, if that is absent, from a second input that must
/// be known before the run; neither means all axes, unless `noop_if_empty` keeps the input as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// What is computed.
    pub kind: ReduceKind,
    /// The axes, negative ones counted from the end.
    pub axes: Option<Vec<i64>>,
    /// Whether reduced axes stay as axes of extent 1.
    pub keep: bool,
    /// Whether an empty list of axes means no reduction rather than a reduction over all.
    pub noop_if_empty: bool,
}

impl Reduce {
    /// The axes of this node, sorted, given its inputs.
    fn resolve(&self, inputs: &Inputs<'_>) -> Result<Vec<usize>, InferError> {
        let rank = inputs.ty(0)?.rank();
        let axes = match (&self.axes, inputs.optional(1)) {
            (Some(axes), _) => axes.clone(),
            (None, Some(_)) => inputs.known_ints(1)?,
            (None, None) => Vec::new(),
        };
        if axes.is_empty() && !self.noop_if_empty {
            return Ok((0..rank).collect());
        }
        inputs.axes("axes", &axes, rank)
    }

    /// The op with its axes as an attribute.
    ///
    /// # Errors
    /// As inference: axes that are unknown or out of range.
    pub fn with_axes_of(&self, inputs: &[Option<&ValueFacts>]) -> Result<Reduce, InferError> {
        let axes = self.resolve(&Inputs::new(self.def(), inputs, "")?)?;
        let axes = axes
            .into_iter()
            .map(|a| i64::try_from(a).unwrap_or(i64::MAX))
            .collect();
        Ok(Reduce {
            axes: Some(axes),
            noop_if_empty: true,
            ..self.clone()
        })
    }
}

impl Entry for Reduce {
    fn defs() -> Vec<&'static OpDef> {
        DEFS.iter().collect()
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        let kind = ReduceKind::from_name(name).expect("the name is one of an entry");
        Ok(Reduce {
            kind,
            axes: attrs.optional("axes", Attrs::ints)?,
            keep: attrs.bool("keep")?,
            noop_if_empty: attrs.bool("noop_if_empty")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &DEFS[self.kind as usize]
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let ty = inputs.ty(0)?;
        if ty.dtype == DType::Bool {
            return Err(inputs.dtype_error(0, "a number"));
        }
        let axes = self.resolve(inputs)?;
        let shape = ty.shape.iter().enumerate().filter_map(|(i, dim)| {
            match (axes.contains(&i), self.keep) {
                (false, _) => Some(dim.clone()),
                (true, true) => Some(Dim::Known(1)),
                (true, false) => None,
            }
        });
        Ok(vec![ValueFacts::of_type(TensorType::new(ty.dtype, shape))])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        let rank = match inputs.list_len(1)? {
            _ if self.keep => Some(x.rank()),
            Some(0) if !self.noop_if_empty => Some(0),
            Some(n) => x.rank().checked_sub(n),
            None => None,
        };
        Ok(rank.map(|rank| vec![inputs.unknown_type(x.dtype, rank)]))
    }

    fn attrs(&self) -> Attrs {
        let attrs = match &self.axes {
            Some(axes) => Attrs::new().with_ints("axes", axes),
            None => Attrs::new(),
        };
        attrs
            .with_bool("keep", self.keep)
            .with_bool("noop_if_empty", self.noop_if_empty)
    }
}
