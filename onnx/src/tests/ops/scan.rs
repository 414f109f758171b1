//! Scans, values made from numbers, composed reductions, losses.

use super::*;

#[test]
fn scans_take_numbers_as_attributes_where_they_are_known() {
    let input = [x(&["2", "n"])];
    let fed = [x(&["2", "3"]), port("a", INT64, &[])];
    check(vec![
        case(
            11,
            node("ArgMax", &["x"], &["y"]).int("axis", 1),
            &input,
            r#"y: i64[2, 1] = argmax(x, axis = 1, keep = true, last = false) @ ArgMax_0"#,
        ),
        case(
            13,
            node("ArgMin", &["x"], &["y"]).int("select_last_index", 1).int("keepdims", 0),
            &input,
            r#"y: i64[n] = argmin(x, axis = 0, keep = false, last = true) @ ArgMin_0"#,
        ),
        case(
            14,
            node("CumSum", &["x", "axis"], &["y"]).int("reverse", 1),
            &input,
            r#"y: f32[2, n] = cumsum(x, axis = -1, exclusive = false, reverse = true) @ CumSum_0"#,
        )
        .with(ints("axis", &[], &[-1])),
        case(
            26,
            node("CumProd", &["x", "a"], &["y"]).int("exclusive", 1),
            &fed,
            r#"y: f32[2, 3] = cumprod(x, a, exclusive = true, reverse = false) @ CumProd_0"#,
        ),
        case(
            9,
            node("TopK", &["x"], &["y", "z"]).int("k", 2).int("axis", 0),
            &input,
            r#"y: f32[2, n], z: i64[2, n] = top_k(x, k = 2, axis = 0, largest = true) @ TopK_0"#,
        ),
        case(
            11,
            node("TopK", &["x", "k"], &["", "z"]).int("largest", 0).int("axis", 0),
            &input,
            r#"z.top_k.0: f32[1, n], z: i64[1, n] = top_k(x, k = 1, axis = 0, largest = false) @ TopK_0"#,
        )
        .with(ints("k", &[1], &[1])),
        case(
            13,
            node("Hardmax", &["x"], &["y"]).int("axis", 0),
            &fed[..1],
            r#"y.argmax: i64[1, 3] = argmax(x, axis = 0, keep = true, last = false) @ Hardmax_0
               const y.const: i64[] = {2}
               const y.const_3: i64[] = {0}
               const y.const_4: i64[] = {1}
               y.range: i64[2] = range(y.const_3, y.const, y.const_4) @ Hardmax_0
               y.unsqueeze: i64[2, 1] = unsqueeze(y.range, axes = [1]) @ Hardmax_0
               y.equal: bool[2, 3] = equal(y.unsqueeze, y.argmax) @ Hardmax_0
               y: f32[2, 3] = cast(y.equal, to = f32) @ Hardmax_0"#,
        ),
    ]);
}

#[test]
fn remainders_bits_and_tests_choose_their_rows() {
    let two = [port("x", INT32, &["3"]), port("a", INT32, &["3"])];
    let floats = [x(&["3"])];
    check(vec![
        case(
            13,
            node("Mod", &["x", "a"], &["y"]),
            &two,
            r#"y: i32[3] = mod(x, a) @ Mod_0"#,
        ),
        case(
            13,
            node("Mod", &["x", "a"], &["y"]).int("fmod", 1),
            &two,
            r#"y: i32[3] = rem(x, a) @ Mod_0"#,
        ),
        case(
            11,
            node("BitShift", &["x", "a"], &["y"]).text("direction", "RIGHT"),
            &two,
            r#"y: i32[3] = shift_right(x, a) @ BitShift_0"#,
        ),
        case(
            26,
            node("BitCast", &["x"], &["y"]).int("to", 1),
            &two[..1],
            r#"y: f32[3] = bit_cast(x, to = f32) @ BitCast_0"#,
        ),
        case(
            10,
            node("IsInf", &["x"], &["y"]).int("detect_positive", 0),
            &floats,
            r#"const y.const: f32[] = {-inf}
               y: bool[3] = equal(x, y.const) @ IsInf_0"#,
        ),
        case(
            9,
            node("Shrink", &["x"], &["y"])
                .float("lambd", 1.5)
                .float("bias", 0.5),
            &floats,
            r#"y: f32[3] = shrink(x, lambda = 1.5, bias = 0.5) @ Shrink_0"#,
        ),
    ]);
}

