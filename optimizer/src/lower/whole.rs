//! Ops that become a step by themselves: what no family of steps serves.
//!
//! Such a step holds the op of the table; its inputs are plain views of buffers and it writes every output to a buffer of
//! its own. Nothing fuses with it. An executor may know a kernel for it; every executor can ask the reference.

use graph::op::{Family, Op, Reduce};
use graph::{Graph, Node};
use plan::{Backend, Epilogue, Source, Step, StepKind};
use tensor_core::{DType, ShapeVec};

use super::Lowering;
use crate::OptimizeError;

/// Windows over more spatial axes than this are whole ops.
const MAX_SPATIAL_AXES: usize = 2;

/// By node: whether it becomes a whole op.
pub(super) fn nodes(graph: &Graph, backend: &dyn Backend) -> Vec<bool> {
    let is_whole = |node: &Node| {
        let values = node.inputs.iter().flatten().chain(&node.outputs);
        let dtypes: Vec<DType> = values.map(|&id| graph.value(id).ty().dtype).collect();
        node.op.family() != Family::View
            && !(has_family(graph, node) && backend.serves(&node.op, &dtypes))
    };
    graph.nodes().map(|(_, node)| is_whole(node)).collect()
}

/// Whether a family of steps has room for what this node does.
fn has_family(graph: &Graph, node: &Node) -> bool {
    match &node.op {
        Op::Map(_)
        | Op::MatMul(_)
        | Op::Softmax(_)
        | Op::LayerNorm(_)
        | Op::Concat(_)
        | Op::Gather(_) => true,
        Op::Reduce(Reduce { axes, .. }) => axes.is_some(),
        Op::Conv(_) | Op::Pool(_) => {
            let image = node.inputs.first().copied().flatten();
            image.is_some_and(|id| graph.value(id).ty().rank() <= 2 + MAX_SPATIAL_AXES)
        }
        _ => false,
    }
}

impl Lowering<'_> {
    /// Emits the step of a whole op.
    pub(super) fn whole(&mut self, node: &Node) -> Result<(), OptimizeError> {
        let inputs = node
            .inputs
            .iter()
            .map(|input| input.map(|id| self.plain(id)).transpose())
            .collect::<Result<Vec<_>, _>>()?;
        let mut written = Vec::with_capacity(node.outputs.len());
        for &output in &node.outputs {
            let (shape, dtype) = (self.shape(output)?, self.dtype(output));
            let layout = self.row_major(output, &shape)?;
            let buffer = self.written(output, &shape);
            self.sources[output.index()] = Some(Source::view(buffer, dtype, layout));
            written.push((buffer, shape));
        }
        let mut written = written.into_iter();
        let (out, shape): (_, ShapeVec) = written.next().expect("every op has an output");
        self.plan.steps.push(Step {
            name: self.step_name(node.outputs[0]),
            kind: StepKind::Whole {
                op: Box::new(node.op.clone()),
                inputs,
            },
            epilogue: Epilogue::none(self.dtype(node.outputs[0])),
            out,
            shape,
            more: written.collect(),
        });
        Ok(())
    }
}
