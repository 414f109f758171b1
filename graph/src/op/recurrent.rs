//! Steps along time, each from the state that the one before it left: RNN, GRU, LSTM, linear attention.
//!
//! What happens in a step is fixed; how many steps there are is an extent. So these ops are whole: a graph of other ops would have
//! to be as long as the sequence. Time is the first axis of the cells here, the batch the second.

mod activation;
mod linear_attention;

use super::attrs::words;
use super::rule::{Inputs, may_equal};
use super::{Algebra, Attrs, Entry, Family, Numerics, OpDef};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub use activation::{Activation, ActivationKind};
pub use linear_attention::{LinearAttention, UpdateRule};

const fn def(
    name: &'static str,
    arity: (usize, usize),
    formula: &'static str,
    source: &'static str,
) -> OpDef {
    OpDef {
        name,
        family: Family::Recurrent,
        arity,
        algebra: Algebra::NONE,
        formula,
        numerics: Numerics {
            accumulator: "f64, state included",
            nan: "propagates to all later steps of its row",
            max_ulp: 16,
        },
        source,
    }
}

static RNN: OpDef = def(
    "rnn",
    (3, 6),
    "h' = f(W x + R h + Wb + Rb)",
    "ONNX RNN, layout 0",
);

static GRU: OpDef = def(
    "gru",
    (3, 6),
    "z, r = f(W x + R h + Wb + Rb); n = g(Wn x + Rn (r * h) + Rbn + Wbn), or with `linear_before_reset` g(Wn x + r * (Rn h + Rbn) + Wbn); \
     h' = (1 - z) * n + z * h",
    "ONNX GRU, layout 0; Cho et al. 2014",
);

static LSTM: OpDef = def(
    "lstm",
    (3, 8),
    "i = f(W x + R h + Wb + Rb + P * c), forget gate l alike, or 1 - i with `input_forget`; c' = l * c + i * g(W x + R h + Wb + Rb); \
     o = f(W x + R h + Wb + Rb + P * c'); h' = o * h(c')",
    "ONNX LSTM, layout 0; Hochreiter and Schmidhuber 1997, Gers and Schmidhuber 2000",
);

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// One gate, which is the new state.
    Rnn,
    /// Update gate, reset gate, candidate.
    Gru {
        /// Whether the reset gate applies to what the recurrent weights make of the state, rather than to the state.
        linear_before_reset: bool,
    },
    /// Input, output and forget gate, candidate; a second state `c`.
    Lstm {
        /// Whether the forget gate is `1 - i`.
        input_forget: bool,
    },
}

impl Cell {
    /// How many blocks of `hidden` rows the weights have: in order of the ONNX standard, `zrn` of a GRU and `iofc` of an LSTM.
    pub fn gates(self) -> usize {
        match self {
            Cell::Rnn => 1,
            Cell::Gru { .. } => 3,
            Cell::Lstm { .. } => 4,
        }
    }

    /// How many functions a direction has: `f`, then `g`, then `h`.
    pub fn functions(self) -> usize {
        match self {
            Cell::Rnn => 1,
            Cell::Gru { .. } => 2,
            Cell::Lstm { .. } => 3,
        }
    }

    fn def(self) -> &'static OpDef {
        match self {
            Cell::Rnn => &RNN,
            Cell::Gru { .. } => &GRU,
            Cell::Lstm { .. } => &LSTM,
        }
    }
}

words! {
    /// Which way time is walked through.
    pub enum Direction {
        /// From the first element.
        Forward = "forward",
        /// From the last element of each sequence.
        Reverse = "reverse",
        /// Both, each with weights of its own.
        Bidirectional = "bidirectional",
    }
}

impl Direction {
    /// How many directions there are.
    pub fn count(self) -> usize {
        match self {
            Direction::Forward | Direction::Reverse => 1,
            Direction::Bidirectional => 2,
        }
    }
}

/// A layer of recurrent cells.
///
/// **Inputs**, with `d` directions, `n` gates ([`Cell::gates`]) and `h` the size of the state: `x` `[time, batch, features]`, `w`
/// `[d, n * h, features]`, `r` `[d, n * h, h]`; may be left out: `b` `[d, 2 * n * h]` (biases of `w`, then of `r`), `lengths` `[batch]`
/// (`i32` or `i64`: how many elements of each sequence count, all if left out), `h0` `[d, batch, h]`; for an LSTM also `c0` like `h0`
/// and the peephole weights `p` `[d, 3 * h]` for `i`, `o`, `f`. What is left out is 0.
///
/// **Outputs**: the states `y` `[time, d, batch, h]`, 0 beyond a sequence's length, in the order of `x` for every direction; the last
/// state `[d, batch, h]`; for an LSTM also the last `c`. A sequence of length 0 keeps its first state.
///
/// **DTypes**: one float. **Errors**: a length that is negative or beyond the extent of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrent {
    /// What a step does.
    pub cell: Cell,
    /// Which way.
    pub direction: Direction,
    /// [`Cell::functions`] functions for each direction.
    pub functions: Vec<Activation>,
    /// What the arguments of `f` and `g` are limited to, on either side of 0.
    pub clip: Option<f32>,
}

/// Names of the functions' attributes, by position.
const NAMES: [&str; 6] = ["f", "g", "h", "back_f", "back_g", "back_h"];

