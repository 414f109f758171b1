//! What makes [`MaxPlus`] an element of tensors.

use tensor::Scalar;
use tensor::core::{ExternalScalar, ScalarArithmetic, ScalarDomain};

use crate::MaxPlus;

/// Addition and multiplication make sense, which is what the domain says.
impl Scalar for MaxPlus {
    const DOMAIN: ScalarDomain = ScalarDomain::Field;
}

impl ExternalScalar for MaxPlus {
    const NAME: &'static str = "tropical.max_plus";
}

/// A maximum loses nothing, so it is kept in the type itself.
impl ScalarArithmetic for MaxPlus {
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
