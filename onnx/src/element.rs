//! The element types of ONNX: number, name, and what serves it.
//!
//! Most are a dtype. The narrow ones are none: floats of 8 bits and fewer are codes of a [`FloatFormat`] in `u8`, one per byte,
//! and integers of 2 and 4 bits are numbers in `i8` and `u8`. What such a value is stands beside it ([`crate::narrow`]).

use tensor_core::{DType, FloatFormat};

/// An element type that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// Its number.
    code: i32,
    /// What its elements are in memory.
    pub(crate) dtype: DType,
    /// What they mean, if that is not all.
    pub(crate) narrow: Option<Narrow>,
}

/// What elements mean that are narrower than their dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrow {
    /// Codes of a format.
    Float(FloatFormat),
    /// Integers of so many bits; signed ones if the dtype is.
    Int(u32),
}

/// How a row serves its element type.
#[derive(Clone, Copy, Debug)]
enum Served {
    No,
    DType(DType),
    Float(FloatFormat),
    /// Bits, and whether there is a sign.
    Int(u32, bool),
}

/// Rows of `TensorProto.DataType`.
const ROWS: &[(i32, &str, Served)] = &[
    (1, "FLOAT", Served::DType(DType::F32)),
    (2, "UINT8", Served::DType(DType::U8)),
    (3, "INT8", Served::DType(DType::I8)),
    (4, "UINT16", Served::DType(DType::U16)),
    (5, "INT16", Served::DType(DType::I16)),
    (6, "INT32", Served::DType(DType::I32)),
    (7, "INT64", Served::DType(DType::I64)),
    (8, "STRING", Served::No),
    (9, "BOOL", Served::DType(DType::Bool)),
    (10, "FLOAT16", Served::DType(DType::F16)),
    (11, "DOUBLE", Served::DType(DType::F64)),
    (12, "UINT32", Served::DType(DType::U32)),
    (13, "UINT64", Served::DType(DType::U64)),
    (14, "COMPLEX64", Served::DType(DType::C32)),
    (15, "COMPLEX128", Served::DType(DType::C64)),
    (16, "BFLOAT16", Served::DType(DType::BF16)),
    (17, "FLOAT8E4M3FN", Served::Float(FloatFormat::F8E4M3Fn)),
    (18, "FLOAT8E4M3FNUZ", Served::Float(FloatFormat::F8E4M3FnUz)),
    (19, "FLOAT8E5M2", Served::Float(FloatFormat::F8E5M2)),
    (20, "FLOAT8E5M2FNUZ", Served::Float(FloatFormat::F8E5M2FnUz)),
    (21, "UINT4", Served::Int(4, false)),
    (22, "INT4", Served::Int(4, true)),
    (23, "FLOAT4E2M1", Served::Float(FloatFormat::F4E2M1Fn)),
    (24, "FLOAT8E8M0", Served::Float(FloatFormat::F8E8M0FnU)),
    (25, "UINT2", Served::Int(2, false)),
    (26, "INT2", Served::Int(2, true)),
    (27, "FLOAT6E2M3", Served::Float(FloatFormat::F6E2M3Fn)),
    (28, "FLOAT6E3M2", Served::Float(FloatFormat::F6E3M2Fn)),
];

/// The name of an element type; unknown numbers are named by the number.
pub(crate) fn name(code: i32) -> String {
    match ROWS.iter().find(|row| row.0 == code) {
        Some(row) => row.1.to_owned(),
        None if code == 0 => "UNDEFINED".to_owned(),
        None => format!("data type {code}"),
    }
}

/// The element type of this number, if it is served.
pub(crate) fn element(code: i32) -> Option<Element> {
    let row = ROWS.iter().find(|row| row.0 == code)?;
    let (dtype, narrow) = match row.2 {
        Served::No => return None,
        Served::DType(dtype) => (dtype, None),
        Served::Float(format) => (DType::U8, Some(Narrow::Float(format))),
        Served::Int(bits, true) => (DType::I8, Some(Narrow::Int(bits))),
        Served::Int(bits, false) => (DType::U8, Some(Narrow::Int(bits))),
    };
    Some(Element {
        code,
        dtype,
        narrow,
    })
}

/// The dtype that serves an element type, if one does by itself.
pub(crate) fn dtype(code: i32) -> Option<DType> {
    let element = element(code)?;
    element.narrow.is_none().then_some(element.dtype)
}

impl Element {
    /// The element type that is this dtype.
    pub(crate) fn of(dtype: DType) -> Element {
        let is_it = |row: &&(i32, &str, Served)| matches!(row.2, Served::DType(d) if d == dtype);
        Element {
            code: ROWS.iter().find(is_it).map_or(0, |row| row.0),
            dtype,
            narrow: None,
        }
    }

    /// The format, if the elements are codes of one.
    pub(crate) fn format(self) -> Option<FloatFormat> {
        match self.narrow {
            Some(Narrow::Float(format)) => Some(format),
            Some(Narrow::Int(_)) | None => None,
        }
    }

    /// Bits of an element in a file; fewer than 8 are packed.
    pub(crate) fn stored_bits(self) -> usize {
        match self.narrow {
            Some(Narrow::Int(2)) => 2,
            Some(Narrow::Int(_) | Narrow::Float(FloatFormat::F4E2M1Fn)) => 4,
            // Also floats of 6 bits: each has a byte.
            Some(Narrow::Float(_)) => 8,
            None => 8 * self.dtype.size_bytes(),
        }
    }

    /// The name that ONNX has for it.
    pub(crate) fn name(self) -> String {
        name(self.code)
    }

    /// Smallest and largest integer; `None` for what is no integer of at most 16 bits.
    pub(crate) fn integers(self) -> Option<(i32, i32)> {
        let bits = match self.narrow {
            Some(Narrow::Int(bits)) => bits,
            None if self.dtype.is_integer() && self.dtype.size_bytes() <= 2 => {
                u32::try_from(8 * self.dtype.size_bytes()).ok()?
            }
            Some(Narrow::Float(_)) | None => return None,
        };
        let count = 1_i32 << bits;
        Some(if self.dtype.is_signed_integer() {
            (-count / 2, count / 2 - 1)
        } else {
            (0, count - 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_types_have_a_dtype_a_width_and_a_range() {
        // Number, dtype, bits in a file, range.
        let cases = [
            (2, DType::U8, 8, Some((0, 255))),
            (5, DType::I16, 16, Some((-32768, 32767))),
            (6, DType::I32, 32, None),
            (17, DType::U8, 8, None),
            (21, DType::U8, 4, Some((0, 15))),
            (22, DType::I8, 4, Some((-8, 7))),
            (23, DType::U8, 4, None),
            (25, DType::U8, 2, Some((0, 3))),
            (26, DType::I8, 2, Some((-2, 1))),
            (28, DType::U8, 8, None),
        ];
        for (code, dtype, bits, range) in cases {
            let found = element(code).expect("the type is served");
            let facts = (found.dtype, found.stored_bits(), found.integers());
            assert_eq!(facts, (dtype, bits, range), "{}", found.name());
        }
        assert_eq!(element(8), None);
        assert_eq!([1, 17].map(dtype), [Some(DType::F32), None]);
        assert_eq!(Some(Element::of(DType::BF16)), element(16));
    }
}
