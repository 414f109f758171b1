//! Convolution and pooling of `[batch, channels, spatial..]`.

use graph::op::{Conv, Op, Pad, Pool, PoolKind, Window};

use super::{Value, apply_all};
use crate::Error;

/// The same stride and padding along each of `axes` axes.
fn window(axes: usize, stride: usize, padding: usize) -> Window {
    Window {
        strides: vec![stride; axes],
        dilations: vec![1; axes],
        pad: Pad::Explicit {
            begin: vec![padding; axes],
            end: vec![padding; axes],
        },
    }
}

impl Value {
    /// Cross-correlation of `[batch, channels, length]` with `weight` of `[out channels, channels, kernel]`; `bias` is one
    /// number per output channel. Padding is with zeros on both sides.
    ///
    /// # Errors
    /// Ranks or channels that do not fit, a stride of 0, a kernel longer than the padded input.
    pub fn conv1d(
        &self,
        weight: &Value,
        bias: Option<&Value>,
        stride: usize,
        padding: usize,
    ) -> Result<Value, Error> {
        self.conv(weight, bias, window(1, stride, padding))
    }

    /// Cross-correlation of `[batch, channels, height, width]` with `weight` of `[out channels, channels, kernel height,
    /// kernel width]`; otherwise as [`Value::conv1d`].
    ///
    /// # Errors
    /// As [`Value::conv1d`].
    pub fn conv2d(
        &self,
        weight: &Value,
        bias: Option<&Value>,
        stride: usize,
        padding: usize,
    ) -> Result<Value, Error> {
        self.conv(weight, bias, window(2, stride, padding))
    }

    fn conv(&self, weight: &Value, bias: Option<&Value>, window: Window) -> Result<Value, Error> {
        let mut inputs = vec![Some(self), Some(weight)];
        inputs.extend(bias.map(Some));
        let op = Op::Conv(Conv { window, groups: 1 });
        Ok(apply_all(&op, &inputs)?.swap_remove(0))
    }

    /// The largest element of each `kernel x kernel` window of `[batch, channels, height, width]`; padding is left out.
    ///
    /// # Errors
    /// A rank other than 4, a stride or kernel of 0, a kernel longer than the padded input.
    pub fn max_pool2d(&self, kernel: usize, stride: usize, padding: usize) -> Result<Value, Error> {
        self.pool2d(PoolKind::Max, kernel, stride, padding)
    }

    /// The mean of each `kernel x kernel` window of `[batch, channels, height, width]`, of the elements that are there:
    /// padding is not counted.
    ///
    /// # Errors
    /// As [`Value::max_pool2d`].
    pub fn avg_pool2d(&self, kernel: usize, stride: usize, padding: usize) -> Result<Value, Error> {
        self.pool2d(PoolKind::Average, kernel, stride, padding)
    }

    fn pool2d(
        &self,
        kind: PoolKind,
        kernel: usize,
        stride: usize,
        padding: usize,
    ) -> Result<Value, Error> {
        self.map(Op::Pool(Pool {
            kind,
            kernel: vec![kernel; 2],
            window: window(2, stride, padding),
            ceil: false,
            count_pad: false,
        }))
    }
}
