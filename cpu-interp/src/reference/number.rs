//! The arithmetic of one number: `f64` for all floats, each integer for itself.
//!
//! The rules are those of [`graph::scalar::Prim`]: integers wrap, `x / 0` is 0, the larger or smaller of a NaN and anything is
//! NaN.

use graph::scalar::Prim;

/// A number that formulas are computed in.
pub(super) trait Number: Copy + PartialOrd {
    /// 0
    const ZERO: Self;
    /// The smallest value, negative infinity for floats.
    const LOWEST: Self;
    /// The largest value, infinity for floats.
    const HIGHEST: Self;
    /// `-x`
    fn neg(self) -> Self;
    /// `|x|`
    fn abs(self) -> Self;
    /// -1, 0 or 1; NaN stays.
    fn sign(self) -> Self;
    /// `x + y`
    fn add(self, other: Self) -> Self;
    /// `x - y`
    fn sub(self, other: Self) -> Self;
    /// `x * y`
    fn mul(self, other: Self) -> Self;
    /// `x / y`
    fn div(self, other: Self) -> Self;
    /// The remainder of the division toward zero.
    fn rem(self, other: Self) -> Self;
    /// `x^y`
    fn pow(self, exponent: Self) -> Self;
    /// The larger.
    fn larger(self, other: Self) -> Self;
    /// The smaller.
    fn smaller(self, other: Self) -> Self;
    /// A count, wrapping for integers.
    fn of_count(count: usize) -> Self;
    /// `x / count`
    fn over(self, count: usize) -> Self;
    /// The sum of all terms.
    fn sum(terms: impl Iterator<Item = Self>) -> Self;
    /// The product of all factors.
    fn product(factors: impl Iterator<Item = Self>) -> Self;
    /// A primitive of one operand that only floats have.
    fn analytic(self, prim: Prim) -> Self;
    /// A primitive that only integers have.
    fn shifted(self, prim: Prim, places: Self) -> Self;
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    const LOWEST: Self = f64::NEG_INFINITY;
    const HIGHEST: Self = f64::INFINITY;

    fn neg(self) -> Self {
        -self
    }

    fn abs(self) -> Self {
        f64::abs(self)
    }

    fn sign(self) -> Self {
        if self > 0.0 {
            1.0
        } else if self < 0.0 {
            -1.0
        } else {
            // Zero or NaN.
            self
        }
    }

    fn add(self, other: Self) -> Self {
        self + other
    }

    fn sub(self, other: Self) -> Self {
        self - other
    }

    fn mul(self, other: Self) -> Self {
        self * other
    }

    fn div(self, other: Self) -> Self {
        self / other
    }

    fn rem(self, other: Self) -> Self {
        self % other
    }

    fn pow(self, exponent: Self) -> Self {
        self.powf(exponent)
    }

    fn larger(self, other: Self) -> Self {
        if self.is_nan() || self > other {
            self
        } else {
            other
        }
    }

    fn smaller(self, other: Self) -> Self {
        if self.is_nan() || self < other {
            self
        } else {
            other
        }
    }

    fn of_count(count: usize) -> Self {
        count as f64
    }

    fn over(self, count: usize) -> Self {
        self / count as f64
    }

    /// Neumaier's sum: what each addition loses is added up beside it.
    fn sum(terms: impl Iterator<Item = Self>) -> Self {
        let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
        for term in terms {
            let next = sum + term;
            lost += if sum.abs() >= term.abs() {
                (sum - next) + term
            } else {
                (term - next) + sum
            };
            sum = next;
        }
        // Beside an infinity the loss is NaN and means nothing.
        if sum.is_finite() { sum + lost } else { sum }
    }

    /// What each multiplication loses is carried beside the product (Ogita, Rump, Oishi 2005).
    fn product(factors: impl Iterator<Item = Self>) -> Self {
        let (mut product, mut lost) = (1.0_f64, 0.0_f64);
        for factor in factors {
            let next = product * factor;
            lost = lost * factor + product.mul_add(factor, -next);
            product = next;
        }
        // Beside an infinity or an underflow the loss means nothing.
        if product.is_normal() && lost.is_finite() {
            product + lost
        } else {
            product
        }
    }

    fn analytic(self, prim: Prim) -> Self {
        match prim {
            Prim::Sqrt => self.sqrt(),
            Prim::Recip => 1.0 / self,
            Prim::Exp => self.exp(),
            Prim::Log => self.ln(),
            Prim::Sin => self.sin(),
            Prim::Cos => self.cos(),
            Prim::Tan => self.tan(),
            Prim::Asin => self.asin(),
            Prim::Acos => self.acos(),
            Prim::Atan => self.atan(),
            Prim::Sinh => self.sinh(),
            Prim::Cosh => self.cosh(),
            Prim::Tanh => self.tanh(),
            Prim::Asinh => libm::asinh(self),
            Prim::Acosh => libm::acosh(self),
            Prim::Atanh => libm::atanh(self),
            Prim::Sigmoid => sigmoid(self),
            Prim::Erf => libm::erf(self),
            Prim::Floor => self.floor(),
            Prim::Ceil => self.ceil(),
            Prim::Round => self.round_ties_even(),
            other => unreachable!("{} has an arm of its own", other.name()),
        }
    }

    fn shifted(self, prim: Prim, _places: Self) -> Self {
        unreachable!("{} is a primitive of integers", prim.name())
    }
}

