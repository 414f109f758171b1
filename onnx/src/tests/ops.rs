//! What each op becomes, by opset.

mod arranged;
mod elementwise;
mod narrow;
mod scan;
mod sequences;

use super::*;

/// One node over inputs `x`, `a`, `b` and constants, as the text of the body.
struct Case {
    opset: i64,
    node: NodeProto,
    inputs: Vec<ValueInfoProto>,
    constants: Vec<TensorProto>,
    expect: &'static str,
}

fn case(opset: i64, node: NodeProto, inputs: &[ValueInfoProto], expect: &'static str) -> Case {
    Case {
        opset,
        node,
        inputs: inputs.to_vec(),
        constants: Vec::new(),
        expect,
    }
}

impl Case {
    fn with(mut self, constant: TensorProto) -> Case {
        self.constants.push(constant);
        self
    }
}

/// Constants are shown in the graph before the node; they are left out of the comparison when they
/// come from the test itself.
fn check(cases: Vec<Case>) {
    for case in cases {
        let outputs = case.node.output.iter().map(String::as_str);
        let outputs: Vec<&str> = outputs.filter(|name| !name.is_empty()).collect();
        let model = model(
            case.opset,
            case.inputs.clone(),
            vec![case.node.clone()],
            &outputs,
        )
        .with(case.constants.clone());
        let all = body(&model);
        let given: Vec<&str> = case.constants.iter().map(|c| c.name.as_str()).collect();
        let own = all.lines().filter(|line| {
            let is_given = |name: &&str| line.starts_with(&format!("const {name}:"));
            !given.iter().any(is_given)
        });
        let own: Vec<&str> = own.collect();
        let want: Vec<&str> = case.expect.lines().map(str::trim).collect();
        assert_eq!(own, want, "{} in opset {}", case.node.op_type, case.opset);
    }
}

fn x(extents: &[&str]) -> ValueInfoProto {
    port("x", FLOAT, extents)
}

#[test]
fn reductions_take_axes_as_attribute_or_input() {
    let input = [x(&["2", "3", "4"])];
    let axes = || ints("axes", &[1], &[-1]);
    check(vec![
        case(
            11,
            node("ReduceSum", &["x"], &["y"]).ints("axes", &[-1]).int("keepdims", 0),
            &input,
            r#"y: f32[2, 3] = reduce_sum(x, axes = [-1], keep = false, noop_if_empty = false) @ ReduceSum_0"#,
        ),
        case(
            13,
            node("ReduceSum", &["x", "axes"], &["y"]),
            &input,
            r#"y: f32[2, 3, 1] = reduce_sum(x, axes, keep = true, noop_if_empty = false) @ ReduceSum_0"#,
        )
        .with(axes()),
        case(
            13,
            node("ReduceMax", &["x"], &["y"]),
            &input,
            r#"y: f32[1, 1, 1] = reduce_max(x, keep = true, noop_if_empty = false) @ ReduceMax_0"#,
        ),
        case(
            18,
            node("ReduceMean", &["x", ""], &["y"]).int("noop_with_empty_axes", 1),
            &input,
            r#"y: f32[2, 3, 4] = reduce_mean(x, keep = true, noop_if_empty = true) @ ReduceMean_0"#,
        ),
        case(
            9,
            node("GlobalAveragePool", &["x"], &["y"]),
            &[x(&["n", "3", "h", "w"])],
            r#"y: f32[n, 3, 1, 1] = reduce_mean(x, axes = [2, 3], keep = true, noop_if_empty = false) @ GlobalAveragePool_0"#,
        ),
    ]);
}

