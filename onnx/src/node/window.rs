//! Convolution and pooling.
//!
//! <https://onnx.ai/onnx/operators/onnx__Conv.html>, `MaxPool`, `AveragePool`.
//!
//! - Opset 1, 11, 22: `Conv`; 11 words the default of strides and dilations, 22 adds element types.
//! - Opset 7: `AveragePool` has `count_include_pad`. Opset 8: `MaxPool` has `storage_order`, which
//!   only concerns the output `Indices`; that output is refused.
//! - Opset 10: `ceil_mode`; `MaxPool` has `dilations`. Opset 19: `AveragePool` has `dilations`.
//! - Opset 12: `MaxPool` of 8-bit integers, by way of `f32`, which is exact. Opset 22: more element
//!   types.

use graph::op::{Conv, MapOp, Op, Pad, Pool, PoolKind, Window};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop};
use crate::error::ProblemKind;

const CONV: &[&str] = &[
    "auto_pad",
    "dilations",
    "group",
    "kernel_shape",
    "pads",
    "strides",
];
const POOL: &[&str] = &["auto_pad", "kernel_shape", "pads", "strides"];
const MAX_8: &[&str] = &[
    "auto_pad",
    "kernel_shape",
    "pads",
    "storage_order",
    "strides",
];
const MAX_10: &[&str] = &[
    "auto_pad",
    "ceil_mode",
    "dilations",
    "kernel_shape",
    "pads",
    "storage_order",
    "strides",
];
const AVERAGE_7: &[&str] = &[
    "auto_pad",
    "count_include_pad",
    "kernel_shape",
    "pads",
    "strides",
];
const AVERAGE_10: &[&str] = &[
    "auto_pad",
    "ceil_mode",
    "count_include_pad",
    "kernel_shape",
    "pads",
    "strides",
];
const AVERAGE_19: &[&str] = &[
    "auto_pad",
    "ceil_mode",
    "count_include_pad",
    "dilations",
    "kernel_shape",
    "pads",
    "strides",
];

pub(super) const ROWS: &[Row] = &[
    row("Conv", 1, (2, 3), CONV, conv),
    row("MaxPool", 1, (1, 1), POOL, |c| pool(c, PoolKind::Max)),
    row("MaxPool", 8, (1, 1), MAX_8, |c| pool(c, PoolKind::Max)),
    row("MaxPool", 10, (1, 1), MAX_10, |c| pool(c, PoolKind::Max)),
    row("AveragePool", 7, (1, 1), AVERAGE_7, |c| {
        pool(c, PoolKind::Average)
    }),
    row("AveragePool", 10, (1, 1), AVERAGE_10, |c| {
        pool(c, PoolKind::Average)
    }),
    row("AveragePool", 19, (1, 1), AVERAGE_19, |c| {
        pool(c, PoolKind::Average)
    }),
];

/// The attributes that convolution and pooling share, as the file has them.
struct Attributes {
    kernel: Option<Vec<usize>>,
    strides: Option<Vec<usize>>,
    dilations: Option<Vec<usize>>,
    pads: Option<Vec<usize>>,
    auto_pad: String,
}

fn attributes(call: &mut Call<'_>) -> Attributes {
    let kernel = sizes(call, "kernel_shape", 1);
    let strides = sizes(call, "strides", 1);
    let dilations = sizes(call, "dilations", 1);
    let pads = sizes(call, "pads", 0);
    let auto_pad = call.text("auto_pad", "NOTSET");
    let padded = pads.iter().flatten().any(|&p| p > 0);
    match auto_pad.as_str() {
        "NOTSET" => {}
        "SAME_UPPER" | "SAME_LOWER" | "VALID" if padded => {
            let reason = "cannot be combined with pads that are not 0";
            call.refuse_attribute("auto_pad", &auto_pad, reason);
        }
        "SAME_UPPER" | "SAME_LOWER" | "VALID" => {}
        other => {
            let reason = "must be NOTSET, SAME_UPPER, SAME_LOWER or VALID";
            call.refuse_attribute("auto_pad", format!("{other:?}"), reason);
        }
    }
    Attributes {
        kernel,
        strides,
        dilations,
        pads,
        auto_pad,
    }
}

