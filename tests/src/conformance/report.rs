//! What came out of a run through the table.

use std::collections::BTreeMap;
use std::fmt;

use graph::scalar::ScalarValue;
use tensor::DType;

use super::{Case, Layout};

/// Something that an executor is known not to do.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The op; `*` for all.
    pub op: &'static str,
    /// The dtype; `None` for all.
    pub dtype: Option<DType>,
    /// The layout; `None` for all.
    pub layout: Option<Layout>,
    /// What the text of the problem contains; so that a refusal does not excuse a wrong result.
    pub problem: &'static str,
    /// Why.
    pub reason: &'static str,
}

impl Exception {
    fn covers(&self, case: &Case<'_>, problem: &Problem) -> bool {
        (self.op == "*" || self.op == case.row.op())
            && self.dtype.is_none_or(|dtype| dtype == case.dtype)
            && self.layout.is_none_or(|layout| layout == case.layout)
            && problem.to_string().contains(self.problem)
    }
}

/// What is wrong with a result.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields are what the variant's sentence names"
)]
pub enum Problem {
    /// The executor gave an error.
    Error(String),
    /// The outputs have other names.
    Outputs {
        expected: Vec<String>,
        got: Vec<String>,
    },
    /// An output has another dtype or shape.
    Type {
        output: String,
        expected: String,
        got: String,
    },
    /// `count` elements are further off than `limit` units in the last place; this one is furthest.
    Element {
        output: String,
        index: Vec<usize>,
        expected: ScalarValue,
        got: ScalarValue,
        ulps: f64,
        limit: u32,
        count: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Error(error) => write!(f, "fails: {error}"),
            Problem::Outputs { expected, got } => {
                write!(f, "outputs {got:?}, expected {expected:?}")
            }
            Problem::Type {
                output,
                expected,
                got,
            } => write!(f, "{output} is {got}, expected {expected}"),
            Problem::Element {
                output,
                index,
                expected,
                got,
                ulps,
                limit,
                count,
            } => write!(
                f,
                "{output}{index:?} is {got}, expected {expected}: {ulps} ULP, limit {limit} ({count} elements are wrong)"
            ),
        }
    }
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The op.
    pub op: String,
    /// Call, inputs and layout in words.
    pub case: String,
    /// dtype of the row's `T`.
    pub dtype: DType,
    /// Layout of the inputs.
    pub layout: Layout,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.case, self.problem)
    }
}

/// The outcome of a run through the table.
#[derive(Clone, Debug)]
pub struct Report {
    /// The executor.
    pub executor: String,
    /// Number of cases.
    pub cases: usize,
    /// What failed and is no exception.
    pub failures: Vec<Failure>,
    /// Exceptions under which every case passed, by their number in the list that was given.
    pub unneeded: Vec<usize>,
    exceptions: Vec<(Exception, bool)>,
}

impl Report {
    pub(super) fn new(executor: String, exceptions: &[Exception]) -> Self {
        Report {
            executor,
            cases: 0,
            failures: Vec::new(),
            unneeded: Vec::new(),
            exceptions: exceptions
                .iter()
                .map(|exception| (*exception, false))
                .collect(),
        }
    }

    pub(super) fn record(&mut self, case: &Case<'_>, problem: Option<Problem>) {
        self.cases += 1;
        let Some(problem) = problem else { return };
        if let Some((_, needed)) = self
            .exceptions
            .iter_mut()
            .find(|(exception, _)| exception.covers(case, &problem))
        {
            *needed = true;
            return;
        }
        let types = case.graph.inputs().iter().map(|&id| case.graph.value(id));
        let inputs: Vec<String> = types
            .map(|value| format!("{}: {}", value.name, value.ty()))
            .collect();
        self.failures.push(Failure {
            op: case.row.op().into(),
            case: format!(
                "{} with {}, {}, {:?}",
                case.row.call,
                inputs.join(", "),
                case.layout,
                case.row.values
            ),
            dtype: case.dtype,
            layout: case.layout,
            problem,
        });
    }

    pub(super) fn close(&mut self) {
        let unneeded = self
            .exceptions
            .iter()
            .enumerate()
            .filter(|(_, (_, needed))| !needed);
        self.unneeded = unneeded.map(|(nth, _)| nth).collect();
    }

    /// Whether every case passed that is no exception, and every exception is needed.
    pub fn passed(&self) -> bool {
        self.failures.is_empty() && self.unneeded.is_empty()
    }
}

/// How many failures of an op and a dtype are written out.
const SHOWN: usize = 3;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (failed, cases) = (self.failures.len(), self.cases);
        writeln!(f, "{}: {failed} of {cases} cases failed", self.executor)?;
        let mut groups: BTreeMap<(&str, DType), Vec<&Failure>> = BTreeMap::new();
        for failure in &self.failures {
            let group = (failure.op.as_str(), failure.dtype);
            groups.entry(group).or_default().push(failure);
        }
        for ((op, dtype), failures) in groups {
            writeln!(f, "  {op} {dtype}: {}", failures.len())?;
            for failure in failures.iter().take(SHOWN) {
                writeln!(f, "    {failure}")?;
            }
        }
        for &nth in &self.unneeded {
            let (exception, _) = &self.exceptions[nth];
            writeln!(f, "  no case fails any more under {exception:?}: remove it")?;
        }
        Ok(())
    }
}
