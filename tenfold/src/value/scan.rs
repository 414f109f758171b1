//! Positions of extremes, order, running sums.
//!
//! Positions are `i32`, which [`Value::gather`] and [`Value::embedding`] take; a position beyond the largest `i32` saturates.

use graph::op::{ArgReduce, Cumulative, CumulativeKind, Extreme, Op, TopK};
use tensor::DType;

use super::{Value, apply_all};
use crate::Error;

impl Value {
    /// The position of the largest element along an axis, the first of equal ones; NaN is the largest. The axis goes or, if
    /// `keep`, stays with extent 1.
    ///
    /// # Errors
    /// If there is no such axis, it has no elements, or they are no real numbers.
    pub fn argmax(&self, axis: i64, keep: bool) -> Result<Value, Error> {
        self.arg(Extreme::Max, axis, keep)
    }

    /// The position of the smallest element along an axis, the first of equal ones; NaN is the smallest. Otherwise as
    /// [`Value::argmax`].
    ///
    /// # Errors
    /// As [`Value::argmax`].
    pub fn argmin(&self, axis: i64, keep: bool) -> Result<Value, Error> {
        self.arg(Extreme::Min, axis, keep)
    }

    fn arg(&self, extreme: Extreme, axis: i64, keep: bool) -> Result<Value, Error> {
        let op = ArgReduce {
            extreme,
            axis,
            keep,
            last: false,
        };
        self.map(Op::ArgReduce(op))?.cast(DType::I32)
    }

    /// The `k` largest elements along an axis in falling order (or, unless `largest`, the smallest in rising order), and their
    /// positions. Of equal elements the first comes first; NaN counts as the largest number.
    ///
    /// ```
    /// use tenfold::prelude::*;
    ///
    /// let tf = Tf::new(&CompileOptions::default())?;
    /// let (best, at) = tf.values([4], vec![0.1_f32, 0.6, 0.0, 0.3])?.top_k(2, 0, true)?;
    /// assert_eq!(best.to_vec::<f32>()?, [0.6, 0.3]);
    /// assert_eq!(at.to_vec::<i32>()?, [1, 3]);
    /// # Ok::<(), tenfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, it has fewer than `k` elements, or they are no real numbers.
    pub fn top_k(&self, k: usize, axis: i64, largest: bool) -> Result<(Value, Value), Error> {
        let op = Op::TopK(TopK {
            k: Some(i64::try_from(k).unwrap_or(i64::MAX)),
            axis,
            largest,
        });
        let mut made = apply_all(&op, &[Some(self)])?;
        let positions = made.swap_remove(1).cast(DType::I32)?;
        Ok((made.swap_remove(0), positions))
    }

    /// The elements along an axis in rising order or, if `descending`, in falling order; NaN counts as the largest number.
    ///
    /// # Errors
    /// If there is no such axis, its extent is not a number, or the elements are no real numbers.
    pub fn sort(&self, axis: i64, descending: bool) -> Result<Value, Error> {
        let count = self.extent("sort", self.axis("sort", axis)?)?;
        Ok(self.top_k(count, axis, descending)?.0)
    }

    /// The positions of the elements along an axis in the order of [`Value::sort`]; equal elements keep theirs.
    ///
    /// # Errors
    /// As [`Value::sort`].
    pub fn argsort(&self, axis: i64, descending: bool) -> Result<Value, Error> {
        let count = self.extent("argsort", self.axis("argsort", axis)?)?;
        Ok(self.top_k(count, axis, descending)?.1)
    }

    /// `y[i] = x[0] + .. + x[i]` along an axis, accumulated in f64; integers wrap.
    ///
    /// # Errors
    /// If there is no such axis or the elements are no real numbers.
    pub fn cumsum(&self, axis: i64) -> Result<Value, Error> {
        self.cumulative(CumulativeKind::Sum, axis)
    }

    /// `y[i] = x[0] * .. * x[i]` along an axis, accumulated in f64; integers wrap.
    ///
    /// # Errors
    /// As [`Value::cumsum`].
    pub fn cumprod(&self, axis: i64) -> Result<Value, Error> {
        self.cumulative(CumulativeKind::Prod, axis)
    }

    fn cumulative(&self, kind: CumulativeKind, axis: i64) -> Result<Value, Error> {
        self.map(Op::Cumulative(Cumulative {
            kind,
            axis: Some(axis),
            exclusive: false,
            reverse: false,
        }))
    }
}
