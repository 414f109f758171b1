//! Elementwise ops of a fixed number of inputs, each a row of the op table.
//!
//! <https://onnx.ai/onnx/operators/>, each op by its name. All binary ops broadcast by numpy's rule.
//!
//! - Opset 7: broadcasting instead of the attributes `axis` and `broadcast`; `Sin`, `Cos`.
//! - Opset 9: `Sign`, `Erf`, `Where`; `Less` and `Greater` of integers.
//! - Opset 11: `Round`; `Clip` takes its bounds as inputs; `Equal` of floats.
//! - Opset 12: `LessOrEqual`, `GreaterOrEqual`; `Pow` of mixed types, the result has the base's.
//! - Opset 13, 14: more element types. Opset 14: `HardSwish`.
//! - Opset 15: `CastLike`. Opset 19: `Cast` has `saturate`, for 8-bit floats only.
//! - Opset 20: `Gelu`. Opset 24: `Swish`; `Cast` has `round_mode`, for `FLOAT8E8M0` only.

use graph::ValueId;
use graph::op::{MapOp, Op};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, map};
use crate::element;

/// ONNX op, name in the op table.
const PLAIN: &[(&str, &str)] = &[
    ("Identity", "identity"),
    ("Neg", "neg"),
    ("Abs", "abs"),
    ("Sign", "sign"),
    ("Sqrt", "sqrt"),
    ("Reciprocal", "reciprocal"),
    ("Exp", "exp"),
    ("Log", "log"),
    ("Sin", "sin"),
    ("Cos", "cos"),
    ("Tanh", "tanh"),
    ("Sigmoid", "sigmoid"),
    ("Erf", "erf"),
    ("Floor", "floor"),
    ("Ceil", "ceil"),
    ("Round", "round"),
    ("Not", "not"),
    ("Relu", "relu"),
    ("HardSwish", "hard_swish"),
    ("Add", "add"),
    ("Sub", "sub"),
    ("Mul", "mul"),
    ("Div", "div"),
    ("Equal", "equal"),
    ("Less", "less"),
    ("LessOrEqual", "less_equal"),
    ("Greater", "greater"),
    ("GreaterOrEqual", "greater_equal"),
    ("And", "and"),
    ("Or", "or"),
    ("Xor", "xor"),
    ("Where", "where"),
];

const fn unary(op_type: &'static str, since: i64) -> Row {
    row(op_type, since, (1, 1), &[], plain)
}

const fn binary(op_type: &'static str, since: i64) -> Row {
    row(op_type, since, (2, 2), &[], plain)
}

pub(super) const ROWS: &[Row] = &[
    unary("Identity", 1),
    unary("Neg", 6),
    unary("Abs", 6),
    unary("Sign", 9),
    unary("Sqrt", 6),
    unary("Reciprocal", 6),
    unary("Exp", 6),
    unary("Log", 6),
    unary("Sin", 7),
    unary("Cos", 7),
    unary("Tanh", 6),
    unary("Sigmoid", 6),
    unary("Erf", 9),
    unary("Floor", 6),
    unary("Ceil", 6),
    unary("Round", 11),
    unary("Not", 1),
    unary("Relu", 6),
    unary("HardSwish", 14),
    binary("Add", 7),
    binary("Sub", 7),
    binary("Mul", 7),
    binary("Div", 7),
    binary("Equal", 7),
    binary("Less", 7),
    binary("LessOrEqual", 12),
    binary("Greater", 7),
    binary("GreaterOrEqual", 12),
    binary("And", 7),
    binary("Or", 7),
    binary("Xor", 7),
    row("Where", 9, (3, 3), &[], plain),
    row("Cast", 6, (1, 1), &["to"], cast),
    row("Cast", 19, (1, 1), &["to", "saturate"], cast),
    row("Cast", 24, (1, 1), &["to", "saturate", "round_mode"], cast),
    row("CastLike", 15, (2, 2), &[], cast_like),
    row("CastLike", 19, (2, 2), &["saturate"], cast_like),
    row(
        "CastLike",
        24,
        (2, 2),
        &["saturate", "round_mode"],
        cast_like,
    ),
    row("LeakyRelu", 6, (1, 1), &["alpha"], leaky_relu),
    row("HardSigmoid", 6, (1, 1), &["alpha", "beta"], hard_sigmoid),
    row("Gelu", 20, (1, 1), &["approximate"], gelu),
    row("Swish", 24, (1, 1), &["alpha"], swish),
    row("Clip", 6, (1, 1), &["min", "max"], clip_attributes),
    row("Clip", 11, (1, 3), &[], clip_inputs),
    row("Pow", 7, (2, 2), &[], pow),
];

