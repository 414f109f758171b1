//! Float formats of 8 bits and fewer: codes to values, and back.
//!
//! **How it works.** A code is a sign bit where the format has one, then exponent bits, then significand bits; one table
//! ([`FloatFormat`]'s parameters) says how many, the bias, and which codes are NaN and infinity. [`FloatFormat::decode`] puts
//! the value together from powers of two, which is exact in `f32`. [`FloatFormat::encode`] takes the bits of an `f64` apart
//! and rounds once, in integers, so `f16`, `bf16`, `f32` and `f64` are all encoded without a second rounding.
//!
//! **What it does not own.** These formats are not dtypes: no tensor has elements of them, and nothing computes with them. A
//! tensor of such numbers is a tensor of codes in `u8`, and whoever holds it knows the format.
//!
//! **Invariant.** `encode(decode(code)) == code` for every code but those of NaN, whatever the rounding.

#[cfg(test)]
mod tests;

/// A float format of one code per byte.
///
/// | name | bits | exponent, significand | bias | largest | infinity | NaN | zero |
/// |---|---|---|---|---|---|---|---|
/// | `f8e4m3fn` | 8 | 4, 3 | 7 | 448 | none | `7f`, `ff` | 0, -0 |
/// | `f8e4m3fnuz` | 8 | 4, 3 | 8 | 240 | none | `80` | 0 |
/// | `f8e5m2` | 8 | 5, 2 | 15 | 57344 | `7c`, `fc` | `7d..7f`, `fd..ff` | 0, -0 |
/// | `f8e5m2fnuz` | 8 | 5, 2 | 16 | 57344 | none | `80` | 0 |
/// | `f8e8m0fnu` | 8 | 8, 0 | 127 | 2^127 | none | `ff` | none |
/// | `f6e2m3fn` | 6 | 2, 3 | 1 | 7.5 | none | none | 0, -0 |
/// | `f6e3m2fn` | 6 | 3, 2 | 3 | 28 | none | none | 0, -0 |
/// | `f4e2m1fn` | 4 | 2, 1 | 1 | 6 | none | none | 0, -0 |
///
/// `fn` is "finite": no infinity; `uz` is "unsigned zero": no -0; `f8e8m0fnu` holds powers of two from 2^-127 and has no sign.
///
/// **Source**: OCP 8-bit Floating Point Specification 1.0, OCP Microscaling Formats 1.0, ONNX `TensorProto.DataType`.
///
/// ```
/// use tensor_core::{FloatFormat, FloatRounding};
///
/// let format = FloatFormat::F8E4M3Fn;
/// let code = format.encode(0.3, FloatRounding::NearestEven, true);
/// assert_eq!((code, format.decode(code)), (0x2a, 0.3125));
/// assert_eq!(format.decode(format.encode(1e9, FloatRounding::NearestEven, true)), 448.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FloatFormat {
    /// 4 exponent bits, 3 significand bits, finite.
    F8E4M3Fn,
    /// 4 exponent bits, 3 significand bits, finite, one zero.
    F8E4M3FnUz,
    /// 5 exponent bits, 2 significand bits, with infinities.
    F8E5M2,
    /// 5 exponent bits, 2 significand bits, finite, one zero.
    F8E5M2FnUz,
    /// 8 exponent bits: powers of two.
    F8E8M0FnU,
    /// 2 exponent bits, 3 significand bits, finite, without NaN.
    F6E2M3Fn,
    /// 3 exponent bits, 2 significand bits, finite, without NaN.
    F6E3M2Fn,
    /// 2 exponent bits, 1 significand bit, finite, without NaN.
    F4E2M1Fn,
}

/// How a value between two of a format is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatRounding {
    /// To the nearer; from the middle to the one with an even code.
    NearestEven,
    /// To the nearer; from the middle away from zero.
    NearestAway,
    /// Away from zero.
    AwayFromZero,
    /// Toward zero.
    TowardZero,
}

impl FloatRounding {
    /// Every rounding.
    pub const ALL: [FloatRounding; 4] = [
        FloatRounding::NearestEven,
        FloatRounding::NearestAway,
        FloatRounding::AwayFromZero,
        FloatRounding::TowardZero,
    ];

    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            FloatRounding::NearestEven => "nearest_even",
            FloatRounding::NearestAway => "nearest_away",
            FloatRounding::AwayFromZero => "away_from_zero",
            FloatRounding::TowardZero => "toward_zero",
        }
    }

    /// The rounding of this name.
    pub fn named(name: &str) -> Option<FloatRounding> {
        FloatRounding::ALL.into_iter().find(|r| r.name() == name)
    }

    /// `significand / 2^shift` as an integer.
    fn shift_right(self, significand: u64, shift: u32) -> u64 {
        // Fewer than 54 bits: beyond this shift all of them lie below the middle.
        let shift = shift.min(60);
        let whole = significand >> shift;
        let rest = significand - (whole << shift);
        let middle = (1 << shift) >> 1;
        let up = rest > 0
            && match self {
                FloatRounding::NearestEven => rest > middle || (rest == middle && whole % 2 == 1),
                FloatRounding::NearestAway => rest >= middle,
                FloatRounding::AwayFromZero => true,
                FloatRounding::TowardZero => false,
            };
        whole + u64::from(up)
    }
}