#[test]
fn gemm_is_a_matmul_with_scaling() {
    let inputs = [
        x(&["k", "m"]),
        port("a", FLOAT, &["n", "k"]),
        port("b", FLOAT, &["n"]),
    ];
    let gemm = |inputs: &[&str]| node("Gemm", inputs, &["y"]);
    check(vec![
        case(
            13,
            node("MatMul", &["a", "x"], &["y"]),
            &inputs[..2],
            r#"y: f32[n, m] = matmul(a, x) @ MatMul_0"#,
        ),
        case(
            11,
            gemm(&["a", "x"]),
            &inputs[..2],
            r#"y: f32[n, m] = matmul(a, x) @ Gemm_0"#,
        ),
        case(
            7,
            gemm(&["x", "a", "b"])
                .int("transA", 1)
                .int("transB", 1)
                .float("alpha", 0.5)
                .float("beta", 2.0),
            &inputs,
            r#"y.transpose: f32[m, k] = transpose(x, perm = [1, 0]) @ Gemm_0
               y.transpose_4: f32[k, n] = transpose(a, perm = [1, 0]) @ Gemm_0
               y.matmul: f32[m, n] = matmul(y.transpose, y.transpose_4) @ Gemm_0
               const y.const: f32[] = {0.5}
               y.mul: f32[m, n] = mul(y.matmul, y.const) @ Gemm_0
               const y.const_8: f32[] = {2}
               y.mul_9: f32[n] = mul(b, y.const_8) @ Gemm_0
               y: f32[m, n] = add(y.mul, y.mul_9) @ Gemm_0"#,
        ),
    ]);
}

#[test]
fn windows_have_every_kind_of_padding() {
    let image = [
        x(&["n", "2", "5", "5"]),
        port("a", FLOAT, &["4", "1", "3", "3"]),
    ];
    let line = [x(&["n", "2", "l"]), port("a", FLOAT, &["4", "2", "3"])];
    let conv = || node("Conv", &["x", "a"], &["y"]);
    let pool = |op: &str| node(op, &["x"], &["y"]).ints("kernel_shape", &[3, 3]);
    check(vec![
        case(
            7,
            conv()
                .int("group", 2)
                .ints("pads", &[1, 0, 1, 2])
                .ints("strides", &[2, 1]),
            &image,
            r#"y: f32[n, 4, 3, 5] = conv(x, a, strides = [2, 1], dilations = [1, 1], pads = [1, 0, 1, 2], groups = 2) @ Conv_0"#,
        ),
        case(
            11,
            conv().text("auto_pad", "SAME_UPPER").ints("strides", &[2]),
            &line,
            r#"y: f32[n, 4, ((l + 1) / 2)] = conv(x, a, strides = [2], dilations = [1], same_upper = true, groups = 1) @ Conv_0"#,
        ),
        case(
            22,
            conv()
                .text("auto_pad", "VALID")
                .ints("kernel_shape", &[3])
                .ints("dilations", &[2]),
            &line,
            r#"y: f32[n, 4, (l + -4)] = conv(x, a, strides = [1], dilations = [2], pads = [0, 0], groups = 1) @ Conv_0"#,
        ),
        case(
            12,
            pool("MaxPool").int("ceil_mode", 1).ints("strides", &[3, 3]),
            &image[..1],
            r#"y: f32[n, 2, 2, 2] = max_pool(x, kernel = [3, 3], strides = [3, 3], dilations = [1, 1], pads = [0, 0, 0, 0], ceil = true, count_pad = false) @ MaxPool_0"#,
        ),
        case(
            7,
            pool("AveragePool")
                .int("count_include_pad", 1)
                .text("auto_pad", "SAME_LOWER"),
            &image[..1],
            r#"y: f32[n, 2, 5, 5] = average_pool(x, kernel = [3, 3], strides = [1, 1], dilations = [1, 1], same_upper = false, ceil = false, count_pad = true) @ AveragePool_0"#,
        ),
    ]);
}

#[test]
fn old_softmax_sees_rows() {
    let input = [x(&["n", "3", "4"])];
    let softmax = |op: &str| node(op, &["x"], &["y"]);
    check(vec![
        case(
            13,
            softmax("Softmax"),
            &input,
            r#"y: f32[n, 3, 4] = softmax(x, axis = -1) @ Softmax_0"#,
        ),
        case(
            7,
            softmax("LogSoftmax").int("axis", 2),
            &input,
            r#"y: f32[n, 3, 4] = log_softmax(x, axis = 2) @ LogSoftmax_0"#,
        ),
        case(
            12,
            softmax("Softmax"),
            &input,
            r#"y.reshape: f32[n, 12] = reshape(x, shape = [n, 12]) @ Softmax_0
               y.softmax: f32[n, 12] = softmax(y.reshape, axis = -1) @ Softmax_0
               y: f32[n, 3, 4] = reshape(y.softmax, shape = [n, 3, 4]) @ Softmax_0"#,
        ),
        case(
            11,
            softmax("Softmax").int("axis", -2),
            &[x(&["n", "3", "1"])],
            r#"y: f32[n, 3, 1] = softmax(x, axis = 1) @ Softmax_0"#,
        ),
    ]);
}

