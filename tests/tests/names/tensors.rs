//! Rows of the functions of the module and of the methods of its tensors.

use tenfold::prelude::*;
use tenfold::{Error, Interpolation};

use crate::rows::{Rows, row};

fn tf() -> Result<Tf, Error> {
    Tf::new(&CompileOptions {
        device: DeviceChoice::Cpu,
        ..CompileOptions::default()
    })
}

const F32: DType = DType::F32;

#[expect(clippy::too_many_lines, reason = "a table, one row per name")]
pub(crate) fn made(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    row!(rows, ["tf.zeros1"], tf.zeros(F32, [2])?, "f32[2] 0 0");
    row!(rows, ["tf.zeros2"], tf.zeros(F32, [1, 2])?, "f32[1, 2] 0 0");
    row!(
        rows,
        ["tf.zeros3"],
        tf.zeros(F32, [1, 2, 1])?,
        "f32[1, 2, 1] 0 0"
    );
    row!(
        rows,
        ["tf.zeros4"],
        tf.zeros(F32, [1, 2, 1, 1])?,
        "f32[1, 2, 1, 1] 0 0"
    );
    row!(
        rows,
        ["tf.zeros5"],
        tf.zeros(F32, [1, 2, 1, 1, 1])?,
        "f32[1, 2, 1, 1, 1] 0 0"
    );
    row!(
        rows,
        ["tf.zeros6"],
        tf.zeros(F32, [1, 2, 1, 1, 1, 1])?,
        "f32[1, 2, 1, 1, 1, 1] 0 0"
    );
    row!(rows, ["tf.ones1"], tf.ones(F32, [2])?, "f32[2] 1 1");
    row!(rows, ["tf.ones2"], tf.ones(F32, [1, 2])?, "f32[1, 2] 1 1");
    row!(
        rows,
        ["tf.ones3"],
        tf.ones(F32, [1, 2, 1])?,
        "f32[1, 2, 1] 1 1"
    );
    row!(
        rows,
        ["tf.ones4"],
        tf.ones(F32, [1, 2, 1, 1])?,
        "f32[1, 2, 1, 1] 1 1"
    );
    row!(
        rows,
        ["tf.ones5"],
        tf.ones(F32, [1, 2, 1, 1, 1])?,
        "f32[1, 2, 1, 1, 1] 1 1"
    );
    row!(
        rows,
        ["tf.ones6"],
        tf.ones(F32, [1, 2, 1, 1, 1, 1])?,
        "f32[1, 2, 1, 1, 1, 1] 1 1"
    );
    row!(
        rows,
        ["tf.fill1"],
        tf.fill(F32, [2], 0.5)?,
        "f32[2] 0.5 0.5"
    );
    row!(
        rows,
        ["tf.fill2"],
        tf.fill(F32, [1, 2], 0.5)?,
        "f32[1, 2] 0.5 0.5"
    );
    row!(
        rows,
        ["tf.fill3"],
        tf.fill(F32, [1, 2, 1], 0.5)?,
        "f32[1, 2, 1] 0.5 0.5"
    );
    row!(
        rows,
        ["tf.fill4"],
        tf.fill(F32, [1, 2, 1, 1], 0.5)?,
        "f32[1, 2, 1, 1] 0.5 0.5"
    );
    row!(
        rows,
        ["tf.constantScalar"],
        tf.fill(F32, [1], 2.5)?,
        "f32[1] 2.5"
    );
    row!(
        rows,
        ["tf.arange"],
        tf.arange(F32, 0.0, 4.0, 1.0)?,
        "f32[4] 0 1 2 3"
    );
    row!(
        rows,
        ["tf.linspace"],
        tf.linspace(F32, 0.0, 1.0, 3)?,
        "f32[3] 0 0.5 1"
    );
    row!(rows, ["tf.eye"], tf.eye(F32, 2)?, "f32[2, 2] 1 0 0 1");
    row!(rows, ["tf.setRandomSeed"], tf.set_seed(7) => tf.seed(), "7");
    row!(rows, ["tf.getRandomSeed"], tf.seed(), "7");
    row!(
        rows,
        ["tf.rand1", "tf.randomUniform1"],
        tf.uniform(F32, [2])?,
        "f32[2] .."
    );
    row!(
        rows,
        ["tf.rand2", "tf.randomUniform2"],
        tf.uniform(F32, [1, 2])?,
        "f32[1, 2] .."
    );
    row!(
        rows,
        ["tf.rand3", "tf.randomUniform3"],
        tf.uniform(F32, [1, 2, 1])?,
        "f32[1, 2, 1] .."
    );
    row!(
        rows,
        ["tf.rand4", "tf.randomUniform4"],
        tf.uniform(F32, [1, 2, 1, 1])?,
        "f32[1, 2, 1, 1] .."
    );
    row!(
        rows,
        ["tf.randn1", "tf.randomNormal1"],
        tf.normal(F32, [2])?,
        "f32[2] .."
    );
    row!(
        rows,
        ["tf.randn2", "tf.randomNormal2"],
        tf.normal(F32, [1, 2])?,
        "f32[1, 2] .."
    );
    row!(
        rows,
        ["tf.randn3", "tf.randomNormal3"],
        tf.normal(F32, [1, 2, 1])?,
        "f32[1, 2, 1] .."
    );
    row!(
        rows,
        ["tf.randn4", "tf.randomNormal4"],
        tf.normal(F32, [1, 2, 1, 1])?,
        "f32[1, 2, 1, 1] .."
    );
    Ok(())
}

