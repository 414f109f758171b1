//! From graph to fused steps: the stage `fused`.
//!
//! Nodes are visited in topological order. Every value gets a [`Source`]: how to read it. Views
//! change the layouts of a source and cost nothing. An elementwise node with its region
//! ([`crate::region`]) becomes an expression; it stays an expression when one reader can take it as
//! its prologue and becomes a `map` step otherwise. Any other node becomes a step whose epilogue is
//! the expression of its region. A fused step stands where its exit is defined, so every operand of
//! its epilogue is written before it.

mod anchor;
mod operands;
mod read;
mod whole;

use graph::op::{Family, Op};
use graph::{Graph, NodeId, ValueDef, ValueId};
use plan::{
    Backend, Buffer, BufferId, Constant, Epilogue, Place, Plan, Port, Source, Step, StepKind,
};
use tensor_core::{DType, ShapeVec, TensorLayout};

use crate::OptimizeError;
use crate::region::{Region, definer, grow, readers};
use operands::Operands;

/// More loads in one expression than this make it a step of its own: GPUs bind few buffers.
const MAX_LOADS: usize = 6;

/// Beyond this many loads the operands of an expression are computed first: with at most
/// `region::MAX_OPERANDS` operands, one load each, no expression has more than twice as many.
const MAX_OPERAND_LOADS: usize = 12;

/// More instructions in one expression than this make it a step of its own.
const MAX_INSTRUCTIONS: usize = 96;

/// Lowers a graph with concrete shapes for feeds of these layouts.
pub(crate) fn run(
    graph: &Graph,
    feeds: &[TensorLayout],
    backend: &dyn Backend,
) -> Result<Plan, OptimizeError> {
    let mut lowering = Lowering::new(graph);
    let whole = whole::nodes(graph, backend);
    // No region takes them.
    lowering.claimed.clone_from(&whole);
    lowering.inputs(feeds)?;
    for (id, node) in graph.nodes() {
        if whole[id.index()] {
            lowering.whole(node)?;
            continue;
        }
        if !lowering.claimed[id.index()] {
            if node.op.family() == Family::View {
                lowering.view(id)?;
                continue;
            }
            let region = grow(graph, &lowering.readers, &lowering.claimed, node.outputs[0]);
            for member in &region.nodes {
                lowering.claimed[member.index()] = true;
            }
            let end = definer(graph, region.exit).unwrap_or(id);
            lowering.ends[end.index()] = Some((id, region));
        }
        if let Some((root, region)) = lowering.ends[id.index()].take() {
            lowering.emit(root, &region)?;
        }
    }
    lowering.outputs()?;
    Ok(lowering.plan)
}

struct Lowering<'a> {
    graph: &'a Graph,
    readers: Vec<Vec<NodeId>>,
    claimed: Vec<bool>,
    /// By node: the region that ends there, with its root.
    ends: Vec<Option<(NodeId, Region)>>,
    /// By value: how to read it.
    sources: Vec<Option<Source>>,
    /// By value: the output that it is to be written to directly.
    output_of: Vec<Option<usize>>,
    plan: Plan,
}

