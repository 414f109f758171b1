//! One node while it is imported: its attributes, its inputs, and the graph nodes it becomes.
//!
//! An importer reads all attributes first; a reader that finds something wrong records the problem
//! and gives the default, so that every wrong attribute of a node is reported. Access to the inputs
//! then stops the importer if there is a problem, or if an input has no value because of an earlier
//! one, which is not reported again.

mod attributes;

use std::collections::HashSet;
use std::sync::Arc;

use graph::op::{MapOp, Op};
use graph::{Dim, GraphBuilder, GraphError, TensorType, ValueId};
use tensor::Tensor;
use tensor_core::DType;

use crate::element::Element;
use crate::error::ProblemKind;
use crate::narrow::{self, NarrowValues};
use crate::proto::NodeProto;

/// Importing the node ends here; why is in [`Call::problems`], or was reported at an earlier node.
#[derive(Debug)]
pub(crate) struct Stop;

/// What an importer gives.
pub(crate) type Done = Result<(), Stop>;

/// What the name of an input stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    /// A value of the graph.
    Value(ValueId),
    /// An optional input that is left out.
    Omitted,
    /// A value that does not exist because of a problem reported elsewhere.
    Unknown,
}

/// A node being imported.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) proto: &'a NodeProto,
    pub(crate) opset: i64,
    pub(crate) source: &'a str,
    /// Inputs without trailing omitted ones.
    pub(crate) inputs: Vec<Slot>,
    pub(crate) builder: &'a mut GraphBuilder,
    /// Names of the file that intermediate values must not take.
    pub(crate) reserved: &'a HashSet<&'a str>,
    /// What values are narrower than their dtype.
    pub(crate) narrow: &'a mut NarrowValues,
    pub(crate) problems: Vec<ProblemKind>,
    /// Values made for the node's outputs.
    pub(crate) made: Vec<Option<ValueId>>,
    /// About how many bytes the node added to the graph.
    pub(crate) cost_bytes: usize,
}

/// About what a value and its node keep in memory, and their entries in tables of names.
pub(crate) const VALUE_BYTES: usize = 600;

