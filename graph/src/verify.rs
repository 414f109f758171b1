//! The law of a graph. It is checked after each pass in debug builds and in tests.
//!
//! - Every id names a value of this graph; every node's inputs are defined before it.
//! - Every value has one definition, and its definition names it back.
//! - Names of values are unique; names of outputs are unique.
//! - Inference over a node's inputs gives the facts that its outputs carry.
//! - Extents that are numbers are not negative.
//!
//! Not checked: that a symbol's uses are consistent (the feeds decide), that anything is used.

use std::collections::HashSet;

use thiserror::Error;

use crate::model::{Graph, NodeId, ValueDef};

/// One breach of the law.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("graph {graph:?}, {place}: {problem}")]
pub struct VerifyError {
    /// Name of the graph.
    pub graph: String,
    /// The value or node.
    pub place: String,
    /// What is wrong.
    pub problem: String,
}

impl Graph {
    /// Checks every invariant; reports all breaches.
    ///
    /// # Errors
    /// All breaches, if there are any: a bug of whoever built the graph.
    pub fn verify(&self) -> Result<(), Vec<VerifyError>> {
        let mut found = Vec::new();
        self.verify_values(&mut found);
        for (id, _) in self.nodes() {
            self.verify_node(id, &mut found);
        }
        let mut names = HashSet::new();
        for (name, id) in &self.outputs {
            if id.index() >= self.values.len() {
                self.report(
                    &mut found,
                    format!("output {name:?}"),
                    "names no value".into(),
                );
            }
            if !names.insert(name) {
                self.report(
                    &mut found,
                    format!("output {name:?}"),
                    "exists twice".into(),
                );
            }
        }
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    fn report(&self, found: &mut Vec<VerifyError>, place: String, problem: String) {
        found.push(VerifyError {
            graph: self.name.clone(),
            place,
            problem,
        });
    }

    fn verify_values(&self, found: &mut Vec<VerifyError>) {
        let mut names = HashSet::new();
        for (id, value) in self.values() {
            let place = || format!("value {:?}", value.name);
            if !names.insert(&value.name) {
                self.report(found, place(), "has the name of another value".into());
            }
            if value
                .ty()
                .shape
                .iter()
                .any(|d| d.as_known().is_some_and(|n| n < 0))
            {
                self.report(
                    found,
                    place(),
                    format!("has a negative extent: {}", value.ty()),
                );
            }
            let named_back = match &value.def {
                ValueDef::Input(n) => self.inputs.get(*n) == Some(&id),
                ValueDef::Const(tensor) => {
                    value.ty().static_shape().as_deref() == Some(tensor.shape())
                }
                ValueDef::Node(node, nth) => {
                    self.nodes
                        .get(node.index())
                        .and_then(|n| n.outputs.get(*nth))
                        == Some(&id)
                }
            };
            if !named_back {
                self.report(found, place(), "its definition does not match it".into());
            }
        }
    }

    fn verify_node(&self, id: NodeId, found: &mut Vec<VerifyError>) {
        let node = self.node(id);
        let place = || format!("node {} ({}, {:?})", id.index(), node.op, node.source);
        let defined_before =
            |input: crate::ValueId| match self.values.get(input.index()).map(|v| &v.def) {
                Some(ValueDef::Node(producer, _)) => producer.index() < id.index(),
                Some(ValueDef::Input(_) | ValueDef::Const(_)) => true,
                None => false,
            };
        if !node.inputs.iter().flatten().all(|&i| defined_before(i)) {
            self.report(found, place(), "an input is not defined before it".into());
            return;
        }
        let output = node
            .outputs
            .first()
            .map_or("", |&id| self.value(id).name.as_str());
        match node.op.infer(&self.facts_of(&node.inputs), output) {
            Err(error) => self.report(found, place(), error.to_string()),
            Ok(facts) => {
                let same = facts.len() == node.outputs.len()
                    && facts
                        .iter()
                        .zip(&node.outputs)
                        .all(|(f, o)| *f == self.value(*o).facts);
                if !same {
                    let carried: Vec<String> = node
                        .outputs
                        .iter()
                        .map(|o| self.value(*o).ty().to_string())
                        .collect();
                    let inferred: Vec<String> = facts.iter().map(|f| f.ty.to_string()).collect();
                    let problem =
                        format!("inference gives {inferred:?}, the outputs carry {carried:?}");
                    self.report(found, place(), problem);
                }
            }
        }
    }
}
