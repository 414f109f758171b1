//! Layers of recurrent cells, and linear attention.
//!
//! <https://onnx.ai/onnx/operators/onnx__RNN.html>, `GRU`, `LSTM`, `LinearAttention`.
//!
//! - Opset 7: `RNN`, `GRU`, `LSTM`. Opset 14: `layout`. Opset 22: `bfloat16`.
//! - Opset 27: `LinearAttention`. Its `chunk_size` is a hint.
//!
//! `clip` limits the arguments of `f` and `g`, not that of `h`, as in onnxruntime. `activation_alpha` and `activation_beta` hold a number for
//! each function that takes one, in order; those that are missing are the defaults of the ONNX ops of the same names.

use graph::ValueId;
use graph::op::{
    Activation, ActivationKind, Cell, Direction, LinearAttention, Op, Recurrent, Transpose,
    UpdateRule,
};

use super::{Row, row};
use crate::call::{Call, Done, Stop};

macro_rules! attributes {
    ($($own:literal),*) => {
        &[
            "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", $($own),*
        ]
    };
}

const LINEAR: &[&str] = &[
    "chunk_size",
    "kv_num_heads",
    "q_num_heads",
    "scale",
    "update_rule",
];

pub(super) const ROWS: &[Row] = &[
    row("RNN", 7, (3, 6), attributes!(), rnn),
    row("RNN", 14, (3, 6), attributes!("layout"), rnn),
    row("GRU", 7, (3, 6), attributes!("linear_before_reset"), gru),
    row(
        "GRU",
        14,
        (3, 6),
        attributes!("layout", "linear_before_reset"),
        gru,
    ),
    row("LSTM", 7, (3, 8), attributes!("input_forget"), lstm),
    row(
        "LSTM",
        14,
        (3, 8),
        attributes!("input_forget", "layout"),
        lstm,
    ),
    row("LinearAttention", 27, (3, 6), LINEAR, linear_attention),
];

fn rnn(call: &mut Call<'_>) -> Done {
    layer(call, Cell::Rnn)
}

/// Any number but 0 is true here, as in the specification's text.
fn gru(call: &mut Call<'_>) -> Done {
    let linear_before_reset = call.int("linear_before_reset", 0) != 0;
    layer(
        call,
        Cell::Gru {
            linear_before_reset,
        },
    )
}

fn lstm(call: &mut Call<'_>) -> Done {
    let input_forget = call.flag("input_forget", false);
    layer(call, Cell::Lstm { input_forget })
}

fn layer(call: &mut Call<'_>, cell: Cell) -> Done {
    let direction = call.word("direction", Direction::Forward, Direction::named);
    let op = Op::Recurrent(Recurrent {
        cell,
        direction,
        functions: functions(call, cell, direction),
        // 0 is what some exporters write for no limit.
        clip: call.optional_float("clip").filter(|&clip| clip != 0.0),
    });
    let batch_first = call.flag("layout", false);
    let hidden = call.optional_int("hidden_size");
    for index in 0..3 {
        call.input(index)?;
    }
    let mut inputs = call.all()?;
    let own = inputs[2].and_then(|r| call.ty(r).shape.last()?.as_known());
    if let (Some(hidden), Some(own)) = (hidden, own)
        && hidden != own
    {
        let reason = format!("the recurrent weights are for a state of {own} numbers");
        call.refuse_attribute("hidden_size", hidden, reason);
    }
    if !batch_first {
        return call.finish_many(op, &inputs);
    }
    for index in [0, 5, 6] {
        if let Some(input) = inputs.get_mut(index) {
            *input = match *input {
                Some(id) if call.ty(id).rank() == 3 => Some(turned(call, id, &[1, 0, 2])?),
                other => other,
            };
        }
    }
    let made = call.emit_many(op, &inputs)?;
    for (index, id) in made.into_iter().enumerate() {
        if call.wants(index) {
            let perm: &[usize] = if index == 0 {
                &[2, 0, 1, 3]
            } else {
                &[1, 0, 2]
            };
            let id = turned(call, id, perm)?;
            call.output_value(index, id)?;
        }
    }
    Ok(())
}

