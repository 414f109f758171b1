//! Terrain: an island from seeded noise, worn down by erosion, drawn with light and shadow.
//!
//! Run it with `cargo run --release -p tenfold --example terrain -- island.png`.
//!
//! Three functions, each compiled once. `island` adds octaves of noise, each enlarged by `resize2d`; the noise is an input, so any
//! seed uses the same plan. `erosion` keeps the heights as state on the device: each run finds slopes with pooling, lets
//! what is too steep slide with a convolution, and writes nothing back until it is asked. `paint.rs` enlarges the map, takes
//! gradients with a convolution, and chooses colours with masks and `select`.
#![expect(clippy::print_stdout, reason = "a guide talks on the terminal")]

mod paint;
#[path = "../picture/mod.rs"]
#[expect(dead_code, reason = "this guide mixes its colours itself")]
mod picture;
#[cfg(test)]
mod tests;

use tenfold::graph::op::PadMode;
use tenfold::prelude::*;
use tenfold::{Error, Interpolation};

const SEED: u64 = 5;
const SIZE: usize = 256;
const ZOOM: usize = 3;
/// What a map may fall from one side to the other before ground slides.
const STEEPEST: f64 = 3.0;
/// Numbers per side of the octaves of noise; each counts half of the one before.
const OCTAVES: [usize; 6] = [5, 8, 13, 26, 52, 104];

fn compile(func: &Func) -> Result<CompiledFunction, Error> {
    func.compile(&CompileOptions::default())
}

/// Octaves of noise to heights of a map `[1, 1, size, size]`; the sea is at 0.
fn island(tf: &Tf, size: usize) -> Result<CompiledFunction, Error> {
    let func = Func::new("island");
    let line = tf.linspace(DType::F32, -1.0, 1.0, size)?;
    let across = line.reshape([1, 1, 1, size])?.square()?;
    let from_middle = across.add(&line.reshape([1, 1, size, 1])?.square()?)?;
    // High in the middle, under water at the border.
    let mut heights = from_middle.mul_scalar(-0.75)?.add_scalar(0.34)?;
    let mut weight = 0.8;
    for side in OCTAVES {
        let noise = func.input(
            format!("noise{side}"),
            DType::F32,
            [1, 1, side, side].map(Into::into),
        )?;
        let wide = noise
            .sub_scalar(0.5)?
            .resize2d(size, size, Interpolation::Bicubic)?;
        // Broad shapes roll; finer ones are ridges, highest where the noise passes 0.
        let layer = match side {
            0..10 => wide,
            _ => wide.abs()?.mul_scalar(-1.3)?.add_scalar(0.325)?,
        };
        heights = heights.add(&layer.mul_scalar(weight)?)?;
        weight /= 2.0;
    }
    func.output("heights", &heights)?;
    compile(&func)
}

/// A map around which its own border goes on for one cell.
fn edged(x: &Value) -> Result<Value, Error> {
    x.pad_with(PadMode::Edge, &[(0, 0), (0, 0), (1, 1), (1, 1)])
}

/// Wears the state `heights` down: where the lowest neighbour is more than `talus` below, a part of the rest slides away, in
/// equal parts to all neighbours; what lies in a hollow of the slope is carved a little deeper by water.
fn erosion(tf: &Tf, heights: Tensor, talus: f64) -> Result<CompiledFunction, Error> {
    let func = Func::new("erosion");
    let heights = func.state("heights", heights)?;
    let eighth = 1.0_f32 / 8.0;
    let ring = [
        eighth, eighth, eighth, eighth, 0.0, eighth, eighth, eighth, eighth,
    ];
    let ring = tf.values([1, 1, 3, 3], ring.to_vec())?;

    let lowest = edged(&heights)?.neg()?.max_pool2d(3, 1, 0)?.neg()?;
    let too_high = heights.sub(&lowest)?.sub_scalar(talus)?;
    let nothing = tf.scalar(0.0_f32);
    let sliding = too_high
        .greater_scalar(0.0)?
        .select(&too_high.mul_scalar(0.25)?, &nothing)?;
    let arriving = edged(&sliding)?.conv2d(&ring, None, 1, 0)?;
    let settled = heights.sub(&sliding)?.add(&arriving)?;
    let hollow = edged(&settled)?
        .avg_pool2d(3, 1, 0)?
        .sub(&settled)?
        .relu()?;
    func.update(&heights, &settled.sub(&hollow.mul_scalar(0.02)?)?)?;
    compile(&func)
}

/// The heights of a seed, and what some runs of erosion leave of them.
fn shaped(tf: &Tf, seed: u64, size: usize, runs: usize) -> Result<(Tensor, Tensor), Error> {
    tf.set_seed(seed);
    let noise = OCTAVES.map(|side| tf.uniform(DType::F32, [1, 1, side, side])?.into_tensor());
    let noise: Vec<Tensor> = noise.into_iter().collect::<Result<_, _>>()?;
    let feeds: Vec<&Tensor> = noise.iter().collect();
    let raw = island(tf, size)?.call(&feeds)?["heights"].duplicate()?;
    let erosion = erosion(tf, raw.duplicate()?, STEEPEST / size as f64)?;
    for _ in 0..runs {
        erosion.call(&[])?;
    }
    Ok((raw, erosion.state("heights")?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tf = Tf::new(&CompileOptions::default())?;
    let (_, heights) = shaped(&tf, SEED, SIZE, 20)?;
    let land = tf
        .value(heights.duplicate()?)
        .greater_scalar(0.0)?
        .cast(DType::F32)?
        .mean()?;
    let picture = paint::painted(&tf, SIZE, ZOOM)?.call(&[&heights])?;
    let path = picture::save(&picture["pixels"], "terrain.png")?;
    println!(
        "seed {SEED}: {:.0} % land, {}",
        land.get::<f32>(&[])? * 100.0,
        path.display()
    );
    Ok(())
}
