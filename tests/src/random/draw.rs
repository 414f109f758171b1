//! Drawing a sample.

use std::sync::Arc;

use graph::op::{
    Concat, Expand, Gather, LayerNorm, MapOp, MatMul, Op, Reduce, ReduceKind, Reshape, Slice,
    SliceAxis, Softmax, Squeeze, Transpose, Unsqueeze,
};
use graph::{Dim, GraphBuilder, TensorType, ValueId};
use tensor::{DType, Tensor};

use super::Sample;
use crate::seeded::Seeded;

/// No value is larger.
const LARGEST: f64 = 1e4;

/// No value has more elements.
const MOST_ELEMENTS: usize = 4096;

/// A value of the float dtype that is drawn so far.
#[derive(Clone, Debug)]
struct Drawn {
    id: ValueId,
    shape: Vec<usize>,
    /// No element is larger.
    bound: f64,
}

struct Drawing {
    random: Seeded,
    builder: GraphBuilder,
    dtype: DType,
    values: Vec<Drawn>,
    feeds: Vec<(String, Tensor)>,
}

/// The sample of a seed, with all floats in `dtype`; the elements of the feeds are numbers of `f32` in any case.
///
/// # Panics
/// If the graph breaks the law of graphs: a fault of the generator or of inference.
pub fn sample(seed: u64, dtype: DType) -> Sample {
    let mut drawing = Drawing {
        random: Seeded::new(seed),
        builder: GraphBuilder::new(format!("sample_{seed}")),
        dtype,
        values: Vec::new(),
        feeds: Vec::new(),
    };
    for _ in 0..1 + drawing.random.below(3) {
        let shape = drawing.shape();
        drawing.input(&shape);
    }
    let steps = 3 + drawing.random.below(10);
    for _ in 0..steps {
        drawing.step();
    }
    drawing.finish(seed)
}

impl Drawing {
    /// Up to four axes, some of extent 1, now and then one of none.
    fn shape(&mut self) -> Vec<usize> {
        const EXTENTS: &[usize] = &[1, 2, 3, 4, 5, 7, 1, 2, 3, 4, 5, 8, 3, 4, 5, 6, 17, 0];
        let rank = self.random.below(5);
        let mut shape: Vec<usize> = (0..rank).map(|_| *self.random.pick(EXTENTS)).collect();
        while shape.iter().product::<usize>() > MOST_ELEMENTS {
            shape.pop();
        }
        shape
    }

    fn input(&mut self, shape: &[usize]) -> Drawn {
        let name = format!("x{}", self.feeds.len());
        let count = shape.iter().product();
        let elements: Vec<f32> = (0..count)
            .map(|_| self.random.uniform(-2.0, 2.0) as f32)
            .collect();
        let feed =
            Tensor::from_vec_row_major(shape, elements).and_then(|feed| feed.cast(self.dtype));
        self.feeds
            .push((name.clone(), feed.expect("the elements fill the shape")));
        let id = self
            .builder
            .input(name, TensorType::fixed(self.dtype, shape))
            .expect("names of inputs are counted");
        self.keep(id, 2.0)
    }

    fn keep(&mut self, id: ValueId, bound: f64) -> Drawn {
        let shape = self
            .builder
            .ty(id)
            .static_shape()
            .expect("no extent is a symbol");
        let drawn = Drawn {
            id,
            shape: shape.to_vec(),
            bound,
        };
        self.values.push(drawn.clone());
        drawn
    }

    fn any(&mut self) -> Drawn {
        // The newest more often, so that chains become long.
        let newest = self.values.len() - 1;
        let at = if self.random.below(2) == 0 {
            newest
        } else {
            self.random.below(newest + 1)
        };
        self.values[at].clone()
    }

    /// Adds a node if its result stays within the limits.
    fn apply(&mut self, op: Op, inputs: &[&Drawn], bound: f64) {
        let facts: Vec<_> = inputs
            .iter()
            .map(|input| Some(&self.builder.graph().value(input.id).facts))
            .collect();
        let inferred = op
            .infer(&facts, "")
            .unwrap_or_else(|error| panic!("the generator draws what does not fit: {error}"));
        let shape = inferred[0]
            .ty
            .static_shape()
            .expect("no extent is a symbol");
        if bound > LARGEST || shape.iter().product::<usize>() > MOST_ELEMENTS || shape.len() > 6 {
            return;
        }
        let ids: Vec<ValueId> = inputs.iter().map(|input| input.id).collect();
        let id = self
            .builder
            .apply(op, &ids, "")
            .expect("inference took these inputs a moment ago");
        self.keep(id, bound);
    }

    fn step(&mut self) {
        match self.random.below(13) {
            0 | 1 => self.unary(),
            2 | 3 => self.binary(),
            4 => self.reduce(),
            5 => self.matmul(),
            6 => self.normalise(),
            7 => self.transpose(),
            8 => self.reshape(),
            9 => self.slice(),
            10 => self.expand_or_squeeze(),
            11 => self.concat_or_gather(),
            _ => self.select(),
        }
    }

