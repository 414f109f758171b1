//! Indexed reads and writes of single elements and blocks.
//!
//! <https://onnx.ai/onnx/operators/onnx__GatherElements.html>, `GatherND`, `ScatterElements`, `ScatterND`, `Scatter`,
//! `TensorScatter`.
//!
//! - Opset 9: `Scatter`, which is `ScatterElements` by its first name.
//! - Opset 11: `GatherElements`, `GatherND`, `ScatterElements`, `ScatterND`. Opset 12: `GatherND` has `batch_dims`.
//! - Opset 16: `ScatterElements` and `ScatterND` have `reduction`; opset 18: also `max` and `min`.
//! - Opset 24: `TensorScatter`.

use graph::op::{
    GatherElements, GatherNd, Op, Reduction, ScatterElements, ScatterNd, TensorScatter,
};

use super::{Row, row};
use crate::call::{Call, Done};

pub(super) const ROWS: &[Row] = &[
    row("GatherElements", 11, (2, 2), &["axis"], gather_elements),
    row("GatherND", 11, (2, 2), &[], gather_nd),
    row("GatherND", 12, (2, 2), &["batch_dims"], gather_nd),
    row("Scatter", 9, (3, 3), &["axis"], scatter_elements),
    row("ScatterElements", 11, (3, 3), &["axis"], scatter_elements),
    row(
        "ScatterElements",
        16,
        (3, 3),
        &["axis", "reduction"],
        scatter_elements,
    ),
    row("ScatterND", 11, (3, 3), &[], scatter_nd),
    row("ScatterND", 16, (3, 3), &["reduction"], scatter_nd),
    row(
        "TensorScatter",
        24,
        (2, 3),
        &["axis", "mode"],
        tensor_scatter,
    ),
];

fn gather_elements(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", 0);
    let inputs = [Some(call.input(0)?), Some(call.input(1)?)];
    call.finish(Op::GatherElements(GatherElements { axis }), &inputs)
}

fn gather_nd(call: &mut Call<'_>) -> Done {
    let batch_dims = call.count("batch_dims", 0);
    let inputs = [Some(call.input(0)?), Some(call.input(1)?)];
    call.finish(Op::GatherNd(GatherNd { batch_dims }), &inputs)
}

fn reduction(call: &mut Call<'_>) -> Reduction {
    let opset = call.opset;
    call.word("reduction", Reduction::None, |word| {
        let new = matches!(word, "max" | "min");
        Reduction::named(word).filter(|_| opset >= 18 || !new)
    })
}

fn scatter_elements(call: &mut Call<'_>) -> Done {
    let (axis, reduction) = (call.int("axis", 0), reduction(call));
    let inputs = [call.input(0)?, call.input(1)?, call.input(2)?].map(Some);
    let op = ScatterElements { axis, reduction };
    call.finish(Op::ScatterElements(op), &inputs)
}

fn scatter_nd(call: &mut Call<'_>) -> Done {
    let reduction = reduction(call);
    let inputs = [call.input(0)?, call.input(1)?, call.input(2)?].map(Some);
    call.finish(Op::ScatterNd(ScatterNd { reduction }), &inputs)
}

fn tensor_scatter(call: &mut Call<'_>) -> Done {
    let axis = call.int("axis", -2);
    let circular = call.word("mode", false, |word| match word {
        "linear" => Some(false),
        "circular" => Some(true),
        _ => None,
    });
    call.input(0)?;
    call.input(1)?;
    let inputs = call.all()?;
    call.finish(Op::TensorScatter(TensorScatter { axis, circular }), &inputs)
}
