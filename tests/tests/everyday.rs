//! What every program leans on: ranks and dtypes that are served, questions to values, mistakes that are told, and the same
//! numbers whichever way a computation takes.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::Error;
use tenfold::prelude::*;
use tests::{Seeded, both};

fn options(threads: usize) -> CompileOptions {
    CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(threads),
        ..CompileOptions::default()
    }
}

fn tf() -> Tf {
    Tf::new(&options(1)).unwrap()
}

fn random(shape: &[usize], seed: u64) -> Tensor {
    let mut random = Seeded::new(seed);
    let count = shape.iter().product();
    let elements = (0..count).map(|_| random.uniform(-1.0, 1.0) as f32);
    Tensor::from_vec_row_major(shape, elements.collect()).unwrap()
}

/// Ranks 1 to 6 of both dtypes; rank 0 and more than 6 axes are as good.
#[test]
fn i01_every_rank_and_dtype_computes() {
    for rank in 0..=8 {
        let shape = vec![2; rank];
        let count = 1_i32 << rank;
        let elements: Vec<i32> = (0..count).collect();
        let x = Tensor::from_vec_row_major(&shape[..], elements).unwrap();
        for dtype in [DType::F32, DType::I32] {
            let x = x.cast(dtype).unwrap();
            let doubled = both(&[x], |v| v[0].add(&v[0])).unwrap();
            assert_eq!((doubled.dtype(), doubled.shape()), (dtype, &shape[..]));
            let want: Vec<i32> = (0..count).map(|x| 2 * x).collect();
            let got = doubled.cast(DType::I32).unwrap().to_vec::<i32>().unwrap();
            assert_eq!(got, want);
        }
    }
}

#[test]
fn i79_i80_i81_values_answer_what_they_are() {
    let tf = tf();
    let x = tf.zeros(DType::I32, [2, 3]).unwrap();
    assert_eq!(
        (x.rank(), x.dtype(), x.elements()),
        (2, DType::I32, 6_usize.into())
    );
    assert_eq!(
        (x.dim(0).unwrap(), x.dim(-1).unwrap()),
        (2_usize.into(), 3_usize.into())
    );
    assert_eq!(x.device(), Some("cpu"));
    assert!(x.is_eager() && !x.is_symbolic());
    for axis in [2, -3, i64::MIN, i64::MAX] {
        let text = x.dim(axis).unwrap_err().to_string();
        assert!(text.contains("dim") && text.contains("i32[2, 3]"), "{text}");
    }
    let func = Func::new("f");
    let n = func.input("n", DType::F32, ["n".into(), 4.into()]).unwrap();
    assert!(n.is_symbolic() && !n.is_eager() && n.device().is_none());
    assert_eq!((n.rank(), n.dim(0).unwrap()), (2, "n".into()));
    assert_eq!(n.elements().to_string(), "(n * 4)");
}

