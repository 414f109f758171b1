//! One computation in both ways that users have: on values that are there, and as a function that is compiled and run.

use tenfold::{CompileOptions, DeviceChoice, Error, Func, Tf, Value};
use tensor::Tensor;

/// What `op` gives at once and captured: the same dtype, shape and bits, or an error both times (the one of the eager way).
///
/// # Errors
/// What both ways say.
///
/// # Panics
/// If the ways disagree, or something fails that can't.
pub fn both(
    inputs: &[Tensor],
    op: impl Fn(&[Value]) -> Result<Value, Error>,
) -> Result<Tensor, Error> {
    let eager = at_once(inputs, &op);
    let captured = compiled(inputs, &op);
    match (eager, captured) {
        (Ok(eager), Ok(captured)) => {
            assert_eq!(
                (eager.dtype(), eager.shape()),
                (captured.dtype(), captured.shape()),
                "a function gives another type"
            );
            let bits = |tensor: &Tensor| tensor.to_le_bytes().expect("real numbers have bytes");
            assert!(
                bits(&eager) == bits(&captured),
                "at once {eager}\nas a function {captured}"
            );
            Ok(eager)
        }
        (Err(error), Err(_)) => Err(error),
        (Ok(eager), Err(error)) => panic!("at once {eager}\nas a function {error}"),
        (Err(error), Ok(captured)) => panic!("at once {error}\nas a function {captured}"),
    }
}

fn options() -> CompileOptions {
    CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    }
}

fn row_major(tensor: &Tensor) -> Result<Tensor, Error> {
    Ok(tensor.view()?.to_contiguous()?)
}

fn at_once(
    inputs: &[Tensor],
    op: &impl Fn(&[Value]) -> Result<Value, Error>,
) -> Result<Tensor, Error> {
    let tf = Tf::new(&options())?;
    let values = inputs
        .iter()
        .map(|input| Ok(tf.value(input.duplicate()?)))
        .collect::<Result<Vec<_>, Error>>()?;
    row_major(&op(&values)?.into_tensor()?)
}

fn compiled(
    inputs: &[Tensor],
    op: &impl Fn(&[Value]) -> Result<Value, Error>,
) -> Result<Tensor, Error> {
    let func = Func::new("both");
    let mut values = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let shape = input.shape().iter().map(|&extent| extent.into());
        values.push(func.input(format!("x{at}"), input.dtype(), shape)?);
    }
    func.output("y", &op(&values)?)?;
    let feeds: Vec<&Tensor> = inputs.iter().collect();
    let made = func.compile(&options())?.call(&feeds)?;
    row_major(&made["y"])
}