/// What a format is made of.
struct Parts {
    name: &'static str,
    bits: u32,
    significand_bits: u32,
    bias: i32,
    /// The code of the largest finite value.
    largest: u8,
    /// What stands for a value beyond it, and for infinity, where nothing saturates.
    beyond: Option<u8>,
    /// The code of NaN without a sign.
    nan: Option<u8>,
    /// Whether a sign makes another zero and another NaN.
    signed_zero: bool,
}

/// A finite value that is not zero: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Magnitude {
    significand: u64,
    exponent: i32,
}

impl Magnitude {
    /// The absolute value of a finite number; `None` for 0.
    fn of(value: f64) -> Option<Magnitude> {
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let field = i32::try_from((bits >> 52) & 0x7ff).ok()?;
        let (significand, exponent) = match field {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, field - 1075),
        };
        (significand > 0).then_some(Magnitude {
            significand,
            exponent,
        })
    }

    /// The exponent of the largest power of two that is not larger.
    fn log2(self) -> i32 {
        self.exponent + self.significand.ilog2().cast_signed()
    }

    /// The number of times that `2^unit` goes into it. `unit` must not be below the last bit.
    fn count(self, unit: i32, rounding: FloatRounding) -> u64 {
        let shift = unit.saturating_sub(self.exponent).max(0);
        rounding.shift_right(self.significand, shift.cast_unsigned())
    }
}

impl FloatFormat {
    /// Every format.
    pub const ALL: [FloatFormat; 8] = [
        FloatFormat::F8E4M3Fn,
        FloatFormat::F8E4M3FnUz,
        FloatFormat::F8E5M2,
        FloatFormat::F8E5M2FnUz,
        FloatFormat::F8E8M0FnU,
        FloatFormat::F6E2M3Fn,
        FloatFormat::F6E3M2Fn,
        FloatFormat::F4E2M1Fn,
    ];

    fn parts(self) -> Parts {
        let parts = |name, significand_bits, bias, largest, beyond, nan, signed_zero| Parts {
            name,
            bits: match self {
                FloatFormat::F4E2M1Fn => 4,
                FloatFormat::F6E2M3Fn | FloatFormat::F6E3M2Fn => 6,
                _ => 8,
            },
            significand_bits,
            bias,
            largest,
            beyond,
            nan,
            signed_zero,
        };
        let (e4m3, e5m2) = (Some(0x7f), Some(0x7e));
        let unsigned = Some(0x80);
        match self {
            FloatFormat::F8E4M3Fn => parts("f8e4m3fn", 3, 7, 0x7e, e4m3, e4m3, true),
            FloatFormat::F8E4M3FnUz => parts("f8e4m3fnuz", 3, 8, 0x7f, unsigned, unsigned, false),
            FloatFormat::F8E5M2 => parts("f8e5m2", 2, 15, 0x7b, Some(0x7c), e5m2, true),
            FloatFormat::F8E5M2FnUz => parts("f8e5m2fnuz", 2, 16, 0x7f, unsigned, unsigned, false),
            FloatFormat::F8E8M0FnU => {
                parts("f8e8m0fnu", 0, 127, 0xfe, Some(0xff), Some(0xff), false)
            }
            FloatFormat::F6E2M3Fn => parts("f6e2m3fn", 3, 1, 0x1f, None, None, true),
            FloatFormat::F6E3M2Fn => parts("f6e3m2fn", 2, 3, 0x1f, None, None, true),
            FloatFormat::F4E2M1Fn => parts("f4e2m1fn", 1, 1, 0x7, None, None, true),
        }
    }

