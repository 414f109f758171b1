//! Canonical form: every node is emitted anew through one smart constructor.
//!
//! - A value that follows from constants is a constant (evaluated by the reference; views of large
//!   constants stay views, and what would make the constants many times larger stays a node). A shape
//!   computation that is known as numbers is a constant too.
//! - `identity`, a `cast` to the same dtype, a `reshape` or `expand` to the same shape and a
//!   `transpose` by the identity disappear.
//! - Views and reductions carry attributes; `squeeze` and `unsqueeze` are reshapes.
//! - `batch_norm(x) = x * a + b` with `a = scale / sqrt(variance + epsilon)`, `b = bias - mean * a`.
//! - `pow(x, 2) = x * x`, which is exact.

use std::sync::Arc;

use graph::op::{BatchNorm, Expand, Family, MapOp, Op, Reshape};
use graph::{Dim, Graph, GraphBuilder, GraphError, Node, Rewrite, Site, ValueFacts, ValueId};
use tensor::Tensor;

use crate::Evaluator;

/// Views of constants with more elements stay views: index maps cost nothing at run time.
const LARGEST_FOLDED_VIEW: usize = 1 << 16;

/// Expansions to more elements are not folded.
const LARGEST_FOLDED_EXPANSION: usize = 1 << 12;

/// Results of other ops with at most this many elements are folded, whatever their inputs are.
const SMALL_RESULT: usize = 1 << 16;

/// Larger results are folded up to this many times the elements of their inputs.
const GROWTH: usize = 4;

/// All results that a pass folds have at most this many times the elements of the graph's constants,
/// or [`LEAST_TOTAL`] if that is more. Without a total, each node of a chain could double a constant.
const TOTAL_GROWTH: usize = 4;

/// See [`TOTAL_GROWTH`].
const LEAST_TOTAL: usize = SMALL_RESULT;

/// Rewrites the whole graph.
pub(crate) fn run(graph: &Graph, evaluator: &dyn Evaluator) -> Result<Graph, GraphError> {
    let constants = graph.values().filter_map(|(_, value)| value.constant());
    let elements: usize = constants.map(|tensor| tensor.len()).sum();
    graph.rewrite(&mut Canonical {
        evaluator,
        fold_elements: TOTAL_GROWTH.saturating_mul(elements).max(LEAST_TOTAL),
    })
}

struct Canonical<'e> {
    evaluator: &'e dyn Evaluator,
    /// Elements that folded constants may still have.
    fold_elements: usize,
}

impl Rewrite for Canonical<'_> {
    fn node(&mut self, site: &mut Site<'_>, node: &Node) -> Result<Vec<ValueId>, GraphError> {
        let (inputs, names) = (site.inputs(node), site.names(node));
        let mut rewriter = Rewriter {
            builder: site.builder,
            pass: self,
        };
        match names[..] {
            [name] => Ok(vec![rewriter.emit(
                &node.op,
                &inputs,
                name,
                &node.source,
            )?]),
            _ => rewriter.emit_many(&node.op, &inputs, &names, &node.source),
        }
    }
}

/// The smart constructor, at one place of the new graph.
struct Rewriter<'a, 'e> {
    builder: &'a mut GraphBuilder,
    pass: &'a mut Canonical<'e>,
}

type Emit = Result<ValueId, GraphError>;

impl Rewriter<'_, '_> {
    fn infer(
        &self,
        op: &Op,
        inputs: &[Option<ValueId>],
        name: &str,
        source: &str,
    ) -> Result<Vec<ValueFacts>, GraphError> {
        let inferred = op.infer(&self.builder.graph().facts_of(inputs), name);
        inferred.map_err(|error| {
            let node = if source.is_empty() { name } else { source };
            GraphError::Infer {
                node: node.to_owned(),
                source: Box::new(error),
            }
        })
    }

