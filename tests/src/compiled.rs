//! The way that users take: canonical form, fusion, memory plan, backend; and its first half alone.

use std::fmt;

use cpu_interp::exec::CpuBackend;
use cpu_interp::reference::ReferenceEvaluator;
use graph::op::Op;
use graph::{Graph, bind_inputs};
use optimizer::{Evaluator, canonicalise, compile};
use plan::Backend;
use tensor::{Tensor, TensorView};

use crate::{Executor, Feeds, Outputs, Reference};

/// Folds constants with the reference.
struct Folding;

impl Evaluator for Folding {
    fn evaluate(&self, op: &Op, inputs: &[Option<&Tensor>]) -> Option<Vec<Tensor>> {
        ReferenceEvaluator.evaluate(op, inputs)
    }
}

/// The canonical form of each graph, run by the reference: what the passes alone do.
#[derive(Clone, Copy, Debug)]
pub struct Canonical;

impl Executor for Canonical {
    fn name(&self) -> String {
        "canonical".into()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        let canonical = canonicalise(graph, &Folding).map_err(|error| error.to_string())?;
        canonical
            .verify()
            .map_err(|faults| format!("{faults:?}\n{canonical}"))?;
        Reference.run(&canonical, feeds)
    }
}

/// Each graph compiled for the feeds it gets, and run by a backend.
pub struct Compiled {
    backend: Box<dyn Backend>,
    name: String,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Compiled {
    /// The CPU with this many threads.
    pub fn cpu(threads: usize) -> Self {
        Compiled {
            backend: Box::new(CpuBackend::new(threads)),
            name: format!("cpu, {threads} threads"),
        }
    }

    /// A backend.
    pub fn with(backend: impl Backend + 'static, name: impl Into<String>) -> Self {
        Compiled {
            backend: Box::new(backend),
            name: name.into(),
        }
    }
}

impl Executor for Compiled {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        let views = in_order(graph, feeds)?;
        let shapes: Vec<&[usize]> = views.iter().map(TensorView::shape).collect();
        let layouts: Vec<_> = views.iter().map(|view| view.layout().clone()).collect();
        let bindings = bind_inputs(graph, &shapes).map_err(|error| error.to_string())?;
        let stages = compile(graph, &bindings, &layouts, &Folding, &*self.backend)
            .map_err(|error| format!("compile: {error}"))?;
        let plan = stages.planned;
        plan.verify()
            .map_err(|faults| format!("the plan breaks its law: {faults:?}\n{plan}"))?;
        let prepared = self
            .backend
            .prepare(plan.clone())
            .map_err(|error| format!("prepare: {error}"))?;
        let zeros = |port: &plan::Port| {
            Tensor::zeros(port.dtype, &port.shape[..]).map_err(|error| error.to_string())
        };
        let mut outputs: Vec<Tensor> = plan.outputs.iter().map(zeros).collect::<Result<_, _>>()?;
        // Two runs: the second must not see what the first left behind.
        for _ in 0..2 {
            prepared
                .run(&views, &mut outputs)
                .map_err(|error| format!("run: {error}"))?;
        }
        Ok(plan
            .outputs
            .iter()
            .map(|port| port.name.clone())
            .zip(outputs)
            .collect())
    }
}

/// The feeds in the order of the graph's inputs.
fn in_order<'a>(graph: &Graph, feeds: &Feeds<'a>) -> Result<Vec<TensorView<'a>>, String> {
    let names = graph
        .inputs()
        .iter()
        .map(|&id| graph.value(id).name.as_str());
    names
        .map(|name| {
            let feed = feeds.iter().find(|(feed, _)| *feed == name);
            feed.map(|(_, view)| view.clone())
                .ok_or_else(|| format!("{name} is not fed"))
        })
        .collect()
}
