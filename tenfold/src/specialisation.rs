//! A function for one set of input shapes: its plan, prepared.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use graph::Graph;
use optimizer::Stages;
use plan::{Backend, Plan, Prepared, Report};
use tensor::{Tensor, TensorView};
use thiserror::Error as ThisError;

use crate::{Error, Outputs, feeds};

/// A stage of compilation that has a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The graph as the file says it.
    Import,
    /// Constants folded, composites decomposed, views with attributes.
    Canonical,
    /// Steps with their prologues and epilogues.
    Fused,
    /// The same with offsets in the arena.
    Planned,
}

/// A word that is no stage.
#[derive(Clone, Debug, ThisError, PartialEq, Eq)]
#[error("there is no stage {name:?}; stages are import, canonical, fused and planned")]
pub struct ParseStageError {
    /// The word.
    pub name: String,
}

impl Stage {
    const ALL: [Stage; 4] = [
        Stage::Import,
        Stage::Canonical,
        Stage::Fused,
        Stage::Planned,
    ];
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Import => "import",
            Stage::Canonical => "canonical",
            Stage::Fused => "fused",
            Stage::Planned => "planned",
        })
    }
}

impl FromStr for Stage {
    type Err = ParseStageError;

    fn from_str(text: &str) -> Result<Self, ParseStageError> {
        let found = Stage::ALL
            .into_iter()
            .find(|stage| stage.to_string() == text);
        found.ok_or_else(|| ParseStageError {
            name: text.to_owned(),
        })
    }
}

/// What is kept per set of shapes.
pub(crate) struct Inner {
    stages: Stages,
    prepared: Box<dyn Prepared>,
}

impl Inner {
    pub(crate) fn new(backend: &dyn Backend, stages: Stages) -> Result<Inner, Error> {
        let fail = |source| Error::Backend {
            device: backend.name().to_owned(),
            source: Box::new(source),
        };
        let prepared = backend.prepare(stages.planned.clone()).map_err(fail)?;
        Ok(Inner { stages, prepared })
    }

    pub(crate) fn run(&self, feeds: &[TensorView<'_>]) -> Result<Outputs, Error> {
        let ports = &self.stages.planned.outputs;
        let mut outputs = Vec::with_capacity(ports.len());
        for port in ports {
            outputs.push(Tensor::zeros(port.dtype, &port.shape[..])?);
        }
        let fail = |source| Error::Backend {
            device: self.prepared.report().device.clone(),
            source: Box::new(source),
        };
        self.prepared.run(feeds, &mut outputs).map_err(fail)?;
        Ok(Outputs::new(
            ports.iter().map(|p| p.name.clone()).zip(outputs).collect(),
        ))
    }
}

/// A handle to a kept specialisation; it stays valid when the function forgets it.
#[derive(Clone)]
pub struct Specialisation {
    import: Arc<Graph>,
    canonical: Arc<Graph>,
    inner: Arc<Inner>,
}

impl fmt::Debug for Specialisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specialisation")
            .field("bindings", &self.plan().bindings)
            .field("report", self.report())
            .finish_non_exhaustive()
    }
}

impl Specialisation {
    pub(crate) fn new(import: Arc<Graph>, canonical: Arc<Graph>, inner: Arc<Inner>) -> Self {
        Specialisation {
            import,
            canonical,
            inner,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.inner.stages.planned
    }

    /// What the device decided.
    pub fn report(&self) -> &Report {
        self.inner.prepared.report()
    }

    /// Bytes of intermediates that are alive at the worst moment, as planned.
    pub fn planned_peak_bytes(&self) -> usize {
        self.plan().arena_bytes
    }

    /// The text of a stage; `canonical` is the graph with these shapes.
    pub fn emit(&self, stage: Stage) -> String {
        match stage {
            Stage::Import => self.import.to_string(),
            Stage::Canonical => self.inner.stages.canonical.to_string(),
            Stage::Fused => self.inner.stages.fused.to_string(),
            Stage::Planned => self.inner.stages.planned.to_string(),
        }
    }

    /// Runs with feeds of the shapes and layouts that this was made for.
    ///
    /// # Errors
    /// As [`CompiledFunction::run`](crate::CompiledFunction::run), and if a feed has another layout.
    pub fn run(&self, feeds: &[(&str, &Tensor)]) -> Result<Outputs, Error> {
        self.inner.run(&feeds::ordered(&self.canonical, feeds)?)
    }
}
