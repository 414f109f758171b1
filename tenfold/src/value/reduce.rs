//! Reductions, softmax and the norms.

use graph::op::{BatchNorm, LayerNorm, Op, Reduce, ReduceKind, Softmax};
use tensor::DType;

use super::{Value, apply, refused};
use crate::Error;

macro_rules! reductions {
    ($($(#[$doc:meta])* $method:ident $all:ident $kind:ident;)+) => {
        impl Value {
            $(
                $(#[$doc])*
                /// Over these axes, negative ones counted from the end; a reduced axis stays with extent 1 if `keep`.
                ///
                /// # Errors
                /// If there is no such axis, one is named twice, or the elements are no numbers.
                pub fn $method(&self, axes: &[i64], keep: bool) -> Result<Value, Error> {
                    self.reduce(ReduceKind::$kind, axes.to_vec(), keep)
                }

                $(#[$doc])*
                /// Over all axes; the result has rank 0.
                ///
                /// # Errors
                /// If the elements are no numbers.
                pub fn $all(&self) -> Result<Value, Error> {
                    let rank = i64::try_from(self.rank()).unwrap_or(i64::MAX);
                    self.reduce(ReduceKind::$kind, (0..rank).collect(), false)
                }
            )+
        }
    };
}

reductions! {
    /// The sum; 0 for no elements.
    sum_axes sum Sum;
    /// The mean; NaN for no elements.
    mean_axes mean Mean;
    /// The smallest element; NaN if any is NaN, `inf` for no elements.
    min_axes min Min;
    /// The largest element; NaN if any is NaN, `-inf` for no elements.
    max_axes max Max;
    /// The product; 1 for no elements.
    prod_axes prod Prod;
}

impl Value {
    fn reduce(&self, kind: ReduceKind, axes: Vec<i64>, keep: bool) -> Result<Value, Error> {
        self.map(Op::Reduce(Reduce {
            kind,
            axes: Some(axes),
            keep,
            noop_if_empty: true,
        }))
    }

    /// `ln(sum of e^x)` over an axis, computed as `m + ln(sum of e^(x - m))` with its maximum `m`, so that nothing overflows;
    /// the axis goes or, if `keep`, stays with extent 1.
    ///
    /// # Errors
    /// If there is no such axis or the elements are no floats.
    pub fn log_sum_exp(&self, axis: i64, keep: bool) -> Result<Value, Error> {
        let most = self.max_axes(&[axis], true)?;
        // An infinite maximum would give NaN for itself: it is the result already.
        let finite = most.is_inf()?.not()?;
        let shift = finite.select(&most, &most.number(0.0)?)?;
        let sum = self.sub(&shift)?.exp()?.sum_axes(&[axis], true)?;
        let whole = sum.log()?.add(&shift)?;
        if keep { Ok(whole) } else { whole.squeeze(axis) }
    }

    /// The mean of `(x - mean)^2` over these axes: the variance of all there is, not an estimate from a sample.
    ///
    /// # Errors
    /// As [`Value::mean_axes`].
    pub fn variance(&self, axes: &[i64], keep: bool) -> Result<Value, Error> {
        let mean = self.mean_axes(axes, true)?;
        self.sub(&mean)?.square()?.mean_axes(axes, keep)
    }

    /// Whether any of the bools over these axes is true; false for none.
    ///
    /// # Errors
    /// As [`Value::sum_axes`], or if the elements are no bools.
    pub fn any(&self, axes: &[i64], keep: bool) -> Result<Value, Error> {
        self.bools("any")?.max_axes(axes, keep)?.cast(DType::Bool)
    }

    /// Whether all of the bools over these axes are true; true for none.
    ///
    /// # Errors
    /// As [`Value::any`].
    pub fn all(&self, axes: &[i64], keep: bool) -> Result<Value, Error> {
        self.bools("all")?.min_axes(axes, keep)?.cast(DType::Bool)
    }

    /// Bools as 0 and 1.
    fn bools(&self, op: &'static str) -> Result<Value, Error> {
        match self.dtype() {
            DType::Bool => self.cast(DType::U8),
            _ => Err(refused(
                op,
                "x",
                self.ty(),
                "must be bools; compare it first",
            )),
        }
    }

    /// `e^(x - m) / sum of e^(x - m)` along an axis with its maximum `m`.
    ///
    /// # Errors
    /// If there is no such axis or the elements are no floats.
    pub fn softmax(&self, axis: i64) -> Result<Value, Error> {
        self.map(Op::Softmax(Softmax { axis, log: false }))
    }

    /// The logarithm of [`Value::softmax`], exact where the softmax underflows.
    ///
    /// # Errors
    /// As [`Value::softmax`].
    pub fn log_softmax(&self, axis: i64) -> Result<Value, Error> {
        self.map(Op::Softmax(Softmax { axis, log: true }))
    }

    /// `(x - mean) / sqrt(mean of (x - mean)^2 + epsilon)` over the last axis, times `scale` and plus `bias` where given.
    ///
    /// # Errors
    /// If `scale` or `bias` does not have the shape of the last axis, or the elements are no floats.
    pub fn layer_norm(
        &self,
        scale: Option<&Value>,
        bias: Option<&Value>,
        epsilon: f32,
    ) -> Result<Value, Error> {
        let op = Op::LayerNorm(LayerNorm { axis: -1, epsilon });
        let inputs: &[Option<&Value>] = match (scale, bias) {
            (None, None) => &[Some(self)],
            (scale, None) => &[Some(self), scale],
            (scale, bias) => &[Some(self), scale, bias],
        };
        Ok(super::apply_all(&op, inputs)?.swap_remove(0))
    }

    /// `(x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]` for `[batch, channels, ..]` with the statistics and
    /// parameters of the channels `c`, as learned.
    ///
    /// # Errors
    /// If a parameter has another shape than `[channels]`, or the elements are no floats.
    pub fn batch_norm(
        &self,
        scale: &Value,
        bias: &Value,
        mean: &Value,
        variance: &Value,
        epsilon: f32,
    ) -> Result<Value, Error> {
        let op = Op::BatchNorm(BatchNorm { epsilon });
        apply(op, &[self, scale, bias, mean, variance])
    }

    /// `x / sqrt(mean of x^2 + epsilon)` over the last axis, times `scale` where given.
    ///
    /// # Errors
    /// If `scale` does not broadcast, or the elements are no floats.
    pub fn rms_norm(&self, scale: Option<&Value>, epsilon: f32) -> Result<Value, Error> {
        let square = apply(Op::Map(super::elementwise::row("mul")), &[self, self])?;
        let mean = square.mean_axes(&[-1], true)?;
        let root = mean.add_scalar(f64::from(epsilon))?.sqrt()?;
        let normal = self.div(&root)?;
        match scale {
            Some(scale) => normal.mul(scale),
            None => Ok(normal),
        }
    }
}
