//! Recurrent layers, attention and its companions, sums by Einstein's convention.

use super::*;

impl NodeProto {
    fn texts(self, name: &str, values: &[&str]) -> Self {
        self.attr(name, attribute_kind::STRINGS, |a| {
            let bytes = values.iter().map(|v| Bytes::copy_from_slice(v.as_bytes()));
            a.strings = bytes.collect();
        })
    }

    fn floats(self, name: &str, values: &[f32]) -> Self {
        self.attr(name, attribute_kind::FLOATS, |a| a.floats = values.to_vec())
    }
}

/// The only problem of a node over these inputs, without the file's and the node's name.
fn refused(opset: i64, node: NodeProto, inputs: &[ValueInfoProto], expect: &str) {
    let op_type = node.op_type.clone();
    let model = model(opset, inputs.to_vec(), vec![node], &[]);
    check_error(
        &model,
        &format!("m.onnx: \"{op_type}_0\" ({op_type}, node 0): {expect}"),
    );
}

fn layer_inputs(gates: &str) -> [ValueInfoProto; 3] {
    [
        x(&["t", "b", "3"]),
        port("w", FLOAT, &["1", gates, "3"]),
        port("r", FLOAT, &["1", gates, "2"]),
    ]
}

#[test]
fn layers_keep_all_attributes() {
    let inputs = ["x", "w", "r"];
    check(vec![
        case(
            7,
            node("RNN", &inputs, &["y"]),
            &layer_inputs("2"),
            r#"y: f32[t, 1, b, 2], y.rnn.1: f32[1, b, 2] = rnn(x, w, r, direction = forward, f = tanh) @ RNN_0"#,
        ),
        case(
            22,
            node("GRU", &inputs, &["", "y"])
                .text("direction", "reverse")
                .texts("activations", &["hardsigmoid", "LeakyRelu"])
                .floats("activation_alpha", &[0.25])
                .float("clip", 2.5)
                .int("linear_before_reset", 1)
                .int("hidden_size", 2),
            &layer_inputs("6"),
            r#"y.gru.0: f32[t, 1, b, 2], y: f32[1, b, 2] = gru(x, w, r, direction = reverse, f = hard_sigmoid, f_alpha = 0.25, f_beta = 0.5, g = leaky_relu, g_alpha = 0.01, clip = 2.5, linear_before_reset = true) @ GRU_0"#,
        ),
        case(
            14,
            node("LSTM", &inputs, &["y", "", "c"])
                .int("layout", 1)
                .int("input_forget", 1),
            &layer_inputs("8"),
            r#"y.transpose: f32[b, t, 3] = transpose(x, perm = [1, 0, 2]) @ LSTM_0
               y.lstm.0: f32[b, 1, t, 2], y.lstm.1: f32[1, t, 2], y.lstm.2: f32[1, t, 2] = lstm(y.transpose, w, r, direction = forward, f = sigmoid, g = tanh, h = tanh, input_forget = true) @ LSTM_0
               y.transpose_7: f32[t, b, 1, 2] = transpose(y.lstm.0, perm = [2, 0, 1, 3]) @ LSTM_0
               y: f32[t, b, 1, 2] = identity(y.transpose_7) @ LSTM_0
               y.transpose_9: f32[t, 1, 2] = transpose(y.lstm.2, perm = [1, 0, 2]) @ LSTM_0
               c: f32[t, 1, 2] = identity(y.transpose_9) @ LSTM_0"#,
        ),
        case(
            27,
            node("LinearAttention", &["x", "w", "r", "", "", "b"], &["y"])
                .int("q_num_heads", 4)
                .int("kv_num_heads", 2)
                .text("update_rule", "delta"),
            &[
                x(&["n", "t", "12"]),
                port("w", FLOAT, &["n", "t", "6"]),
                port("r", FLOAT, &["n", "t", "10"]),
                port("b", FLOAT, &["n", "t", "1"]),
            ],
            r#"y: f32[n, t, 20], y.linear_attention.1: f32[n, 2, 3, 5] = linear_attention(x, w, r, _, _, b, rule = delta, q_heads = 4, kv_heads = 2) @ LinearAttention_0"#,
        ),
    ]);
}

