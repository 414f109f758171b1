//! What is under test.

use std::panic::{AssertUnwindSafe, catch_unwind};

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

/// Runs `graph`; a panic, which is always a bug, is an error too, so that one does not hide all other faults.
pub(crate) fn guarded(executor: &dyn Executor, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
    let run = AssertUnwindSafe(|| executor.run(graph, feeds));
    catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panics: {}", text.unwrap_or("without a text")))
    })
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
