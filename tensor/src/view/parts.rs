//! Parts of a view: lanes along an axis, the views along an axis, two halves.

#[cfg(test)]
mod tests;

use std::iter::FusedIterator;

use tensor_core::{LaneLayouts, Rank, TensorRank, ValidationError};

use super::{Iter, TypedTensorView};
use crate::{DynRank, Result};

impl<'a, T, R: TensorRank> TypedTensorView<'a, T, R> {
    /// The lanes along `axis`, as views of rank 1, in row-major order of the other axes.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there is no such axis.
    ///
    /// ```
    /// use tensor::TypedTensorView;
    /// let view = TypedTensorView::<i32>::from_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
    /// let columns: Vec<i32> = view.lanes(0)?.map(|lane| lane.iter().sum()).collect();
    /// assert_eq!(columns, [5, 7, 9]);
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    pub fn lanes(&self, axis: usize) -> Result<Lanes<'a, T>> {
        Ok(Lanes {
            data: self.data,
            layouts: self.layout.lanes(axis)?,
        })
    }

    /// The views at index 0, 1, ... of `axis`, without that axis.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there is no such axis.
    pub fn axis_iter(&self, axis: usize) -> Result<AxisIter<'a, T, R>> {
        let rank = self.rank();
        if axis >= rank {
            let op = "axis_iter";
            return Err(ValidationError::AxisOutOfBounds { op, axis, rank }.into());
        }
        Ok(AxisIter {
            view: self.clone(),
            axis,
            next: 0,
            end: self.shape()[axis],
        })
    }

    /// The elements with index below `index` on `axis`, and the others.
    ///
    /// # Errors
    /// [`TensorError::Validation`](crate::TensorError::Validation) if there is no such axis or `index` is above its extent.
    pub fn split_at(&self, axis: usize, index: usize) -> Result<(Self, Self)> {
        let (low, high) = self.layout.split_at(axis, index)?;
        Ok((
            Self::trusted(self.data, low),
            Self::trusted(self.data, high),
        ))
    }
}

impl<'a, T, R: TensorRank> IntoIterator for &TypedTensorView<'a, T, R> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T, R: TensorRank> IntoIterator for TypedTensorView<'a, T, R> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The lanes of a view along one axis; see [`TypedTensorView::lanes`].
#[derive(Clone, Debug)]
pub struct Lanes<'a, T> {
    data: &'a [T],
    layouts: LaneLayouts,
}

impl<'a, T> Iterator for Lanes<'a, T> {
    type Item = TypedTensorView<'a, T, Rank<1>>;

    fn next(&mut self) -> Option<TypedTensorView<'a, T, Rank<1>>> {
        self.layouts
            .next()
            .map(|layout| TypedTensorView::trusted(self.data, layout))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.layouts.size_hint()
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        self.layouts.fold(init, |acc, layout| {
            f(acc, TypedTensorView::trusted(self.data, layout))
        })
    }
}

impl<T> ExactSizeIterator for Lanes<'_, T> {}
impl<T> FusedIterator for Lanes<'_, T> {}

/// The views along one axis; see [`TypedTensorView::axis_iter`].
#[derive(Clone, Debug)]
pub struct AxisIter<'a, T, R: TensorRank> {
    view: TypedTensorView<'a, T, R>,
    axis: usize,
    next: usize,
    end: usize,
}

impl<'a, T, R: TensorRank> AxisIter<'a, T, R> {
    fn at(&self, index: usize) -> Option<TypedTensorView<'a, T, DynRank>> {
        // The axis was checked and `index` is below `end`, so there is always a view.
        self.view.index_axis(self.axis, index).ok()
    }
}

impl<'a, T, R: TensorRank> Iterator for AxisIter<'a, T, R> {
    type Item = TypedTensorView<'a, T>;

    fn next(&mut self) -> Option<TypedTensorView<'a, T>> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        self.at(self.next - 1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }

    fn nth(&mut self, n: usize) -> Option<TypedTensorView<'a, T>> {
        self.next = self.next.saturating_add(n).min(self.end);
        self.next()
    }
}

impl<'a, T, R: TensorRank> DoubleEndedIterator for AxisIter<'a, T, R> {
    fn next_back(&mut self) -> Option<TypedTensorView<'a, T>> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        self.at(self.end)
    }
}

impl<T, R: TensorRank> ExactSizeIterator for AxisIter<'_, T, R> {}
impl<T, R: TensorRank> FusedIterator for AxisIter<'_, T, R> {}
