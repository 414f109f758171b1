//! [`DoubleDouble`]: a scalar of about 106 bits, defined outside the core.
//!
//! **What it shows.** A number type that no preset can replace fits into tensors by implementing three traits of `tensor`:
//! what 53 bits would lose survives storage, views, copies, sums and matrix products.
//!
//! **How it works.** A value is the unevaluated sum of two `f64`. Error-free transformations (`two_sum`, `two_prod`, with
//! `mul_add` as the fused operation) find the exact rounding error of an `f64` operation, which becomes the low part.
//! Text is read and printed through exact decimal arithmetic (`decimal`), so neither rounds more than once.
//!
//! **Invariant.** `hi` is the `f64` nearest to `hi + lo`, and `lo` is 0 where `hi` is not finite. So each value has one
//! representation, and comparing parts compares values.
//!
//! **Source.** M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic", ACM TOMS 44 (2017): algorithms 6 (sum), 12 (product) and 17 (quotient), with u = 2^-53.
#![forbid(unsafe_code)]

mod arithmetic;
mod decimal;
mod scalar;
mod set;
mod text;

pub use set::{ExtendedTag, ExtendedTensor};
pub use text::ParseDoubleDoubleError;

use std::cmp::Ordering;

/// The unevaluated sum of two `f64`: about 106 bits of mantissa, the exponent range of `f64`.
///
/// Zeros compare equal; the sign of a zero is not kept by sums. NaN is equal to nothing.
///
/// ```
/// use double_double::DoubleDouble;
/// let tiny = DoubleDouble::from(2.0_f64.powi(-80));
/// let one = DoubleDouble::from(1.0);
/// assert_eq!((one + tiny) - one, tiny);
/// assert_eq!((one / DoubleDouble::from(3.0)).to_string(), "0.3333333333333333333333333333333");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    hi: f64,
    lo: f64,
}

impl DoubleDouble {
    /// 0.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    /// 1.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// The value `hi + lo`, whatever the two magnitudes are. Not finite if `hi + lo` is not.
    #[must_use]
    pub fn new(hi: f64, lo: f64) -> Self {
        arithmetic::two_sum(hi, lo)
    }

    /// The nearest `f64`.
    #[must_use]
    pub const fn to_f64(self) -> f64 {
        self.hi
    }

    /// The two parts; their sum is the value.
    #[must_use]
    pub const fn parts(self) -> (f64, f64) {
        (self.hi, self.lo)
    }

    /// The magnitude.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }

    /// Whether this is neither infinite nor NaN.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.hi.is_finite()
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl From<DoubleDouble> for f64 {
    fn from(value: DoubleDouble) -> Self {
        value.hi
    }
}

impl PartialOrd for DoubleDouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.hi.partial_cmp(&other.hi) {
            Some(Ordering::Equal) => self.lo.partial_cmp(&other.lo),
            order => order,
        }
    }
}