/// A method gives the same bits on values that are there and in a function, the operators are methods, and so is what writes.
#[test]
fn i82_all_forms_of_an_op_agree() {
    type Op = fn(&Value) -> Result<Value, Error>;
    let ops: [(&str, Op); 24] = [
        ("abs", Value::abs),
        ("add", |x| x.add(&x.flip(0)?)),
        ("add_scalar", |x| x.add_scalar(0.3)),
        ("cos", Value::cos),
        ("div", |x| x.div(&x.flip(1)?)),
        ("div_scalar", |x| x.div_scalar(0.3)),
        ("exp", Value::exp),
        ("flatten", Value::flatten),
        ("gelu", Value::gelu),
        ("gelu_tanh", Value::gelu_tanh),
        ("log", Value::log),
        ("matmul", |x| x.matmul(&x.transpose()?)),
        ("maximum_scalar", |x| x.maximum_scalar(0.1)),
        ("minimum_scalar", |x| x.minimum_scalar(0.1)),
        ("mul_scalar", |x| x.mul_scalar(0.3)),
        ("neg", Value::neg),
        ("pow_scalar", |x| x.pow_scalar(2.0)),
        ("mean", Value::mean),
        ("relu", Value::relu),
        ("sigmoid", Value::sigmoid),
        ("silu", Value::silu),
        ("sin", Value::sin),
        ("sqrt", Value::sqrt),
        ("tanh", Value::tanh),
    ];
    let input = [random(&[5, 7], 82)];
    for (name, op) in ops {
        both(&input, |v| op(&v[0])).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let [input] = input;
    let x = tf().value(input);
    let same = |a: Result<Value, Error>, b: Result<Value, Error>| {
        let elements = |value: Value| value.to_vec::<f32>().unwrap();
        assert_eq!(elements(a.unwrap()), elements(b.unwrap()));
    };
    same(&x + &x, x.add(&x));
    same(&x - 0.5, x.sub_scalar(0.5));
    same(&x * &x, x.mul(&x));
    same(&x / 0.5, x.div_scalar(0.5));
    same(-&x, x.neg());
    let mut written = x.clone();
    written.relu_in_place().unwrap();
    same(Ok(written), x.relu());
}

/// One sentence per mistake: what was done, to which values of which shapes.
#[test]
fn r05_common_mistakes_are_told() {
    let tf = tf();
    let (a, b) = (tf.value(random(&[2, 3], 1)), tf.value(random(&[2, 3], 2)));
    let batches = (
        tf.value(random(&[2, 3, 4], 3)),
        tf.value(random(&[5, 4, 3], 4)),
    );
    let func = Func::new("net");
    let x = func.input("x", DType::F32, [2.into(), 3.into()]).unwrap();
    func.output("y", &x).unwrap();
    let compiled = func.compile(&options(1)).unwrap();
    let wrong = random(&[3, 2], 5);
    let cases = [
        (
            x.get::<f32>(&[0, 0]).unwrap_err(),
            ["get", "\"x\"", "symbolic"],
        ),
        (
            a.matmul(&b).unwrap_err(),
            ["matmul", "f32[2, 3]", "f32[2, 3]"],
        ),
        (
            batches.0.matmul(&batches.1).unwrap_err(),
            ["matmul", "f32[2, 3, 4]", "f32[5, 4, 3]"],
        ),
        (
            a.get::<f32>(&[2, 0]).unwrap_err(),
            ["index 2", "axis 0", "extent 2"],
        ),
        (a.get::<i32>(&[0, 0]).unwrap_err(), ["F32", "I32", "dtype"]),
        (
            compiled.call(&[&wrong]).unwrap_err(),
            ["\"x\"", "[2, 3]", "[3, 2]"],
        ),
        (
            "gpu".parse::<DeviceChoice>().unwrap_err(),
            ["gpu", "auto", "cpu"],
        ),
    ];
    for (error, words) in cases {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    // Compiling again every frame is no error; that it happens can be seen.
    let feed = random(&[2, 3], 6);
    compiled.call(&[&feed]).unwrap();
    compiled.call(&[&feed]).unwrap();
    assert_eq!(compiled.compilations(), 1);
}

/// Small nets of every family of ops in f64 formulas, at once and captured, on one thread and on two: finite results, within
/// the tolerance that each case states.
#[test]
fn r06_all_ways_give_the_numbers_of_the_formula() {
    let (rows, inner, columns) = (9, 33, 17);
    let (x, w, b) = (
        random(&[rows, inner], 7),
        random(&[inner, columns], 8),
        random(&[columns], 9),
    );
    let wide = |tensor: &Tensor| -> Vec<f64> {
        let elements = tensor.to_vec::<f32>().unwrap();
        elements.into_iter().map(f64::from).collect()
    };
    let (xs, ws, bs) = (wide(&x), wide(&w), wide(&b));
    let linear: Vec<f64> = (0..rows * columns)
        .map(|at| {
            let (i, j) = (at / columns, at % columns);
            let terms = (0..inner).map(|k| xs[i * inner + k] * ws[k * columns + j]);
            terms.sum::<f64>() + bs[j]
        })
        .collect();
    let by_row =
        |f: fn(&[f64]) -> Vec<f64>| -> Vec<f64> { linear.chunks(columns).flat_map(f).collect() };
    let softmax = by_row(|row| {
        let sum: f64 = row.iter().map(|x| x.exp()).sum();
        row.iter().map(|x| x.exp() / sum).collect()
    });
    let normal = by_row(|row| {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
        row.iter()
            .map(|x| (x - mean) / (variance + 1e-5).sqrt())
            .collect()
    });
    let silu: Vec<f64> = linear.iter().map(|x| x / (1.0 + (-x).exp())).collect();
    type Net = fn(&Value) -> Result<Value, Error>;
    let cases: [(&str, Net, Vec<f64>, f64); 4] = [
        ("linear", |y| Ok(y.clone()), linear.clone(), 4e-6),
        ("silu", Value::silu, silu, 4e-6),
        ("softmax", |y| y.softmax(-1), softmax, 2e-6),
        (
            "layer_norm",
            |y| y.layer_norm(None, None, 1e-5),
            normal,
            8e-6,
        ),
    ];
    let inputs = [x, w, b];
    for (name, net, want, tolerance) in cases {
        let close = |way: &str, got: &Tensor| {
            let got = got.to_vec::<f32>().unwrap();
            assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(&want) {
                let difference = (f64::from(*got) - want).abs();
                assert!(
                    got.is_finite() && difference < tolerance,
                    "{name}, {way}: {got}, not {want}"
                );
            }
        };
        let whole = |v: &[Value]| net(&v[0].matmul(&v[1])?.add(&v[2])?);
        close("at once and captured", &both(&inputs, whole).unwrap());
        let func = Func::new(name);
        let batch = func
            .input("x", DType::F32, ["batch".into(), inner.into()])
            .unwrap();
        let context = Tf::new(&options(2)).unwrap();
        let [_, w, b] = inputs
            .each_ref()
            .map(|input| context.value(input.duplicate().unwrap()));
        func.output("y", &whole(&[batch, w, b]).unwrap()).unwrap();
        let compiled = func.compile(&options(2)).unwrap();
        close(
            "weights as constants",
            &compiled.call(&[&inputs[0]]).unwrap()["y"],
        );
    }
}
