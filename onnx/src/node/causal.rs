//! The causal convolution of sequence models, with what it has to remember.
//!
//! <https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html>
//!
//! - Opset 27: `CausalConvWithState`, by `Concat`, `Conv` and `Slice` as the standard's own function body does it.

use graph::op::{Concat, Conv, Expand, Op, Pad, Slice, SliceAxis, Window};
use tensor_core::DType;

use super::extents::{Extent, extents};
use super::{Row, row};
use crate::call::{Call, Done, map};

pub(super) const ROWS: &[Row] = &[row(
    "CausalConvWithState",
    27,
    (2, 4),
    &["activation"],
    causal_conv,
)];

fn causal_conv(call: &mut Call<'_>) -> Done {
    let gated = call.word("activation", false, |word| match word {
        "none" => Some(false),
        "silu" | "swish" => Some(true),
        _ => None,
    });
    let (x, weights) = (call.input(0)?, call.input(1)?);
    let (bias, past) = (call.optional(2)?, call.optional(3)?);
    let ty = call.ty(weights);
    let numbers = ty.static_shape();
    let Some(&[channels, 1, taps]) = numbers.as_deref().filter(|shape| !shape.contains(&0)) else {
        let reason = format!("is {ty}; [channels, 1, taps] is needed, all numbers");
        return call.fail_input(1, reason);
    };
    if call.ty(x).rank() != 3 {
        return call.fail_input(0, "must be [batch, channels, length]");
    }
    let kept = i64::try_from(taps - 1).unwrap_or(i64::MAX);
    let past = match past {
        Some(past) => past,
        None => {
            let zero = call.scalar(call.dtype(x), 0.0)?;
            let entries = [Extent::axis(0), Extent::axis(1), Extent::Number(kept)];
            let shape = extents(call, x, &entries)?;
            call.emit(
                Op::Expand(Expand { shape: None }),
                &[Some(zero), Some(shape)],
            )?
        }
    };
    let padded = call.emit(Op::Concat(Concat { axis: 2 }), &[Some(past), Some(x)])?;
    let conv = Op::Conv(Conv {
        window: Window {
            strides: vec![1],
            dilations: vec![1],
            pad: Pad::Explicit {
                begin: vec![0],
                end: vec![0],
            },
        },
        groups: channels,
    });
    let inputs = [Some(padded), Some(weights), bias];
    let inputs = &inputs[..if bias.is_some() { 3 } else { 2 }];
    if gated {
        let own = call.dtype(x);
        let result = call.emit(conv, inputs)?;
        let wide = if own == DType::F64 { own } else { DType::F32 };
        let result = call.cast(result, wide)?;
        call.finish_as(own, map("silu"), &[Some(result)])?;
    } else {
        call.finish(conv, inputs)?;
    }
    // The last taps - 1 elements; a start of -0 would be the first.
    let last = SliceAxis {
        axis: 2,
        start: if kept == 0 { i64::MAX } else { -kept },
        end: i64::MAX,
        step: 1,
    };
    let axes = Some(vec![last]);
    call.output(1, Op::Slice(Slice { axes }), &[Some(padded)])
}
