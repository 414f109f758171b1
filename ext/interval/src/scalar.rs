//! What makes [`Interval`] an element of tensors.

use tensor::Scalar;
use tensor::core::{ExternalScalar, ScalarArithmetic, ScalarDomain};

use crate::Interval;

impl Scalar for Interval {
    const DOMAIN: ScalarDomain = ScalarDomain::Field;
}

impl ExternalScalar for Interval {
    const NAME: &'static str = "interval.f64";
}

/// Sums are kept in the type itself: each step encloses, so the end does.
impl ScalarArithmetic for Interval {
    type Accumulator = Self;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn scalar_add(self, rhs: Self) -> Self {
        self + rhs
    }
    fn scalar_mul(self, rhs: Self) -> Self {
        self * rhs
    }
    fn empty_sum() -> Self {
        Self::ZERO
    }
    fn add_term(sum: Self, term: Self) -> Self {
        sum + term
    }
    fn add_product(sum: Self, lhs: Self, rhs: Self) -> Self {
        sum + lhs * rhs
    }
    fn finish_sum(sum: Self) -> Self {
        sum
    }
}
