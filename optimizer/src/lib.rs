//! Passes graph to graph, fusion into steps, memory planning; knows no backend.
//!
//! [`canonicalise`] rewrites a graph with symbolic or concrete extents to its canonical form: what
//! follows from constants is a constant, views have attributes, composites that every executor would
//! decompose are decomposed, exported layer norms are recognised, dead code is gone.
//! [`compile`] takes a graph with concrete shapes through `canonical`, `fused` and `planned`.
//!
//! Invariants: the same graph gives the same plan, byte for byte (nothing iterates over a hash
//! map); a pass never changes a value beyond the rounding that the op table allows. The verifier
//! runs after each pass in debug builds.
#![forbid(unsafe_code)]

mod canonical;
mod cut;
mod dead_code;
mod error;
mod layer_norm;
mod lower;
mod memory;
mod region;

use std::sync::Arc;

use graph::op::Op;
use graph::{Bindings, Graph};
use plan::{Backend, Plan};
use tensor::Tensor;
use tensor_core::TensorLayout;

pub use cut::{Cut, Settled, cut};
pub use error::OptimizeError;

/// Evaluates an op on constants: the reference executor, handed in so that this crate knows none.
pub trait Evaluator {
    /// The outputs of `op`, or `None` if the evaluator does not serve it.
    fn evaluate(&self, op: &Op, inputs: &[Option<&Tensor>]) -> Option<Vec<Tensor>>;
}

/// The stages of one compilation.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The graph with concrete shapes in canonical form.
    pub canonical: Graph,
    /// Fused steps without offsets.
    pub fused: Plan,
    /// The finished plan.
    pub planned: Arc<Plan>,
}

/// The graph in canonical form. See the crate documentation.
///
/// # Errors
/// If a node's inputs do not suit its op: extents that an earlier stage could not compare.
pub fn canonicalise(graph: &Graph, evaluator: &dyn Evaluator) -> Result<Graph, OptimizeError> {
    let graph = checked(canonical::run(graph, evaluator)?);
    let graph = checked(dead_code::run(&graph)?);
    let graph = checked(layer_norm::run(&graph)?);
    Ok(checked(dead_code::run(&graph)?))
}

/// Compiles a graph for the extents that `bindings` give its symbols, for feeds of these layouts, for a device.
///
/// # Errors
/// If extents do not fit once they are numbers, or a shape needs more memory than an address can name.
pub fn compile(
    graph: &Graph,
    bindings: &Bindings,
    feeds: &[TensorLayout],
    evaluator: &dyn Evaluator,
    backend: &dyn Backend,
) -> Result<Stages, OptimizeError> {
    lower(bind(graph, bindings, evaluator)?, bindings, feeds, backend)
}

/// The canonical graph for the extents that `bindings` give its symbols.
///
/// # Errors
/// If extents do not fit once they are numbers.
pub fn bind(
    graph: &Graph,
    bindings: &Bindings,
    evaluator: &dyn Evaluator,
) -> Result<Graph, OptimizeError> {
    canonicalise(&graph.substitute(bindings)?, evaluator)
}

/// The second half of [`compile`]: a canonical graph with concrete extents through `fused` and `planned`.
///
/// # Errors
/// If an extent is not known (see [`cut`]), or a shape needs more memory than an address can name.
pub fn lower(
    canonical: Graph,
    bindings: &Bindings,
    feeds: &[TensorLayout],
    backend: &dyn Backend,
) -> Result<Stages, OptimizeError> {
    let mut fused = lower::run(&canonical, feeds, backend)?;
    fused.bindings = bindings
        .iter()
        .map(|(s, n)| (s.name().to_owned(), *n))
        .collect();
    let mut planned = fused.clone();
    memory::run(&mut planned)?;
    debug_assert_eq!(
        planned.verify(),
        Ok(()),
        "memory planning keeps the law of plans"
    );
    Ok(Stages {
        canonical,
        fused,
        planned: Arc::new(planned),
    })
}

fn checked(graph: Graph) -> Graph {
    debug_assert_eq!(graph.verify(), Ok(()), "a pass keeps the law of graphs");
    graph
}