    fn unary(&mut self) {
        let a = self.any();
        let name = *self.random.pick(&[
            "neg",
            "abs",
            "tanh",
            "sigmoid",
            "erf",
            "relu",
            "leaky_relu",
            "hard_sigmoid",
            "hard_swish",
            "gelu",
            "gelu_tanh",
            "silu",
            "sin",
            "cos",
            "exp",
            "identity",
        ]);
        let bound = match name {
            "tanh" | "sigmoid" | "erf" | "hard_sigmoid" | "sin" | "cos" => 1.0,
            "exp" => a.bound.exp(),
            _ => a.bound,
        };
        // Far from 0 the sine magnifies rounding without end.
        if !(matches!(name, "sin" | "cos") && a.bound > 100.0) {
            self.apply(map(name), &[&a], bound);
        }
    }

    /// A value that broadcasts with `a`: one that is there, or a new input.
    fn partner(&mut self, a: &Drawn) -> Drawn {
        let b = self.any();
        if tensor_core::broadcast_shapes(&[&a.shape, &b.shape]).is_ok() {
            return b;
        }
        let from = self.random.below(a.shape.len() + 1);
        let shape: Vec<usize> = a.shape[from..]
            .iter()
            .map(|&extent| if self.random.below(3) == 0 { 1 } else { extent })
            .collect();
        self.input(&shape)
    }

    fn binary(&mut self) {
        let a = self.any();
        let b = self.partner(&a);
        let name = *self.random.pick(&["add", "sub", "mul", "max", "min"]);
        let bound = match name {
            "mul" => a.bound * b.bound,
            "max" | "min" => a.bound.max(b.bound),
            _ => a.bound + b.bound,
        };
        let swapped = self.random.below(2) == 0;
        let inputs = if swapped { [&b, &a] } else { [&a, &b] };
        self.apply(map(name), &inputs, bound);
    }

    fn reduce(&mut self) {
        let a = self.any();
        let axes: Vec<usize> = (0..a.shape.len())
            .filter(|_| self.random.below(2) == 0)
            .collect();
        let count: usize = axes.iter().map(|&axis| a.shape[axis]).product();
        let kind = *self.random.pick(&[
            ReduceKind::Sum,
            ReduceKind::Mean,
            ReduceKind::Max,
            ReduceKind::Min,
        ]);
        if count == 0 && kind != ReduceKind::Sum {
            // NaN and infinities are the conformance table's business.
            return;
        }
        let bound = if kind == ReduceKind::Sum {
            a.bound * count as f64
        } else {
            a.bound
        };
        let axes = axes.into_iter().map(|axis| axis as i64).collect();
        let keep = self.random.below(2) == 0;
        self.apply(
            Op::Reduce(Reduce {
                kind,
                axes: Some(axes),
                keep,
                noop_if_empty: true,
            }),
            &[&a],
            bound,
        );
    }

    fn matmul(&mut self) {
        let a = self.any();
        let Some(&k) = a.shape.last() else { return };
        let columns = 1 + self.random.below(9);
        let batch = if self.random.below(3) == 0 {
            a.shape[..a.shape.len().saturating_sub(2)].to_vec()
        } else {
            Vec::new()
        };
        let b = self.input(&[&batch[..], &[k, columns]].concat());
        self.apply(Op::MatMul(MatMul), &[&a, &b], a.bound * b.bound * k as f64);
    }

    fn normalise(&mut self) {
        let a = self.any();
        if a.shape.is_empty() {
            return;
        }
        let axis = self.random.below(a.shape.len());
        match self.random.below(3) {
            0 => self.apply(
                Op::Softmax(Softmax {
                    axis: axis as i64,
                    log: false,
                }),
                &[&a],
                1.0,
            ),
            1 => {
                let bound = 2.0 * a.bound + (a.shape[axis].max(1) as f64).ln();
                self.apply(
                    Op::Softmax(Softmax {
                        axis: axis as i64,
                        log: true,
                    }),
                    &[&a],
                    bound,
                );
            }
            _ => {
                let scale = self.input(&a.shape[axis..]);
                // No element is further from the mean than the square root of their number, in deviations.
                let count: usize = a.shape[axis..].iter().product();
                let bound = scale.bound * (count as f64).sqrt();
                self.apply(
                    Op::LayerNorm(LayerNorm {
                        axis: axis as i64,
                        epsilon: 1e-2,
                    }),
                    &[&a, &scale],
                    bound,
                );
            }
        }
    }

    fn transpose(&mut self) {
        let a = self.any();
        let mut perm: Vec<usize> = (0..a.shape.len()).collect();
        for at in (1..perm.len()).rev() {
            perm.swap(at, self.random.below(at + 1));
        }
        self.apply(Op::Transpose(Transpose { perm }), &[&a], a.bound);
    }