#[test]
fn norms_and_dropout() {
    let c = |name: &str, elem| port(name, elem, &["3"]);
    let batch = [
        x(&["n", "3"]),
        c("s", FLOAT),
        c("b", FLOAT),
        c("m", FLOAT),
        c("v", FLOAT),
    ];
    let mut half = batch.clone();
    half[0] = port("x", 10, &["n", "3"]);
    let norm = || node("BatchNormalization", &["x", "s", "b", "m", "v"], &["y"]);
    check(vec![
        case(
            7,
            norm().float("epsilon", 0.5).int("spatial", 1),
            &batch,
            r#"y: f32[n, 3] = batch_norm(x, s, b, m, v, epsilon = 0.5) @ BatchNormalization_0"#,
        ),
        case(
            15,
            norm(),
            &half,
            r#"y.cast: f32[n, 3] = cast(x, to = f32) @ BatchNormalization_0
               y.batch_norm: f32[n, 3] = batch_norm(y.cast, s, b, m, v, epsilon = 1e-5) @ BatchNormalization_0
               y: f16[n, 3] = cast(y.batch_norm, to = f16) @ BatchNormalization_0"#,
        ),
        case(
            17,
            node("LayerNormalization", &["x", "s"], &["y"]),
            &batch[..2],
            r#"y: f32[n, 3] = layer_norm(x, s, axis = -1, epsilon = 1e-5) @ LayerNormalization_0"#,
        ),
        case(
            10,
            node("Dropout", &["x"], &["y", "mask"]).float("ratio", 0.1),
            &batch[..1],
            r#"y: f32[n, 3] = identity(x) @ Dropout_0
               const y.const: bool[] = {true}
               mask: bool[n, 3] = expand(y.const, shape = [n, 3]) @ Dropout_0"#,
        ),
        case(
            13,
            node("Dropout", &["x", "", "training"], &["y"]).int("seed", 3),
            &batch[..1],
            r#"y: f32[n, 3] = identity(x) @ Dropout_0"#,
        )
        .with(TensorProto {
            name: "training".into(),
            data_type: BOOL,
            int32_data: vec![0],
            ..TensorProto::default()
        }),
    ]);
}

#[test]
fn choosing_and_joining() {
    let input = [x(&["n", "6"])];
    check(vec![
        case(
            11,
            node("Gather", &["x", "i"], &["y"]).int("axis", 1),
            &[x(&["n", "6"]), port("i", INT64, &["2", "2"])],
            r#"y: f32[n, 2, 2] = gather(x, i, axis = 1) @ Gather_0"#,
        ),
        case(
            9,
            node("Slice", &["x"], &["y"]).ints("starts", &[1]).ints("ends", &[-1]).ints("axes", &[1]),
            &input,
            r#"y: f32[n, 4] = slice(x, axes = [1], starts = [1], ends = [-1], steps = [1]) @ Slice_0"#,
        ),
        case(
            13,
            node("Slice", &["x", "from", "to", "axes"], &["y"]),
            &input,
            r#"y: f32[n, 3] = slice(x, from, to, axes) @ Slice_0"#,
        )
        .with(ints("from", &[1], &[0]))
        .with(ints("to", &[1], &[3]))
        .with(ints("axes", &[1], &[-1])),
        case(
            11,
            node("Concat", &["x", "x"], &["y"]).int("axis", -1),
            &input,
            r#"y: f32[n, 12] = concat(x, x, axis = -1) @ Concat_0"#,
        ),
        case(
            11,
            node("Split", &["x"], &["y", "z"]).int("axis", 1),
            &input,
            r#"y: f32[n, 3] = slice(x, axes = [1], starts = [0], ends = [3], steps = [1]) @ Split_0
               z: f32[n, 3] = slice(x, axes = [1], starts = [3], ends = [6], steps = [1]) @ Split_0"#,
        ),
        case(
            13,
            node("Split", &["x", "sizes"], &["y", "z"]).int("axis", -1),
            &input,
            r#"y: f32[n, 2] = slice(x, axes = [1], starts = [0], ends = [2], steps = [1]) @ Split_0
               z: f32[n, 4] = slice(x, axes = [1], starts = [2], ends = [6], steps = [1]) @ Split_0"#,
        )
        .with(ints("sizes", &[2], &[2, 4])),
        case(
            18,
            node("Split", &["x"], &["y", "z", "w", "v"]).int("axis", 1).int("num_outputs", 4),
            &input,
            r#"y: f32[n, 2] = slice(x, axes = [1], starts = [0], ends = [2], steps = [1]) @ Split_0
               z: f32[n, 2] = slice(x, axes = [1], starts = [2], ends = [4], steps = [1]) @ Split_0
               w: f32[n, 2] = slice(x, axes = [1], starts = [4], ends = [6], steps = [1]) @ Split_0
               v: f32[n, 0] = slice(x, axes = [1], starts = [6], ends = [6], steps = [1]) @ Split_0"#,
        ),
    ]);
}

