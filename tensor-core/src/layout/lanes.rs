//! Cutting a layout into parts that share no element: lanes along an axis, two halves, two slices.
//!
//! For a layout that names no element twice, parts with different indices have different elements. So all questions here
//! are answered on indices, exactly, and never by comparing ranges of memory, in which parts may interleave.

use std::iter::FusedIterator;

use super::{Offsets, SliceSpec, TensorLayout, checked_element_count};
use crate::{DynRank, Rank, TensorRank, ValidationError};

/// The lanes of a layout along one axis, in row-major order of the other axes; see [`TensorLayout::lanes`].
#[derive(Clone, Debug)]
pub struct LaneLayouts {
    starts: Offsets,
    extent: usize,
    stride: isize,
}

impl LaneLayouts {
    fn lane(&self, offset: usize) -> TensorLayout<Rank<1>> {
        TensorLayout {
            shape: [self.extent],
            strides: [self.stride],
            offset,
        }
    }
}

impl Iterator for LaneLayouts {
    type Item = TensorLayout<Rank<1>>;

    fn next(&mut self) -> Option<TensorLayout<Rank<1>>> {
        self.starts.next().map(|offset| self.lane(offset))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.starts.size_hint()
    }

    fn fold<B, F: FnMut(B, TensorLayout<Rank<1>>) -> B>(self, init: B, mut f: F) -> B {
        let (shape, strides) = ([self.extent], [self.stride]);
        self.starts.fold(init, |acc, offset| {
            f(
                acc,
                TensorLayout {
                    shape,
                    strides,
                    offset,
                },
            )
        })
    }
}

impl ExactSizeIterator for LaneLayouts {}
impl FusedIterator for LaneLayouts {}

impl<R: TensorRank> TensorLayout<R> {
    /// The layouts of the lanes along `axis`, in row-major order of the other axes. Each element is in exactly one lane.
    ///
    /// # Errors
    /// [`ValidationError::AxisOutOfBounds`], or [`ValidationError::IntegerOverflow`] if the other extents of an empty
    /// layout have more lanes than can be counted.
    pub fn lanes(&self, axis: usize) -> Result<LaneLayouts, ValidationError> {
        const OP: &str = "lanes";
        let extent = self.extent_of(OP, axis)?;
        let mut rest: TensorLayout<DynRank> = self.without_axis(axis);
        checked_element_count(OP, rest.shape())?;
        if extent == 0 {
            // Lanes without elements all start where the layout does, which is the only place known to be inside.
            rest.strides.as_mut_slice().fill(0);
        }
        Ok(LaneLayouts {
            starts: rest.offsets(),
            extent,
            stride: self.strides()[axis],
        })
    }

    /// The elements with index below `index` on `axis`, and the others.
    ///
    /// # Errors
    /// [`ValidationError::AxisOutOfBounds`], or [`ValidationError::IndexOutOfBounds`] if `index` is above the extent.
    pub fn split_at(&self, axis: usize, index: usize) -> Result<(Self, Self), ValidationError> {
        const OP: &str = "split_at";
        let extent = self.extent_of(OP, axis)?;
        if index > extent {
            return Err(ValidationError::IndexOutOfBounds {
                op: OP,
                axis,
                index,
                extent,
            });
        }
        let (mut low, mut high) = (self.clone(), self.clone());
        low.shape.as_mut()[axis] = index;
        high.shape.as_mut()[axis] = extent - index;
        // An empty half keeps the offset: no element has to lie there.
        if !high.is_empty() {
            let stride = self.strides()[axis];
            let reach = stride.unsigned_abs().wrapping_mul(index);
            high.offset = if stride < 0 {
                self.offset.wrapping_sub(reach)
            } else {
                self.offset.wrapping_add(reach)
            };
        }
        Ok((low, high))
    }

    /// Whether an index of this layout is taken by both `a` and `b`, which are slices as in [`TensorLayout::slice`].
    ///
    /// Exact: interleaved slices, such as the even and the odd positions of an axis, do not overlap.
    ///
    /// # Errors
    /// As [`TensorLayout::slice`].
    pub fn slices_overlap(
        &self,
        a: &[SliceSpec],
        b: &[SliceSpec],
    ) -> Result<bool, ValidationError> {
        const OP: &str = "slices_overlap";
        for specs in [a, b] {
            if specs.len() > self.rank() {
                return Err(ValidationError::TooManySlices {
                    op: OP,
                    count: specs.len(),
                    rank: self.rank(),
                });
            }
        }
        let mut overlap = true;
        for (axis, &extent) in self.shape().iter().enumerate() {
            let taken = |specs: &[SliceSpec]| {
                let spec = specs.get(axis).copied().unwrap_or(SliceSpec::all());
                Progression::of(spec, extent)
                    .ok_or(ValidationError::InvalidSliceStep { op: OP, axis })
            };
            // Every step is looked at before anything is said, so that a wrong one is never hidden.
            overlap &= taken(a)?.meets(taken(b)?);
        }
        Ok(overlap)
    }

