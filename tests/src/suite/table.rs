//! The table of operators, made from the two lists.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Failure;
use super::list::{Case, Lists, OnnxRuntime};

/// The table's file, seen from this crate.
const TABLE: &str = "../SUPPORTED_OPS.md";

const HEAD: &str = "\
# Operators of ONNX

Made by `cargo xtask bless onnx-suite` from `tests/golden/onnx_suite.tsv` and `tests/golden/onnx_suite_expected_failures.tsv`;
a test holds both against what happens, and this page against both.

Each line counts the node cases of the ONNX backend suite (package onnx 1.22.0) that are about one operator of the default domain.
*opsets*: the oldest and the newest opset of its cases. *in scope*: without random numbers, strings, sequences, optional
values, control flow, training and images. *onnxruntime*, *Tenfold*: how many of those in scope pass with onnxruntime
1.32.0 on the CPU, and here. Where onnxruntime gives another result than the suite expects, the case is not run. A
`+ n` counts cases in which the operator is written out as its function, in terms of other operators.

| operator | opsets | cases | in scope | onnxruntime | Tenfold |
|---|---|---|---|---|---|
";

/// Cases of one kind, and those that pass.
#[derive(Clone, Copy, Default)]
struct Counts {
    cases: usize,
    core: usize,
    onnxruntime: usize,
    ours: usize,
}

impl Counts {
    fn add(&mut self, case: &Case, failures: &Lists) {
        self.cases += 1;
        self.core += usize::from(case.class == "core");
        self.onnxruntime += usize::from(case.onnxruntime == OnnxRuntime::Pass);
        self.ours += usize::from(case.runs() && failures.reason(&case.name).is_none());
    }

    fn columns(self) -> [usize; 4] {
        [self.cases, self.core, self.onnxruntime, self.ours]
    }
}

#[derive(Clone, Copy)]
struct Row {
    opsets: (u32, u32),
    direct: Counts,
    expanded: Counts,
}

impl Row {
    fn new(opset: u32) -> Row {
        Row {
            opsets: (opset, opset),
            direct: Counts::default(),
            expanded: Counts::default(),
        }
    }

    fn add(&mut self, case: &Case, failures: &Lists) {
        let (oldest, newest) = self.opsets;
        self.opsets = (oldest.min(case.opset), newest.max(case.opset));
        let counts = if case.is_expansion() {
            &mut self.expanded
        } else {
            &mut self.direct
        };
        counts.add(case, failures);
    }

    fn line(&self, operator: &str) -> String {
        let opsets = match self.opsets {
            (oldest, newest) if oldest == newest => oldest.to_string(),
            (oldest, newest) => format!("{oldest} to {newest}"),
        };
        let mut line = format!("| {operator} | {opsets} ");
        for (direct, expanded) in self.direct.columns().iter().zip(self.expanded.columns()) {
            let text = match self.expanded.cases {
                0 => format!("| {direct} "),
                _ => format!("| {direct} + {expanded} "),
            };
            line.push_str(&text);
        }
        line + "|\n"
    }
}

/// The page: one line per operator, then the sums, then the cases with a wrong result.
pub fn table(cases: &[Case], failures: &Lists) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut all: Option<Row> = None;
    for case in cases.iter().filter(|case| !case.subject.contains('.')) {
        let row = rows.entry(&case.subject).or_insert(Row::new(case.opset));
        row.add(case, failures);
        let all = all.get_or_insert(Row::new(case.opset));
        all.add(case, failures);
    }
    let mut page = HEAD.to_owned();
    for (operator, row) in &rows {
        page.push_str(&row.line(operator));
    }
    if let Some(all) = all {
        page.push_str(&all.line("**all**"));
    }
    page.push_str("\n## Wrong results\n\n");
    let wrong = failures
        .iter()
        .filter(|(_, reason)| Failure::is_wrong_result(reason));
    let before = page.len();
    for (name, reason) in wrong {
        writeln!(page, "- `{name}`: {reason}").expect("a String takes any text");
    }
    if page.len() == before {
        page.push_str("None of the cases above that fail gives a wrong result: each is refused with an error.\n");
    }
    page
}

/// Where the table is.
pub fn table_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, subject: &str, opset: u32, onnxruntime: OnnxRuntime) -> Case {
        let asked = onnxruntime != OnnxRuntime::NotAsked;
        Case {
            name: name.to_owned(),
            subject: subject.to_owned(),
            opset,
            onnxruntime,
            class: if asked { "core" } else { "strings" }.to_owned(),
        }
    }

    #[test]
    fn cases_are_counted_by_operator() {
        use OnnxRuntime::{Error, Fail, NotAsked, Pass};
        let cases = [
            case("a_1", "A", 13, Pass),
            case("a_1_expanded", "A", 13, Pass),
            case("a_2", "A", 9, Error),
            case("a_3", "A", 18, Pass),
            case("b_1", "B", 7, Fail),
            case("b_2", "B", 7, NotAsked),
            case("c_1", "some.domain.C", 7, NotAsked),
        ];
        let list = Lists::of([
            ("a_1_expanded", "WRONG RESULT: y[0] is 1, not 2"),
            ("a_3", "no"),
        ]);
        let page = table(&cases, &list);
        let made = page.strip_prefix(HEAD).expect("the head");
        let expect = "\
| A | 9 to 18 | 3 + 1 | 3 + 1 | 2 + 1 | 2 + 0 |
| B | 7 | 2 | 1 | 0 | 0 |
| **all** | 7 to 18 | 5 + 1 | 4 + 1 | 2 + 1 | 2 + 0 |

## Wrong results

- `a_1_expanded`: WRONG RESULT: y[0] is 1, not 2
";
        assert_eq!(made, expect);
        let none = table(&cases, &Lists::default());
        assert!(none.ends_with("refused with an error.\n"), "{none}");
    }
}
