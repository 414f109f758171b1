//! Captured functions, row by row of what was asked for: capture, compilation, runs, state, and what mistakes say.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::Error;
use tenfold::prelude::*;

fn tf() -> Tf {
    Tf::new(&CompileOptions::default()).unwrap()
}

fn layer(options: &CompileOptions) -> (Func, CompiledFunction) {
    let tf = Tf::new(options).unwrap();
    let w = tf
        .values([3, 2], vec![1.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0])
        .unwrap();
    let b = tf.values([2], vec![0.5_f32, -0.5]).unwrap();
    let func = Func::new("layer");
    let x = func
        .input("x", DType::F32, ["batch".into(), 3.into()])
        .unwrap();
    let y = x.matmul(&w).unwrap().add(&b).unwrap().relu().unwrap();
    func.output("y", &y).unwrap();
    func.output("sum", &y.sum_axes(&[1], false).unwrap())
        .unwrap();
    let compiled = func.compile(options).unwrap();
    (func, compiled)
}

#[test]
fn j01_to_j09_a_function_is_captured_compiled_and_run() {
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        ..CompileOptions::default()
    };
    let (func, compiled) = layer(&options);
    assert_eq!(
        (
            compiled.inputs().len(),
            compiled.outputs().len(),
            compiled.device()
        ),
        (1, 2, "cpu")
    );
    for batch in [1_usize, 4] {
        let x = Tensor::from_vec_row_major([batch, 3], vec![1.0_f32; 3 * batch]).unwrap();
        let made = compiled.call(&[&x]).unwrap();
        assert_eq!(
            made["y"].as_slice::<f32>().unwrap(),
            [2.5, 1.5].repeat(batch)
        );
        assert_eq!(made["sum"].as_slice::<f32>().unwrap(), vec![4.0; batch]);
    }
    let wrong = Tensor::zeros(DType::F32, [2, 4]).unwrap();
    let error = compiled.call(&[&wrong]).unwrap_err().to_string();
    assert!(
        error.contains("f32[batch, 3]") && error.contains("[2, 4]"),
        "{error}"
    );
    let wrong = Tensor::zeros(DType::F64, [2, 3]).unwrap();
    assert!(
        compiled
            .call(&[&wrong])
            .unwrap_err()
            .to_string()
            .contains("f64")
    );
    assert!(matches!(
        compiled.call(&[]),
        Err(Error::FeedCount {
            expected: 1,
            got: 0,
            ..
        })
    ));
    let constants = func
        .graph()
        .values()
        .filter(|(_, value)| value.constant().is_some())
        .count();
    assert_eq!(constants, 2);
}

#[test]
fn j03_a_captured_tensor_is_one_constant_and_does_not_change() {
    let tf = tf();
    let mut w = tf.values([2], vec![1.0_f32, 2.0]).unwrap();
    let func = Func::new("f");
    let x = func.input("x", DType::F32, [2.into()]).unwrap();
    let y = x.mul(&w).unwrap().add(&w).unwrap();
    func.output("y", &y).unwrap();
    w.set(&[0], 100.0_f32).unwrap();
    let constants = func
        .graph()
        .values()
        .filter(|(_, value)| value.constant().is_some())
        .count();
    assert_eq!(constants, 1);
    let compiled = func.compile(&CompileOptions::default()).unwrap();
    let x = Tensor::from_vec_row_major([2], vec![1.0_f32, 1.0]).unwrap();
    assert_eq!(
        compiled.call(&[&x]).unwrap()["y"]
            .as_slice::<f32>()
            .unwrap(),
        [2.0, 4.0]
    );
}

