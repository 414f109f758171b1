//! Remainders, bits, angles and hyperbolas, and tests of floats.
//!
//! <https://onnx.ai/onnx/operators/onnx__Mod.html>, `BitShift`, `BitwiseAnd`, `BitwiseOr`, `BitwiseXor`, `BitwiseNot`,
//! `BitCast`, `Tan` and the inverse and hyperbolic functions, `IsNaN`, `IsInf`, `Det`.
//!
//! - Opset 7: the angles. Opset 9: the hyperbolas, `IsNaN`. Opset 10: `Mod`, `IsInf`. Opset 11: `BitShift`, `Det`.
//! - Opset 18: the bitwise ops. Opset 26: `BitCast`.
//! - Opset 28: `Mod` of floats with `fmod = 0` (accepted before as well), `BitShift` of signed integers.
//! - Opset 13 to 22: more element types.

use graph::op::{BitCast, Det, Op};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done};
use crate::error::ProblemKind;

const INF: &[&str] = &["detect_negative", "detect_positive"];

pub(super) const ROWS: &[Row] = &[
    row("Mod", 10, (2, 2), &["fmod"], modulo),
    row("BitShift", 11, (2, 2), &["direction"], bit_shift),
    row("BitwiseAnd", 18, (2, 2), &[], |c| {
        c.finish_elementwise("bitwise_and")
    }),
    row("BitwiseOr", 18, (2, 2), &[], |c| {
        c.finish_elementwise("bitwise_or")
    }),
    row("BitwiseXor", 18, (2, 2), &[], |c| {
        c.finish_elementwise("bitwise_xor")
    }),
    row("BitwiseNot", 18, (1, 1), &[], |c| {
        c.finish_elementwise("bitwise_not")
    }),
    row("BitCast", 26, (1, 1), &["to"], bit_cast),
    row("Tan", 7, (1, 1), &[], |c| c.finish_elementwise("tan")),
    row("Asin", 7, (1, 1), &[], |c| c.finish_elementwise("asin")),
    row("Acos", 7, (1, 1), &[], |c| c.finish_elementwise("acos")),
    row("Atan", 7, (1, 1), &[], |c| c.finish_elementwise("atan")),
    row("Sinh", 9, (1, 1), &[], |c| c.finish_elementwise("sinh")),
    row("Cosh", 9, (1, 1), &[], |c| c.finish_elementwise("cosh")),
    row("Asinh", 9, (1, 1), &[], |c| c.finish_elementwise("asinh")),
    row("Acosh", 9, (1, 1), &[], |c| c.finish_elementwise("acosh")),
    row("Atanh", 9, (1, 1), &[], |c| c.finish_elementwise("atanh")),
    row("IsNaN", 9, (1, 1), &[], |c| c.finish_elementwise("is_nan")),
    row("IsInf", 10, (1, 1), INF, is_inf),
    row("Det", 11, (1, 1), &[], det),
];

fn modulo(call: &mut Call<'_>) -> Done {
    let name = if call.flag("fmod", false) {
        "rem"
    } else {
        "mod"
    };
    call.finish_elementwise(name)
}

fn bit_shift(call: &mut Call<'_>) -> Done {
    if !call.has("direction") {
        let name = "direction";
        call.refuse(ProblemKind::MissingAttribute { name });
    }
    let name = match call.text("direction", "LEFT").as_str() {
        "LEFT" => "shift_left",
        "RIGHT" => "shift_right",
        other => {
            let value = format!("{other:?}");
            call.refuse_attribute("direction", value, "must be LEFT or RIGHT");
            "shift_left"
        }
    };
    call.finish_elementwise(name)
}

fn bit_cast(call: &mut Call<'_>) -> Done {
    if !call.has("to") {
        call.refuse(ProblemKind::MissingAttribute { name: "to" });
    }
    let to = call.element_type("to", DType::F32);
    let x = call.input(0)?;
    call.finish(Op::BitCast(BitCast { to }), &[Some(x)])
}

fn is_inf(call: &mut Call<'_>) -> Done {
    let negative = call.flag("detect_negative", true);
    let positive = call.flag("detect_positive", true);
    let x = call.input(0)?;
    let infinity = match (negative, positive) {
        (true, true) => return call.finish_elementwise("is_inf"),
        (true, false) => f64::NEG_INFINITY,
        (false, true) => f64::INFINITY,
        // Nothing is less than itself.
        (false, false) => return call.finish_map("less", &[x, x]),
    };
    let infinity = call.scalar(call.dtype(x), infinity)?;
    call.finish_map("equal", &[x, infinity])
}

fn det(call: &mut Call<'_>) -> Done {
    let x = call.input(0)?;
    call.finish(Op::Det(Det), &[Some(x)])
}
