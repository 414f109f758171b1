//! Elements that consist of equal parts, such as the two numbers of a complex one.
//!
//! The parts of an element lie side by side, so they form an axis of stride 1, and every other stride counts parts instead
//! of elements. The axis of the parts is the last one.

use super::{TensorLayout, checked_element_count};
use crate::{DynRank, TensorRank, ValidationError};

impl<R: TensorRank> TensorLayout<R> {
    /// The layout of the parts of the elements: every element is `parts` numbers side by side, on a new last axis.
    ///
    /// # Errors
    /// [`ValidationError::IntegerOverflow`] if there are too many parts.
    pub fn split_elements(&self, parts: usize) -> Result<TensorLayout<DynRank>, ValidationError> {
        const OP: &str = "split_elements";
        let overflow = |what| ValidationError::IntegerOverflow {
            op: OP,
            what,
            shape: self.shape().into(),
        };
        let step = isize::try_from(parts).map_err(|_| overflow("a stride"))?;
        let rank = self.rank();
        let mut out = self.insert_axis(rank)?;
        out.shape[rank] = parts;
        checked_element_count(OP, out.shape())?;
        for axis in 0..rank {
            let scaled = out.strides[axis].checked_mul(step);
            // Nobody steps along an axis of at most one element, or inside an empty layout.
            let used = out.shape[axis] > 1 && !self.is_empty();
            out.strides[axis] = match scaled {
                Some(stride) => stride,
                None if used => return Err(overflow("a stride")),
                None => 0,
            };
        }
        out.offset = (self.offset.checked_mul(parts)).ok_or_else(|| overflow("the offset"))?;
        Ok(out)
    }

    /// The layout of elements of `parts` numbers each, which the last axis of this layout lists; the inverse of
    /// [`TensorLayout::split_elements`].
    ///
    /// `None` unless there is a last axis of extent `parts` and stride 1, and every other stride and the offset are
    /// multiples of `parts`. Strides that nobody steps along, and all of an empty layout, do not matter.
    #[must_use]
    pub fn join_elements(&self, parts: usize) -> Option<TensorLayout<DynRank>> {
        let step = isize::try_from(parts).ok().filter(|&step| step > 0)?;
        let last = self.rank().checked_sub(1)?;
        if self.shape()[last] != parts {
            return None;
        }
        let empty = self.is_empty();
        let fits = |axis: usize| match self.shape()[axis] {
            _ if empty => true,
            1 => true,
            _ if axis == last => self.strides()[axis] == 1,
            _ => self.strides()[axis] % step == 0,
        };
        if !(0..=last).all(fits) || !(empty || self.offset.is_multiple_of(parts)) {
            return None;
        }
        let mut out = self.without_axis(last);
        checked_element_count("join_elements", out.shape()).ok()?;
        for stride in out.strides.iter_mut() {
            *stride /= step;
        }
        out.offset /= parts;
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Layout = TensorLayout<DynRank>;

    fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
        Layout::from_parts(shape, strides, offset, 1000).unwrap()
    }

    #[test]
    fn parts_become_the_last_axis() {
        let layout = strided(&[2, 3], &[-10, 2], 15);
        let split = layout.split_elements(2).unwrap();
        assert_eq!(split, strided(&[2, 3, 2], &[-20, 4, 1], 30));
        assert_eq!(split.join_elements(2).unwrap(), layout);
        let one = Layout::scalar().split_elements(2).unwrap();
        assert_eq!((one.shape(), one.strides()), (&[2][..], &[1][..]));
        assert_eq!(one.join_elements(2).unwrap(), Layout::scalar());
    }

    #[test]
    fn what_does_not_consist_of_parts_is_not_joined() {
        for (shape, strides, offset, joins) in [
            (&[3, 2][..], &[2, 1][..], 0, true),
            (&[3, 2], &[4, 1], 2, true),
            (&[3, 2], &[-2, 1], 4, true),
            (&[3, 2], &[0, 1], 6, true),
            (&[1, 2], &[3, 1], 0, true),
            (&[0, 2], &[3, 5], 1, true),
            (&[3, 2], &[3, 1], 0, false),
            (&[3, 2], &[2, 1], 1, false),
            (&[3, 2], &[1, 3], 0, false),
            (&[3, 2], &[2, -1], 1, false),
            (&[2, 3], &[3, 1], 0, false),
            (&[2, 1], &[2, 1], 0, false),
            (&[], &[], 0, false),
        ] {
            let made = strided(shape, strides, offset).join_elements(2);
            assert_eq!(made.is_some(), joins, "{shape:?} {strides:?} {offset}");
        }
    }

    #[test]
    fn huge_layouts_overflow_with_an_error() {
        let many = Layout::scalar().broadcast_to([1 << 62]).unwrap();
        assert!(matches!(
            many.split_elements(2),
            Err(ValidationError::IntegerOverflow {
                op: "split_elements",
                ..
            })
        ));
        let wide = Layout::from_parts([1], &[isize::MAX], 0, 1).unwrap();
        assert_eq!(wide.split_elements(2).unwrap().strides(), [0, 1]);
        let none = Layout::row_major([usize::MAX, usize::MAX, 0, 2]).unwrap();
        assert_eq!(
            none.join_elements(2).unwrap().shape(),
            [usize::MAX, usize::MAX, 0]
        );
        assert!(strided(&[2], &[1], 0).join_elements(0).is_none());
    }
}