#[test]
fn shapes_change() {
    let input = [x(&["n", "3", "4"])];
    let narrow = [x(&["n", "1"])];
    check(vec![
        case(
            7,
            node("Reshape", &["x", "s"], &["y"]),
            &input,
            r#"y: f32[n, 12] = reshape(x, s, allow_zero = false) @ Reshape_0"#,
        )
        .with(ints("s", &[2], &[0, -1])),
        case(
            7,
            node("Transpose", &["x"], &["y"]),
            &input,
            r#"y: f32[4, 3, n] = transpose(x, perm = [2, 1, 0]) @ Transpose_0"#,
        ),
        case(
            8,
            node("Expand", &["x", "s"], &["y"]),
            &narrow,
            r#"y: f32[2, n, 5] = expand(x, s) @ Expand_0"#,
        )
        .with(ints("s", &[3], &[2, 1, 5])),
        case(
            11,
            node("Squeeze", &["x"], &["y"]).ints("axes", &[-1]),
            &narrow,
            r#"y: f32[n] = squeeze(x, axes = [-1]) @ Squeeze_0"#,
        ),
        case(
            13,
            node("Squeeze", &["x"], &["y"]),
            &narrow,
            r#"y: f32[n] = squeeze(x) @ Squeeze_0"#,
        ),
        case(
            13,
            node("Unsqueeze", &["x", "s"], &["y"]),
            &narrow,
            r#"y: f32[1, n, 1] = unsqueeze(x, s) @ Unsqueeze_0"#,
        )
        .with(ints("s", &[1], &[0])),
        case(
            9,
            node("Flatten", &["x"], &["y"]),
            &input,
            r#"y: f32[n, 12] = reshape(x, shape = [n, 12]) @ Flatten_0"#,
        ),
        case(
            11,
            node("Flatten", &["x"], &["y"]).int("axis", 3),
            &input,
            r#"y: f32[(n * 12), 1] = reshape(x, shape = [(n * 12), 1]) @ Flatten_0"#,
        ),
        case(
            13,
            node("Shape", &["x"], &["y"]),
            &input,
            r#"y: i64[3] = shape(x, start = 0) @ Shape_0"#,
        ),
        case(
            15,
            node("Shape", &["x"], &["y"]).int("start", -1),
            &input,
            r#"y: i64[1] = shape(x, start = -1) @ Shape_0"#,
        ),
    ]);
}

