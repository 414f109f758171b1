//! Dropout, which does nothing at inference.
//!
//! <https://onnx.ai/onnx/operators/onnx__Dropout.html>
//!
//! - Opset 7: the attribute `ratio`. Opset 10: the mask is `bool`. Opset 12: `ratio` and `training_mode` are inputs, and `seed`.
//!
//! Where `training_mode` may be true, an element is dropped if its random number in [0, 1) is below `ratio`, and what is kept is
//! scaled by `1 / (1 - ratio)`. The numbers follow from `seed` or, without one, from the name of the output: every run drops
//! the same elements. With a ratio of 0 it drops none.

use graph::ValueId;
use graph::op::{Expand, Op, Random, RandomKind};
use tensor::Tensor;
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop};

pub(super) const ROWS: &[Row] = &[
    row("Dropout", 7, (1, 1), &["ratio"], dropout),
    row("Dropout", 12, (1, 3), &["seed"], dropout),
];

fn dropout(call: &mut Call<'_>) -> Done {
    call.float("ratio", 0.5);
    let seed = call.optional_int("seed");
    let x = call.input(0)?;
    match call.optional(2)? {
        Some(training) if call.known_ints(training) != Some(vec![0]) => {
            return dropout_in_training(call, x, seed);
        }
        _ => {}
    }
    call.output_value(0, x)?;
    if call.wants(1) {
        mask(call, x)?;
    }
    Ok(())
}

/// Everything passes. Before opset 10 the mask has the data's dtype.
fn mask(call: &mut Call<'_>, x: ValueId) -> Done {
    let ty = call.ty(x);
    let dtype = if call.opset < 10 {
        ty.dtype
    } else {
        DType::Bool
    };
    let one = call.scalar(dtype, 1.0)?;
    call.output(1, Op::Expand(Expand::to(ty.shape)), &[Some(one)])
}

fn dropout_in_training(call: &mut Call<'_>, x: ValueId, seed: Option<i64>) -> Done {
    let training = call.number(2)?;
    if call.dtype(training) != DType::Bool {
        return call.fail_input(2, format!("is {}; bool is needed", call.ty(training)));
    }
    let ratio = match call.optional(1)? {
        Some(_) => call.number(1)?,
        None => call.scalar(DType::F32, 0.5)?,
    };
    let ratio = call.cast(ratio, DType::F32)?;
    let numbers = numbers(call, x, seed)?;
    let low = call.apply("less", &[numbers, ratio])?;
    let dropped = call.apply("and", &[training, low])?;
    let one = call.scalar(DType::F32, 1.0)?;
    let kept_part = call.apply("sub", &[one, ratio])?;
    let factor = call.apply("reciprocal", &[kept_part])?;
    let factor = call.apply("where", &[training, factor, one])?;
    let own = call.dtype(x);
    let factor = call.cast(factor, own)?;
    let scaled = call.apply("mul", &[x, factor])?;
    let zero = call.scalar(own, 0.0)?;
    call.finish_map("where", &[dropped, zero, scaled])?;
    if call.wants(1) {
        let kept = call.apply("not", &[dropped])?;
        call.output_value(1, kept)?;
    }
    Ok(())
}

/// A random number for each element of `x`.
fn numbers(call: &mut Call<'_>, x: ValueId, seed: Option<i64>) -> Result<ValueId, Stop> {
    let seed = match seed {
        Some(seed) => u64::from_ne_bytes(seed.to_ne_bytes()),
        None => hash(call.proto.output.first().map_or("", String::as_str)),
    };
    let Ok(key) = Tensor::from_vec_row_major([2], vec![seed, 0]) else {
        return Err(Stop);
    };
    let key = call.constant(key)?;
    let random = Random {
        kind: RandomKind::Uniform,
        dtype: DType::F32,
        shape: call.ty(x).shape,
    };
    call.emit(Op::Random(random), &[Some(key)])
}

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
