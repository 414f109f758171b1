//! A simulation whose state stays on the device: two chemicals that react and spread (Gray and Scott 1984).
//!
//! Run it with `cargo run --release -p tenfold --example reaction -- spots.png`.
//!
//! The field `[1, 2, size, size]` holds a food `u` and an eater `v`: `u` is fed, `v` eats it (`u v^2`) and dies, both spread. It
//! is a state of the function: every run reads it, advances it by some steps and leaves it on the device; nothing is
//! copied out before the picture is made. How fast food comes differs between the middle and the top, how fast eaters die
//! between the middle and the sides, so the picture is a map of what the equations can do: spots, worms, mazes, holes
//! (Pearson 1993).
#![expect(clippy::print_stdout, reason = "a guide talks on the terminal")]

#[path = "../picture/mod.rs"]
mod picture;
#[cfg(test)]
mod tests;

use std::f64::consts::TAU;

use tenfold::graph::op::{Pad, Window};
use tenfold::prelude::*;
use tenfold::{Error, Interpolation};

const SIZE: usize = 384;
const STEPS_PER_RUN: usize = 10;
const RUNS: usize = 700;
/// How fast the chemicals spread, in cells squared per step.
const SPREAD: [f32; 2] = [0.2097, 0.105];
/// Food per step: a mean, and how much more there is in the middle row and less in the top one.
const FEED: (f64, f64) = (0.040, 0.016);
/// Eaters that die per step, beside those that are washed out, likewise in the middle and the left column.
const KILL: (f64, f64) = (0.0611, 0.0015);

/// The last slice of an axis once more before the first, and the first after the last.
fn wrapped(x: &Value, axis: i64) -> Result<Value, Error> {
    let (first, last) = (x.slice(axis, 0, 1)?, x.slice(axis, -1, i64::MAX)?);
    last.concat(&[x, &first], axis)
}

/// The change of `[1, 2, n, n]` by spreading: what flows in from the neighbours of each cell on a torus, corners at half weight
/// of edges, less what flows out.
fn spreading(tf: &Tf, field: &Value) -> Result<Value, Error> {
    let (corner, edge) = (0.05, 0.2);
    let laplacian = [corner, edge, corner, edge, -1.0, edge, corner, edge, corner];
    let kernels: Vec<f32> = SPREAD
        .iter()
        .flat_map(|d| laplacian.map(|w| w * d / 0.3))
        .collect();
    let kernels = tf.values([2, 1, 3, 3], kernels)?;
    let around = wrapped(&wrapped(field, 2)?, 3)?;
    let window = Window {
        strides: vec![1; 2],
        dilations: vec![1; 2],
        pad: Pad::Explicit {
            begin: vec![0; 2],
            end: vec![0; 2],
        },
    };
    // One group per chemical: each spreads by itself.
    around.convolve(&kernels, None, window, 2)
}

/// One step of both chemicals.
fn step(tf: &Tf, field: &Value, feed: &Value, kill: &Value) -> Result<Value, Error> {
    let parts = field.split(&[1, 1], 1)?;
    let (u, v) = (&parts[0], &parts[1]);
    let eaten = u.mul(&v.square()?)?;
    let du = feed.sub(&feed.mul(u)?)?.sub(&eaten)?;
    let dv = eaten.sub(&feed.add(kill)?.mul(v)?)?;
    field
        .add(&spreading(tf, field)?)?
        .add(&du.concat(&[&dv], 1)?)
}

/// A function that advances the state `field` by `steps` and gives the mean of `v`.
fn reaction(tf: &Tf, start: Tensor, steps: usize) -> Result<CompiledFunction, Error> {
    let size = start.shape()[3];
    // A wave that closes on the torus.
    let turn = tf
        .arange(DType::F32, 0.0, size as f64, 1.0)?
        .mul_scalar(TAU / size as f64)?
        .cos()?;
    let wave = |(mean, swing): (f64, f64)| turn.mul_scalar(-swing)?.add_scalar(mean);
    let down = wave(FEED)?.reshape([1, 1, size, 1])?;
    let across = wave(KILL)?.reshape([1, 1, 1, size])?;
    let func = Func::new("reaction");
    let field = func.state("field", start)?;
    let mut next = field.clone();
    for _ in 0..steps {
        next = step(tf, &next, &down, &across)?;
    }
    func.update(&field, &next)?;
    func.output("eaters", &next.slice(1, 1, 2)?.mean()?)?;
    func.compile(&CompileOptions::default())
}

/// Food everywhere, and drops of eaters where seeded noise says so.
fn start(tf: &Tf, seed: u64, size: usize) -> Result<Tensor, Error> {
    tf.set_seed(seed);
    let cells = size / 4;
    let noise = tf.uniform(DType::F32, [1, 1, cells, cells])?;
    let drops = noise.greater_scalar(0.93)?.repeat(4, 2)?.repeat(4, 3)?;
    let amount = |inside: f32, outside: f32| drops.select(&tf.scalar(inside), &tf.scalar(outside));
    amount(0.5, 1.0)?
        .concat(&[&amount(0.25, 0.0)?], 1)?
        .into_tensor()
}

/// The eaters of a field as pixels `u8[height, width, 3]`, twice as large.
fn painted(tf: &Tf, field: Tensor) -> Result<Tensor, Error> {
    let size = field.shape()[3];
    let colours = [
        [8.0, 12.0, 32.0],
        [22.0, 60.0, 110.0],
        [34.0, 134.0, 148.0],
        [154.0, 206.0, 140.0],
        [252.0, 238.0, 170.0],
        [250.0, 160.0, 80.0],
    ];
    let eaters = tf.value(field).slice(1, 1, 2)?;
    let eaters = eaters.resize2d(2 * size, 2 * size, Interpolation::Bicubic)?;
    let eaters = eaters.reshape([2 * size, 2 * size])?;
    picture::coloured(&eaters.mul_scalar(2.4)?, &picture::palette(tf, &colours)?)?.into_tensor()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tf = Tf::new(&CompileOptions::default())?;
    let reaction = reaction(&tf, start(&tf, 1, SIZE)?, STEPS_PER_RUN)?;
    println!("  step  eaters");
    for run in 1..=RUNS {
        let eaters = reaction.call(&[])?["eaters"].to_vec::<f32>()?[0];
        if run % 100 == 0 {
            println!("{:>6}  {eaters:.4}", run * STEPS_PER_RUN);
        }
    }
    let path = picture::save(&painted(&tf, reaction.state("field")?)?, "reaction.png")?;
    println!("{}", path.display());
    Ok(())
}
