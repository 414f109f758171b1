//! Broadcasting by the rules of numpy: shapes are aligned at the right, and an extent of 1 repeats.

use super::{TensorLayout, checked_element_count};
use crate::{DynRank, IntoRankShape, ShapeVec, TensorRank, ValidationError};

/// The shape that all of `shapes` broadcast to; the empty list gives rank 0.
///
/// # Errors
/// [`ValidationError::IncompatibleShapes`] with the shape so far and the first that does not fit, or
/// [`ValidationError::IntegerOverflow`].
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<ShapeVec, ValidationError> {
    const OP: &str = "broadcast_shapes";
    let mut out = ShapeVec::new();
    for &shape in shapes {
        while out.len() < shape.len() {
            out.insert(0, 1);
        }
        let skip = out.len() - shape.len();
        for axis in 0..shape.len() {
            match (out[skip + axis], shape[axis]) {
                (a, b) if a == b => {}
                (1, extent) => out[skip + axis] = extent,
                (_, 1) => {}
                _ => {
                    let (lhs, rhs) = (out.as_slice().into(), shape.into());
                    return Err(ValidationError::IncompatibleShapes { op: OP, lhs, rhs });
                }
            }
        }
    }
    checked_element_count(OP, &out)?;
    Ok(out)
}

impl<R: TensorRank> TensorLayout<R> {
    /// The layout that repeats axes of extent 1, and new leading axes, with stride 0.
    ///
    /// # Errors
    /// [`ValidationError::BroadcastTarget`] if an extent is neither equal nor 1 or the target has fewer axes, or
    /// [`ValidationError::IntegerOverflow`].
    pub fn broadcast_to(
        &self,
        shape: impl AsRef<[usize]>,
    ) -> Result<TensorLayout<DynRank>, ValidationError> {
        self.broadcast_to_as(shape)
    }

    /// As [`TensorLayout::broadcast_to`], with the rank of the result chosen by the caller.
    ///
    /// # Errors
    /// As [`TensorLayout::broadcast_to`], and [`ValidationError::RankMismatch`].
    #[inline]
    pub fn broadcast_to_as<R2: TensorRank>(
        &self,
        shape: impl IntoRankShape<R2>,
    ) -> Result<TensorLayout<R2>, ValidationError> {
        const OP: &str = "broadcast_to";
        let shape = shape.into_rank_shape().map_err(|error| error.with_op(OP))?;
        checked_element_count(OP, shape.as_ref())?;
        let refuse = |target: &[usize]| ValidationError::BroadcastTarget {
            op: OP,
            shape: self.shape().into(),
            target: target.into(),
        };
        let mut out = TensorLayout::<R2>::unstrided(shape, self.offset);
        let (target, strides) = (out.shape.as_ref(), out.strides.as_mut());
        let Some(skip) = target.len().checked_sub(self.rank()) else {
            return Err(refuse(target));
        };
        let sources = self.shape().iter().zip(self.strides());
        for ((&extent, &source), (&wanted, stride)) in
            sources.zip(target[skip..].iter().zip(&mut strides[skip..]))
        {
            match extent {
                _ if extent == wanted => *stride = source,
                1 => {}
                _ => return Err(refuse(target)),
            }
        }
        Ok(out)
    }

    /// The layout of shape `shape` in which axis `i` of this layout is axis `axes[i]`; every other axis repeats with
    /// stride 0, as does an axis of extent 1 that is stretched.
    ///
    /// ```
    /// use tensor_core::{DynRank, TensorLayout};
    /// let column = TensorLayout::<DynRank>::row_major([2])?.broadcast_in_dim([2, 3], &[0])?;
    /// assert_eq!(column.strides(), [1, 0]);
    /// # Ok::<(), tensor_core::ValidationError>(())
    /// ```
    ///
    /// # Errors
    /// [`ValidationError::RankMismatch`] unless `axes` has one entry per axis; [`ValidationError::AxisOutOfBounds`] and
    /// [`ValidationError::DuplicateAxis`] about its entries; [`ValidationError::BroadcastAxis`] if an extent is neither equal
    /// nor 1; [`ValidationError::IntegerOverflow`].
    pub fn broadcast_in_dim(
        &self,
        shape: impl AsRef<[usize]>,
        axes: &[usize],
    ) -> Result<TensorLayout<DynRank>, ValidationError> {
        self.broadcast_in_dim_as(shape, axes)
    }

    /// As [`TensorLayout::broadcast_in_dim`], with the rank of the result chosen by the caller.
    ///
    /// # Errors
    /// As [`TensorLayout::broadcast_in_dim`], and [`ValidationError::RankMismatch`] for the shape.
    pub fn broadcast_in_dim_as<R2: TensorRank>(
        &self,
        shape: impl IntoRankShape<R2>,
        axes: &[usize],
    ) -> Result<TensorLayout<R2>, ValidationError> {
        const OP: &str = "broadcast_in_dim";
        let shape = shape.into_rank_shape().map_err(|error| error.with_op(OP))?;
        let target = shape.as_ref();
        checked_element_count(OP, target)?;
        if axes.len() != self.rank() {
            let (expected, actual) = (self.rank(), axes.len());
            return Err(ValidationError::RankMismatch {
                op: OP,
                expected,
                actual,
            });
        }
        let mut strides = R2::zero_strides(&shape);
        for (axis, &to) in axes.iter().enumerate() {
            let rank = target.len();
            let Some(&wanted) = target.get(to) else {
                return Err(ValidationError::AxisOutOfBounds {
                    op: OP,
                    axis: to,
                    rank,
                });
            };
            if axes[..axis].contains(&to) {
                return Err(ValidationError::DuplicateAxis { op: OP, axis: to });
            }
            strides.as_mut()[to] = match self.shape()[axis] {
                extent if extent == wanted => self.strides()[axis],
                1 => 0,
                extent => {
                    return Err(ValidationError::BroadcastAxis {
                        op: OP,
                        axis,
                        extent,
                        target: wanted,
                    });
                }
            };
        }
        Ok(TensorLayout {
            shape,
            strides,
            offset: self.offset,
        })
    }
}
