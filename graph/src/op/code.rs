//! Numbers to codes of narrow float formats, and back.
//!
//! A format of [`FloatFormat`] is no dtype: its numbers are codes in `u8`, and these two ops are all there is to know about
//! them. Every other op moves codes or computes with what [`Decode`] gives.

use super::rule::Inputs;
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{InferError, TensorType, ValueFacts};
use tensor_core::{DType, FloatFormat, FloatRounding};

static ENCODE: OpDef = OpDef {
    name: "encode",
    family: Family::Code,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "the code of the value of `format` that x rounds to; beyond the largest value: that value if `saturate`, else infinity or NaN",
    numerics: Numerics {
        accumulator: "",
        nan: "the format's NaN; f4e2m1fn has none and takes -0",
        max_ulp: 0,
    },
    source: "ONNX Cast to FLOAT8.. and FLOAT4E2M1, OCP Microscaling Formats",
};

static DECODE: OpDef = OpDef {
    name: "decode",
    family: Family::Code,
    arity: (1, 1),
    algebra: Algebra::NONE,
    formula: "the value of `format` that the code x stands for",
    numerics: Numerics {
        accumulator: "",
        nan: "propagates",
        max_ulp: 0,
    },
    source: "ONNX Cast from FLOAT8.. and FLOAT4E2M1, OCP Microscaling Formats",
};

/// Codes of a narrow float format, one per byte.
///
/// **Shapes**: as `x`. **DTypes**: floats to `u8`. **Numerics**: rounded once; [`FloatFormat::encode`] says what becomes of
/// NaN, infinities and what is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encode {
    /// What the codes stand for.
    pub format: FloatFormat,
    /// How values between two of the format are rounded.
    pub rounding: FloatRounding,
    /// Whether values beyond the largest one become that one.
    pub saturate: bool,
}

impl Entry for Encode {
    fn defs() -> Vec<&'static OpDef> {
        vec![&ENCODE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Encode {
            format: attrs.word("format", FloatFormat::named)?,
            rounding: attrs.word("rounding", FloatRounding::named)?,
            saturate: attrs.bool("saturate")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &ENCODE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        inputs.float(0)?;
        let shape = inputs.ty(0)?.shape.iter().cloned();
        let ty = TensorType::new(DType::U8, shape);
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_word("format", self.format.name())
            .with_word("rounding", self.rounding.name())
            .with_bool("saturate", self.saturate)
    }
}

/// The values of codes of a narrow float format.
///
/// **Shapes**: as `x`. **DTypes**: `u8` to a float. **Numerics**: exact, but `f16` rounds the smallest and the largest powers
/// of two of `f8e8m0fnu` to 0 and infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decode {
    /// What the codes stand for.
    pub format: FloatFormat,
    /// dtype of the result.
    pub to: DType,
}

impl Entry for Decode {
    fn defs() -> Vec<&'static OpDef> {
        vec![&DECODE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Decode {
            format: attrs.word("format", FloatFormat::named)?,
            to: attrs.dtype("to")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &DECODE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = inputs.ty(0)?;
        if x.dtype != DType::U8 {
            return Err(inputs.dtype_error(0, "u8 codes"));
        }
        if !self.to.is_float() {
            return Err(inputs.attribute_error("to", self.to, "is no float dtype"));
        }
        let ty = TensorType::new(self.to, x.shape.iter().cloned());
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_word("format", self.format.name())
            .with_word("to", self.to.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::infer;
    use super::*;
    use crate::op::Op;

    #[test]
    fn codes_are_bytes() {
        let encode = Op::Encode(Encode {
            format: FloatFormat::F8E4M3Fn,
            rounding: FloatRounding::NearestEven,
            saturate: true,
        });
        let decode = |to| {
            Op::Decode(Decode {
                format: FloatFormat::F4E2M1Fn,
                to,
            })
        };
        let cases = [
            (&encode, "f16[n, 2]", Ok("u8[n, 2]")),
            (
                &encode,
                "i32[2]",
                Err("encode: input 0 is i32, expected a float dtype"),
            ),
            (&decode(DType::F16), "u8[]", Ok("f16[]")),
            (
                &decode(DType::F32),
                "i8[2]",
                Err("decode: input 0 is i8, expected u8 codes"),
            ),
            (
                &decode(DType::I32),
                "u8[2]",
                Err("decode: to = i32: is no float dtype"),
            ),
        ];
        for (op, input, expect) in cases {
            let expect = expect.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(infer(op, &[input]), expect);
        }
    }

    #[test]
    fn words_that_are_none_are_refused() {
        let attrs = |format: &str| {
            Attrs::new()
                .with_word("format", format)
                .with_word("rounding", "nearest_even")
                .with_bool("saturate", false)
        };
        assert!(Op::from_text("encode", &attrs("f8e5m2")).is_ok());
        let refused = Op::from_text("encode", &attrs("f8e9m9"));
        assert_eq!(refused, Err("attribute format is none of its words".into()));
    }
}
