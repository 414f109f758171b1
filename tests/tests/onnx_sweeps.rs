//! ONNX models of one node over the attributes of pools, convolutions, resizing and einsum, as users import and run them.
//!
//! `golden/make_onnx_sweeps.py` made the models, their inputs and what is expected, and says what its files mean. Shapes and
//! dtypes have to be those; elements have to be within the limit that the op table has for the op, in units of the largest
//! element. Whatever fails in a family is reported together.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use graph::scalar::ScalarValue;
use tenfold::prelude::*;
use tensor_io::npz::Npz;
use tests::models::golden_path;
use tests::text::elements;

struct Case {
    name: String,
    model: Vec<u8>,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

/// The dtype that ONNX gives this number.
fn dtype(number: usize) -> DType {
    match number {
        1 => DType::F32,
        2 => DType::U8,
        3 => DType::I8,
        4 => DType::U16,
        5 => DType::I16,
        6 => DType::I32,
        7 => DType::I64,
        9 => DType::Bool,
        11 => DType::F64,
        12 => DType::U32,
        13 => DType::U64,
        other => panic!("dtype {other}"),
    }
}

fn cases(family: &str) -> Vec<Case> {
    let mut file = Npz::open(golden_path(&format!("onnx_sweeps_{family}.npz"))).unwrap();
    let bytes = |tensor: Tensor| tensor.to_vec::<u8>().unwrap();
    let names = String::from_utf8(bytes(file.read("cases").unwrap())).unwrap();
    let models = bytes(file.read("models").unwrap());
    let values = bytes(file.read("values").unwrap());
    let lists: Vec<i64> = file.read("lists").unwrap().to_vec().unwrap();
    let mut lists = lists.into_iter();
    let (mut models, mut values) = (&models[..], &values[..]);
    let cases = names.lines().map(|name| {
        let mut next = || usize::try_from(lists.next().unwrap()).unwrap();
        let [bytes, inputs, outputs] = [next(), next(), next()];
        let model;
        (model, models) = models.split_at(bytes);
        let mut tensors: Vec<Tensor> = Vec::new();
        for _ in 0..inputs + outputs {
            let (dtype, rank) = (dtype(next()), next());
            let shape: Vec<usize> = (0..rank).map(|_| next()).collect();
            let elements;
            let size = shape.iter().product::<usize>() * dtype.size_bytes();
            (elements, values) = values.split_at(size);
            tensors.push(Tensor::from_le_bytes(dtype, &shape, elements).unwrap());
        }
        Case {
            name: name.to_owned(),
            model: model.to_vec(),
            outputs: tensors.split_off(inputs),
            inputs: tensors,
        }
    });
    cases.collect()
}

/// What is wrong with the results of a case.
fn attempt(case: &Case, ulps: f64) -> Result<(), String> {
    let text = |error: tenfold::Error| error.to_string();
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    };
    let model = Model::from_bytes(case.model.clone(), "model").map_err(text)?;
    let function = model.compile(&options).map_err(text)?;
    let inputs: Vec<&Tensor> = case.inputs.iter().collect();
    let outputs = function.call(&inputs).map_err(text)?.into_vec();
    if outputs.len() != case.outputs.len() {
        return Err(format!("{} outputs", outputs.len()));
    }
    for ((name, got), want) in outputs.iter().zip(&case.outputs) {
        if (got.dtype(), got.shape()) != (want.dtype(), want.shape()) {
            let ty = |tensor: &Tensor| format!("{}{:?}", tensor.dtype(), tensor.shape());
            return Err(format!("{name} is {}, expected {}", ty(got), ty(want)));
        }
        let (got, wanted) = (elements(got), elements(want));
        let sizes = wanted.iter().map(|want| want.to_f64().abs());
        let largest = sizes.filter(|size| size.is_finite()).fold(1.0, f64::max);
        let limit = ulps * f64::from(f32::EPSILON) * largest;
        let near = |(got, want): (&ScalarValue, &ScalarValue)| {
            let (g, w) = (got.to_f64(), want.to_f64());
            let same = got.bits() == want.bits() || (g.is_nan() && w.is_nan());
            same || (got.dtype().is_float() && (g == w || (g - w).abs() <= limit))
        };
        if let Some(at) = got.iter().zip(&wanted).position(|pair| !near(pair)) {
            return Err(format!(
                "{name}[{at}] is {}, expected {}",
                got[at], wanted[at]
            ));
        }
    }
    Ok(())
}

/// Runs every case of a family, of which there are at least `least`; `ops` name its limit in the op table.
fn sweep(family: &str, least: usize, ops: &[&str]) {
    let table = graph::op::table();
    let limits = table.iter().filter(|def| ops.contains(&def.name));
    let ulps = limits
        .map(|def| f64::from(def.numerics.max_ulp))
        .fold(0.0, f64::max);
    let cases = cases(family);
    assert!(cases.len() >= least && ulps > 0.0, "{} cases", cases.len());
    let mut failures = Vec::new();
    for case in &cases {
        let run = catch_unwind(AssertUnwindSafe(|| attempt(case, ulps)));
        if let Err(problem) = run.unwrap_or_else(|_| Err("panics".into())) {
            failures.push(format!("{}\n    {problem}", case.name));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases of {family} fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

#[test]
fn pools_over_ceil_mode_padding_dilation_and_what_they_count() {
    sweep("pools", 250, &["max_pool", "average_pool", "lp_pool"]);
}

#[test]
fn convolutions_over_padding_dilation_groups_and_output_shapes() {
    sweep("convolutions", 180, &["conv", "conv_transpose"]);
}

#[test]
fn resizing_over_modes_coordinates_axes_and_policies() {
    sweep("resizes", 300, &["resize"]);
}

/// Division toward zero and both remainders at the ends of every integer, maxima and positions with NaN and ties, softmax of rows of
/// infinities and of none, attention to nothing, numbers beyond 32 and 53 bits.
#[test]
fn edges_of_division_extremes_softmax_and_large_integers() {
    sweep("edges", 120, &["softmax", "log_softmax"]);
}

#[test]
fn einsum_over_ellipses_repeated_and_one_sided_labels_and_many_operands() {
    sweep("einsums", 70, &["matmul"]);
}
