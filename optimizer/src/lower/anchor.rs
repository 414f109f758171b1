//! Nodes that become steps: contractions, windows, reductions, norms, copies and gathers.

use graph::op::{Conv, Gather, Op, Pool, Reduce, Softmax, Window};
use graph::scalar::{Prim, Program, Reg};
use graph::{Node, NodeId, ValueId};
use plan::{ConvStep, Epilogue, Load, Place, PoolStep, Source, Step, StepKind, Window2d};
use tensor_core::{ShapeVec, TensorLayout};

use super::Lowering;
use super::operands::Anchor;
use crate::OptimizeError;
use crate::region::Region;

/// A step before its epilogue.
struct Draft {
    kind: StepKind,
    /// Shape that the step writes: the value's elements in the same order.
    shape: ShapeVec,
    /// Values that act on each result before the region does, with the axis they run along.
    parameters: Vec<(ValueId, Along)>,
    prepare: fn(&mut Program, &[Reg]) -> Reg,
    /// The value's axes in terms of the step's, when the step writes them in another order.
    permuted: Option<Vec<usize>>,
}

/// How a parameter lies over the value.
#[derive(Clone, Copy)]
enum Along {
    /// One element per channel, axis 1.
    Channels,
    /// Broadcast from the last axis.
    Last,
}

