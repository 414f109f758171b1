//! The distance of two elements in units in the last place.

use graph::scalar::ScalarValue;
use tensor::DType;

/// How far `got` may be from `want`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Units in the last place.
    pub ulps: f64,
    /// Where the unit is taken: at the sum of the absolute values of the terms, for results that are sums. `None`: at the
    /// values themselves.
    pub scale: Option<f64>,
}

impl Tolerance {
    /// So many units at the values themselves.
    pub fn ulps(ulps: u32) -> Self {
        Tolerance {
            ulps: ulps.into(),
            scale: None,
        }
    }

    /// Whether `got` is close enough. An op with rounding may take a result below the smallest normal number for 0.
    pub fn accepts(&self, want: ScalarValue, got: ScalarValue) -> bool {
        let tiny = |value: ScalarValue| value.to_f64().abs() < smallest_normal(value.dtype());
        let flushed = self.ulps > 0.0 && want.dtype() == got.dtype() && tiny(want) && tiny(got);
        flushed || self.distance(want, got) <= self.ulps
    }

    /// The distance in units: 0 for equal values, both NaNs and both zeros included; infinite if only one is NaN.
    pub fn distance(&self, want: ScalarValue, got: ScalarValue) -> f64 {
        if want.dtype() != got.dtype() {
            return f64::INFINITY;
        }
        if !want.dtype().is_float() {
            return integer_distance(want, got);
        }
        let (w, g) = (want.to_f64(), got.to_f64());
        if w == g || (w.is_nan() && g.is_nan()) {
            return 0.0;
        }
        if w.is_nan() || g.is_nan() {
            return f64::INFINITY;
        }
        match self.scale {
            Some(scale) if w.is_finite() && g.is_finite() && !scale.is_nan() => {
                (w - g).abs() / spacing(want.dtype(), scale.max(w.abs()))
            }
            _ => order(want).abs_diff(order(got)) as f64,
        }
    }
}

fn integer_distance(want: ScalarValue, got: ScalarValue) -> f64 {
    let distance = if want.dtype() == DType::U64 {
        want.bits().abs_diff(got.bits())
    } else {
        want.to_i64().abs_diff(got.to_i64())
    };
    distance as f64
}

/// The place of a float in the order of all floats of its dtype; neighbours differ by 1, both zeros are at 0.
fn order(value: ScalarValue) -> i64 {
    let sign = 1 << (value.dtype().size_bytes() * 8 - 1);
    let magnitude = i64::try_from(value.bits() & (sign - 1)).unwrap_or(i64::MAX);
    if value.bits() & sign == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// Digits of the significand and the exponent of the smallest normal number.
fn format(dtype: DType) -> (i32, i32) {
    match dtype {
        DType::F32 => (24, -126),
        DType::F16 => (11, -14),
        DType::BF16 => (8, -126),
        _ => (53, -1022),
    }
}

fn smallest_normal(dtype: DType) -> f64 {
    if dtype.is_float() {
        2.0_f64.powi(format(dtype).1)
    } else {
        0.0
    }
}

/// The distance of neighbours at `at`, which is not negative.
fn spacing(dtype: DType, at: f64) -> f64 {
    let (digits, lowest) = format(dtype);
    let exponent = at.log2().floor().clamp(f64::from(lowest), 1023.0) as i32;
    2.0_f64.powi((exponent - digits + 1).max(-1074))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32(value: f32) -> ScalarValue {
        ScalarValue::from_bits(DType::F32, value.to_bits().into())
    }

    #[test]
    fn distances_count_neighbours() {
        let plain = Tolerance::ulps(0);
        let cases = [
            (1.0, 1.0 + f32::EPSILON, 1.0),
            (1.0, 1.0 - f32::EPSILON, 2.0),
            (0.0, -0.0, 0.0),
            (f32::from_bits(1), -f32::from_bits(1), 2.0),
            (f32::MAX, f32::INFINITY, 1.0),
            (f32::NAN, f32::NAN, 0.0),
            (f32::NAN, 1.0, f64::INFINITY),
            (1.0, f32::NAN, f64::INFINITY),
        ];
        for (want, got, expect) in cases {
            assert_eq!(plain.distance(f32(want), f32(got)), expect, "{want} {got}");
        }
        let i = |v| ScalarValue::from_i64(DType::I64, v);
        assert_eq!(plain.distance(i(i64::MIN), i(i64::MAX)), u64::MAX as f64);
        assert_eq!(plain.distance(f32(1.0), i(1)), f64::INFINITY);
    }

    #[test]
    fn a_scale_widens_the_unit() {
        let at = |scale| Tolerance {
            ulps: 0.0,
            scale: Some(scale),
        };
        assert_eq!(
            at(1024.0).distance(f32(0.0), f32(1024.0 * f32::EPSILON)),
            1.0
        );
        assert_eq!(at(0.0).distance(f32(1.0), f32(1.0 + f32::EPSILON)), 1.0);
        assert_eq!(at(0.0).distance(f32(0.0), f32(f32::from_bits(3))), 3.0);
        let half = |v| ScalarValue::from_f64(DType::F16, v);
        assert_eq!(at(1.0).distance(half(1.0), half(1.0 + 1.0 / 1024.0)), 1.0);
        assert!(at(f64::INFINITY).distance(f32(1.0), f32(f32::INFINITY)) > 1e6);
    }

    #[test]
    fn results_below_the_normal_numbers_may_be_flushed_but_not_by_exact_ops() {
        let (zero, tiny) = (f32(0.0), f32(1e-40));
        assert!(Tolerance::ulps(2).accepts(tiny, zero));
        assert!(!Tolerance::ulps(0).accepts(tiny, zero));
        assert!(!Tolerance::ulps(2).accepts(f32(1e-37), zero));
    }
}
