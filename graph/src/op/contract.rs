//! Matrix multiplication, and what else is computed from whole matrices.

use super::rule::{Inputs, broadcast};
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{InferError, TensorType, ValueFacts};
use tensor_core::DType;

pub(super) static MATMUL: OpDef = OpDef {
    name: "matmul",
    family: Family::Contract,
    arity: (2, 2),
    algebra: Algebra::NONE,
    formula: "y[.., i, j] = sum over k of a[.., i, k] * b[.., k, j]",
    numerics: Numerics {
        accumulator: "f32 for f32, f64 for f64, wrapping for integers; K = 0 gives 0",
        nan: "propagates",
        max_ulp: 16,
    },
    source: "ONNX MatMul, numpy.matmul",
};

/// `a @ b` by numpy's rules: leading axes broadcast, a vector on the left is a row, a vector on the
/// right a column, and that axis is absent from the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatMul;

impl Entry for MatMul {
    fn defs() -> Vec<&'static OpDef> {
        vec![&MATMUL]
    }

    fn from_text(_name: &str, _attrs: &Attrs) -> Result<Self, String> {
        Ok(MatMul)
    }

    fn def(&self) -> &'static OpDef {
        &MATMUL
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (a, b) = (inputs.ty(0)?, inputs.ty(1)?);
        let dtype = inputs.same_dtype(0)?;
        if dtype == DType::Bool {
            return Err(inputs.dtype_error(0, "a number"));
        }
        for (index, ty) in [(0, a), (1, b)] {
            if ty.rank() == 0 {
                return Err(inputs.shape_error(
                    index,
                    "a matrix or vector is needed; multiply by a scalar with mul",
                ));
            }
        }
        let (a_batch, a_core) = a.shape.split_at(a.rank().saturating_sub(2));
        let (b_batch, b_core) = b.shape.split_at(b.rank().saturating_sub(2));
        let (k_a, k_b) = (&a_core[a_core.len() - 1], &b_core[0]);
        if let (Some(x), Some(y)) = (k_a.as_known(), k_b.as_known())
            && x != y
        {
            let reason = format!(
                "the last axis of the first ({x}) must equal the second to last axis of the second ({y})"
            );
            return Err(inputs.shapes_error(0, 1, reason));
        }
        let mut shape = broadcast(a_batch, b_batch)
            .ok_or_else(|| inputs.shapes_error(0, 1, "the leading axes do not broadcast"))?;
        shape.extend(a_core[..a_core.len() - 1].iter().cloned());
        shape.extend(b_core[1..].iter().cloned());
        Ok(vec![ValueFacts::of_type(TensorType { dtype, shape })])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
    }
}

static DET: OpDef = OpDef {
    name: "det",
    family: Family::Contract,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "the determinant of the matrices of the last two axes",
    numerics: Numerics {
        accumulator: "f64",
        nan: "propagates",
        max_ulp: 4,
    },
    source: "ONNX Det",
};

/// Determinants.
///
/// **Shapes**: `[.., n, n]` gives `[..]`; the determinant of a matrix without elements is 1. **DTypes**: floats.
/// **Numerics**: by elimination with the largest pivot of each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Det;

impl Entry for Det {
    fn defs() -> Vec<&'static OpDef> {
        vec![&DET]
    }

    fn from_text(_name: &str, _attrs: &Attrs) -> Result<Self, String> {
        Ok(Det)
    }

    fn def(&self) -> &'static OpDef {
        &DET
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        let x = inputs.ty(0)?;
        let [batch @ .., rows, columns] = &x.shape[..] else {
            return Err(inputs.shape_error(0, "must have two axes or more"));
        };
        let differ = rows
            .as_known()
            .zip(columns.as_known())
            .is_some_and(|(a, b)| a != b);
        if differ {
            return Err(inputs.shape_error(0, "the last two extents must be equal"));
        }
        let ty = TensorType::new(x.dtype, batch.iter().cloned());
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
    }
}
