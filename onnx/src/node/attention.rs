//! Scaled dot-product attention, composed of matrix products and a softmax.
//!
//! <https://onnx.ai/onnx/operators/onnx__Attention.html>
//!
//! - Opset 23: `Attention`. Opset 24: `nonpad_kv_seqlen`, masks shorter than the keys. Opset 25: windows.
//!
//! The queries alone are scaled, by the whole factor. Heads that share keys are an axis of their own in both products, so that keys
//! and values are never repeated. A query that may attend to no key gives zeros.

mod mask;

use graph::ValueId;
use graph::op::{Concat, MatMul, Op, Softmax, Transpose};
use tensor_core::DType;

use super::extents::{Extent, reshaped};
use super::{Row, row};
use crate::call::{Call, Done, Stop};
use crate::error::ProblemKind;
use mask::Mask;

const BASE: &[&str] = &[
    "is_causal",
    "kv_num_heads",
    "q_num_heads",
    "qk_matmul_output_mode",
    "scale",
    "softcap",
    "softmax_precision",
];
const WINDOWS: &[&str] = &[
    "is_causal",
    "kv_num_heads",
    "left_window_size",
    "q_num_heads",
    "qk_matmul_output_mode",
    "right_window_size",
    "scale",
    "softcap",
    "softmax_precision",
];

pub(super) const ROWS: &[Row] = &[
    row("Attention", 23, (3, 6), BASE, attention),
    row("Attention", 24, (3, 7), BASE, attention),
    row("Attention", 25, (3, 7), WINDOWS, attention),
];

/// Which intermediate value output 3 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exposed {
    Scores,
    Capped,
    Biased,
    Weights,
}

/// The attributes.
struct Attributes {
    causal: bool,
    /// How far a query sees to the left and to the right.
    window: [Option<i64>; 2],
    heads: [Option<i64>; 2],
    exposed: Exposed,
    scale: Option<f32>,
    softcap: f32,
    precision: Option<DType>,
}

impl Attributes {
    fn of(call: &mut Call<'_>) -> Attributes {
        let exposed = match call.int("qk_matmul_output_mode", 0) {
            0 => Exposed::Scores,
            1 => Exposed::Capped,
            2 => Exposed::Biased,
            3 => Exposed::Weights,
            other => {
                call.refuse_attribute("qk_matmul_output_mode", other, "must be 0 to 3");
                Exposed::Scores
            }
        };
        let precision = call.has("softmax_precision").then(|| {
            let dtype = call.element_type("softmax_precision", DType::F32);
            if !dtype.is_float() {
                call.refuse_attribute("softmax_precision", dtype, "must be a float");
            }
            dtype
        });
        let softcap = call.float("softcap", 0.0);
        if softcap.is_nan() || softcap < 0.0 {
            call.refuse_attribute("softcap", softcap, "must not be negative");
        }
        Attributes {
            causal: call.flag("is_causal", false),
            window: [
                side(call, "left_window_size"),
                side(call, "right_window_size"),
            ],
            heads: [heads(call, "q_num_heads"), heads(call, "kv_num_heads")],
            exposed,
            scale: call.optional_float("scale"),
            softcap,
            precision,
        }
    }
}

/// One side of a window; -1 is no limit.
fn side(call: &mut Call<'_>, name: &'static str) -> Option<i64> {
    let size = call.int(name, -1);
    if size < -1 {
        call.refuse_attribute(name, size, "must be -1, for no limit, or a number of keys");
    }
    (size >= 0).then_some(size)
}

fn heads(call: &mut Call<'_>, name: &'static str) -> Option<i64> {
    let heads = call.optional_int(name)?;
    if heads < 1 {
        call.refuse_attribute(name, heads, "must be at least 1");
    }
    Some(heads)
}

/// The queries, and the keys and values of past and present, `[batch, heads, length, width]`.
struct Operands {
    q: ValueId,
    k: ValueId,
    v: ValueId,
    /// Whether the inputs, and so the result, are `[batch, length, heads * width]`.
    packed: bool,
}

