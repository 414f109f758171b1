//! Normalisation by the root of the mean square.
//!
//! <https://onnx.ai/onnx/operators/onnx__RMSNormalization.html>
//!
//! - Opset 23: `RMSNormalization`, by sums and elementwise ops as the standard's own function body does it.

use graph::op::ReduceKind;
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, map};

pub(super) const ROWS: &[Row] = &[row(
    "RMSNormalization",
    23,
    (2, 2),
    &["axis", "epsilon", "stash_type"],
    rms_norm,
)];

/// `x / sqrt(mean of x^2 + epsilon) * scale` over the axes from `axis` on; the quotient is computed in `stash_type`.
fn rms_norm(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", -1);
    let epsilon = call.float("epsilon", 1e-5);
    let within = call.element_type("stash_type", DType::F32);
    if !within.is_float() {
        call.refuse_attribute("stash_type", within, "must be a float");
    }
    let (x, scale) = (call.input(0)?, call.input(1)?);
    let (ty, scale_ty) = (call.ty(x), call.ty(scale));
    for (index, ty) in [(0, &ty), (1, &scale_ty)] {
        if !ty.dtype.is_float() {
            return call.fail_input(index, format!("is {ty}; floats are needed"));
        }
    }
    // Numpy's rule would also broadcast the data to the scale.
    let mut pairs = ty.shape.iter().rev().zip(scale_ty.shape.iter().rev());
    let larger = pairs.any(|(own, scale)| {
        own.as_known() == Some(1) && scale.as_known().is_some_and(|extent| extent != 1)
    });
    if larger || scale_ty.rank() > ty.rank() {
        return call.fail_input(
            1,
            format!("is {scale_ty}, which does not broadcast to {ty}"),
        );
    }
    let first = call.axis(axis, ty.rank())?;
    let axes = (first..ty.rank()).filter_map(|axis| i64::try_from(axis).ok());
    let axes: Vec<i64> = axes.collect();
    let wide = call.cast(x, within)?;
    let squares = call.apply("mul", &[wide, wide])?;
    let mean = call.reduce(ReduceKind::Mean, squares, &axes, true)?;
    let shifted = call.apply_number("add", mean, epsilon.into())?;
    let root = call.apply("sqrt", &[shifted])?;
    let normal = call.apply("div", &[wide, root])?;
    let own = call.cast(normal, ty.dtype)?;
    let own = call.cast(own, scale_ty.dtype)?;
    call.finish(map("mul"), &[Some(own), Some(scale)])
}
