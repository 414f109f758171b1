//! Every op against the values of other engines: `golden/ops.json`, which `golden/make_op_cases.py` made, or the ONNX suite.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::collections::HashSet;

use serde_json::Value;
use tensor::Tensor;
use tests::suite::Lists;
use tests::ulp::Tolerance;
use tests::{Executor, Reference, text};

/// The cases; the first entry of the file says what made it.
fn cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../golden/ops.json")).unwrap();
    file.as_array().unwrap()[1..].to_vec()
}

/// Everything in which the result of `executor` differs from the case's.
fn differences(executor: &dyn Executor, case: &Value) -> Vec<String> {
    let call = case["call"].as_str().unwrap();
    let inputs: Vec<(&str, &str)> = case["inputs"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str().unwrap()))
        .collect();
    let ty = |text: &str| text.split(" = ").next().unwrap().to_owned();
    let types = |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| ty(text)).collect() };
    let more = case["more"].as_array().into_iter().flatten();
    let expect: Vec<&str> = std::iter::once(&case["expect"])
        .chain(more)
        .map(|text| text.as_str().unwrap())
        .collect();
    let declared: Vec<String> = inputs
        .iter()
        .map(|(name, text)| format!("{name}: {}", ty(text)))
        .collect();
    let declared = declared.join(", ");
    // An extent that is known only at the run is declared as a symbol, and further results have types as well.
    let result = case["declared"]
        .as_str()
        .map_or_else(|| types(&expect).join("; "), str::to_owned);
    let graph =
        text::graph(&declared, &result, call).unwrap_or_else(|e| panic!("{call}, {declared}: {e}"));
    let tensors: Vec<_> = inputs
        .iter()
        .map(|(name, text)| (*name, text::tensor(text).unwrap()))
        .collect();
    let feeds: Vec<_> = tensors
        .iter()
        .map(|(name, tensor)| (*name, tensor.view().unwrap()))
        .collect();
    let made = executor
        .run(&graph, &feeds)
        .unwrap_or_else(|e| panic!("{call}, {declared}: {e}"));
    let ulps = u32::try_from(case["ulp"].as_u64().unwrap_or(0)).unwrap();
    let pairs = expect.iter().zip(&made).enumerate();
    pairs
        .flat_map(|(nth, (text, (_, got)))| {
            let place = format!("{call}, {declared}, by {}, result {nth}", case["by"]);
            compare(
                &place,
                &text::tensor(text).unwrap(),
                got,
                Tolerance::ulps(ulps),
            )
        })
        .collect()
}

fn compare(place: &str, want: &Tensor, got: &Tensor, tolerance: Tolerance) -> Vec<String> {
    assert_eq!(
        (got.dtype(), got.shape()),
        (want.dtype(), want.shape()),
        "{place}"
    );
    let pairs = text::elements(want)
        .into_iter()
        .zip(text::elements(got))
        .enumerate();
    pairs
        .filter(|(_, (want, got))| tolerance.distance(*want, *got) > tolerance.ulps)
        .map(|(at, (want, got))| format!("{place}, element {at}: want {want}, got {got}"))
        .collect()
}

#[test]
fn the_reference_agrees_with_other_engines() {
    let differing: Vec<String> = cases()
        .iter()
        .flat_map(|case| differences(&Reference, case))
        .collect();
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

/// The ONNX operators of which a case of the ONNX suite passes.
fn passing_operators() -> HashSet<String> {
    let all = tests::suite::cases();
    let failures = Lists::committed(&all);
    let passing = all.iter().filter(|case| {
        case.runs() && !case.is_expansion() && failures.reason(&case.name).is_none()
    });
    passing.map(|case| case.subject.clone()).collect()
}

/// Each op is compared with another engine: here, or in the ONNX suite under the operator that its entry names as its source.
#[test]
fn every_op_has_a_case() {
    let cases = cases();
    let with_case: HashSet<&str> = cases
        .iter()
        .map(|case| case["call"].as_str().unwrap().split('(').next().unwrap())
        .collect();
    let operators = passing_operators();
    let in_suite = |source: &str| {
        let mut words = source.split(|c: char| !c.is_alphanumeric());
        source.starts_with("ONNX ") && words.any(|word| operators.contains(word))
    };
    let without: Vec<&str> = graph::op::table()
        .iter()
        .filter(|def| !with_case.contains(def.name) && !in_suite(def.source))
        .map(|def| def.name)
        .collect();
    assert!(
        without.is_empty(),
        "ops without a case in golden/ops.json or the ONNX suite: {without:?}"
    );
}