impl Recurrent {
    /// Attribute names of the functions: those of a second direction begin with `back_`.
    fn names(cell: Cell, direction: Direction) -> impl Iterator<Item = &'static str> {
        let each = NAMES.chunks(3).take(direction.count());
        each.flat_map(move |names| names[..cell.functions()].iter().copied())
    }

    fn check(&self, inputs: &Inputs<'_>) -> Result<(), InferError> {
        let wanted = Recurrent::names(self.cell, self.direction).count();
        if self.functions.len() != wanted {
            let reason = format!("{wanted} functions are needed");
            return Err(inputs.attribute_error("functions", self.functions.len(), reason));
        }
        match self.clip {
            Some(clip) if clip.is_nan() || clip < 0.0 => {
                Err(inputs.attribute_error("clip", clip, "must not be negative"))
            }
            _ => Ok(()),
        }
    }
}

/// The axes of the result.
struct Extents {
    time: Dim,
    batch: Dim,
    hidden: Dim,
}

/// An input must have these extents, as far as they are known.
pub(super) fn expect(
    inputs: &Inputs<'_>,
    index: usize,
    names: &str,
    extents: &[Dim],
) -> Result<(), InferError> {
    let Some(facts) = inputs.optional(index) else {
        return Ok(());
    };
    let shape = &facts.ty.shape;
    let fits = shape.len() == extents.len()
        && shape
            .iter()
            .zip(extents)
            .all(|(got, want)| may_equal(got, want));
    if fits {
        return Ok(());
    }
    let want: Vec<String> = extents.iter().map(ToString::to_string).collect();
    let reason = format!("must be [{names}], here [{}]", want.join(", "));
    Err(inputs.shape_error(index, reason))
}

impl Recurrent {
    fn extents(&self, inputs: &Inputs<'_>) -> Result<Extents, InferError> {
        let [time, batch, features] = &inputs.ty(0)?.shape[..] else {
            return Err(inputs.shape_error(0, "must be [time, batch, features]"));
        };
        let [_, _, hidden] = &inputs.ty(2)?.shape[..] else {
            return Err(inputs.shape_error(2, "must be [directions, gates * hidden, hidden]"));
        };
        let times = |n: usize| Dim::apply(DimOp::Mul, Dim::from(n), hidden.clone());
        let directions = Dim::from(self.direction.count());
        let gates = self.cell.gates();
        let rows = "directions, gates * hidden, ";
        let weights = |last: &Dim| [directions.clone(), times(gates), last.clone()];
        expect(inputs, 1, &format!("{rows}features"), &weights(features))?;
        expect(inputs, 2, &format!("{rows}hidden"), &weights(hidden))?;
        let biases = [directions.clone(), times(2 * gates)];
        expect(inputs, 3, "directions, 2 * gates * hidden", &biases)?;
        expect(inputs, 4, "batch", std::slice::from_ref(batch))?;
        let state = [directions.clone(), batch.clone(), hidden.clone()];
        expect(inputs, 5, "directions, batch, hidden", &state)?;
        expect(inputs, 6, "directions, batch, hidden", &state)?;
        expect(inputs, 7, "directions, 3 * hidden", &[directions, times(3)])?;
        Ok(Extents {
            time: time.clone(),
            batch: batch.clone(),
            hidden: hidden.clone(),
        })
    }
}

impl Entry for Recurrent {
    fn defs() -> Vec<&'static OpDef> {
        vec![&RNN, &GRU, &LSTM]
    }

    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String> {
        let cell = if name == RNN.name {
            Cell::Rnn
        } else if name == GRU.name {
            Cell::Gru {
                linear_before_reset: attrs.bool("linear_before_reset")?,
            }
        } else {
            Cell::Lstm {
                input_forget: attrs.bool("input_forget")?,
            }
        };
        let direction = attrs.word("direction", Direction::named)?;
        let functions = Recurrent::names(cell, direction);
        Ok(Recurrent {
            cell,
            direction,
            functions: functions
                .map(|name| Activation::from_attrs(attrs, name))
                .collect::<Result<_, _>>()?,
            clip: attrs.optional("clip", Attrs::f32)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        self.cell.def()
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        self.check(inputs)?;
        let dtype = inputs.float(0)?;
        for (index, facts) in inputs.present() {
            if index != 4 && facts.ty.dtype != dtype {
                return Err(inputs.dtype_error(index, format!("{dtype} like input 0")));
            }
        }
        if inputs.optional(4).is_some() {
            inputs.indices(4)?;
        }
        inputs.ty(1)?;
        let Extents {
            time,
            batch,
            hidden,
        } = self.extents(inputs)?;
        let directions = Dim::from(self.direction.count());
        let last = TensorType::new(dtype, [directions.clone(), batch.clone(), hidden.clone()]);
        let mut outputs = vec![
            TensorType::new(dtype, [time, directions, batch, hidden]),
            last.clone(),
        ];
        if matches!(self.cell, Cell::Lstm { .. }) {
            outputs.push(last);
        }
        Ok(outputs.into_iter().map(ValueFacts::of_type).collect())
    }

    fn attrs(&self) -> Attrs {
        let mut attrs = Attrs::new().with_word("direction", self.direction.name());
        let names = Recurrent::names(self.cell, self.direction);
        for (name, function) in names.zip(&self.functions) {
            attrs = function.write(attrs, name);
        }
        if let Some(clip) = self.clip {
            attrs = attrs.with_f32("clip", clip);
        }
        match self.cell {
            Cell::Rnn => attrs,
            Cell::Gru {
                linear_before_reset,
            } => attrs.with_bool("linear_before_reset", linear_before_reset),
            Cell::Lstm { input_forget } => attrs.with_bool("input_forget", input_forget),
        }
    }
}

#[cfg(test)]
mod tests;
