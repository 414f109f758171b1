//! What the guides that draw share: pixels as a PNG file, and a palette that is looked up like any table of rows.

use std::env;
use std::error::Error;
use std::path::PathBuf;

use image::RgbImage;
use tenfold::prelude::*;

/// Writes `u8[height, width, 3]` to the file that the first argument names, or to `name` in the folder for temporary files.
pub(crate) fn save(pixels: &Tensor, name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let path = env::args_os()
        .nth(1)
        .map_or_else(|| env::temp_dir().join(name), PathBuf::from);
    let [height, width, 3] = pixels.shape() else {
        return Err(format!("{:?} is no picture", pixels.shape()).into());
    };
    let (width, height) = (u32::try_from(*width)?, u32::try_from(*height)?);
    let image = RgbImage::from_raw(width, height, pixels.to_vec::<u8>()?);
    image.ok_or("pixels are missing")?.save(&path)?;
    Ok(path)
}

/// 256 colours `u8[256, 3]` between these, at equal distances.
pub(crate) fn palette(tf: &Tf, colours: &[[f32; 3]]) -> Result<Value, tenfold::Error> {
    let between = |level: usize, channel: usize| {
        let at = level as f32 / 255.0 * (colours.len() - 1) as f32;
        let low = (at as usize).min(colours.len() - 2);
        let part = at - low as f32;
        let colour = colours[low][channel] * (1.0 - part) + colours[low + 1][channel] * part;
        colour.round() as u8
    };
    let all = (0..256 * 3).map(|at| between(at / 3, at % 3));
    tf.values([256, 3], all.collect())
}

/// The colour of each number from 0 to 1: `u8[.., 3]`.
pub(crate) fn coloured(x: &Value, palette: &Value) -> Result<Value, tenfold::Error> {
    let level = x.mul_scalar(255.0)?.clamp(0.0, 255.0)?.cast(DType::I32)?;
    palette.embedding(&level)
}
