//! Conversions between element types.
//!
//! <https://onnx.ai/onnx/operators/onnx__Cast.html>, `CastLike`.
//!
//! - Opset 6: `Cast` takes the number of the element type. Opset 15: `CastLike`.
//! - Opset 19: `saturate`, for floats of 8 bits. Opset 24: `round_mode`, for `FLOAT8E8M0` only.
//! - Opset 19 to 28: more element types, those that are narrower than any dtype included.
//!
//! Floats become integers of 2 and 4 bits by way of their whole number, whose low bits are kept; the standard leaves open what
//! becomes of numbers that do not fit.

use graph::ValueId;
use graph::op::{BitCast, Decode, Encode, MapOp, Op};
use tensor_core::{DType, FloatFormat, FloatRounding};

use super::{Row, row};
use crate::call::{Call, Done, Stop};
use crate::element::{self, Element, Narrow};

const ROUND: &[&str] = &["saturate", "round_mode"];
const TO_ROUND: &[&str] = &["to", "saturate", "round_mode"];

pub(super) const ROWS: &[Row] = &[
    row("Cast", 6, (1, 1), &["to"], cast),
    row("Cast", 19, (1, 1), &["to", "saturate"], cast),
    row("Cast", 24, (1, 1), TO_ROUND, cast),
    row("CastLike", 15, (2, 2), &[], cast_like),
    row("CastLike", 19, (2, 2), &["saturate"], cast_like),
    row("CastLike", 24, (2, 2), ROUND, cast_like),
];

/// The attributes that say what becomes of numbers that a narrow float does not hold.
struct Mode {
    saturate: bool,
    powers: FloatRounding,
}

impl Mode {
    fn of(call: &mut Call<'_>) -> Mode {
        let saturate = call.flag("saturate", true);
        let powers = match call.text("round_mode", "up").as_str() {
            "up" => FloatRounding::AwayFromZero,
            "down" => FloatRounding::TowardZero,
            "nearest" => FloatRounding::NearestAway,
            other => {
                call.refuse_attribute("round_mode", other, "must be up, down or nearest");
                FloatRounding::AwayFromZero
            }
        };
        Mode { saturate, powers }
    }

    fn encode(&self, format: FloatFormat) -> Op {
        let rounding = match format {
            FloatFormat::F8E8M0FnU => self.powers,
            _ => FloatRounding::NearestEven,
        };
        Op::Encode(Encode {
            format,
            rounding,
            saturate: self.saturate,
        })
    }
}

fn cast(call: &mut Call<'_>) -> Done {
    let code = call.required_int("to");
    let mode = Mode::of(call);
    let code = i32::try_from(code).unwrap_or(0);
    let to = element::element(code).filter(|to| !to.dtype.is_complex());
    if to.is_none() && call.has("to") {
        let reason = "casts to this element type are not supported";
        call.refuse_attribute("to", element::name(code), reason);
    }
    let x = call.input(0)?;
    convert(call, x, to.unwrap_or(Element::of(DType::F32)), &mode)
}

fn cast_like(call: &mut Call<'_>) -> Done {
    let mode = Mode::of(call);
    let (x, like) = (call.input(0)?, call.input(1)?);
    let to = call.element_of(like);
    convert(call, x, to, &mode)
}

/// Makes the value as another element type the first output.
fn convert(call: &mut Call<'_>, x: ValueId, to: Element, mode: &Mode) -> Done {
    let mut x = x;
    if let Some(format) = call.element_of(x).format() {
        let plain = to.narrow.is_none() && to.dtype.is_float();
        let within = if plain { to.dtype } else { DType::F32 };
        let decode = Op::Decode(Decode { format, to: within });
        if plain {
            return call.finish(decode, &[Some(x)]);
        }
        x = call.emit(decode, &[Some(x)])?;
    }
    match to.narrow {
        None => convert_plain(call, x, to.dtype),
        Some(Narrow::Float(format)) => {
            let float = match call.dtype(x) {
                own if own.is_float() => own,
                own if own.is_bool() || own.size_bytes() <= 2 => DType::F32,
                _ => DType::F64,
            };
            let x = call.cast(x, float)?;
            call.finish_element(to, mode.encode(format), &[Some(x)])
        }
        Some(Narrow::Int(bits)) => {
            let wide = call.cast(x, DType::I64)?;
            let low = low_bits(call, wide, bits, to.dtype.is_signed_integer())?;
            call.finish_element(to, Op::Map(MapOp::cast(to.dtype)), &[Some(low)])
        }
    }
}

/// ONNX keeps the low bits of an integer that does not fit; the op table's cast saturates, so the low bits are taken first. A signed
/// result of 32 or 64 bits saturates: such casts are index arithmetic, whose values fit, and their elements have to stay
/// known to inference.
fn convert_plain(call: &mut Call<'_>, x: ValueId, to: DType) -> Done {
    let from = call.dtype(x);
    let index = matches!(to, DType::I32 | DType::I64);
    if !from.is_integer() || !to.is_integer() || index || from == to {
        return call.finish(Op::Map(MapOp::cast(to)), &[Some(x)]);
    }
    let same_bits = |to| Op::BitCast(BitCast { to });
    let wide = match from {
        DType::U64 => call.emit(same_bits(DType::I64), &[Some(x)])?,
        _ => call.cast(x, DType::I64)?,
    };
    let bits = match to.size_bytes() {
        1 => 8,
        2 => 16,
        4 => 32,
        _ => return call.finish(same_bits(to), &[Some(wide)]),
    };
    let low = low_bits(call, wide, bits, to.is_signed_integer())?;
    call.finish(Op::Map(MapOp::cast(to)), &[Some(low)])
}

/// The low bits of an `i64` as an integer of so many bits.
fn low_bits(call: &mut Call<'_>, x: ValueId, bits: u32, signed: bool) -> Result<ValueId, Stop> {
    let range = f64::from(bits).exp2();
    if !signed {
        return call.apply_number("bitwise_and", x, range - 1.0);
    }
    // Raised by half of the range, negative numbers lie below those that are not.
    let raised = call.apply_number("add", x, range / 2.0)?;
    let low = call.apply_number("bitwise_and", raised, range - 1.0)?;
    call.apply_number("sub", low, range / 2.0)
}
