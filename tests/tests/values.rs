//! Eager values, row by row of what was asked for; oracles are formulas in f64.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::Error;
use tenfold::prelude::*;
use tests::Seeded;

fn tf() -> Tf {
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    };
    Tf::new(&options).unwrap()
}

/// Numbers from `low` to `high`, exact in f32.
fn numbers(count: usize, low: f64, high: f64) -> Vec<f32> {
    let mut random = Seeded::new(0x5eed ^ count as u64);
    let draw = |_| random.uniform(low, high) as f32;
    (0..count).map(draw).collect()
}

fn f32s(value: &Value) -> Vec<f32> {
    value.to_vec().unwrap()
}

/// Whether every element is within some ULP of the f64 formula, or the same NaN or infinity.
fn assert_close(got: &[f32], want: &[f64], ulps: f64) {
    assert_eq!(got.len(), want.len());
    for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
        let rounded = want as f32;
        let same = got == rounded || (got.is_nan() && rounded.is_nan());
        let step = f64::from(rounded.abs().max(f32::MIN_POSITIVE)) * f64::from(f32::EPSILON);
        let near = (f64::from(got) - want).abs() <= ulps * step;
        assert!(same || near, "element {at}: {got:e}, expected {want:e}");
    }
}

fn check_unary(
    op: fn(&Value) -> Result<Value, Error>,
    formula: fn(f64) -> f64,
    low: f64,
    high: f64,
    ulps: f64,
) {
    let tf = tf();
    let mut x = numbers(613, low, high);
    x.extend([0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    let want: Vec<f64> = x.iter().map(|&x| formula(x.into())).collect();
    let value = tf.values([x.len()], x).unwrap();
    assert_close(&f32s(&op(&value).unwrap()), &want, ulps);
}

type Binary = fn(&Value, &Value) -> Result<Value, Error>;

fn check_binary(op: Binary, formula: fn(f64, f64) -> f64) {
    let tf = tf();
    let (a, b) = (numbers(35, -4.0, 4.0), numbers(7, 0.5, 4.0));
    let want = |swap: bool| -> Vec<f64> {
        let pair = |i: usize| {
            let (a, b) = (f64::from(a[i]), f64::from(b[i % 7]));
            if swap { formula(b, a) } else { formula(a, b) }
        };
        (0..35).map(pair).collect()
    };
    let rows = tf.values([5, 7], a.clone()).unwrap();
    let row = tf.values([7], b.clone()).unwrap();
    assert_close(&f32s(&op(&rows, &row).unwrap()), &want(false), 0.5);
    assert_close(&f32s(&op(&row, &rows).unwrap()), &want(true), 0.5);
}

#[test]
fn i02_i03_i04_i05_i06_binary_ops_broadcast_both_ways() {
    check_binary(Value::add, |a, b| a + b);
    check_binary(Value::sub, |a, b| a - b);
    check_binary(Value::mul, |a, b| a * b);
    check_binary(Value::div, |a, b| a / b);
    let tf = tf();
    let ones = tf.values([3], vec![1.0_f32, -1.0, 0.0]).unwrap();
    let quotient = f32s(&ones.div(&tf.scalar(0.0_f32)).unwrap());
    assert_eq!(quotient[..2], [f32::INFINITY, f32::NEG_INFINITY]);
    assert!(quotient[2].is_nan());
}

#[test]
fn i07_i08_i09_i10_i23_i25_i26_ops_with_a_number() {
    let tf = tf();
    let x = numbers(97, 0.5, 4.0);
    let value = tf.values([97], x.clone()).unwrap();
    let check = |got: Result<Value, Error>, formula: &dyn Fn(f64) -> f64| {
        let want: Vec<f64> = x.iter().map(|&x| formula(x.into())).collect();
        assert_close(&f32s(&got.unwrap()), &want, 4.0);
    };
    check(&value + 1.5, &|x| x + 1.5);
    check(&value - 1.5, &|x| x - 1.5);
    check(&value * 1.5, &|x| x * 1.5);
    check(&value / 1.5, &|x| x / 1.5);
    check(value.pow_scalar(2.5), &|x| x.powf(2.5));
    check(value.maximum_scalar(2.0), &|x| x.max(2.0));
    check(value.minimum_scalar(2.0), &|x| x.min(2.0));
    let negative = tf.values([2], vec![-2.0_f32, -3.0]).unwrap();
    assert_eq!(f32s(&negative.pow_scalar(3.0).unwrap()), [-8.0, -27.0]);
    let nan = tf.scalar(f32::NAN);
    assert!(f32s(&nan.maximum_scalar(1.0).unwrap())[0].is_nan());
}

#[test]
fn i11_to_i22_unary_ops_are_their_formulas() {
    check_unary(Value::neg, |x| -x, -4.0, 4.0, 0.0);
    check_unary(Value::abs, f64::abs, -4.0, 4.0, 0.0);
    check_unary(Value::sqrt, f64::sqrt, -1.0, 9.0, 0.5);
    check_unary(Value::exp, f64::exp, -87.0, 87.0, 2.0);
    check_unary(Value::log, f64::ln, -1.0, 9.0, 2.0);
    check_unary(Value::sin, f64::sin, -3.0, 3.0, 4.0);
    check_unary(Value::cos, f64::cos, -1.5, 1.5, 4.0);
    check_unary(Value::tanh, f64::tanh, -30.0, 30.0, 4.0);
    let relu = |x: f64| if x.is_nan() { x } else { x.max(0.0) };
    check_unary(Value::relu, relu, -4.0, 4.0, 0.0);
    check_unary(
        Value::sigmoid,
        |x| 1.0 / (1.0 + (-x).exp()),
        -87.0,
        87.0,
        4.0,
    );
}

#[test]
fn i21_the_gelu_of_gpt2_is_the_tanh_form() {
    let tanh_form = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
        0.5 * x * (1.0 + inner.tanh())
    };
    let tf = tf();
    let x = numbers(301, 0.0, 5.0);
    let want: Vec<f64> = x.iter().map(|&x| tanh_form(x.into())).collect();
    let value = tf.values([301], x).unwrap();
    assert_close(&f32s(&value.gelu_tanh().unwrap()), &want, 16.0);
}

#[test]
fn i24_i27_clamp_and_select() {
    let tf = tf();
    let x = tf.values([4], vec![-2.0_f32, 0.5, 3.0, f32::NAN]).unwrap();
    let clamped = f32s(&x.clamp(-1.0, 1.0).unwrap());
    assert_eq!(clamped[..3], [-1.0, 0.5, 1.0]);
    assert!(clamped[3].is_nan());
    // Where the bounds cross, the upper one counts.
    assert_eq!(f32s(&x.clamp(1.0, -1.0).unwrap())[0], -1.0);
    let (yes, no) = (tf.scalar(1.0_f32), tf.scalar(2.0_f32));
    let positive = x.greater_scalar(0.0).unwrap();
    assert_eq!(positive.dtype(), DType::Bool);
    assert_eq!(
        f32s(&positive.select(&yes, &no).unwrap()),
        [2.0, 1.0, 1.0, 2.0]
    );
}

#[test]
fn i28_i29_i75_products_accumulate_and_refuse_what_does_not_fit() {
    let tf = tf();
    let (a, b) = (numbers(6 * 17, -1.0, 1.0), numbers(17 * 5, -1.0, 1.0));
    let entry = |i: usize, j: usize| -> f64 {
        (0..17)
            .map(|k| f64::from(a[i * 17 + k]) * f64::from(b[k * 5 + j]))
            .sum()
    };
    let want: Vec<f64> = (0..30).map(|at| entry(at / 5, at % 5)).collect();
    let left = tf.values([6, 17], a.clone()).unwrap();
    let right = tf.values([17, 5], b.clone()).unwrap();
    for (got, want) in f32s(&left.matmul(&right).unwrap()).iter().zip(&want) {
        assert!((f64::from(*got) - want).abs() < 1e-5);
    }
    let batch = left.reshape([3, 2, 17]).unwrap().matmul(&right).unwrap();
    assert_eq!(batch.ty().to_string(), "f32[3, 2, 5]");
    let error = left.matmul(&left).unwrap_err().to_string();
    assert!(error.contains("f32[6, 17]"), "{error}");
    let (x, y) = (
        tf.values([3], vec![1.0_f32, 2.0, 3.0]).unwrap(),
        tf.values([3], vec![4.0_f32, 5.0, 6.0]).unwrap(),
    );
    assert_eq!(f32s(&x.dot(&y).unwrap()), [32.0]);
    assert!(left.dot(&x).is_err());
}

#[test]
fn i30_to_i35_views_copy_nothing_and_concat_joins() {
    let tf = tf();
    let x = tf.values([2, 3], (0..6).collect::<Vec<i32>>()).unwrap();
    let ints = |value: &Value| value.to_vec::<i32>().unwrap();
    let transposed = x.transpose().unwrap();
    assert_eq!(ints(&transposed), [0, 3, 1, 4, 2, 5]);
    assert!(
        transposed
            .tensor()
            .unwrap()
            .shares_storage_with(x.tensor().unwrap())
    );
    assert_eq!(ints(&transposed.reshape([6]).unwrap()), [0, 3, 1, 4, 2, 5]);
    assert_eq!(ints(&x.flatten().unwrap()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(ints(&x.slice(1, -2, 99).unwrap()), [1, 2, 4, 5]);
    assert_eq!(
        ints(&x.slice_step(1, -1, -99, -1).unwrap()),
        [2, 1, 0, 5, 4, 3]
    );
    assert_eq!(x.slice(1, 2, 1).unwrap().ty().to_string(), "i32[2, 0]");
    let y = x.slice(0, 0, 1).unwrap();
    assert_eq!(ints(&x.concat(&[&y, &y], 0).unwrap()).len(), 12);
    for error in [
        x.permute(&[0, 0]).unwrap_err(),
        x.reshape([4]).unwrap_err(),
        x.concat(&[&y], 1).unwrap_err(),
    ] {
        assert!(error.to_string().contains("i32[2, 3]"), "{error}");
    }
    let error = x.slice(2, 0, 1).unwrap_err().to_string();
    assert!(
        error.contains("axes = 2") && error.contains("rank 2"),
        "{error}"
    );
}

#[test]
fn i36_to_i41_softmax_and_norms() {
    let tf = tf();
    let x = numbers(12, -5.0, 5.0);
    let value = tf.values([3, 4], x.clone()).unwrap();
    let row = |i: usize| x[i * 4..][..4].iter().map(|&x| f64::from(x));
    let softmax = |i: usize| {
        let sum: f64 = row(i).map(f64::exp).sum();
        row(i).map(move |x| x.exp() / sum)
    };
    let want: Vec<f64> = (0..3).flat_map(softmax).collect();
    assert_close(&f32s(&value.softmax(-1).unwrap()), &want, 16.0);
    let logs: Vec<f64> = want.iter().map(|p| p.ln()).collect();
    for (got, want) in f32s(&value.log_softmax(1).unwrap()).iter().zip(&logs) {
        assert!((f64::from(*got) - want).abs() < 1e-5);
    }
    // A large mean must not eat the variance.
    let shifted = value.add_scalar(1000.0).unwrap();
    let shifted_x = f32s(&shifted);
    let normal = |i: usize| {
        let row: Vec<f64> = shifted_x[i * 4..][..4].iter().map(|&x| x.into()).collect();
        let mean = row.iter().sum::<f64>() / 4.0;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
        row.into_iter()
            .map(move |x| (x - mean) / (variance + 1e-5_f64).sqrt())
    };
    let want: Vec<f64> = (0..3).flat_map(normal).collect();
    for (got, want) in f32s(&shifted.layer_norm(None, None, 1e-5).unwrap())
        .iter()
        .zip(&want)
    {
        assert!((f64::from(*got) - want).abs() < 1e-4, "{got} {want}");
    }
    let scale = tf.values([4], vec![2.0_f32; 4]).unwrap();
    let rms = |i: usize| {
        let mean = row(i).map(|x| x * x).sum::<f64>() / 4.0;
        row(i).map(move |x| 2.0 * x / (mean + 1e-6).sqrt())
    };
    let want: Vec<f64> = (0..3).flat_map(rms).collect();
    assert_close(
        &f32s(&value.rms_norm(Some(&scale), 1e-6).unwrap()),
        &want,
        8.0,
    );
}

#[test]
fn i42_to_i47_windows() {
    let tf = tf();
    let x = tf
        .values([1, 1, 5], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0])
        .unwrap();
    let w = tf.values([1, 1, 3], vec![1.0_f32, 0.0, -1.0]).unwrap();
    let bias = tf.values([1], vec![10.0_f32]).unwrap();
    assert_eq!(f32s(&x.conv1d(&w, None, 1, 0).unwrap()), [-2.0, -2.0, -2.0]);
    assert_eq!(
        f32s(&x.conv1d(&w, Some(&bias), 2, 1).unwrap()),
        [8.0, 8.0, 14.0]
    );
    let image = tf.values([1, 1, 8, 8], vec![1.0_f32; 64]).unwrap();
    let box3 = tf.values([1, 1, 3, 3], vec![1.0_f32; 9]).unwrap();
    let smooth = image.conv2d(&box3, Some(&bias), 1, 0).unwrap();
    assert_eq!(smooth.ty().to_string(), "f32[1, 1, 6, 6]");
    assert!(f32s(&smooth).iter().all(|&y| y == 19.0));
    let ramp = tf
        .values([1, 1, 2, 2], vec![-1.0_f32, -2.0, -3.0, -4.0])
        .unwrap();
    // Padding is left out: neither a zero nor a term of the mean.
    assert_eq!(
        f32s(&ramp.max_pool2d(2, 2, 1).unwrap()),
        [-1.0, -2.0, -3.0, -4.0]
    );
    assert_eq!(f32s(&ramp.avg_pool2d(2, 1, 1).unwrap())[4], -2.5);
}

#[test]
fn i49_i50_tables_are_read_by_integers_that_a_cast_gives() {
    let tf = tf();
    let table = tf
        .values([3, 2], vec![0.0_f32, 1.0, 10.0, 11.0, 20.0, 21.0])
        .unwrap();
    let rows = tf
        .values([2], vec![2.9_f32, -1.5])
        .unwrap()
        .cast(DType::I32)
        .unwrap();
    assert_eq!(rows.to_vec::<i32>().unwrap(), [2, -1]);
    assert_eq!(
        f32s(&table.embedding(&rows).unwrap()),
        [20.0, 21.0, 20.0, 21.0]
    );
    let beyond = tf.values([1], vec![3_i32]).unwrap();
    let error = table.embedding(&beyond).unwrap_err().to_string();
    assert!(error.contains('3'), "{error}");
}

#[test]
fn i52_to_i59_reductions_over_axes_and_over_all() {
    let tf = tf();
    let x = tf
        .values([2, 3], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, -6.0])
        .unwrap();
    assert_eq!(f32s(&x.sum_axes(&[1], false).unwrap()), [6.0, 3.0]);
    assert_eq!(
        x.sum_axes(&[-1], true).unwrap().ty().to_string(),
        "f32[2, 1]"
    );
    assert_eq!(f32s(&x.mean_axes(&[0], false).unwrap()), [2.5, 3.5, -1.5]);
    assert_eq!(f32s(&x.min_axes(&[1], false).unwrap()), [1.0, -6.0]);
    assert_eq!(f32s(&x.max_axes(&[0], false).unwrap()), [4.0, 5.0, 3.0]);
    assert_eq!(f32s(&x.sum().unwrap()), [9.0]);
    assert_eq!(f32s(&x.mean().unwrap()), [1.5]);
    let none = tf.zeros(DType::F32, [0]).unwrap();
    assert_eq!(f32s(&none.max().unwrap()), [f32::NEG_INFINITY]);
    assert_eq!(f32s(&none.min().unwrap()), [f32::INFINITY]);
    for count in [16_383_usize, 16_384, 16_385] {
        let ones = tf.ones(DType::F32, [count]).unwrap();
        assert_eq!(f32s(&ones.sum().unwrap()), [count as f32]);
    }
}

#[test]
fn i60_i61_attention_is_softmax_of_scaled_products() {
    let tf = tf();
    let q = tf
        .values([1, 1, 2, 2], vec![1.0_f32, 0.0, 0.0, 1.0])
        .unwrap();
    let scale = 1.0 / 2.0_f64.sqrt();
    let high = scale.exp() / (scale.exp() + 1.0);
    let want = [high, 1.0 - high, 1.0 - high, high];
    assert_close(&f32s(&q.attention(&q, &q, None).unwrap()), &want, 8.0);
    let causal = tf
        .values([2, 2], vec![0.0_f32, f32::NEG_INFINITY, 0.0, 0.0])
        .unwrap();
    let masked = f32s(&q.attention(&q, &q, Some(&causal)).unwrap());
    assert_eq!(masked[..2], [1.0, 0.0]);
}

#[test]
fn i62_to_i68_creation() {
    let tf = tf();
    assert_eq!(f32s(&tf.zeros(DType::F32, [2, 2]).unwrap()), [0.0; 4]);
    assert_eq!(
        tf.ones(DType::I64, [3]).unwrap().to_vec::<i64>().unwrap(),
        [1; 3]
    );
    assert_eq!(f32s(&tf.fill(DType::F32, [2], 2.5).unwrap()), [2.5; 2]);
    assert_eq!(
        f32s(&tf.arange(DType::F32, 0.0, 1.0, 0.25).unwrap()),
        [0.0, 0.25, 0.5, 0.75]
    );
    assert_eq!(
        tf.arange(DType::I32, 3.0, 0.0, -1.0)
            .unwrap()
            .to_vec::<i32>()
            .unwrap(),
        [3, 2, 1]
    );
    assert!(tf.arange(DType::F32, 0.0, 1.0, 0.0).is_err());
    let line = f32s(&tf.linspace(DType::F32, 0.0, 0.7, 8).unwrap());
    assert_eq!((line[0], line[7], line.len()), (0.0, 0.7, 8));
    assert_eq!(f32s(&tf.linspace(DType::F32, 3.0, 4.0, 1).unwrap()), [3.0]);
    assert_eq!(f32s(&tf.eye(DType::F32, 2).unwrap()), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(tf.eye(DType::F32, 0).unwrap().ty().to_string(), "f32[0, 0]");
}

#[test]
fn i69_i70_i71_random_numbers_follow_from_the_seed() {
    let tf = tf();
    tf.set_seed(42);
    let first = f32s(&tf.uniform(DType::F32, [5, 7]).unwrap());
    let second = f32s(&tf.uniform(DType::F32, [5, 7]).unwrap());
    assert_ne!(first, second);
    tf.set_seed(42);
    assert_eq!(
        (tf.seed(), f32s(&tf.uniform(DType::F32, [35]).unwrap())),
        (42, first)
    );
    let many: Vec<f64> = f32s(&tf.uniform(DType::F32, [100_000]).unwrap())
        .iter()
        .map(|&x| x.into())
        .collect();
    assert!(many.iter().all(|x| (0.0..1.0).contains(x)));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    // Five standard errors: sqrt(1 / 12 / 1e5) and sqrt(1 / 1e5).
    assert!((mean(&many) - 0.5).abs() < 5.0 * 9.2e-4);
    let normal: Vec<f64> = f32s(&tf.normal(DType::F32, [100_000]).unwrap())
        .iter()
        .map(|&x| x.into())
        .collect();
    assert!(mean(&normal).abs() < 5.0 * 3.2e-3);
    let squares: Vec<f64> = normal.iter().map(|x| x * x).collect();
    assert!((mean(&squares) - 1.0).abs() < 5.0 * 4.5e-3);
}

#[test]
fn i73_i74_i76_i77_i78_writing_touches_no_one_else() {
    let tf = tf();
    let mut x = tf.values([2, 2], vec![1.0_f32, -2.0, 3.0, -4.0]).unwrap();
    let clone = x.clone();
    x.set(&[0, 1], 9.0_f32).unwrap();
    assert_eq!(
        (
            x.get::<f32>(&[0, 1]).unwrap(),
            clone.get::<f32>(&[0, 1]).unwrap()
        ),
        (9.0, -2.0)
    );
    x.copy_from(&clone).unwrap();
    x.relu_in_place().unwrap();
    x.add_scalar_in_place(1.0).unwrap();
    x.mul_scalar_in_place(2.0).unwrap();
    assert_eq!(f32s(&x), [4.0, 2.0, 8.0, 2.0]);
    let same = x.clone();
    x.add_in_place(&same).unwrap();
    x.mul_in_place(&same).unwrap();
    assert_eq!(f32s(&x), [32.0, 8.0, 128.0, 8.0]);
    x.fill(0.5_f32).unwrap();
    assert_eq!(f32s(&x), [0.5; 4]);
    let row = tf.zeros(DType::F32, [2]).unwrap();
    assert!(x.copy_from(&row).is_err());
    for index in [&[0_usize][..], &[2, 0], &[0, 0, 0]] {
        assert!(
            x.get::<f32>(index).is_err() && x.set(index, 1.0_f32).is_err(),
            "{index:?}"
        );
    }
    assert!(x.get::<f64>(&[0, 0]).is_err());
}

#[test]
fn dtypes_are_promoted_in_eager_ops_alone() {
    let tf = tf();
    let (a, b) = (
        tf.values([2], vec![1_i32, 2]).unwrap(),
        tf.values([2], vec![0.5_f32, 0.5]).unwrap(),
    );
    let sum = (&a + &b).unwrap();
    assert_eq!(
        sum.dtype(),
        tensor_core::promote(DType::I32, DType::F32).unwrap()
    );
}

/// The same op over 3 elements, at the edge of what is computed without a plan, and behind it, where a plan runs: the elements
/// that they have in common are the same to the last bit.
#[test]
fn small_elementwise_ops_give_what_their_plans_give() {
    let tf = tf();
    let elements = |count: usize| -> Vec<f32> {
        let special = [f32::NAN, -0.0, f32::INFINITY, 1e-40, -3.25, 7.5];
        (0..count)
            .map(|at| special[at % 6] + (at / 6) as f32)
            .collect()
    };
    let bits = |value: Value| -> Vec<u32> {
        let elements = value.to_vec::<f32>().unwrap();
        elements.into_iter().map(f32::to_bits).collect()
    };
    let ops: [(&str, Binary); 7] = [
        ("add", |a, b| a + b),
        ("div", |a, b| a / b),
        ("maximum", Value::maximum),
        ("pow", Value::pow),
        ("gelu", |a, _| a.gelu()),
        ("scaled", |a, _| a * 0.3),
        ("compared", |a, b| a.less(b)?.cast(DType::F32)),
    ];
    for (name, op) in ops {
        let run = |count: usize| {
            let a = tf.values([count], elements(count)).unwrap();
            let b = tf
                .values([count], elements(count + 4)[4..].to_vec())
                .unwrap();
            bits(op(&a, &b).unwrap())
        };
        let planned = run(5000);
        for count in [1, 3, 511, 512, 513] {
            assert_eq!(run(count), planned[..count], "{name} of {count}");
        }
    }
    // Views that are no rows of memory, and shapes that have to be broadcast, are for the plan.
    let square = tf.values([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]).unwrap();
    let turned = square.transpose().unwrap();
    let sum = (&square + &turned).unwrap();
    assert_eq!(sum.to_vec::<f32>().unwrap(), [2.0, 5.0, 5.0, 8.0]);
    let row = tf.values([1, 2], vec![10.0_f32, 20.0]).unwrap();
    let sum = (&row + &square).unwrap();
    assert_eq!(sum.to_vec::<f32>().unwrap(), [11.0, 22.0, 13.0, 24.0]);
    assert!((&square + &tf.values([3], vec![1.0_f32; 3]).unwrap()).is_err());
    let none = tf.zeros(DType::F32, [0]).unwrap();
    assert!((&none + &none).unwrap().to_vec::<f32>().unwrap().is_empty());
}
