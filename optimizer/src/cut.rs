//! Cutting a graph whose extents depend on data.
//!
//! Once all inputs have shapes, most graphs have concrete extents throughout. Where one does not, an extent depends on
//! elements: `reshape` to a shape that is computed or fed, `non_zero`. [`cut`] finds what can be computed before these
//! elements are known (the part `ready`), which elements are waited for, and which ops the host has to run to learn the
//! extents of their results. [`Cut::advance`] gives the graph of what remains, once all this has happened.
//!
//! Invariants: every value that the rest reads is an input of the rest, a constant, or computed there; each step makes at
//! least one more value's extents known, so cutting ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph::{
    Bindings, Dim, Graph, GraphError, Node, NodeId, Rewrite, Site, TensorType, Value, ValueDef,
    ValueFacts, ValueId,
};
use tensor::Tensor;

use crate::{OptimizeError, dead_code};

/// How a graph is cut. Ids are of the graph that was cut.
#[derive(Clone, Debug)]
pub struct Cut {
    /// What can be computed now; its inputs are those of the graph, its outputs are `computed` in order.
    pub ready: Graph,
    /// Values that `ready` computes for what follows.
    pub computed: Vec<ValueId>,
    /// Values whose elements become constants of the rest: computed ones, or inputs.
    pub waits: Vec<ValueId>,
    /// Nodes whose inputs are known now and whose results have extents that only running them tells.
    pub hosts: Vec<NodeId>,
}

/// What has become of a value of the graph that was cut.
#[derive(Clone, Debug)]
pub enum Settled {
    /// A constant of the rest: a value that was waited for.
    Constant(Arc<Tensor>),
    /// An input of the rest, of this type.
    Input(TensorType),
}

/// Cuts a canonical graph whose inputs have shapes; `None` if all its extents are known.
///
/// # Errors
/// [`OptimizeError::Dynamic`] if an extent is unknown and nothing that could be run or read makes it known.
pub fn cut(graph: &Graph) -> Result<Option<Cut>, OptimizeError> {
    let Some((_, first)) = graph.values().find(|(_, value)| !is_static(value)) else {
        return Ok(None);
    };
    let ready = ready_nodes(graph);
    let is_ready = |id: ValueId| match graph.value(id).def {
        ValueDef::Input(_) | ValueDef::Const(_) => true,
        ValueDef::Node(node, _) => ready[node.index()],
    };
    let (mut waits, mut hosts) = (Vec::new(), Vec::new());
    for (id, node) in graph.nodes() {
        let known_inputs = node.inputs.iter().flatten().all(|&id| is_ready(id));
        if ready[id.index()] || !known_inputs {
            continue;
        }
        match node.op.waits_for(&graph.facts_of(&node.inputs)) {
            Some(index) => waits.extend(elements_wanted(graph, node, index)),
            None => hosts.push(id),
        }
    }
    waits.sort_unstable();
    waits.dedup();
    if waits.is_empty() && hosts.is_empty() {
        return Err(OptimizeError::Dynamic {
            value: first.name.clone(),
            ty: first.ty().to_string(),
        });
    }
    let computed = carried(graph, &ready, &waits);
    let outputs = computed.iter();
    let outputs = outputs.map(|&id| (graph.value(id).name.clone(), id));
    let ready = dead_code::run(&graph.with_outputs(outputs))?;
    Ok(Some(Cut {
        ready,
        computed,
        waits,
        hosts,
    }))
}

impl Cut {
    /// The graph of what remains. `settled` says what has become of each value of `computed` and `waits` and of the results
    /// of `hosts`.
    ///
    /// # Errors
    /// If the extents, now that they are known, do not suit an op.
    pub fn advance(
        &self,
        graph: &Graph,
        settled: &BTreeMap<ValueId, Settled>,
    ) -> Result<Graph, GraphError> {
        let rest = graph.rewrite(&mut Advance {
            graph,
            settled,
            bindings: Bindings::new(),
        })?;
        dead_code::run(&rest)
    }
}

fn is_static(value: &Value) -> bool {
    value.ty().static_shape().is_some()
}

