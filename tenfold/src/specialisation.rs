//! What was compiled for one set of input shapes, to look at and to run.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use graph::Graph;
use optimizer::Stages;
use plan::{Plan, Report};
use tensor::Tensor;
use thiserror::Error as ThisError;

use crate::feeds::Slot;
use crate::segment::{Compiler, Segment};
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

/// A handle to kept plans; it stays valid when the function forgets them.
#[derive(Clone)]
pub struct Specialisation {
    import: Arc<Graph>,
    compiler: Arc<Compiler>,
    segments: Vec<Arc<Segment>>,
}

impl fmt::Debug for Specialisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specialisation")
            .field("bindings", &self.segments[0].stages.planned.bindings)
            .field("report", self.segments[0].prepared.report())
            .field("segments", &self.segments.len())
            .finish_non_exhaustive()
    }
}

impl Specialisation {
    pub(crate) fn new(
        import: Arc<Graph>,
        compiler: Arc<Compiler>,
        segments: Vec<Arc<Segment>>,
    ) -> Self {
        Specialisation {
            import,
            compiler,
            segments,
        }
    }

    /// The plans in the order in which they run; one unless extents depend on data.
    pub fn plans(&self) -> impl ExactSizeIterator<Item = &Plan> {
        self.segments.iter().map(|segment| &*segment.stages.planned)
    }

    /// What the device decided, for each plan.
    pub fn reports(&self) -> impl ExactSizeIterator<Item = &Report> {
        self.segments
            .iter()
            .map(|segment| segment.prepared.report())
    }

    /// Bytes of intermediates that are alive at the worst moment, as planned.
    pub fn planned_peak_bytes(&self) -> usize {
        self.plans().map(|plan| plan.arena_bytes).max().unwrap_or(0)
    }

    /// The text of a stage; `canonical` is the graph with these shapes. Several plans follow each other.
    pub fn emit(&self, stage: Stage) -> String {
        let each = |text: fn(&Stages) -> String| {
            let texts = self.segments.iter().map(|segment| text(&segment.stages));
            texts.collect::<String>()
        };
        match stage {
            Stage::Import => self.import.to_string(),
            Stage::Canonical => each(|stages| stages.canonical.to_string()),
            Stage::Fused => each(|stages| stages.fused.to_string()),
            Stage::Planned => each(|stages| stages.planned.to_string()),
        }
    }

    /// Runs with feeds of the shapes and layouts that this was made for.
    ///
    /// # Errors
    /// As [`CompiledFunction::run`](crate::CompiledFunction::run), and if a feed has another layout.
    pub fn run(&self, feeds: &[(&str, &Tensor)]) -> Result<Outputs, Error> {
        let inputs = feeds::ports(&self.import);
        let slots: Vec<Slot> = (0..inputs.len()).map(Slot::Feed).collect();
        let views = feeds::views(&inputs, &slots, feeds, &[])?;
        let first = &self.segments[0];
        let made = first.run(&self.compiler, &views, &mut |_| {}, Segment::fresh)?;
        let names = self.import.outputs().iter().map(|(name, _)| name.clone());
        Ok(Outputs::new(names.zip(made).collect()))
    }
}