    /// Joins two neighbouring axes, or cuts one in two.
    fn reshape(&mut self) {
        let a = self.any();
        let mut shape = a.shape.clone();
        if shape.len() >= 2 && self.random.below(2) == 0 {
            let at = self.random.below(shape.len() - 1);
            let joined = shape[at] * shape.remove(at + 1);
            shape[at] = joined;
        } else if !shape.is_empty() {
            let at = self.random.below(shape.len());
            let divisor = (2..=shape[at])
                .find(|&divisor| shape[at].is_multiple_of(divisor))
                .unwrap_or(1);
            let rest = shape[at] / divisor;
            shape[at] = divisor;
            shape.insert(at, rest);
        }
        self.apply(
            Op::Reshape(Reshape::to(shape.into_iter().map(Dim::from))),
            &[&a],
            a.bound,
        );
    }

    fn slice(&mut self) {
        let a = self.any();
        if a.shape.is_empty() {
            return;
        }
        let axis = self.random.below(a.shape.len());
        let extent = a.shape[axis];
        let first = self.random.below(extent) as i64;
        let (start, end, step) = match self.random.below(4) {
            0 => (first, i64::MAX, 1),
            1 => (0, -1, 1),
            2 => (-1, i64::MIN, -1),
            _ => (first, i64::MAX, 2),
        };
        let axes = Some(vec![SliceAxis {
            axis: axis as i64,
            start,
            end,
            step,
        }]);
        self.apply(Op::Slice(Slice { axes }), &[&a], a.bound);
    }

    fn expand_or_squeeze(&mut self) {
        let a = self.any();
        let ones: Vec<i64> = (0..a.shape.len())
            .filter(|&axis| a.shape[axis] == 1)
            .map(|axis| axis as i64)
            .collect();
        let op = match (self.random.below(3), ones.is_empty()) {
            (0, false) => Op::Squeeze(Squeeze { axes: Some(ones) }),
            (1, _) => Op::Unsqueeze(Unsqueeze {
                axes: Some(vec![self.random.below(a.shape.len() + 1) as i64]),
            }),
            _ => {
                let shape = a
                    .shape
                    .iter()
                    .map(|&extent| if extent == 1 { 3 } else { extent });
                Op::Expand(Expand::to([2].into_iter().chain(shape).map(Dim::from)))
            }
        };
        self.apply(op, &[&a], a.bound);
    }

    fn concat_or_gather(&mut self) {
        let a = self.any();
        if a.shape.is_empty() {
            return;
        }
        let axis = self.random.below(a.shape.len());
        if self.random.below(2) == 0 || a.shape[axis] == 0 {
            let mut other = a.shape.clone();
            other[axis] = self.random.below(4);
            let b = self.input(&other);
            self.apply(
                Op::Concat(Concat { axis: axis as i64 }),
                &[&a, &b, &a],
                a.bound.max(b.bound),
            );
            return;
        }
        let extent = a.shape[axis];
        let indices: Vec<i64> = (0..4)
            .map(|_| self.random.below(2 * extent) as i64 - extent as i64)
            .collect();
        let indices =
            Tensor::from_vec_row_major([2, 2], indices).expect("four indices fill two rows");
        let name = self.builder.fresh_name("indices");
        let id = self
            .builder
            .constant(name, Arc::new(indices))
            .expect("the name is fresh");
        let indices = Drawn {
            id,
            shape: vec![2, 2],
            bound: 0.0,
        };
        self.apply(
            Op::Gather(Gather { axis: axis as i64 }),
            &[&a, &indices],
            a.bound,
        );
    }

    /// A choice by the sign of a new input, which nothing rounds.
    fn select(&mut self) {
        let a = self.any();
        let b = self.partner(&a);
        let mask = self.input(&a.shape.clone());
        let zero = self.builder.fresh_name("zero");
        let tensor = Tensor::scalar(0.0_f32)
            .cast(self.dtype)
            .expect("0 is a number of every dtype");
        let zero = self
            .builder
            .constant(zero, Arc::new(tensor))
            .expect("the name is fresh");
        let positive = self
            .builder
            .apply(map("less"), &[zero, mask.id], "")
            .expect("a scalar compares with anything");
        let positive = Drawn {
            id: positive,
            shape: mask.shape,
            bound: 1.0,
        };
        self.apply(map("where"), &[&positive, &a, &b], a.bound.max(b.bound));
    }

    /// Everything that is not used becomes an output, so that nothing drawn is dead.
    fn finish(mut self, seed: u64) -> Sample {
        let uses = self.builder.graph().use_counts();
        let unused: Vec<ValueId> = self
            .builder
            .graph()
            .values()
            .map(|(id, _)| id)
            .filter(|id| uses[id.index()] == 0)
            .collect();
        for id in unused {
            if self.builder.graph().value(id).constant().is_none() {
                let name = self.builder.graph().value(id).name.clone();
                self.builder.output(name, id);
            }
        }
        let graph = self.builder.finish();
        assert_eq!(
            graph.verify(),
            Ok(()),
            "the generator keeps the law of graphs"
        );
        Sample {
            seed,
            graph,
            feeds: self.feeds,
        }
    }
}

fn map(name: &str) -> Op {
    Op::Map(MapOp::named(name).expect("the op table has a row of this name"))
}
