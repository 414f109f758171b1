//! Indexed reads.
//!
//! An index counts from the end when negative; one that names no element is an error when the graph runs.

use super::rule::{Inputs, may_equal, shapes_may_equal};
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, InferError, TensorType, ValueFacts};

const fn def(name: &'static str, formula: &'static str, source: &'static str) -> OpDef {
    OpDef {
        name,
        family: Family::Gather,
        arity: (2, 2),
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: "",
            nan: "kept",
            max_ulp: 0,
        },
        source,
    }
}

pub(super) static GATHER: OpDef = def(
    "gather",
    "y[a.., i.., b..] = x[a.., index[i..], b..] with a.. the axes before `axis`",
    "ONNX Gather",
);
pub(super) static GATHER_ELEMENTS: OpDef = def(
    "gather_elements",
    "y[i..] = x[i.. with index[i..] at `axis`]",
    "ONNX GatherElements",
);
pub(super) static GATHER_ND: OpDef = def(
    "gather_nd",
    "y[a.., i.., b..] = x[a.., index[a.., i.., :].., b..] with a.. the first `batch_dims` axes",
    "ONNX GatherND",
);
pub(super) static REVERSE_SEQUENCE: OpDef = def(
    "reverse_sequence",
    "y[.., t, .., b, ..] = x[.., len[b] - 1 - t, .., b, ..] for t < len[b], else x[.., t, .., b, ..]",
    "ONNX ReverseSequence",
);

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
        let (x, indices) = (inputs.ty(0)?, inputs.indices(1)?);
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

/// One element per index: `index` has the rank of `x`, and the result its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatherElements {
    /// The axis that the indices count along, negative counted from the end.
    pub axis: i64,
}

/// The index along `axis` may go beyond `index`'s other axes, never beyond `x`'s.
pub(super) fn check_elements(inputs: &Inputs<'_>, axis: i64) -> Result<usize, InferError> {
    let (x, indices) = (inputs.ty(0)?, inputs.indices(1)?);
    let axis = inputs.axis("axis", axis, x.rank())?;
    let fits = |(at, (x, i)): (usize, (&Dim, &Dim))| {
        let both = x.as_known().zip(i.as_known());
        at == axis || both.is_none_or(|(x, i)| i <= x)
    };
    if indices.rank() != x.rank() || !x.shape.iter().zip(&indices.shape).enumerate().all(fits) {
        let reason = format!(
            "the indices need the same rank and, but on axis {axis}, no more than the extents"
        );
        return Err(inputs.shapes_error(0, 1, reason));
    }
    Ok(axis)
}

impl Entry for GatherElements {
    fn defs() -> Vec<&'static OpDef> {
        vec![&GATHER_ELEMENTS]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(GatherElements {
            axis: attrs.int("axis")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &GATHER_ELEMENTS
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        check_elements(inputs, self.axis)?;
        let shape = inputs.ty(1)?.shape.iter().cloned();
        let ty = TensorType::new(inputs.ty(0)?.dtype, shape);
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_int("axis", self.axis)
    }
}

/// Blocks of `x`, each named by an index tuple along the last axis of `index`, whose extent must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatherNd {
    /// Leading axes that `x` and `index` share.
    pub batch_dims: usize,
}

/// The length of the index tuples; `x` keeps the axes from there on.
pub(super) fn tuple_len(inputs: &Inputs<'_>, batch_dims: usize) -> Result<usize, InferError> {
    let (x, indices) = (inputs.ty(0)?, inputs.indices(1)?);
    let Some(last) = indices.shape.last() else {
        return Err(inputs.shape_error(1, "needs an axis of index tuples"));
    };
    let Some(len) = last.as_extent() else {
        return Err(inputs.shape_error(1, "the extent of the last axis must be a number"));
    };
    if batch_dims >= indices.rank() || batch_dims + len > x.rank() {
        let reason = format!(
            "{batch_dims} batch axes and tuples of {len} indices are more than there are axes"
        );
        return Err(inputs.shapes_error(0, 1, reason));
    }
    let batches = x.shape.iter().zip(&indices.shape).take(batch_dims);
    if !batches.into_iter().all(|(x, i)| may_equal(x, i)) {
        let reason = format!("the first {batch_dims} extents must be equal");
        return Err(inputs.shapes_error(0, 1, reason));
    }
    Ok(len)
}

impl Entry for GatherNd {
    fn defs() -> Vec<&'static OpDef> {
        vec![&GATHER_ND]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(GatherNd {
            batch_dims: attrs.usize("batch_dims")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &GATHER_ND
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let len = tuple_len(inputs, self.batch_dims)?;
        let (x, indices) = (inputs.ty(0)?, inputs.ty(1)?);
        let tuples = &indices.shape[..indices.rank() - 1];
        let block = &x.shape[self.batch_dims + len..];
        let shape = tuples.iter().chain(block).cloned();
        Ok(vec![ValueFacts::of_type(TensorType::new(x.dtype, shape))])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_usize("batch_dims", self.batch_dims)
    }
}

/// The first `len[b]` elements along the time axis in reverse, per batch; `len` is a list of one length per batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReverseSequence {
    /// Axis of the elements that are reversed, negative counted from the end.
    pub time_axis: i64,
    /// Axis of the batches, negative counted from the end.
    pub batch_axis: i64,
}

impl Entry for ReverseSequence {
    fn defs() -> Vec<&'static OpDef> {
        vec![&REVERSE_SEQUENCE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(ReverseSequence {
            time_axis: attrs.int("time_axis")?,
            batch_axis: attrs.int("batch_axis")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &REVERSE_SEQUENCE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (x, lengths) = (inputs.ty(0)?, inputs.indices(1)?);
        let time = inputs.axis("time_axis", self.time_axis, x.rank())?;
        let batch = inputs.axis("batch_axis", self.batch_axis, x.rank())?;
        if time == batch {
            return Err(inputs.attribute_error(
                "batch_axis",
                self.batch_axis,
                "is the time axis too",
            ));
        }
        if !shapes_may_equal(&lengths.shape, &x.shape[batch..=batch]) {
            return Err(inputs.shapes_error(0, 1, "needs one length per batch"));
        }
        Ok(vec![ValueFacts::of_type(x.clone())])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_int("time_axis", self.time_axis)
            .with_int("batch_axis", self.batch_axis)
    }
}
