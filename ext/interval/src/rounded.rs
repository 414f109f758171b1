//! Sums, products and quotients of `f64`s rounded towards one side.
//!
//! The hardware rounds to nearest; the exact error of that (a sum's by `two_sum`, the others' by a fused multiply-add) says
//! on which side of the result the exact value lies, and only then is the result moved by one step. Where the error is
//! unknown, because it may have underflowed or the result is infinite, the result is moved too, which is never wrong.
//!
//! Invariant: `*_down` is not above and `*_up` not below the exact result, for every input that is not NaN. Infinite
//! factors are bounds that do not exist, so `0 * inf` is 0: a product with 0 is 0 however large the other factor is.

/// Below this magnitude the error of a product or quotient may underflow.
const EXACT_FROM: f64 = f64::from_bits(0x0400_0000_0000_0000);

/// `value` or its lower neighbour: `error` is the exact result minus `value`, or NaN if unknown.
fn down(value: f64, error: f64) -> f64 {
    if error >= 0.0 {
        value
    } else {
        value.next_down()
    }
}

pub(crate) fn add_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    down(sum, (a - (sum - b_part)) + (b - b_part))
}

pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    -add_down(-a, -b)
}

pub(crate) fn mul_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    let error = if product.abs() < EXACT_FROM {
        f64::NAN
    } else {
        a.mul_add(b, -product)
    };
    down(product, error)
}

pub(crate) fn mul_up(a: f64, b: f64) -> f64 {
    -mul_down(-a, b)
}

/// `b` is not 0.
pub(crate) fn div_down(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        return 0.0;
    }
    let quotient = a / b;
    // The remainder a - quotient * b, with the sign that dividing it by b would give it.
    let error = if quotient.abs() < EXACT_FROM || a.abs() < EXACT_FROM {
        f64::NAN
    } else {
        (-quotient).mul_add(b, a) * b.signum()
    };
    down(quotient, error)
}

/// `b` is not 0.
pub(crate) fn div_up(a: f64, b: f64) -> f64 {
    -div_down(-a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_results_stay_and_others_move_outwards() {
        assert_eq!((add_down(1.0, 2.0), add_up(1.0, 2.0)), (3.0, 3.0));
        assert_eq!((mul_down(1.5, -2.0), mul_up(1.5, -2.0)), (-3.0, -3.0));
        assert_eq!((div_down(1.0, -4.0), div_up(1.0, -4.0)), (-0.25, -0.25));
        // 1 + 2^-60 lies between 1 and its neighbour.
        let tiny = 2.0_f64.powi(-60);
        assert_eq!(
            (add_down(1.0, tiny), add_up(1.0, tiny)),
            (1.0, 1.0 + f64::EPSILON)
        );
        assert_eq!(
            (add_down(1.0, -tiny), add_up(1.0, -tiny)),
            (1.0 - f64::EPSILON / 2.0, 1.0)
        );
        let third = 1.0_f64 / 3.0; // Ends in binary ..0101, below the third.
        assert_eq!(
            (div_down(1.0, 3.0), div_up(1.0, 3.0)),
            (third, third.next_up())
        );
        assert_eq!(
            (div_down(-1.0, 3.0), div_up(-1.0, 3.0)),
            (-third.next_up(), -third)
        );
        assert_eq!(
            (div_down(1.0, -3.0), div_up(1.0, -3.0)),
            (-third.next_up(), -third)
        );
    }

    #[test]
    fn overflow_and_underflow_stay_on_their_side() {
        assert_eq!(
            (add_down(f64::MAX, f64::MAX), add_up(f64::MAX, f64::MAX)),
            (f64::MAX, f64::INFINITY)
        );
        assert_eq!(
            (mul_down(f64::MAX, 2.0), mul_up(f64::MAX, 2.0)),
            (f64::MAX, f64::INFINITY)
        );
        assert_eq!(
            (mul_down(-f64::MAX, 2.0), mul_up(-f64::MAX, 2.0)),
            (f64::NEG_INFINITY, f64::MIN)
        );
        let least = f64::from_bits(1);
        assert_eq!((mul_down(least, 0.5), mul_up(least, 0.5)), (-least, least));
        assert_eq!((div_down(least, 2.0), div_up(least, 2.0)), (-least, least));
        assert_eq!(
            (div_down(f64::MAX, 0.5), div_up(f64::MAX, 0.5)),
            (f64::MAX, f64::INFINITY)
        );
        assert_eq!(
            (mul_down(0.0, f64::INFINITY), mul_up(f64::NEG_INFINITY, 0.0)),
            (0.0, 0.0)
        );
    }
}
