//! Tensors as the file stores them, to tensors.
//!
//! Elements lie either in `raw_data`, little-endian, or in the list of numbers that belongs to the
//! element type; narrow types share `int32_data`. Elements of 2 and 4 bits are packed, in either: the
//! first lies in the low bits of a byte, and they come out one per byte. The length is compared with
//! the shape before anything is allocated.

use tensor::{Complex32, Complex64, Tensor, TensorElement, bf16, f16};
use tensor_core::{DType, checked_element_count};

use crate::element::{self, Element};
use crate::error::TensorProblem;
use crate::proto::TensorProto;

/// The location that means another file.
const EXTERNAL: i32 = 1;

/// The tensor that a message describes.
pub(crate) fn decode(proto: &TensorProto) -> Result<Tensor, TensorProblem> {
    let name = element::name(proto.data_type);
    let Some(element) = element::element(proto.data_type) else {
        return Err(TensorProblem::Element { element: name });
    };
    if proto.data_location == EXTERNAL || !proto.external_data.is_empty() {
        let location = proto.external_data.iter().find(|e| e.key == "location");
        let location = location.map_or_else(String::new, |e| e.value.clone());
        return Err(TensorProblem::External { location });
    }
    if proto.segment.is_some() {
        return Err(TensorProblem::Kind { what: "segmented" });
    }
    let shape = shape(proto)?;
    let impossible = || TensorProblem::Shape {
        dims: proto.dims.clone(),
    };
    let count = checked_element_count("tensor", &shape).map_err(|_| impossible())?;
    let reader = Reader {
        proto,
        shape: &shape,
        count,
        element: &name,
    };
    let dtype = element.dtype;
    let raw = proto.raw_data.as_ref().filter(|raw| !raw.is_empty());
    if element.narrow.is_some() {
        return reader.narrow_elements(element, raw.map(|raw| &raw[..]));
    }
    let Some(raw) = raw else {
        return reader.typed(dtype);
    };
    let bytes = count.checked_mul(dtype.size_bytes());
    if bytes != Some(raw.len()) {
        return Err(reader.length(bytes.unwrap_or(usize::MAX), raw.len(), "bytes"));
    }
    Tensor::from_le_bytes(dtype, &shape, raw).map_err(|_| impossible())
}

/// Elements and bytes that a message says its tensor has; no element is read.
pub(crate) fn declared_size(proto: &TensorProto) -> (usize, usize) {
    let count = shape(proto)
        .ok()
        .and_then(|shape| checked_element_count("tensor", &shape).ok())
        .unwrap_or(0);
    let stored = proto.raw_data.as_ref().map_or(0, bytes::Bytes::len);
    // Of an element type that is not served only the stored bytes tell.
    let bytes = element::element(proto.data_type).map(|element| bytes_of(count, element));
    (count, bytes.unwrap_or(stored))
}

/// Bytes that elements take in a file.
fn bytes_of(count: usize, element: Element) -> usize {
    let bits = element.stored_bits();
    match 8 / bits {
        0 | 1 => count.saturating_mul(bits / 8),
        per_byte => count.div_ceil(per_byte),
    }
}

fn shape(proto: &TensorProto) -> Result<Vec<usize>, TensorProblem> {
    let extents = proto.dims.iter().map(|&d| usize::try_from(d));
    extents
        .collect::<Result<_, _>>()
        .map_err(|_| TensorProblem::Shape {
            dims: proto.dims.clone(),
        })
}

struct Reader<'a> {
    proto: &'a TensorProto,
    shape: &'a [usize],
    count: usize,
    element: &'a str,
}

