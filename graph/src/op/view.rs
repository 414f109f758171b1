//! Views: another index map over the same elements. They cost nothing in a plan.
//!
//! `reshape`, `expand`, `slice`, `squeeze` and `unsqueeze` have two forms: with an attribute, or
//! with inputs that say the same (as ONNX writes them) and must be known before the run.
//! The canonical stage only holds the first.

mod slice;

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Bindings, Dim, InferError, TensorType, ValueFacts};

pub use slice::{Slice, SliceAxis};

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    source: &'static str,
) -> OpDef {
    let numerics = Numerics {
        accumulator: "",
        nan: "kept",
        max_ulp: 0,
    };
    OpDef {
        name,
        family: Family::View,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics,
        source,
    }
}

pub(super) static RESHAPE: OpDef = def(
    "reshape",
    (1, 2),
    "the elements in row-major order under another shape",
    "ONNX Reshape",
);
pub(super) static TRANSPOSE: OpDef = def(
    "transpose",
    (1, 1),
    "y[i0, i1, ..] = x with axis k of y = axis perm[k] of x",
    "ONNX Transpose",
);
pub(super) static SLICE: OpDef = def(
    "slice",
    (1, 5),
    "x[start:end:step] per axis, negative bounds counted from the end, clamped",
    "ONNX Slice",
);
pub(super) static EXPAND: OpDef = def(
    "expand",
    (1, 2),
    "x broadcast against `shape` by numpy's rule",
    "ONNX Expand",
);
pub(super) static SQUEEZE: OpDef = def(
    "squeeze",
    (1, 2),
    "x without the axes `axes` of extent 1",
    "ONNX Squeeze",
);
pub(super) static UNSQUEEZE: OpDef = def(
    "unsqueeze",
    (1, 2),
    "x with axes of extent 1 at the positions `axes` of the result",
    "ONNX Unsqueeze",
);

/// Another shape over the same elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Reshape {
    /// The new extents. `None`: the second input holds them, where -1 means what remains and 0
    /// means the extent of the same axis (unless `allow_zero`).
    pub shape: Option<Vec<Dim>>,
    /// Whether 0 in the second input is an extent of 0.
    pub allow_zero: bool,
}

impl Reshape {
    /// A reshape to these extents.
    pub fn to(shape: impl IntoIterator<Item = Dim>) -> Reshape {
        Reshape {
            shape: Some(shape.into_iter().collect()),
            allow_zero: true,
        }
    }

    /// The extents that the second input describes.
    fn target(&self, inputs: &Inputs<'_>) -> Result<Vec<Dim>, InferError> {
        let input = inputs.ty(0)?;
        let wanted = inputs.known(1)?;
        let mut shape = Vec::with_capacity(wanted.len());
        let mut inferred = None;
        for (axis, dim) in wanted.iter().enumerate() {
            shape.push(match dim {
                Dim::Known(-1) if inferred.is_some() => {
                    return Err(inputs.attribute_error(
                        "shape",
                        show(wanted),
                        "has more than one -1",
                    ));
                }
                Dim::Known(-1) => {
                    inferred = Some(axis);
                    Dim::Known(1)
                }
                Dim::Known(0) if !self.allow_zero => {
                    input.shape.get(axis).cloned().ok_or_else(|| {
                        inputs.attribute_error(
                            "shape",
                            show(wanted),
                            format!("0 at axis {axis} copies an extent that {input} does not have"),
                        )
                    })?
                }
                Dim::Known(n) if *n < 0 => {
                    return Err(inputs.attribute_error(
                        "shape",
                        show(wanted),
                        "has a negative extent",
                    ));
                }
                other => other.clone(),
            });
        }
        if let Some(axis) = inferred {
            let total = Dim::product(&input.shape);
            let rest = Dim::product(&shape);
            shape[axis] = Dim::apply(crate::DimOp::FloorDiv, total, rest);
        }
        Ok(shape)
    }
}

fn show(dims: &[Dim]) -> String {
    super::Attr::List(dims.to_vec()).to_string()
}

