//! The problems of a model, as they are found.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{Place, Problem, ProblemKind};

/// Problems that are kept; further ones are counted. A damaged file may have one per node.
const KEPT: usize = 256;

/// Collects problems; the same problem at several nodes of one op is counted, not repeated.
#[derive(Debug)]
pub(crate) struct Report {
    file: Arc<str>,
    problems: Vec<Problem>,
    more: usize,
    /// Position of a problem by what makes two problems the same.
    seen: HashMap<String, usize>,
}

impl Report {
    /// No problems of this file yet.
    pub(crate) fn new(file: &str) -> Report {
        Report {
            file: file.into(),
            problems: Vec::new(),
            more: 0,
            seen: HashMap::new(),
        }
    }

    /// Adds a problem.
    pub(crate) fn add(&mut self, place: Place, kind: ProblemKind) {
        let key = match &place {
            Place::Node {
                op_type, domain, ..
            } => format!("{domain}\0{op_type}\0{kind}"),
            other => format!("{other}\0\0{kind}"),
        };
        if let Some(&at) = self.seen.get(&key) {
            self.problems[at].count += 1;
        } else if self.problems.len() < KEPT {
            self.seen.insert(key, self.problems.len());
            self.problems.push(Problem {
                file: self.file.clone(),
                place,
                kind,
                count: 1,
            });
        } else {
            self.more += 1;
        }
    }

    /// The problems, and how many more there were.
    pub(crate) fn finish(self) -> (Vec<Problem>, usize) {
        (self.problems, self.more)
    }
}