#[test]
fn wrong_attributes_of_layers_are_refused() {
    let check = |node: NodeProto, expect: &str| refused(14, node, &layer_inputs("6"), expect);
    let gru = || node("GRU", &["x", "w", "r"], &["y"]);
    check(
        gru().text("direction", "backward"),
        r#"attribute "direction" = "backward": is none of the words of this opset"#,
    );
    check(
        gru().texts("activations", &["Tanh"]),
        r#"attribute "activations" = ["Tanh"]: 2 functions are needed"#,
    );
    check(
        gru().texts("activations", &["Tanh", "Gelu"]),
        r#"attribute "activations" = "Gelu": is none of Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign, Softplus"#,
    );
    check(
        gru().floats("activation_beta", &[1.0]),
        r#"attribute "activation_beta" = [1.0]: the functions take 0 of them"#,
    );
    check(
        gru().text("activations", "Tanh"),
        r#"attribute "activations" must be a list of texts"#,
    );
    check(
        gru().int("hidden_size", 3),
        r#"attribute "hidden_size" = 3: the recurrent weights are for a state of 2 numbers"#,
    );
    check(
        gru().float("clip", -1.0),
        "gru: clip = -1: must not be negative",
    );
    check(
        gru().int("input_forget", 1),
        r#"attribute "input_forget" is not one of GRU in opset 14"#,
    );
    check(
        node("LSTM", &["x", "w", "r"], &["y"]),
        "lstm: input 1 has shape f32[1, 6, 3]: must be [directions, gates * hidden, features], here [1, 8, 3]",
    );
}

#[test]
fn sums_of_products_become_matrix_products() {
    let inputs = [x(&["2", "n"]), port("a", FLOAT, &["k", "n"])];
    let einsum =
        |inputs: &[&str], equation: &str| node("Einsum", inputs, &["y"]).text("equation", equation);
    check(vec![
        case(
            12,
            einsum(&["x", "a"], "ij,kj->ki"),
            &inputs,
            r#"y.transpose: f32[n, k] = transpose(a, perm = [1, 0]) @ Einsum_0
               y.matmul: f32[2, k] = matmul(x, y.transpose) @ Einsum_0
               y.transpose_4: f32[k, 2] = transpose(y.matmul, perm = [1, 0]) @ Einsum_0
               y: f32[k, 2] = identity(y.transpose_4) @ Einsum_0"#,
        ),
        case(
            12,
            einsum(&["x", "a"], "ij,kj->j"),
            &inputs,
            r#"y.reduce_sum: f32[n] = reduce_sum(x, axes = [0], keep = false, noop_if_empty = true) @ Einsum_0
               y.reduce_sum_3: f32[n] = reduce_sum(a, axes = [0], keep = false, noop_if_empty = true) @ Einsum_0
               y.mul: f32[n] = mul(y.reduce_sum, y.reduce_sum_3) @ Einsum_0
               y: f32[n] = identity(y.mul) @ Einsum_0"#,
        ),
    ]);
    let inputs = [x(&["2", "3"]), port("a", FLOAT, &["4", "3"])];
    let check = |node: NodeProto, expect: &str| refused(12, node, &inputs, expect);
    check(
        node("Einsum", &["x"], &["y"]),
        r#"attribute "equation" is missing"#,
    );
    check(
        einsum(&["x"], "ij,jk"),
        r#"attribute "equation" = "ij,jk": it is for 2 operands, there are 1"#,
    );
    check(
        einsum(&["x", "a"], "ij,jk"),
        r#"input 1 ("a"): has extent 4 at 'j', where another has 3"#,
    );
    check(
        einsum(&["x"], "ii"),
        r#"input 0 ("x"): has extent 3 at 'i', where another has 2"#,
    );
}

#[test]
fn products_of_too_many_axes_are_refused() {
    let letters: String = ('a'..='z').chain('A'..='D').collect();
    let inputs = [x(&["2"; 40]), port("a", FLOAT, &["2"; 30])];
    let equation = format!("...,{letters}->...{letters}");
    refused(
        12,
        node("Einsum", &["x", "a"], &["y"]).text("equation", &equation),
        &inputs,
        r#"the result "y.unsqueeze" has 70 axes; at most 64 are supported"#,
    );
}

