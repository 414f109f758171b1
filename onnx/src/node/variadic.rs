//! Elementwise ops of any number of inputs: chains of the binary op.
//!
//! <https://onnx.ai/onnx/operators/onnx__Max.html>, `Min`, `Sum`, `Mean`.
//!
//! - Opset 6: all inputs of one shape. A model of opset 7 that broadcasts is accepted.
//! - Opset 8: broadcasting by numpy's rule.
//! - Opset 12, 13: more element types.

use super::{Row, row};
use crate::call::{Call, Done, map};

const ANY: (usize, usize) = (1, usize::MAX);

pub(super) const ROWS: &[Row] = &[
    row("Max", 6, ANY, &[], |call| chain(call, "max")),
    row("Min", 6, ANY, &[], |call| chain(call, "min")),
    row("Sum", 6, ANY, &[], |call| chain(call, "add")),
    row("Mean", 6, ANY, &[], mean),
];

/// `f(f(x0, x1), x2) ..`; one input is the result.
fn chain(call: &mut Call<'_>, name: &str) -> Done {
    let mut result = call.input(0)?;
    let last = call.inputs.len() - 1;
    if last == 0 {
        return call.finish(map("identity"), &[Some(result)]);
    }
    for index in 1..last {
        let next = call.input(index)?;
        result = call.emit(map(name), &[Some(result), Some(next)])?;
    }
    let next = call.input(last)?;
    call.finish(map(name), &[Some(result), Some(next)])
}

fn mean(call: &mut Call<'_>) -> Done {
    let mut sum = call.input(0)?;
    let count = u32::try_from(call.inputs.len()).unwrap_or(u32::MAX);
    for index in 1..call.inputs.len() {
        let next = call.input(index)?;
        sum = call.emit(map("add"), &[Some(sum), Some(next)])?;
    }
    let count = call.scalar(call.dtype(sum), count.into())?;
    call.finish(map("div"), &[Some(sum), Some(count)])
}
