//! Recurrent layers, one sequence and one step at a time. The states are kept in `f64` from the first step to the last.

mod linear_attention;

use graph::op::{Activation, ActivationKind, Cell, Direction, Recurrent};
use tensor::Tensor;
use tensor_core::DType;

use super::index::signed;
use super::normalise::{floats, rounded};
use super::number::Number;
use super::{Call, ReferenceError, Result};

pub(super) use linear_attention::linear_attention;

/// The weights of one direction, and what its steps are made of.
struct Layer<'a> {
    op: &'a Recurrent,
    functions: &'a [Activation],
    hidden: usize,
    features: usize,
    /// Row by row, gate after gate.
    w: &'a [f64],
    r: &'a [f64],
    /// Biases of `w`, and then of `r`; 0 where there are none.
    w_bias: Vec<f64>,
    r_bias: Vec<f64>,
    /// Of the input, output and forget gate; 0 where there are none.
    peepholes: Vec<f64>,
}

/// What a step leaves to the next; `c` is 0 for cells without it.
struct State {
    h: Vec<f64>,
    c: Vec<f64>,
}

/// The states of every time `[time, directions, batch, hidden]`, and the last ones.
pub(super) fn recurrent(op: &Recurrent, call: &Call<'_>, shape: &[usize]) -> Result<Vec<Tensor>> {
    let [time, directions, batch, hidden] = *shape else {
        unreachable!("inference gives four extents");
    };
    let x = floats(call, call.input(0))?;
    let optional = |index: usize| {
        call.optional(index)
            .map(|view| floats(call, view))
            .transpose()
    };
    let (w, r) = (floats(call, call.input(1))?, floats(call, call.input(2))?);
    let (b, p) = (optional(3)?, optional(7)?);
    let (h0, c0) = (optional(5)?, optional(6)?);
    let lengths = lengths(call, batch, time)?;
    let features = call.input(0).shape()[2];
    let gates = op.cell.gates() * hidden;
    let mut y = call.buffer::<f64>(time * directions * batch * hidden)?;
    y.resize(time * directions * batch * hidden, 0.0);
    let (mut last_h, mut last_c) = (Vec::new(), Vec::new());
    for direction in 0..directions {
        let part = |all: &Option<Vec<f64>>, from: usize, len: usize| match all {
            Some(all) => all[from..][..len].to_vec(),
            None => vec![0.0; len],
        };
        let layer = Layer {
            op,
            functions: &op.functions[direction * op.cell.functions()..],
            hidden,
            features,
            w: &w[direction * gates * features..][..gates * features],
            r: &r[direction * gates * hidden..][..gates * hidden],
            w_bias: part(&b, direction * 2 * gates, gates),
            r_bias: part(&b, (direction * 2 + 1) * gates, gates),
            peepholes: part(&p, direction * 3 * hidden, 3 * hidden),
        };
        let backward = direction == 1 || op.direction == Direction::Reverse;
        for row in 0..batch {
            let first = (direction * batch + row) * hidden;
            let mut state = State {
                h: part(&h0, first, hidden),
                c: part(&c0, first, hidden),
            };
            for step in 0..lengths[row] {
                let at = if backward {
                    lengths[row] - 1 - step
                } else {
                    step
                };
                layer.step(&mut state, &x[(at * batch + row) * features..][..features]);
                let place = ((at * directions + direction) * batch + row) * hidden;
                y[place..][..hidden].copy_from_slice(&state.h);
            }
            last_h.extend(state.h);
            last_c.extend(state.c);
        }
    }
    let dtype: DType = call.input(0).dtype();
    let last = [directions, batch, hidden];
    let mut made = vec![
        rounded(call, dtype, shape, &y)?,
        rounded(call, dtype, &last, &last_h)?,
    ];
    if matches!(op.cell, Cell::Lstm { .. }) {
        made.push(rounded(call, dtype, &last, &last_c)?);
    }
    Ok(made)
}

/// How many elements of each sequence count.
fn lengths(call: &Call<'_>, batch: usize, time: usize) -> Result<Vec<usize>> {
    let Some(view) = call.optional(4) else {
        return Ok(vec![time; batch]);
    };
    let checked = |length: i64| {
        let length_or = usize::try_from(length).ok().filter(|&n| n <= time);
        length_or.ok_or(ReferenceError::SequenceLength {
            op: call.op,
            length,
            time,
        })
    };
    signed(view)?.into_iter().map(checked).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    f64::sum(a.iter().zip(b).map(|(a, b)| a * b))
}

