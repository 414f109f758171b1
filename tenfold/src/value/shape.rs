//! Other shapes over the same elements, parts, and several values side by side. On eager values, views copy nothing.

use graph::Dim;
use graph::op::{Concat, Expand, Op, Reshape, Slice, SliceAxis, Transpose};
use tensor::{SharedTensor, TensorError};

use super::{Kind, Value, apply, refused};
use crate::{Error, tf};

impl Value {
    /// Applies a view: on an eager value by `view`, on a symbolic one by recording `op`.
    fn view_as(
        &self,
        op: Op,
        view: impl FnOnce(&SharedTensor) -> Result<SharedTensor, TensorError>,
    ) -> Result<Value, Error> {
        match &self.0 {
            Kind::Symbolic(..) => self.map(op),
            Kind::Eager(tf, tensor) => {
                // Inference is the law for both: what it refuses is refused here, in the same words.
                tf::inferred(&op, &self.ty())?;
                Ok(tf.value(view(tensor)?))
            }
        }
    }

    /// The last two axes swapped.
    ///
    /// # Errors
    /// If there are fewer than two axes.
    pub fn transpose(&self) -> Result<Value, Error> {
        let rank = self.rank();
        if rank < 2 {
            return Err(Error::Argument {
                op: "transpose",
                argument: "x",
                value: self.ty().to_string(),
                reason: "has fewer than two axes".into(),
            });
        }
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.swap(rank - 2, rank - 1);
        self.permute(&axes)
    }

    /// Axis `a` of the result is axis `axes[a]` of this.
    ///
    /// # Errors
    /// Unless `axes` names every axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Value, Error> {
        let op = Op::Transpose(Transpose {
            perm: axes.to_vec(),
        });
        self.view_as(op, |tensor| tensor.permute(axes))
    }

    /// The same elements in row-major order under another shape.
    ///
    /// # Errors
    /// If the shape has another number of elements.
    pub fn reshape(&self, shape: impl IntoIterator<Item = impl Into<Dim>>) -> Result<Value, Error> {
        let shape: Vec<Dim> = shape.into_iter().map(Into::into).collect();
        let op = Op::Reshape(Reshape::to(shape.iter().cloned()));
        let extents: Option<Vec<usize>> = shape.iter().map(Dim::as_extent).collect();
        self.view_as(op, |tensor| {
            match tensor.reshape(extents.as_deref().unwrap_or(&[])) {
                Ok(view) => Ok(view),
                // Strides that cannot join these axes need a copy.
                Err(_) => tensor
                    .to_contiguous()?
                    .reshape(extents.as_deref().unwrap_or(&[])),
            }
        })
    }

    /// The same elements without an axis of extent 1.
    ///
    /// # Errors
    /// If there is no such axis, or its extent is not 1.
    pub fn squeeze(&self, axis: i64) -> Result<Value, Error> {
        let at = self.axis("squeeze", axis)?;
        let mut dims = self.dims();
        if dims.remove(at) != Dim::Known(1) {
            let reason = format!("is not of extent 1 in {}", self.ty());
            return Err(refused("squeeze", "axis", axis, reason));
        }
        self.reshape(dims)
    }

    /// The same elements with a new axis of extent 1, which is `axis` of the result; negative ones count from its end.
    ///
    /// # Errors
    /// If the result has no such axis.
    pub fn unsqueeze(&self, axis: i64) -> Result<Value, Error> {
        let mut dims = self.dims();
        let places = i64::try_from(dims.len() + 1).unwrap_or(i64::MAX);
        let at = if axis < 0 {
            axis.saturating_add(places)
        } else {
            axis
        };
        let at = usize::try_from(at).ok().filter(|&at| at <= dims.len());
        let Some(at) = at else {
            let reason = format!("is no axis of {} with one more", self.ty());
            return Err(refused("unsqueeze", "axis", axis, reason));
        };
        dims.insert(at, Dim::Known(1));
        self.reshape(dims)
    }

    /// Two axes in each other's place; negative ones count from the end.
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn swap_axes(&self, a: i64, b: i64) -> Result<Value, Error> {
        let (a, b) = (self.axis("swap_axes", a)?, self.axis("swap_axes", b)?);
        let mut axes: Vec<usize> = (0..self.rank()).collect();
        axes.swap(a, b);
        self.permute(&axes)
    }

    /// All elements along one axis, in row-major order.
    ///
    /// # Errors
    /// Memory for a copy, where strides need one.
    pub fn flatten(&self) -> Result<Value, Error> {
        self.reshape([Dim::product(&self.dims())])
    }

    /// The elements `start..end` of one axis; negative numbers count from the end (`axis` too), bounds are clamped.
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn slice(&self, axis: i64, start: i64, end: i64) -> Result<Value, Error> {
        self.slice_step(axis, start, end, 1)
    }

    /// As [`Value::slice`], every `step`-th element; a negative step goes backward.
    ///
    /// # Errors
    /// If there is no such axis, or the step is 0.
    pub fn slice_step(&self, axis: i64, start: i64, end: i64, step: i64) -> Result<Value, Error> {
        let part = SliceAxis {
            axis,
            start,
            end,
            step,
        };
        let op = Op::Slice(Slice {
            axes: Some(vec![part]),
        });
        let bound =
            |at: i64| isize::try_from(at).unwrap_or(if at < 0 { isize::MIN } else { isize::MAX });
        let rank = i64::try_from(self.rank()).unwrap_or(i64::MAX);
        let from_front = if axis < 0 { axis + rank } else { axis };
        self.view_as(op, |tensor| {
            let spec = tensor::SliceSpec::new(Some(bound(start)), Some(bound(end)), bound(step));
            tensor.slice_axis(usize::try_from(from_front).unwrap_or(usize::MAX), spec)
        })
    }

    /// The elements repeated along axes of extent 1, to `shape`.
    ///
    /// # Errors
    /// If the shape does not broadcast to it.
    pub fn broadcast_to(
        &self,
        shape: impl IntoIterator<Item = impl Into<Dim>>,
    ) -> Result<Value, Error> {
        let shape: Vec<Dim> = shape.into_iter().map(Into::into).collect();
        let op = Op::Expand(Expand::to(shape.iter().cloned()));
        let extents: Option<Vec<usize>> = shape.iter().map(Dim::as_extent).collect();
        self.view_as(op, |tensor| {
            tensor.broadcast_to(extents.as_deref().unwrap_or(&[]))
        })
    }

    /// The values one after another along an axis, this one first.
    ///
    /// # Errors
    /// If dtypes, ranks or other extents differ.
    pub fn concat(&self, others: &[&Value], axis: i64) -> Result<Value, Error> {
        let mut parts = vec![self];
        parts.extend(others);
        apply(Op::Concat(Concat { axis }), &parts)
    }
}
