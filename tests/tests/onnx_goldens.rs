//! Models of one operator, which becomes several ops, against the values of other engines: `golden/onnx_cases.json`, which
//! `golden/make_onnx_cases.py` made. Unlike the models of the ONNX suite most of them have symbols as extents.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use graph::scalar::ScalarValue;
use serde_json::Value;
use tenfold::{CompileOptions, Error, Model, Outputs};
use tensor::{DType, Tensor};
use tests::text;

/// The cases; the first entry of the file says what made it.
fn cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../golden/onnx_cases.json")).unwrap();
    file.as_array().unwrap()[1..].to_vec()
}

/// The bytes of a text of hexadecimal digits.
fn bytes(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn run(case: &Value) -> Result<Outputs, Error> {
    let model = Model::from_bytes(bytes(case["model"].as_str().unwrap()), "case.onnx")?;
    let options = CompileOptions {
        threads: Some(1),
        ..CompileOptions::default()
    };
    let function = model.compile(&options)?;
    let inputs = case["inputs"].as_object().unwrap().iter();
    let inputs: Vec<_> = inputs
        .map(|(name, text)| (name, text::tensor(text.as_str().unwrap()).unwrap()))
        .collect();
    let feeds: Vec<(&str, &Tensor)> = inputs.iter().map(|(n, t)| (n.as_str(), &**t)).collect();
    function.run(&feeds)
}

/// The distance that other ways to round can explain, for results of about 1.
fn close(want: ScalarValue, got: ScalarValue) -> bool {
    let limit = match want.dtype() {
        DType::F64 => 1e-12,
        DType::F32 => 3e-6,
        DType::F16 => 3e-3,
        _ => 0.0,
    };
    let (want, got) = (want.to_f64(), got.to_f64());
    want == got
        || (want.is_nan() && got.is_nan())
        || (got - want).abs() <= limit * (1.0 + want.abs())
}

/// What is wrong with the outputs of a case.
fn problem(case: &Value) -> Option<String> {
    let made = match run(case) {
        Ok(made) => made,
        Err(error) => return Some(error.to_string()),
    };
    let wanted = case["outputs"].as_array().unwrap();
    assert_eq!(made.len(), wanted.len());
    wanted
        .iter()
        .zip(made.iter())
        .find_map(|(want, (name, got))| {
            let want = text::tensor(want.as_str().unwrap()).unwrap();
            if (want.dtype(), want.shape()) != (got.dtype(), got.shape()) {
                let (dtype, shape) = (got.dtype(), got.shape());
                return Some(format!(
                    "{name} is {dtype}{shape:?}, not {}{:?}",
                    want.dtype(),
                    want.shape()
                ));
            }
            let pairs = text::elements(&want).into_iter().zip(text::elements(got));
            let mut wrong = pairs
                .enumerate()
                .filter(|(_, (want, got))| !close(*want, *got));
            wrong
                .next()
                .map(|(at, (want, got))| format!("{name}[{at}] is {got}, not {want}"))
        })
}

#[test]
fn operators_agree_with_other_engines() {
    let failing: Vec<String> = cases()
        .iter()
        .filter_map(|case| {
            let (name, by) = (case["name"].as_str().unwrap(), case["by"].as_str().unwrap());
            problem(case).map(|problem| format!("{name}, by {by}: {problem}"))
        })
        .collect();
    assert!(
        failing.is_empty(),
        "{} differ:\n{}",
        failing.len(),
        failing.join("\n")
    );
}