    /// The same elements in a buffer that lacks the first `start` elements of this one, or `None` if the layout names one
    /// of them.
    #[must_use]
    pub fn rebased(&self, start: usize) -> Option<Self> {
        let offset = match self.min_max_offset() {
            None => 0,
            Some((min, _)) if min < start => return None,
            Some(_) => self.offset - start,
        };
        Some(Self {
            offset,
            ..self.clone()
        })
    }
}

/// The positions `first, first + step, ..., last` of an axis, upwards; none if `count` is 0.
#[derive(Clone, Copy, Debug)]
struct Progression {
    first: u128,
    step: u128,
    count: u128,
}

impl Progression {
    /// What `spec` takes, or `None` if its step is 0.
    fn of(spec: SliceSpec, extent: usize) -> Option<Self> {
        let (start, count) = spec.resolve(extent)?;
        let wide = |value: usize| u128::try_from(value).unwrap_or(u128::MAX);
        let (start, count, step) = (wide(start), wide(count), wide(spec.step.unsigned_abs()));
        let first = if spec.step < 0 {
            start.saturating_sub(step * count.saturating_sub(1))
        } else {
            start
        };
        Some(Self { first, step, count })
    }

    fn last(self) -> u128 {
        self.first + self.step * self.count.saturating_sub(1)
    }

    /// Whether a position is in both.
    ///
    /// Such a position is `self.first + self.step * k`; it is in `other` too where `self.step * k` leaves the remainder
    /// `other.first - self.first` modulo `other.step`. Those `k`, if any, repeat every `other.step / gcd`, so the smallest
    /// common position at or above both firsts is found by one modular inverse.
    fn meets(self, other: Self) -> bool {
        if self.count == 0 || other.count == 0 {
            return false;
        }
        let (low, high) = (self.first.max(other.first), self.last().min(other.last()));
        if low > high {
            return false;
        }
        let (gcd, inverse) = gcd_and_inverse(self.step, other.step);
        let distance = self.first.abs_diff(other.first);
        if !distance.is_multiple_of(gcd) {
            return false;
        }
        let period = other.step / gcd;
        let steps = distance / gcd % period;
        let steps = if other.first < self.first {
            (period - steps) % period
        } else {
            steps
        };
        // Every factor is below 2^64, so the products fit.
        let smallest = self.first + self.step * (steps * inverse % period);
        let repeat = self.step * period;
        let common = if smallest >= low {
            smallest
        } else {
            smallest + (low - smallest).div_ceil(repeat) * repeat
        };
        common <= high
    }
}

