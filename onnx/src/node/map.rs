//! Elementwise ops of a fixed number of inputs, each a row of the op table.
//!
//! <https://onnx.ai/onnx/operators/>, each op by its name. All binary ops broadcast by numpy's rule.
//!
//! - Opset 7: broadcasting instead of the attributes `axis` and `broadcast`; `Sin`, `Cos`.
//! - Opset 9: `Sign`, `Erf`, `Where`; `Less` and `Greater` of integers.
//! - Opset 11: `Round`; `Clip` takes its bounds as inputs; `Equal` of floats.
//! - Opset 12: `LessOrEqual`, `GreaterOrEqual`; `Pow` of mixed types, the result has the base's.
//! - Opset 13, 14: more element types. Opset 14: `HardSwish`.
//! - Opset 20: `Gelu`. Opset 24: `Swish`.

use graph::op::{MapOp, Op};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, map};

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
            let others = ["LeakyRelu", "HardSigmoid", "Gelu", "Swish", "Clip", "Pow"];
            assert_ne!(is_plain, others.contains(&row.op_type), "{}", row.op_type);
        }
        for (onnx, name) in PLAIN {
            assert!(ROWS.iter().any(|row| row.op_type == *onnx), "{onnx}");
            assert!(MapOp::named(name).is_some(), "{name}");
        }
    }
}
