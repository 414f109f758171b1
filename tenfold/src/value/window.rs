//! Convolution and pooling of `[batch, channels, spatial..]`.
//!
//! The methods with a number in their name take one stride and one padding for all axes; [`Value::convolve`] and
//! [`Value::deconvolve`] take everything that the ops have.

use graph::op::{Conv, ConvTranspose, Op, Pad, Pool, PoolKind, Window};

use super::{Value, apply_all, refused};
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
        self.convolve(weight, bias, window(1, stride, padding), 1)
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
        self.convolve(weight, bias, window(2, stride, padding), 1)
    }

    /// Cross-correlation of `[batch, channels, spatial..]` with `weight` of `[out channels, channels / groups, kernel..]`:
    /// any number of spatial axes, each with its stride, dilation and padding. With as many groups as channels each channel is
    /// filtered alone.
    ///
    /// # Errors
    /// As [`Value::conv1d`]; channels that the groups do not divide; lists of another length than there are spatial axes.
    pub fn convolve(
        &self,
        weight: &Value,
        bias: Option<&Value>,
        window: Window,
        groups: usize,
    ) -> Result<Value, Error> {
        let op = Op::Conv(Conv { window, groups });
        self.weighted(&op, weight, bias)
    }

    /// The transpose of [`Value::conv2d`]: every element of `[batch, channels, height, width]` adds a kernel of `weight`, which
    /// is `[channels, out channels, kernel height, kernel width]`, to the result, `stride` apart. An extent `d` becomes
    /// `stride * (d - 1) + kernel - 2 * padding`: padding takes away from the result.
    ///
    /// # Errors
    /// Ranks or channels that do not fit, a stride of 0, a padding that takes away more than there is.
    pub fn conv_transpose2d(
        &self,
        weight: &Value,
        bias: Option<&Value>,
        stride: usize,
        padding: usize,
    ) -> Result<Value, Error> {
        self.deconvolve(weight, bias, window(2, stride, padding), 1)
    }

    /// As [`Value::conv_transpose2d`] for `[batch, channels, length]` and `weight` of `[channels, out channels, kernel]`.
    ///
    /// # Errors
    /// As [`Value::conv_transpose2d`].
    pub fn conv_transpose1d(
        &self,
        weight: &Value,
        bias: Option<&Value>,
        stride: usize,
        padding: usize,
    ) -> Result<Value, Error> {
        self.deconvolve(weight, bias, window(1, stride, padding), 1)
    }

    /// The transpose of [`Value::convolve`], with `weight` of `[channels, out channels / groups, kernel..]`.
    ///
    /// # Errors
    /// As [`Value::conv_transpose2d`]; channels that the groups do not divide.
    pub fn deconvolve(
        &self,
        weight: &Value,
        bias: Option<&Value>,
        window: Window,
        groups: usize,
    ) -> Result<Value, Error> {
        let op = Op::ConvTranspose(ConvTranspose {
            output_padding: vec![0; window.strides.len()],
            window,
            output: None,
            groups,
        });
        self.weighted(&op, weight, bias)
    }

    fn weighted(&self, op: &Op, weight: &Value, bias: Option<&Value>) -> Result<Value, Error> {
        let mut inputs = vec![Some(self), Some(weight)];
        inputs.extend(bias.map(Some));
        Ok(apply_all(op, &inputs)?.swap_remove(0))
    }

    /// The largest element of each `kernel x kernel` window of `[batch, channels, height, width]`; padding is left out.
    ///
    /// # Errors
    /// A rank other than 4, a stride or kernel of 0, a kernel longer than the padded input.
    pub fn max_pool2d(&self, kernel: usize, stride: usize, padding: usize) -> Result<Value, Error> {
        self.pool(PoolKind::Max, vec![kernel; 2], window(2, stride, padding))
    }

    /// The mean of each `kernel x kernel` window of `[batch, channels, height, width]`, of the elements that are there:
    /// padding is not counted.
    ///
    /// # Errors
    /// As [`Value::max_pool2d`].
    pub fn avg_pool2d(&self, kernel: usize, stride: usize, padding: usize) -> Result<Value, Error> {
        let window = window(2, stride, padding);
        self.pool(PoolKind::Average, vec![kernel; 2], window)
    }

    /// As [`Value::max_pool2d`] for `[batch, channels, length]`.
    ///
    /// # Errors
    /// As [`Value::max_pool2d`], for a rank other than 3.
    pub fn max_pool1d(&self, kernel: usize, stride: usize, padding: usize) -> Result<Value, Error> {
        self.pool(PoolKind::Max, vec![kernel], window(1, stride, padding))
    }

    /// As [`Value::avg_pool2d`] for `[batch, channels, length]`.
    ///
    /// # Errors
    /// As [`Value::max_pool1d`].
    pub fn avg_pool1d(&self, kernel: usize, stride: usize, padding: usize) -> Result<Value, Error> {
        self.pool(PoolKind::Average, vec![kernel], window(1, stride, padding))
    }

    fn pool(&self, kind: PoolKind, kernel: Vec<usize>, window: Window) -> Result<Value, Error> {
        self.map(Op::Pool(Pool {
            kind,
            kernel,
            window,
            ceil: false,
            count_pad: false,
        }))
    }

    /// The largest element of each channel of `[batch, channels, spatial..]`; the spatial axes stay with extent 1.
    ///
    /// # Errors
    /// Fewer than three axes, or elements that are no numbers.
    pub fn global_max_pool(&self) -> Result<Value, Error> {
        self.max_axes(&self.spatial("global_max_pool")?, true)
    }

    /// The mean of each channel of `[batch, channels, spatial..]`; the spatial axes stay with extent 1.
    ///
    /// # Errors
    /// As [`Value::global_max_pool`].
    pub fn global_avg_pool(&self) -> Result<Value, Error> {
        self.mean_axes(&self.spatial("global_avg_pool")?, true)
    }

    fn spatial(&self, op: &'static str) -> Result<Vec<i64>, Error> {
        if self.rank() < 3 {
            let reason = "must be [batch, channels, spatial..]";
            return Err(refused(op, "x", self.ty(), reason));
        }
        Ok((2..).take(self.rank() - 2).collect())
    }
}
