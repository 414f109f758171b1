//! Terrain: an island from seeded noise, worn down by erosion, drawn with light and shadow.
//!
//! Run it with `cargo run --release -p tenfold --example terrain -- island.png`.
//!
//! Three functions, each compiled once. `island` adds octaves of noise, each enlarged by `resize2d`; the noise is an input, so any
//! seed uses the same plan. `erosion` keeps the heights as state on the device: each run finds slopes with pooling, lets
//! what is too steep slide with a convolution, and writes nothing back until it is asked. `painted` enlarges the map, takes
//! gradients with a convolution, and chooses colours with masks and `select`.
#![expect(clippy::print_stdout, reason = "a guide talks on the terminal")]

#[expect(dead_code, reason = "this guide mixes its colours itself")]
mod picture;

use tenfold::graph::op::PadMode;
use tenfold::prelude::*;
use tenfold::{Error, Interpolation};

const SEED: u64 = 20;
const SIZE: usize = 256;
const ZOOM: usize = 3;
/// Numbers per side of the octaves of noise; each counts half of the one before.
const OCTAVES: [usize; 6] = [4, 7, 13, 26, 52, 104];

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
    let mut heights = from_middle.mul_scalar(-0.75)?.add_scalar(0.32)?;
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
        heights = heights.add(&wide.mul_scalar(weight)?)?;
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
    let eighth = 1.0 / 8.0;
    let ring = [
        eighth, eighth, eighth, eighth, 0.0, eighth, eighth, eighth, eighth,
    ];
    let ring = tf.values([1, 1, 3, 3], ring.to_vec())?;

    let lowest = edged(&heights)?.neg()?.max_pool2d(3, 1, 0)?.neg()?;
    let too_high = heights.sub(&lowest)?.sub_scalar(talus)?;
    let nothing = tf.scalar(0.0_f32);
    let sliding = too_high
        .greater_scalar(0.0)?
        .select(&too_high.mul_scalar(0.5)?, &nothing)?;
    let arriving = edged(&sliding)?.conv2d(&ring, None, 1, 0)?;
    let settled = heights.sub(&sliding)?.add(&arriving)?;
    let hollow = edged(&settled)?
        .avg_pool2d(3, 1, 0)?
        .sub(&settled)?
        .relu()?;
    func.update(&heights, &settled.sub(&hollow.mul_scalar(0.1)?)?)?;
    compile(&func)
}

/// `a` where `t` is 0, `b` where it is 1 or more.
fn mix(a: &Value, b: &Value, t: &Value) -> Result<Value, Error> {
    a.add(&b.sub(a)?.mul(&t.clamp(0.0, 1.0)?)?)
}

/// Heights `[1, 1, size, size]` as pixels `u8[height, width, 3]`, `zoom` times as large.
fn painted(tf: &Tf, size: usize, zoom: usize) -> Result<CompiledFunction, Error> {
    let func = Func::new("painted");
    let colour = |rgb: [f32; 3]| tf.values([1, 3, 1, 1], rgb.map(|x| x / 255.0).to_vec());
    let large = size * zoom;
    let map = func.input("heights", DType::F32, [1, 1, size, size].map(Into::into))?;
    let heights = map.resize2d(large, large, Interpolation::Bicubic)?;

    // Gradients to the east and to the south, by the kernels of Sobel.
    let east = [-1.0_f32, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0];
    let south = [-1.0_f32, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0];
    let kernels = tf.values([2, 1, 3, 3], [east, south].concat())?;
    let gradients = edged(&heights)?
        .conv2d(&kernels, None, 1, 0)?
        .mul_scalar(large as f64 / 96.0)?;
    let steep = gradients.square()?.sum_axes(&[1], true)?;
    let parts = gradients.split(&[1, 1], 1)?;
    // Light from the north-west: the cosine of its angle with the ground.
    let toward = parts[0].add(&parts[1])?.mul_scalar(0.55)?.add_scalar(0.7)?;
    let light = toward
        .div(&steep.add_scalar(1.0)?.sqrt()?)?
        .clamp(0.12, 1.25)?;

    let grass = mix(
        &colour([104.0, 142.0, 66.0])?,
        &colour([52.0, 92.0, 48.0])?,
        &heights.mul_scalar(5.0)?,
    )?;
    let upland = heights.sub_scalar(0.22)?.mul_scalar(6.0)?;
    let land = mix(&grass, &colour([128.0, 112.0, 84.0])?, &upland)?;
    let land = mix(
        &land,
        &colour([112.0, 104.0, 98.0])?,
        &steep.sub_scalar(0.5)?.mul_scalar(1.6)?,
    )?;
    let snow = heights
        .greater_scalar(0.42)?
        .and(&steep.less_scalar(0.9)?)?;
    let land = snow.select(&colour([240.0, 244.0, 250.0])?, &land)?;
    let beach = heights.less_scalar(0.018)?;
    let land = beach
        .select(&colour([214.0, 196.0, 146.0])?, &land)?
        .mul(&light)?;

    let depth = heights.neg()?;
    let shallow = mix(
        &colour([96.0, 190.0, 186.0])?,
        &colour([38.0, 110.0, 152.0])?,
        &depth.mul_scalar(9.0)?,
    )?;
    let sea = mix(
        &shallow,
        &colour([14.0, 42.0, 84.0])?,
        &depth.mul_scalar(2.2)?,
    )?;
    let sea = sea.mul(&light.mul_scalar(0.15)?.add_scalar(0.85)?)?;
    let pixels = depth.greater_scalar(0.0)?.select(&sea, &land)?;
    let pixels = pixels
        .mul_scalar(255.0)?
        .clamp(0.0, 255.0)?
        .cast(DType::U8)?;
    func.output("pixels", &pixels.permute(&[0, 2, 3, 1])?.squeeze(0)?)?;
    compile(&func)
}

