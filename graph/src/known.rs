//! Facts of a constant.

use tensor::Tensor;
use tensor_core::DType;

use crate::scalar::ScalarValue;
use crate::{Dim, TensorType, ValueFacts};

/// Type and, for a small tensor, the elements.
pub(crate) fn facts_of_constant(tensor: &Tensor) -> ValueFacts {
    let ty = TensorType::fixed(tensor.dtype(), tensor.shape());
    let count: usize = tensor.shape().iter().product();
    let dtype = tensor.dtype();
    let follows = dtype.is_integer() || dtype == DType::Bool;
    let known = (follows && count <= ValueFacts::KNOWN_LIMIT)
        .then(|| elements(tensor).map(|v| Dim::Known(v.to_i64())).collect());
    let floats = (dtype.is_float() && count <= ValueFacts::KNOWN_LIMIT)
        .then(|| elements(tensor).map(ScalarValue::to_f64).collect());
    ValueFacts { ty, known, floats }
}

/// The elements in row-major order.
pub(crate) fn elements(tensor: &Tensor) -> impl Iterator<Item = ScalarValue> {
    let dtype = tensor.dtype();
    let bytes = tensor
        .to_le_bytes()
        .expect("memory for a second copy of a small constant");
    let width = dtype.size_bytes();
    (0..bytes.len() / width).map(move |i| {
        let element = &bytes[i * width..(i + 1) * width];
        let bits = element
            .iter()
            .rev()
            .fold(0_u64, |acc, &b| (acc << 8) | u64::from(b));
        ScalarValue::from_bits(dtype, bits)
    })
}