#[test]
fn j04_j10_r05_mistakes_are_told_where_they_are_made() {
    let func = Func::new("net");
    let x = func.input("x", DType::F32, [2.into(), 3.into()]).unwrap();
    let y = func.input("y", DType::I32, [2.into(), 3.into()]).unwrap();
    let cases: Vec<(Error, &[&str])> = vec![
        (
            func.compile(&CompileOptions::default()).unwrap_err(),
            &["net", "output"],
        ),
        (
            x.get::<f32>(&[0, 0]).unwrap_err(),
            &["get", "\"x\"", "symbolic", "\"net\""],
        ),
        (
            x.clone().into_tensor().unwrap_err(),
            &["into_tensor", "\"x\""],
        ),
        (x.matmul(&x).unwrap_err(), &["matmul", "f32[2, 3]"]),
        (x.add(&y).unwrap_err(), &["add", "i32", "f32"]),
        (
            func.input("x", DType::F32, [1.into()]).unwrap_err(),
            &["\"x\""],
        ),
        (func.update(&x, &x).unwrap_err(), &["state", "x"]),
    ];
    for (error, words) in cases {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    let other = Func::new("other");
    let z = other.input("z", DType::F32, [3.into()]).unwrap();
    let text = x.add(&z).unwrap_err().to_string();
    assert!(
        text.contains("\"z\"") && text.contains("\"other\"") && text.contains("\"net\""),
        "{text}"
    );
}

#[test]
fn r03_state_stays_between_runs() {
    let func = Func::new("decay");
    let start = Tensor::from_vec_row_major([2], vec![8.0_f32, 4.0]).unwrap();
    let state = func.state("field", start).unwrap();
    let rate = func.input("rate", DType::F32, Vec::new()).unwrap();
    let next = state.mul(&rate).unwrap();
    func.update(&state, &next).unwrap();
    func.output("total", &next.sum().unwrap()).unwrap();
    let step = func.compile(&CompileOptions::default()).unwrap();
    assert_eq!((step.inputs().len(), step.outputs().len()), (1, 1));
    let half = Tensor::scalar(0.5_f32);
    let total = |outputs: Outputs| outputs["total"].as_slice::<f32>().unwrap()[0];
    assert_eq!(total(step.call(&[&half]).unwrap()), 6.0);
    assert_eq!(total(step.call(&[&half]).unwrap()), 3.0);
    assert_eq!(
        step.state("field").unwrap().to_vec::<f32>().unwrap(),
        [2.0, 1.0]
    );
    assert!(
        step.call(&[&Tensor::zeros(DType::F64, [1]).unwrap()])
            .is_err()
    );
    assert_eq!(
        step.state("field").unwrap().to_vec::<f32>().unwrap(),
        [2.0, 1.0]
    );
    step.set_state(
        "field",
        Tensor::from_vec_row_major([2], vec![2.0_f32, 2.0]).unwrap(),
    )
    .unwrap();
    assert_eq!(total(step.call(&[&half]).unwrap()), 2.0);
    step.reset_states().unwrap();
    assert_eq!(total(step.call(&[&half]).unwrap()), 6.0);
    assert!(step.state("other").is_err());
    assert!(
        step.set_state("field", Tensor::zeros(DType::F32, [3]).unwrap())
            .is_err()
    );
}

/// What a program does every frame: it keeps the compiled function and runs it. Only a new shape compiles.
#[test]
fn j11_j12_a_function_that_is_kept_compiles_once() {
    let (_, compiled) = layer(&CompileOptions::default());
    let frame = |batch: usize| Tensor::from_vec_row_major([batch, 3], vec![1.0_f32; 3 * batch]);
    assert_eq!(compiled.compilations(), 0);
    for (batch, plans) in [(4, 1), (4, 1), (4, 1), (2, 2), (4, 2), (2, 2)] {
        let made = compiled.call(&[&frame(batch).unwrap()]).unwrap();
        assert_eq!(made["y"].shape(), [batch, 2]);
        assert_eq!(compiled.compilations(), plans);
    }

    let func = Func::new("count");
    let frames = func.state("frames", Tensor::scalar(0_i64)).unwrap();
    let next = frames.add_scalar(1.0).unwrap();
    func.update(&frames, &next).unwrap();
    func.output("frames_so_far", &next).unwrap();
    let count = func.compile(&CompileOptions::default()).unwrap();
    for frame in 1..=5 {
        let made = count.call(&[]).unwrap();
        assert_eq!(made["frames_so_far"].as_slice::<i64>().unwrap(), [frame]);
        assert_eq!(count.compilations(), 1);
    }
}

/// Random numbers, sequences and whole reductions in a function: the first two are constants or follow from a key that is
/// fed, reductions are ops like others.
#[test]
fn j14_what_makes_values_works_while_a_function_is_built() {
    use tenfold::apply_all;
    use tenfold::graph::op::{Op, Random, RandomKind};

    let tf = tf();
    tf.set_seed(3);
    let eager = tf.uniform(DType::F32, [4]).unwrap();
    let func = Func::new("made");
    let key = func.input("key", DType::U64, [2.into()]).unwrap();
    let op = Op::Random(Random::new(RandomKind::Uniform, DType::F32, [4]));
    let drawn = apply_all(&op, &[Some(&key)]).unwrap().swap_remove(0);
    func.output("drawn", &drawn).unwrap();
    // A value that is there becomes a constant of the function.
    let noisy = drawn.sub(&eager).unwrap();
    func.output("difference", &noisy.abs().unwrap().max().unwrap())
        .unwrap();
    let steps = tf.arange(DType::F32, 0.0, 4.0, 1.0).unwrap();
    let line = tf.linspace(DType::F32, 1.0, 4.0, 4).unwrap();
    let ramp = drawn.mul_scalar(0.0).unwrap().add(&steps).unwrap();
    let dot = ramp.mul(&line).unwrap().sum().unwrap();
    func.output("dot", &dot).unwrap();
    let compiled = func.compile(&CompileOptions::default()).unwrap();
    let run = |key: [u64; 2]| {
        let key = Tensor::from_vec_row_major([2], key.to_vec()).unwrap();
        compiled.call(&[&key]).unwrap()
    };
    let made = run([3, 0]);
    assert_eq!(
        made["drawn"].to_vec::<f32>().unwrap(),
        eager.to_vec::<f32>().unwrap()
    );
    assert_eq!(made["difference"].as_slice::<f32>().unwrap(), [0.0]);
    assert_eq!(made["dot"].as_slice::<f32>().unwrap(), [20.0]);
    let other = run([4, 0]);
    assert!(other["difference"].as_slice::<f32>().unwrap()[0] > 0.0);
}
