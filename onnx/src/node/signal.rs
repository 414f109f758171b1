//! Windows and filters of signals, made from their sizes.
//!
//! <https://onnx.ai/onnx/operators/onnx__HannWindow.html>, `HammingWindow`, `BlackmanWindow`, `MelWeightMatrix`; all of opset 17.
//! Everything is computed in `f64` and rounded at the end.

use std::f64::consts::{LN_10, TAU};

use graph::ValueId;
use graph::op::{MapOp, Op, Slice, SliceAxis};
use tensor_core::DType;

use super::{Row, row};
use crate::call::{Call, Done, Stop};

const WINDOW: &[&str] = &["output_datatype", "periodic"];

pub(super) const ROWS: &[Row] = &[
    row("HannWindow", 17, (1, 1), WINDOW, |c| {
        window(c, [0.5, 0.5, 0.0])
    }),
    row("HammingWindow", 17, (1, 1), WINDOW, |c| {
        window(c, [25.0 / 46.0, 21.0 / 46.0, 0.0])
    }),
    row("BlackmanWindow", 17, (1, 1), WINDOW, |c| {
        window(c, [0.42, 0.5, 0.08])
    }),
    row("MelWeightMatrix", 17, (5, 5), &["output_datatype"], mel),
];

/// `a0 - a1 * cos(2 pi i / n) + a2 * cos(4 pi i / n)` with `n` the size, or one less if not periodic.
fn window(call: &mut Call<'_>, [a0, a1, a2]: [f64; 3]) -> Done {
    let dtype = call.element_type("output_datatype", DType::F32);
    let periodic = call.flag("periodic", true);
    let size = call.number(0)?;
    let positions = call.positions(size)?;
    let positions = call.cast(positions, DType::F64)?;
    let length = call.cast(size, DType::F64)?;
    let length = if periodic {
        length
    } else {
        call.apply_number("sub", length, 1.0)?
    };
    let turns = call.apply("div", &[positions, length])?;
    let mut sum = harmonic(call, turns, TAU, -a1)?;
    sum = call.apply_number("add", sum, a0)?;
    if a2 != 0.0 {
        let second = harmonic(call, turns, 2.0 * TAU, a2)?;
        sum = call.apply("add", &[sum, second])?;
    }
    call.finish(Op::Map(MapOp::cast(dtype)), &[Some(sum)])
}

/// `factor * cos(angle * turns)`
fn harmonic(call: &mut Call<'_>, turns: ValueId, angle: f64, factor: f64) -> Result<ValueId, Stop> {
    let angles = call.apply_number("mul", turns, angle)?;
    let cosines = call.apply("cos", &[angles])?;
    call.apply_number("mul", cosines, factor)
}

/// Triangles over the lines of a spectrum: column `i` rises from line `b[i]` to 1 at `b[i + 1]` and falls to `b[i + 2]`.
fn mel(call: &mut Call<'_>) -> Done {
    let dtype = call.element_type("output_datatype", DType::F32);
    let mut numbers = Vec::with_capacity(5);
    for index in 0..5 {
        numbers.push(call.number(index)?);
    }
    let bins = call.cast(numbers[0], DType::I64)?;
    let length = call.cast(numbers[1], DType::I64)?;
    let corners = corners(call, bins, length, [numbers[2], numbers[3], numbers[4]])?;
    let part = |call: &mut Call<'_>, start, end| {
        let slice = SliceAxis {
            axis: 0,
            start,
            end,
            step: 1,
        };
        let axes = Some(vec![slice]);
        call.emit(Op::Slice(Slice { axes }), &[Some(corners)])
    };
    let low = part(call, 0, -2)?;
    let centre = part(call, 1, -1)?;
    let high = part(call, 2, i64::MAX)?;

    let half = call.apply_number("div", length, 2.0)?;
    let lines = call.apply_number("add", half, 1.0)?;
    let lines = call.positions(lines)?;
    let lines = call.cast(lines, DType::F64)?;
    let lines = call.unsqueeze(lines, [1])?;

    let rise = slope(call, lines, low, centre)?;
    let fall = slope(call, lines, high, centre)?;
    // At the centre both are 1, or not a number where the triangle has no such side.
    let at_centre = call.apply("equal", &[lines, centre])?;
    let left = call.apply("less", &[lines, centre])?;
    let sides = call.apply("where", &[left, rise, fall])?;
    let one = call.scalar(DType::F64, 1.0)?;
    let triangle = call.apply("where", &[at_centre, one, sides])?;
    let (zero, above) = (
        call.scalar(DType::F64, 0.0)?,
        call.apply("greater_equal", &[lines, low])?,
    );
    let below = call.apply("less_equal", &[lines, high])?;
    let inside = call.apply("and", &[above, below])?;
    let y = call.apply("where", &[inside, triangle, zero])?;
    call.finish(Op::Map(MapOp::cast(dtype)), &[Some(y)])
}

/// `(line - foot) / (top - foot)`
fn slope(
    call: &mut Call<'_>,
    lines: ValueId,
    foot: ValueId,
    top: ValueId,
) -> Result<ValueId, Stop> {
    let way = call.apply("sub", &[lines, foot])?;
    let whole = call.apply("sub", &[top, foot])?;
    call.apply("div", &[way, whole])
}

/// The lines, in `f64`, nearest below `bins + 2` frequencies at equal distances on the mel scale: `mel(f) = 2595 * log10(1 + f / 700)`.
fn corners(
    call: &mut Call<'_>,
    bins: ValueId,
    length: ValueId,
    [rate, low, high]: [ValueId; 3],
) -> Result<ValueId, Stop> {
    let count = call.apply_number("add", bins, 2.0)?;
    let positions = call.positions(count)?;
    let positions = call.cast(positions, DType::F64)?;
    let count = call.cast(count, DType::F64)?;
    let (low, high) = (scale(call, low)?, scale(call, high)?);
    let span = call.apply("sub", &[high, low])?;
    let step = call.apply("div", &[span, count])?;
    let steps = call.apply("mul", &[positions, step])?;
    let mels = call.apply("add", &[steps, low])?;
    // 700 * (10^(mel / 2595) - 1)
    let exponents = call.apply_number("mul", mels, LN_10 / 2595.0)?;
    let powers = call.apply("exp", &[exponents])?;
    let less = call.apply_number("sub", powers, 1.0)?;
    let hertz = call.apply_number("mul", less, 700.0)?;
    let length = call.cast(length, DType::F64)?;
    let length = call.apply_number("add", length, 1.0)?;
    let scaled = call.apply("mul", &[hertz, length])?;
    let rate = call.cast(rate, DType::F64)?;
    let lines = call.apply("div", &[scaled, rate])?;
    call.apply("floor", &[lines])
}

/// `2595 * log10(1 + hertz / 700)` in `f64`.
fn scale(call: &mut Call<'_>, hertz: ValueId) -> Result<ValueId, Stop> {
    let hertz = call.cast(hertz, DType::F64)?;
    let ratio = call.apply_number("div", hertz, 700.0)?;
    let more = call.apply_number("add", ratio, 1.0)?;
    let log = call.apply("log", &[more])?;
    call.apply_number("mul", log, 2595.0 / LN_10)
}
