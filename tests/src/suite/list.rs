//! The committed lists: the cases, and those of them that are known to fail.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use super::Failure;
use crate::models::golden_path;

/// The list of the cases that fail, in the folder `golden/`: one line each, sorted, the name and the reason.
pub const EXPECTED_FAILURES: &str = "onnx_suite_expected_failures.tsv";

/// The list of all cases, in the folder `golden/`.
const CASES: &str = "onnx_suite.tsv";

/// What onnxruntime makes of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnnxRuntime {
    /// What the case expects.
    Pass,
    /// Another result.
    Fail,
    /// No result.
    Error,
    /// It was not asked: the case is out of scope.
    NotAsked,
}

/// A case of the suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, which is that of its folder.
    pub name: String,
    /// The op that it is about, with its domain unless that is the default one.
    pub subject: String,
    /// The opset of the default domain.
    pub opset: u32,
    /// What onnxruntime makes of it.
    pub onnxruntime: OnnxRuntime,
    /// `core`, or why it is out of scope.
    pub class: String,
}

impl Case {
    /// Whether it is run here. Where onnxruntime disagrees with the suite, the suite is no judge.
    pub fn runs(&self) -> bool {
        self.class == "core" && self.onnxruntime != OnnxRuntime::Fail
    }

    /// Whether the model spells out the function of an op instead of having the op.
    pub fn is_expansion(&self) -> bool {
        self.name.contains("_expanded")
    }
}

/// All node cases, sorted by name.
///
/// # Panics
/// If the list of cases cannot be read or is malformed.
pub fn cases() -> Vec<Case> {
    let text = read(CASES);
    let parsed = text.lines().skip(1).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, subject, _ops, _dtypes, opset, onnxruntime, class] = columns[..] else {
            panic!("{CASES}: 7 columns are wanted in {line:?}");
        };
        let onnxruntime = match onnxruntime {
            "pass" => OnnxRuntime::Pass,
            "fail" => OnnxRuntime::Fail,
            "error" => OnnxRuntime::Error,
            "-" => OnnxRuntime::NotAsked,
            other => panic!("{CASES}: {name}: {other:?} is no verdict"),
        };
        let opset = opset.parse();
        Case {
            name: name.to_owned(),
            subject: subject.to_owned(),
            opset: opset.unwrap_or_else(|error| panic!("{CASES}: {name}: opset: {error}")),
            onnxruntime,
            class: class.to_owned(),
        }
    });
    parsed.collect()
}

fn read(file: &str) -> String {
    let read = fs::read_to_string(golden_path(file));
    read.unwrap_or_else(|error| panic!("golden {file}: {error}"))
}

/// The cases that are known to fail, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists(BTreeMap<String, String>);

/// What differs between a list and what happened.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Everything that is not as the list says, one text each.
    pub complaints: Vec<String>,
    /// The list as it should be, where that needs no leave: cases that pass are gone, reasons are those of now.
    pub updated: Lists,
    /// Cases that fail and were not listed, with the line that would list them.
    pub regressions: Lists,
}

impl Lists {
    /// The committed list.
    ///
    /// # Panics
    /// If it cannot be read, is malformed, not sorted, or names a case twice or one that does not run.
    pub fn committed(cases: &[Case]) -> Lists {
        let text = read(EXPECTED_FAILURES);
        let lists = Lists::lenient(cases);
        assert!(
            lists.text() == text,
            "{EXPECTED_FAILURES}: there is something else than one line for each case that fails, sorted by name, of its name, \
             a tab and the reason; `cargo xtask bless onnx-suite` puts it in order"
        );
        lists
    }

