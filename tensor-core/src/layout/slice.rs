//! Slicing with one semantics: that of numpy and ONNX.
//!
//! A bound that is negative counts from the end; a bound outside the axis is clamped; a missing bound means "from the
//! first element of the walk" or "to its end". With step > 0 the walk takes `start, start + step, ...` below `end`; with
//! step < 0 it goes down and stays above `end`.

use super::{TensorLayout, stepped};
use crate::{TensorRank, ValidationError};

/// Which elements of one axis to take, as `start..end` by `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SliceSpec {
    /// The first element; negative counts from the end, `None` is the first in walking direction.
    pub start: Option<isize>,
    /// The first element not taken; negative counts from the end, `None` is past the last in walking direction.
    pub end: Option<isize>,
    /// The distance of neighbours; negative walks downwards; 0 is refused.
    pub step: isize,
}

impl SliceSpec {
    /// A spec from its three parts.
    #[must_use]
    pub const fn new(start: Option<isize>, end: Option<isize>, step: isize) -> Self {
        Self { start, end, step }
    }

    /// The whole axis.
    #[must_use]
    pub const fn all() -> Self {
        Self::new(None, None, 1)
    }

    /// The elements `start..end`.
    #[must_use]
    pub const fn range(start: isize, end: isize) -> Self {
        Self::new(Some(start), Some(end), 1)
    }

    /// The whole axis, backwards.
    #[must_use]
    pub const fn reverse() -> Self {
        Self::new(None, None, -1)
    }

    /// The first element and the number of elements on an axis of `extent`; `None` if the step is 0.
    ///
    /// The first element is 0 when nothing is taken.
    #[must_use]
    #[inline]
    pub fn resolve(&self, extent: usize) -> Option<(usize, usize)> {
        let len = isize::try_from(extent).unwrap_or(isize::MAX);
        let (low, high) = if self.step < 0 {
            (-1, len - 1)
        } else {
            (0, len)
        };
        // Wrapping once and clamping: -extent - 1 and below end at `low`.
        let clamp = |bound: isize| {
            if bound < 0 {
                (bound + len).max(low)
            } else {
                bound.min(high)
            }
        };
        let (first, last) = if self.step < 0 {
            (high, low)
        } else {
            (low, high)
        };
        let start = self.start.map_or(first, clamp);
        let end = self.end.map_or(last, clamp);
        let distance = match self.step {
            0 => return None,
            1.. => end - start,
            _ => start - end,
        };
        let Ok(distance @ 1..) = usize::try_from(distance) else {
            return Some((0, 0));
        };
        // Most steps are 1, and dividing takes longer than all the rest.
        let count = match self.step.unsigned_abs() {
            1 => distance,
            step => distance.div_ceil(step),
        };
        // A walk that takes an element starts inside the axis, so `start` is not negative.
        Some((usize::try_from(start).unwrap_or(0), count))
    }
}

impl<R: TensorRank> TensorLayout<R> {
    /// The layout of the elements that `specs` take, one spec per leading axis; axes without a spec stay whole.
    ///
    /// # Errors
    /// [`ValidationError::TooManySlices`] or [`ValidationError::InvalidSliceStep`].
    #[inline]
    pub fn slice(&self, specs: &[SliceSpec]) -> Result<Self, ValidationError> {
        let mut out = self.clone();
        out.slice_in_place(specs)?;
        Ok(out)
    }

    /// As [`TensorLayout::slice`], of this layout itself, which an error leaves in parts as it was.
    ///
    /// # Errors
    /// As [`TensorLayout::slice`].
    #[inline]
    pub fn slice_in_place(&mut self, specs: &[SliceSpec]) -> Result<(), ValidationError> {
        const OP: &str = "slice";
        if specs.len() > self.rank() {
            return Err(ValidationError::TooManySlices {
                op: OP,
                count: specs.len(),
                rank: self.rank(),
            });
        }
        let offset = self.offset;
        for (axis, spec) in specs.iter().enumerate() {
            self.narrow(OP, axis, *spec)?;
        }
        self.keep_offset_if_empty(offset);
        Ok(())
    }

    /// The layout of the elements that `spec` takes of axis `axis`.
    ///
    /// # Errors
    /// [`ValidationError::AxisOutOfBounds`] or [`ValidationError::InvalidSliceStep`].
    #[inline]
    pub fn slice_axis(&self, axis: usize, spec: SliceSpec) -> Result<Self, ValidationError> {
        const OP: &str = "slice_axis";
        self.extent_of(OP, axis)?;
        let mut out = self.clone();
        out.narrow(OP, axis, spec)?;
        out.keep_offset_if_empty(self.offset);
        Ok(out)
    }

    /// An empty result may have been moved by an axis that still had elements; it addresses nothing, so it goes back.
    fn keep_offset_if_empty(&mut self, offset: usize) {
        if self.is_empty() {
            self.offset = offset;
        }
    }

    #[inline]
    fn narrow(
        &mut self,
        op: &'static str,
        axis: usize,
        spec: SliceSpec,
    ) -> Result<(), ValidationError> {
        let (extent, stride) = (self.shape()[axis], self.strides()[axis]);
        let (start, count) = spec
            .resolve(extent)
            .ok_or(ValidationError::InvalidSliceStep { op, axis })?;
        self.offset = stepped(self.offset, stride, start);
        self.shape.as_mut()[axis] = count;
        // The product can overflow only where fewer than two elements are taken and the stride is never used.
        self.strides.as_mut()[axis] = stride.checked_mul(spec.step).unwrap_or(stride);
        Ok(())
    }
}
