//! What makes [`Q16`] an element of tensors: an accumulator that is wider than the scalar.

use substrate::Scalar;
use substrate::core::{ExternalScalar, ScalarArithmetic, ScalarDomain};

use crate::Q16;

impl Scalar for Q16 {
    const DOMAIN: ScalarDomain = ScalarDomain::Field;
}

impl ExternalScalar for Q16 {
    const NAME: &'static str = "fixed_point.q16_16";
}

/// Sums are counted in units of 2^-32 in an `i64`, exactly up to 2^31 in magnitude, which is 65536 times the range of a
/// result; beyond that they saturate.
impl ScalarArithmetic for Q16 {
    type Accumulator = i64;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn scalar_add(self, rhs: Self) -> Self {
        self + rhs
    }
    fn scalar_mul(self, rhs: Self) -> Self {
        self * rhs
    }
    fn empty_sum() -> i64 {
        0
    }
    fn add_term(sum: i64, term: Self) -> i64 {
        sum.saturating_add(term.wide())
    }
    fn add_product(sum: i64, lhs: Self, rhs: Self) -> i64 {
        sum.saturating_add(lhs.wide_product(rhs))
    }
    fn finish_sum(sum: i64) -> Self {
        Self::from_wide(sum)
    }
}