#[test]
fn composed_reductions_are_a_reduction_between_elementwise_ops() {
    let input = [x(&["2", "n"])];
    let over = "axes = [1], keep = false, noop_if_empty = false) @";
    let l2 = format!(
        "y.mul: f32[2, n] = mul(x, x) @ ReduceL2_0
         y.reduce_sum: f32[2] = reduce_sum(y.mul, {over} ReduceL2_0
         y: f32[2] = sqrt(y.reduce_sum) @ ReduceL2_0"
    );
    let log_sum_exp = "y.reduce_max: f32[2, 1] = reduce_max(x, a, keep = true, noop_if_empty = true) @ ReduceLogSumExp_0
         y.is_inf: bool[2, 1] = is_inf(y.reduce_max) @ ReduceLogSumExp_0";
    check(vec![case(
        13,
        node("ReduceL2", &["x"], &["y"])
            .ints("axes", &[1])
            .int("keepdims", 0),
        &input,
        Box::leak(l2.into_boxed_str()),
    )]);
    let axes = ints("a", &[1], &[1]);
    let model = model(
        18,
        input.to_vec(),
        vec![node("ReduceLogSumExp", &["x", "a"], &["y"]).int("noop_with_empty_axes", 1)],
        &["y"],
    )
    .with(vec![axes]);
    let text = body(&model);
    for line in log_sum_exp.lines() {
        assert!(text.contains(line.trim()), "{text}");
    }
}

#[test]
fn losses_pick_by_comparison() {
    let inputs = [x(&["n", "3"]), port("a", INT64, &["n"])];
    let model = model(
        13,
        inputs.to_vec(),
        vec![
            node("SoftmaxCrossEntropyLoss", &["x", "a"], &["y", "z"])
                .int("ignore_index", -1)
                .text("reduction", "none"),
        ],
        &["y", "z"],
    );
    let text = body(&model);
    for line in [
        "y.log_softmax: f32[n, 3] = log_softmax(x, axis = 1) @ SoftmaxCrossEntropyLoss_0",
        "y.equal: bool[n, 3] = equal(y.unsqueeze, y.range) @ SoftmaxCrossEntropyLoss_0",
        "z: f32[n, 3] = identity(y.log_softmax) @ SoftmaxCrossEntropyLoss_0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn what_is_wrong_with_attributes_and_shapes_is_said() {
    let floats = |extents: &[&str]| vec![x(extents)];
    let check = |opset, node: NodeProto, inputs: Vec<ValueInfoProto>, expect: &str| {
        let op_type = node.op_type.clone();
        let model = model(opset, inputs, vec![node], &[]);
        let place = format!("m.onnx: \"{op_type}_0\" ({op_type}, node 0): ");
        check_error(&model, &format!("{place}{expect}"));
    };
    check(
        11,
        node("BitShift", &["x", "x"], &["y"]),
        vec![port("x", INT32, &["2"])],
        "attribute \"direction\" is missing",
    );
    check(
        11,
        node("BitShift", &["x", "x"], &["y"]).text("direction", "UP"),
        vec![port("x", INT32, &["2"])],
        "attribute \"direction\" = \"UP\": must be LEFT or RIGHT",
    );
    check(
        26,
        node("BitCast", &["x"], &["y"]).int("to", 8),
        floats(&["2"]),
        "attribute \"to\" = STRING: this element type is not supported here",
    );
    check(
        9,
        node("PRelu", &["x", "a"], &["y"]),
        vec![x(&["2", "3"]), port("a", FLOAT, &["4", "1", "3"])],
        "input 1 (\"a\"): is f32[4, 1, 3], which does not broadcast to f32[2, 3]",
    );
    check(
        11,
        node("TopK", &["x", "a"], &["y", "z"]),
        vec![x(&["2"]), port("a", FLOAT, &["1"])],
        "top_k: input 1 is f32, expected i32 or i64",
    );
    check(
        9,
        node("TopK", &["x"], &["y", "z"]).int("k", 3),
        floats(&["2"]),
        "top_k: k = 3: must be from 0 to 2, the extent of axis 0",
    );
    check(
        14,
        node("Trilu", &["x"], &["y"]),
        floats(&["2"]),
        "input 0 (\"x\"): is f32[2]; two axes or more are needed",
    );
    check(
        13,
        node("NegativeLogLikelihoodLoss", &["x", "a"], &["y"]).text("reduction", "max"),
        vec![x(&["2", "3"]), port("a", INT64, &["2"])],
        "attribute \"reduction\" = \"max\": must be none, sum or mean",
    );
    check(
        13,
        node("NegativeLogLikelihoodLoss", &["x", "a"], &["y"]),
        vec![x(&["2", "3"]), port("a", INT64, &["2", "3"])],
        "input 1 (\"a\"): is i64[2, 3]; for scores f32[2, 3] [batch, d..] is needed",
    );
    check(
        27,
        node("Range", &["x", "x", "x"], &["y"]).int("stash_type", 10),
        floats(&[]),
        "attribute \"stash_type\" = 10: only 1 (FLOAT) is supported",
    );
    check(
        11,
        node("Range", &["x", "x", "x"], &["y"]),
        floats(&["2"]),
        "input 0 (\"x\"): must be one number",
    );
    check(
        1 + 6,
        node("LpNormalization", &["x"], &["y"]).int("p", 3),
        floats(&["2"]),
        "attribute \"p\" = 3: must be 1 or 2",
    );
}
