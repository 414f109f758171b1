//! Rows of functions: building, compiling, running.

use tenfold::Error;
use tenfold::prelude::*;

use crate::rows::{Rows, row};

const F32: DType = DType::F32;

pub(crate) fn built(rows: &mut Rows) -> Result<(), Error> {
    row!(rows, ["tf.func"], Func::new("step"), "step");
    let f = Func::new("step");
    let x = f.input("x", F32, [2.into()])?;
    row!(rows, ["fn.setOutput"], f.output("y", &x)? => f.graph().outputs().len(), "1");
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        ..CompileOptions::default()
    };
    row!(
        rows,
        ["fn.compile"],
        f.compile(&options)?,
        "compiled for cpu"
    );
    let c = f.compile(&options)?;
    row!(rows, ["c.getDevice"], c.device(), "cpu");
    row!(rows, ["c.getPlaceholderCount"], c.inputs().len(), "1");
    let f = Func::new("ranks");
    row!(
        rows,
        ["fn.input1"],
        f.input("a", F32, [2.into()])?,
        "a: f32[2]"
    );
    row!(
        rows,
        ["fn.input2"],
        f.input("b", F32, [2.into(), 1.into()])?,
        "b: f32[2, 1]"
    );
    row!(
        rows,
        ["fn.input3"],
        f.input("c", F32, [2, 1, 1].map(Into::into))?,
        "c: f32[2, 1, 1]"
    );
    row!(
        rows,
        ["fn.input4"],
        f.input("d", F32, [2, 1, 1, 1].map(Into::into))?,
        "d: f32[2, 1, 1, 1]"
    );
    row!(
        rows,
        ["fn.input5"],
        f.input("e", F32, [2, 1, 1, 1, 1].map(Into::into))?,
        "e: f32[2, 1, 1, 1, 1]"
    );
    row!(
        rows,
        ["fn.input6"],
        f.input("f", F32, [2, 1, 1, 1, 1, 1].map(Into::into))?,
        "f: f32[2, 1, 1, 1, 1, 1]"
    );
    Ok(())
}

/// The sum of a number and as many inputs.
fn sum(inputs: usize) -> Result<CompiledFunction, Error> {
    let f = Func::new("sum");
    let tf = Tf::new(&CompileOptions::default())?;
    let mut sum = tf.fill(F32, [1], 0.5)?.add_scalar(0.0)?;
    for at in 0..inputs {
        sum = sum.add(&f.input(format!("x{at}"), F32, [1.into()])?)?;
    }
    f.output("sum", &sum)?;
    f.compile(&CompileOptions::default())
}

pub(crate) fn run(rows: &mut Rows) -> Result<(), Error> {
    let x = Tensor::from_vec_row_major([1], vec![2.0_f32])?;
    let c = sum(0)?;
    row!(rows, ["c.run0"], c.call(&[])?, "f32[1] 0.5");
    let c = sum(1)?;
    row!(rows, ["c.run1"], c.call(&[&x])?, "f32[1] 2.5");
    let c = sum(2)?;
    row!(rows, ["c.run2"], c.call(&[&x, &x])?, "f32[1] 4.5");
    let c = sum(3)?;
    row!(rows, ["c.run3"], c.call(&[&x, &x, &x])?, "f32[1] 6.5");
    let c = sum(4)?;
    row!(rows, ["c.run4"], c.call(&[&x, &x, &x, &x])?, "f32[1] 8.5");
    let c = sum(5)?;
    row!(
        rows,
        ["c.run5"],
        c.call(&[&x, &x, &x, &x, &x])?,
        "f32[1] 10.5"
    );
    let c = sum(6)?;
    row!(
        rows,
        ["c.run6"],
        c.call(&[&x, &x, &x, &x, &x, &x])?,
        "f32[1] 12.5"
    );
    Ok(())
}
