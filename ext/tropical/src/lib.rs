//! [`MaxPlus`]: the max-plus semiring as a scalar, defined outside the core.
//!
//! **What it shows.** Nothing in tensors or in generic algorithms assumes that a scalar can be subtracted: here "addition"
//! is the maximum and "multiplication" the sum, and a power of a matrix of arc lengths holds longest paths.
//!
//! **Invariants.** `-inf` is the zero: it is the identity of the maximum and absorbs every factor, `+inf` included. NaN,
//! which the semiring does not have, survives every operation, so that it can't hide.
#![forbid(unsafe_code)]

mod scalar;
mod set;

pub use set::{PathTag, PathTensor};

use std::fmt;
use std::ops::{Add, Mul};

/// A length, or `-inf` for "no path": `a + b` is the greater, `a * b` the sum of the lengths.
///
/// Shortest paths are longest paths with all lengths negated.
///
/// ```
/// use tropical::MaxPlus;
/// let (a, b) = (MaxPlus(3.0), MaxPlus(4.0));
/// assert_eq!((a + b, a * b), (MaxPlus(4.0), MaxPlus(7.0)));
/// assert_eq!(a + MaxPlus::ZERO, a);
/// assert_eq!(a * MaxPlus::ZERO, MaxPlus::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct MaxPlus(pub f64);

impl MaxPlus {
    /// The identity of the maximum: no path.
    pub const ZERO: Self = Self(f64::NEG_INFINITY);
    /// The identity of the sum: the path of length 0.
    pub const ONE: Self = Self(0.0);
}

/// The greater of the two.
impl Add for MaxPlus {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        // `f64::max` would drop a NaN.
        if self.0.is_nan() || self.0 >= rhs.0 {
            self
        } else {
            rhs
        }
    }
}

/// The sum of the lengths; no path where either is none.
impl Mul for MaxPlus {
    type Output = Self;

    fn mul(self, rhs: Self) -> Self {
        let nan = self.0.is_nan() || rhs.0.is_nan();
        if !nan && (self == Self::ZERO || rhs == Self::ZERO) {
            return Self::ZERO;
        }
        Self(self.0 + rhs.0)
    }
}

impl From<f64> for MaxPlus {
    fn from(length: f64) -> Self {
        Self(length)
    }
}

impl From<MaxPlus> for f64 {
    fn from(value: MaxPlus) -> Self {
        value.0
    }
}

/// The length as an `f64` prints; `-inf` is no path.
impl fmt::Display for MaxPlus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
