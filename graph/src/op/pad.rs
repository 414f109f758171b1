//! Elements added around a tensor, or taken away.

use super::attrs::words;
use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub(super) static PAD: OpDef = OpDef {
    name: "pad",
    family: Family::Copy,
    arity: (2, 4),
    algebra: Algebra::NONE,
    formula: "y[i..] = x[i.. - begin..] inside x; outside `value` (0 if left out), or x where `mode` says",
    numerics: Numerics {
        accumulator: "",
        nan: "kept",
        max_ulp: 0,
    },
    source: "ONNX Pad",
};

words! {
    /// What stands outside the tensor.
    pub enum PadMode {
        /// One value.
        Constant = "constant",
        /// The elements mirrored at the first and last, which are not repeated.
        Reflect = "reflect",
        /// The first and last element.
        Edge = "edge",
        /// The elements from the other end.
        Wrap = "wrap",
    }
}

/// Inputs: `x`, `pads`, `value`, `axes`. `pads` holds what is added before each of the axes, then what is added after; negative
/// numbers take away, before anything is added. `value` has one element of `x`'s dtype. `axes` left out means all.
///
/// A mode that repeats elements of an axis that has none is an error when the graph runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PadOp {
    /// What stands outside.
    pub mode: PadMode,
}

impl PadOp {
    /// What is added before and after each axis.
    fn resolve(inputs: &Inputs<'_>) -> Result<Vec<(Dim, Dim)>, InferError> {
        let rank = inputs.ty(0)?.rank();
        let pads = inputs.known(1)?;
        let axes: Vec<usize> = match inputs.optional(3) {
            None => (0..rank).collect(),
            Some(_) => {
                let list = inputs.known_ints(3)?;
                inputs.axes("axes", &list, rank)?;
                let each = list.iter().map(|&axis| inputs.axis("axes", axis, rank));
                each.collect::<Result<_, _>>()?
            }
        };
        if pads.len() != 2 * axes.len() {
            let reason = format!("needs a begin and an end for each of {} axes", axes.len());
            return Err(inputs.attribute_error("pads", pads.len(), reason));
        }
        let mut around = vec![(Dim::Known(0), Dim::Known(0)); rank];
        for (at, &axis) in axes.iter().enumerate() {
            around[axis] = (pads[at].clone(), pads[at + axes.len()].clone());
        }
        Ok(around)
    }

    /// The numbers of elements added before and after each axis of the first input, given the facts of all inputs.
    ///
    /// # Errors
    /// As inference: pads that are unknown or symbolic, lists of different lengths.
    pub fn around(inputs: &[Option<&ValueFacts>]) -> Result<Vec<(i64, i64)>, InferError> {
        let inputs = Inputs::new(&PAD, inputs, "")?;
        let unknown = InferError::DataDependent {
            op: PAD.name,
            index: 1,
        };
        let around = PadOp::resolve(&inputs)?;
        let numbers = around
            .iter()
            .map(|(begin, end)| begin.as_known().zip(end.as_known()));
        numbers.collect::<Option<_>>().ok_or(unknown)
    }
}

impl Entry for PadOp {
    fn defs() -> Vec<&'static OpDef> {
        vec![&PAD]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(PadOp {
            mode: attrs.word("mode", PadMode::named)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &PAD
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = inputs.ty(0)?;
        inputs.indices(1)?;
        if inputs.optional(2).is_some() && inputs.one_element(2)?.dtype != x.dtype {
            return Err(inputs.dtype_error(2, format!("{} like input 0", x.dtype)));
        }
        let mut shape = Vec::with_capacity(x.rank());
        for (dim, (begin, end)) in x.shape.iter().zip(PadOp::resolve(inputs)?) {
            let all = Dim::apply(DimOp::Add, begin.clone(), end.clone());
            let extent = Dim::apply(DimOp::Add, dim.clone(), all);
            if extent.as_known().is_some_and(|n| n < 0) {
                let reason = format!("takes more away than an extent {dim} has");
                return Err(inputs.attribute_error("pads", format!("{begin}, {end}"), reason));
            }
            shape.push(extent);
        }
        Ok(vec![ValueFacts::of_type(TensorType::new(x.dtype, shape))])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        Ok(Some(vec![inputs.unknown_type(x.dtype, x.rank())]))
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_word("mode", self.mode.name())
    }
}