/// A list of numbers from `least` to what keeps products of two within reach.
fn sizes(call: &mut Call<'_>, name: &'static str, least: i64) -> Option<Vec<usize>> {
    let list = call.ints(name)?;
    let fits = |n: &i64| (least..=i64::from(i32::MAX)).contains(n);
    if !list.iter().all(fits) {
        let reason = format!("numbers from {least} to {} are supported", i32::MAX);
        call.refuse_attribute(name, format!("{list:?}"), reason);
        return None;
    }
    list.iter().map(|&n| usize::try_from(n).ok()).collect()
}

impl Attributes {
    /// The window over `spatial` axes.
    fn window(&self, spatial: usize) -> Window {
        let ones = || vec![1; spatial];
        let pad = match (self.auto_pad.as_str(), &self.pads) {
            ("SAME_UPPER", _) => Pad::SameUpper,
            ("SAME_LOWER", _) => Pad::SameLower,
            ("NOTSET", Some(pads)) => {
                let (begin, end) = pads.split_at(pads.len() / 2);
                let (begin, end) = (begin.to_vec(), end.to_vec());
                Pad::Explicit { begin, end }
            }
            _ => Pad::Explicit {
                begin: vec![0; spatial],
                end: vec![0; spatial],
            },
        };
        Window {
            strides: self.strides.clone().unwrap_or_else(ones),
            dilations: self.dilations.clone().unwrap_or_else(ones),
            pad,
        }
    }
}

/// The number of spatial axes of input 0.
fn spatial_axes(call: &mut Call<'_>) -> Result<usize, Stop> {
    let x = call.input(0)?;
    let ty = call.ty(x);
    if ty.rank() < 3 {
        return call.fail_input(
            0,
            format!("is {ty}; [batch, channels, spatial..] is needed"),
        );
    }
    Ok(ty.rank() - 2)
}

fn conv(call: &mut Call<'_>) -> Done {
    let attributes = attributes(call);
    let group = call.int("group", 1);
    let groups = usize::try_from(group).unwrap_or(0);
    if groups == 0 {
        call.refuse_attribute("group", group, "must be at least 1");
    }
    let spatial = spatial_axes(call)?;
    let (x, w) = (call.input(0)?, call.input(1)?);
    if let Some(kernel) = &attributes.kernel {
        let ty = call.ty(w);
        let actual = ty.shape.iter().skip(2);
        let differs = |(a, k): (&graph::Dim, &usize)| a.as_extent().is_some_and(|a| a != *k);
        if ty.rank() != kernel.len() + 2 || actual.zip(kernel).any(differs) {
            let reason = format!("is not the kernel of the weights {ty}");
            call.refuse_attribute("kernel_shape", format!("{kernel:?}"), reason);
        }
    }
    let bias = call.optional(2)?;
    let window = attributes.window(spatial);
    let inputs = [Some(x), Some(w), bias];
    let given = if bias.is_some() { 3 } else { 2 };
    call.finish(Op::Conv(Conv { window, groups }), &inputs[..given])
}

fn pool(call: &mut Call<'_>, kind: PoolKind) -> Done {
    let attributes = attributes(call);
    let ceil = call.flag("ceil_mode", false);
    let count_pad = call.flag("count_include_pad", false);
    call.flag("storage_order", false);
    if !call.has("kernel_shape") {
        let name = "kernel_shape";
        call.refuse(ProblemKind::MissingAttribute { name });
    }
    let spatial = spatial_axes(call)?;
    let x = call.input(0)?;
    let own = call.dtype(x);
    let narrow = kind == PoolKind::Max && own.is_integer() && own.size_bytes() == 1;
    let op = Op::Pool(Pool {
        kind,
        kernel: attributes.kernel.clone().unwrap_or_default(),
        window: attributes.window(spatial),
        ceil,
        count_pad,
    });
    if narrow {
        let wide = call.cast(x, DType::F32)?;
        let result = call.emit(op, &[Some(wide)])?;
        return call.finish(Op::Map(MapOp::cast(own)), &[Some(result)]);
    }
    call.finish(op, &[Some(x)])
}
