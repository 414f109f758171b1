//! Convolution and pooling.
//!
//! <https://onnx.ai/onnx/operators/onnx__Conv.html>, `ConvTranspose`, `DeformConv`, `MaxPool`, `AveragePool`.
//!
//! - Opset 1, 11, 22: `Conv`; 11 words the default of strides and dilations, 22 adds element types.
//! - Opset 7: `AveragePool` has `count_include_pad`. Opset 8: `MaxPool` has `storage_order`, which
//!   only concerns the output `Indices`.
//! - Opset 10: `ceil_mode`; `MaxPool` has `dilations`. Opset 19: `AveragePool` has `dilations`.
//! - Opset 12: `MaxPool` of 8-bit integers, by way of `f32`, which is exact. Opset 22: more element
//!   types. Opset 19: `DeformConv`.

use graph::ValueId;
use graph::op::{ArgMaxPool, Conv, ConvTranspose, DeformConv, Op, Pad, Pool, PoolKind, Window};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop};
use crate::error::ProblemKind;

pub(super) const CONV: &[&str] = &[
    "auto_pad",
    "dilations",
    "group",
    "kernel_shape",
    "pads",
    "strides",
];
const TRANSPOSE: &[&str] = &[
    "auto_pad",
    "dilations",
    "group",
    "kernel_shape",
    "output_padding",
    "output_shape",
    "pads",
    "strides",
];
const DEFORM: &[&str] = &[
    "dilations",
    "group",
    "kernel_shape",
    "offset_group",
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
    row("ConvTranspose", 1, (2, 3), TRANSPOSE, conv_transpose),
    row("DeformConv", 19, (3, 5), DEFORM, deform_conv),
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
pub(super) struct Attributes {
    pub(super) kernel: Option<Vec<usize>>,
    strides: Option<Vec<usize>>,
    dilations: Option<Vec<usize>>,
    pads: Option<Vec<usize>>,
    auto_pad: String,
}

pub(super) fn attributes(call: &mut Call<'_>) -> Attributes {
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
    /// Whether a rest gets a window of its own, given the attribute `ceil_mode`: with padding that is chosen, the number of windows
    /// does not depend on it.
    pub(super) fn rounds_up(&self, ceil_mode: bool) -> bool {
        ceil_mode && self.auto_pad == "NOTSET"
    }

    /// The window over `spatial` axes.
    pub(super) fn window(&self, spatial: usize) -> Window {
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
pub(super) fn spatial_axes(call: &mut Call<'_>) -> Result<usize, Stop> {
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

/// At least 1.
fn groups(call: &mut Call<'_>, name: &'static str) -> usize {
    let groups = call.count(name, 1);
    if groups == 0 {
        call.refuse_attribute(name, groups, "must be at least 1");
    }
    groups
}

/// The weights, whose kernel must be the one that the attributes name.
fn weights(call: &mut Call<'_>, index: usize, kernel: Option<&[usize]>) -> Result<ValueId, Stop> {
    let w = call.input(index)?;
    if let Some(kernel) = kernel {
        let ty = call.ty(w);
        let actual = ty.shape.iter().skip(2);
        let differs = |(a, k): (&graph::Dim, &usize)| a.as_extent().is_some_and(|a| a != *k);
        if ty.rank() != kernel.len() + 2 || actual.zip(kernel).any(differs) {
            let reason = format!("is not the kernel of the weights {ty}");
            call.refuse_attribute("kernel_shape", format!("{kernel:?}"), reason);
        }
    }
    Ok(w)
}

/// The convolution that the attributes describe, of input 0 and the weights at this position.
pub(super) fn convolution(call: &mut Call<'_>, at: usize) -> Result<Conv, Stop> {
    let attributes = attributes(call);
    let groups = groups(call, "group");
    let spatial = spatial_axes(call)?;
    weights(call, at, attributes.kernel.as_deref())?;
    let window = attributes.window(spatial);
    Ok(Conv { window, groups })
}

fn conv(call: &mut Call<'_>) -> Done {
    let op = convolution(call, 1)?;
    let inputs = call.all()?;
    call.finish(Op::Conv(op), &inputs)
}

fn conv_transpose(call: &mut Call<'_>) -> Done {
    let attributes = attributes(call);
    let groups = groups(call, "group");
    let more = sizes(call, "output_padding", 0);
    let output = sizes(call, "output_shape", 0);
    let spatial = spatial_axes(call)?;
    weights(call, 1, attributes.kernel.as_deref())?;
    let inputs = call.all()?;
    // Some files give the extents of batch and channels, too.
    let output = output.map(|list| match list.len().checked_sub(spatial) {
        Some(2) => list[2..].to_vec(),
        _ => list,
    });
    let op = ConvTranspose {
        window: attributes.window(spatial),
        output_padding: more.unwrap_or_else(|| vec![0; spatial]),
        output,
        groups,
    };
    call.finish(Op::ConvTranspose(op), &inputs)
}

fn deform_conv(call: &mut Call<'_>) -> Done {
    let attributes = attributes(call);
    let (groups, offset_groups) = (groups(call, "group"), groups(call, "offset_group"));
    let spatial = spatial_axes(call)?;
    weights(call, 1, attributes.kernel.as_deref())?;
    call.input(2)?;
    let inputs = call.all()?;
    let op = DeformConv {
        window: attributes.window(spatial),
        groups,
        offset_groups,
    };
    call.finish(Op::DeformConv(op), &inputs)
}

fn pool(call: &mut Call<'_>, kind: PoolKind) -> Done {
    let attributes = attributes(call);
    let ceil = attributes.rounds_up(call.flag("ceil_mode", false));
    let count_pad = call.flag("count_include_pad", false);
    let column_major = call.flag("storage_order", false);
    if !call.has("kernel_shape") {
        let name = "kernel_shape";
        call.refuse(ProblemKind::MissingAttribute { name });
    }
    let spatial = spatial_axes(call)?;
    let x = call.input(0)?;
    let own = call.dtype(x);
    let narrow = kind == PoolKind::Max && own.is_integer() && own.size_bytes() == 1;
    let (kernel, window) = (
        attributes.kernel.clone().unwrap_or_default(),
        attributes.window(spatial),
    );
    let source = if narrow { call.cast(x, DType::F32)? } else { x };
    if kind == PoolKind::Max && call.wants(1) {
        let indices = ArgMaxPool {
            kernel: kernel.clone(),
            window: window.clone(),
            ceil,
            column_major,
        };
        call.output(1, Op::ArgMaxPool(indices), &[Some(source)])?;
    }
    let op = Op::Pool(Pool {
        kind,
        kernel,
        window,
        ceil,
        count_pad,
    });
    call.finish_as(own, op, &[Some(source)])
}