/// `1 / (1 + e^-x)`; with `e^x` for negative `x`, so that nothing overflows.
fn sigmoid(x: f64) -> f64 {
    if x < 0.0 {
        let e = x.exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

macro_rules! integers {
    ($($Type:ty, $abs:expr, $sign:expr;)+) => {$(
        impl Number for $Type {
            const ZERO: Self = 0;
            const LOWEST: Self = <$Type>::MIN;
            const HIGHEST: Self = <$Type>::MAX;

            fn neg(self) -> Self {
                self.wrapping_neg()
            }

            fn abs(self) -> Self {
                $abs(self)
            }

            fn sign(self) -> Self {
                $sign(self)
            }

            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            fn div(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }

            fn rem(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }

            fn pow(self, exponent: Self) -> Self {
                match u64::try_from(exponent) {
                    Ok(exponent) => {
                        power(self, exponent, 1, <$Type>::wrapping_mul)
                    }
                    // 1 / x^n, toward zero: only 1 and -1 leave anything.
                    Err(_) if self == 1 || (self == <$Type>::wrapping_sub(0, 1) && exponent % 2 == 0) => 1,
                    Err(_) if self == <$Type>::wrapping_sub(0, 1) => self,
                    Err(_) => 0,
                }
            }

            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }

            fn of_count(count: usize) -> Self {
                count as $Type
            }

            fn over(self, count: usize) -> Self {
                // The quotient is no larger than `self`, so it fits; a count may not fit the type.
                i128::from(self).checked_div(count as i128).unwrap_or(0) as $Type
            }

            fn sum(terms: impl Iterator<Item = Self>) -> Self {
                terms.fold(0, <$Type>::wrapping_add)
            }

            fn product(factors: impl Iterator<Item = Self>) -> Self {
                factors.fold(1, <$Type>::wrapping_mul)
            }

            fn analytic(self, prim: Prim) -> Self {
                unreachable!("{} is a primitive of floats", prim.name())
            }

            fn shifted(self, prim: Prim, places: Self) -> Self {
                let places = u32::try_from(places).ok().filter(|&n| n < <$Type>::BITS);
                match prim {
                    Prim::Shl => places.map_or(0, |n| self << n),
                    // The last place that can be left, and once more.
                    _ => places.map_or(self >> (<$Type>::BITS - 1) >> 1, |n| self >> n),
                }
            }
        }
    )+};
}

integers! {
    i8, i8::wrapping_abs, i8::signum;
    i16, i16::wrapping_abs, i16::signum;
    i32, i32::wrapping_abs, i32::signum;
    i64, i64::wrapping_abs, i64::signum;
    u8, std::convert::identity, |x| u8::from(x != 0);
    u16, std::convert::identity, |x| u16::from(x != 0);
    u32, std::convert::identity, |x| u32::from(x != 0);
    u64, std::convert::identity, |x| u64::from(x != 0);
}

/// `base^exponent` by squaring; modulo a power of two the order of the products does not matter.
fn power<T: Copy>(mut base: T, mut exponent: u64, one: T, mul: fn(T, T) -> T) -> T {
    let mut result = one;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = mul(result, base);
        }
        base = mul(base, base);
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_agrees_with_python() {
        // math.erf of Python 3.11.
        let table = [
            (1e-300, 1.1283791670955126e-300),
            (0.1, 0.1124629160182849),
            (0.5, 0.5204998778130465),
            (1.0, 0.8427007929497149),
            (1.5, 0.9661051464753108),
            (2.0, 0.9953222650189527),
            (2.7, 0.9998656672600594),
            (3.5, 0.9999992569016276),
            (5.0, 0.9999999999984626),
            (1.9656274148575625, 0.9945610452092674),
            (5.999, 1.0),
            (f64::INFINITY, 1.0),
            (0.0, 0.0),
        ];
        for (x, want) in table {
            for (x, want) in [(x, want), (-x, -want)] {
                let got = x.analytic(Prim::Erf);
                assert!(
                    (got - want).abs() <= f64::EPSILON * want.abs(),
                    "erf({x}) = {got:e}, Python {want:e}"
                );
            }
        }
    }

    #[test]
    fn sums_lose_nothing_and_pass_infinities_on() {
        assert_eq!(f64::sum([1.0, 1e100, 1.0, -1e100].into_iter()), 2.0);
        assert_eq!(
            f64::sum([1.0, f64::INFINITY, 2.0].into_iter()),
            f64::INFINITY
        );
        assert!(f64::sum([f64::NEG_INFINITY, f64::INFINITY].into_iter()).is_nan());
        assert_eq!(i8::sum([100_i8, 100].into_iter()), -56);
    }

    #[test]
    fn products_lose_nothing_and_pass_infinities_on() {
        let (up, down) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0);
        // ((1 + e) (1 - e / 2))^400 = 1 + 200 e, up to e squared.
        let factors = (0..800).map(|at| if at % 2 == 0 { up } else { down });
        assert_eq!(f64::product(factors), 1.0 + 200.0 * f64::EPSILON);
        assert_eq!(
            f64::product([1e300, 1e300, -1.0].into_iter()),
            f64::NEG_INFINITY
        );
        assert!(f64::product([f64::INFINITY, 0.0].into_iter()).is_nan());
        assert_eq!(u8::product([16_u8, 17].into_iter()), 16);
    }
}