impl Entry for Reshape {
    fn defs() -> Vec<&'static OpDef> {
        vec![&RESHAPE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        let shape = attrs.optional("shape", Attrs::dims)?;
        let allow_zero = attrs
            .optional("allow_zero", Attrs::bool)?
            .unwrap_or(shape.is_some());
        Ok(Reshape { shape, allow_zero })
    }

    fn substitute(self, bindings: &Bindings) -> Self {
        let bind = |dims: &Vec<Dim>| dims.iter().map(|d| d.substitute(bindings)).collect();
        Reshape {
            shape: self.shape.as_ref().map(bind),
            allow_zero: self.allow_zero,
        }
    }

    fn def(&self) -> &'static OpDef {
        &RESHAPE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let shape = match &self.shape {
            Some(shape) => shape.clone(),
            None => self.target(inputs)?,
        };
        let (from, to) = (Dim::product(&facts.ty.shape), Dim::product(&shape));
        if let (Some(a), Some(b)) = (from.as_known(), to.as_known())
            && a != b
        {
            let reason = format!("has {b} elements, but the input {} has {a}", facts.ty);
            return Err(inputs.attribute_error("shape", show(&shape), reason));
        }
        let ty = TensorType {
            dtype: facts.ty.dtype,
            shape,
        };
        Ok(vec![ValueFacts::new(ty, facts.known.clone())])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let dtype = inputs.ty(0)?.dtype;
        let rank = inputs.list_len(1)?;
        Ok(rank.map(|rank| vec![inputs.unknown_type(dtype, rank)]))
    }

    fn attrs(&self) -> Attrs {
        match &self.shape {
            Some(shape) => Attrs::new().with_dims("shape", shape.iter().cloned()),
            None => Attrs::new().with_bool("allow_zero", self.allow_zero),
        }
    }
}

/// A permutation of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Transpose {
    /// Axis `k` of the result is axis `perm[k]` of the input.
    pub perm: Vec<usize>,
}

impl Entry for Transpose {
    fn defs() -> Vec<&'static OpDef> {
        vec![&TRANSPOSE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Transpose {
            perm: attrs.usizes("perm")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &TRANSPOSE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let mut sorted = self.perm.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..facts.ty.rank()) {
            let reason = format!(
                "is no permutation of the {} axes of {}",
                facts.ty.rank(),
                facts.ty
            );
            return Err(inputs.attribute_error("perm", format!("{:?}", self.perm), reason));
        }
        let shape = self.perm.iter().map(|&axis| facts.ty.shape[axis].clone());
        let ty = TensorType::new(facts.ty.dtype, shape);
        let known = if ty.rank() <= 1 {
            facts.known.clone()
        } else {
            None
        };
        Ok(vec![ValueFacts::new(ty, known)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_usizes("perm", &self.perm)
    }
}

/// A broadcast. As in ONNX the shape may itself be broadcast to the input's extents.
#[derive(Clone, Debug, PartialEq)]
pub struct Expand {
    /// The shape to broadcast against; `None`: the second input holds it.
    pub shape: Option<Vec<Dim>>,
}

impl Expand {
    /// A broadcast against these extents.
    pub fn to(shape: impl IntoIterator<Item = Dim>) -> Expand {
        Expand {
            shape: Some(shape.into_iter().collect()),
        }
    }
}

impl Entry for Expand {
    fn defs() -> Vec<&'static OpDef> {
        vec![&EXPAND]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Expand {
            shape: attrs.optional("shape", Attrs::dims)?,
        })
    }

    fn substitute(self, bindings: &Bindings) -> Self {
        let bind = |dims: &Vec<Dim>| dims.iter().map(|d| d.substitute(bindings)).collect();
        Expand {
            shape: self.shape.as_ref().map(bind),
        }
    }

