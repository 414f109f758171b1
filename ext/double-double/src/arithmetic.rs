//! Sum, product and quotient with a relative error of at most a few units of 2^-106.
//!
//! Each begins with the plain `f64` operation. Where that is infinite or NaN there is no error to compute, and it is the
//! result. Near the smallest `f64` the low part underflows: below about 2^-968 a value has fewer than 106 bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::DoubleDouble;

/// `a + b`, exactly.
pub(crate) fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let sum = a + b;
    if !sum.is_finite() {
        return sum.into();
    }
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    // The intermediate `sum - a` overflows only beside the largest values, where the error is below all that counts.
    let lo = if error.is_finite() { error } else { 0.0 };
    DoubleDouble { hi: sum, lo }
}

/// `a + b`, exactly, where `b` is below an ulp or so of `a`.
fn fast_two_sum(a: f64, b: f64) -> DoubleDouble {
    let sum = a + b;
    if !sum.is_finite() {
        return sum.into();
    }
    DoubleDouble {
        hi: sum,
        lo: b - (sum - a),
    }
}

/// `a * b`, exactly unless the error underflows; the plain product if that is not finite.
fn two_prod(a: f64, b: f64) -> DoubleDouble {
    let product = a * b;
    if !product.is_finite() {
        return product.into();
    }
    DoubleDouble {
        hi: product,
        lo: a.mul_add(b, -product),
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

/// Relative error at most 3 u^2 / (1 - 4 u), also where terms cancel.
impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        let high = two_sum(self.hi, rhs.hi);
        if !high.is_finite() {
            return high;
        }
        let low = two_sum(self.lo, rhs.lo);
        let middle = fast_two_sum(high.hi, high.lo + low.hi);
        fast_two_sum(middle.hi, middle.lo + low.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, rhs: Self) -> Self {
        self + -rhs
    }
}

/// Relative error at most 4 u^2.
impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, rhs: Self) -> Self {
        let high = two_prod(self.hi, rhs.hi);
        if !high.is_finite() {
            return high;
        }
        let cross = self
            .lo
            .mul_add(rhs.hi, self.hi.mul_add(rhs.lo, self.lo * rhs.lo));
        fast_two_sum(high.hi, high.lo + cross)
    }
}

/// Relative error at most 16 u^2: a quotient of `f64`s and one correction by the remainder.
impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, rhs: Self) -> Self {
        let quotient = self.hi / rhs.hi;
        if !quotient.is_finite() || quotient == 0.0 {
            return quotient.into();
        }
        let back = rhs * Self::from(quotient);
        let correction = ((self.hi - back.hi) + (self.lo - back.lo)) / rhs.hi;
        // Beside the largest values the way back may overflow; the quotient alone is right to 53 bits then.
        if correction.is_finite() {
            fast_two_sum(quotient, correction)
        } else {
            quotient.into()
        }
    }
}
