//! Elementwise ops: the scalar expression of the op, once per element.
//!
//! An op of floats is evaluated as the same expression of the next wider float and rounded once, so that the reference is the
//! correctly rounded value of the op's formula also where the formula has several steps.

use graph::op::MapOp;
use graph::op::map::Types;
use tensor::{Tensor, TensorView};
use tensor_core::DType;

use super::element::{Element, each_element};
use super::scalar;
use super::{Call, Result};

/// `y[i] = program(a[i], b[i], ..)`, the inputs broadcast to `shape`.
pub(super) fn map(op: &MapOp, call: &Call<'_>, dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let dtypes: Vec<Option<DType>> = call
        .inputs
        .iter()
        .map(|input| input.as_ref().map(|view| wider(op, view.dtype())))
        .collect();
    if let Some(&refused) = dtypes.iter().flatten().chain([&dtype]).find(|d| !held(**d)) {
        return Err(call.unsupported(refused));
    }
    let program = op.program(&dtypes);
    let operands: Vec<Vec<u64>> = call
        .inputs
        .iter()
        .flatten()
        .zip(program.inputs())
        .map(|(view, &wide)| bits(call, &view.broadcast_to(shape)?, wide))
        .collect::<Result<_>>()?;

    let count = shape.iter().product();
    let mut registers = Vec::new();
    each_element!(dtype, T => {
        let mut out = call.buffer::<T>(count)?;
        for element in 0..count {
            registers.clear();
            registers.extend(operands.iter().map(|operand| operand[element]));
            let result = scalar::run(&program, &mut registers);
            out.push(T::from_pattern(scalar::cast(program.dtype(), dtype, result)));
        }
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}

/// The dtype in which an operand of dtype `dtype` is computed with.
fn wider(op: &MapOp, dtype: DType) -> DType {
    let arithmetic = matches!(op.row().types, Types::Float | Types::Number);
    match dtype {
        DType::F32 if arithmetic => DType::F64,
        DType::F16 | DType::BF16 if arithmetic => DType::F32,
        other => other,
    }
}

fn held(dtype: DType) -> bool {
    each_element!(dtype, T => { let _: Option<T> = None; true }, _other => false)
}

/// The elements in row-major order as bits of `wide`.
fn bits(call: &Call<'_>, view: &TensorView<'_>, wide: DType) -> Result<Vec<u64>> {
    let mut out = call.buffer(view.len())?;
    each_element!(view.dtype(), T => {
        let elements = view.typed::<T>()?.iter();
        out.extend(elements.map(|&element| scalar::cast(view.dtype(), wide, element.pattern())));
    }, other => return Err(call.unsupported(other)));
    Ok(out)
}
