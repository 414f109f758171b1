//! Dead code: a node or constant that no output needs is dropped; inputs stay, since callers feed them.

use graph::{Graph, GraphError, Node, Rewrite, Site, ValueId};

/// The graph without what no output needs.
pub(crate) fn run(graph: &Graph) -> Result<Graph, GraphError> {
    let mut needed = vec![false; graph.values().len()];
    for (_, id) in graph.outputs() {
        needed[id.index()] = true;
    }
    for (_, node) in graph.nodes().rev() {
        if node.outputs.iter().any(|o| needed[o.index()]) {
            for id in node.inputs.iter().flatten() {
                needed[id.index()] = true;
            }
        }
    }
    graph.rewrite(&mut DeadCode { needed })
}

struct DeadCode {
    /// By value: whether an output needs it.
    needed: Vec<bool>,
}

impl Rewrite for DeadCode {
    fn keeps(&self, id: ValueId) -> bool {
        self.needed[id.index()]
    }

    fn node(&mut self, site: &mut Site<'_>, node: &Node) -> Result<Vec<ValueId>, GraphError> {
        site.copy(node, node.op.clone())
    }
}
