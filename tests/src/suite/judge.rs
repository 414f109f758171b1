//! One case: its model is imported, compiled and run, and the outputs are compared with those of the suite.
//!
//! Tolerances are those of the suite's own runner, `|got - want| <= 1e-7 + 1e-3 * |want|` with NaN equal to NaN, but
//! integers and booleans have to be equal.

use std::any::Any;
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use graph::scalar::ScalarValue;
use tenfold::onnx::{OnnxError, Place, Problem, ProblemKind};
use tenfold::{CompileOptions, Error, Model};
use tensor::Tensor;

use super::data;
use crate::text;

/// Longest reason in characters.
const LONGEST: usize = 120;

/// Why a case fails.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The model is refused, or its run is.
    Refused(String),
    /// There is a result, and it is another one.
    WrongResult(String),
    /// Something panics: a mistake of ours, whatever the model is.
    Panic(String),
    /// The suite's own data is not read.
    Unreadable(String),
}

/// What the reason of a wrong result begins with.
const WRONG: &str = "WRONG RESULT: ";

impl Failure {
    /// Whether a list may excuse it.
    pub fn can_be_listed(&self) -> bool {
        matches!(self, Failure::Refused(_) | Failure::WrongResult(_))
    }

    /// Whether a reason is that of a wrong result.
    pub fn is_wrong_result(reason: &str) -> bool {
        reason.starts_with(WRONG)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, text) = match self {
            Failure::Refused(text) => ("", text),
            Failure::WrongResult(text) => (WRONG, text),
            Failure::Panic(text) => ("PANIC: ", text),
            Failure::Unreadable(text) => ("the suite's file cannot be read: ", text),
        };
        write!(f, "{what}{}", one_line(text))
    }
}

/// The text in one line without tabs, cut where it is too long.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line,
    }
}

/// Runs the case in this folder.
///
/// # Errors
/// Why it fails.
pub fn run(folder: &Path) -> Result<(), Failure> {
    catch_unwind(AssertUnwindSafe(|| attempt(folder)))
        .unwrap_or_else(|payload| Err(Failure::Panic(message(&*payload))))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "without a text".to_owned())
}

fn attempt(folder: &Path) -> Result<(), Failure> {
    let file = folder.join("model.onnx");
    let bytes = fs::read(&file).map_err(|error| unreadable(&file, &error))?;
    let refused = |error: Error| Failure::Refused(reason(&error));
    let model = Model::from_bytes(bytes, "model").map_err(refused)?;
    let options = CompileOptions {
        threads: Some(1),
        ..CompileOptions::default()
    };
    let function = model.compile(&options).map_err(refused)?;
    let inputs = tensors(folder, "input")?;
    let feeds: Vec<(&str, &Tensor)> = inputs.iter().map(|(n, t)| (n.as_str(), t)).collect();
    let outputs = function.run(&feeds).map_err(refused)?;
    let wanted = tensors(folder, "output")?;
    if wanted.len() != outputs.len() {
        let text = format!("{} outputs, not {}", outputs.len(), wanted.len());
        return Err(Failure::WrongResult(text));
    }
    for ((name, got), (_, want)) in outputs.iter().zip(&wanted) {
        if let Some(difference) = difference(want, got) {
            return Err(Failure::WrongResult(format!("{name}{difference}")));
        }
    }
    Ok(())
}

fn unreadable(file: &Path, error: &dyn fmt::Display) -> Failure {
    let name = file.file_name().unwrap_or(file.as_os_str());
    Failure::Unreadable(format!("{}: {error}", name.to_string_lossy()))
}

/// The tensors of the files `input_0.pb`, `input_1.pb` and so on, or of those of the outputs.
fn tensors(folder: &Path, kind: &str) -> Result<Vec<(String, Tensor)>, Failure> {
    let file = |n: usize| folder.join(format!("test_data_set_0/{kind}_{n}.pb"));
    (0..)
        .map(file)
        .take_while(|file| file.is_file())
        .map(|file| {
            let bytes = fs::read(&file).map_err(|error| unreadable(&file, &error))?;
            data::read(&bytes).map_err(|error| unreadable(&file, &error))
        })
        .collect()
}

/// The first difference, worded to stand behind the name of the output.
fn difference(want: &Tensor, got: &Tensor) -> Option<String> {
    let ty = |tensor: &Tensor| format!("{}{:?}", tensor.dtype(), tensor.shape());
    if ty(want) != ty(got) {
        return Some(format!(" is {}, not {}", ty(got), ty(want)));
    }
    let mut pairs = text::elements(want).into_iter().zip(text::elements(got));
    let at = pairs.position(|(want, got)| !close(want, got))?;
    let (want, got) = (text::elements(want)[at], text::elements(got)[at]);
    Some(format!("[{at}] is {got}, not {want}"))
}

