//! [`Q16`]: fixed point of 16 whole and 16 fractional bits as a scalar, defined outside the core.
//!
//! **What it shows.** Why a scalar names its accumulator. A product of two values has 32 fractional bits; a matrix product
//! keeps those in an `i64` and rounds once, at its end, where rounding each product would lose up to half a unit per term.
//!
//! **How it works.** The `i32` inside counts units of 2^-16. Whatever leaves the range saturates: a sum that wrapped would
//! turn a large value into one of the other sign, which a control loop or a mixer must never see. Rounding is to nearest,
//! ties to even.
//!
//! **Invariant.** Every `i32` is a value, so no operation fails; results are exact where they are representable.
//!
//! The dependency on `tensor` has another name here, which proves that its macros do not need theirs.
#![forbid(unsafe_code)]

mod scalar;
mod set;

pub use set::{SensorTag, SensorTensor};

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// Fractional bits.
const FRACTION: u32 = 16;

/// A number from -32768 to 32768 - 2^-16 in steps of 2^-16.
///
/// ```
/// use fixed_point::Q16;
/// let a = Q16::from_f64(1.5);
/// assert_eq!((a * a).to_f64(), 2.25);
/// assert_eq!(Q16::from_f64(30000.0) + Q16::from_f64(30000.0), Q16::MAX);
/// assert_eq!(Q16::from_bits(1).to_string(), "0.0000152587890625");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Q16 {
    bits: i32,
}

impl Q16 {
    /// 0.
    pub const ZERO: Self = Self { bits: 0 };
    /// 1.
    pub const ONE: Self = Self {
        bits: 1 << FRACTION,
    };
    /// The greatest value, 32768 - 2^-16.
    pub const MAX: Self = Self { bits: i32::MAX };
    /// The least value, -32768.
    pub const MIN: Self = Self { bits: i32::MIN };

    /// The value of `bits` units of 2^-16.
    #[must_use]
    pub const fn from_bits(bits: i32) -> Self {
        Self { bits }
    }

    /// The value in units of 2^-16.
    #[must_use]
    pub const fn to_bits(self) -> i32 {
        self.bits
    }

    /// The nearest value, ties to even; saturates, and NaN becomes 0.
    #[must_use]
    pub fn from_f64(value: f64) -> Self {
        // Scaling by a power of two is exact, and a float-to-integer `as` saturates and takes NaN to 0.
        let scaled = value * f64::from(Self::ONE.bits);
        Self {
            bits: scaled.round_ties_even() as i32,
        }
    }

    /// The same value: every one is an `f64`.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        f64::from(self.bits) / f64::from(Self::ONE.bits)
    }

    /// The value nearest to `units` of 2^-32, ties to even; saturates.
    pub(crate) fn from_wide(units: i64) -> Self {
        let floor = units >> FRACTION;
        let rest = units & 0xffff;
        let up = rest > 0x8000 || (rest == 0x8000 && floor & 1 == 1);
        let nearest = floor + i64::from(up);
        let bits = i32::try_from(nearest).unwrap_or(if nearest < 0 { i32::MIN } else { i32::MAX });
        Self { bits }
    }

    /// `self * rhs` in units of 2^-32, exactly: at most 2^62 of them.
    pub(crate) fn wide_product(self, rhs: Self) -> i64 {
        i64::from(self.bits) * i64::from(rhs.bits)
    }

    /// The value in units of 2^-32.
    pub(crate) fn wide(self) -> i64 {
        i64::from(self.bits) << FRACTION
    }
}

/// Saturates.
impl Add for Q16 {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        Self {
            bits: self.bits.saturating_add(rhs.bits),
        }
    }
}

/// Saturates.
impl Sub for Q16 {
    type Output = Self;

    fn sub(self, rhs: Self) -> Self {
        Self {
            bits: self.bits.saturating_sub(rhs.bits),
        }
    }
}

/// Saturates: `-MIN` is `MAX`.
impl Neg for Q16 {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            bits: self.bits.saturating_neg(),
        }
    }
}

/// Rounds to nearest, ties to even, and saturates.
impl Mul for Q16 {
    type Output = Self;

    fn mul(self, rhs: Self) -> Self {
        Self::from_wide(self.wide_product(rhs))
    }
}

impl From<i16> for Q16 {
    fn from(value: i16) -> Self {
        Self {
            bits: i32::from(value) << FRACTION,
        }
    }
}

impl From<Q16> for f64 {
    fn from(value: Q16) -> Self {
        value.to_f64()
    }
}

/// The exact value, which is a decimal of at most 16 places; flags work as for `f64`.
impl fmt::Display for Q16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f64(), f)
    }
}
