//! What inference rules share: checked access to inputs, axes, broadcasting.

use tensor_core::DType;

use super::OpDef;
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

/// The inputs of one node, with the op's name for errors.
pub(crate) struct Inputs<'a> {
    pub(crate) op: &'static str,
    facts: &'a [Option<&'a ValueFacts>],
    /// Name of the node's first output.
    output: &'a str,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(
        def: &'static OpDef,
        facts: &'a [Option<&'a ValueFacts>],
        output: &'a str,
    ) -> Result<Self, InferError> {
        let (least, most) = def.arity;
        if facts.len() < least || facts.len() > most {
            let expected = match (least, most) {
                (a, b) if a == b => a.to_string(),
                (a, usize::MAX) => format!("{a} or more"),
                (a, b) => format!("{a} to {b}"),
            };
            return Err(InferError::Arity {
                op: def.name,
                expected,
                got: facts.len(),
            });
        }
        Ok(Inputs {
            op: def.name,
            facts,
            output,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    /// An input that may be left out.
    pub(crate) fn optional(&self, index: usize) -> Option<&'a ValueFacts> {
        self.facts.get(index).copied().flatten()
    }

    /// An input that must be there.
    pub(crate) fn get(&self, index: usize) -> Result<&'a ValueFacts, InferError> {
        self.optional(index)
            .ok_or(InferError::MissingInput { op: self.op, index })
    }

    /// The type of an input that must be there.
    pub(crate) fn ty(&self, index: usize) -> Result<&'a TensorType, InferError> {
        self.get(index).map(|facts| &facts.ty)
    }

    /// The inputs that are there, with their positions.
    pub(crate) fn present(&self) -> impl Iterator<Item = (usize, &'a ValueFacts)> + '_ {
        self.facts
            .iter()
            .enumerate()
            .filter_map(|(i, f)| f.map(|f| (i, f)))
    }

    /// The elements of a 1-d (or 0-d) integer input that must be known before the run.
    pub(crate) fn known(&self, index: usize) -> Result<&'a [Dim], InferError> {
        let facts = self.get(index)?;
        facts
            .known
            .as_deref()
            .ok_or(InferError::DataDependent { op: self.op, index })
    }

    /// Like [`Inputs::known`], and every element must be a number.
    pub(crate) fn known_ints(&self, index: usize) -> Result<Vec<i64>, InferError> {
        let known = self.known(index)?;
        let ints: Option<Vec<i64>> = known.iter().map(Dim::as_known).collect();
        ints.ok_or(InferError::DataDependent { op: self.op, index })
    }

    /// The element of a float input of one element that must be known before the run.
    pub(crate) fn known_float(&self, index: usize) -> Result<f64, InferError> {
        match self.get(index)?.floats.as_deref() {
            Some([value]) => Ok(*value),
            _ => Err(InferError::DataDependent { op: self.op, index }),
        }
    }

    /// The extent of an axis of the result that depends on elements that are not known.
    pub(crate) fn unknown(&self, axis: usize) -> Dim {
        Dim::from(&*format!("{}.{axis}", self.output))
    }

    /// A type whose every extent depends on elements that are not known.
    pub(crate) fn unknown_type(&self, dtype: DType, rank: usize) -> TensorType {
        TensorType::new(dtype, (0..rank).map(|axis| self.unknown(axis)))
    }

    /// Number of elements of a list, such as axes or extents, that is an input.
    pub(crate) fn list_len(&self, index: usize) -> Result<Option<usize>, InferError> {
        let ty = self.ty(index)?;
        if !ty.dtype.is_integer() {
            return Err(self.dtype_error(index, "an integer dtype"));
        }
        match &ty.shape[..] {
            [] => Ok(Some(1)),
            [len] => Ok(len.as_extent()),
            _ => Err(self.shape_error(index, "must be a list: one axis")),
        }
    }

    pub(crate) fn dtype_error(&self, index: usize, expected: impl Into<String>) -> InferError {
        let got = self.facts[index].map_or(DType::F32, |f| f.ty.dtype);
        InferError::DType {
            op: self.op,
            index,
            expected: expected.into(),
            got,
        }
    }

    /// All present inputs must have the dtype of input `first`.
    pub(crate) fn same_dtype(&self, first: usize) -> Result<DType, InferError> {
        let want = self.ty(first)?.dtype;
        match self
            .present()
            .find(|(i, f)| *i >= first && f.ty.dtype != want)
        {
            None => Ok(want),
            Some((index, _)) => Err(self.dtype_error(index, format!("{want} like input {first}"))),
        }
    }

    /// An input of indices.
    pub(crate) fn indices(&self, index: usize) -> Result<&'a TensorType, InferError> {
        let ty = self.ty(index)?;
        if matches!(ty.dtype, DType::I32 | DType::I64) {
            Ok(ty)
        } else {
            Err(self.dtype_error(index, "i32 or i64"))
        }
    }

    /// An input of one element.
    pub(crate) fn one_element(&self, index: usize) -> Result<&'a TensorType, InferError> {
        let ty = self.ty(index)?;
        if ty
            .shape
            .iter()
            .all(|dim| dim.as_known().is_none_or(|n| n == 1))
        {
            Ok(ty)
        } else {
            Err(self.shape_error(index, "must hold one element"))
        }
    }

    pub(crate) fn float(&self, index: usize) -> Result<DType, InferError> {
        let dtype = self.ty(index)?.dtype;
        if dtype.is_float() {
            Ok(dtype)
        } else {
            Err(self.dtype_error(index, "a float dtype"))
        }
    }

    pub(crate) fn shape_error(&self, index: usize, reason: impl Into<String>) -> InferError {
        match self.get(index) {
            Ok(facts) => InferError::Shape {
                op: self.op,
                index,
                got: facts.ty.clone(),
                reason: reason.into(),
            },
            Err(missing) => missing,
        }
    }

    pub(crate) fn shapes_error(&self, a: usize, b: usize, reason: impl Into<String>) -> InferError {
        match (self.get(a), self.get(b)) {
            (Ok(x), Ok(y)) => InferError::Shapes {
                op: self.op,
                a: x.ty.clone(),
                b: y.ty.clone(),
                reason: reason.into(),
            },
            (Err(missing), _) | (_, Err(missing)) => missing,
        }
    }

    pub(crate) fn attribute_error(
        &self,
        attribute: &'static str,
        value: impl ToString,
        reason: impl Into<String>,
    ) -> InferError {
        let (value, reason) = (value.to_string(), reason.into());
        InferError::Attribute {
            op: self.op,
            attribute,
            value,
            reason,
        }
    }

    /// `axis` with negative values counted from the end.
    pub(crate) fn axis(
        &self,
        attribute: &'static str,
        axis: i64,
        rank: usize,
    ) -> Result<usize, InferError> {
        resolve_axis(axis, rank).ok_or_else(|| {
            self.attribute_error(
                attribute,
                axis,
                format!("is no axis of a tensor of rank {rank}"),
            )
        })
    }

    /// Axes resolved, sorted, and without duplicates.
    pub(crate) fn axes(
        &self,
        attribute: &'static str,
        axes: &[i64],
        rank: usize,
    ) -> Result<Vec<usize>, InferError> {
        let mut resolved: Vec<usize> = axes
            .iter()
            .map(|&a| self.axis(attribute, a, rank))
            .collect::<Result<_, _>>()?;
        resolved.sort_unstable();
        if resolved.windows(2).any(|w| w[0] == w[1]) {
            return Err(self.attribute_error(
                attribute,
                format!("{axes:?}"),
                "names an axis twice",
            ));
        }
        Ok(resolved)
    }
}