impl Lowering<'_> {
    /// Emits the step of `root` with the epilogue of its region.
    pub(super) fn anchor(&mut self, root: NodeId, region: &Region) -> Result<(), OptimizeError> {
        let node = self.graph.node(root);
        let value = node.outputs[0];
        let draft = self.draft(node)?;
        let takes_epilogue = !matches!(
            draft.kind,
            StepKind::Concat { .. } | StepKind::Gather { .. }
        );
        let fuse = takes_epilogue && draft.permuted.is_none();
        let exit = if fuse { region.exit } else { value };
        let members: &[NodeId] = if fuse { &region.nodes } else { &[] };
        let epilogue = self.epilogue(value, members, exit, &draft)?;
        let name = self.step_name(value);
        let (shape, dtype) = (self.shape(exit)?, self.dtype(exit));
        let step_layout = self.row_major(exit, &draft.shape)?;
        // A step that writes its axes in another order cannot write an output directly.
        let direct = self.output_of[exit.index()];
        if draft.permuted.is_some() {
            self.output_of[exit.index()] = None;
        }
        let out = self.step(exit, name, draft.kind, epilogue, draft.shape);
        if draft.permuted.is_some() {
            self.output_of[exit.index()] = direct;
        }
        let view = Source::view(out, dtype, step_layout);
        let source = match &draft.permuted {
            Some(axes) => self.with_layouts(exit, view, shape, |layout| layout.permute(axes))?,
            None => self.with_layouts(exit, view, shape.clone(), |layout| {
                layout.reshape(&shape[..])
            })?,
        };
        self.sources[exit.index()] = Some(source);
        if !fuse && !region.nodes.is_empty() {
            self.expression(&region.nodes, region.exit)?;
        }
        Ok(())
    }

    /// The expression of `members` over the result of `value`'s step.
    fn epilogue(
        &mut self,
        value: ValueId,
        members: &[NodeId],
        exit: ValueId,
        draft: &Draft,
    ) -> Result<Epilogue, OptimizeError> {
        let shape = self.shape(value)?;
        let mut operands = self.external_operands(members, Some(value), &shape)?;
        for (parameter, along) in &draft.parameters {
            if !operands.contains(*parameter) {
                let source = self.parameter(*parameter, *along, &shape)?;
                let dtypes: Vec<_> = source
                    .loads
                    .iter()
                    .map(|l| self.plan.buffer(l.buffer).dtype)
                    .collect();
                operands.add_source(*parameter, source, &dtypes);
            }
        }
        let anchor = Anchor {
            value,
            dtype: self.dtype(value),
            operands: draft.parameters.iter().map(|(v, _)| *v).collect(),
            prepare: &draft.prepare,
        };
        let (mut loads, program) = operands.build(self.graph, members, Some(anchor), exit);
        for load in &mut loads {
            load.layout = match load.layout.reshape(&draft.shape[..]) {
                Ok(layout) => layout,
                Err(_) => self.dense_copy(exit, load, &draft.shape)?,
            };
        }
        Ok(Epilogue { loads, program })
    }

    /// Copies what a load reads to a buffer of its own, for axes that strides cannot join; gives the
    /// layout under another shape, and makes the load read the copy.
    fn dense_copy(
        &mut self,
        exit: ValueId,
        load: &mut Load,
        shape: &[usize],
    ) -> Result<TensorLayout, OptimizeError> {
        let dtype = self.plan.buffer(load.buffer).dtype;
        let name = format!("{}.dense", self.plan.buffer(load.buffer).name);
        let value = Source::view(load.buffer, dtype, load.layout.clone());
        let own_shape = value.shape.clone();
        let out = self.buffer(&name, dtype, own_shape.iter().product(), Place::Unplaced);
        self.plan.steps.push(Step {
            name,
            kind: StepKind::Map { value },
            epilogue: Epilogue::none(dtype),
            out,
            shape: own_shape,
            more: Vec::new(),
        });
        load.buffer = out;
        self.row_major(exit, shape)
    }

    fn parameter(
        &mut self,
        id: ValueId,
        along: Along,
        shape: &[usize],
    ) -> Result<Source, OptimizeError> {
        let load = self.plain(id)?;
        let trailing = match along {
            Along::Channels => shape.len().saturating_sub(2),
            Along::Last => 0,
        };
        let own: Vec<usize> = load
            .layout
            .shape()
            .iter()
            .copied()
            .chain(std::iter::repeat_n(1, trailing))
            .collect();
        let source = Source::view(load.buffer, self.dtype(id), load.layout);
        let shape_vec: ShapeVec = shape.iter().copied().collect();
        self.with_layouts(id, source, shape_vec, |layout| {
            layout.reshape(&own[..])?.broadcast_to(shape)
        })
    }

    fn draft(&mut self, node: &Node) -> Result<Draft, OptimizeError> {
        match &node.op {
            Op::MatMul(_) => self.contract(node),
            Op::Conv(conv) => self.conv(node, conv),
            Op::Pool(pool) => self.pool(node, pool),
            Op::Reduce(reduce) => self.reduce(node, reduce),
            Op::Softmax(softmax) => self.softmax(node, *softmax),
            Op::LayerNorm(norm) => {
                let x_shape = self.shape(input(node, 0))?;
                let axis = axis_of(norm.axis, x_shape.len());
                // Several normalised axes are one longer row.
                let row = x_shape[axis..].iter().product();
                let rows: ShapeVec = x_shape[..axis].iter().copied().chain([row]).collect();
                let value = self.reshaped(input(node, 0), &rows)?;
                let kind = StepKind::LayerNorm {
                    value,
                    epsilon: norm.epsilon,
                };
                let mut draft = self.draft_of(node, kind)?;
                draft.shape = rows;
                draft.parameters = node.inputs[1..]
                    .iter()
                    .flatten()
                    .map(|&id| (id, Along::Last))
                    .collect();
                draft.prepare = match (
                    node.inputs.get(1).copied().flatten(),
                    draft.parameters.len(),
                ) {
                    (_, 0) => |_, _| 0,
                    (_, 2) => |p, o| {
                        let scaled = p.prim(Prim::Mul, &[0, o[0]]);
                        p.prim(Prim::Add, &[scaled, o[1]])
                    },
                    (Some(_), _) => |p, o| p.prim(Prim::Mul, &[0, o[0]]),
                    (None, _) => |p, o| p.prim(Prim::Add, &[0, o[0]]),
                };
                Ok(draft)
            }
            Op::Concat(concat) => {
                let parts = node
                    .inputs
                    .iter()
                    .flatten()
                    .map(|&id| self.read(id))
                    .collect::<Result<Vec<_>, _>>()?;
                let axis = axis_of(concat.axis, self.shape(node.outputs[0])?.len());
                self.draft_of(node, StepKind::Concat { parts, axis })
            }
            Op::Gather(gather) => self.gather(node, *gather),
            other => unreachable!("{} is a whole op", other.name()),
        }
    }

    /// A draft that writes the value's own shape and adds nothing to the epilogue.
    fn draft_of(&self, node: &Node, kind: StepKind) -> Result<Draft, OptimizeError> {
        let shape = self.shape(node.outputs[0])?;
        Ok(Draft {
            kind,
            shape,
            parameters: Vec::new(),
            prepare: |_, _| 0,
            permuted: None,
        })
    }

    fn contract(&mut self, node: &Node) -> Result<Draft, OptimizeError> {
        let (a, b) = (input(node, 0), input(node, 1));
        let (mut a_shape, mut b_shape) = (self.shape(a)?.to_vec(), self.shape(b)?.to_vec());
        if a_shape.len() == 1 {
            a_shape.insert(0, 1);
        }
        if b_shape.len() == 1 {
            b_shape.push(1);
        }
        let (m, k) = (a_shape[a_shape.len() - 2], a_shape[a_shape.len() - 1]);
        let n = b_shape[b_shape.len() - 1];
        let batch_of = |shape: &[usize]| shape[..shape.len() - 2].to_vec();
        let (a_batch, b_batch) = (batch_of(&a_shape), batch_of(&b_shape));
        let fail = |_| unsupported(node, "a batch that does not broadcast");
        let batch = tensor_core::broadcast_shapes(&[&a_batch, &b_batch]).map_err(fail)?;
        let count: usize = batch.iter().product();
        // One matrix on the right for the whole batch: the batch is more rows.
        if b_batch.iter().all(|&d| d == 1) && a_batch.iter().product::<usize>() == count {
            let lhs = self.reshaped(a, &[count * m, k])?;
            let rhs = self.reshaped(b, &[k, n])?;
            let mut draft = self.draft_of(node, StepKind::Contract { lhs, rhs })?;
            draft.shape = [count * m, n].into_iter().collect();
            return Ok(draft);
        }
        let full = |core: [usize; 2]| -> Vec<usize> { batch.iter().copied().chain(core).collect() };
        let lhs = self.operand(a, &a_shape, &full([m, k]))?;
        let rhs = self.operand(b, &b_shape, &full([k, n]))?;
        let mut draft = self.draft_of(node, StepKind::Contract { lhs, rhs })?;
        draft.shape = full([m, n]).into_iter().collect();
        Ok(draft)
    }

    /// A side of a batched product: shaped as a matrix, then broadcast over the batch.
    fn operand(
        &mut self,
        id: ValueId,
        matrix: &[usize],
        full: &[usize],
    ) -> Result<Source, OptimizeError> {
        if matrix.iter().product::<usize>() < full.iter().product() {
            self.plain(id)?;
        }
        let source = self.reshaped(id, matrix)?;
        let shape: ShapeVec = full.iter().copied().collect();
        self.with_layouts(id, source, shape, |layout| layout.broadcast_to(full))
    }

    fn conv(&mut self, node: &Node, conv: &Conv) -> Result<Draft, OptimizeError> {
        let (x, w) = (input(node, 0), input(node, 1));
        let w_shape = self.images(node, w)?;
        let window = self.window(node, &conv.window, &w_shape[2..])?;
        // Only a 1 x 1 kernel reads each element once; others would evaluate an expression repeatedly.
        let pointwise = window.kernel == [1, 1] && window.strides == [1, 1];
        if !pointwise {
            self.plain(x)?;
        }
        let x_shape = self.images(node, x)?;
        let input_source = self.reshaped(x, &x_shape)?;
        self.plain(w)?;
        let weight = self.reshaped(w, &w_shape)?;
        let step = ConvStep {
            input: input_source,
            weight,
            window,
            groups: conv.groups,
        };
        let mut draft = self.draft_of(node, StepKind::Conv(step))?;
        draft.shape = self.images(node, node.outputs[0])?.into_iter().collect();
        if let Some(bias) = node.inputs.get(2).copied().flatten() {
            draft.parameters = vec![(bias, Along::Channels)];
            draft.prepare = |p, o| p.prim(Prim::Add, &[0, o[0]]);
        }
        Ok(draft)
    }

    fn pool(&mut self, node: &Node, pool: &Pool) -> Result<Draft, OptimizeError> {
        let x = input(node, 0);
        self.plain(x)?;
        let x_shape = self.images(node, x)?;
        let mut kernel = pool.kernel.clone();
        if kernel.len() == 1 {
            kernel.insert(0, 1);
        }
        let window = self.window(node, &pool.window, &kernel)?;
        let input_source = self.reshaped(x, &x_shape)?;
        let step = PoolStep {
            input: input_source,
            kind: pool.kind,
            window,
            ceil: pool.ceil,
            count_pad: pool.count_pad,
        };
        let mut draft = self.draft_of(node, StepKind::Pool(step))?;
        draft.shape = self.images(node, node.outputs[0])?.into_iter().collect();
        Ok(draft)
    }

    /// The shape of a value as `[a, b, height, width]`; a 1-d image has height 1.
    fn images(&self, node: &Node, id: ValueId) -> Result<Vec<usize>, OptimizeError> {
        let mut shape = self.shape(id)?.to_vec();
        if shape.len() == 3 {
            shape.insert(2, 1);
        }
        if shape.len() == 4 {
            Ok(shape)
        } else {
            Err(unsupported(
                node,
                "a window over more than two spatial axes",
            ))
        }
    }

    fn window(
        &self,
        node: &Node,
        window: &Window,
        kernel: &[usize],
    ) -> Result<Window2d, OptimizeError> {
        let spatial = self.images(node, input(node, 0))?;
        let lift = |list: &[usize], unit: usize| match list {
            [one] => [unit, *one],
            [a, b] => [*a, *b],
            _ => [unit, unit],
        };
        let one_axis = window.strides.len() == 1;
        let (mut pad_begin, mut pad_end) = ([0; 2], [0; 2]);
        for axis in usize::from(one_axis)..2 {
            let own = if one_axis { 0 } else { axis };
            (pad_begin[axis], pad_end[axis]) = window.padding(own, spatial[2 + axis], kernel[axis]);
        }
        Ok(Window2d {
            kernel: lift(kernel, 1),
            strides: lift(&window.strides, 1),
            dilations: lift(&window.dilations, 1),
            pad_begin,
            pad_end,
        })
    }

    fn reduce(&mut self, node: &Node, reduce: &Reduce) -> Result<Draft, OptimizeError> {
        let value = self.read(input(node, 0))?;
        let rank = value.shape.len();
        let Some(axes) = &reduce.axes else {
            return Err(unsupported(node, "axes that are not attributes"));
        };
        let axes: Vec<usize> = axes.iter().map(|&a| axis_of(a, rank)).collect();
        self.draft_of(
            node,
            StepKind::Reduce {
                value,
                kind: reduce.kind,
                axes,
            },
        )
    }

    fn softmax(&mut self, node: &Node, softmax: Softmax) -> Result<Draft, OptimizeError> {
        let value = self.read(input(node, 0))?;
        let rank = value.shape.len();
        let axis = axis_of(softmax.axis, rank);
        if axis + 1 == rank {
            return self.draft_of(
                node,
                StepKind::Softmax {
                    value,
                    log: softmax.log,
                },
            );
        }
        let mut to_last: Vec<usize> = (0..rank).filter(|&a| a != axis).collect();
        to_last.push(axis);
        let shape: ShapeVec = to_last.iter().map(|&a| value.shape[a]).collect();
        let value = self.with_layouts(node.outputs[0], value, shape.clone(), |layout| {
            layout.permute(&to_last)
        })?;
        let mut draft = self.draft_of(
            node,
            StepKind::Softmax {
                value,
                log: softmax.log,
            },
        )?;
        let back = (0..rank).map(|a| to_last.iter().position(|&t| t == a).unwrap_or(a));
        draft.permuted = Some(back.collect());
        draft.shape = shape;
        Ok(draft)
    }

    fn gather(&mut self, node: &Node, gather: Gather) -> Result<Draft, OptimizeError> {
        let data = self.plain(input(node, 0))?;
        let axis = axis_of(gather.axis, data.layout.shape().len());
        let indices = self.read(input(node, 1))?;
        self.draft_of(
            node,
            StepKind::Gather {
                data,
                indices,
                axis,
            },
        )
    }
}

fn input(node: &Node, index: usize) -> ValueId {
    node.inputs[index].expect("inference refuses a missing required input")
}

/// An axis that inference has accepted.
fn axis_of(axis: i64, rank: usize) -> usize {
    let at = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(at).unwrap_or(0)
}

fn unsupported(node: &Node, what: &str) -> OptimizeError {
    OptimizeError::Unsupported {
        node: node.source.clone(),
        op: node.op.name(),
        what: what.to_owned(),
    }
}