pub(crate) fn elementwise(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    let x = tf.values([2], vec![-1.0_f32, 2.0])?;
    let y = tf.values([2], vec![4.0_f32, 0.5])?;
    row!(rows, ["tf.add", "t.add"], x.add(&y)?, "f32[2] 3 2.5");
    row!(rows, ["tf.sub", "t.sub"], x.sub(&y)?, "f32[2] -5 1.5");
    row!(
        rows,
        ["tf.multiply", "t.multiply"],
        x.mul(&y)?,
        "f32[2] -4 1"
    );
    row!(rows, ["tf.div", "t.div"], x.div(&y)?, "f32[2] -0.25 4");
    row!(rows, ["tf.neg", "t.neg"], x.neg()?, "f32[2] 1 -2");
    row!(rows, ["tf.abs", "t.abs"], x.abs()?, "f32[2] 1 2");
    row!(rows, ["tf.sqrt", "t.sqrt"], y.sqrt()?, "f32[2] 2 0.7071");
    row!(rows, ["tf.exp", "t.exp"], x.exp()?, "f32[2] 0.3679 7.3891");
    row!(rows, ["tf.log", "t.log"], y.log()?, "f32[2] 1.3863 -0.6931");
    row!(rows, ["tf.sin", "t.sin"], x.sin()?, "f32[2] -0.8415 0.9093");
    row!(rows, ["tf.cos", "t.cos"], x.cos()?, "f32[2] 0.5403 -0.4161");
    row!(
        rows,
        ["tf.tanh", "t.tanh"],
        x.tanh()?,
        "f32[2] -0.7616 0.964"
    );
    row!(rows, ["tf.relu", "t.relu"], x.relu()?, "f32[2] 0 2");
    row!(
        rows,
        ["tf.sigmoid", "t.sigmoid"],
        x.sigmoid()?,
        "f32[2] 0.2689 0.8808"
    );
    row!(
        rows,
        ["tf.gelu", "t.gelu"],
        x.gelu_tanh()?,
        "f32[2] -0.1588 1.9546"
    );
    row!(
        rows,
        ["tf.silu", "t.silu"],
        x.silu()?,
        "f32[2] -0.2689 1.7616"
    );
    row!(rows, ["tf.cast"], x.cast(DType::I32)?, "i32[2] -1 2");
    let condition = x.greater_scalar(0.0)?;
    row!(rows, ["tf.where"], condition.select(&x, &y)?, "f32[2] 4 2");
    Ok(())
}

pub(crate) fn with_numbers(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    let x = tf.values([2], vec![-1.0_f32, 2.0])?;
    row!(
        rows,
        ["tf.addScalar", "t.addScalar"],
        x.add_scalar(0.5)?,
        "f32[2] -0.5 2.5"
    );
    row!(
        rows,
        ["tf.subScalar", "t.subScalar"],
        x.sub_scalar(0.5)?,
        "f32[2] -1.5 1.5"
    );
    row!(
        rows,
        ["tf.mulScalar", "t.mulScalar"],
        x.mul_scalar(0.5)?,
        "f32[2] -0.5 1"
    );
    row!(
        rows,
        ["tf.divScalar", "t.divScalar"],
        x.div_scalar(0.5)?,
        "f32[2] -2 4"
    );
    row!(
        rows,
        ["tf.powScalar", "t.powScalar"],
        x.pow_scalar(3.0)?,
        "f32[2] -1 8"
    );
    row!(
        rows,
        ["tf.maximumScalar", "t.maximumScalar"],
        x.maximum_scalar(0.5)?,
        "f32[2] 0.5 2"
    );
    row!(
        rows,
        ["tf.minimumScalar", "t.minimumScalar"],
        x.minimum_scalar(0.5)?,
        "f32[2] -1 0.5"
    );
    row!(rows, ["tf.clamp"], x.clamp(-0.5, 1.0)?, "f32[2] -0.5 1");
    Ok(())
}