fn close(want: ScalarValue, got: ScalarValue) -> bool {
    if !want.dtype().is_float() {
        return want.bits() == got.bits();
    }
    let (want, got) = (want.to_f64(), got.to_f64());
    let near = || (got - want).abs() <= 1e-7 + 1e-3 * want.abs();
    want == got || (want.is_nan() && got.is_nan()) || (want.is_finite() && near())
}

/// The error in short: what is not supported by the names of its ops, of other problems the first.
fn reason(error: &Error) -> String {
    let import = match error {
        Error::Import(import) => import,
        // Without the name of the function, which is that of the case.
        Error::Compile { source, .. } => return source.to_string(),
        other => return other.to_string(),
    };
    let problems = match &**import {
        OnnxError::Problems { problems, .. } if !problems.is_empty() => problems,
        other => return other.to_string(),
    };
    let unsupported = |problem: &Problem| match &problem.kind {
        ProblemKind::UnsupportedOp { op_type, .. } => Some(op_type.clone()),
        _ => None,
    };
    let mut ops: Vec<String> = problems.iter().filter_map(unsupported).collect();
    ops.sort_unstable();
    ops.dedup();
    match &ops[..] {
        [] => first(&problems[0]),
        [op] => format!("op {op} is not supported"),
        ops => format!("ops {} are not supported", ops.join(", ")),
    }
}

fn first(problem: &Problem) -> String {
    match &problem.place {
        Place::Node { op_type, .. } => format!("{op_type}: {}", problem.kind),
        Place::Model => problem.kind.to_string(),
        place => format!("{place}: {}", problem.kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::DType;

    #[test]
    fn floats_are_compared_with_the_suites_tolerances_and_integers_exactly() {
        let float = |value| ScalarValue::from_f64(DType::F32, value);
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let floats = [
            (1.0, 1.000_9, true),
            (1.0, 1.001_1, false),
            (0.0, 0.9e-7, true),
            (0.0, 1.1e-7, false),
            (nan, nan, true),
            (nan, 1.0, false),
            (1.0, nan, false),
            (inf, inf, true),
            (inf, -inf, false),
            (inf, 1.0, false),
            (1.0, inf, false),
        ];
        for (want, got, expect) in floats {
            assert_eq!(close(float(want), float(got)), expect, "{want} {got}");
        }
        let integer = |value| ScalarValue::from_i64(DType::I64, value);
        assert!(close(integer(100_000), integer(100_000)));
        assert!(!close(integer(100_000), integer(100_001)));
    }

    #[test]
    fn types_differ_before_elements_do() {
        let tensor = |shape: &[usize], values: Vec<f32>| {
            Tensor::from_vec_row_major(shape, values).expect("as many elements")
        };
        let want = tensor(&[2], vec![1.0, 2.0]);
        let cases = [
            (tensor(&[2], vec![1.0, 2.0]), None),
            (tensor(&[2], vec![1.0, 2.5]), Some("[1] is 2.5, not 2")),
            (
                tensor(&[1, 2], vec![1.0, 2.0]),
                Some(" is f32[1, 2], not f32[2]"),
            ),
        ];
        for (got, expect) in cases {
            assert_eq!(difference(&want, &got).as_deref(), expect);
        }
        let integers = Tensor::from_vec_row_major([2], vec![1_i64, 2]).expect("as many elements");
        assert_eq!(
            difference(&want, &integers).as_deref(),
            Some(" is i64[2], not f32[2]")
        );
    }

    #[test]
    fn reasons_are_one_line() {
        let failure = Failure::WrongResult("a\n\tb".to_owned());
        assert_eq!(failure.to_string(), "WRONG RESULT: a b");
        assert_eq!(one_line(&"é".repeat(121)), "é".repeat(120) + "..");
    }

    #[test]
    fn a_panic_is_a_failure() {
        for (payload, expect) in [
            (Box::new("oh") as Box<dyn Any + Send>, "oh"),
            (Box::new("no".to_owned()), "no"),
            (Box::new(1), "without a text"),
        ] {
            assert_eq!(message(&*payload), expect);
        }
        assert!(!Failure::Panic("oh".to_owned()).can_be_listed());
    }
}