impl Layer<'_> {
    fn step(&self, state: &mut State, x: &[f64]) {
        match self.op.cell {
            Cell::Rnn => {
                let all = |at| self.input_part(0, at, x) + self.state_part(0, at, &state.h);
                state.h = self.each(|at| self.function(0, all(at)));
            }
            Cell::Gru {
                linear_before_reset,
            } => self.gru(state, x, linear_before_reset),
            Cell::Lstm { input_forget } => self.lstm(state, x, input_forget),
        }
    }

    fn gru(&self, state: &mut State, x: &[f64], linear_before_reset: bool) {
        let gate = |gate| {
            self.each(|at| {
                let sum = self.input_part(gate, at, x) + self.state_part(gate, at, &state.h);
                self.function(0, sum)
            })
        };
        let (update, reset) = (gate(0), gate(1));
        let kept: Vec<f64> = reset.iter().zip(&state.h).map(|(r, h)| r * h).collect();
        let candidate = self.each(|at| {
            let recurrent = if linear_before_reset {
                reset[at] * self.state_part(2, at, &state.h)
            } else {
                self.state_part(2, at, &kept)
            };
            self.function(1, self.input_part(2, at, x) + recurrent)
        });
        let h = |at: usize| (1.0 - update[at]) * candidate[at] + update[at] * state.h[at];
        state.h = self.each(h);
    }

    /// The gates are in the order `iofc`.
    fn lstm(&self, state: &mut State, x: &[f64], input_forget: bool) {
        let sum = |gate, at| self.input_part(gate, at, x) + self.state_part(gate, at, &state.h);
        let peephole = |gate: usize, at, c: &[f64]| self.peepholes[gate * self.hidden + at] * c[at];
        let gate = |gate, c: &[f64]| {
            self.each(|at| self.function(0, sum(gate, at) + peephole(gate, at, c)))
        };
        let input = gate(0, &state.c);
        let forget = if input_forget {
            self.each(|at| 1.0 - input[at])
        } else {
            gate(2, &state.c)
        };
        let candidate = self.each(|at| self.function(1, sum(3, at)));
        let c = self.each(|at| forget[at] * state.c[at] + input[at] * candidate[at]);
        let output = gate(1, &c);
        state.h = self.each(|at| output[at] * activate(self.functions[2], c[at]));
        state.c = c;
    }

    fn each(&self, element: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.hidden).map(element).collect()
    }

    /// `W x + Wb`, one element of one gate.
    fn input_part(&self, gate: usize, at: usize, x: &[f64]) -> f64 {
        let row = gate * self.hidden + at;
        dot(&self.w[row * self.features..][..self.features], x) + self.w_bias[row]
    }

    /// `R h + Rb`, one element of one gate.
    fn state_part(&self, gate: usize, at: usize, h: &[f64]) -> f64 {
        let row = gate * self.hidden + at;
        dot(&self.r[row * self.hidden..][..self.hidden], h) + self.r_bias[row]
    }

    /// Function `f` or `g` of an argument that `clip` limits.
    fn function(&self, which: usize, x: f64) -> f64 {
        let x = match self.op.clip.map(f64::from) {
            Some(clip) => x.larger(-clip).smaller(clip),
            None => x,
        };
        activate(self.functions[which], x)
    }
}

fn activate(activation: Activation, x: f64) -> f64 {
    use graph::scalar::Prim;
    let (alpha, beta) = (f64::from(activation.alpha), f64::from(activation.beta));
    match activation.kind {
        ActivationKind::Relu => x.larger(0.0),
        ActivationKind::Tanh => x.tanh(),
        ActivationKind::Sigmoid => x.analytic(Prim::Sigmoid),
        ActivationKind::Affine => alpha * x + beta,
        ActivationKind::LeakyRelu if x < 0.0 => alpha * x,
        ActivationKind::ThresholdedRelu if x < alpha => 0.0,
        ActivationKind::LeakyRelu | ActivationKind::ThresholdedRelu => x,
        ActivationKind::ScaledTanh => alpha * (beta * x).tanh(),
        ActivationKind::HardSigmoid => (alpha * x + beta).smaller(1.0).larger(0.0),
        ActivationKind::Elu if x < 0.0 => alpha * x.exp_m1(),
        ActivationKind::Elu => x,
        ActivationKind::Softsign => x / (1.0 + x.abs()),
        ActivationKind::Softplus => x.larger(0.0) + (-x.abs()).exp().ln_1p(),
    }
}