    /// The canonical values of an op of several outputs: constants or a new node.
    fn emit_many(
        &mut self,
        op: &Op,
        inputs: &[Option<ValueId>],
        names: &[&str],
        source: &str,
    ) -> Result<Vec<ValueId>, GraphError> {
        let facts = self.infer(op, inputs, names[0], source)?;
        let names: Vec<String> = names
            .iter()
            .map(|name| self.builder.fresh_name(name))
            .collect();
        match self.fold(op, inputs, &facts) {
            Some(constants) => names
                .into_iter()
                .zip(constants)
                .map(|(name, tensor)| self.builder.constant(name, Arc::new(tensor)))
                .collect(),
            None => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.builder
                    .node_of_many(op.clone(), inputs, &names, source)
            }
        }
    }

    /// The canonical value of `op` over `inputs`: an existing value, a constant or a new node.
    fn emit(&mut self, op: &Op, inputs: &[Option<ValueId>], name: &str, source: &str) -> Emit {
        let facts = self.infer(op, inputs, name, source)?;
        if let Some(constant) = self
            .fold(op, inputs, &facts)
            .and_then(|mut made| made.pop())
        {
            let name = self.builder.fresh_name(name);
            return self.builder.constant(name, Arc::new(constant));
        }
        if let Some(same) = self.unchanged(op, inputs, &facts[0]) {
            return Ok(same);
        }
        match op {
            Op::BatchNorm(norm) => self.batch_norm(*norm, inputs, name, source),
            Op::Map(map)
                if map.row().def.name == "pow"
                    && self.is_two(inputs[1])
                    && self.same_type(inputs[0], &facts[0]) =>
            {
                let mul = Op::Map(MapOp::named("mul").expect("the table has a row mul"));
                self.emit(&mul, &[inputs[0], inputs[0]], name, source)
            }
            _ => {
                let (op, arity) = self.with_attributes(op, inputs, &facts[0]);
                let name = self.builder.fresh_name(name);
                self.builder
                    .node(op, &inputs[..arity.min(inputs.len())], name, source)
            }
        }
    }

    /// The constants that the op gives, if its inputs or its elements are known.
    fn fold(
        &mut self,
        op: &Op,
        inputs: &[Option<ValueId>],
        facts: &[ValueFacts],
    ) -> Option<Vec<Tensor>> {
        if let Some(numbers) = facts.iter().map(known_numbers).collect() {
            return Some(numbers);
        }
        let graph = self.builder.graph();
        let constants: Option<Vec<Option<&Tensor>>> = inputs
            .iter()
            .map(|id| match id {
                None => Some(None),
                Some(id) => graph.value(*id).constant().map(|t| Some(&**t)),
            })
            .collect();
        let constants = constants?;
        let elements = facts.iter().try_fold(0_usize, |sum, facts| {
            let shape = facts.ty.static_shape()?;
            let elements = shape.iter().try_fold(1_usize, |n, &d| n.checked_mul(d))?;
            sum.checked_add(elements)
        })?;
        let input_elements: usize = constants.iter().flatten().map(|t| t.len()).sum();
        let most = match op {
            Op::Expand(_) => LARGEST_FOLDED_EXPANSION,
            _ if op.family() == Family::View => LARGEST_FOLDED_VIEW,
            _ => SMALL_RESULT.max(GROWTH.saturating_mul(input_elements)),
        };
        if elements > most.min(self.pass.fold_elements) {
            return None;
        }
        let folded = self.pass.evaluator.evaluate(op, &constants)?;
        self.pass.fold_elements -= elements;
        Some(folded)
    }

    /// The input itself, if the op does not change it.
    fn unchanged(
        &self,
        op: &Op,
        inputs: &[Option<ValueId>],
        facts: &ValueFacts,
    ) -> Option<ValueId> {
        let input = *inputs.first()?;
        let same = match op {
            Op::Map(map) if map.row().def.name == "identity" => true,
            Op::Map(map) => map.row().def.name == "cast" && self.same_type(input, facts),
            Op::Reshape(_) | Op::Expand(_) | Op::Squeeze(_) | Op::Unsqueeze(_) => {
                self.same_type(input, facts)
            }
            Op::Transpose(t) => t.perm.iter().copied().eq(0..t.perm.len()),
            _ => false,
        };
        input.filter(|_| same)
    }

    fn same_type(&self, input: Option<ValueId>, facts: &ValueFacts) -> bool {
        input.is_some_and(|id| *self.builder.ty(id) == facts.ty)
    }

    fn is_two(&self, input: Option<ValueId>) -> bool {
        let constant = input.and_then(|id| self.builder.graph().value(id).constant());
        constant.is_some_and(|t| {
            t.shape().iter().product::<usize>() == 1 && t.to_vec::<f32>().is_ok_and(|v| v == [2.0])
        })
    }

    /// The op with what its inputs said as attributes, and how many inputs it keeps.
    fn with_attributes(
        &self,
        op: &Op,
        inputs: &[Option<ValueId>],
        facts: &ValueFacts,
    ) -> (Op, usize) {
        let input_facts = self.builder.graph().facts_of(inputs);
        let shape = || facts.ty.shape.iter().cloned();
        match op {
            // The extents of the result wait for elements, which only the op itself says how to read.
            Op::Reshape(_) | Op::Squeeze(_) | Op::Unsqueeze(_) | Op::Expand(_)
                if op.waits_for(&input_facts).is_some() =>
            {
                (op.clone(), usize::MAX)
            }
            Op::Reshape(_) | Op::Squeeze(_) | Op::Unsqueeze(_) => {
                (Op::Reshape(Reshape::to(shape())), 1)
            }
            Op::Expand(_) => (Op::Expand(Expand::to(shape())), 1),
            Op::Slice(slice) => match slice.with_axes_of(&input_facts) {
                Ok(slice) => (Op::Slice(slice), 1),
                Err(_) => (op.clone(), usize::MAX),
            },
            Op::Reduce(reduce) => match reduce.with_axes_of(&input_facts) {
                Ok(reduce) => (Op::Reduce(reduce), 1),
                Err(_) => (op.clone(), usize::MAX),
            },
            _ => (op.clone(), usize::MAX),
        }
    }

    fn map(&mut self, name: &'static str, inputs: [ValueId; 2], value: &str, source: &str) -> Emit {
        let op = MapOp::named(name).expect("the name is a row of the table");
        self.emit(&Op::Map(op), &inputs.map(Some), value, source)
    }

    fn batch_norm(
        &mut self,
        norm: BatchNorm,
        inputs: &[Option<ValueId>],
        name: &str,
        source: &str,
    ) -> Emit {
        let input = |i: usize| inputs[i].expect("inference refuses a missing required input");
        let x = input(0);
        let trailing = self.builder.ty(x).rank().saturating_sub(2);
        let parameter = |rewriter: &mut Self, i: usize| {
            let channels = rewriter.builder.ty(input(i)).shape[0].clone();
            let shape =
                std::iter::once(channels).chain(std::iter::repeat_n(Dim::Known(1), trailing));
            rewriter.emit(
                &Op::Reshape(Reshape::to(shape)),
                &[inputs[i]],
                &format!("{name}.p{i}"),
                source,
            )
        };
        let scale = parameter(self, 1)?;
        let bias = parameter(self, 2)?;
        let mean = parameter(self, 3)?;
        let variance = parameter(self, 4)?;
        let epsilon = Tensor::scalar(norm.epsilon).cast(self.builder.ty(x).dtype);
        let epsilon = epsilon.expect("f32 casts to every float dtype");
        let epsilon_name = self.builder.fresh_name(&format!("{name}.epsilon"));
        let epsilon = self.builder.constant(epsilon_name, Arc::new(epsilon))?;
        let shifted = self.map("add", [variance, epsilon], &format!("{name}.v"), source)?;
        let sqrt = Op::Map(MapOp::named("sqrt").expect("the table has a row sqrt"));
        let deviation = self.emit(&sqrt, &[Some(shifted)], &format!("{name}.d"), source)?;
        let a = self.map("div", [scale, deviation], &format!("{name}.a"), source)?;
        let shift = self.map("mul", [mean, a], &format!("{name}.s"), source)?;
        let b = self.map("sub", [bias, shift], &format!("{name}.b"), source)?;
        let scaled = self.map("mul", [x, a], &format!("{name}.x"), source)?;
        self.map("add", [scaled, b], name, source)
    }
}

/// The tensor of the known elements, if all of them are numbers.
fn known_numbers(facts: &ValueFacts) -> Option<Tensor> {
    let shape = facts.ty.static_shape()?;
    let numbers: Option<Vec<i64>> = facts.known.as_ref()?.iter().map(Dim::as_known).collect();
    let tensor = Tensor::from_vec_row_major(&shape[..], numbers?).ok()?;
    tensor.cast(facts.ty.dtype).ok()
}
