//! The lanes of a dense view along its fastest axis: equal pieces of one slice.
//!
//! `chunks_exact` can't serve here, because it refuses lanes of no element, which a shape such as `[0, 3]` has.

use std::iter::FusedIterator;
use std::mem;

/// The number of lanes and the extent of each.
fn count_and_extent(shape: &[usize], axis: Option<usize>) -> (usize, usize) {
    let extent = axis.map_or(1, |axis| shape[axis]);
    // Saturates only where a lane is empty: any other product is at most the element count.
    let others = (0..shape.len())
        .filter(|&other| Some(other) != axis)
        .map(|other| shape[other]);
    (others.fold(1, usize::saturating_mul), extent)
}

/// The lanes of a [`ColMajorView`](crate::ColMajorView) or [`RowMajorView`](crate::RowMajorView).
#[derive(Clone, Debug)]
pub struct DenseLanes<'a, T> {
    rest: &'a [T],
    extent: usize,
    left: usize,
}

impl<'a, T> DenseLanes<'a, T> {
    pub(super) fn new(data: &'a [T], shape: &[usize], axis: Option<usize>) -> Self {
        let (left, extent) = count_and_extent(shape, axis);
        Self {
            rest: data,
            extent,
            left,
        }
    }
}

impl<'a, T> Iterator for DenseLanes<'a, T> {
    type Item = &'a [T];

    #[inline]
    fn next(&mut self) -> Option<&'a [T]> {
        self.left = self.left.checked_sub(1)?;
        let (lane, rest) = self.rest.split_at(self.extent);
        self.rest = rest;
        Some(lane)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'a, T> DoubleEndedIterator for DenseLanes<'a, T> {
    fn next_back(&mut self) -> Option<&'a [T]> {
        self.left = self.left.checked_sub(1)?;
        let (rest, lane) = self.rest.split_at(self.rest.len() - self.extent);
        self.rest = rest;
        Some(lane)
    }
}

impl<T> ExactSizeIterator for DenseLanes<'_, T> {}
impl<T> FusedIterator for DenseLanes<'_, T> {}

/// The lanes of a [`ColMajorViewMut`](crate::ColMajorViewMut) or [`RowMajorViewMut`](crate::RowMajorViewMut).
#[derive(Debug)]
pub struct DenseLanesMut<'a, T> {
    rest: &'a mut [T],
    extent: usize,
    left: usize,
}

impl<'a, T> DenseLanesMut<'a, T> {
    pub(super) fn new(data: &'a mut [T], shape: &[usize], axis: Option<usize>) -> Self {
        let (left, extent) = count_and_extent(shape, axis);
        Self {
            rest: data,
            extent,
            left,
        }
    }
}

impl<'a, T> Iterator for DenseLanesMut<'a, T> {
    type Item = &'a mut [T];

    #[inline]
    fn next(&mut self) -> Option<&'a mut [T]> {
        self.left = self.left.checked_sub(1)?;
        let (lane, rest) = mem::take(&mut self.rest).split_at_mut(self.extent);
        self.rest = rest;
        Some(lane)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'a, T> DoubleEndedIterator for DenseLanesMut<'a, T> {
    fn next_back(&mut self) -> Option<&'a mut [T]> {
        self.left = self.left.checked_sub(1)?;
        let at = self.rest.len() - self.extent;
        let (rest, lane) = mem::take(&mut self.rest).split_at_mut(at);
        self.rest = rest;
        Some(lane)
    }
}

impl<T> ExactSizeIterator for DenseLanesMut<'_, T> {}
impl<T> FusedIterator for DenseLanesMut<'_, T> {}
