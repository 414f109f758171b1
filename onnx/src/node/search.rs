//! What occurs, where and how often.
//!
//! <https://onnx.ai/onnx/operators/onnx__NonZero.html>, `Compress`, `Unique`, `NonMaxSuppression`, `TfIdfVectorizer`.
//!
//! - Opset 9: `NonZero`, `Compress`, `TfIdfVectorizer`, whose pool of strings is refused. Opset 10: `NonMaxSuppression`.
//! - Opset 11: `Unique`; negative axes of `Compress`. Opset 13, 28: more element types.

use graph::op::{Gather, NgramCounts, NonMaxSuppression, NonZero, Op, Reshape, Squeeze, Unique};
use tensor::Tensor;

use super::{Row, row};
use crate::call::{Call, Done, map};
use crate::error::ProblemKind;

const GRAMS: &[&str] = &[
    "max_gram_length",
    "max_skip_count",
    "min_gram_length",
    "mode",
    "ngram_counts",
    "ngram_indexes",
    "pool_int64s",
    "pool_strings",
    "weights",
];

pub(super) const ROWS: &[Row] = &[
    row("NonZero", 9, (1, 1), &[], non_zero),
    row("Compress", 9, (2, 2), &["axis"], compress),
    row("Unique", 11, (1, 1), &["axis", "sorted"], unique),
    row(
        "NonMaxSuppression",
        10,
        (2, 5),
        &["center_point_box"],
        boxes,
    ),
    row("TfIdfVectorizer", 9, (1, 1), GRAMS, tf_idf),
];

fn non_zero(call: &mut Call<'_>) -> Done {
    let x = call.input(0)?;
    call.finish(Op::NonZero(NonZero), &[Some(x)])
}

/// The slices at the places where the condition holds.
fn compress(call: &mut Call<'_>) -> Done {
    let axis = call.optional_int("axis");
    let (x, condition) = (call.input(0)?, call.input(1)?);
    if call.ty(condition).rank() != 1 {
        return call.fail_input(1, "the condition must be a list: one axis");
    }
    let places = call.emit(Op::NonZero(NonZero), &[Some(condition)])?;
    let row = Squeeze {
        axes: Some(vec![0]),
    };
    let places = call.emit(Op::Squeeze(row), &[Some(places)])?;
    let (x, axis) = match axis {
        Some(axis) => (x, axis),
        None => {
            let rest = call.list(&[-1])?;
            let flat = Op::Reshape(Reshape {
                shape: None,
                allow_zero: false,
            });
            (call.emit(flat, &[Some(x), Some(rest)])?, 0)
        }
    };
    call.finish(Op::Gather(Gather { axis }), &[Some(x), Some(places)])
}

fn unique(call: &mut Call<'_>) -> Done {
    let (axis, sorted) = (call.optional_int("axis"), call.flag("sorted", true));
    let x = call.input(0)?;
    call.finish_many(Op::Unique(Unique { axis, sorted }), &[Some(x)])
}

fn boxes(call: &mut Call<'_>) -> Done {
    let center_point_box = call.flag("center_point_box", false);
    call.input(0)?;
    call.input(1)?;
    let inputs = call.all()?;
    let op = NonMaxSuppression { center_point_box };
    call.finish(Op::NonMaxSuppression(op), &inputs)
}

/// What becomes of counts.
#[derive(Clone, Copy, PartialEq)]
enum Weighting {
    Counts,
    Presence,
    Both,
}

fn tf_idf(call: &mut Call<'_>) -> Done {
    if call.has("pool_strings") {
        call.refuse_attribute("pool_strings", "...", "strings are not supported");
    }
    for name in [
        "mode",
        "min_gram_length",
        "max_gram_length",
        "max_skip_count",
    ] {
        if !call.has(name) {
            call.refuse(ProblemKind::MissingAttribute { name });
        }
    }
    let weighting = call.word("mode", Weighting::Counts, |word| match word {
        "TF" => Some(Weighting::Counts),
        "IDF" => Some(Weighting::Presence),
        "TFIDF" => Some(Weighting::Both),
        _ => None,
    });
    let op = NgramCounts {
        min_len: call.count("min_gram_length", 1),
        max_len: call.count("max_gram_length", 1),
        max_skip: call.count("max_skip_count", 0),
        pool: call.required_ints("pool_int64s"),
        starts: counts(call, "ngram_counts"),
        columns: counts(call, "ngram_indexes"),
    };
    let (weights, width) = (call.floats("weights"), op.width());
    if weights
        .as_ref()
        .is_some_and(|weights| weights.len() < width)
    {
        let reason = format!("needs a weight for each of {width} columns");
        call.refuse_attribute("weights", "...", reason);
    }
    let x = call.input(0)?;
    let op = Op::NgramCounts(op);
    let weights = weights.filter(|_| weighting != Weighting::Counts);
    if weighting != Weighting::Presence && weights.is_none() {
        return call.finish(op, &[Some(x)]);
    }
    let mut result = call.emit(op, &[Some(x)])?;
    if weighting == Weighting::Presence {
        let one = call.scalar(tensor_core::DType::F32, 1.0)?;
        result = call.emit(map("min"), &[Some(result), Some(one)])?;
    }
    let Some(weights) = weights else {
        return call.finish(map("identity"), &[Some(result)]);
    };
    match Tensor::from_vec_row_major([width], weights[..width].to_vec()) {
        Ok(weights) => {
            let weights = call.constant(weights)?;
            call.finish(map("mul"), &[Some(result), Some(weights)])
        }
        Err(error) => call.fail_input(0, error.to_string()),
    }
}

/// A list of numbers that are not negative.
fn counts(call: &mut Call<'_>, name: &'static str) -> Vec<usize> {
    let list = call.required_ints(name);
    let counts: Option<Vec<usize>> = list.iter().map(|&n| usize::try_from(n).ok()).collect();
    counts.unwrap_or_else(|| {
        call.refuse_attribute(name, format!("{list:?}"), "can't be negative");
        Vec::new()
    })
}