/// By node: whether everything that it depends on, and its own results, have concrete extents.
fn ready_nodes(graph: &Graph) -> Vec<bool> {
    let mut ready = Vec::new();
    for (_, node) in graph.nodes() {
        let inputs = node.inputs.iter().flatten();
        let inputs_ready = inputs
            .map(|&id| graph.value(id))
            .all(|value| match value.def {
                ValueDef::Input(_) | ValueDef::Const(_) => is_static(value),
                ValueDef::Node(node, _) => {
                    let at: usize = node.index();
                    ready[at]
                }
            });
        let outputs = &node.outputs;
        ready.push(inputs_ready && outputs.iter().all(|&id| is_static(graph.value(id))));
    }
    ready
}

/// The inputs of a node whose elements it waits for: the one that inference misses, and with it all others that are lists
/// of numbers, so that a node with several such inputs waits once. Constants are known already.
fn elements_wanted(graph: &Graph, node: &Node, missing: usize) -> Vec<ValueId> {
    let wanted = |(index, id): (usize, ValueId)| {
        let value = graph.value(id);
        let elements = value
            .ty()
            .static_shape()
            .map(|shape| shape.iter().product());
        let is_list = index > 0
            && value.ty().rank() <= 1
            && elements.is_some_and(|n: usize| n <= ValueFacts::KNOWN_LIMIT);
        (value.constant().is_none() && (index == missing || is_list)).then_some(id)
    };
    let inputs = node.inputs.iter().enumerate();
    let inputs = inputs.filter_map(|(index, id)| Some((index, (*id)?)));
    inputs.filter_map(wanted).collect()
}

/// The values of ready nodes that something else reads: the rest, the host, or the caller.
fn carried(graph: &Graph, ready: &[bool], waits: &[ValueId]) -> Vec<ValueId> {
    let mut wanted = vec![false; graph.values().len()];
    for (id, node) in graph.nodes() {
        if !ready[id.index()] {
            for input in node.inputs.iter().flatten() {
                wanted[input.index()] = true;
            }
        }
    }
    let outputs = graph.outputs().iter().map(|(_, id)| id);
    for id in outputs.chain(waits) {
        wanted[id.index()] = true;
    }
    let computed = graph.nodes().filter(|(id, _)| ready[id.index()]);
    computed
        .filter(|(_, node)| node.outputs.iter().any(|id| wanted[id.index()]))
        .flat_map(|(_, node)| node.outputs.iter().copied())
        .collect()
}

/// Puts what is settled in the place of what was computed.
struct Advance<'a> {
    graph: &'a Graph,
    settled: &'a BTreeMap<ValueId, Settled>,
    /// Extents of results that are numbers now and were symbols; attributes of later nodes may name them.
    bindings: Bindings,
}

impl Advance<'_> {
    fn settle(&mut self, old: &Value, new: &TensorType) {
        for (old, new) in old.ty().shape.iter().zip(&new.shape) {
            if let (Dim::Symbol(symbol), Some(extent)) = (old, new.as_extent()) {
                self.bindings.insert(symbol.clone(), extent);
            }
        }
    }
}

impl Rewrite for Advance<'_> {
    fn bound(&mut self, input: &Value) -> Option<Arc<Tensor>> {
        let ValueDef::Input(nth) = input.def else {
            return None;
        };
        match self.settled.get(&self.graph.inputs()[nth]) {
            Some(Settled::Constant(tensor)) => Some(tensor.clone()),
            Some(Settled::Input(_)) | None => None,
        }
    }

    fn node(&mut self, site: &mut Site<'_>, node: &Node) -> Result<Vec<ValueId>, GraphError> {
        let settled = node.outputs.iter().map(|id| self.settled.get(id));
        let Some(settled) = settled.collect::<Option<Vec<_>>>() else {
            let made = site.copy(node, node.op.substitute(&self.bindings))?;
            for (&old, &new) in node.outputs.iter().zip(&made) {
                self.settle(self.graph.value(old), site.builder.ty(new));
            }
            return Ok(made);
        };
        let names = site.names(node);
        let mut made = Vec::with_capacity(names.len());
        for ((name, settled), &old) in names.into_iter().zip(settled).zip(&node.outputs) {
            let new = match settled {
                Settled::Constant(tensor) => site.builder.constant(name, tensor.clone()),
                Settled::Input(ty) => site.builder.input(name, ty.clone()),
            }?;
            self.settle(self.graph.value(old), site.builder.ty(new));
            made.push(new);
        }
        Ok(made)
    }
}
