//! Methods of values that compute: functions and activations against formulas in f64; integers, reductions, windows and
//! losses against numbers worked out by hand; at once and captured.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::Error;
use tenfold::graph::op::{Pad, Window};
use tenfold::prelude::*;
use tests::{Seeded, both};

fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    Tensor::from_vec_row_major(shape, elements.to_vec()).unwrap()
}

fn i32s(shape: &[usize], elements: &[i32]) -> Tensor {
    Tensor::from_vec_row_major(shape, elements.to_vec()).unwrap()
}

/// Both ways give this type and, to within some ULP of f32, these elements.
fn check(
    inputs: &[Tensor],
    op: impl Fn(&[Value]) -> Result<Value, Error>,
    ty: &str,
    want: &[f64],
    ulps: f64,
) {
    let got = both(inputs, op).unwrap();
    assert_eq!(format!("{}{:?}", got.dtype(), got.shape()), ty);
    let elements = got.cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(elements.len(), want.len());
    for (at, (&got, &want)) in elements.iter().zip(want).enumerate() {
        let step = want.abs().max(f64::from(f32::MIN_POSITIVE)) * f64::from(f32::EPSILON);
        let near = (got - want).abs() <= ulps * step;
        let same = got == want || f64::from(want as f32) == got || (got.is_nan() && want.is_nan());
        assert!(near || same, "element {at}: {got:e}, expected {want:e}");
    }
}

