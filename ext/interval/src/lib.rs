//! [`Interval`]: guaranteed bounds of a real number as a scalar, defined outside the core.
//!
//! **What it shows.** Generic tensor code (matrix products, sums) runs on it unchanged, and its results enclose the exact
//! real result whatever the rounding: an error analysis for nothing.
//!
//! **How it works.** Each operation computes its two bounds in `f64` and moves a bound outwards by one step (`next_down`,
//! `next_up`) unless the operation was exact (`rounded`). Products take the least and the greatest of the four corner
//! products by the signs of the factors.
//!
//! **Invariant: inclusion.** If `x` is in `a` and `y` in `b`, then `x ∘ y` is in `a ∘ b` for each operation. Bounds are
//! never NaN, `lo <= hi`, and each interval holds at least one real number: `lo` is below `+inf` and `hi` above `-inf`.
//! `±inf` as a bound means that there is none.
#![forbid(unsafe_code)]

mod arithmetic;
mod rounded;
mod scalar;
mod set;

pub use set::{BoundedTag, BoundedTensor};

use std::fmt;

/// The real numbers `x` with `lo <= x <= hi`.
///
/// Two intervals are equal if their bounds are; that says nothing about the numbers they enclose.
///
/// ```
/// use interval::Interval;
/// let third = Interval::from(1) / Interval::from(3);
/// let one = third * Interval::from(3);
/// assert!(one.contains(1.0) && one.width() < 1e-15);
/// assert_eq!(Interval::new(-1.0, 2.5)?.to_string(), "[-1, 2.5]");
/// # Ok::<(), interval::IntervalError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

/// Bounds that enclose no real number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalError {
    /// The lower bound that was given.
    pub lo: f64,
    /// The upper bound that was given.
    pub hi: f64,
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Interval: [{}, {}] encloses no real number; bounds must not be NaN, the lower one not above the upper one, and one of them finite or both infinite outwards",
            self.lo, self.hi
        )
    }
}

impl std::error::Error for IntervalError {}

impl Interval {
    /// Only 0.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// Only 1.
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };
    /// Every real number.
    pub const ENTIRE: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };

    /// The interval with these bounds.
    ///
    /// # Errors
    /// [`IntervalError`] if a bound is NaN, `lo` is above `hi`, or no real number lies between them (both `+inf`, or both `-inf`).
    pub fn new(lo: f64, hi: f64) -> Result<Self, IntervalError> {
        if lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY {
            Ok(Self { lo, hi })
        } else {
            Err(IntervalError { lo, hi })
        }
    }

    /// The interval of one number.
    ///
    /// # Errors
    /// [`IntervalError`] if `value` is infinite or NaN, which is no real number.
    pub fn point(value: f64) -> Result<Self, IntervalError> {
        Self::new(value, value)
    }

    /// The greatest lower bound.
    #[must_use]
    pub const fn lo(self) -> f64 {
        self.lo
    }

    /// The least upper bound.
    #[must_use]
    pub const fn hi(self) -> f64 {
        self.hi
    }

    /// A number in the middle; finite even where a bound is not.
    #[must_use]
    pub fn midpoint(self) -> f64 {
        match (self.lo.is_finite(), self.hi.is_finite()) {
            (true, true) => self.lo.midpoint(self.hi),
            (true, false) => f64::MAX,
            (false, true) => f64::MIN,
            (false, false) => 0.0,
        }
    }

    /// `hi - lo`, rounded up.
    #[must_use]
    pub fn width(self) -> f64 {
        rounded::add_up(self.hi, -self.lo)
    }

    /// Whether `value` is enclosed; `±inf` and NaN never are.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        value.is_finite() && self.lo <= value && value <= self.hi
    }

    /// Whether every number of `other` is enclosed.
    #[must_use]
    pub fn encloses(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }
}

/// Exact.
impl From<i32> for Interval {
    fn from(value: i32) -> Self {
        let value = f64::from(value);
        Self {
            lo: value,
            hi: value,
        }
    }
}

impl TryFrom<f64> for Interval {
    type Error = IntervalError;

    fn try_from(value: f64) -> Result<Self, IntervalError> {
        Self::point(value)
    }
}

/// The midpoint: the one conversion that loses what the type is for.
impl From<Interval> for f64 {
    fn from(value: Interval) -> Self {
        value.midpoint()
    }
}

/// `[lo, hi]`; a precision applies to both bounds.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match f.precision() {
            Some(precision) => format!("[{:.precision$}, {:.precision$}]", self.lo, self.hi),
            None => format!("[{}, {}]", self.lo, self.hi),
        };
        // The precision is spent; `pad` would cut the text to it.
        let width = f.width().unwrap_or(0);
        match f.align() {
            Some(fmt::Alignment::Right) => write!(f, "{text:>width$}"),
            Some(fmt::Alignment::Center) => write!(f, "{text:^width$}"),
            Some(fmt::Alignment::Left) | None => write!(f, "{text:<width$}"),
        }
    }
}
