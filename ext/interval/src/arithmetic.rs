//! The operations, each with the inclusion property.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::Interval;
use crate::rounded::{add_down, add_up, div_down, div_up, mul_down, mul_up};

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            lo: -self.hi,
            hi: -self.lo,
        }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        Self {
            lo: add_down(self.lo, rhs.lo),
            hi: add_up(self.hi, rhs.hi),
        }
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, rhs: Self) -> Self {
        self + -rhs
    }
}

/// Where the sign of each factor is known, two of the four corners bound the product; where neither is, four do.
impl Mul for Interval {
    type Output = Self;

    fn mul(self, rhs: Self) -> Self {
        let (a, b) = (self, rhs);
        let (lo, hi) = match (Sign::of(a), Sign::of(b)) {
            (Sign::Mixed, Sign::Mixed) => {
                let (first, second) = (mul_down(a.lo, b.hi), mul_down(a.hi, b.lo));
                let (third, fourth) = (mul_up(a.lo, b.lo), mul_up(a.hi, b.hi));
                return Self {
                    lo: first.min(second),
                    hi: third.max(fourth),
                };
            }
            (Sign::Positive, Sign::Positive) => ((a.lo, b.lo), (a.hi, b.hi)),
            (Sign::Positive, Sign::Mixed) => ((a.hi, b.lo), (a.hi, b.hi)),
            (Sign::Positive, Sign::Negative) => ((a.hi, b.lo), (a.lo, b.hi)),
            (Sign::Mixed, Sign::Positive) => ((a.lo, b.hi), (a.hi, b.hi)),
            (Sign::Mixed, Sign::Negative) => ((a.hi, b.lo), (a.lo, b.lo)),
            (Sign::Negative, Sign::Positive) => ((a.lo, b.hi), (a.hi, b.lo)),
            (Sign::Negative, Sign::Mixed) => ((a.lo, b.hi), (a.lo, b.lo)),
            (Sign::Negative, Sign::Negative) => ((a.hi, b.hi), (a.lo, b.lo)),
        };
        Self {
            lo: mul_down(lo.0, lo.1),
            hi: mul_up(hi.0, hi.1),
        }
    }
}

/// A divisor that encloses 0 gives every real number: some quotients do not exist, and the others have no bound.
impl Div for Interval {
    type Output = Self;

    fn div(self, rhs: Self) -> Self {
        let (a, b) = (self, rhs);
        if b.lo <= 0.0 && b.hi >= 0.0 {
            return Self::ENTIRE;
        }
        let positive = b.lo > 0.0;
        let (lo, hi) = match (Sign::of(a), positive) {
            (Sign::Positive, true) => ((a.lo, b.hi), (a.hi, b.lo)),
            (Sign::Mixed, true) => ((a.lo, b.lo), (a.hi, b.lo)),
            (Sign::Negative, true) => ((a.lo, b.lo), (a.hi, b.hi)),
            (Sign::Positive, false) => ((a.hi, b.hi), (a.lo, b.lo)),
            (Sign::Mixed, false) => ((a.hi, b.hi), (a.lo, b.hi)),
            (Sign::Negative, false) => ((a.hi, b.lo), (a.lo, b.hi)),
        };
        Self {
            lo: div_down(lo.0, lo.1),
            hi: div_up(hi.0, hi.1),
        }
    }
}

/// On which side of 0 an interval lies; one that touches 0 counts to the side it lies on.
enum Sign {
    Positive,
    Mixed,
    Negative,
}

impl Sign {
    fn of(interval: Interval) -> Self {
        if interval.lo >= 0.0 {
            Self::Positive
        } else if interval.hi <= 0.0 {
            Self::Negative
        } else {
            Self::Mixed
        }
    }
}