fn plain(call: &mut Call<'_>) -> Done {
    let op_type = call.proto.op_type.as_str();
    let found = PLAIN.iter().find(|(onnx, _)| *onnx == op_type);
    let (_, name) = found.expect("every row of this importer has an entry in PLAIN");
    call.finish_elementwise(name)
}

/// The attributes that only concern 8-bit floats, which are not supported.
fn check_narrow_floats(call: &mut Call<'_>) {
    call.flag("saturate", true);
    let mode = call.text("round_mode", "up");
    if !["up", "down", "nearest"].contains(&mode.as_str()) {
        call.refuse_attribute("round_mode", mode, "must be up, down or nearest");
    }
}

fn cast(call: &mut Call<'_>) -> Done {
    let code = call.required_int("to");
    check_narrow_floats(call);
    let code = i32::try_from(code).unwrap_or(0);
    let to = element::dtype(code).filter(|to| !to.is_complex());
    if to.is_none() && call.has("to") {
        let reason = "casts to this element type are not supported";
        call.refuse_attribute("to", element::name(code), reason);
    }
    let x = call.input(0)?;
    finish_cast(call, x, to.unwrap_or(DType::F32))
}

/// ONNX keeps the low bits of an integer that does not fit; the op table's cast saturates. For results of 8 and 16
/// bits the low bits are taken first. A result of 32 bits or more saturates: such casts are index arithmetic, whose
/// values fit, and their elements have to stay known to inference.
fn finish_cast(call: &mut Call<'_>, x: ValueId, to: DType) -> Done {
    let from = call.dtype(x);
    let narrows = from.is_integer() && to.is_integer() && to.size_bytes() <= 2;
    if !narrows || from == to {
        return call.finish(Op::Map(MapOp::cast(to)), &[Some(x)]);
    }
    let range = f64::from(1_u32 << (8 * to.size_bytes()));
    let wide = call.cast(x, DType::I64)?;
    let range_id = call.scalar(DType::I64, range)?;
    let zero = call.scalar(DType::I64, 0.0)?;
    // The remainder in 0..range, then in the range of a signed type.
    let quotient = call.emit(map("div"), &[Some(wide), Some(range_id)])?;
    let multiple = call.emit(map("mul"), &[Some(quotient), Some(range_id)])?;
    let rest = call.emit(map("sub"), &[Some(wide), Some(multiple)])?;
    let negative = call.emit(map("less"), &[Some(rest), Some(zero)])?;
    let raised = call.emit(map("add"), &[Some(rest), Some(range_id)])?;
    let mut low = call.emit(map("where"), &[Some(negative), Some(raised), Some(rest)])?;
    if to.is_signed_integer() {
        let half = call.scalar(DType::I64, range / 2.0)?;
        let high = call.emit(map("greater_equal"), &[Some(low), Some(half)])?;
        let lowered = call.emit(map("sub"), &[Some(low), Some(range_id)])?;
        low = call.emit(map("where"), &[Some(high), Some(lowered), Some(low)])?;
    }
    call.finish(Op::Map(MapOp::cast(to)), &[Some(low)])
}

fn cast_like(call: &mut Call<'_>) -> Done {
    check_narrow_floats(call);
    let (x, like) = (call.input(0)?, call.input(1)?);
    let to = call.dtype(like);
    finish_cast(call, x, to)
}

fn with(name: &str, numbers: &[(&str, f32)]) -> Op {
    let op = MapOp::named(name).expect("the name is a row of the op table");
    Op::Map(
        numbers
            .iter()
            .fold(op, |op, (name, value)| op.with(name, *value)),
    )
}

fn leaky_relu(call: &mut Call<'_>) -> Done {
    let alpha = call.float("alpha", 0.01);
    let x = call.input(0)?;
    call.finish(with("leaky_relu", &[("alpha", alpha)]), &[Some(x)])
}