/// The heights of a seed, and what some runs of erosion leave of them.
fn shaped(tf: &Tf, seed: u64, size: usize, runs: usize) -> Result<(Tensor, Tensor), Error> {
    tf.set_seed(seed);
    let noise = OCTAVES.map(|side| tf.uniform(DType::F32, [1, 1, side, side])?.into_tensor());
    let noise: Vec<Tensor> = noise.into_iter().collect::<Result<_, _>>()?;
    let feeds: Vec<&Tensor> = noise.iter().collect();
    let raw = island(tf, size)?.call(&feeds)?["heights"].duplicate()?;
    let erosion = erosion(tf, raw.duplicate()?, 1.2 / size as f64)?;
    for _ in 0..runs {
        erosion.call(&[])?;
    }
    Ok((raw, erosion.state("heights")?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tf = Tf::new(&CompileOptions::default())?;
    let (_, heights) = shaped(&tf, SEED, SIZE, 60)?;
    let land = tf
        .value(heights.duplicate()?)
        .greater_scalar(0.0)?
        .cast(DType::F32)?
        .mean()?;
    let picture = painted(&tf, SIZE, ZOOM)?.call(&[&heights])?;
    let path = picture::save(&picture["pixels"], "terrain.png")?;
    println!(
        "seed {SEED}: {:.0} % land, {}",
        land.get::<f32>(&[])? * 100.0,
        path.display()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One run of erosion with plain loops in f64; beyond the border the map goes on as it is there.
    fn eroded(map: &[f64], size: usize, talus: f64) -> Vec<f64> {
        let around = |x: &[f64], at: usize| -> Vec<f64> {
            let (row, column) = ((at / size) as i64, (at % size) as i64);
            let inside = |i: i64| i.clamp(0, size as i64 - 1) as usize;
            let cells = (0..9).map(|n| (inside(row + n / 3 - 1), inside(column + n % 3 - 1)));
            cells.map(|(row, column)| x[row * size + column]).collect()
        };
        let sliding: Vec<f64> = (0..map.len())
            .map(|at| {
                let lowest = around(map, at).into_iter().fold(f64::INFINITY, f64::min);
                0.5 * (map[at] - lowest - talus).max(0.0)
            })
            .collect();
        let settled: Vec<f64> = (0..map.len())
            .map(|at| {
                let arriving = around(&sliding, at).iter().sum::<f64>() - sliding[at];
                map[at] - sliding[at] + arriving / 8.0
            })
            .collect();
        let carved = |at: usize| {
            let mean = around(&settled, at).iter().sum::<f64>() / 9.0;
            settled[at] - 0.1 * (mean - settled[at]).max(0.0)
        };
        (0..map.len()).map(carved).collect()
    }

    #[test]
    fn r02_terrain_follows_from_its_seed_and_erosion_from_its_formula() {
        let tf = Tf::new(&CompileOptions::default()).unwrap();
        let size = 24;
        let (raw, worn) = shaped(&tf, 5, size, 2).unwrap();
        let elements = |map: &Tensor| map.to_vec::<f32>().unwrap();
        let wide: Vec<f64> = elements(&raw).into_iter().map(f64::from).collect();
        let talus = 1.2 / size as f64;
        let want = eroded(&eroded(&wide, size, talus), size, talus);
        for (got, want) in elements(&worn).into_iter().zip(want) {
            assert!((f64::from(got) - want).abs() < 1e-5, "{got} {want}");
        }
        assert_eq!(
            elements(&worn),
            elements(&shaped(&tf, 5, size, 2).unwrap().1)
        );
        assert_ne!(
            elements(&worn),
            elements(&shaped(&tf, 6, size, 2).unwrap().1)
        );

        let painted = painted(&tf, size, 2).unwrap();
        let picture = painted.call(&[&worn]).unwrap();
        assert_eq!(
            (picture["pixels"].dtype(), picture["pixels"].shape()),
            (DType::U8, &[48, 48, 3][..])
        );
        // Flat ground far below the sea is blue, and lit from above; flat ground above it is green.
        for (height, rgb) in [(-1.0_f32, [13, 39, 79]), (0.05, [63, 90, 43])] {
            let flat = Tensor::from_vec_row_major([1, 1, size, size], vec![height; size * size]);
            let picture = painted.call(&[&flat.unwrap()]).unwrap();
            let pixels = picture["pixels"].to_vec::<u8>().unwrap();
            let near = |(got, want): (&u8, u8)| got.abs_diff(want) <= 1;
            assert!(pixels[..3].iter().zip(rgb).all(near), "{:?}", &pixels[..3]);
        }
    }
}
