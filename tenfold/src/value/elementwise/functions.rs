//! Angles, hyperbolas, powers, and tests of floats.

use super::*;

unary! {
    /// Tangent of radians.
    tan = "tan";
    /// The angle from `-pi/2` to `pi/2` whose sine this is; NaN beyond -1..=1.
    asin = "asin";
    /// The angle from 0 to `pi` whose cosine this is; NaN beyond -1..=1.
    acos = "acos";
    /// The angle from `-pi/2` to `pi/2` whose tangent this is.
    atan = "atan";
    /// Hyperbolic sine.
    sinh = "sinh";
    /// Hyperbolic cosine.
    cosh = "cosh";
    /// Inverse hyperbolic sine.
    asinh = "asinh";
    /// Inverse hyperbolic cosine; NaN below 1.
    acosh = "acosh";
    /// Inverse hyperbolic tangent; NaN beyond -1..=1.
    atanh = "atanh";
    /// Whether an element is NaN.
    is_nan = "is_nan";
    /// Whether an element is infinite, of either sign.
    is_inf = "is_inf";
}

impl Value {
    /// `x * x`
    ///
    /// # Errors
    /// A dtype that is no number.
    pub fn square(&self) -> Result<Value, Error> {
        self.mul(self)
    }

    /// `1 / sqrt(x)`, as two roundings.
    ///
    /// # Errors
    /// A dtype that is no float.
    pub fn rsqrt(&self) -> Result<Value, Error> {
        self.sqrt()?.reciprocal()
    }
}
