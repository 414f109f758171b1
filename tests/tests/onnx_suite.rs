//! The node cases of the ONNX backend suite against the list of those that are known to fail.
//!
//! `cargo xtask test --full` runs this; `cargo test` alone does not, since it needs the suite
//! (`cargo xtask assets onnx-suite`). With the environment variable `TENFOLD_BLESS`, which `cargo xtask bless onnx-suite`
//! sets, the list is written: `update` takes cases that pass off it and renews reasons, `accept` also lists new failures.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use tests::models::{asset, golden_path};
use tests::suite::{BLESS, Case, EXPECTED_FAILURES, Failure, Lists, NODE_CASES, cases, run, table};

/// How many cases run at the same time; each has one thread.
const THREADS: usize = 2;

/// What came of the cases that run.
fn results<'a>(cases: &'a [Case], folder: &Path) -> Vec<(&'a Case, Result<(), Failure>)> {
    let cases: Vec<&Case> = cases.iter().filter(|case| case.runs()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(&case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((case, run(&folder.join(&case.name))));
        }
        done
    };
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let parts = workers.into_iter().map(|worker| worker.join().unwrap());
        parts.flatten().collect::<Vec<_>>()
    });
    all.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    all
}

/// The folder of the cases.
fn folder(cases: &[Case]) -> PathBuf {
    let model = asset(&format!("{NODE_CASES}/{}/model.onnx", cases[0].name));
    model.ancestors().nth(2).unwrap().to_owned()
}

#[test]
fn cases_pass_unless_they_are_listed() {
    let begin = Instant::now();
    let cases = cases();
    let bless = env::var(BLESS).ok();
    let listed = match bless {
        Some(_) => Lists::lenient(&cases),
        None => Lists::committed(&cases),
    };
    let results = results(&cases, &folder(&cases));
    let found = listed.compare(results.iter().map(|(case, result)| (*case, result)));
    let failing = found.updated.with(&found.regressions);
    println!("{}", table(&cases, &failing));
    println!(
        "{} of {} cases pass, in {:.1} s",
        results.iter().filter(|(_, result)| result.is_ok()).count(),
        results.len(),
        begin.elapsed().as_secs_f64()
    );
    let written = match bless.as_deref() {
        None => None,
        Some("update") => Some(&found.updated),
        Some("accept") => Some(&failing),
        Some(other) => panic!("{BLESS} is {other:?}; it can be update or accept"),
    };
    if let Some(list) = written {
        fs::write(golden_path(EXPECTED_FAILURES), list.text()).unwrap();
    }
    let complaints = match written {
        None => found.complaints,
        Some(list) => left(&results, list),
    };
    assert!(
        complaints.is_empty(),
        "{} cases are not as {EXPECTED_FAILURES} says:\n{}\n\
         `cargo xtask bless onnx-suite` takes cases that pass off the list and renews reasons; a case that passed before \
         is to be mended",
        complaints.len(),
        complaints.join("\n")
    );
}

/// What the list that was written does not excuse.
fn left(results: &[(&Case, Result<(), Failure>)], list: &Lists) -> Vec<String> {
    let pairs = results.iter().map(|(case, result)| (*case, result));
    list.compare(pairs).complaints
}
