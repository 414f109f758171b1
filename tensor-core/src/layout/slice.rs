//! Slicing with one semantics: that of numpy and ONNX.
//!
//! A bound that is negative counts from the end; a bound outside the axis is clamped; a missing bound means "from the
//! first element of the walk" or "to its end". With step > 0 the walk takes `start, start + step, ...` below `end`; with
//! step < 0 it goes down and stays above `end`.

use super::{TensorLayout, stepped};
use crate::{TensorRank, ValidationError};

/// Which elements of one axis to take, as `start..end` by `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
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
        // Positions are kept as numbers of 0..=extent: for a downward walk they are one too high, so that "before the
        // first element" is 0. That leaves no bound to overflow, however long the axis is.
        let down = usize::from(self.step < 0);
        let clamp = |bound: isize| match usize::try_from(bound) {
            Ok(at) => at.saturating_add(down).min(extent),
            Err(_) => extent
                .checked_sub(bound.unsigned_abs())
                .map_or(0, |at| at + down),
        };
        let (low, high) = match self.step {
            0 => return None,
            1.. => (self.start.map_or(0, clamp), self.end.map_or(extent, clamp)),
            _ => (self.end.map_or(0, clamp), self.start.map_or(extent, clamp)),
        };
        let distance = high.saturating_sub(low);
        if distance == 0 {
            return Some((0, 0));
        }
        let first = if self.step < 0 { high - 1 } else { low };
        // Most steps are 1, and dividing takes longer than all the rest.
        let count = match self.step.unsigned_abs() {
            1 => distance,
            step => distance.div_ceil(step),
        };
        Some((first, count))
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