#[expect(clippy::too_many_lines, reason = "a table, one row per name")]
pub(crate) fn shaped(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    let x = tf.values([2, 2], vec![1_i32, 2, 3, 4])?;
    let all = "1 2 3 4";
    row!(
        rows,
        ["tf.reshape1", "t.reshape1"],
        x.reshape([4])?,
        &format!("i32[4] {all}")
    );
    row!(
        rows,
        ["tf.reshape2", "t.reshape2"],
        x.reshape([4, 1])?,
        &format!("i32[4, 1] {all}")
    );
    row!(
        rows,
        ["tf.reshape3", "t.reshape3"],
        x.reshape([4, 1, 1])?,
        &format!("i32[4, 1, 1] {all}")
    );
    row!(
        rows,
        ["tf.reshape4", "t.reshape4"],
        x.reshape([4, 1, 1, 1])?,
        &format!("i32[4, 1, 1, 1] {all}")
    );
    row!(
        rows,
        ["tf.reshape5", "t.reshape5"],
        x.reshape([4, 1, 1, 1, 1])?,
        &format!("i32[4, 1, 1, 1, 1] {all}")
    );
    row!(
        rows,
        ["tf.reshape6", "t.reshape6"],
        x.reshape([4, 1, 1, 1, 1, 1])?,
        &format!("i32[4, 1, 1, 1, 1, 1] {all}")
    );
    row!(
        rows,
        ["tf.flatten", "t.flatten"],
        x.flatten()?,
        "i32[4] 1 2 3 4"
    );
    row!(
        rows,
        ["tf.transpose", "t.transpose"],
        x.transpose()?,
        "i32[2, 2] 1 3 2 4"
    );
    row!(
        rows,
        ["tf.permute2"],
        x.permute(&[1, 0])?,
        "i32[2, 2] 1 3 2 4"
    );
    row!(rows, ["tf.slice"], x.slice(1, 1, 2)?, "i32[2, 1] 2 4");
    let (y, z, w) = (x.slice(0, 0, 1)?, x.slice(0, 1, 2)?, x.slice(0, 0, 1)?);
    row!(
        rows,
        ["tf.concat2"],
        x.concat(&[&y], 0)?,
        "i32[3, 2] 1 2 3 4 1 2"
    );
    row!(
        rows,
        ["tf.concat3"],
        x.concat(&[&y, &z], 0)?,
        "i32[4, 2] 1 2 3 4 1 2 3 4"
    );
    row!(
        rows,
        ["tf.concat4"],
        x.concat(&[&y, &z, &w], 0)?,
        "i32[5, 2] 1 2 3 4 1 2 3 4 1 2"
    );
    let x = x.reshape([2, 2, 1])?;
    row!(
        rows,
        ["tf.permute3"],
        x.permute(&[2, 1, 0])?,
        "i32[1, 2, 2] 1 3 2 4"
    );
    let x = x.reshape([2, 2, 1, 1])?;
    row!(
        rows,
        ["tf.permute4"],
        x.permute(&[3, 2, 1, 0])?,
        "i32[1, 1, 2, 2] 1 3 2 4"
    );
    let x = x.reshape([2, 2, 1, 1, 1])?;
    row!(
        rows,
        ["tf.permute5"],
        x.permute(&[4, 3, 2, 1, 0])?,
        "i32[1, 1, 1, 2, 2] 1 3 2 4"
    );
    let x = x.reshape([2, 2, 1, 1, 1, 1])?;
    row!(
        rows,
        ["tf.permute6"],
        x.permute(&[5, 4, 3, 2, 1, 0])?,
        "i32[1, 1, 1, 1, 2, 2] 1 3 2 4"
    );
    Ok(())
}

pub(crate) fn reduced(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    let x = tf.values([2, 2], vec![1.0_f32, 4.0, -2.0, 0.0])?;
    row!(
        rows,
        ["tf.sumAxis"],
        x.sum_axes(&[1], false)?,
        "f32[2] 5 -2"
    );
    row!(
        rows,
        ["tf.meanAxis"],
        x.mean_axes(&[1], false)?,
        "f32[2] 2.5 -1"
    );
    row!(
        rows,
        ["tf.minAxis"],
        x.min_axes(&[1], false)?,
        "f32[2] 1 -2"
    );
    row!(rows, ["tf.maxAxis"], x.max_axes(&[1], false)?, "f32[2] 4 0");
    row!(rows, ["tf.argmax"], x.argmax(1, false)?, "i32[2] 1 1");
    row!(rows, ["tf.reduceSum", "t.reduceSum"], x.sum()?, "f32[] 3");
    row!(
        rows,
        ["tf.reduceMean", "t.reduceMean"],
        x.mean()?,
        "f32[] 0.75"
    );
    row!(rows, ["tf.reduceMin", "t.reduceMin"], x.min()?, "f32[] -2");
    row!(rows, ["tf.reduceMax", "t.reduceMax"], x.max()?, "f32[] 4");
    Ok(())
}

