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

mod picture;

use std::f64::consts::TAU;

use tenfold::Error;
use tenfold::graph::op::{Pad, PadMode, Window};
use tenfold::prelude::*;

const SIZE: usize = 384;
const STEPS_PER_RUN: usize = 10;
const RUNS: usize = 700;
/// How fast the chemicals spread, in cells squared per step.
const SPREAD: [f32; 2] = [0.2097, 0.105];
/// Food per step: a mean, and how much more there is in the middle row and less in the top one.
const FEED: (f64, f64) = (0.040, 0.016);
/// Eaters that die per step, beside those that are washed out, likewise in the middle and the left column.
const KILL: (f64, f64) = (0.0612, 0.0022);

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
    let around = field.pad_with(PadMode::Wrap, &[(0, 0), (0, 0), (1, 1), (1, 1)])?;
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

/// The eaters of a field as pixels `u8[size, size, 3]`.
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
    let eaters = tf.value(field).slice(1, 1, 2)?.reshape([size, size])?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A step with plain loops in f64, for `u` then `v`.
    fn expected(field: &[f64], size: usize) -> Vec<f64> {
        let line = |(mean, swing): (f64, f64), at: usize| {
            mean - swing * (TAU * at as f64 / size as f64).cos()
        };
        let all = size * size;
        let flow = |chemical: usize, row: usize, column: usize| {
            let at = |dr: usize, dc: usize| {
                let (row, column) = (
                    (row + size + dr - 1) % size,
                    (column + size + dc - 1) % size,
                );
                field[chemical * all + row * size + column]
            };
            let edges = at(0, 1) + at(1, 0) + at(1, 2) + at(2, 1);
            let corners = at(0, 0) + at(0, 2) + at(2, 0) + at(2, 2);
            (0.2 * edges + 0.05 * corners - at(1, 1)) / 0.3 * f64::from(SPREAD[chemical])
        };
        let cell = |at: usize| {
            let (chemical, row, column) = (at / all, at % all / size, at % size);
            let (u, v) = (field[at % all], field[all + at % all]);
            let (feed, kill) = (line(FEED, row), line(KILL, column));
            let change = match chemical {
                0 => feed * (1.0 - u) - u * v * v,
                _ => u * v * v - (feed + kill) * v,
            };
            field[at] + flow(chemical, row, column) + change
        };
        (0..2 * all).map(cell).collect()
    }

    #[test]
    fn r03_the_state_advances_by_the_equations() {
        let tf = Tf::new(&CompileOptions::default()).unwrap();
        let size = 12;
        let start = start(&tf, 4, size).unwrap();
        let mut want: Vec<f64> = start
            .to_vec::<f32>()
            .unwrap()
            .into_iter()
            .map(f64::from)
            .collect();
        let reaction = reaction(&tf, start, 3).unwrap();
        for _ in 0..4 {
            let eaters = reaction.call(&[]).unwrap()["eaters"]
                .to_vec::<f32>()
                .unwrap()[0];
            for _ in 0..3 {
                want = expected(&want, size);
            }
            let mean = want[size * size..].iter().sum::<f64>() / (size * size) as f64;
            assert!((f64::from(eaters) - mean).abs() < 1e-6, "{eaters} {mean}");
            let field = reaction.state("field").unwrap().to_vec::<f32>().unwrap();
            for (got, want) in field.iter().zip(&want) {
                assert!((f64::from(*got) - want).abs() < 1e-5, "{got} {want}");
            }
        }
        assert_eq!(reaction.compilations(), 1);
        let picture = painted(&tf, reaction.state("field").unwrap()).unwrap();
        assert_eq!(
            (picture.dtype(), picture.shape()),
            (DType::U8, &[size, size, 3][..])
        );
    }
}
