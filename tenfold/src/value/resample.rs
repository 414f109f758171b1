//! Images of another size.

use graph::op::{AspectPolicy, Coordinates, NearestMode, Op, Resize, ResizeMode, Shape};
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
        let mode = match interpolation {
            Interpolation::Nearest => return self.nearest(2, height)?.nearest(3, width),
            Interpolation::Bilinear => ResizeMode::Linear,
            Interpolation::Bicubic => ResizeMode::Cubic,
        };
        let op = Op::Resize(Resize {
            mode,
            coordinates: Coordinates::HalfPixel,
            nearest: NearestMode::Floor,
            cubic_a: -0.75,
            exclude_outside: false,
            extrapolation: 0.0,
            antialias: false,
            policy: AspectPolicy::Stretch,
            axes: Some(vec![2, 3]),
        });
        let sizes = Tensor::from_vec_row_major([2], vec![extent(height), extent(width)])?;
        let sizes = self.beside(sizes)?;
        Ok(apply_all(&op, &[Some(self), None, None, Some(&sizes)])?.swap_remove(0))
    }

    /// The elements at `floor(i * from / to)` of an axis, in whole numbers: a scale that is rounded first would miss some.
    fn nearest(&self, axis: usize, to: usize) -> Result<Value, Error> {
        let (at, count) = (extent(axis), extent(to));
        let index = match self.dims()[axis].as_known() {
            Some(0) if to > 0 => {
                let reason = format!("axis {axis} has no pixels to make others of");
                return Err(refused("resize2d", "x", self.ty(), reason));
            }
            Some(from) => {
                let index = (0..count)
                    .map(|i| i64::try_from(i128::from(i) * i128::from(from) / i128::from(count)));
                let index = index.map(|i| i.unwrap_or(i64::MAX)).collect();
                self.beside(Tensor::from_vec_row_major([to], index)?)?
            }
            None => {
                let from = self.map(Op::Shape(Shape {
                    start: at,
                    end: Some(at + 1),
                }))?;
                let steps = Tensor::from_vec_row_major([to], (0..count).collect())?;
                let steps = self.beside(steps)?;
                steps
                    .mul(&from)?
                    .div(&self.beside(Tensor::scalar(count))?)?
            }
        };
        self.gather(&index, at)
    }
}

fn extent(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
