//! Ops that work element by element.

use super::*;

#[test]
fn elementwise_ops_are_rows() {
    let two = [x(&["2", "3"]), port("a", FLOAT, &["3"])];
    let bools = [port("x", BOOL, &["2"]), port("a", BOOL, &["2"])];
    let unary = |op| node(op, &["x"], &["y"]);
    let binary = |op| node(op, &["x", "a"], &["y"]);
    check(vec![
        case(
            7,
            unary("Relu"),
            &two[..1],
            r#"y: f32[2, 3] = relu(x) @ Relu_0"#,
        ),
        case(
            9,
            unary("Erf"),
            &two[..1],
            r#"y: f32[2, 3] = erf(x) @ Erf_0"#,
        ),
        case(
            14,
            unary("HardSwish"),
            &two[..1],
            r#"y: f32[2, 3] = hard_swish(x) @ HardSwish_0"#,
        ),
        case(
            7,
            binary("Sub"),
            &two,
            r#"y: f32[2, 3] = sub(x, a) @ Sub_0"#,
        ),
        case(
            16,
            binary("GreaterOrEqual"),
            &two,
            r#"y: bool[2, 3] = greater_equal(x, a) @ GreaterOrEqual_0"#,
        ),
        case(
            7,
            binary("Xor"),
            &bools,
            r#"y: bool[2] = xor(x, a) @ Xor_0"#,
        ),
    ]);
}

#[test]
fn elementwise_ops_with_attributes() {
    let two = [x(&["2", "3"])];
    let unary = |op| node(op, &["x"], &["y"]);
    check(vec![
        case(
            7,
            unary("LeakyRelu").named("act").float("alpha", 0.25),
            &two,
            r#"y: f32[2, 3] = leaky_relu(x, alpha = 0.25) @ act"#,
        ),
        case(
            7,
            unary("HardSigmoid"),
            &two,
            r#"y: f32[2, 3] = hard_sigmoid(x, alpha = 0.2, beta = 0.5) @ HardSigmoid_0"#,
        ),
        case(
            20,
            unary("Gelu"),
            &two,
            r#"y: f32[2, 3] = gelu(x) @ Gelu_0"#,
        ),
        case(
            20,
            unary("Gelu").text("approximate", "tanh"),
            &two,
            r#"y: f32[2, 3] = gelu_tanh(x) @ Gelu_0"#,
        ),
        case(
            24,
            unary("Swish"),
            &two,
            r#"y: f32[2, 3] = silu(x) @ Swish_0"#,
        ),
        case(
            24,
            unary("Swish").float("alpha", 2.0),
            &two,
            r#"const y.const: f32[] = {2}
               y.mul: f32[2, 3] = mul(x, y.const) @ Swish_0
               y.sigmoid: f32[2, 3] = sigmoid(y.mul) @ Swish_0
               y: f32[2, 3] = mul(x, y.sigmoid) @ Swish_0"#,
        ),
        case(
            13,
            unary("Cast").int("to", 7),
            &two,
            r#"y: i64[2, 3] = cast(x, to = i64) @ Cast_0"#,
        ),
        case(
            19,
            unary("Cast").int("to", 10).int("saturate", 0),
            &two,
            r#"y: f16[2, 3] = cast(x, to = f16) @ Cast_0"#,
        ),
    ]);
}

#[test]
fn clip_takes_attributes_or_inputs() {
    let input = [x(&["4"])];
    check(vec![
        case(
            6 + 1,
            node("Clip", &["x"], &["y"]).float("max", 6.0),
            &input,
            r#"const y.const: f32[] = {6}
               y: f32[4] = clip(x, _, y.const) @ Clip_0"#,
        ),
        case(
            10,
            node("Clip", &["x"], &["y"]),
            &input,
            r#"y: f32[4] = clip(x) @ Clip_0"#,
        ),
        case(
            11,
            node("Clip", &["x", "", "hi"], &["y"]),
            &input,
            r#"y: f32[4] = clip(x, _, hi) @ Clip_0"#,
        )
        .with(floats("hi", &[], &[6.0])),
        case(
            13,
            node("Clip", &["x", "lo", ""], &["y"]),
            &input,
            r#"y: f32[4] = clip(x, lo) @ Clip_0"#,
        )
        .with(floats("lo", &[], &[0.0])),
    ]);
}

#[test]
fn pow_gives_the_type_of_the_base() {
    let exponent = |elem| [x(&["2"]), port("a", elem, &["2"])];
    let base = [port("x", INT32, &["2"]), port("a", FLOAT, &["2"])];
    let pow = || node("Pow", &["x", "a"], &["y"]);
    check(vec![
        case(
            7,
            pow(),
            &exponent(FLOAT),
            r#"y: f32[2] = pow(x, a) @ Pow_0"#,
        ),
        case(
            12,
            pow(),
            &exponent(INT64),
            r#"y.cast: f32[2] = cast(a, to = f32) @ Pow_0
               y: f32[2] = pow(x, y.cast) @ Pow_0"#,
        ),
        case(
            15,
            pow(),
            &base,
            r#"y.cast: f64[2] = cast(x, to = f64) @ Pow_0
               y.cast_3: f64[2] = cast(a, to = f64) @ Pow_0
               y.pow: f64[2] = pow(y.cast, y.cast_3) @ Pow_0
               y: i32[2] = cast(y.pow, to = i32) @ Pow_0"#,
        ),
    ]);
}

#[test]
fn variadic_ops_are_chains() {
    let input = [x(&["2"])];
    check(vec![
        case(
            13,
            node("Max", &["x"], &["y"]),
            &input,
            r#"y: f32[2] = identity(x) @ Max_0"#,
        ),
        case(
            13,
            node("Min", &["x", "x"], &["y"]),
            &input,
            r#"y: f32[2] = min(x, x) @ Min_0"#,
        ),
        case(
            13,
            node("Mean", &["x", "x", "x"], &["y"]),
            &input,
            r#"y.add: f32[2] = add(x, x) @ Mean_0
               y.add_2: f32[2] = add(y.add, x) @ Mean_0
               const y.const: f32[] = {3}
               y: f32[2] = div(y.add_2, y.const) @ Mean_0"#,
        ),
    ]);
}
