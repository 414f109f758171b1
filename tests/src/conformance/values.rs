//! What the inputs of a case hold. All of it is drawn from fixed seeds.

use graph::scalar::ScalarValue;
use tensor::{DType, Tensor};

use crate::seeded::Seeded;
use crate::text::of_elements;

/// A kind of values. Integers take the whole numbers of a range, unsigned ones those that are not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// From `-limit` to `limit`.
    Within(f64),
    /// From the first to the second.
    Between(f64, f64),
    /// The ends of the dtype and what behaves oddly: NaN, infinities, zeros, subnormals. Two inputs together see all pairs.
    Special,
    /// Small numbers among NaN and infinities; for ops that sum, where the largest numbers would overflow on the way.
    Infinite,
}

/// An everyday range.
pub(super) const PLAIN: Values = Values::Within(4.0);

impl Values {
    /// The row-major tensor for input `nth`.
    pub(super) fn tensor(self, dtype: DType, shape: &[usize], nth: usize) -> Tensor {
        let count = shape.iter().product();
        let mut random = Seeded::new(0x7e4f_01d0 + 977 * nth as u64 + count as u64);
        let specials = specials(dtype);
        let elements: Vec<ScalarValue> = (0..count)
            .map(|at| match self {
                Values::Within(limit) => drawn(&mut random, dtype, -limit, limit),
                Values::Between(low, high) => drawn(&mut random, dtype, low, high),
                Values::Special => specials[at / specials.len().pow(nth as u32) % specials.len()],
                Values::Infinite => infinite(&mut random, dtype),
            })
            .collect();
        of_elements(dtype, shape, &elements)
    }
}

fn drawn(random: &mut Seeded, dtype: DType, low: f64, high: f64) -> ScalarValue {
    if dtype == DType::Bool {
        return ScalarValue::from_i64(dtype, (random.bits() & 1) as i64);
    }
    let low = if dtype.is_unsigned_integer() {
        low.max(0.0)
    } else {
        low
    };
    let value = if dtype.is_integer() {
        // One more, since the fraction is cut off.
        random
            .uniform(low, high + if high >= 0.0 { 1.0 } else { 0.0 })
            .floor()
    } else {
        random.uniform(low, high)
    };
    ScalarValue::from_f64(dtype, value)
}

/// One in 48 is NaN and two each are infinite, so that rows and windows with and without them occur.
fn infinite(random: &mut Seeded, dtype: DType) -> ScalarValue {
    match random.below(48) {
        0 => ScalarValue::from_f64(dtype, f64::NAN),
        1 | 2 => ScalarValue::from_f64(dtype, f64::INFINITY),
        3 | 4 => ScalarValue::from_f64(dtype, f64::NEG_INFINITY),
        _ => drawn(random, dtype, -4.0, 4.0),
    }
}

fn specials(dtype: DType) -> Vec<ScalarValue> {
    if dtype == DType::Bool {
        return vec![
            ScalarValue::from_i64(dtype, 0),
            ScalarValue::from_i64(dtype, 1),
        ];
    }
    if dtype.is_integer() {
        let ends = [f64::NEG_INFINITY, f64::INFINITY].map(|end| ScalarValue::from_f64(dtype, end));
        let [low, high] = ends.map(ScalarValue::to_i64);
        let near = [
            low,
            low.wrapping_add(1),
            high.wrapping_sub(1),
            high,
            0,
            1,
            2,
            3,
            7,
            31,
            64,
            100,
        ];
        let negative = [-1, -2, -7];
        let negative = negative.iter().filter(|_| dtype.is_signed_integer());
        return near
            .iter()
            .chain(negative)
            .map(|&v| ScalarValue::from_i64(dtype, v))
            .collect();
    }
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -1.5,
        2.5,
        3.0,
        -2.0,
        10.25,
        -60.0,
    ];
    let mut all: Vec<ScalarValue> = odd
        .iter()
        .map(|&v| ScalarValue::from_f64(dtype, v))
        .collect();
    let sign = 1_u64 << (dtype.size_bytes() * 8 - 1);
    // Two steps below infinity there is the largest finite number; the lowest bits are subnormal.
    let infinity = ScalarValue::from_f64(dtype, f64::INFINITY).bits();
    let smallest_normal = match dtype {
        DType::F32 => 1 << 23,
        DType::F64 => 1 << 52,
        DType::F16 => 1 << 10,
        _ => 1 << 7,
    };
    for bits in [infinity - 1, 1, smallest_normal - 1, smallest_normal] {
        all.extend([bits, bits | sign].map(|bits| ScalarValue::from_bits(dtype, bits)));
    }
    all
}