    /// Its name in texts.
    pub fn name(self) -> &'static str {
        self.parts().name
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<FloatFormat> {
        FloatFormat::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Bits of a code; a code is kept in the low bits of a byte.
    pub fn bits(self) -> u32 {
        self.parts().bits
    }

    /// Whether codes have a sign.
    pub fn is_signed(self) -> bool {
        self != FloatFormat::F8E8M0FnU
    }

    /// The largest finite value.
    pub fn largest(self) -> f32 {
        self.decode(self.parts().largest)
    }

    /// The bit of the sign; 0 if there is none.
    fn sign_bit(self) -> u8 {
        if self.is_signed() {
            1 << (self.bits() - 1)
        } else {
            0
        }
    }

    /// The value of a code. Of a code of fewer than 8 bits the high bits of the byte are not read.
    ///
    /// **Numerics**: exact. NaN codes give a quiet NaN, with the code's sign where both signs are NaN.
    pub fn decode(self, code: u8) -> f32 {
        let parts = self.parts();
        let code = code & (u8::MAX >> (8 - parts.bits));
        let sign_bit = self.sign_bit();
        let (negative, code) = (code & sign_bit != 0, code & !sign_bit);
        let signed = |value: f32| if negative { -value } else { value };
        if !parts.signed_zero && negative && code == 0 {
            return f32::NAN;
        }
        if code > parts.largest {
            let infinite = self == FloatFormat::F8E5M2 && parts.beyond == Some(code);
            return signed(if infinite { f32::INFINITY } else { f32::NAN });
        }
        let whole = 1_u8 << parts.significand_bits;
        let (field, rest) = (code / whole, code % whole);
        // All but powers of two have an exponent field that means "no leading 1".
        let (significand, field) = match field {
            0 if self.is_signed() => (rest, 1),
            field => (whole + rest, field),
        };
        let exponent = i32::from(field) - parts.bias - parts.significand_bits.cast_signed();
        signed(f32::from(significand) * power_of_two(exponent))
    }

    /// The code of the value of this format that `value` rounds to.
    ///
    /// - A rounded value beyond the largest one, and infinity, give the largest one if `saturate` says so; else infinity, or
    ///   NaN in a format without it. A format with neither always saturates.
    /// - NaN gives NaN and keeps its sign where both signs are NaN; in a format without NaN it gives -0.
    /// - `f8e8m0fnu`: below 2^-127 the smallest value if `saturate` says so, else NaN; so does 0. What is negative gives NaN.
    pub fn encode(self, value: f64, rounding: FloatRounding, saturate: bool) -> u8 {
        let parts = self.parts();
        let negative = value.is_sign_negative();
        let sign = if negative { self.sign_bit() } else { 0 };
        // Where one code is NaN for both signs, it has the sign bit already.
        let special = |code: u8| if parts.signed_zero { code | sign } else { code };
        if value.is_nan() {
            return parts.nan.map_or(self.sign_bit(), special);
        }
        let beyond = match parts.beyond {
            Some(code) if !saturate => special(code),
            _ => parts.largest | sign,
        };
        let Some(magnitude) = Magnitude::of(value) else {
            return if self.is_signed() {
                special(0)
            } else {
                self.power(None, rounding, saturate)
            };
        };
        match self.is_signed() {
            _ if value.is_infinite() && (self.is_signed() || !negative) => beyond,
            false if negative => 0xff,
            false => self.power(Some(magnitude), rounding, saturate),
            true => match self.number(magnitude, rounding) {
                Some(0) => special(0),
                Some(code) => code | sign,
                None => beyond,
            },
        }
    }

    /// The code of a value without its sign; `None` if it lies beyond the largest one.
    fn number(self, magnitude: Magnitude, rounding: FloatRounding) -> Option<u8> {
        let parts = self.parts();
        let digits = parts.significand_bits;
        let smallest = 1 - parts.bias;
        let exponent = magnitude.log2().max(smallest);
        let count = magnitude.count(exponent - digits.cast_signed(), rounding);
        // Codes follow each other as values do: a carry out of the significand is the next exponent. The leading 1 of the
        // count is the field 1 itself.
        let fields = u64::from((exponent - smallest).cast_unsigned()) << digits;
        let code = u8::try_from(fields + count).ok()?;
        (code <= parts.largest).then_some(code)
    }

    /// The code of a power of two; of 0 for `None`.
    fn power(self, magnitude: Option<Magnitude>, rounding: FloatRounding, saturate: bool) -> u8 {
        let parts = self.parts();
        let (least, nan) = (0, 0xff);
        let Some(magnitude) = magnitude else {
            return if saturate { least } else { nan };
        };
        let exponent = magnitude.log2();
        // One or two powers.
        let more = i32::from(magnitude.count(exponent, rounding) == 2);
        let code = exponent + more + parts.bias;
        match u8::try_from(code) {
            Ok(code) if code <= parts.largest => code,
            _ if !saturate => nan,
            _ if code < 0 => least,
            _ => parts.largest,
        }
    }
}

/// `2^exponent` for exponents of `f32`, down to the smallest subnormal one.
fn power_of_two(exponent: i32) -> f32 {
    let bits = match exponent {
        ..-126 => 1 << (exponent + 149).max(0),
        _ => (exponent + 127) << 23,
    };
    f32::from_bits(bits.cast_unsigned())
}
