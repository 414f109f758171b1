//! Rows of remainders, bits, angles and hyperbolas, and tests of floats.

use super::rows::{EXACT, binary, row, unary, within};
use super::{DimRule, Operands, Row, Types};
use crate::op::{Algebra, Numerics};
use crate::scalar::{Prim, Program, Reg};

/// Exact, whatever the operand.
const TEST: Numerics = Numerics {
    accumulator: "",
    nan: "is tested as any other value",
    max_ulp: 0,
};

pub(super) static ROWS: &[Row] = &[
    row(
        "mod",
        (2, 2),
        Types::Number,
        "a - floor(a / b) * b, with the sign of b; integers: x mod 0 = 0; floats: x mod 0 and inf mod x are NaN",
        within(1),
        "ONNX Mod, fmod = 0",
        modulo,
    )
    .rule(DimRule::Mod),
    binary!(
        "rem",
        Rem,
        Number,
        "a - trunc(a / b) * b, with the sign of a; integers: x rem 0 = 0; floats: x rem 0 and inf rem x are NaN",
        EXACT,
        "ONNX Mod, fmod = 1"
    ),
    unary!(
        "bitwise_not",
        Not,
        Integer,
        "every bit of x inverted",
        EXACT,
        "ONNX BitwiseNot"
    ),
    binary!(
        "bitwise_and",
        And,
        Integer,
        "the bits that are set in a and in b",
        EXACT,
        "ONNX BitwiseAnd"
    )
    .algebra(Algebra::COMMUTATIVE),
    binary!(
        "bitwise_or",
        Or,
        Integer,
        "the bits that are set in a or in b",
        EXACT,
        "ONNX BitwiseOr"
    )
    .algebra(Algebra::COMMUTATIVE),
    binary!(
        "bitwise_xor",
        Xor,
        Integer,
        "the bits in which a and b differ",
        EXACT,
        "ONNX BitwiseXor"
    )
    .algebra(Algebra::COMMUTATIVE),
    binary!(
        "shift_left",
        Shl,
        Integer,
        "a * 2^b, wrapping; 0 if b is negative or at least the number of bits",
        EXACT,
        "ONNX BitShift, direction = LEFT"
    ),
    binary!(
        "shift_right",
        Shr,
        Integer,
        "floor(a / 2^b); a < 0 ? -1 : 0 if b is negative or at least the number of bits",
        EXACT,
        "ONNX BitShift, direction = RIGHT"
    ),
    unary!(
        "tan",
        Tan,
        Float,
        "tan(x), x in radians",
        within(4),
        "ONNX Tan"
    ),
    unary!(
        "asin",
        Asin,
        Float,
        "asin(x); NaN beyond -1..=1",
        within(4),
        "ONNX Asin"
    ),
    unary!(
        "acos",
        Acos,
        Float,
        "acos(x); NaN beyond -1..=1",
        within(4),
        "ONNX Acos"
    ),
    unary!("atan", Atan, Float, "atan(x)", within(4), "ONNX Atan"),
    unary!("sinh", Sinh, Float, "sinh(x)", within(4), "ONNX Sinh"),
    unary!("cosh", Cosh, Float, "cosh(x)", within(4), "ONNX Cosh"),
    unary!("asinh", Asinh, Float, "asinh(x)", within(4), "ONNX Asinh"),
    unary!(
        "acosh",
        Acosh,
        Float,
        "acosh(x); NaN below 1",
        within(4),
        "ONNX Acosh"
    ),
    unary!(
        "atanh",
        Atanh,
        Float,
        "atanh(x); NaN beyond -1..=1",
        within(4),
        "ONNX Atanh"
    ),
    row(
        "is_nan",
        (1, 1),
        Types::FloatTest,
        "x != x",
        TEST,
        "ONNX IsNaN",
        |p, o| {
            let number = p.prim(Prim::Eq, &[o.reg(0), o.reg(0)]);
            p.prim(Prim::Not, &[number])
        },
    ),
    row(
        "is_inf",
        (1, 1),
        Types::FloatTest,
        "|x| == inf",
        TEST,
        "ONNX IsInf",
        |p, o| {
            let size = p.prim(Prim::Abs, &[o.reg(0)]);
            let infinity = p.literal(p.dtype_of(size), f64::INFINITY);
            p.prim(Prim::Eq, &[size, infinity])
        },
    ),
];

/// The remainder `r` toward zero, moved by `b` where its sign is not that of `b`.
fn modulo(p: &mut Program, o: &Operands<'_>) -> Reg {
    let b = o.reg(1);
    let r = p.prim(Prim::Rem, &[o.reg(0), b]);
    if o.dtype.is_unsigned_integer() {
        return r;
    }
    let zero = p.literal(o.dtype, 0.0);
    let (r_below, b_below) = (p.prim(Prim::Lt, &[r, zero]), p.prim(Prim::Lt, &[b, zero]));
    let differ = p.prim(Prim::Xor, &[r_below, b_below]);
    let moved = p.prim(Prim::Add, &[r, b]);
    let signed = p.prim(Prim::Select, &[differ, moved, r]);
    // A zero has the sign of b as well.
    let sign = p.prim(Prim::Sign, &[b]);
    let nothing = p.prim(Prim::Mul, &[zero, sign]);
    let is_zero = p.prim(Prim::Eq, &[r, zero]);
    p.prim(Prim::Select, &[is_zero, nothing, signed])
}