#[test]
fn constants_in_every_form() {
    let constant = || node("Constant", &[], &["y"]);
    check(vec![
        case(
            7,
            constant().tensor("value", floats("", &[2], &[1.0, 2.5])),
            &[],
            r#"const y: f32[2] = {1, 2.5}"#,
        ),
        case(
            12,
            constant().float("value_float", 0.1),
            &[],
            r#"const y: f32[] = {0.1}"#,
        ),
        case(
            12,
            constant().int("value_int", -3),
            &[],
            r#"const y: i64[] = {-3}"#,
        ),
        case(
            13,
            constant().ints("value_ints", &[1, -2]),
            &[],
            r#"const y: i64[2] = {1, -2}"#,
        ),
        case(
            13,
            constant().attr("value_floats", attribute_kind::FLOATS, |a| {
                a.floats = vec![0.5]
            }),
            &[],
            r#"const y: f32[1] = {0.5}"#,
        ),
        case(
            9,
            node("ConstantOfShape", &["s"], &["y"]),
            &[],
            r#"const y.const: f32[] = {0}
               y: f32[2, 3] = expand(y.const, s) @ ConstantOfShape_0"#,
        )
        .with(ints("s", &[2], &[2, 3])),
        case(
            9,
            node("ConstantOfShape", &["s"], &["y"]).tensor("value", ints("", &[1], &[7])),
            &[],
            r#"const y.const: i64[] = {7}
               y: i64[] = expand(y.const, s) @ ConstantOfShape_0"#,
        )
        .with(ints("s", &[0], &[])),
    ]);
}

#[test]
fn statistics_of_a_layer_norm_are_computed_beside_it() {
    check(vec![case(
        17,
        node("LayerNormalization", &["x", "s"], &["y", "", "d"]).float("epsilon", 0.5),
        &[x(&["n", "3"]), port("s", FLOAT, &["3"])],
        r#"y: f32[n, 3] = layer_norm(x, s, axis = -1, epsilon = 0.5) @ LayerNormalization_0
           y.reduce_mean: f32[n, 1] = reduce_mean(x, axes = [1], keep = true, noop_if_empty = false) @ LayerNormalization_0
           y.sub: f32[n, 3] = sub(x, y.reduce_mean) @ LayerNormalization_0
           y.mul: f32[n, 3] = mul(y.sub, y.sub) @ LayerNormalization_0
           y.reduce_mean_6: f32[n, 1] = reduce_mean(y.mul, axes = [1], keep = true, noop_if_empty = false) @ LayerNormalization_0
           const y.const: f32[] = {0.5}
           y.add: f32[n, 1] = add(y.reduce_mean_6, y.const) @ LayerNormalization_0
           y.sqrt: f32[n, 1] = sqrt(y.add) @ LayerNormalization_0
           d: f32[n, 1] = reciprocal(y.sqrt) @ LayerNormalization_0"#,
    )]);
}

#[test]
fn a_size_is_followed() {
    let nodes = vec![
        node("Size", &["x"], &["n"]),
        node("Unsqueeze", &["n", "zero"], &["n1"]),
        node("Reshape", &["x", "n1"], &["y"]),
    ];
    let inputs = vec![x(&["a", "3"])];
    let text = body(&model(13, inputs, nodes, &["y"]).with(vec![ints("zero", &[1], &[0])]));
    let last = "y: f32[(a * 3)] = reshape(x, n1, allow_zero = false) @ Reshape_2";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn narrow_types_are_widened_where_the_table_has_no_entry() {
    check(vec![
        case(
            12,
            node("MaxPool", &["x"], &["y"]).ints("kernel_shape", &[2]),
            &[port("x", 2, &["1", "1", "4"])],
            r#"y.cast: f32[1, 1, 4] = cast(x, to = f32) @ MaxPool_0
               y.max_pool: f32[1, 1, 3] = max_pool(y.cast, kernel = [2], strides = [1], dilations = [1], pads = [0, 0], ceil = false, count_pad = false) @ MaxPool_0
               y: u8[1, 1, 3] = cast(y.max_pool, to = u8) @ MaxPool_0"#,
        ),
        case(
            20,
            node("ReduceMax", &["x"], &["y"]).int("keepdims", 0),
            &[port("x", BOOL, &["2"])],
            r#"y.cast: u8[2] = cast(x, to = u8) @ ReduceMax_0
               y.reduce_max: u8[] = reduce_max(y.cast, keep = false, noop_if_empty = false) @ ReduceMax_0
               y: bool[] = cast(y.reduce_max, to = bool) @ ReduceMax_0"#,
        ),
    ]);
}