    /// What makes sense in the committed list, which may be fresh from a merge: lines in any order, about cases that run.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn lenient(cases: &[Case]) -> Lists {
        let runs = |name: &str| cases.iter().any(|case| case.name == name && case.runs());
        let text = read(EXPECTED_FAILURES);
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        Lists::of(lines.filter(|(name, _)| runs(name)))
    }

    pub(super) fn of<'a>(lines: impl IntoIterator<Item = (&'a str, &'a str)>) -> Lists {
        let owned = |(name, reason): (&str, &str)| (name.to_owned(), reason.to_owned());
        Lists(lines.into_iter().map(owned).collect())
    }

    /// The reason why a case fails, if it is listed.
    pub fn reason(&self, case: &str) -> Option<&str> {
        self.0.get(case).map(String::as_str)
    }

    /// The names and reasons, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, reason)| (name.as_str(), reason.as_str()))
    }

    /// This list and another one.
    #[must_use]
    pub fn with(&self, other: &Lists) -> Lists {
        let both = self.0.iter().chain(&other.0);
        Lists(both.map(|(n, r)| (n.clone(), r.clone())).collect())
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.iter().fold(String::new(), |mut text, (name, reason)| {
            writeln!(text, "{name}\t{reason}").expect("a String takes any text");
            text
        })
    }

    /// Holds the list against what came of the cases.
    pub fn compare<'a>(
        &self,
        results: impl IntoIterator<Item = (&'a Case, &'a Result<(), Failure>)>,
    ) -> Comparison {
        let mut found = Comparison::default();
        for (case, result) in results {
            let name = &case.name;
            match (result, self.reason(name)) {
                (Ok(()), None) => {}
                (Ok(()), Some(_)) => {
                    let text = format!("{name} passes: take it off the list");
                    found.complaints.push(text);
                }
                (Err(failure), _) if !failure.can_be_listed() => {
                    found.complaints.push(format!("{name}: {failure}"));
                    if let Some(reason) = self.reason(name) {
                        found.updated.0.insert(name.clone(), reason.to_owned());
                    }
                }
                (Err(failure), None) => {
                    found.complaints.push(format!("{name}: {failure}"));
                    let line = (name.clone(), failure.to_string());
                    found.regressions.0.extend([line]);
                }
                (Err(failure), Some(listed)) => {
                    let wrong = Failure::is_wrong_result;
                    let now = failure.to_string();
                    if wrong(&now) != wrong(listed) {
                        found.complaints.push(format!(
                            "{name} fails in another way: {now}; listed is: {listed}"
                        ));
                    }
                    found.updated.0.insert(name.clone(), now);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str) -> Case {
        Case {
            name: name.to_owned(),
            subject: "Op".to_owned(),
            opset: 13,
            onnxruntime: OnnxRuntime::Pass,
            class: "core".to_owned(),
        }
    }

    #[test]
    fn a_list_is_held_against_the_results_in_both_directions() {
        let list = Lists::of([
            ("b", "op B is not supported"),
            ("c", "op C is not supported"),
            ("d", "op D is not supported"),
            ("f", "op F is not supported"),
        ]);
        let refused = |text: &str| Err(Failure::Refused(text.to_owned()));
        let results = [
            (case("a"), Ok(())),
            (case("b"), Ok(())),
            (case("c"), refused("C: axis 9")),
            (case("d"), Err(Failure::WrongResult("1, not 2".to_owned()))),
            (case("e"), refused("op E is not supported")),
            (case("f"), Err(Failure::Panic("oh".to_owned()))),
            (case("g"), Err(Failure::Unreadable("cut".to_owned()))),
        ];
        let found = list.compare(results.iter().map(|(case, result)| (case, result)));
        assert_eq!(
            found.complaints,
            [
                "b passes: take it off the list",
                "d fails in another way: WRONG RESULT: 1, not 2; listed is: op D is not supported",
                "e: op E is not supported",
                "f: PANIC: oh",
                "g: the suite's file cannot be read: cut",
            ]
        );
        let updated = [
            ("c", "C: axis 9"),
            ("d", "WRONG RESULT: 1, not 2"),
            ("f", "op F is not supported"),
        ];
        assert_eq!(found.updated, Lists::of(updated));
        assert_eq!(
            found.regressions,
            Lists::of([("e", "op E is not supported")])
        );
        let text = "c\tC: axis 9\nd\tWRONG RESULT: 1, not 2\ne\top E is not supported\nf\top F is not supported\n";
        assert_eq!(found.updated.with(&found.regressions).text(), text);
    }
}
