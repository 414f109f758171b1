//! Images of another size.

use graph::op::{AspectPolicy, Coordinates, NearestMode, Op, Resize, ResizeMode};
use tensor::Tensor;

use super::{Value, apply_all, refused};
use crate::Error;

/// How pixels between the pixels are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The pixel at `floor(i * from / to)`: each pixel becomes a block.
    Nearest,
    /// From the two nearest pixels of each axis, by their distances.
    Bilinear,
    /// From the four nearest pixels of each axis, by the cubic convolution with the parameter -0.75.
    Bicubic,
}

impl Value {
    /// Images `[batch, channels, height, width]` at another size.
    ///
    /// Pixels are squares and have their values in the middle: pixel `i` of `to` lies at `(i + 0.5) * from / to - 0.5`, and
    /// beyond the first and the last middle the image goes on as it is there. [`Interpolation::Nearest`] takes the pixel at
    /// `floor(i * from / to)` instead.
    ///
    /// ```
    /// use tenfold::Interpolation;
    /// use tenfold::prelude::*;
    ///
    /// let tf = Tf::new(&CompileOptions::default())?;
    /// let row = tf.values([1, 1, 1, 2], vec![0.0_f32, 8.0])?;
    /// assert_eq!(row.resize2d(1, 4, Interpolation::Bilinear)?.to_vec::<f32>()?, [0.0, 2.0, 6.0, 8.0]);
    /// assert_eq!(row.resize2d(1, 4, Interpolation::Nearest)?.to_vec::<f32>()?, [0.0, 0.0, 8.0, 8.0]);
    /// # Ok::<(), tenfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// A rank other than 4, complex elements, or pixels to be made of none.
    pub fn resize2d(
        &self,
        height: usize,
        width: usize,
        interpolation: Interpolation,
    ) -> Result<Value, Error> {
        if self.rank() != 4 {
            let reason = "must be [batch, channels, height, width]";
            return Err(refused("resize2d", "x", self.ty(), reason));
        }
        let (mode, coordinates) = match interpolation {
            Interpolation::Nearest => (ResizeMode::Nearest, Coordinates::Asymmetric),
            Interpolation::Bilinear => (ResizeMode::Linear, Coordinates::HalfPixel),
            Interpolation::Bicubic => (ResizeMode::Cubic, Coordinates::HalfPixel),
        };
        let op = Op::Resize(Resize {
            mode,
            coordinates,
            nearest: NearestMode::Floor,
            cubic_a: -0.75,
            exclude_outside: false,
            extrapolation: 0.0,
            antialias: false,
            policy: AspectPolicy::Stretch,
            axes: Some(vec![2, 3]),
        });
        let extent = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let sizes = Tensor::from_vec_row_major([2], vec![extent(height), extent(width)])?;
        let sizes = self.beside(sizes)?;
        Ok(apply_all(&op, &[Some(self), None, None, Some(&sizes)])?.swap_remove(0))
    }
}