fn refuse(inputs: &[Tensor], op: impl Fn(&[Value]) -> Result<Value, Error>, words: &[&str]) {
    let text = both(inputs, op).unwrap_err().to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

/// A method of one operand is its formula between these bounds.
fn check_formula(
    op: fn(&Value) -> Result<Value, Error>,
    formula: fn(f64) -> f64,
    (low, high): (f64, f64),
    ulps: f64,
) {
    let mut random = Seeded::new(613);
    let mut x: Vec<f32> = (0..97).map(|_| random.uniform(low, high) as f32).collect();
    x.push(f32::NAN);
    let want: Vec<f64> = x.iter().map(|&x| formula(x.into())).collect();
    check(&[f32s(&[98], &x)], |v| op(&v[0]), "f32[98]", &want, ulps);
}

#[test]
fn functions_of_angles_and_hyperbolas() {
    let half = std::f64::consts::FRAC_PI_2 - 0.1;
    check_formula(Value::tan, f64::tan, (-half, half), 6.0);
    check_formula(Value::asin, f64::asin, (-1.0, 1.0), 6.0);
    check_formula(Value::acos, f64::acos, (-1.0, 0.9), 6.0);
    check_formula(Value::atan, f64::atan, (-9.0, 9.0), 6.0);
    check_formula(Value::sinh, f64::sinh, (-9.0, 9.0), 6.0);
    check_formula(Value::cosh, f64::cosh, (-9.0, 9.0), 6.0);
    check_formula(Value::asinh, f64::asinh, (-9.0, 9.0), 6.0);
    check_formula(Value::acosh, f64::acosh, (1.1, 9.0), 6.0);
    check_formula(Value::atanh, f64::atanh, (-0.9, 0.9), 6.0);
    check_formula(Value::square, |x| x * x, (-9.0, 9.0), 0.5);
    check_formula(Value::rsqrt, |x| 1.0 / x.sqrt(), (0.1, 9.0), 2.0);
    let odd = [f32s(
        &[4],
        &[1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY],
    )];
    check(
        &odd,
        |v| v[0].is_nan(),
        "bool[4]",
        &[0.0, 1.0, 0.0, 0.0],
        0.0,
    );
    check(
        &odd,
        |v| v[0].is_inf(),
        "bool[4]",
        &[0.0, 0.0, 1.0, 1.0],
        0.0,
    );
    check(
        &odd,
        |v| v[0].not_equal(&v[0]),
        "bool[4]",
        &[0.0, 1.0, 0.0, 0.0],
        0.0,
    );
    refuse(&[i32s(&[1], &[1])], |v| v[0].tan(), &["tan", "i32"]);
}

#[test]
fn activations_are_their_formulas() {
    let both_signs = (-8.0, 8.0);
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    check_formula(
        |x| x.elu(1.5),
        |x| if x < 0.0 { 1.5 * x.exp_m1() } else { x },
        both_signs,
        32.0,
    );
    check_formula(
        |x| x.celu(2.0),
        |x| if x < 0.0 { 2.0 * (x / 2.0).exp_m1() } else { x },
        both_signs,
        32.0,
    );
    check_formula(
        Value::selu,
        |x| 1.050_701 * if x < 0.0 { 1.673_263_2 * x.exp_m1() } else { x },
        both_signs,
        32.0,
    );
    // Where the result is small, 1 + e^x has lost digits.
    check_formula(Value::softplus, softplus, (-2.0, 8.0), 32.0);
    check_formula(Value::softsign, |x| x / (1.0 + x.abs()), both_signs, 4.0);
    let mish = |x: f64| x * (x.max(0.0) + (-x.abs()).exp().ln_1p()).tanh();
    check_formula(Value::mish, mish, (-2.0, 8.0), 64.0);
    check_formula(
        |x| x.thresholded_relu(1.0),
        |x| if x <= 1.0 { 0.0 } else { x },
        both_signs,
        0.0,
    );
    check_formula(
        |x| x.hard_sigmoid(0.25, 0.5),
        |x| {
            if x.is_nan() {
                x
            } else {
                (0.25 * x + 0.5).clamp(0.0, 1.0)
            }
        },
        both_signs,
        64.0,
    );
    let x = [f32s(&[5], &[-2.0, -0.5, 0.0, 0.5, 2.0])];
    check(
        &x,
        |v| v[0].shrink(1.0, 1.0),
        "f32[5]",
        &[-1.0, 0.0, 0.0, 0.0, 1.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].leaky_relu(0.25),
        "f32[5]",
        &[-0.5, -0.125, 0.0, 0.5, 2.0],
        0.0,
    );
    let slopes = f32s(&[2, 1], &[0.5, 2.0]);
    let [x] = x;
    let want = [-1.0, -0.25, 0.0, 0.5, 2.0, -4.0, -1.0, 0.0, 0.5, 2.0];
    check(&[x, slopes], |v| v[0].prelu(&v[1]), "f32[2, 5]", &want, 0.0);
}

#[test]
fn remainders_and_bits_of_integers() {
    let pair = [i32s(&[4], &[7, -7, 7, -7]), i32s(&[4], &[3, 3, -3, 0])];
    check(
        &pair,
        |v| v[0].modulo(&v[1]),
        "i32[4]",
        &[1.0, 2.0, -2.0, 0.0],
        0.0,
    );
    check(
        &pair,
        |v| v[0].rem(&v[1]),
        "i32[4]",
        &[1.0, -1.0, 1.0, 0.0],
        0.0,
    );
    check(
        &pair,
        |v| v[0].modulo_scalar(4.0),
        "i32[4]",
        &[3.0, 1.0, 3.0, 1.0],
        0.0,
    );
    check(
        &pair,
        |v| v[0].rem_scalar(4.0),
        "i32[4]",
        &[3.0, -3.0, 3.0, -3.0],
        0.0,
    );
    let bits = [i32s(&[3], &[0b1100, 1, -1]), i32s(&[3], &[0b1010, 4, 31])];
    check(
        &bits,
        |v| v[0].bitwise_and(&v[1]),
        "i32[3]",
        &[8.0, 0.0, 31.0],
        0.0,
    );
    check(
        &bits,
        |v| v[0].bitwise_or(&v[1]),
        "i32[3]",
        &[14.0, 5.0, -1.0],
        0.0,
    );
    check(
        &bits,
        |v| v[0].bitwise_xor(&v[1]),
        "i32[3]",
        &[6.0, 5.0, -32.0],
        0.0,
    );
    check(
        &bits,
        |v| v[0].bitwise_not(),
        "i32[3]",
        &[-13.0, -2.0, 0.0],
        0.0,
    );
    let want = [f64::from(12 << 10), 16.0, f64::from(i32::MIN)];
    check(&bits, |v| v[0].shift_left(&v[1]), "i32[3]", &want, 0.0);
    check(
        &bits,
        |v| v[0].shift_right(&v[1]),
        "i32[3]",
        &[0.0, 0.0, -1.0],
        0.0,
    );
    let floats = [f32s(&[1], &[1.5])];
    refuse(&floats, |v| v[0].bitwise_not(), &["bitwise_not", "f32"]);
    check(
        &floats,
        |v| v[0].modulo_scalar(-1.0),
        "f32[1]",
        &[-0.5],
        0.0,
    );
}

#[test]
fn comparisons_with_a_number() {
    let x = [f32s(&[4], &[1.0, 2.0, 3.0, f32::NAN])];
    check(
        &x,
        |v| v[0].equal_scalar(2.0),
        "bool[4]",
        &[0.0, 1.0, 0.0, 0.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].less_equal_scalar(2.0),
        "bool[4]",
        &[1.0, 1.0, 0.0, 0.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].greater_equal_scalar(2.0),
        "bool[4]",
        &[0.0, 1.0, 1.0, 0.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].less_scalar(2.0),
        "bool[4]",
        &[1.0, 0.0, 0.0, 0.0],
        0.0,
    );
}

#[test]
fn reductions_beyond_sums() {
    let e = std::f64::consts::E;
    let low = f32::NEG_INFINITY;
    let x = [f32s(&[2, 2], &[1000.0, 1001.0, low, low])];
    let want = [1001.0 + (1.0 + 1.0 / e).ln(), f64::NEG_INFINITY];
    check(&x, |v| v[0].log_sum_exp(1, false), "f32[2]", &want, 1.0);
    check(&x, |v| v[0].log_sum_exp(-1, true), "f32[2, 1]", &want, 1.0);
    let x = [f32s(&[2, 4], &[1.0, 2.0, 3.0, 6.0, 5.0, 5.0, 5.0, 5.0])];
    check(
        &x,
        |v| v[0].variance(&[1], false),
        "f32[2]",
        &[3.5, 0.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].variance(&[0, 1], true),
        "f32[1, 1]",
        &[2.75],
        0.0,
    );
    check(
        &x,
        |v| v[0].prod_axes(&[1], false),
        "f32[2]",
        &[36.0, 625.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].greater_scalar(4.0)?.any(&[1], false),
        "bool[2]",
        &[1.0, 1.0],
        0.0,
    );
    check(
        &x,
        |v| v[0].greater_scalar(4.0)?.all(&[1], true),
        "bool[2, 1]",
        &[0.0, 1.0],
        0.0,
    );
    refuse(&x, |v| v[0].all(&[1], true), &["all", "bools"]);
    let none = [f32s(&[0], &[])];
    check(
        &none,
        |v| v[0].greater_scalar(4.0)?.any(&[0], false),
        "bool[]",
        &[0.0],
        0.0,
    );
    check(
        &none,
        |v| v[0].greater_scalar(4.0)?.all(&[0], false),
        "bool[]",
        &[1.0],
        0.0,
    );
}

#[test]
fn determinants_of_matrices() {
    let x = [f32s(&[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 1.0, 0.0])];
    check(&x, |v| v[0].det(), "f32[2]", &[-2.0, -1.0], 1.0);
    let wide = [f32s(&[2, 3], &[0.0; 6])];
    refuse(&wide, |v| v[0].det(), &["det", "f32[2, 3]"]);
}

#[test]
fn losses_and_statistics() {
    let pair = [f32s(&[2], &[1.0, 4.0]), f32s(&[2], &[3.0, 3.0])];
    check(&pair, |v| v[0].mse_loss(&v[1]), "f32[]", &[2.5], 0.0);
    // Equal scores: every class has probability 1 / 4; then one of odds 3 to 1.
    let three = 3.0_f32.ln();
    let scores = f32s(&[2, 2], &[0.0, 0.0, three, 0.0]);
    let classes = i32s(&[2], &[1, 0]);
    let want = (2.0_f64.ln() + (4.0_f64 / 3.0).ln()) / 2.0;
    check(
        &[scores, classes],
        |v| v[0].cross_entropy(&v[1]),
        "f32[]",
        &[want],
        8.0,
    );
    refuse(
        &pair,
        |v| v[0].cross_entropy(&v[1]),
        &["cross_entropy", "f32[2]"],
    );
    let x = f32s(&[1, 2, 2], &[1.0, 3.0, 5.0, 9.0]);
    let parameters = [
        f32s(&[2], &[2.0, 1.0]),
        f32s(&[2], &[0.5, -1.0]),
        f32s(&[2], &[1.0, 5.0]),
        f32s(&[2], &[4.0, 16.0]),
    ];
    let [scale, bias, mean, variance] = parameters;
    let inputs = [x, scale, bias, mean, variance];
    let norm = |v: &[Value]| v[0].batch_norm(&v[1], &v[2], &v[3], &v[4], 0.0);
    check(&inputs, norm, "f32[1, 2, 2]", &[0.5, 2.5, -1.0, 0.0], 1.0);
}

#[test]
fn windows_that_grow() {
    // Each element adds a kernel: 1 2 0 0 + 0 0 3 6 with stride 2, overlapping with stride 1.
    let inputs = [f32s(&[1, 1, 2], &[1.0, 3.0]), f32s(&[1, 1, 2], &[1.0, 2.0])];
    check(
        &inputs,
        |v| v[0].conv_transpose1d(&v[1], None, 2, 0),
        "f32[1, 1, 4]",
        &[1.0, 2.0, 3.0, 6.0],
        0.0,
    );
    check(
        &inputs,
        |v| v[0].conv_transpose1d(&v[1], None, 1, 0),
        "f32[1, 1, 3]",
        &[1.0, 5.0, 6.0],
        0.0,
    );
    check(
        &inputs,
        |v| v[0].conv_transpose1d(&v[1], None, 1, 1),
        "f32[1, 1, 1]",
        &[5.0],
        0.0,
    );
    let image = [
        f32s(&[1, 1, 1, 2], &[1.0, 2.0]),
        f32s(&[1, 1, 2, 2], &[1.0, 0.0, 0.0, 1.0]),
        f32s(&[1], &[10.0]),
    ];
    let grown = |v: &[Value]| v[0].conv_transpose2d(&v[1], Some(&v[2]), 1, 0);
    check(
        &image,
        grown,
        "f32[1, 1, 2, 3]",
        &[11.0, 12.0, 10.0, 10.0, 11.0, 12.0],
        0.0,
    );
    refuse(
        &inputs,
        |v| v[0].conv_transpose1d(&v[1], None, 1, 3),
        &["conv_transpose"],
    );
    refuse(
        &inputs,
        |v| v[0].conv_transpose1d(&v[1], None, 0, 0),
        &["conv_transpose", "strides"],
    );
}

#[test]
fn windows_that_go_channel_by_channel() {
    let depthwise = [
        f32s(&[1, 2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        f32s(&[2, 1, 2], &[1.0, 1.0, 1.0, -1.0]),
    ];
    let dilated = Window {
        strides: vec![1],
        dilations: vec![2],
        pad: Pad::Explicit {
            begin: vec![0],
            end: vec![0],
        },
    };
    let apart = |v: &[Value]| v[0].convolve(&v[1], None, dilated.clone(), 2);
    check(&depthwise, apart, "f32[1, 2, 1]", &[4.0, -2.0], 0.0);
    let x = &depthwise[..1];
    check(
        x,
        |v| v[0].max_pool1d(2, 1, 0),
        "f32[1, 2, 2]",
        &[2.0, 3.0, 5.0, 6.0],
        0.0,
    );
    check(
        x,
        |v| v[0].avg_pool1d(2, 2, 1),
        "f32[1, 2, 2]",
        &[1.0, 2.5, 4.0, 5.5],
        0.0,
    );
    check(
        x,
        |v| v[0].global_max_pool(),
        "f32[1, 2, 1]",
        &[3.0, 6.0],
        0.0,
    );
    check(
        x,
        |v| v[0].global_avg_pool(),
        "f32[1, 2, 1]",
        &[2.0, 5.0],
        0.0,
    );
    refuse(
        x,
        |v| v[0].squeeze(0)?.global_avg_pool(),
        &["global_avg_pool", "f32[2, 3]"],
    );
}

/// Attention by its formula in f64, for one head.
fn attention(
    q: &[f64],
    k: &[f64],
    v: &[f64],
    d: usize,
    hidden: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let keys = k.len() / d;
    let width = v.len() / keys;
    let row = |nth: usize| {
        let weight = |key: usize| {
            let products = q[nth * d..][..d].iter().zip(&k[key * d..][..d]);
            let score: f64 = products.map(|(q, k)| q * k).sum();
            if hidden(nth, key) {
                0.0
            } else {
                (score / (d as f64).sqrt()).exp()
            }
        };
        let weights: Vec<f64> = (0..keys).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        (0..width)
            .map(move |column| {
                let all = weights.iter().enumerate();
                let mixed: f64 = all.map(|(key, w)| w * v[key * width + column]).sum();
                if sum == 0.0 { 0.0 } else { mixed / sum }
            })
            .collect::<Vec<f64>>()
    };
    (0..q.len() / d).flat_map(row).collect()
}

#[test]
fn i60_i61_attention_has_no_edges_and_what_sees_nothing_gives_0() {
    let wide = |tensor: &Tensor| -> Vec<f64> {
        let elements = tensor.to_vec::<f32>().unwrap();
        elements.into_iter().map(f64::from).collect()
    };
    for (keys, d) in [(2048, 4), (2049, 4), (5, 512), (5, 513)] {
        let mut random = Seeded::new(60);
        let mut draw = |shape: &[usize]| {
            let count = shape.iter().product();
            let elements: Vec<f32> = (0..count)
                .map(|_| random.uniform(-1.0, 1.0) as f32)
                .collect();
            f32s(shape, &elements)
        };
        let inputs = [draw(&[1, 2, d]), draw(&[1, keys, d]), draw(&[1, keys, 3])];
        let [q, k, v] = inputs.each_ref().map(&wide);
        let got = both(&inputs, |v| v[0].attention(&v[1], &v[2], None)).unwrap();
        for (got, want) in wide(&got)
            .iter()
            .zip(attention(&q, &k, &v, d, |_, _| false))
        {
            assert!(
                (got - want).abs() < 2e-6,
                "{keys} keys of width {d}: {got}, not {want}"
            );
        }
    }
    let low = f32::NEG_INFINITY;
    let q = f32s(&[3, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let v = f32s(&[3, 1], &[1.0, 2.0, 4.0]);
    // The first query sees nothing, the second one key, the third the first two.
    let mask = f32s(&[3, 3], &[low, low, low, low, low, 0.0, 0.0, 0.0, low]);
    let seen = |query: usize, key: usize| {
        [[true; 3], [true, true, false], [false, false, true]][query][key]
    };
    let want = attention(&wide(&q), &wide(&q), &wide(&v), 2, seen);
    assert_eq!(want[..2], [0.0, 4.0]);
    let inputs = [q, v, mask];
    let masked = |v: &[Value]| v[0].attention(&v[0], &v[1], Some(&v[2]));
    check(&inputs, masked, "f32[3, 1]", &want, 4.0);
}