impl Reader<'_> {
    fn length(&self, expected: usize, got: usize, unit: &'static str) -> TensorProblem {
        TensorProblem::Length {
            dims: self.proto.dims.clone(),
            element: self.element.to_owned(),
            expected,
            got,
            unit,
        }
    }

    /// Reads the list of numbers that belongs to the dtype.
    fn typed(&self, dtype: DType) -> Result<Tensor, TensorProblem> {
        let p = self.proto;
        let int = |v: &i32| i64::from(*v);
        match dtype {
            DType::F32 => self.list("float_data", &p.float_data, 1, |v| Ok(v[0])),
            DType::F64 => self.list("double_data", &p.double_data, 1, |v| Ok(v[0])),
            DType::C32 => self.list("float_data", &p.float_data, 2, |v| {
                Ok(Complex32::new(v[0], v[1]))
            }),
            DType::C64 => self.list("double_data", &p.double_data, 2, |v| {
                Ok(Complex64::new(v[0], v[1]))
            }),
            DType::I64 => self.list("int64_data", &p.int64_data, 1, |v| Ok(v[0])),
            DType::I32 => self.list("int32_data", &p.int32_data, 1, |v| Ok(v[0])),
            DType::I16 => self.narrow(|v| i16::try_from(v).ok()),
            DType::I8 => self.narrow(|v| i8::try_from(v).ok()),
            DType::U16 => self.narrow(|v| u16::try_from(v).ok()),
            DType::U8 => self.narrow(|v| u8::try_from(v).ok()),
            DType::Bool => self.list("int32_data", &p.int32_data, 1, |v| Ok(v[0] != 0)),
            DType::F16 => self.narrow(|v| u16::try_from(v).ok().map(f16::from_bits)),
            DType::BF16 => self.narrow(|v| u16::try_from(v).ok().map(bf16::from_bits)),
            DType::U64 => self.list("uint64_data", &p.uint64_data, 1, |v| Ok(v[0])),
            DType::U32 => self.list("uint64_data", &p.uint64_data, 1, |v| {
                u32::try_from(v[0]).map_err(|_| self.range(i64::try_from(v[0]).unwrap_or(i64::MAX)))
            }),
            DType::External(_) => Err(self.range(int(&0))),
        }
    }

    /// Codes and small integers, one per byte, from bytes that may hold several.
    fn narrow_elements(
        &self,
        element: Element,
        raw: Option<&[u8]>,
    ) -> Result<Tensor, TensorProblem> {
        let expected = bytes_of(self.count, element);
        let list = &self.proto.int32_data;
        let (got, unit) = raw.map_or((list.len(), "int32_data"), |raw| (raw.len(), "bytes"));
        if got != expected {
            return Err(self.length(expected, got, unit));
        }
        // Writers that pack signed integers may hold their bytes for signed.
        let byte = |&number: &i32| {
            let signed = |_| i8::try_from(number).map(i8::cast_unsigned);
            let byte = u8::try_from(number).or_else(signed);
            byte.map_err(|_| self.range(number.into()))
        };
        let listed: Vec<u8>;
        let bytes = match raw {
            Some(raw) => raw,
            None => {
                listed = list.iter().map(byte).collect::<Result<_, _>>()?;
                &listed
            }
        };
        let bits = element.stored_bits();
        let mask = u8::MAX >> (8 - bits);
        let unpacked = bytes
            .iter()
            .flat_map(|byte| (0..8).step_by(bits).map(move |at| byte >> at & mask));
        let codes: Vec<u8> = unpacked.take(self.count).collect();
        let made = if element.dtype == DType::I8 {
            let sign = 1 << (bits - 1);
            let signed = codes.iter().map(|code| (code ^ sign).wrapping_sub(sign));
            let signed: Vec<i8> = signed.map(u8::cast_signed).collect();
            Tensor::from_vec_row_major(self.shape, signed)
        } else {
            Tensor::from_vec_row_major(self.shape, codes)
        };
        made.map_err(|_| TensorProblem::Shape {
            dims: self.proto.dims.clone(),
        })
    }

    fn range(&self, value: i64) -> TensorProblem {
        TensorProblem::Range {
            value,
            element: self.element.to_owned(),
        }
    }

    fn narrow<T: TensorElement>(
        &self,
        convert: impl Fn(i32) -> Option<T>,
    ) -> Result<Tensor, TensorProblem> {
        self.list("int32_data", &self.proto.int32_data, 1, |v| {
            convert(v[0]).ok_or_else(|| self.range(v[0].into()))
        })
    }

    /// A tensor of elements that are `per_element` numbers of the list each.
    fn list<N, T: TensorElement>(
        &self,
        unit: &'static str,
        numbers: &[N],
        per_element: usize,
        convert: impl Fn(&[N]) -> Result<T, TensorProblem>,
    ) -> Result<Tensor, TensorProblem> {
        let expected = self.count.saturating_mul(per_element);
        if numbers.len() != expected {
            return Err(self.length(expected, numbers.len(), unit));
        }
        let elements = numbers.chunks_exact(per_element).map(convert);
        let elements = elements.collect::<Result<Vec<T>, _>>()?;
        Tensor::from_vec_row_major(self.shape, elements).map_err(|_| TensorProblem::Shape {
            dims: self.proto.dims.clone(),
        })
    }
}