impl<'a> Lowering<'a> {
    fn new(graph: &'a Graph) -> Self {
        let values = graph.values().len();
        let mut output_of = vec![None; values];
        for (at, (_, id)) in graph.outputs().iter().enumerate() {
            output_of[id.index()].get_or_insert(at);
        }
        Lowering {
            graph,
            readers: readers(graph),
            claimed: vec![false; graph.nodes().count()],
            ends: vec![None; graph.nodes().count()],
            sources: vec![None; values],
            output_of,
            plan: Plan {
                name: graph.name().to_owned(),
                bindings: Vec::new(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                buffers: Vec::new(),
                constants: Vec::new(),
                steps: Vec::new(),
                arena_bytes: 0,
            },
        }
    }

    /// The concrete shape of a value.
    fn shape(&self, id: ValueId) -> Result<ShapeVec, OptimizeError> {
        let value = self.graph.value(id);
        let shape = value
            .ty()
            .static_shape()
            .ok_or_else(|| OptimizeError::Dynamic {
                value: value.name.clone(),
                ty: value.ty().to_string(),
            })?;
        // Even a byte per element must be addressable, and every byte size must be computable.
        let elements = shape
            .iter()
            .filter(|&&d| d != 0)
            .try_fold(1_usize, |n, &d| n.checked_mul(d));
        match elements.and_then(|n| n.checked_mul(16)) {
            Some(_) => Ok(shape),
            None => Err(OptimizeError::TooLarge {
                value: value.name.clone(),
                ty: value.ty().to_string(),
            }),
        }
    }

    fn dtype(&self, id: ValueId) -> DType {
        self.graph.value(id).ty().dtype
    }

    fn uses(&self, id: ValueId) -> usize {
        let outputs = self
            .graph
            .outputs()
            .iter()
            .filter(|(_, o)| *o == id)
            .count();
        self.readers[id.index()].len() + outputs
    }

    fn buffer(&mut self, name: &str, dtype: DType, elements: usize, place: Place) -> BufferId {
        let id = BufferId(self.plan.buffers.len() as u32);
        self.plan.buffers.push(Buffer {
            name: name.to_owned(),
            dtype,
            elements,
            place,
        });
        id
    }

    fn inputs(&mut self, feeds: &[TensorLayout]) -> Result<(), OptimizeError> {
        for (at, (&id, layout)) in self.graph.inputs().iter().zip(feeds).enumerate() {
            let (name, shape) = (&self.graph.value(id).name, self.shape(id)?);
            if layout.shape() != &shape[..] {
                return Err(OptimizeError::FeedLayout {
                    input: name.clone(),
                    expected: shape.to_vec(),
                    got: layout.shape().to_vec(),
                });
            }
            let dtype = self.dtype(id);
            let elements = layout.min_max_offset().map_or(0, |(_, max)| max + 1);
            let buffer = self.buffer(name, dtype, elements, Place::Input(at));
            self.sources[id.index()] = Some(Source::view(buffer, dtype, layout.clone()));
            let layout = layout.clone();
            self.plan.inputs.push(Port {
                name: name.clone(),
                dtype,
                shape,
                layout,
                buffer,
            });
        }
        Ok(())
    }

    /// The source of a constant; its buffer is added when it is first read.
    fn constant(&mut self, id: ValueId) -> Option<Source> {
        let value = self.graph.value(id);
        let ValueDef::Const(tensor) = &value.def else {
            return None;
        };
        let place = Place::Constant(self.plan.constants.len());
        self.plan.constants.push(Constant {
            name: value.name.clone(),
            tensor: tensor.clone(),
        });
        let elements = tensor.shape().iter().product();
        let buffer = self.buffer(&value.name, tensor.dtype(), elements, place);
        Some(Source::view(
            buffer,
            tensor.dtype(),
            tensor.layout().clone(),
        ))
    }

    /// Emits the step, or keeps the expression, of a root with its region.
    fn emit(&mut self, root: NodeId, region: &Region) -> Result<(), OptimizeError> {
        let node = self.graph.node(root);
        if let Op::Map(_) = node.op {
            let mut members = vec![root];
            members.extend(&region.nodes);
            return self.expression(&members, region.exit);
        }
        self.anchor(root, region)
    }

    /// The expression of elementwise nodes that end in `exit`.
    fn expression(&mut self, members: &[NodeId], exit: ValueId) -> Result<(), OptimizeError> {
        let shape = self.shape(exit)?;
        let operands = self.external_operands(members, None, &shape)?;
        let (loads, program) = operands.build(self.graph, members, None, exit);
        let source = Source {
            shape,
            loads,
            program,
        };
        let large =
            source.loads.len() > MAX_LOADS || source.program.insts().len() > MAX_INSTRUCTIONS;
        self.sources[exit.index()] = Some(source);
        if large || self.uses(exit) > 1 || self.output_of[exit.index()].is_some() {
            self.materialise(exit)?;
        }
        Ok(())
    }

    /// Reads every operand of `members` that none of them defines, broadcast to `shape`.
    fn external_operands(
        &mut self,
        members: &[NodeId],
        root: Option<ValueId>,
        shape: &[usize],
    ) -> Result<Operands, OptimizeError> {
        let mut operands = Operands::default();
        let mut inside: Vec<ValueId> = root.into_iter().collect();
        for &member in members {
            let node = self.graph.node(member);
            for &input in node.inputs.iter().flatten() {
                if inside.contains(&input) || operands.contains(input) {
                    continue;
                }
                match operands::literal(self.graph, input) {
                    Some(value) => operands.add_literal(input, value),
                    None => {
                        let mut source = self.broadcast(input, shape)?;
                        if operands.loads() + source.loads.len() > MAX_OPERAND_LOADS {
                            self.plain(input)?;
                            source = self.broadcast(input, shape)?;
                        }
                        let dtypes = source
                            .loads
                            .iter()
                            .map(|l| self.plan.buffer(l.buffer).dtype);
                        let dtypes: Vec<DType> = dtypes.collect();
                        operands.add_source(input, source, &dtypes);
                    }
                }
            }
            inside.extend(&node.outputs);
        }
        Ok(operands)
    }

    /// The buffer that a step is to write `value` to: an output, or one in the arena.
    fn written(&mut self, value: ValueId, shape: &[usize]) -> BufferId {
        let graph_value = self.graph.value(value);
        let place = match self.output_of[value.index()].take() {
            Some(at) => Place::Output(at),
            None => Place::Unplaced,
        };
        let elements = shape.iter().product();
        self.buffer(&graph_value.name, graph_value.ty().dtype, elements, place)
    }

    /// Adds a step that writes `value`.
    fn step(
        &mut self,
        value: ValueId,
        name: String,
        kind: StepKind,
        epilogue: Epilogue,
        shape: ShapeVec,
    ) -> BufferId {
        let out = self.written(value, &shape);
        self.plan.steps.push(Step {
            name,
            kind,
            epilogue,
            out,
            shape,
            more: Vec::new(),
        });
        out
    }

    /// Makes every output a written buffer.
    fn outputs(&mut self) -> Result<(), OptimizeError> {
        for (at, (name, id)) in self.graph.outputs().iter().enumerate() {
            let written = self
                .plan
                .buffers
                .iter()
                .position(|b| b.place == Place::Output(at));
            let (shape, dtype) = (self.shape(*id)?, self.dtype(*id));
            let layout = self.row_major(*id, &shape)?;
            let buffer = match written {
                Some(buffer) => BufferId(buffer as u32),
                None => {
                    let source = self.read(*id)?;
                    let elements = shape.iter().product();
                    let out = self.buffer(name, dtype, elements, Place::Output(at));
                    let (kind, epilogue) = (StepKind::Map { value: source }, Epilogue::none(dtype));
                    self.plan.steps.push(Step {
                        name: name.clone(),
                        kind,
                        epilogue,
                        out,
                        shape: shape.clone(),
                        more: Vec::new(),
                    });
                    out
                }
            };
            self.plan.outputs.push(Port {
                name: name.clone(),
                dtype,
                shape,
                layout,
                buffer,
            });
        }
        Ok(())
    }
}