fn turned(call: &mut Call<'_>, id: ValueId, perm: &[usize]) -> Result<ValueId, Stop> {
    let perm = perm.to_vec();
    call.emit(Op::Transpose(Transpose { perm }), &[Some(id)])
}

const FUNCTIONS: &[(&str, ActivationKind)] = &[
    ("Relu", ActivationKind::Relu),
    ("Tanh", ActivationKind::Tanh),
    ("Sigmoid", ActivationKind::Sigmoid),
    ("Affine", ActivationKind::Affine),
    ("LeakyRelu", ActivationKind::LeakyRelu),
    ("ThresholdedRelu", ActivationKind::ThresholdedRelu),
    ("ScaledTanh", ActivationKind::ScaledTanh),
    ("HardSigmoid", ActivationKind::HardSigmoid),
    ("Elu", ActivationKind::Elu),
    ("Softsign", ActivationKind::Softsign),
    ("Softplus", ActivationKind::Softplus),
];

/// The functions of all directions.
fn functions(call: &mut Call<'_>, cell: Cell, direction: Direction) -> Vec<Activation> {
    let count = cell.functions() * direction.count();
    let kinds = match call.texts("activations") {
        Some(names) => named(call, &names, count),
        None => {
            let mut usual = vec![ActivationKind::Tanh; cell.functions()];
            if cell != Cell::Rnn {
                usual[0] = ActivationKind::Sigmoid;
            }
            usual.repeat(direction.count())
        }
    };
    let taken =
        |takes: fn(ActivationKind) -> bool| kinds.iter().filter(|kind| takes(**kind)).count();
    let alphas = numbers(call, "activation_alpha", taken(ActivationKind::has_alpha));
    let betas = numbers(call, "activation_beta", taken(ActivationKind::has_beta));
    let (mut alphas, mut betas) = (alphas.into_iter(), betas.into_iter());
    let mut functions = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let mut function = Activation::plain(kind);
        let (alpha, beta) = defaults(kind);
        if kind.has_alpha() {
            function.alpha = alphas.next().unwrap_or(alpha);
        }
        if kind.has_beta() {
            function.beta = betas.next().unwrap_or(beta);
        }
        functions.push(function);
    }
    functions
}

fn named(call: &mut Call<'_>, names: &[String], count: usize) -> Vec<ActivationKind> {
    if names.len() != count {
        let reason = format!("{count} functions are needed");
        call.refuse_attribute("activations", format!("{names:?}"), reason);
    }
    let mut kinds = Vec::with_capacity(count);
    for name in names.iter().take(count) {
        // The first versions of the standard wrote the names in any case.
        let found = FUNCTIONS
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        match found {
            Some((_, kind)) => kinds.push(*kind),
            None => {
                let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
                let reason = format!("is none of {}", known.join(", "));
                call.refuse_attribute("activations", format!("{name:?}"), reason);
            }
        }
    }
    kinds
}

/// A list of at most so many numbers.
fn numbers(call: &mut Call<'_>, name: &'static str, most: usize) -> Vec<f32> {
    let list = call.floats(name).unwrap_or_default();
    if list.len() > most {
        let reason = format!("the functions take {most} of them");
        call.refuse_attribute(name, format!("{list:?}"), reason);
    }
    list
}

/// `alpha` and `beta` where the node does not say them.
fn defaults(kind: ActivationKind) -> (f32, f32) {
    match kind {
        ActivationKind::LeakyRelu => (0.01, 0.0),
        ActivationKind::HardSigmoid => (0.2, 0.5),
        ActivationKind::ScaledTanh => (1.0, 1.0),
        _ => (1.0, 0.0),
    }
}

fn linear_attention(call: &mut Call<'_>) -> Done {
    let rule = call.word("update_rule", UpdateRule::GatedDelta, UpdateRule::named);
    let scale = call.float("scale", 0.0);
    call.int("chunk_size", 64);
    for name in ["q_num_heads", "kv_num_heads"] {
        call.required_int(name);
    }
    let op = LinearAttention {
        rule,
        q_heads: call.count("q_num_heads", 1),
        kv_heads: call.count("kv_num_heads", 1),
        scale: (scale != 0.0).then_some(scale),
    };
    for index in 0..3 {
        call.input(index)?;
    }
    let inputs = call.all()?;
    call.finish_many(Op::LinearAttention(op), &inputs)
}
