//! Inputs without elements for ops whose other rows have none of them.

use super::{FLOATS, Row, Values, row};
use Values::Between;

/// Inputs, constants, result, call.
const CALLS: &[(&str, &str, &str, &str)] = &[
    (
        "a: T[0, 3], l: i64[3]",
        "",
        "T[0, 3]",
        "reverse_sequence(a, l, time_axis = 0, batch_axis = 1)",
    ),
    (
        "a: T[4, 0], l: i64[0]",
        "",
        "T[4, 0]",
        "reverse_sequence(a, l, time_axis = 0, batch_axis = 1)",
    ),
    (
        "a: T[0, 7], u: T[0, 3]",
        "",
        "T[0, 7]",
        "tensor_scatter(a, u, axis = 1, circular = false)",
    ),
    (
        "a: T[0]",
        "",
        "T[\"result.0\"] ; i64[\"result.0\"] ; i64[0] ; i64[\"result.0\"]",
        "unique(a, sorted = true)",
    ),
    (
        "b: T[2, 0, 4], s: T[2, 3, 0]",
        "",
        "i64[\"result.0\", 3]",
        "non_max_suppression(b, s, center_point_box = false)",
    ),
    (
        "x: T[0, 4, 4, 5], w: T[2, 4, 2, 3], o: T[0, 12, 3, 3]",
        "",
        "T[0, 2, 3, 3]",
        "deform_conv(x, w, o, strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], groups = 1, offset_groups = 1)",
    ),
    (
        "x: T[0, 5, 5]",
        "const i: i64[2] = {5, 5} const k: i64[2] = {1, 5}",
        "T[0, 1, 5, 5]",
        "col2im(x, i, k, strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0])",
    ),
    (
        "a: T[0, 3]",
        "const n: i64[2] = {0, 5}",
        "T[0, 5]",
        "resize(a, _, _, n, mode = linear, coordinates = asymmetric, nearest = floor, cubic_a = -0.75, extrapolation = 0, exclude_outside = false, antialias = false, policy = stretch)",
    ),
    (
        "x: T[0, 3, 4, 5], g: T[0, 3, 2, 2]",
        "",
        "T[0, 3, 3, 2]",
        "grid_sample(x, g, mode = linear, padding = zeros, align_corners = true)",
    ),
    (
        "x: T[2, 3, 4, 5], g: T[2, 0, 2, 2]",
        "",
        "T[2, 3, 0, 2]",
        "grid_sample(x, g, mode = linear, padding = zeros, align_corners = true)",
    ),
    (
        "t: T[0, 2, 3]",
        "const n: i64[4] = {0, 3, 5, 1}",
        "T[0, 5, 1, 2]",
        "affine_grid(t, n, align_corners = true)",
    ),
    (
        "x: T[2, 3, 7, 6], r: T[0, 4], b: i64[0]",
        "",
        "T[0, 3, 2, 3]",
        "roi_align(x, r, b, mode = avg, height = 2, width = 3, sampling_ratio = 2, spatial_scale = 0.5, half_pixel = true)",
    ),
    (
        "a: T[0, 5]",
        "",
        "T[0, 2]",
        "slice(a, axes = [1], starts = [1], ends = [3], steps = [1])",
    ),
    (
        "a: T[0, 1]",
        "",
        "T[2, 0, 3]",
        "expand(a, shape = [2, 1, 3])",
    ),
    ("a: T[1, 0]", "", "T[0]", "squeeze(a, axes = [0])"),
    ("a: T[0]", "", "T[0, 1]", "unsqueeze(a, axes = [1])"),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = CALLS
        .iter()
        .map(|(inputs, constants, result, call)| {
            let one = row(*inputs, *result, *call, FLOATS);
            one.constants(*constants).values(&[Between(0.0, 0.0)])
        })
        .collect();
    let tail =
        "min_len = 1, max_len = 1, max_skip = 0, pool = [2, 3], starts = [0], columns = [0, 1]";
    for (shape, result) in [("0", "2"), ("0, 5", "0, 2"), ("3, 0", "3, 2")] {
        let (inputs, result) = (format!("a: i64[{shape}]"), format!("f32[{result}]"));
        let call = format!("ngram_counts(a, {tail})");
        rows.push(row(inputs, result, call, &[tensor::DType::I64]));
    }
    rows
}