/// The greatest common divisor of two positive numbers, and the inverse of `a / gcd` modulo `b / gcd`.
fn gcd_and_inverse(a: u128, b: u128) -> (u128, u128) {
    let gcd = {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let modulus = b / gcd;
    // Extended Euclid with coefficients kept modulo `modulus`.
    let (mut rest, mut next) = (modulus, a / gcd % modulus);
    let (mut factor, mut next_factor) = (0_u128, 1 % modulus);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest % next);
        let reduced = quotient % modulus * next_factor % modulus;
        (factor, next_factor) = (next_factor, (factor + modulus - reduced) % modulus);
    }
    (gcd, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Layout = TensorLayout<DynRank>;

    fn lanes(layout: &Layout, axis: usize) -> Vec<Vec<usize>> {
        let by_next: Vec<Vec<usize>> = layout
            .lanes(axis)
            .unwrap()
            .map(|lane| lane.offsets().collect())
            .collect();
        let mut by_fold = Vec::new();
        layout
            .lanes(axis)
            .unwrap()
            .for_each(|lane| by_fold.push(lane.offsets().collect::<Vec<_>>()));
        assert_eq!(by_next, by_fold);
        by_next
    }

    #[test]
    fn lanes_in_row_major_order_of_the_other_axes() {
        let layout = Layout::row_major([2, 3]).unwrap();
        assert_eq!(lanes(&layout, 0), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(lanes(&layout, 1), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(
            lanes(&layout.transpose(), 0),
            [[0, 1, 2], [3, 4, 5]],
            "logical order, not memory order"
        );
        let cube = Layout::row_major([2, 2, 2]).unwrap();
        assert_eq!(lanes(&cube, 1), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(layout.lanes(1).unwrap().len(), 2);
        assert!(layout.lanes(2).is_err());
        assert!(Layout::scalar().lanes(0).is_err());
    }

    #[test]
    fn lanes_of_empty_layouts() {
        let flat = Layout::row_major([0, 3]).unwrap();
        assert_eq!(lanes(&flat, 0), vec![Vec::<usize>::new(); 3]);
        assert!(flat.lanes(0).unwrap().all(|lane| lane.offset() == 0));
        assert!(lanes(&flat, 1).is_empty());
        let huge = Layout::row_major([usize::MAX, usize::MAX, 0]).unwrap();
        assert!(matches!(
            huge.lanes(2),
            Err(ValidationError::IntegerOverflow { op: "lanes", .. })
        ));
    }

    #[test]
    fn halves() {
        let layout = Layout::row_major([4, 3]).unwrap();
        let check = |layout: &Layout, axis, index, low: &[usize], high: &[usize]| {
            let (a, b) = layout.split_at(axis, index).unwrap();
            assert_eq!(a.offsets().collect::<Vec<_>>(), low);
            assert_eq!(b.offsets().collect::<Vec<_>>(), high);
            a.validate_in_bounds(12).unwrap();
            b.validate_in_bounds(12).unwrap();
        };
        check(&layout, 0, 1, &[0, 1, 2], &[3, 4, 5, 6, 7, 8, 9, 10, 11]);
        check(&layout, 1, 2, &[0, 1, 3, 4, 6, 7, 9, 10], &[2, 5, 8, 11]);
        check(&layout, 1, 0, &[], &(0..12).collect::<Vec<_>>());
        check(&layout, 0, 4, &(0..12).collect::<Vec<_>>(), &[]);
        let back = layout.slice(&[SliceSpec::reverse(), SliceSpec::range(0, 1)]);
        check(&back.unwrap(), 0, 3, &[9, 6, 3], &[0]);
        assert!(layout.split_at(0, 5).is_err());
        assert!(layout.split_at(2, 0).is_err());
        let (a, b) = Layout::row_major([usize::MAX, 0])
            .unwrap()
            .split_at(0, 7)
            .unwrap();
        assert_eq!(
            (a.shape(), b.shape()),
            (&[7, 0][..], &[usize::MAX - 7, 0][..])
        );
    }

    /// Every pair of slices of a short axis, against a comparison of the positions that they take.
    #[test]
    fn overlap_is_exact() {
        let layout = Layout::row_major([11]).unwrap();
        let bounds = [None, Some(3), Some(-2), Some(0), Some(4), Some(9)];
        let bounds = &bounds[..if cfg!(miri) { 3 } else { bounds.len() }];
        let mut specs = Vec::new();
        let steps = [1, 2, -2, 3, 4, 6, -1, -5, 20, isize::MAX, isize::MIN];
        // Miri takes an hour for all of them.
        for &step in &steps[..if cfg!(miri) { 3 } else { steps.len() }] {
            for &start in bounds {
                for &end in bounds {
                    specs.push(SliceSpec::new(start, end, step));
                }
            }
        }
        for a in &specs {
            let taken: Vec<usize> = layout.slice(&[*a]).unwrap().offsets().collect();
            for b in &specs {
                let expect = layout
                    .slice(&[*b])
                    .unwrap()
                    .offsets()
                    .any(|at| taken.contains(&at));
                assert_eq!(
                    layout.slices_overlap(&[*a], &[*b]),
                    Ok(expect),
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn slices_of_several_axes_overlap_only_where_all_axes_do() {
        let layout = Layout::row_major([4, 4]).unwrap();
        let (low, high) = (SliceSpec::range(0, 2), SliceSpec::range(2, 4));
        for (a, b, expect) in [
            (&[low][..], &[high][..], false),
            (&[low, low], &[low, high], false),
            (&[low, low], &[SliceSpec::all(), low], true),
            (&[], &[high, high], true),
            (&[SliceSpec::range(1, 1)], &[], false),
        ] {
            assert_eq!(layout.slices_overlap(a, b), Ok(expect), "{a:?} {b:?}");
        }
        let zero = SliceSpec::new(None, None, 0);
        assert_eq!(
            layout.slices_overlap(&[low, low], &[high, zero]),
            Err(ValidationError::InvalidSliceStep {
                op: "slices_overlap",
                axis: 1
            })
        );
        assert!(layout.slices_overlap(&[low; 3], &[]).is_err());
    }

    #[test]
    fn rebasing() {
        let layout = Layout::from_parts([2, 2], &[-4, 1], 6, 8).unwrap();
        let moved = layout.rebased(2).unwrap();
        assert_eq!(moved.offsets().collect::<Vec<_>>(), [4, 5, 0, 1]);
        assert_eq!(layout.rebased(3), None);
        assert_eq!(
            Layout::row_major([0]).unwrap().rebased(9).unwrap().offset(),
            0
        );
    }
}
