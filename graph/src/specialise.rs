//! From symbols to numbers: a graph for given input shapes.

use crate::{Bindings, Dim, Graph, GraphBuilder, GraphError, TensorType, ValueDef, ValueId};

/// The numbers that the shapes of the feeds give the symbols of the inputs.
///
/// # Errors
/// If a shape does not have the declared rank or a declared extent, or if a symbol gets two values.
pub fn bind_inputs(graph: &Graph, shapes: &[&[usize]]) -> Result<Bindings, GraphError> {
    if shapes.len() != graph.inputs().len() {
        let names: Vec<&str> = graph
            .inputs()
            .iter()
            .map(|&id| graph.value(id).name.as_str())
            .collect();
        let expected = names.len();
        return Err(GraphError::InputCount {
            expected,
            names: names.join(", "),
            got: shapes.len(),
        });
    }
    let mut bindings = Bindings::new();
    for (&id, &shape) in graph.inputs().iter().zip(shapes) {
        bind_one(
            &graph.value(id).name,
            graph.value(id).ty(),
            shape,
            &mut bindings,
        )?;
    }
    Ok(bindings)
}

fn bind_one(
    input: &str,
    declared: &TensorType,
    shape: &[usize],
    bindings: &mut Bindings,
) -> Result<(), GraphError> {
    let mismatch = || GraphError::InputShape {
        input: input.to_owned(),
        declared: declared.clone(),
        got: shape.to_vec(),
    };
    if shape.len() != declared.rank() {
        return Err(mismatch());
    }
    for (dim, &extent) in declared.shape.iter().zip(shape) {
        match dim {
            Dim::Symbol(symbol) => {
                let first = *bindings.entry(symbol.clone()).or_insert(extent);
                if first != extent {
                    return Err(GraphError::SymbolConflict {
                        input: input.to_owned(),
                        declared: declared.clone(),
                        got: shape.into(),
                        symbol: symbol.clone(),
                        first,
                        second: extent,
                    });
                }
            }
            other if other.substitute(bindings) == Dim::from(extent) => {}
            Dim::Known(_) | Dim::Expr(_) => return Err(mismatch()),
        }
    }
    Ok(())
}

impl Graph {
    /// The graph with bound symbols replaced by numbers and every type inferred anew.
    ///
    /// # Errors
    /// If a node's inputs no longer suit its op, for example extents that do not broadcast.
    pub fn substitute(&self, bindings: &Bindings) -> Result<Graph, GraphError> {
        let mut builder = GraphBuilder::new(self.name());
        let mut map: Vec<Option<ValueId>> = vec![None; self.values.len()];
        for (id, value) in self.values() {
            map[id.index()] = match &value.def {
                ValueDef::Input(_) => {
                    let shape = value.ty().shape.iter().map(|d| d.substitute(bindings));
                    Some(builder.input(&value.name, TensorType::new(value.ty().dtype, shape))?)
                }
                ValueDef::Const(tensor) => Some(builder.constant(&value.name, tensor.clone())?),
                ValueDef::Node(node, 0) => {
                    let node = self.node(*node);
                    let inputs: Vec<_> = node
                        .inputs
                        .iter()
                        .map(|i| i.and_then(|i| map[i.index()]))
                        .collect();
                    Some(builder.node(
                        node.op.substitute(bindings),
                        &inputs,
                        &value.name,
                        &node.source,
                    )?)
                }
                ValueDef::Node(node, nth) => {
                    let first = map[self.node(*node).outputs[0].index()];
                    first.map(|id| ValueId(id.0 + *nth as u32))
                }
            };
        }
        for (name, id) in self.outputs() {
            if let Some(id) = map[id.index()] {
                builder.output(name, id);
            }
        }
        Ok(builder.finish())
    }
}
