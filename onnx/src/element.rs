//! The element types of ONNX: number, name, and the dtype that serves it.

use tensor_core::DType;

/// Rows of `TensorProto.DataType`: number, name, dtype. Rows without a dtype are not supported.
const ROWS: &[(i32, &str, Option<DType>)] = &[
    (1, "FLOAT", Some(DType::F32)),
    (2, "UINT8", Some(DType::U8)),
    (3, "INT8", Some(DType::I8)),
    (4, "UINT16", Some(DType::U16)),
    (5, "INT16", Some(DType::I16)),
    (6, "INT32", Some(DType::I32)),
    (7, "INT64", Some(DType::I64)),
    (8, "STRING", None),
    (9, "BOOL", Some(DType::Bool)),
    (10, "FLOAT16", Some(DType::F16)),
    (11, "DOUBLE", Some(DType::F64)),
    (12, "UINT32", Some(DType::U32)),
    (13, "UINT64", Some(DType::U64)),
    (14, "COMPLEX64", Some(DType::C32)),
    (15, "COMPLEX128", Some(DType::C64)),
    (16, "BFLOAT16", Some(DType::BF16)),
    (17, "FLOAT8E4M3FN", None),
    (18, "FLOAT8E4M3FNUZ", None),
    (19, "FLOAT8E5M2", None),
    (20, "FLOAT8E5M2FNUZ", None),
    (21, "UINT4", None),
    (22, "INT4", None),
    (23, "FLOAT4E2M1", None),
    (24, "FLOAT8E8M0", None),
    (25, "UINT2", None),
    (26, "INT2", None),
    (27, "FLOAT6E2M3", None),
    (28, "FLOAT6E3M2", None),
];

/// The name of an element type; unknown numbers are named by the number.
pub(crate) fn name(code: i32) -> String {
    match ROWS.iter().find(|row| row.0 == code) {
        Some(row) => row.1.to_owned(),
        None if code == 0 => "UNDEFINED".to_owned(),
        None => format!("data type {code}"),
    }
}

/// The dtype that serves an element type, if one does.
pub(crate) fn dtype(code: i32) -> Option<DType> {
    ROWS.iter().find(|row| row.0 == code).and_then(|row| row.2)
}
