//! Elements that are picked, placed, padded, searched and resampled.

use super::*;

#[test]
fn elements_are_picked_and_placed() {
    let picture = [x(&["n", "4"]), port("a", INT64, &["n", "2"])];
    let three = [
        x(&["n", "4"]),
        port("a", INT64, &["n", "2"]),
        port("b", FLOAT, &["n", "2"]),
    ];
    let pair = node("GatherElements", &["x", "a"], &["y"]);
    let triple = |op| node(op, &["x", "a", "b"], &["y"]);
    check(vec![
        case(
            11,
            pair.int("axis", -1),
            &picture,
            r#"y: f32[n, 2] = gather_elements(x, a, axis = -1) @ GatherElements_0"#,
        ),
        case(
            12,
            node("GatherND", &["x", "a"], &["y"]),
            &picture,
            r#"y: f32[n] = gather_nd(x, a, batch_dims = 0) @ GatherND_0"#,
        ),
        case(
            9,
            triple("Scatter").int("axis", 1),
            &three,
            r#"y: f32[n, 4] = scatter_elements(x, a, b, axis = 1, reduction = none) @ Scatter_0"#,
        ),
        case(
            18,
            triple("ScatterElements")
                .int("axis", 1)
                .text("reduction", "max"),
            &three,
            r#"y: f32[n, 4] = scatter_elements(x, a, b, axis = 1, reduction = max) @ ScatterElements_0"#,
        ),
    ]);
}

#[test]
fn padding_follows_its_opset() {
    let row = [x(&["n", "4"])];
    check(vec![
        case(
            7,
            node("Pad", &["x"], &["y"])
                .ints("pads", &[0, 1, 0, -2])
                .float("value", 1.5),
            &row,
            r#"const y.const: i64[4] = {0, 1, 0, -2}
               const y.const_2: f32[] = {1.5}
               y: f32[n, 3] = pad(x, y.const, y.const_2, mode = constant) @ Pad_0"#,
        ),
        case(
            19,
            node("Pad", &["x", "p", "", "axes"], &["y"]).text("mode", "wrap"),
            &row,
            r#"y: f32[n, 9] = pad(x, p, _, axes, mode = wrap) @ Pad_0"#,
        )
        .with(ints("p", &[2], &[2, 3]))
        .with(ints("axes", &[1], &[-1])),
    ]);
}

#[test]
fn searches_have_extents_of_their_own() {
    let row = [x(&["n", "4"])];
    check(vec![
        case(
            13,
            node("NonZero", &["x"], &["y"]),
            &row,
            r#"y: i64[2, y.1] = non_zero(x) @ NonZero_0"#,
        ),
        case(
            11,
            node("Unique", &["x"], &["y", "", "z"]).int("axis", 0),
            &row,
            r#"y: f32[y.0, 4], y.unique.1: i64[y.0], z: i64[n], y.unique.3: i64[y.0] = unique(x, axis = 0, sorted = true) @ Unique_0"#,
        ),
    ]);
}

#[test]
fn windows_have_their_attributes() {
    let input = [x(&["n", "2", "5"])];
    let weights = || floats("w", &[2, 1, 3], &[0.0; 6]);
    check(vec![
        case(
            11,
            node("ConvTranspose", &["x", "w"], &["y"])
                .ints("strides", &[2])
                .ints("output_padding", &[1])
                .int("group", 2),
            &input,
            r#"y: f32[n, 2, 12] = conv_transpose(x, w, strides = [2], dilations = [1], pads = [0, 0], output_padding = [1], groups = 2) @ ConvTranspose_0"#,
        )
        .with(weights()),
        case(
            12,
            node("MaxPool", &["x"], &["y", "z"]).ints("kernel_shape", &[2]).int("storage_order", 1),
            &input,
            r#"z: i64[n, 2, 4] = arg_max_pool(x, kernel = [2], strides = [1], dilations = [1], pads = [0, 0], ceil = false, column_major = true) @ MaxPool_0
               y: f32[n, 2, 4] = max_pool(x, kernel = [2], strides = [1], dilations = [1], pads = [0, 0], ceil = false, count_pad = false) @ MaxPool_0"#,
        ),
        case(
            18,
            node("LpPool", &["x"], &["y"])
                .ints("kernel_shape", &[3])
                .int("p", 3)
                .text("auto_pad", "SAME_UPPER"),
            &input,
            r#"y: f32[n, 2, 5] = lp_pool(x, kernel = [3], strides = [1], dilations = [1], same_upper = true, ceil = false, p = 3) @ LpPool_0"#,
        ),
    ]);
}

#[test]
fn resizing_follows_its_opset() {
    let picture = [x(&["n", "2", "5"])];
    let scales = || floats("s", &[3], &[1.0, 1.0, 2.5]);
    let plain = "cubic_a = -0.75, exclude_outside = false, extrapolation = 0.0, antialias = false, policy = stretch";
    let asymmetric = format!(
        r#"y: f32[n, 2, 12] = resize(x, _, s, mode = linear, coordinates = asymmetric, nearest = floor, {plain}) @ Upsample_0"#
    );
    let modern = format!(
        r#"y: f32[n, 2, 12] = resize(x, _, s, mode = nearest, coordinates = half_pixel, nearest = ceil, {plain}) @ Resize_0"#
    );
    let sized = format!(
        r#"y: f32[n, 2, 3] = resize(x, _, _, z, mode = cubic, coordinates = half_pixel, nearest = round_prefer_floor, {plain}, axes = [-1]) @ Resize_0"#
    );
    check(vec![
        case(
            9,
            node("Upsample", &["x", "s"], &["y"]).text("mode", "linear"),
            &picture,
            Box::leak(asymmetric.into_boxed_str()),
        )
        .with(scales()),
        case(
            13,
            node("Resize", &["x", "", "s"], &["y"]).text("nearest_mode", "ceil"),
            &picture,
            Box::leak(modern.into_boxed_str()),
        )
        .with(scales()),
        case(
            18,
            node("Resize", &["x", "", "", "z"], &["y"])
                .text("mode", "cubic")
                .ints("axes", &[-1]),
            &picture,
            Box::leak(sized.into_boxed_str()),
        )
        .with(ints("z", &[1], &[3])),
    ]);
}
