//! From symbols to numbers: a graph for given input shapes.

use crate::{Bindings, Dim, Graph, GraphError, Node, Rewrite, Site, TensorType, ValueId};

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

/// Replaces symbols.
struct Substitute<'a>(&'a Bindings);

impl Rewrite for Substitute<'_> {
    fn input(&mut self, ty: &TensorType) -> TensorType {
        let shape = ty.shape.iter().map(|d| d.substitute(self.0));
        TensorType::new(ty.dtype, shape)
    }

    fn node(&mut self, site: &mut Site<'_>, node: &Node) -> Result<Vec<ValueId>, GraphError> {
        site.copy(node, node.op.substitute(self.0))
    }
}

impl Graph {
    /// The graph with bound symbols replaced by numbers and every type inferred anew.
    ///
    /// # Errors
    /// If a node's inputs no longer suit its op, for example extents that do not broadcast.
    pub fn substitute(&self, bindings: &Bindings) -> Result<Graph, GraphError> {
        self.rewrite(&mut Substitute(bindings))
    }
}
