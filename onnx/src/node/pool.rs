//! Pools by a norm, and the normalisation over neighbouring channels, which is a pool over them.
//!
//! <https://onnx.ai/onnx/operators/onnx__LpPool.html>, `GlobalLpPool`, `LRN`.
//!
//! - Opset 1: `LRN`. Opset 2: `p` of the pools is an integer. Opset 18: `LpPool` has `ceil_mode` and `dilations`.
//! - Opset 13, 22: more element types.

use graph::op::{LpPool, Op, Pad, Pool, PoolKind, Reduce, ReduceKind, Reshape, Unsqueeze, Window};
use tensor_core::DType;

use super::extents::reshaped_like;
use super::window::{attributes, spatial_axes};
use super::{Row, row};
use crate::call::{Call, Done, map};
use crate::error::ProblemKind;

const LP_2: &[&str] = &["auto_pad", "kernel_shape", "p", "pads", "strides"];
const LP_18: &[&str] = &[
    "auto_pad",
    "ceil_mode",
    "dilations",
    "kernel_shape",
    "p",
    "pads",
    "strides",
];
const LRN: &[&str] = &["alpha", "beta", "bias", "size"];

pub(super) const ROWS: &[Row] = &[
    row("LpPool", 2, (1, 1), LP_2, lp_pool),
    row("LpPool", 18, (1, 1), LP_18, lp_pool),
    row("GlobalLpPool", 2, (1, 1), &["p"], global_lp_pool),
    row("LRN", 1, (1, 1), LRN, lrn),
];

fn lp_pool(call: &mut Call<'_>) -> Done {
    let attributes = attributes(call);
    let ceil = attributes.rounds_up(call.flag("ceil_mode", false));
    let p = call.int("p", 2);
    if !call.has("kernel_shape") {
        let name = "kernel_shape";
        call.refuse(ProblemKind::MissingAttribute { name });
    }
    let spatial = spatial_axes(call)?;
    let x = call.input(0)?;
    let op = LpPool {
        kernel: attributes.kernel.clone().unwrap_or_default(),
        window: attributes.window(spatial),
        ceil,
        p,
    };
    call.finish(Op::LpPool(op), &[Some(x)])
}

/// `(sum over the spatial axes of |x|^p)^(1/p)`
fn global_lp_pool(call: &mut Call<'_>) -> Done {
    let p = call.int("p", 2);
    let exponent = i32::try_from(p).map_or(0.0, f64::from);
    if exponent == 0.0 {
        call.refuse_attribute("p", p, "there is no norm of this exponent");
    }
    let spatial = spatial_axes(call)?;
    let x = call.input(0)?;
    let size = call.emit(map("abs"), &[Some(x)])?;
    let power = call.scalar(call.dtype(x), exponent)?;
    let powers = call.emit(map("pow"), &[Some(size), Some(power)])?;
    let sum = Reduce {
        kind: ReduceKind::Sum,
        axes: Some((2..).take(spatial).collect()),
        keep: true,
        noop_if_empty: false,
    };
    let sum = call.emit(Op::Reduce(sum), &[Some(powers)])?;
    let root = call.scalar(call.dtype(x), 1.0 / exponent)?;
    call.finish(map("pow"), &[Some(sum), Some(root)])
}

/// `x / (bias + alpha * mean over `size` channels around it of x^2)^beta`, channels beyond the ends counted as 0
fn lrn(call: &mut Call<'_>) -> Done {
    let numbers = [
        call.float("alpha", 1e-4),
        call.float("beta", 0.75),
        call.float("bias", 1.0),
    ];
    let size = call.required_int("size");
    let count = usize::try_from(size).unwrap_or(0);
    if !(1..=i64::from(i32::MAX)).contains(&size) {
        call.refuse_attribute("size", size, "must be at least 1");
    }
    spatial_axes(call)?;
    let x = call.input(0)?;
    let own = call.dtype(x);
    let wide = if own == DType::F64 { own } else { DType::F32 };
    let x = call.cast(x, wide)?;
    let squares = call.emit(map("mul"), &[Some(x), Some(x)])?;
    // One picture per batch: its rows are the channels.
    let plane = Unsqueeze {
        axes: Some(vec![1]),
    };
    let plane = call.emit(Op::Unsqueeze(plane), &[Some(squares)])?;
    let rows = call.list(&[0, 0, 0, -1])?;
    let flat = Op::Reshape(Reshape {
        shape: None,
        allow_zero: false,
    });
    let plane = call.emit(flat, &[Some(plane), Some(rows)])?;
    let before = count.saturating_sub(1) / 2;
    let mean = Pool {
        kind: PoolKind::Average,
        kernel: vec![count, 1],
        window: Window {
            strides: vec![1, 1],
            dilations: vec![1, 1],
            pad: Pad::Explicit {
                begin: vec![before, 0],
                end: vec![count.saturating_sub(1 + before), 0],
            },
        },
        ceil: false,
        count_pad: true,
    };
    let mean = call.emit(Op::Pool(mean), &[Some(plane)])?;
    let mean = reshaped_like(call, mean, x)?;
    let [alpha, beta, bias] = numbers.map(f64::from);
    let factor = call.scalar(wide, alpha)?;
    let scaled = call.emit(map("mul"), &[Some(mean), Some(factor)])?;
    let bias = call.scalar(wide, bias)?;
    let shifted = call.emit(map("add"), &[Some(scaled), Some(bias)])?;
    let exponent = call.scalar(wide, beta)?;
    let divisor = call.emit(map("pow"), &[Some(shifted), Some(exponent)])?;
    call.finish_as(own, map("div"), &[Some(x), Some(divisor)])
}
