//! Matrix products.
//!
//! <https://onnx.ai/onnx/operators/onnx__MatMul.html>, <https://onnx.ai/onnx/operators/onnx__Gemm.html>.
//!
//! - Opset 1, 9, 13: `MatMul`, each with more element types.
//! - Opset 7: `Gemm` broadcasts C to the result, in that direction only.
//! - Opset 11: C may be left out. Opset 13: more element types.

use graph::ValueId;
use graph::op::{MatMul, Op, Transpose};

use super::{Row, row};
use crate::call::{Call, Done, Stop, map};

const GEMM: &[&str] = &["alpha", "beta", "transA", "transB"];

pub(super) const ROWS: &[Row] = &[
    row("MatMul", 1, (2, 2), &[], matmul),
    row("Gemm", 7, (3, 3), GEMM, gemm),
    row("Gemm", 11, (2, 3), GEMM, gemm),
];

fn matmul(call: &mut Call<'_>) -> Done {
    let (a, b) = (call.input(0)?, call.input(1)?);
    call.finish(Op::MatMul(MatMul), &[Some(a), Some(b)])
}

/// `alpha * A' @ B' + beta * C`, where the dash is a transposition if its flag says so.
fn gemm(call: &mut Call<'_>) -> Done {
    let (alpha, beta) = (call.float("alpha", 1.0), call.float("beta", 1.0));
    let transposed = [flag(call, "transA"), flag(call, "transB")];
    let mut sides = Vec::with_capacity(2);
    for (index, transpose) in transposed.into_iter().enumerate() {
        let side = call.input(index)?;
        let ty = call.ty(side);
        if ty.rank() != 2 {
            return call.fail_input(index, format!("is {ty}; a matrix is needed"));
        }
        let perm = Op::Transpose(Transpose { perm: vec![1, 0] });
        sides.push(if transpose {
            Some(call.emit(perm, &[Some(side)])?)
        } else {
            Some(side)
        });
    }
    let c = call.optional(2)?.filter(|_| beta != 0.0);
    if alpha == 1.0 && c.is_none() {
        return call.finish(Op::MatMul(MatMul), &sides);
    }
    let product = call.emit(Op::MatMul(MatMul), &sides)?;
    let Some(c) = c else {
        let factor = factor(call, product, "alpha", alpha)?;
        return call.finish(map("mul"), &[Some(product), Some(factor)]);
    };
    let (mine, theirs) = (call.ty(product), call.ty(c));
    let scaled = scale(call, product, "alpha", alpha)?;
    let addend = scale(call, c, "beta", beta)?;
    // Numpy's rule would also broadcast the product to C; Gemm doesn't.
    let larger = theirs.rank() > 2
        || mine
            .shape
            .iter()
            .rev()
            .zip(theirs.shape.iter().rev())
            .any(|(m, t)| m.as_known() == Some(1) && t.as_known().is_some_and(|t| t != 1));
    if larger {
        return call.fail_input(
            2,
            format!("is {theirs}, which does not broadcast to {mine}"),
        );
    }
    call.finish(map("add"), &[Some(scaled), Some(addend)])
}

/// Any integer but 0 is true here, as in the specification's text.
fn flag(call: &mut Call<'_>, name: &'static str) -> bool {
    call.int(name, 0) != 0
}

fn scale(
    call: &mut Call<'_>,
    value: ValueId,
    name: &'static str,
    by: f32,
) -> Result<ValueId, Stop> {
    if by == 1.0 {
        return Ok(value);
    }
    let factor = factor(call, value, name, by)?;
    call.emit(map("mul"), &[Some(value), Some(factor)])
}

/// The attribute as a constant of the value's dtype.
fn factor(
    call: &mut Call<'_>,
    value: ValueId,
    name: &'static str,
    by: f32,
) -> Result<ValueId, Stop> {
    let dtype = call.dtype(value);
    if !dtype.is_float() && by.fract() != 0.0 {
        call.refuse_attribute(
            name,
            by,
            format!("is no integer, but the matrices are {dtype}"),
        );
        return Err(Stop);
    }
    call.scalar(dtype, by.into())
}
