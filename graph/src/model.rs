//! The graph itself: values, nodes, inputs, outputs.

use std::sync::Arc;

use tensor::Tensor;

use crate::op::Op;
use crate::{TensorType, ValueFacts};

/// A value of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub(crate) u32);

/// A node of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl ValueId {
    /// Position among the graph's values, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl NodeId {
    /// Position among the graph's nodes, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub enum ValueDef {
    /// The n-th input of the graph.
    Input(usize),
    /// A constant, shared by reference.
    Const(Arc<Tensor>),
    /// The n-th output of a node.
    Node(NodeId, usize),
}

/// A value: exactly one definition, a unique name, facts.
#[derive(Clone, Debug)]
pub struct Value {
    /// Unique name.
    pub name: String,
    /// Type and known elements.
    pub facts: ValueFacts,
    /// Definition.
    pub def: ValueDef,
}

impl Value {
    /// dtype and shape.
    pub fn ty(&self) -> &TensorType {
        &self.facts.ty
    }

    /// The constant, if this is one.
    pub fn constant(&self) -> Option<&Arc<Tensor>> {
        match &self.def {
            ValueDef::Const(tensor) => Some(tensor),
            ValueDef::Input(_) | ValueDef::Node(..) => None,
        }
    }
}

/// An op applied to values.
#[derive(Clone, Debug)]
pub struct Node {
    /// The op with its attributes.
    pub op: Op,
    /// Inputs; `None` for an optional one that is left out.
    pub inputs: Vec<Option<ValueId>>,
    /// Outputs.
    pub outputs: Vec<ValueId>,
    /// Path of the node in the file or program it comes from; may be empty.
    pub source: String,
}

/// A named function from tensors to tensors. Nodes are in topological order.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) name: String,
    pub(crate) values: Vec<Value>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) inputs: Vec<ValueId>,
    pub(crate) outputs: Vec<(String, ValueId)>,
}

impl Graph {
    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// All values with their ids, in order of definition.
    pub fn values(&self) -> impl ExactSizeIterator<Item = (ValueId, &Value)> {
        let numbered = self.values.iter().enumerate();
        numbered.map(|(i, value)| (ValueId(i as u32), value))
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes with their ids, in topological order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, node)| (NodeId(i as u32), node))
    }

    /// Inputs in order.
    pub fn inputs(&self) -> &[ValueId] {
        &self.inputs
    }

    /// Outputs in order, with the names the caller knows them by.
    pub fn outputs(&self) -> &[(String, ValueId)] {
        &self.outputs
    }

    /// The same values and nodes with other outputs. What no output needs stays: dead code is a pass's matter.
    #[must_use]
    pub fn with_outputs(&self, outputs: impl IntoIterator<Item = (String, ValueId)>) -> Graph {
        Graph {
            outputs: outputs.into_iter().collect(),
            ..self.clone()
        }
    }

    /// The facts of a node's inputs, as inference takes them.
    pub fn facts_of(&self, inputs: &[Option<ValueId>]) -> Vec<Option<&ValueFacts>> {
        inputs
            .iter()
            .map(|id| id.map(|id| &self.value(id).facts))
            .collect()
    }

    /// Number of uses of each value, by its index; being an output is a use.
    pub fn use_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.values.len()];
        for node in &self.nodes {
            for id in node.inputs.iter().flatten() {
                counts[id.index()] += 1;
            }
        }
        for (_, id) in &self.outputs {
            counts[id.index()] += 1;
        }
        counts
    }

    /// Number of elements and bytes of all constants.
    pub fn parameter_size(&self) -> (usize, usize) {
        let constants = self.values.iter().filter_map(Value::constant);
        constants.fold((0, 0), |(elements, bytes), t| {
            (
                elements + t.shape().iter().product::<usize>(),
                bytes + t.size_bytes(),
            )
        })
    }
}