#[expect(clippy::too_many_lines, reason = "a table, one row per name")]
pub(crate) fn networks(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    let x = tf.values([2, 2], vec![0.0_f32, 2.0, 1.0, -1.0])?;
    let w = tf.values([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
    let (scale, bias) = (tf.fill(F32, [2], 2.0)?, tf.fill(F32, [2], 0.5)?);
    row!(
        rows,
        ["tf.matmul", "t.matmul"],
        x.matmul(&w)?,
        "f32[2, 2] 6 8 -2 -2"
    );
    row!(
        rows,
        ["tf.softmax"],
        x.softmax(-1)?,
        "f32[2, 2] 0.1192 0.8808 0.8808 0.1192"
    );
    row!(
        rows,
        ["tf.logSoftmax"],
        x.log_softmax(-1)?,
        "f32[2, 2] -2.1269 -0.1269 -0.1269 -2.1269"
    );
    row!(
        rows,
        ["tf.layernorm"],
        x.layer_norm(None, None, 0.0)?,
        "f32[2, 2] -1 1 1 -1"
    );
    row!(
        rows,
        ["tf.layernormWB"],
        x.layer_norm(Some(&scale), Some(&bias), 0.0)?,
        "f32[2, 2] -1.5 2.5 2.5 -1.5"
    );
    row!(
        rows,
        ["tf.rmsnorm"],
        x.rms_norm(None, 0.0)?,
        "f32[2, 2] 0 1.4142 1 -1"
    );
    row!(
        rows,
        ["tf.rmsnormW"],
        x.rms_norm(Some(&scale), 0.0)?,
        "f32[2, 2] 0 2.8284 2 -2"
    );
    let index = tf.values([2], vec![1_i32, 0])?;
    row!(
        rows,
        ["tf.embedding"],
        w.embedding(&index)?,
        "f32[2, 2] 3 4 1 2"
    );

    let (q, k, v) = (
        x.reshape([1, 1, 2, 2])?,
        w.reshape([1, 1, 2, 2])?,
        w.reshape([1, 1, 2, 2])?,
    );
    let mask = tf.values(
        [2, 2],
        vec![0.0_f32, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0],
    )?;
    row!(
        rows,
        ["tf.sdpa"],
        q.attention(&k, &v, None)?,
        "f32[1, 1, 2, 2] 2.8884 3.8884 2 3"
    );
    row!(
        rows,
        ["tf.sdpaMasked"],
        q.attention(&k, &v, Some(&mask))?,
        "f32[1, 1, 2, 2] 1 2 3 4"
    );

    let bias = tf.fill(F32, [1], 0.5)?;
    let (x, w) = (x.reshape([1, 1, 4])?, tf.ones(F32, [1, 1, 2])?);
    row!(
        rows,
        ["tf.conv1d"],
        x.conv1d(&w, None, 1, 0)?,
        "f32[1, 1, 3] 2 3 0"
    );
    row!(
        rows,
        ["tf.conv1dBias"],
        x.conv1d(&w, Some(&bias), 1, 0)?,
        "f32[1, 1, 3] 2.5 3.5 0.5"
    );
    let (x, w) = (x.reshape([1, 1, 2, 2])?, tf.ones(F32, [1, 1, 2, 2])?);
    row!(
        rows,
        ["tf.conv2d"],
        x.conv2d(&w, None, 1, 0)?,
        "f32[1, 1, 1, 1] 2"
    );
    row!(
        rows,
        ["tf.conv2dBias"],
        x.conv2d(&w, Some(&bias), 1, 0)?,
        "f32[1, 1, 1, 1] 2.5"
    );
    row!(
        rows,
        ["tf.maxpool2d"],
        x.max_pool2d(2, 2, 0)?,
        "f32[1, 1, 1, 1] 2"
    );
    row!(
        rows,
        ["tf.avgpool2d"],
        x.avg_pool2d(2, 2, 0)?,
        "f32[1, 1, 1, 1] 0.5"
    );
    row!(
        rows,
        ["tf.resize2d"],
        x.resize2d(2, 4, Interpolation::Bilinear)?,
        "f32[1, 1, 2, 4] 0 0.5 1.5 2 1 0.5 -0.5 -1"
    );
    Ok(())
}

pub(crate) fn read_and_written(rows: &mut Rows) -> Result<(), Error> {
    let tf = tf()?;
    let x = tf.values([2], vec![-1.0_f32, 2.0])?;
    let mut y = tf.values([2], vec![4.0_f32, 0.5])?;
    row!(rows, ["t.dot"], x.dot(&y)?, "f32[] -3");
    row!(rows, ["t.clone"], x.clone(), "f32[2] -1 2");
    row!(rows, ["t.addInPlace"], y.add_in_place(&x)? => y, "f32[2] 3 2.5");
    row!(rows, ["t.multiplyInPlace"], y.mul_in_place(&x)? => y, "f32[2] -3 5");
    row!(rows, ["t.addScalarInPlace"], y.add_scalar_in_place(1.0)? => y, "f32[2] -2 6");
    row!(rows, ["t.mulScalarInPlace"], y.mul_scalar_in_place(0.5)? => y, "f32[2] -1 3");
    row!(rows, ["t.reluInPlace"], y.relu_in_place()? => y, "f32[2] 0 3");
    row!(rows, ["t.copyFrom"], y.copy_from(&x)? => y, "f32[2] -1 2");
    row!(rows, ["t.fill"], y.fill(0.25_f32)? => y, "f32[2] 0.25 0.25");
    row!(rows, ["t.getDevice"], x.device(), "cpu");
    row!(rows, ["t.getDtype"], x.dtype(), "f32");
    row!(rows, ["t.getRank"], x.rank(), "1");
    row!(rows, ["t.getSize"], x.elements(), "2");
    row!(rows, ["t.isEager"], x.is_eager(), "true");
    row!(rows, ["t.isSymbolic"], x.is_symbolic(), "false");
    row!(rows, ["t.getDim"], x.dim(-1)?, "2");
    let mut x = tf.values([2, 1, 1, 1, 1, 1], vec![-1.0_f32, 2.0])?;
    row!(rows, ["t.getDim0"], x.dim(0)?, "2");
    row!(rows, ["t.getDim1"], x.dim(1)?, "1");
    row!(rows, ["t.getDim2"], x.dim(2)?, "1");
    row!(rows, ["t.getDim3"], x.dim(3)?, "1");
    row!(rows, ["t.getDim4"], x.dim(4)?, "1");
    row!(rows, ["t.getDim5"], x.dim(5)?, "1");
    row!(rows, ["t.get"], x.flatten()?.get::<f32>(&[1])?, "2");
    row!(rows, ["t.get6"], x.get::<f32>(&[1, 0, 0, 0, 0, 0])?, "2");
    row!(rows, ["t.set6"], x.set(&[1, 0, 0, 0, 0, 0], 6.0_f32)? => x.slice(0, 1, 2)?, "f32[1, 1, 1, 1, 1, 1] 6");
    let mut x = x.reshape([2, 1, 1, 1, 1])?;
    row!(rows, ["t.get5"], x.get::<f32>(&[1, 0, 0, 0, 0])?, "6");
    row!(rows, ["t.set5"], x.set(&[1, 0, 0, 0, 0], 5.0_f32)? => x.slice(0, 1, 2)?, "f32[1, 1, 1, 1, 1] 5");
    let mut x = x.reshape([2, 1, 1, 1])?;
    row!(rows, ["t.get4"], x.get::<f32>(&[1, 0, 0, 0])?, "5");
    row!(rows, ["t.set4"], x.set(&[1, 0, 0, 0], 4.0_f32)? => x.slice(0, 1, 2)?, "f32[1, 1, 1, 1] 4");
    let mut x = x.reshape([2, 1, 1])?;
    row!(rows, ["t.get3"], x.get::<f32>(&[1, 0, 0])?, "4");
    row!(rows, ["t.set3"], x.set(&[1, 0, 0], 3.0_f32)? => x.slice(0, 1, 2)?, "f32[1, 1, 1] 3");
    let mut x = x.reshape([2, 1])?;
    row!(rows, ["t.get2"], x.get::<f32>(&[1, 0])?, "3");
    row!(rows, ["t.set2"], x.set(&[1, 0], 2.0_f32)? => x.slice(0, 1, 2)?, "f32[1, 1] 2");
    let mut x = x.reshape([2])?;
    row!(rows, ["t.get1"], x.get::<f32>(&[1])?, "2");
    row!(rows, ["t.set1", "t.set"], x.set(&[1], 1.0_f32)? => x, "f32[2] -1 1");
    Ok(())
}
