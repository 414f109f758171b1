//! Constants.
//!
//! <https://onnx.ai/onnx/operators/onnx__Constant.html>, `ConstantOfShape`.
//!
//! - Opset 1: `Constant` has `value`. Opset 11: `sparse_value`, which is refused.
//! - Opset 12: `value_float`, `value_floats`, `value_int`, `value_ints`; and `value_string`,
//!   `value_strings`, which are refused.
//! - Opset 9: `ConstantOfShape`.
//! - Opset 13 to 28: more element types.

use graph::op::{Expand, Op};
use tensor::{Tensor, TensorError};

use super::{Row, row};
use crate::call::{Call, Done};
use crate::error::{ProblemKind, TensorProblem};
use crate::limits;

const ALL: &[&str] = &[
    "sparse_value",
    "value",
    "value_float",
    "value_floats",
    "value_int",
    "value_ints",
    "value_string",
    "value_strings",
];

pub(super) const ROWS: &[Row] = &[
    row("Constant", 1, (0, 0), &["value"], constant),
    row("Constant", 11, (0, 0), &["value", "sparse_value"], constant),
    row("Constant", 12, (0, 0), ALL, constant),
    row("ConstantOfShape", 9, (1, 1), &["value"], constant_of_shape),
];

/// Exactly one attribute holds the value.
fn constant(call: &mut Call<'_>) -> Done {
    for name in ["sparse_value", "value_string", "value_strings"] {
        if call.has(name) {
            let (value, reason) = ("...", "constants of this kind are not supported");
            call.refuse_attribute(name, value, reason);
        }
    }
    let mut values = Vec::new();
    values.extend(call.tensor("value").map(Ok));
    values.extend(
        call.optional_float("value_float")
            .map(|v| Ok(Tensor::scalar(v))),
    );
    values.extend(
        call.optional_int("value_int")
            .map(|v| Ok(Tensor::scalar(v))),
    );
    values.extend(call.floats("value_floats").map(vector));
    values.extend(call.ints("value_ints").map(vector));
    call.check()?;
    match (values.pop(), values.is_empty()) {
        (Some(Ok(tensor)), true) if tensor.rank() <= limits::RANK => {
            call.finish_constant(tensor)?;
            mark_as(call, "value");
            Ok(())
        }
        (Some(Ok(tensor)), true) => {
            let extents = tensor.shape().iter().map(|&d| i64::try_from(d));
            let dims = extents.map(|d| d.unwrap_or(i64::MAX)).collect();
            call.fail(TensorProblem::Shape { dims }.into())
        }
        (Some(Err(_)), true) => call.fail(TensorProblem::Shape { dims: Vec::new() }.into()),
        (Some(_), false) => {
            let reason = "a constant has exactly one value";
            call.refuse_attribute("value", "...", reason);
            call.check()
        }
        (None, _) => call.fail(ProblemKind::MissingAttribute { name: "value" }),
    }
}

fn vector<T: tensor::TensorElement>(list: Vec<T>) -> Result<Tensor, TensorError> {
    Tensor::from_vec_row_major([list.len()], list)
}

/// One element, broadcast to the shape that the input holds.
fn constant_of_shape(call: &mut Call<'_>) -> Done {
    let value = call.tensor("value");
    let value = value.unwrap_or_else(|| Tensor::scalar(0.0_f32));
    if value.len() != 1 {
        let reason = "must have one element";
        call.refuse_attribute("value", format!("{:?}", value.shape()), reason);
    }
    let shape = call.input(0)?;
    // A scalar broadcasts to any shape; a tensor of one element would keep its own axes.
    let bytes = value.to_le_bytes();
    let scalar = bytes.and_then(|bytes| Tensor::from_le_bytes(value.dtype(), [], &bytes));
    let Ok(scalar) = scalar else {
        return call.fail(TensorProblem::Shape { dims: Vec::new() }.into());
    };
    let scalar = call.constant(scalar)?;
    call.finish(
        Op::Expand(Expand { shape: None }),
        &[Some(scalar), Some(shape)],
    )?;
    mark_as(call, "value");
    Ok(())
}

/// Notes that the first output is of the element type of an attribute.
fn mark_as(call: &mut Call<'_>, name: &str) {
    if let Some(element) = call.tensor_element(name) {
        call.mark(0, element);
    }
}