    fn def(&self) -> &'static OpDef {
        &EXPAND
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let target = match &self.shape {
            Some(shape) => shape.as_slice(),
            None => inputs.known(1)?,
        };
        let negative = target.iter().any(|d| d.as_known().is_some_and(|n| n < 0));
        let shape = super::rule::broadcast(&facts.ty.shape, target).filter(|_| !negative);
        let Some(shape) = shape else {
            let reason = format!("the input {} does not broadcast to it", facts.ty);
            return Err(inputs.attribute_error("shape", show(target), reason));
        };
        let known = match (facts.known.as_deref(), shape.as_slice()) {
            (Some([one]), [len]) => len
                .as_extent()
                .filter(|&n| n <= ValueFacts::KNOWN_LIMIT)
                .map(|n| vec![one.clone(); n]),
            (Some(all), _) if shape == facts.ty.shape => Some(all.to_vec()),
            _ => None,
        };
        Ok(vec![ValueFacts::new(
            TensorType {
                dtype: facts.ty.dtype,
                shape,
            },
            known,
        )])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        let rank = inputs.list_len(1)?;
        Ok(rank.map(|rank| vec![inputs.unknown_type(x.dtype, rank.max(x.rank()))]))
    }

    fn attrs(&self) -> Attrs {
        match &self.shape {
            Some(shape) => Attrs::new().with_dims("shape", shape.iter().cloned()),
            None => Attrs::new(),
        }
    }
}

/// Removal of axes of extent 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Squeeze {
    /// The axes, negative counted from the end. `None`: the second input holds them; without one,
    /// every axis of extent 1.
    pub axes: Option<Vec<i64>>,
}

impl Entry for Squeeze {
    fn defs() -> Vec<&'static OpDef> {
        vec![&SQUEEZE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Squeeze {
            axes: attrs.optional("axes", Attrs::ints)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &SQUEEZE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let shape = &facts.ty.shape;
        let axes = match (&self.axes, inputs.optional(1)) {
            (Some(axes), _) => inputs.axes("axes", axes, shape.len())?,
            (None, Some(_)) => inputs.axes("axes", &inputs.known_ints(1)?, shape.len())?,
            (None, None) => (0..shape.len())
                .filter(|&a| shape[a] == Dim::Known(1))
                .collect(),
        };
        if let Some(&axis) = axes
            .iter()
            .find(|&&a| shape[a].as_known().is_some_and(|n| n != 1))
        {
            let reason = format!("axis {axis} of {} is not of extent 1", facts.ty);
            return Err(inputs.attribute_error("axes", format!("{axes:?}"), reason));
        }
        let kept = (0..shape.len())
            .filter(|a| !axes.contains(a))
            .map(|a| shape[a].clone());
        let ty = TensorType::new(facts.ty.dtype, kept);
        Ok(vec![ValueFacts::new(ty, facts.known.clone())])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        let rank = inputs.list_len(1)?.and_then(|n| x.rank().checked_sub(n));
        Ok(rank.map(|rank| vec![inputs.unknown_type(x.dtype, rank)]))
    }

    fn attrs(&self) -> Attrs {
        self.axes
            .as_ref()
            .map_or_else(Attrs::new, |axes| Attrs::new().with_ints("axes", axes))
    }
}

/// Insertion of axes of extent 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsqueeze {
    /// Positions in the result, negative counted from its end. `None`: the second input holds them.
    pub axes: Option<Vec<i64>>,
}

impl Entry for Unsqueeze {
    fn defs() -> Vec<&'static OpDef> {
        vec![&UNSQUEEZE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Unsqueeze {
            axes: attrs.optional("axes", Attrs::ints)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &UNSQUEEZE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let facts = inputs.get(0)?;
        let list = match &self.axes {
            Some(axes) => axes.clone(),
            None => inputs.known_ints(1)?,
        };
        let rank = facts.ty.rank() + list.len();
        let axes = inputs.axes("axes", &list, rank)?;
        let mut old = facts.ty.shape.iter().cloned();
        let shape = (0..rank).map_while(|axis| {
            if axes.contains(&axis) {
                Some(Dim::Known(1))
            } else {
                old.next()
            }
        });
        let ty = TensorType::new(facts.ty.dtype, shape);
        Ok(vec![ValueFacts::new(ty, facts.known.clone())])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let x = inputs.ty(0)?;
        let rank = inputs.list_len(1)?.map(|n| x.rank() + n);
        Ok(rank.map(|rank| vec![inputs.unknown_type(x.dtype, rank)]))
    }

    fn attrs(&self) -> Attrs {
        self.axes
            .as_ref()
            .map_or_else(Attrs::new, |axes| Attrs::new().with_ints("axes", axes))
    }
}
