//! Rows of the activations.
//!
//! Where a formula adds 1 to a power of e or takes 1 from it, digits are lost by cancellation: the limits in ULP are those at
//! the size of the terms.

use super::rows::{row, within};
use super::{Operands, Row, Types};
use crate::scalar::{Prim, Program, Reg};
use tensor_core::DType;

pub(super) static ROWS: &[Row] = &[
    row(
        "elu",
        (1, 1),
        Types::Float,
        "x < 0 ? alpha * (e^x - 1) : x",
        within(4),
        "ONNX Elu",
        |p, o| {
            let alpha = p.literal(o.dtype, o.numbers[0].into());
            let bent = scaled_expm1(p, o.reg(0), alpha);
            below_zero(p, o, bent)
        },
    )
    .attrs(&[("alpha", 1.0)]),
    row(
        "selu",
        (1, 1),
        Types::Float,
        "gamma * (x < 0 ? alpha * (e^x - 1) : x)",
        within(4),
        "ONNX Selu",
        |p, o| {
            let alpha = p.literal(o.dtype, o.numbers[0].into());
            let gamma = p.literal(o.dtype, o.numbers[1].into());
            let bent = scaled_expm1(p, o.reg(0), alpha);
            let elu = below_zero(p, o, bent);
            p.prim(Prim::Mul, &[elu, gamma])
        },
    )
    .attrs(&[("alpha", 1.673_263_2), ("gamma", 1.050_701)]),
    row(
        "celu",
        (1, 1),
        Types::Float,
        "x < 0 ? alpha * (e^(x / alpha) - 1) : x",
        within(4),
        "ONNX Celu",
        |p, o| {
            let alpha = p.literal(o.dtype, o.numbers[0].into());
            let slower = p.prim(Prim::Div, &[o.reg(0), alpha]);
            let bent = scaled_expm1(p, slower, alpha);
            below_zero(p, o, bent)
        },
    )
    .attrs(&[("alpha", 1.0)]),
    row(
        "softplus",
        (1, 1),
        Types::Float,
        "max(x, 0) + ln(1 + e^-|x|)",
        within(4),
        "ONNX Softplus",
        softplus,
    ),
    row(
        "softsign",
        (1, 1),
        Types::Float,
        "x / (1 + |x|)",
        within(2),
        "ONNX Softsign",
        |p, o| {
            let one = p.literal(o.dtype, 1.0);
            let size = p.prim(Prim::Abs, &[o.reg(0)]);
            let divisor = p.prim(Prim::Add, &[size, one]);
            p.prim(Prim::Div, &[o.reg(0), divisor])
        },
    ),
    row(
        "mish",
        (1, 1),
        Types::Float,
        "x * tanh(softplus(x))",
        within(6),
        "ONNX Mish",
        |p, o| {
            let soft = softplus(p, o);
            let gate = p.prim(Prim::Tanh, &[soft]);
            p.prim(Prim::Mul, &[o.reg(0), gate])
        },
    ),
    row(
        "thresholded_relu",
        (1, 1),
        Types::Float,
        "x <= alpha ? 0 : x",
        within(0),
        "ONNX ThresholdedRelu",
        |p, o| {
            let alpha = p.literal(o.dtype, o.numbers[0].into());
            let zero = p.literal(o.dtype, 0.0);
            let low = p.prim(Prim::Le, &[o.reg(0), alpha]);
            p.prim(Prim::Select, &[low, zero, o.reg(0)])
        },
    )
    .attrs(&[("alpha", 1.0)]),
    row(
        "shrink",
        (1, 1),
        Types::Number,
        "x < -lambda ? x + bias : x <= lambda ? 0 : x - bias; integers by way of f64",
        within(1),
        "ONNX Shrink",
        shrink,
    )
    .attrs(&[("lambda", 0.5), ("bias", 0.0)]),
    row(
        "prelu",
        (2, 2),
        Types::Number,
        "x < 0 ? slope * x : x",
        within(1),
        "ONNX PRelu",
        |p, o| {
            let bent = p.prim(Prim::Mul, &[o.reg(0), o.reg(1)]);
            below_zero(p, o, bent)
        },
    ),
];

/// `alpha * (e^x - 1)`
fn scaled_expm1(p: &mut Program, x: Reg, alpha: Reg) -> Reg {
    let one = p.literal(p.dtype_of(x), 1.0);
    let power = p.prim(Prim::Exp, &[x]);
    let less = p.prim(Prim::Sub, &[power, one]);
    p.prim(Prim::Mul, &[less, alpha])
}

/// `x < 0 ? bent : x`
fn below_zero(p: &mut Program, o: &Operands<'_>, bent: Reg) -> Reg {
    let zero = p.literal(o.dtype, 0.0);
    let negative = p.prim(Prim::Lt, &[o.reg(0), zero]);
    p.prim(Prim::Select, &[negative, bent, o.reg(0)])
}

fn softplus(p: &mut Program, o: &Operands<'_>) -> Reg {
    let (zero, one) = (p.literal(o.dtype, 0.0), p.literal(o.dtype, 1.0));
    let size = p.prim(Prim::Abs, &[o.reg(0)]);
    let down = p.prim(Prim::Neg, &[size]);
    let power = p.prim(Prim::Exp, &[down]);
    let sum = p.prim(Prim::Add, &[power, one]);
    let rest = p.prim(Prim::Log, &[sum]);
    let line = p.prim(Prim::Max, &[o.reg(0), zero]);
    p.prim(Prim::Add, &[line, rest])
}

fn shrink(p: &mut Program, o: &Operands<'_>) -> Reg {
    let within = if o.dtype.is_float() {
        o.dtype
    } else {
        DType::F64
    };
    let x = p.cast(within, o.reg(0));
    let (limit, bias) = (f64::from(o.numbers[0]), f64::from(o.numbers[1]));
    let (zero, bias) = (p.literal(within, 0.0), p.literal(within, bias));
    let (low, high) = (p.literal(within, -limit), p.literal(within, limit));
    let below = p.prim(Prim::Lt, &[x, low]);
    let inside = p.prim(Prim::Le, &[x, high]);
    let raised = p.prim(Prim::Add, &[x, bias]);
    let lowered = p.prim(Prim::Sub, &[x, bias]);
    let rest = p.prim(Prim::Select, &[inside, zero, lowered]);
    let y = p.prim(Prim::Select, &[below, raised, rest]);
    p.cast(o.dtype, y)
}