fn attention(call: &mut Call<'_>) -> Done {
    let attributes = Attributes::of(call);
    let operands = operands(call, &attributes)?;
    let Operands { q, k, v, packed } = operands;
    for (output, value) in [(1, k), (2, v)] {
        if call.wants(output) {
            call.output_value(output, value)?;
        }
    }
    let own = call.dtype(q);
    let scores = scores(call, q, k, attributes.scale)?;
    let capped = capped(call, scores, attributes.softcap)?;
    let mask = Mask::of(call, &attributes, capped)?;
    let biased = mask.applied(call, capped)?;
    let wide = call.cast(biased, attributes.precision.unwrap_or(own))?;
    let softmax = Softmax {
        axis: -1,
        log: false,
    };
    let weights = call.emit(Op::Softmax(softmax), &[Some(wide)])?;
    let weights = mask.cleared(call, weights)?;
    let weights = call.cast(weights, own)?;
    if call.wants(3) {
        let exposed = match attributes.exposed {
            Exposed::Scores => scores,
            Exposed::Capped => capped,
            Exposed::Biased => biased,
            Exposed::Weights => weights,
        };
        call.output_value(3, exposed)?;
    }
    let v = call.cast(v, own)?;
    let made = product(call, weights, v, 2)?;
    let made = if packed { pack(call, made)? } else { made };
    call.output_value(0, made)
}

fn operands(call: &mut Call<'_>, attributes: &Attributes) -> Result<Operands, Stop> {
    let inputs = [call.input(0)?, call.input(1)?, call.input(2)?];
    let rank = call.ty(inputs[0]).rank();
    for (index, id) in inputs.into_iter().enumerate() {
        let ty = call.ty(id);
        if !ty.dtype.is_float() {
            return call.fail_input(index, format!("is {ty}; floats are needed"));
        }
        if !matches!(rank, 3 | 4) || ty.rank() != rank {
            let reason = format!(
                "is {ty}; [batch, length, heads * width] or [batch, heads, length, width] is needed, for all of Q, K, V alike"
            );
            return call.fail_input(index, reason);
        }
    }
    let packed = rank == 3;
    let [mut q, mut k, mut v] = inputs;
    if packed {
        q = unpack(call, 0, "q_num_heads", attributes.heads[0])?;
        k = unpack(call, 1, "kv_num_heads", attributes.heads[1])?;
        v = unpack(call, 2, "kv_num_heads", attributes.heads[1])?;
    } else if call.opset >= 25 {
        for (name, heads) in ["q_num_heads", "kv_num_heads"]
            .into_iter()
            .zip(attributes.heads)
        {
            if let Some(heads) = heads {
                call.refuse_attribute(name, heads, "is only for inputs of three axes");
            }
        }
    }
    let past = (call.optional(4)?, call.optional(5)?);
    match past {
        (None, None) => {}
        (Some(past_k), Some(past_v)) => {
            let concat = || Op::Concat(Concat { axis: 2 });
            k = call.emit(concat(), &[Some(past_k), Some(k)])?;
            v = call.emit(concat(), &[Some(past_v), Some(v)])?;
        }
        _ => return call.fail_input(4, "past_key and past_value go together"),
    }
    Ok(Operands { q, k, v, packed })
}

/// An input `[batch, length, heads * width]` as `[batch, heads, length, width]`.
fn unpack(
    call: &mut Call<'_>,
    index: usize,
    name: &'static str,
    heads: Option<i64>,
) -> Result<ValueId, Stop> {
    let Some(heads) = heads else {
        return call.fail(ProblemKind::MissingAttribute { name });
    };
    let x = call.input(index)?;
    let ty = call.ty(x);
    let width = match ty.shape[2].as_known() {
        Some(all) if all % heads != 0 => {
            return call.fail_input(index, format!("is {ty}, which {heads} heads do not divide"));
        }
        Some(all) => all / heads,
        None => -1,
    };
    let entries = [
        Extent::axis(0),
        Extent::axis(1),
        Extent::Number(heads),
        Extent::Number(width),
    ];
    let parted = reshaped(call, x, &entries)?;
    swapped(call, parted, [0, 2, 1, 3])
}