/// Inputs and values.
impl Call<'_> {
    /// Stops if a problem was recorded.
    pub(crate) fn check(&self) -> Done {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Stop)
        }
    }

    /// An input that may be left out.
    pub(crate) fn optional(&mut self, index: usize) -> Result<Option<ValueId>, Stop> {
        self.check()?;
        match self.inputs.get(index) {
            None | Some(Slot::Omitted) => Ok(None),
            Some(Slot::Value(id)) => Ok(Some(*id)),
            Some(Slot::Unknown) => Err(Stop),
        }
    }

    /// An input that must be there.
    pub(crate) fn input(&mut self, index: usize) -> Result<ValueId, Stop> {
        match self.optional(index)? {
            Some(id) => Ok(id),
            None => self.fail(ProblemKind::MissingInput { index }),
        }
    }

    /// All inputs in order.
    pub(crate) fn all(&mut self) -> Result<Vec<Option<ValueId>>, Stop> {
        (0..self.inputs.len()).map(|i| self.optional(i)).collect()
    }

    /// Records what is wrong with an input's value or type, and stops.
    pub(crate) fn fail_input<T>(
        &mut self,
        index: usize,
        reason: impl Into<String>,
    ) -> Result<T, Stop> {
        let name = self.proto.input.get(index).cloned().unwrap_or_default();
        let reason = reason.into();
        self.fail(ProblemKind::InputValue {
            index,
            name,
            reason,
        })
    }

    /// Whether the node has an output of this position with a name.
    pub(crate) fn wants(&self, output: usize) -> bool {
        self.proto
            .output
            .get(output)
            .is_some_and(|name| !name.is_empty())
    }

    /// What the elements of a value are.
    pub(crate) fn element_of(&self, id: ValueId) -> Element {
        let narrow = self.narrow.get(&id).copied();
        narrow.unwrap_or_else(|| Element::of(self.dtype(id)))
    }

    /// An input that must be there and whose elements must be numbers of its dtype; for importers that look at element types.
    pub(crate) fn plain(&mut self, index: usize) -> Result<ValueId, Stop> {
        let id = self.input(index)?;
        match self.narrow.get(&id) {
            None => Ok(id),
            Some(&element) => {
                let reason = narrow::refused(element, &self.proto.op_type);
                self.fail_input(index, reason)
            }
        }
    }

    /// As [`Call::finish`], for a result of this element type.
    pub(crate) fn finish_element(
        &mut self,
        element: Element,
        op: Op,
        inputs: &[Option<ValueId>],
    ) -> Done {
        self.finish(op, inputs)?;
        self.mark(0, element);
        Ok(())
    }

    /// Notes what the elements of output `index`, which is made, are.
    pub(crate) fn mark(&mut self, index: usize, element: Element) {
        if let Some(Some(id)) = self.made.get(index)
            && element.narrow.is_some()
        {
            self.narrow.insert(*id, element);
        }
    }

    /// dtype and shape of a value.
    pub(crate) fn ty(&self, id: ValueId) -> TensorType {
        self.builder.ty(id).clone()
    }

    /// dtype of a value.
    pub(crate) fn dtype(&self, id: ValueId) -> DType {
        self.builder.ty(id).dtype
    }

    /// Elements of a small integer value that are known before the run and are numbers.
    pub(crate) fn known_ints(&self, id: ValueId) -> Option<Vec<i64>> {
        let known = self.builder.graph().value(id).facts.known.as_ref()?;
        known.iter().map(Dim::as_known).collect()
    }

    /// `axis` with negative values counted from the end; must be below `rank`.
    pub(crate) fn axis(&mut self, axis: i64, rank: usize) -> Result<usize, Stop> {
        let signed = i64::try_from(rank).unwrap_or(i64::MAX);
        let at = if axis < 0 {
            axis.saturating_add(signed)
        } else {
            axis
        };
        match usize::try_from(at).ok().filter(|&at| at < rank) {
            Some(at) => Ok(at),
            None => {
                let reason = format!("is no axis of a tensor of rank {rank}");
                self.refuse_attribute("axis", axis, reason);
                Err(Stop)
            }
        }
    }

    /// Adds a node with an intermediate result.
    pub(crate) fn emit(&mut self, op: Op, inputs: &[Option<ValueId>]) -> Result<ValueId, Stop> {
        let name = self.fresh(op.name());
        self.add(op, inputs, name)
    }

    /// Adds a node whose result is the first output.
    pub(crate) fn finish(&mut self, op: Op, inputs: &[Option<ValueId>]) -> Done {
        self.output(0, op, inputs)
    }

    /// Adds a node whose result is output `index`.
    pub(crate) fn output(&mut self, index: usize, op: Op, inputs: &[Option<ValueId>]) -> Done {
        let name = match self.proto.output.get(index) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => self.fresh(op.name()),
        };
        let id = self.add(op, inputs, name)?;
        self.set(index, id);
        Ok(())
    }

    /// Makes the result of a node the first output, converted to `dtype`.
    pub(crate) fn finish_as(&mut self, dtype: DType, op: Op, inputs: &[Option<ValueId>]) -> Done {
        let same = inputs.first().copied().flatten().map(|id| self.dtype(id)) == Some(dtype);
        if same {
            return self.finish(op, inputs);
        }
        let result = self.emit(op, inputs)?;
        self.finish(Op::Map(MapOp::cast(dtype)), &[Some(result)])
    }

    /// dtype of input 0.
    pub(crate) fn own_dtype(&mut self) -> Result<DType, Stop> {
        let x = self.input(0)?;
        Ok(self.dtype(x))
    }

    /// Adds a node of several results, the node's outputs in order.
    pub(crate) fn finish_many(&mut self, op: Op, inputs: &[Option<ValueId>]) -> Done {
        let ids = self.add_many(op, inputs, |call, op, index| {
            match call.proto.output.get(index) {
                Some(name) if !name.is_empty() => name.clone(),
                _ => call.fresh(&format!("{}.{index}", op.name())),
            }
        })?;
        for (index, id) in ids.into_iter().enumerate() {
            self.set(index, id);
        }
        Ok(())
    }

    /// Adds a node of several intermediate results.
    pub(crate) fn emit_many(
        &mut self,
        op: Op,
        inputs: &[Option<ValueId>],
    ) -> Result<Vec<ValueId>, Stop> {
        self.add_many(op, inputs, |call, op, index| {
            call.fresh(&format!("{}.{index}", op.name()))
        })
    }

    fn add_many(
        &mut self,
        op: Op,
        inputs: &[Option<ValueId>],
        name: impl Fn(&Self, &Op, usize) -> String,
    ) -> Result<Vec<ValueId>, Stop> {
        self.check()?;
        // All outputs are named here, so that no name of the file is taken.
        let facts = self.builder.graph().facts_of(inputs);
        let count = match op.infer(&facts, "") {
            Ok(outputs) => outputs.len(),
            Err(error) => return self.fail(error.into()),
        };
        let names: Vec<String> = (0..count).map(|index| name(self, &op, index)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let source = self.source;
        let ids = self.settle(|builder| {
            builder
                .node_of_many(op, inputs, &names, source)
                .map_err(Box::new)
        })?;
        for &id in &ids {
            self.charge(id)?;
        }
        Ok(ids)
    }

    /// Makes a constant the first output.
    pub(crate) fn finish_constant(&mut self, tensor: Tensor) -> Done {
        self.check()?;
        let name = match self.proto.output.first() {
            Some(name) if !name.is_empty() => name.clone(),
            _ => self.fresh("const"),
        };
        let id = self.constant_named(name, tensor)?;
        self.set(0, id);
        Ok(())
    }

    /// Adds an intermediate constant.
    pub(crate) fn constant(&mut self, tensor: Tensor) -> Result<ValueId, Stop> {
        let name = self.fresh("const");
        self.constant_named(name, tensor)
    }

    fn constant_named(&mut self, name: String, tensor: Tensor) -> Result<ValueId, Stop> {
        let id =
            self.settle(|builder| builder.constant(name, Arc::new(tensor)).map_err(Box::new))?;
        self.add_cost(id);
        Ok(id)
    }

    /// Adds an intermediate list of integers.
    pub(crate) fn list(&mut self, numbers: &[i64]) -> Result<ValueId, Stop> {
        match Tensor::from_vec_row_major([numbers.len()], numbers.to_vec()) {
            Ok(tensor) => self.constant(tensor),
            Err(_) => Err(Stop),
        }
    }

    /// Adds an intermediate constant of rank 0, rounded to the dtype.
    pub(crate) fn scalar(&mut self, dtype: DType, value: f64) -> Result<ValueId, Stop> {
        match Tensor::scalar(value).cast(dtype) {
            Ok(tensor) => self.constant(tensor),
            Err(_) => self.fail(ProblemKind::UnsupportedElement {
                element: dtype.to_string(),
            }),
        }
    }

    /// The value converted to `dtype`; itself if it has that dtype.
    pub(crate) fn cast(&mut self, id: ValueId, dtype: DType) -> Result<ValueId, Stop> {
        if self.dtype(id) == dtype {
            return Ok(id);
        }
        self.emit(Op::Map(MapOp::cast(dtype)), &[Some(id)])
    }

    fn set(&mut self, index: usize, id: ValueId) {
        if self.made.len() <= index {
            self.made.resize(index + 1, None);
        }
        self.made[index] = Some(id);
    }

    fn add(&mut self, op: Op, inputs: &[Option<ValueId>], name: String) -> Result<ValueId, Stop> {
        self.check()?;
        let source = self.source;
        let id = self.settle(|builder| builder.node(op, inputs, name, source).map_err(Box::new))?;
        self.charge(id)?;
        Ok(id)
    }

    /// Adds up what a new value of the graph costs, and checks that its type is of a sane size.
    fn charge(&mut self, id: ValueId) -> Done {
        self.add_cost(id);
        match crate::limits::too_large(&self.builder.graph().value(id).facts) {
            None => Ok(()),
            Some(what) => {
                let name = self.builder.graph().value(id).name.clone();
                self.fail(ProblemKind::TooLarge { name, what })
            }
        }
    }

    fn add_cost(&mut self, id: ValueId) {
        let value = self.builder.graph().value(id);
        let known = value.facts.known.as_ref().map_or(0, Vec::len);
        let dims = (known + value.ty().rank()) * size_of::<Dim>();
        self.cost_bytes += VALUE_BYTES + value.name.len() + dims;
    }

    fn settle<T>(
        &mut self,
        add: impl FnOnce(&mut GraphBuilder) -> Result<T, Box<GraphError>>,
    ) -> Result<T, Stop> {
        match add(self.builder) {
            Ok(added) => Ok(added),
            Err(error) => match *error {
                GraphError::Infer { source, .. } => self.fail((*source).into()),
                GraphError::DuplicateName { name } => self.fail(ProblemKind::Duplicate { name }),
                other => self.fail_input(0, other.to_string()),
            },
        }
    }

    /// A name for an intermediate value that no value of the file has.
    fn fresh(&self, suffix: &str) -> String {
        let first = self.proto.output.iter().find(|name| !name.is_empty());
        let stem = first.map_or(self.source, String::as_str);
        let mut name = format!("{stem}.{suffix}");
        loop {
            let free = self.builder.fresh_name(&name);
            if !self.reserved.contains(free.as_str()) {
                return free;
            }
            name.push('\'');
        }
    }
}

/// The elementwise op of this name with its default attributes.
pub(crate) fn map(name: &str) -> Op {
    Op::Map(MapOp::named(name).expect("the name is a row of the op table"))
}