fn hard_sigmoid(call: &mut Call<'_>) -> Done {
    let numbers = [
        ("alpha", call.float("alpha", 0.2)),
        ("beta", call.float("beta", 0.5)),
    ];
    let x = call.input(0)?;
    call.finish(with("hard_sigmoid", &numbers), &[Some(x)])
}

fn gelu(call: &mut Call<'_>) -> Done {
    let name = match call.text("approximate", "none").as_str() {
        "none" => "gelu",
        "tanh" => "gelu_tanh",
        other => {
            call.refuse_attribute("approximate", format!("{other:?}"), "must be none or tanh");
            "gelu"
        }
    };
    let x = call.input(0)?;
    call.finish(map(name), &[Some(x)])
}

/// `x * sigmoid(alpha * x)`
fn swish(call: &mut Call<'_>) -> Done {
    let alpha = call.float("alpha", 1.0);
    let x = call.input(0)?;
    if alpha == 1.0 {
        return call.finish(map("silu"), &[Some(x)]);
    }
    let factor = call.scalar(call.dtype(x), alpha.into())?;
    let scaled = call.emit(map("mul"), &[Some(x), Some(factor)])?;
    let gate = call.emit(map("sigmoid"), &[Some(scaled)])?;
    call.finish(map("mul"), &[Some(x), Some(gate)])
}

fn clip_attributes(call: &mut Call<'_>) -> Done {
    let bounds = [call.optional_float("min"), call.optional_float("max")];
    let x = call.input(0)?;
    let dtype = call.dtype(x);
    let mut inputs = vec![Some(x)];
    for bound in bounds {
        inputs.push(match bound {
            Some(value) => Some(call.scalar(dtype, value.into())?),
            None => None,
        });
    }
    call.finish(map("clip"), trimmed(&inputs))
}

fn clip_inputs(call: &mut Call<'_>) -> Done {
    call.input(0)?;
    let inputs = call.all()?;
    for (index, bound) in inputs.iter().enumerate().skip(1) {
        if bound.is_some_and(|id| call.ty(id).rank() != 0) {
            return call.fail_input(index, "a bound must be a scalar");
        }
    }
    call.finish(map("clip"), trimmed(&inputs))
}

/// The inputs without trailing omitted ones.
fn trimmed<T>(inputs: &[Option<T>]) -> &[Option<T>] {
    let len = inputs
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |at| at + 1);
    &inputs[..len]
}

/// The result has the base's dtype. Where the exponent's differs, the power is computed in the wider
/// float of the two, in `f64` if either is an integer that the other cannot stand for.
fn pow(call: &mut Call<'_>) -> Done {
    let (base, exponent) = (call.input(0)?, call.input(1)?);
    let (b, e) = (call.dtype(base), call.dtype(exponent));
    let within = match (b.is_float(), e.is_float()) {
        _ if b == e => b,
        (true, false) => b,
        (true, true) if e.size_bytes() > b.size_bytes() => e,
        (true, true) if e.size_bytes() < b.size_bytes() => b,
        (true, true) => DType::F32,
        (false, false) if b.is_signed_integer() => b,
        (false, _) => DType::F64,
    };
    if within == b {
        let exponent = call.cast(exponent, b)?;
        return call.finish(map("pow"), &[Some(base), Some(exponent)]);
    }
    let wide_base = call.cast(base, within)?;
    let wide_exponent = call.cast(exponent, within)?;
    let power = call.emit(map("pow"), &[Some(wide_base), Some(wide_exponent)])?;
    call.finish(Op::Map(MapOp::cast(b)), &[Some(power)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_rows_and_names_match() {
        for row in ROWS {
            let is_plain = PLAIN.iter().any(|(onnx, _)| *onnx == row.op_type);
            let others = [
                "Cast",
                "CastLike",
                "LeakyRelu",
                "HardSigmoid",
                "Gelu",
                "Swish",
                "Clip",
                "Pow",
            ];
            assert_ne!(is_plain, others.contains(&row.op_type), "{}", row.op_type);
        }
        for (onnx, name) in PLAIN {
            assert!(ROWS.iter().any(|row| row.op_type == *onnx), "{onnx}");
            assert!(MapOp::named(name).is_some(), "{name}");
        }
    }
}