/// The reverse of [`unpack`].
fn pack(call: &mut Call<'_>, x: ValueId) -> Result<ValueId, Stop> {
    let behind = swapped(call, x, [0, 2, 1, 3])?;
    let shape = call.ty(behind).shape;
    let all = match (shape[2].as_known(), shape[3].as_known()) {
        (Some(heads), Some(width)) => Extent::Number(heads.saturating_mul(width)),
        (Some(heads), None) => Extent::Of(3, heads, 0),
        (None, _) => Extent::Number(-1),
    };
    reshaped(call, behind, &[Extent::axis(0), Extent::axis(1), all])
}

fn swapped(call: &mut Call<'_>, x: ValueId, perm: [usize; 4]) -> Result<ValueId, Stop> {
    let perm = perm.to_vec();
    call.emit(Op::Transpose(Transpose { perm }), &[Some(x)])
}

/// `scale * q k^T`; without a scale, that is 1 by the root of the width.
fn scores(
    call: &mut Call<'_>,
    q: ValueId,
    k: ValueId,
    scale: Option<f32>,
) -> Result<ValueId, Stop> {
    let dtype = call.dtype(q);
    let width = call.ty(q).shape[3].as_known();
    let width = width.and_then(|width| i32::try_from(width).ok());
    let factor = match (scale, width) {
        (Some(scale), _) => call.scalar(dtype, scale.into())?,
        (None, Some(width)) => call.scalar(dtype, 1.0 / f64::from(width).sqrt())?,
        (None, None) => {
            let width = call.extent(q, 3)?;
            let width = call.cast(width, DType::F64)?;
            let root = call.apply("sqrt", &[width])?;
            let factor = call.apply("reciprocal", &[root])?;
            call.cast(factor, dtype)?
        }
    };
    let q = call.apply("mul", &[q, factor])?;
    let turned = swapped(call, k, [0, 1, 3, 2])?;
    product(call, q, turned, 1)
}

/// `cap * tanh(scores / cap)`; no cap is 0.
fn capped(call: &mut Call<'_>, scores: ValueId, cap: f32) -> Result<ValueId, Stop> {
    if cap == 0.0 {
        return Ok(scores);
    }
    let part = call.apply_number("div", scores, cap.into())?;
    let bent = call.apply("tanh", &[part])?;
    call.apply_number("mul", bent, cap.into())
}

/// The product of matrices `[batch, heads, ..]`, where each head of `b` serves as many heads of `a` as there are for it; `b` is made of
/// input `index`.
fn product(call: &mut Call<'_>, a: ValueId, b: ValueId, index: usize) -> Result<ValueId, Stop> {
    let heads = |call: &Call<'_>, id| call.ty(id).shape[1].as_known();
    let multiply = |call: &mut Call<'_>, a, b| call.emit(Op::MatMul(MatMul), &[Some(a), Some(b)]);
    let (Some(many), Some(few)) = (heads(call, a), heads(call, b)) else {
        return multiply(call, a, b);
    };
    if many == few || few == 1 {
        return multiply(call, a, b);
    }
    if few == 0 || many % few != 0 {
        let reason =
            format!("has {few} heads, which do not divide the {many} heads of the queries");
        return call.fail_input(index, reason);
    }
    let grouped = [
        Extent::axis(0),
        Extent::Number(few),
        Extent::Number(many / few),
        Extent::axis(2),
        Extent::axis(3),
    ];
    let a = reshaped(call, a, &grouped)?;
    let b = call.unsqueeze(b, [2])?;
    let made = multiply(call, a, b)?;
    let single = [
        Extent::axis(0),
        Extent::Number(many),
        Extent::axis(3),
        Extent::axis(4),
    ];
    reshaped(call, made, &single)
}