#[test]
fn attention_is_two_products_around_a_softmax() {
    let four =
        |name: &str, heads: &str, length: &str| port(name, FLOAT, &["n", heads, length, "4"]);
    let inputs = [
        four("x", "2", "s"),
        four("k", "2", "t"),
        four("v", "2", "t"),
    ];
    check(vec![case(
        23,
        node("Attention", &["x", "k", "v"], &["y"]),
        &inputs,
        r#"const y.const: f32[] = {0.5}
           y.mul: f32[n, 2, s, 4] = mul(x, y.const) @ Attention_0
           y.transpose: f32[n, 2, 4, t] = transpose(k, perm = [0, 1, 3, 2]) @ Attention_0
           y.matmul: f32[n, 2, s, t] = matmul(y.mul, y.transpose) @ Attention_0
           y.softmax: f32[n, 2, s, t] = softmax(y.matmul, axis = -1) @ Attention_0
           y.matmul_8: f32[n, 2, s, 4] = matmul(y.softmax, v) @ Attention_0
           y: f32[n, 2, s, 4] = identity(y.matmul_8) @ Attention_0"#,
    )]);
    let attention = || node("Attention", &["x", "k", "v"], &["y"]);
    let check = |node: NodeProto, expect: &str| refused(25, node, &inputs, expect);
    check(
        attention().int("q_num_heads", 2),
        r#"attribute "q_num_heads" = 2: is only for inputs of three axes"#,
    );
    check(
        attention().int("left_window_size", -2),
        r#"attribute "left_window_size" = -2: must be -1, for no limit, or a number of keys"#,
    );
    check(
        attention().int("qk_matmul_output_mode", 4),
        r#"attribute "qk_matmul_output_mode" = 4: must be 0 to 3"#,
    );
    check(
        attention().int("softmax_precision", 7),
        r#"attribute "softmax_precision" = i64: must be a float"#,
    );
    check(
        node("Attention", &["x", "k", "v", "", "k"], &["y"]),
        r#"input 4 ("k"): past_key and past_value go together"#,
    );
    let few = [
        four("x", "4", "s"),
        four("k", "3", "t"),
        four("v", "3", "t"),
    ];
    refused(
        24,
        attention(),
        &few,
        r#"input 1 ("k"): has 3 heads, which do not divide the 4 heads of the queries"#,
    );
    let packed = [
        x(&["n", "s", "6"]),
        port("k", FLOAT, &["n", "t", "6"]),
        port("v", FLOAT, &["n", "t", "6"]),
    ];
    refused(
        24,
        attention().int("q_num_heads", 4).int("kv_num_heads", 2),
        &packed,
        r#"input 0 ("x"): is f32[n, s, 6], which 4 heads do not divide"#,
    );
    refused(
        24,
        attention(),
        &packed,
        r#"attribute "q_num_heads" is missing"#,
    );
}

#[test]
fn rotations_need_pairs_and_norms_a_scale() {
    let inputs = [
        x(&["n", "2", "s", "6"]),
        port("c", FLOAT, &["n", "s", "2"]),
        port("w", FLOAT, &["7", "6"]),
    ];
    let rotary = || node("RotaryEmbedding", &["x", "c", "c"], &["y"]);
    let check = |node: NodeProto, expect: &str| refused(23, node, &inputs, expect);
    check(
        rotary(),
        r#"input 1 ("c"): is f32[n, s, 2]; for 6 turned elements the last extent must be 3"#,
    );
    check(
        rotary().int("rotary_embedding_dim", 5),
        r#"attribute "rotary_embedding_dim" = 5: pairs are turned, of a head whose width is 6"#,
    );
    check(
        rotary().int("rotary_embedding_dim", 8),
        r#"attribute "rotary_embedding_dim" = 8: pairs are turned, of a head whose width is 6"#,
    );
    check(
        node("RotaryEmbedding", &["c", "c", "c"], &["y"]),
        r#"attribute "num_heads" = 0: must be given for an input of three axes"#,
    );
    check(
        node("RMSNormalization", &["c", "x"], &["y"]),
        r#"input 1 ("x"): is f32[n, 2, s, 6], which does not broadcast to f32[n, s, 2]"#,
    );
    check(
        node("RMSNormalization", &["x", "w"], &["y"]).int("stash_type", 6),
        r#"attribute "stash_type" = i32: must be a float"#,
    );
    check(
        node("RMSNormalization", &["x", "w"], &["y"]).int("axis", 4),
        r#"attribute "axis" = 4: is no axis of a tensor of rank 4"#,
    );
}
