//! Tensors as the file stores them, to tensors.
//!
//! Elements lie either in `raw_data`, little-endian, or in the list of numbers that belongs to the
//! element type; narrow types share `int32_data`. The length is compared with the shape before
//! anything is allocated.

use tensor::{Complex32, Complex64, Tensor, TensorElement, bf16, f16};
use tensor_core::{DType, checked_element_count};

use crate::element;
use crate::error::TensorProblem;
use crate::proto::TensorProto;

/// The location that means another file.
const EXTERNAL: i32 = 1;

/// The tensor that a message describes.
pub(crate) fn decode(proto: &TensorProto) -> Result<Tensor, TensorProblem> {
    let element = element::name(proto.data_type);
    let Some(dtype) = element::dtype(proto.data_type) else {
        return Err(TensorProblem::Element { element });
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
        element: &element,
    };
    let Some(raw) = proto.raw_data.as_ref().filter(|raw| !raw.is_empty()) else {
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
    let width = element::dtype(proto.data_type).map_or(1, DType::size_bytes);
    let stored = proto.raw_data.as_ref().map_or(0, bytes::Bytes::len);
    // Without a dtype (4-bit and 8-bit floats) only the stored bytes tell.
    let bytes = if element::dtype(proto.data_type).is_some() {
        count.saturating_mul(width)
    } else {
        stored
    };
    (count, bytes)
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
