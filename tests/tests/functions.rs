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
