//! Elementwise ops: one row of the op table each, by numpy's broadcasting.
//!
//! The everyday ones are here; activations, functions of floats, and remainders and bits have files of their own, which use
//! the macros of this one.

use std::borrow::Cow;
use std::sync::LazyLock;

use graph::op::{MapOp, Op};
use tensor::{DType, Tensor};

use super::{Value, apply, apply_one};
use crate::Error;

/// The op of a row of the table.
pub(super) fn row(name: &str) -> MapOp {
    MapOp::named(name).expect("the name is a row of the op table")
}

macro_rules! unary {
    ($($(#[$doc:meta])* $method:ident = $row:literal;)+) => {
        impl Value {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// A dtype that the op does not take.
                pub fn $method(&self) -> Result<Value, Error> {
                    static OP: LazyLock<Op> = LazyLock::new(|| Op::Map(row($row)));
                    apply_one(&OP, &[self])
                }
            )+
        }
    };
}

unary! {
    /// `-x`; -0 for 0.
    neg = "neg";
    /// `|x|`
    abs = "abs";
    /// -1, 0 or 1; NaN stays.
    sign = "sign";
    /// Square root; NaN for negative elements.
    sqrt = "sqrt";
    /// `1 / x`
    reciprocal = "reciprocal";
    /// `e^x`
    exp = "exp";
    /// Natural logarithm; `-inf` for 0, NaN for negative elements.
    log = "log";
    /// Sine of radians.
    sin = "sin";
    /// Cosine of radians.
    cos = "cos";
    /// Hyperbolic tangent.
    tanh = "tanh";
    /// `1 / (1 + e^-x)`
    sigmoid = "sigmoid";
    /// Error function.
    erf = "erf";
    /// Toward negative infinity.
    floor = "floor";
    /// Toward positive infinity.
    ceil = "ceil";
    /// To nearest, ties to even.
    round = "round";
    /// Logical not of bools.
    not = "not";
    /// `max(x, 0)`; NaN stays.
    relu = "relu";
    /// `x / 2 * (1 + erf(x / sqrt 2))`
    gelu = "gelu";
    /// `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`, what GPT-2 uses.
    gelu_tanh = "gelu_tanh";
    /// `x * sigmoid(x)`
    silu = "silu";
    /// `x * max(0, min(1, x / 6 + 1 / 2))`
    hard_swish = "hard_swish";
}

macro_rules! binary {
    ($($(#[$doc:meta])* $method:ident = $row:literal;)+) => {
        impl Value {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Shapes that do not broadcast; dtypes that the op does not take, or that differ in a function.
                pub fn $method(&self, other: &Value) -> Result<Value, Error> {
                    static OP: LazyLock<Op> = LazyLock::new(|| Op::Map(row($row)));
                    self.with_other(&OP, other)
                }
            )+
        }
    };
}

binary! {
    /// `a + b`
    add = "add";
    /// `a - b`
    sub = "sub";
    /// `a * b`
    mul = "mul";
    /// `a / b`; for floats `x / 0` is infinite and `0 / 0` NaN, for integers the quotient toward zero and 0 for `x / 0`.
    div = "div";
    /// `a^b`
    pow = "pow";
    /// The larger; NaN if either is.
    maximum = "max";
    /// The smaller; NaN if either is.
    minimum = "min";
    /// `a == b`, a bool.
    equal = "equal";
    /// `a < b`, a bool.
    less = "less";
    /// `a <= b`, a bool.
    less_equal = "less_equal";
    /// `a > b`, a bool.
    greater = "greater";
    /// `a >= b`, a bool.
    greater_equal = "greater_equal";
    /// Logical and of bools.
    and = "and";
    /// Logical or of bools.
    or = "or";
    /// Logical exclusive or of bools.
    xor = "xor";
}

macro_rules! with_number {
    ($($(#[$doc:meta])* $method:ident = $row:literal;)+) => {
        impl Value {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// A dtype that the op does not take.
                pub fn $method(&self, number: f64) -> Result<Value, Error> {
                    static OP: LazyLock<Op> = LazyLock::new(|| Op::Map(row($row)));
                    self.with_number(&OP, number)
                }
            )+
        }
    };
}

mod activation;
mod functions;
mod integers;

with_number! {
    /// `x + number`, the number in the dtype of `x`.
    add_scalar = "add";
    /// `x - number`, the number in the dtype of `x`.
    sub_scalar = "sub";
    /// `x * number`, the number in the dtype of `x`.
    mul_scalar = "mul";
    /// `x / number`, the number in the dtype of `x`.
    div_scalar = "div";
    /// `x^number`, the number in the dtype of `x`.
    pow_scalar = "pow";
    /// `max(x, number)`, the number in the dtype of `x`.
    maximum_scalar = "max";
    /// `min(x, number)`, the number in the dtype of `x`.
    minimum_scalar = "min";
    /// `x == number`, the number in the dtype of `x`.
    equal_scalar = "equal";
    /// `x < number`, the number in the dtype of `x`.
    less_scalar = "less";
    /// `x <= number`, the number in the dtype of `x`.
    less_equal_scalar = "less_equal";
    /// `x > number`, the number in the dtype of `x`.
    greater_scalar = "greater";
    /// `x >= number`, the number in the dtype of `x`.
    greater_equal_scalar = "greater_equal";
}

impl Value {
    fn with_other(&self, op: &Op, other: &Value) -> Result<Value, Error> {
        let [a, b] = promoted(self, other)?;
        apply_one(op, &[&a, &b])
    }

    fn with_number(&self, op: &Op, number: f64) -> Result<Value, Error> {
        let number = self.number(number)?;
        apply_one(op, &[self, &number])
    }

    /// A number of this value's dtype, of rank 0, in its context or function.
    pub(super) fn number(&self, number: f64) -> Result<Value, Error> {
        self.beside(Tensor::scalar(number).cast(self.dtype())?)
    }

    /// `a != b`, a bool; NaN is unequal to everything.
    ///
    /// # Errors
    /// As [`Value::equal`].
    pub fn not_equal(&self, other: &Value) -> Result<Value, Error> {
        self.equal(other)?.not()
    }

    /// `min(max(x, lo), hi)`: `hi` where `lo > hi`; NaN stays.
    ///
    /// # Errors
    /// A dtype that is no number.
    pub fn clamp(&self, lo: f64, hi: f64) -> Result<Value, Error> {
        let (lo, hi) = (self.number(lo)?, self.number(hi)?);
        apply(Op::Map(row("clip")), &[self, &lo, &hi])
    }

    /// `self ? a : b` for a bool `self`, by broadcasting.
    ///
    /// # Errors
    /// If `self` is no bool, shapes do not broadcast, or the dtypes of `a` and `b` differ in a function.
    pub fn select(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        let [a, b] = promoted(a, b)?;
        apply(Op::Map(row("where")), &[self, &a, &b])
    }

    /// The elements as another dtype: to an integer toward zero and saturating, NaN to 0; to bool by `x != 0`.
    ///
    /// # Errors
    /// If there is no such conversion.
    pub fn cast(&self, dtype: DType) -> Result<Value, Error> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        self.map(Op::Map(MapOp::cast(dtype)))
    }
}

/// Both values in the dtype that holds the elements of either, if both are eager; in a function nothing is promoted, and
/// inference refuses what differs.
pub(super) fn promoted<'v>(a: &'v Value, b: &'v Value) -> Result<[Cow<'v, Value>; 2], Error> {
    if a.is_symbolic() || b.is_symbolic() || a.dtype() == b.dtype() {
        return Ok([Cow::Borrowed(a), Cow::Borrowed(b)]);
    }
    let dtype = tensor_core::promote(a.dtype(), b.dtype())?;
    Ok([Cow::Owned(a.cast(dtype)?), Cow::Owned(b.cast(dtype)?)])
}
