//! Reads between the elements.

use super::{ANY, FLOATS, NUMBERS, PLAIN, Row, Values, row};
use Values::{Between, Special, Within};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    resized(&mut rows);
    sampled(&mut rows);
    rows
}

fn resized(rows: &mut Vec<Row>) {
    let tail = |mode: &str, coordinates: &str, nearest: &str, rest: &str| {
        format!(
            "mode = {mode}, coordinates = {coordinates}, nearest = {nearest}, cubic_a = -0.75, extrapolation = 10, {rest}"
        )
    };
    let plain = "exclude_outside = false, antialias = false, policy = stretch";
    let scales = "const s: f32[2] = {0.6, 2.5}";
    for coordinates in [
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_half_pixel_for_nn",
    ] {
        for nearest in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"] {
            let call = format!(
                "resize(a, _, s, {})",
                tail("nearest", coordinates, nearest, plain)
            );
            let one = row("a: T[5, 3]", "T[3, 7]", call, ANY);
            rows.push(one.constants(scales).values(&[Special]));
        }
        for mode in ["linear", "cubic"] {
            for outside in [true, false] {
                for smooth in [true, false] {
                    let rest = format!(
                        "exclude_outside = {outside}, antialias = {smooth}, policy = stretch"
                    );
                    let call = format!(
                        "resize(a, _, s, {})",
                        tail(mode, coordinates, "floor", &rest)
                    );
                    rows.push(row("a: T[5, 3]", "T[3, 7]", call, NUMBERS).constants(scales));
                }
            }
        }
    }
    for (policy, result) in [
        ("stretch", "2, 7, 8, 1"),
        ("not_larger", "2, 7, 7, 1"),
        ("not_smaller", "2, 8, 8, 1"),
    ] {
        let rest =
            format!("exclude_outside = false, antialias = false, policy = {policy}, axes = [2, 1]");
        let call = format!(
            "resize(a, _, _, n, {})",
            tail("linear", "half_pixel", "floor", &rest)
        );
        let one = row("a: T[2, 2, 2, 1]", format!("T[{result}]"), call, FLOATS);
        rows.push(one.constants("const n: i64[2] = {8, 7}"));
    }
    let crop = tail("linear", "tf_crop_and_resize", "floor", plain);
    let constants = "const r: f32[4] = {0.4, 0.6, 0.6, 1.25} const n: i64[2] = {3, 4}";
    rows.push(
        row(
            "a: T[5, 7]",
            "T[3, 4]",
            format!("resize(a, r, _, n, {crop})"),
            FLOATS,
        )
        .constants(constants),
    );
}

fn sampled(rows: &mut Vec<Row>) {
    for mode in ["linear", "nearest", "cubic"] {
        for padding in ["zeros", "border", "reflection"] {
            for align in [true, false] {
                let call = format!(
                    "grid_sample(x, g, mode = {mode}, padding = {padding}, align_corners = {align})"
                );
                for (x, grid, result) in [
                    ("2, 3, 4, 5", "2, 3, 2, 2", "2, 3, 3, 2"),
                    ("1, 2, 3, 2, 4", "1, 2, 2, 2, 3", "1, 2, 2, 2, 2"),
                    ("1, 1, 1", "1, 5, 1", "1, 1, 5"),
                ] {
                    let inputs = format!("x: T[{x}], g: T[{grid}]");
                    let one = row(inputs, format!("T[{result}]"), &call, FLOATS);
                    rows.push(one.values(&[PLAIN, Within(1.5)]));
                }
            }
        }
    }
    for align in [true, false] {
        let call = format!("affine_grid(t, n, align_corners = {align})");
        let one = row("t: T[2, 2, 3]", "T[2, 5, 1, 2]", &call, FLOATS);
        rows.push(one.constants("const n: i64[4] = {2, 3, 5, 1}"));
        let one = row("t: T[1, 3, 4]", "T[1, 2, 3, 2, 3]", call, FLOATS);
        rows.push(one.constants("const n: i64[5] = {1, 1, 2, 3, 2}"));
    }
    for mode in ["avg", "max"] {
        for (ratio, half_pixel) in [(0, true), (2, false)] {
            let call = format!(
                "roi_align(x, r, b, mode = {mode}, height = 2, width = 3, sampling_ratio = {ratio}, spatial_scale = 0.5, half_pixel = {half_pixel})"
            );
            let inputs = "x: T[2, 3, 7, 6], r: T[4, 4], b: i64[4]";
            let values = [PLAIN, Between(0.0, 12.0), Between(0.0, 1.0)];
            rows.push(row(inputs, "T[4, 3, 2, 3]", call, FLOATS).values(&values));
        }
    }
}
