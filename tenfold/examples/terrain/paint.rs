//! A map of heights as a picture: relief under light from the north-west, colours by height and steepness.

use tenfold::graph::op::PadMode;
use tenfold::prelude::*;
use tenfold::{Error, Interpolation};

/// An RGB colour from 0 to 255 for every pixel.
fn colour(tf: &Tf, rgb: [f32; 3]) -> Result<Value, Error> {
    tf.values([1, 3, 1, 1], rgb.map(|x| x / 255.0).to_vec())
}

/// `under` where `t` is 0, the colour where it is 1 or more.
fn over(under: &Value, tf: &Tf, rgb: [f32; 3], t: &Value) -> Result<Value, Error> {
    let t = t.clamp(0.0, 1.0)?;
    under.add(&colour(tf, rgb)?.sub(under)?.mul(&t)?)
}

/// How steep the ground is (the square of its gradient), and how much light it gets: `[1, 1, size, size]` both.
fn relief(tf: &Tf, heights: &Value, size: usize) -> Result<(Value, Value), Error> {
    // Gradients to the east and to the south, by the kernels of Sobel.
    let east = [-1.0_f32, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0];
    let south = [-1.0_f32, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0];
    let kernels = tf.values([2, 1, 3, 3], [east, south].concat())?;
    let edged = heights.pad_with(PadMode::Edge, &[(0, 0), (0, 0), (1, 1), (1, 1)])?;
    let gradients = edged
        .conv2d(&kernels, None, 1, 0)?
        .mul_scalar(size as f64 / 96.0)?;
    let steep = gradients.square()?.sum_axes(&[1], true)?;
    // The cosine of the angle between the light and the ground's normal.
    let toward = gradients
        .sum_axes(&[1], true)?
        .mul_scalar(0.55)?
        .add_scalar(0.7)?;
    let light = toward
        .div(&steep.add_scalar(1.0)?.sqrt()?)?
        .clamp(0.12, 1.25)?;
    Ok((steep, light))
}

fn land(tf: &Tf, heights: &Value, steep: &Value) -> Result<Value, Error> {
    let above = |height: f64, rate: f64| heights.sub_scalar(height)?.mul_scalar(rate);
    let meadow = colour(tf, [118.0, 150.0, 72.0])?;
    let forest = over(&meadow, tf, [58.0, 98.0, 52.0], &above(0.0, 5.0)?)?;
    let upland = over(&forest, tf, [136.0, 120.0, 92.0], &above(0.2, 6.0)?)?;
    let rock = steep.sub_scalar(0.6)?.mul_scalar(1.2)?;
    let rocky = over(&upland, tf, [116.0, 108.0, 102.0], &rock)?;
    // Snow lies high up, and slides off walls.
    let snowy = over(&rocky, tf, [244.0, 247.0, 252.0], &above(0.44, 14.0)?)?;
    let land = steep.less_scalar(1.6)?.select(&snowy, &rocky)?;
    let beach = heights.less_scalar(0.018)?;
    beach.select(&colour(tf, [220.0, 202.0, 152.0])?, &land)
}

fn sea(tf: &Tf, depth: &Value) -> Result<Value, Error> {
    let shallow = colour(tf, [104.0, 200.0, 192.0])?;
    let open = over(&shallow, tf, [38.0, 112.0, 156.0], &depth.mul_scalar(9.0)?)?;
    over(&open, tf, [14.0, 42.0, 84.0], &depth.mul_scalar(2.2)?)
}

/// Heights `[1, 1, size, size]` as pixels `u8[height, width, 3]`, `zoom` times as large.
pub(crate) fn painted(tf: &Tf, size: usize, zoom: usize) -> Result<CompiledFunction, Error> {
    let func = Func::new("painted");
    let large = size * zoom;
    let map = func.input("heights", DType::F32, [1, 1, size, size].map(Into::into))?;
    // The mean around each pixel hides where the cells of the map meet.
    let wide = map.resize2d(large, large, Interpolation::Bicubic)?;
    let heights = wide.avg_pool2d(3, 1, 1)?;
    let (steep, light) = relief(tf, &heights, large)?;
    let land = land(tf, &heights, &steep)?.mul(&light)?;
    // Water shows little of the relief.
    let depth = heights.neg()?;
    let sea = sea(tf, &depth)?.mul(&light.mul_scalar(0.15)?.add_scalar(0.85)?)?;
    let picture = depth.greater_scalar(0.0)?.select(&sea, &land)?;
    let levels = picture.mul_scalar(255.0)?.clamp(0.0, 255.0)?;
    let pixels = levels.cast(DType::U8)?.permute(&[0, 2, 3, 1])?.squeeze(0)?;
    func.output("pixels", &pixels)?;
    func.compile(&CompileOptions::default())
}
