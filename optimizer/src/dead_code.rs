//! Dead code: a node or constant that no output needs is dropped; inputs stay, since callers feed them.

use graph::{Graph, GraphBuilder, GraphError, ValueDef, ValueId};

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
    let mut builder = GraphBuilder::new(graph.name());
    let mut map: Vec<Option<ValueId>> = vec![None; needed.len()];
    for (id, value) in graph.values() {
        map[id.index()] = match &value.def {
            ValueDef::Input(_) => Some(builder.input(&value.name, value.ty().clone())?),
            ValueDef::Const(tensor) if needed[id.index()] => {
                Some(builder.constant(&value.name, tensor.clone())?)
            }
            ValueDef::Node(node, 0) if needed[id.index()] => {
                let node = graph.node(*node);
                let inputs: Vec<_> = node
                    .inputs
                    .iter()
                    .map(|i| i.and_then(|i| map[i.index()]))
                    .collect();
                Some(builder.node(node.op.clone(), &inputs, &value.name, &node.source)?)
            }
            ValueDef::Const(_) | ValueDef::Node(..) => None,
        };
    }
    for (name, id) in graph.outputs() {
        if let Some(id) = map[id.index()] {
            builder.output(name, id);
        }
    }
    Ok(builder.finish())
}
