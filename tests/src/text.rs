//! Tensors and graphs of one node from short texts, in the syntax of the text form of graphs.

use std::sync::Arc;

use graph::scalar::ScalarValue;
use graph::{Graph, NoConstants, ParseError, parse};
use tensor::Tensor;

/// The tensor of a text such as `f32[2, 2] = {1, -0, inf, nan}`; `nan` is the usual quiet NaN of the dtype.
///
/// # Errors
/// What is wrong with the text.
pub fn tensor(text: &str) -> Result<Arc<Tensor>, ParseError> {
    let quiet = match text.split('[').next() {
        Some("f64") => "nan(0x7ff8000000000000)",
        Some("f16") => "nan(0x7e00)",
        Some("bf16") => "nan(0x7fc0)",
        _ => "nan(0x7fc00000)",
    };
    let text = text.replace("nan", quiet);
    let graph = parse(
        &format!("func f() -> () {{\n  const c: {text}\n}}"),
        &NoConstants,
    )?;
    let constants = graph.values().filter_map(|(_, value)| value.constant());
    match constants.last() {
        Some(constant) => Ok(Arc::clone(constant)),
        None => unreachable!("the parser has read a constant"),
    }
}

/// The graph `result = call` of one node: `graph("a: f32[2], b: f32[]", "f32[2]", "add(a, b)")`. The types of several results stand one
/// after another, `f32[2]; i64[2]`; their names are `result`, `result_1` and so on.
///
/// # Errors
/// What is wrong with the text, or that inference gives another result.
pub fn graph(inputs: &str, result: &str, call: &str) -> Result<Graph, ParseError> {
    graph_with(inputs, "", result, call)
}

/// As [`graph()`], with constants that the call may read, and any number of results: their types with `;` between them.
///
/// # Errors
/// As [`graph()`].
pub fn graph_with(
    inputs: &str,
    constants: &str,
    results: &str,
    call: &str,
) -> Result<Graph, ParseError> {
    let named = |(nth, ty): (usize, &str)| match nth {
        0 => format!("result: {ty}"),
        _ => format!("result{nth}: {ty}"),
    };
    let types = results.split(';').map(str::trim);
    let results: Vec<String> = types.enumerate().map(named).collect();
    let results = results.join(", ");
    parse(
        &format!("func f({inputs}) -> ({results}) {{\n  {constants}\n  {results} = {call}\n}}"),
        &NoConstants,
    )
}

/// The elements in row-major order.
///
/// # Panics
/// If memory for a copy can't be had.
pub fn elements(tensor: &Tensor) -> Vec<ScalarValue> {
    let dtype = tensor.dtype();
    let bytes = tensor
        .to_le_bytes()
        .expect("memory for a copy of a test's tensor");
    let bits = |element: &[u8]| {
        element
            .iter()
            .rev()
            .fold(0, |acc, &byte| acc << 8 | u64::from(byte))
    };
    let elements = bytes.chunks_exact(dtype.size_bytes());
    elements
        .map(|element| ScalarValue::from_bits(dtype, bits(element)))
        .collect()
}

/// The row-major tensor of these elements, all of one dtype.
///
/// # Panics
/// If the elements do not fill the shape.
pub fn of_elements(dtype: tensor::DType, shape: &[usize], elements: &[ScalarValue]) -> Tensor {
    let width = dtype.size_bytes();
    let bytes: Vec<u8> = elements
        .iter()
        .flat_map(|e| e.bits().to_le_bytes()[..width].to_vec())
        .collect();
    Tensor::from_le_bytes(dtype, shape, &bytes).expect("the elements fill the shape")
}
