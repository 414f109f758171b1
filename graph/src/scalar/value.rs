//! One element of any preset dtype, exact.

use std::fmt;

use tensor_core::{DType, bf16, f16};

/// A scalar of a real or bool dtype, kept as its bit pattern: what is printed and parsed is exact,
/// NaN payloads included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScalarValue {
    dtype: DType,
    bits: u64,
}

impl ScalarValue {
    /// The value of these bits (the low bytes hold the element, little-endian).
    pub fn from_bits(dtype: DType, bits: u64) -> Self {
        ScalarValue { dtype, bits }
    }

    /// `value` rounded to a float dtype, or truncated and saturated to an integer one; bool is
    /// `value != 0`.
    ///
    /// # Panics
    /// For complex and external dtypes, which scalar expressions do not hold.
    pub fn from_f64(dtype: DType, value: f64) -> Self {
        let bits = match dtype {
            DType::F32 => u64::from((value as f32).to_bits()),
            DType::F64 => value.to_bits(),
            DType::F16 => u64::from(f16::from_f64(value).to_bits()),
            DType::BF16 => u64::from(bf16::from_f64(value).to_bits()),
            DType::I8 => (value as i8) as u8 as u64,
            DType::I16 => (value as i16) as u16 as u64,
            DType::I32 => (value as i32) as u32 as u64,
            DType::I64 => (value as i64) as u64,
            DType::U8 => (value as u8).into(),
            DType::U16 => (value as u16).into(),
            DType::U32 => (value as u32).into(),
            DType::U64 => value as u64,
            DType::Bool => (value != 0.0).into(),
            DType::C32 | DType::C64 | DType::External(_) => {
                panic!("{dtype} is no dtype of scalar expressions")
            }
        };
        ScalarValue { dtype, bits }
    }

    /// An integer of an integer or bool dtype, truncated to its width; float dtypes round.
    pub fn from_i64(dtype: DType, value: i64) -> Self {
        if dtype.is_float() {
            return ScalarValue::from_f64(dtype, value as f64);
        }
        let bits = if dtype == DType::Bool {
            u64::from(value != 0)
        } else {
            value as u64
        };
        let width = dtype.size_bytes() * 8;
        let mask = if width >= 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        ScalarValue {
            dtype,
            bits: bits & mask,
        }
    }

    /// Element type.
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// The bit pattern in the low bytes.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The value as `f64`; exact but for 64-bit integers above 2^53.
    pub fn to_f64(self) -> f64 {
        match self.dtype {
            DType::F32 => f32::from_bits(self.bits as u32).into(),
            DType::F64 => f64::from_bits(self.bits),
            DType::F16 => f16::from_bits(self.bits as u16).to_f64(),
            DType::BF16 => bf16::from_bits(self.bits as u16).to_f64(),
            DType::U64 => self.bits as f64,
            _ => self.to_i64() as f64,
        }
    }

    /// The value of an integer or bool dtype; a `u64` above `i64::MAX` wraps.
    pub fn to_i64(self) -> i64 {
        match self.dtype {
            DType::I8 => (self.bits as i8).into(),
            DType::I16 => (self.bits as i16).into(),
            DType::I32 => (self.bits as i32).into(),
            _ => self.bits as i64,
        }
    }
}

impl fmt::Display for ScalarValue {
    /// Shortest decimal that reads back as the same bits; NaN with its bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_f64();
        match self.dtype {
            _ if self.dtype.is_float() && value.is_nan() => write!(f, "nan({:#x})", self.bits),
            _ if self.dtype.is_float() && value.is_infinite() => {
                f.write_str(if value > 0.0 { "inf" } else { "-inf" })
            }
            DType::F32 => write_float(
                f,
                format!("{}", f32::from_bits(self.bits as u32)),
                format!("{:e}", f32::from_bits(self.bits as u32)),
            ),
            DType::F64 | DType::F16 | DType::BF16 => {
                write_float(f, format!("{value}"), format!("{value:e}"))
            }
            DType::U64 => write!(f, "{}", self.bits),
            DType::Bool => write!(f, "{}", self.bits != 0),
            _ => write!(f, "{}", self.to_i64()),
        }
    }
}

/// The shorter of the two notations; both are exact.
fn write_float(f: &mut fmt::Formatter<'_>, plain: String, scientific: String) -> fmt::Result {
    f.write_str(if scientific.len() < plain.len() {
        &scientific
    } else {
        &plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_exact_and_print_short() {
        let cases = [
            (ScalarValue::from_f64(DType::F32, 0.1), "0.1"),
            (ScalarValue::from_f64(DType::F32, 1e-20), "1e-20"),
            (ScalarValue::from_f64(DType::F32, 6.0), "6"),
            (ScalarValue::from_f64(DType::F32, -0.0), "-0"),
            (ScalarValue::from_f64(DType::F64, f64::INFINITY), "inf"),
            (
                ScalarValue::from_bits(DType::F32, 0x7fc0_0001),
                "nan(0x7fc00001)",
            ),
            (ScalarValue::from_f64(DType::I8, -300.0), "-128"),
            (ScalarValue::from_f64(DType::U8, -3.0), "0"),
            (ScalarValue::from_i64(DType::I32, -7), "-7"),
            (
                ScalarValue::from_i64(DType::I64, i64::MIN),
                "-9223372036854775808",
            ),
            (ScalarValue::from_f64(DType::Bool, 2.0), "true"),
            (
                ScalarValue::from_f64(DType::F16, 0.333_251_953_125),
                "0.333251953125",
            ),
        ];
        for (value, want) in cases {
            assert_eq!(value.to_string(), want, "{value:?}");
        }
        assert_eq!(ScalarValue::from_i64(DType::I8, -1).bits(), 0xff);
        assert_eq!(ScalarValue::from_i64(DType::I8, -1).to_f64(), -1.0);
    }
}
