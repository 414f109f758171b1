//! What is under test.

use graph::Graph;
use tensor::{Tensor, TensorView};

/// The feeds of a run, by the names of the graph's inputs.
pub type Feeds<'a> = [(&'a str, TensorView<'a>)];

/// The outputs of a run, in the order of the graph's outputs, or what went wrong.
pub type Outputs = Result<Vec<(String, Tensor)>, String>;

/// Something that runs graphs.
pub trait Executor {
    /// The name that reports use.
    fn name(&self) -> String;

    /// The outputs of `graph` for feeds of any layout.
    ///
    /// # Errors
    /// What went wrong, for the report.
    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs;
}

/// The reference as an executor.
#[derive(Clone, Copy, Debug)]
pub struct Reference;

impl Executor for Reference {
    fn name(&self) -> String {
        "reference".into()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        cpu_interp::reference::run_views(graph, feeds).map_err(|error| error.to_string())
    }
}
