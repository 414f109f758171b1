//! Building one graph from another: the loop that every pass shares.
//!
//! [`Graph::rewrite`] walks the values in their order and keeps, for each, the value of the new graph that stands for it. A
//! pass says what becomes of each node; inputs, constants, names and outputs are carried over.

use crate::op::Op;
use crate::{Graph, GraphBuilder, GraphError, Node, TensorType, Value, ValueDef, ValueId};

/// What a pass does with the parts of a graph.
pub trait Rewrite {
    /// The type that an input gets.
    fn input(&mut self, ty: &TensorType) -> TensorType {
        ty.clone()
    }

    /// The constant that an input is to become, if it is to be one.
    fn bound(&mut self, _input: &Value) -> Option<std::sync::Arc<tensor::Tensor>> {
        None
    }

    /// Whether a constant or the output of a node is wanted at all. A node without a wanted output is dropped.
    fn keeps(&self, _id: ValueId) -> bool {
        true
    }

    /// Emits what stands for a node; gives the values that stand for its outputs, in order.
    ///
    /// # Errors
    /// If what is emitted does not suit its inputs.
    fn node(&mut self, site: &mut Site<'_>, node: &Node) -> Result<Vec<ValueId>, GraphError>;
}

/// The place in the new graph where a node is emitted.
#[derive(Debug)]
pub struct Site<'a> {
    /// The new graph as built so far.
    pub builder: &'a mut GraphBuilder,
    from: &'a Graph,
    map: &'a [Option<ValueId>],
}

impl<'a> Site<'a> {
    /// The graph that is rewritten.
    pub fn from(&self) -> &'a Graph {
        self.from
    }

    /// What stands for a value of the old graph.
    pub fn of(&self, id: ValueId) -> Option<ValueId> {
        self.map[id.index()]
    }

    /// What stands for the inputs of a node.
    pub fn inputs(&self, node: &Node) -> Vec<Option<ValueId>> {
        let inputs = node.inputs.iter();
        inputs.map(|id| id.and_then(|id| self.of(id))).collect()
    }

    /// The names of a node's outputs.
    pub fn names(&self, node: &Node) -> Vec<&'a str> {
        let outputs = node.outputs.iter();
        outputs.map(|&id| &*self.from.value(id).name).collect()
    }

    /// Emits the node with another op over the same inputs.
    ///
    /// # Errors
    /// If the inputs do not suit the op.
    pub fn copy(&mut self, node: &Node, op: Op) -> Result<Vec<ValueId>, GraphError> {
        let (inputs, names) = (self.inputs(node), self.names(node));
        self.builder.node_of_many(op, &inputs, &names, &node.source)
    }
}

impl Graph {
    /// The graph that `pass` makes of this one.
    ///
    /// # Errors
    /// If what the pass emits does not suit its inputs.
    pub fn rewrite(&self, pass: &mut impl Rewrite) -> Result<Graph, GraphError> {
        let mut builder = GraphBuilder::new(self.name());
        let mut map: Vec<Option<ValueId>> = vec![None; self.values.len()];
        for (id, value) in self.values() {
            match &value.def {
                ValueDef::Input(_) => {
                    map[id.index()] = Some(match pass.bound(value) {
                        Some(tensor) => builder.constant(&value.name, tensor)?,
                        None => builder.input(&value.name, pass.input(value.ty()))?,
                    });
                }
                ValueDef::Const(tensor) if pass.keeps(id) => {
                    map[id.index()] = Some(builder.constant(&value.name, tensor.clone())?);
                }
                ValueDef::Node(node, 0) => {
                    let node = self.node(*node);
                    if !node.outputs.iter().any(|&id| pass.keeps(id)) {
                        continue;
                    }
                    let mut site = Site {
                        builder: &mut builder,
                        from: self,
                        map: &map,
                    };
                    let made = pass.node(&mut site, node)?;
                    for (id, new) in node.outputs.iter().zip(made) {
                        map[id.index()] = Some(new);
                    }
                }
                ValueDef::Const(_) | ValueDef::Node(..) => {}
            }
        }
        for (name, id) in self.outputs() {
            if let Some(id) = map[id.index()] {
                builder.output(name, id);
            }
        }
        Ok(builder.finish())
    }
}
