//! Sums and products of scalars, for algorithms that are generic over the element type.
//!
//! The trait asks for a semiring only (no subtraction), so that max-plus numbers have it too. Integers wrap, `bool` has no
//! arithmetic. A sum is kept in an accumulator and rounded once at its end: half precision accumulates in `f32`.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::Scalar;

/// A scalar with addition, multiplication and their identities.
///
/// The methods carry the prefix `scalar_` so that they never compete with `std::ops`.
///
/// ```
/// use tensor_core::ScalarArithmetic;
///
/// fn dot<T: ScalarArithmetic>(a: &[T], b: &[T]) -> T {
///     let sum = a.iter().zip(b).fold(T::empty_sum(), |sum, (&a, &b)| T::add_product(sum, a, b));
///     T::finish_sum(sum)
/// }
/// assert_eq!(dot(&[1, 2, 3], &[4, 5, 6]), 32);
/// ```
pub trait ScalarArithmetic: Scalar {
    /// What a sum is kept in until its end.
    type Accumulator: Copy + Send + Sync + 'static;
    /// The identity of addition.
    const ZERO: Self;
    /// The identity of multiplication.
    const ONE: Self;

    /// `self + rhs`; integers wrap.
    #[must_use]
    fn scalar_add(self, rhs: Self) -> Self;
    /// `self * rhs`; integers wrap.
    #[must_use]
    fn scalar_mul(self, rhs: Self) -> Self;
    /// The sum of no terms.
    fn empty_sum() -> Self::Accumulator;
    /// `sum + term`.
    fn add_term(sum: Self::Accumulator, term: Self) -> Self::Accumulator;
    /// `sum + lhs * rhs`.
    fn add_product(sum: Self::Accumulator, lhs: Self, rhs: Self) -> Self::Accumulator;
    /// The sum as a scalar, rounded once.
    fn finish_sum(sum: Self::Accumulator) -> Self;
}

/// Rows `Type, zero, one, a b => sum, product;` of scalars that accumulate in themselves.
macro_rules! accumulate_in_self {
    ($($Type:ty, $zero:expr, $one:expr, $a:ident $b:ident => $sum:expr, $product:expr;)+) => {$(
        impl ScalarArithmetic for $Type {
            type Accumulator = Self;
            const ZERO: Self = $zero;
            const ONE: Self = $one;

            #[inline]
            fn scalar_add(self, rhs: Self) -> Self {
                let ($a, $b) = (self, rhs);
                $sum
            }
            #[inline]
            fn scalar_mul(self, rhs: Self) -> Self {
                let ($a, $b) = (self, rhs);
                $product
            }
            #[inline]
            fn empty_sum() -> Self {
                $zero
            }
            #[inline]
            fn add_term(sum: Self, term: Self) -> Self {
                sum.scalar_add(term)
            }
            #[inline]
            fn add_product(sum: Self, lhs: Self, rhs: Self) -> Self {
                sum.scalar_add(lhs.scalar_mul(rhs))
            }
            #[inline]
            fn finish_sum(sum: Self) -> Self {
                sum
            }
        }
    )+};
}

accumulate_in_self! {
    f32, 0.0, 1.0, a b => a + b, a * b;
    f64, 0.0, 1.0, a b => a + b, a * b;
    Complex32, Complex32::new(0.0, 0.0), Complex32::new(1.0, 0.0), a b => a + b, a * b;
    Complex64, Complex64::new(0.0, 0.0), Complex64::new(1.0, 0.0), a b => a + b, a * b;
    i8, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    i16, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    i32, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    i64, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    u8, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    u16, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    u32, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
    u64, 0, 1, a b => a.wrapping_add(b), a.wrapping_mul(b);
}

/// Half precision: each product and each sum in `f32`, rounded once at the end.
macro_rules! accumulate_in_f32 {
    ($($Type:ty)+) => {$(
        impl ScalarArithmetic for $Type {
            type Accumulator = f32;
            const ZERO: Self = <$Type>::ZERO;
            const ONE: Self = <$Type>::ONE;

            #[inline]
            fn scalar_add(self, rhs: Self) -> Self {
                Self::from_f32(self.to_f32() + rhs.to_f32())
            }
            #[inline]
            fn scalar_mul(self, rhs: Self) -> Self {
                Self::from_f32(self.to_f32() * rhs.to_f32())
            }
            #[inline]
            fn empty_sum() -> f32 {
                0.0
            }
            #[inline]
            fn add_term(sum: f32, term: Self) -> f32 {
                sum + term.to_f32()
            }
            #[inline]
            fn add_product(sum: f32, lhs: Self, rhs: Self) -> f32 {
                sum + lhs.to_f32() * rhs.to_f32()
            }
            #[inline]
            fn finish_sum(sum: f32) -> Self {
                Self::from_f32(sum)
            }
        }
    )+};
}

accumulate_in_f32!(f16 bf16);

#[cfg(test)]
mod tests {
    use super::*;

    fn sum<T: ScalarArithmetic>(terms: &[T]) -> T {
        T::finish_sum(
            terms
                .iter()
                .fold(T::empty_sum(), |sum, &term| T::add_term(sum, term)),
        )
    }

    #[test]
    fn identities_hold_for_every_preset_with_arithmetic() {
        fn check<T: ScalarArithmetic + PartialEq + std::fmt::Debug>(value: T) {
            assert_eq!(value.scalar_add(T::ZERO), value);
            assert_eq!(value.scalar_mul(T::ONE), value);
            assert_eq!(value.scalar_mul(T::ZERO), T::ZERO);
            assert_eq!(
                T::finish_sum(T::add_product(T::empty_sum(), value, T::ONE)),
                value
            );
            assert_eq!(sum::<T>(&[]), T::ZERO);
        }
        check(2.5_f32);
        check(2.5_f64);
        check(f16::from_f32(2.5));
        check(bf16::from_f32(2.5));
        check(Complex32::new(1.0, -2.0));
        check(Complex64::new(1.0, -2.0));
        check(-7_i8);
        check(-7_i16);
        check(-7_i32);
        check(-7_i64);
        check(7_u8);
        check(7_u16);
        check(7_u32);
        check(7_u64);
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(i8::MAX.scalar_add(1), i8::MIN);
        assert_eq!(200_u8.scalar_mul(2), 144);
        assert_eq!(sum(&[i64::MAX, 1]), i64::MIN);
    }

    #[test]
    fn half_precision_sums_round_once() {
        // 2048 + 1 is a tie that rounds back to 2048 in f16: rounding after each term would never leave 2048.
        let mut terms = vec![f16::from_f32(2048.0)];
        terms.extend([f16::ONE; 4]);
        assert_eq!(sum(&terms), f16::from_f32(2052.0));
        // The same at 256 in bf16, whose spacing there is 2.
        let mut terms = vec![bf16::from_f32(256.0)];
        terms.extend([bf16::ONE; 4]);
        assert_eq!(sum(&terms), bf16::from_f32(260.0));
    }
}
