//! Regions: which elementwise nodes are computed together with the node they follow.
//!
//! A region starts at a root (any node that becomes a step or an expression) and grows over
//! elementwise nodes of the root's shape that read it, in topological order, as long as there is a
//! point where a single value leaves it. That value is the exit: everything up to it is one
//! expression, whether it is a chain, a diamond (`x * clip(x + 3)`) or takes other operands. Other
//! operands cannot depend on the region, since every path out of it goes through the exit.

use std::collections::BTreeSet;

use graph::op::Op;
use graph::{Graph, NodeId, ValueDef, ValueId};

/// Longest region; keeps expressions within registers and compile time linear.
const MAX_NODES: usize = 48;

/// Most operands of a region that are neither its own values nor single numbers. Each becomes a load or a few
/// (see `lower::MAX_LOADS`); executors bind a limited number.
const MAX_OPERANDS: usize = 8;

/// The elementwise nodes that follow a root, and the value that leaves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region {
    /// Elementwise nodes in topological order, the root not among them.
    pub(crate) nodes: Vec<NodeId>,
    /// The value that leaves: of the last node, or the root's if there are no nodes.
    pub(crate) exit: ValueId,
}

/// The readers of each value, by its index.
pub(crate) fn readers(graph: &Graph) -> Vec<Vec<NodeId>> {
    let mut readers = vec![Vec::new(); graph.values().len()];
    for (id, node) in graph.nodes() {
        for input in node.inputs.iter().flatten() {
            readers[input.index()].push(id);
        }
    }
    readers
}

/// Grows the region of the value `root`; `claimed` nodes belong to other regions.
pub(crate) fn grow(
    graph: &Graph,
    readers: &[Vec<NodeId>],
    claimed: &[bool],
    root: ValueId,
) -> Region {
    let shape = &graph.value(root).ty().shape;
    let mut uses = graph_uses(graph, readers);
    let mut members = vec![root];
    let mut absorbed: Vec<NodeId> = Vec::new();
    let mut candidates: BTreeSet<NodeId> = readers[root.index()].iter().copied().collect();
    let mut best = Region {
        nodes: Vec::new(),
        exit: root,
    };
    let mut operands = operands_of(graph, root);
    while let Some(next) = candidates.pop_first() {
        let node = graph.node(next);
        let output = node.outputs[0];
        let fits = matches!(node.op, Op::Map(_)) && graph.value(output).ty().shape == *shape;
        if !fits || claimed[next.index()] {
            continue;
        }
        for input in node.inputs.iter().flatten() {
            let is_number = graph.value(*input).constant().is_some_and(|t| t.len() == 1);
            if !is_number && !members.contains(input) {
                operands.insert(*input);
            }
        }
        if absorbed.len() == MAX_NODES || operands.len() > MAX_OPERANDS {
            break;
        }
        for input in node.inputs.iter().flatten() {
            uses.take(*input);
        }
        absorbed.push(next);
        members.push(output);
        candidates.extend(readers[output.index()].iter().copied());
        let mut leaving = members.iter().filter(|m| uses.left(**m) > 0);
        if let (Some(&exit), None) = (leaving.next(), leaving.next())
            && exit == output
        {
            best = Region {
                nodes: absorbed.clone(),
                exit,
            };
        }
    }
    best
}

/// What an elementwise root reads: operands of its region from the start.
fn operands_of(graph: &Graph, root: ValueId) -> BTreeSet<ValueId> {
    let node = definer(graph, root).map(|id| graph.node(id));
    let elementwise = node.filter(|n| matches!(n.op, Op::Map(_)));
    elementwise
        .into_iter()
        .flat_map(|n| n.inputs.iter().flatten().copied())
        .collect()
}

/// Uses of values that are not yet taken by the region.
struct Uses<'a> {
    graph: &'a Graph,
    readers: &'a [Vec<NodeId>],
    taken: Vec<(ValueId, usize)>,
}

fn graph_uses<'a>(graph: &'a Graph, readers: &'a [Vec<NodeId>]) -> Uses<'a> {
    Uses {
        graph,
        readers,
        taken: Vec::new(),
    }
}

impl Uses<'_> {
    fn take(&mut self, id: ValueId) {
        match self.taken.iter_mut().find(|(v, _)| *v == id) {
            Some((_, n)) => *n += 1,
            None => self.taken.push((id, 1)),
        }
    }

    fn left(&self, id: ValueId) -> usize {
        let taken = self
            .taken
            .iter()
            .find(|(v, _)| *v == id)
            .map_or(0, |(_, n)| *n);
        let outputs = self
            .graph
            .outputs()
            .iter()
            .filter(|(_, o)| *o == id)
            .count();
        self.readers[id.index()].len() + outputs - taken
    }
}

/// The node that defines a value.
pub(crate) fn definer(graph: &Graph, id: ValueId) -> Option<NodeId> {
    match graph.value(id).def {
        ValueDef::Node(node, _) => Some(node),
        ValueDef::Input(_) | ValueDef::Const(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph::{NoConstants, parse};

    fn exit_of(text: &str) -> String {
        let graph = parse(text, &NoConstants).expect("the test's graph is valid");
        let readers = readers(&graph);
        let root = graph.node(graph.nodes().next().expect("a node").0).outputs[0];
        let region = grow(&graph, &readers, &vec![false; graph.nodes().count()], root);
        graph.value(region.exit).name.clone()
    }

    #[test]
    fn a_diamond_is_one_region() {
        let text = "func f(x: f32[4]) -> (y: f32[4]) {
            r: f32[4] = exp(x)
            a: f32[4] = sigmoid(r)
            y: f32[4] = mul(r, a)
        }";
        assert_eq!(exit_of(text), "y");
    }

    #[test]
    fn a_value_with_another_reader_ends_the_region() {
        let text = "func f(x: f32[4]) -> (y: f32[4], s: f32[]) {
            r: f32[4] = exp(x)
            a: f32[4] = sigmoid(r)
            y: f32[4] = neg(a)
            s: f32[] = reduce_sum(a, keep = false, noop_if_empty = false)
        }";
        assert_eq!(exit_of(text), "a");
    }

    #[test]
    fn an_operand_that_depends_on_the_region_keeps_it_closed() {
        let text = "func f(x: f32[4, 4]) -> (y: f32[4, 4]) {
            r: f32[4, 4] = exp(x)
            m: f32[4, 4] = matmul(r, r)
            y: f32[4, 4] = add(m, r)
        }";
        assert_eq!(exit_of(text), "r");
    }

    #[test]
    fn broadcasting_to_a_larger_shape_ends_the_region() {
        let text = "func f(x: f32[4], z: f32[3, 4]) -> (y: f32[3, 4]) {
            r: f32[4] = exp(x)
            y: f32[3, 4] = add(r, z)
        }";
        assert_eq!(exit_of(text), "r");
    }
}
