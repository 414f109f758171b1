//! Remainders and bits.

use super::*;

unary! {
    /// Every bit of integers inverted.
    bitwise_not = "bitwise_not";
}

binary! {
    /// `a - floor(a / b) * b`: the remainder with the sign of `b`. Integers modulo 0 give 0, floats NaN.
    modulo = "mod";
    /// `a - trunc(a / b) * b`: the remainder with the sign of `a`, as Rust's `%`. Integers by 0 give 0, floats NaN.
    rem = "rem";
    /// The bits of integers that are set in both.
    bitwise_and = "bitwise_and";
    /// The bits of integers that are set in either.
    bitwise_or = "bitwise_or";
    /// The bits in which integers differ.
    bitwise_xor = "bitwise_xor";
    /// `a * 2^b` of integers, wrapping; 0 if `b` is negative or at least the number of bits.
    shift_left = "shift_left";
    /// `floor(a / 2^b)` of integers; if `b` is negative or at least the number of bits, -1 for negative `a` and else 0.
    shift_right = "shift_right";
}

with_number! {
    /// [`Value::modulo`] by a number in the dtype of `x`.
    modulo_scalar = "mod";
    /// [`Value::rem`] by a number in the dtype of `x`.
    rem_scalar = "rem";
}