/// `axis` with negative values counted from the end, or `None` if there is no such axis.
pub(crate) fn resolve_axis(axis: i64, rank: usize) -> Option<usize> {
    let rank_signed = i64::try_from(rank).ok()?;
    let at = if axis < 0 {
        axis.checked_add(rank_signed)?
    } else {
        axis
    };
    usize::try_from(at).ok().filter(|&a| a < rank)
}

/// The broadcast shape; two different symbols become their maximum, which is right when they are
/// equal or one of them is 1, and is checked again once the extents are bound.
pub(crate) fn broadcast(a: &[Dim], b: &[Dim]) -> Option<Vec<Dim>> {
    let rank = a.len().max(b.len());
    let one = Dim::Known(1);
    let at = |shape: &[Dim], i: usize| {
        (i + shape.len())
            .checked_sub(rank)
            .map_or_else(|| one.clone(), |j| shape[j].clone())
    };
    (0..rank)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Some(x),
            (Dim::Known(1), y) => Some(y),
            (x, Dim::Known(1)) => Some(x),
            (Dim::Known(_), Dim::Known(_)) => None,
            (x @ Dim::Known(_), _) => Some(x),
            (_, y @ Dim::Known(_)) => Some(y),
            (x, y) => Some(Dim::apply(DimOp::Max, x, y)),
        })
        .collect()
}

/// Whether two extents can be equal: not if both are numbers that differ.
pub(crate) fn may_equal(a: &Dim, b: &Dim) -> bool {
    match (a.as_known(), b.as_known()) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Whether two shapes can be equal.
pub(crate) fn shapes_may_equal(a: &[Dim], b: &[Dim]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| may_equal(a, b))
}
