//! Building graphs, node by node, with inference at each.

use std::collections::HashSet;
use std::sync::Arc;

use tensor::Tensor;

use crate::known::facts_of_constant;
use crate::model::{Graph, Node, NodeId, Value, ValueDef, ValueId};
use crate::op::Op;
use crate::{GraphError, TensorType, ValueFacts};

/// Builds a [`Graph`]. Ids are valid for the graph that [`GraphBuilder::finish`] gives.
#[derive(Debug)]
pub struct GraphBuilder {
    graph: Graph,
    names: HashSet<String>,
}

impl GraphBuilder {
    /// A builder of an empty function of this name.
    pub fn new(name: impl Into<String>) -> Self {
        let graph = Graph {
            name: name.into(),
            values: Vec::new(),
            nodes: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        GraphBuilder {
            graph,
            names: HashSet::new(),
        }
    }

    /// The graph as built so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// dtype and shape of a value built so far.
    pub fn ty(&self, id: ValueId) -> &TensorType {
        self.graph.value(id).ty()
    }

    fn add(
        &mut self,
        name: String,
        facts: ValueFacts,
        def: ValueDef,
    ) -> Result<ValueId, GraphError> {
        if !self.names.insert(name.clone()) {
            return Err(GraphError::DuplicateName { name });
        }
        let id = ValueId(self.graph.values.len() as u32);
        self.graph.values.push(Value { name, facts, def });
        Ok(id)
    }

    /// A name that starts with `stem` and is not taken.
    pub fn fresh_name(&self, stem: &str) -> String {
        if !self.names.contains(stem) {
            return stem.to_owned();
        }
        let candidates = (self.graph.values.len()..).map(|n| format!("{stem}_{n}"));
        candidates
            .into_iter()
            .find(|name| !self.names.contains(name))
            .unwrap_or_default()
    }

    /// Adds an input.
    ///
    /// # Errors
    /// If the name is taken.
    pub fn input(
        &mut self,
        name: impl Into<String>,
        ty: TensorType,
    ) -> Result<ValueId, GraphError> {
        let def = ValueDef::Input(self.graph.inputs.len());
        let id = self.add(name.into(), ValueFacts::of_type(ty), def)?;
        self.graph.inputs.push(id);
        Ok(id)
    }

    /// Adds a constant.
    ///
    /// # Errors
    /// If the name is taken.
    pub fn constant(
        &mut self,
        name: impl Into<String>,
        tensor: Arc<Tensor>,
    ) -> Result<ValueId, GraphError> {
        let facts = facts_of_constant(&tensor);
        self.add(name.into(), facts, ValueDef::Const(tensor))
    }

    /// Adds a node whose first output has this name; gives that output.
    ///
    /// # Errors
    /// If the inputs do not suit the op, or the name is taken.
    pub fn node(
        &mut self,
        op: Op,
        inputs: &[Option<ValueId>],
        name: impl Into<String>,
        source: &str,
    ) -> Result<ValueId, GraphError> {
        Ok(self.node_of_many(op, inputs, &[&name.into()], source)?[0])
    }

    /// Adds a node whose outputs have these names, further outputs fresh ones; gives all outputs.
    ///
    /// # Errors
    /// If the inputs do not suit the op, there are more names than outputs, or a name is taken.
    pub fn node_of_many(
        &mut self,
        op: Op,
        inputs: &[Option<ValueId>],
        names: &[&str],
        source: &str,
    ) -> Result<Vec<ValueId>, GraphError> {
        // Extents that depend on data are named after the first output, so it has a name in any case.
        let first = match names.first() {
            Some(first) => (*first).to_owned(),
            None => self.fresh_name(op.name()),
        };
        let first = first.as_str();
        let path = if source.is_empty() { first } else { source };
        let facts = op
            .infer(&self.graph.facts_of(inputs), first)
            .map_err(|error| GraphError::Infer {
                node: path.to_owned(),
                source: Box::new(error),
            })?;
        if names.len() > facts.len() {
            return Err(GraphError::OutputCount {
                node: path.to_owned(),
                op: op.name(),
                outputs: facts.len(),
                names: names.len(),
            });
        }
        let node_id = NodeId(self.graph.nodes.len() as u32);
        let mut outputs = Vec::with_capacity(facts.len());
        for (i, facts) in facts.into_iter().enumerate() {
            let name = match names.get(i) {
                Some(name) => (*name).to_owned(),
                None if i == 0 => first.to_owned(),
                None => self.fresh_name(&format!("{first}.{i}")),
            };
            outputs.push(self.add(name, facts, ValueDef::Node(node_id, i))?);
        }
        self.graph.nodes.push(Node {
            op,
            inputs: inputs.to_vec(),
            outputs: outputs.clone(),
            source: source.to_owned(),
        });
        Ok(outputs)
    }

    /// Adds a node whose output gets a fresh name that starts with the op's.
    ///
    /// # Errors
    /// If the inputs do not suit the op.
    pub fn apply(
        &mut self,
        op: Op,
        inputs: &[ValueId],
        source: &str,
    ) -> Result<ValueId, GraphError> {
        let name = self.fresh_name(op.name());
        let inputs: Vec<Option<ValueId>> = inputs.iter().map(|&id| Some(id)).collect();
        self.node(op, &inputs, name, source)
    }

    /// Makes a value an output under a name; one value may be several outputs.
    pub fn output(&mut self, name: impl Into<String>, value: ValueId) {
        self.graph.outputs.push((name.into(), value));
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        self.graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Expand, Op};
    use tensor_core::DType;

    #[test]
    fn outputs_without_a_name_get_one_and_so_do_their_extents() {
        let mut builder = GraphBuilder::new("f");
        let x = builder.input("x", TensorType::fixed(DType::F32, &[1]));
        let shape = builder.input("shape", TensorType::fixed(DType::I64, &[1]));
        let inputs = [Some(x.unwrap()), Some(shape.unwrap())];
        let expand = || Op::Expand(Expand { shape: None });
        let mut types = Vec::new();
        for _ in 0..2 {
            let made = builder.node_of_many(expand(), &inputs, &[], "").unwrap();
            types.push(builder.ty(made[0]).to_string());
        }
        assert_eq!(types[0], "f32[expand.0]");
        assert_ne!(types[0], types[1], "extents of two nodes are no one symbol");
        assert_eq!(builder.finish().verify(), Ok(()));
    }
}
