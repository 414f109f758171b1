//! Walking a layout in row-major logical order.
//!
//! Axes of extent 1 vanish and neighbours that walk memory as one are joined into blocks, so a dense tensor is a single
//! run and a kernel's inner loop is as long as the layout allows. [`Runs`] yields the innermost block's rows; [`Offsets`]
//! yields single positions, and overrides `fold` so that `for_each` and `sum` compile to plain nested loops.

use tinyvec::TinyVec;

use super::{TensorLayout, stepped};
use crate::{INLINE_RANK, TensorRank};

/// Elements of a run between two jumps. Compilers do not unroll a loop that can also end by a panic, as one over checked
/// indices can, and the jump at the end of a short run is often foreseen wrongly.
const UNROLL: usize = 8;

/// Neighbouring axes that walk memory as one axis would; see [`TensorLayout::blocks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The product of the joined extents; never 1.
    pub extent: usize,
    /// The distance of neighbours, in elements.
    pub stride: isize,
}

/// Elements that lie at `offset, offset + stride, ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The position of the first element.
    pub offset: usize,
    /// The number of elements.
    pub len: usize,
    /// The distance of neighbours.
    pub stride: isize,
}

impl Run {
    /// Folds over the positions of the elements, a few between two jumps.
    #[inline]
    pub fn fold<B>(self, init: B, mut f: impl FnMut(B, usize) -> B) -> B {
        let (mut at, mut acc) = (self.offset, init);
        for _ in 0..self.len / UNROLL {
            for step in 0..UNROLL {
                acc = f(acc, stepped(at, self.stride, step));
            }
            at = stepped(at, self.stride, UNROLL);
        }
        for step in 0..self.len % UNROLL {
            acc = f(acc, stepped(at, self.stride, step));
        }
        acc
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Outer {
    extent: usize,
    index: usize,
    stride: isize,
    /// What leads from the last element of the axis back to its first.
    rewind: isize,
}

/// The rows of a layout, in row-major logical order; see [`TensorLayout::runs`].
#[derive(Clone, Debug)]
pub struct Runs {
    outer: TinyVec<[Outer; INLINE_RANK]>,
    run: Run,
    left: usize,
}

impl Iterator for Runs {
    type Item = Run;

    #[inline]
    fn next(&mut self) -> Option<Run> {
        self.left = self.left.checked_sub(1)?;
        let run = self.run;
        for axis in self.outer.iter_mut().rev() {
            axis.index += 1;
            if axis.index < axis.extent {
                self.run.offset = self.run.offset.wrapping_add_signed(axis.stride);
                break;
            }
            axis.index = 0;
            self.run.offset = self.run.offset.wrapping_add_signed(axis.rewind);
        }
        Some(run)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    /// The nearest outer axis is a plain loop; only where it ends are the others stepped.
    #[inline]
    fn fold<B, F: FnMut(B, Run) -> B>(mut self, init: B, mut f: F) -> B {
        let mut acc = init;
        while self.left > 0 {
            if let Some(axis) = self.outer.last_mut() {
                let before_last = axis.extent - 1 - axis.index;
                for _ in 0..before_last {
                    acc = f(acc, self.run);
                    self.run.offset = self.run.offset.wrapping_add_signed(axis.stride);
                }
                axis.index += before_last;
                self.left -= before_last;
            }
            acc = self.next().into_iter().fold(acc, &mut f);
        }
        acc
    }
}

impl ExactSizeIterator for Runs {}

/// The positions of a layout's elements, in row-major logical order; see [`TensorLayout::offsets`].
#[derive(Clone, Debug)]
pub struct Offsets {
    runs: Runs,
    run: Run,
}

impl Iterator for Offsets {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.run.len == 0 {
            self.run = self.runs.next()?;
        }
        let offset = self.run.offset;
        self.run.offset = offset.wrapping_add_signed(self.run.stride);
        self.run.len -= 1;
        Some(offset)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.run.len + self.runs.left * self.runs.run.len;
        (len, Some(len))
    }

    #[inline]
    fn fold<B, F: FnMut(B, usize) -> B>(self, init: B, mut f: F) -> B {
        self.into_runs()
            .fold(init, |acc, run| run.fold(acc, &mut f))
    }
}

impl Offsets {
    /// The runs of what is left: first what is left of the present one, which can be empty.
    #[inline]
    pub fn into_runs(self) -> impl Iterator<Item = Run> {
        std::iter::once(self.run).chain(self.runs)
    }
}

impl ExactSizeIterator for Offsets {}

impl<R: TensorRank> TensorLayout<R> {
    /// The fewest axes that walk the same elements in the same order, outermost first: neighbours that can be joined are,
    /// and extents of 1 are left out. A dense row-major layout is one block; rank 0 is none; an empty layout has none.
    #[must_use]
    pub fn blocks(&self) -> TinyVec<[Block; INLINE_RANK]> {
        let mut out = TinyVec::<[Block; INLINE_RANK]>::new();
        if self.is_empty() {
            return out;
        }
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            if extent == 1 {
                continue;
            }
            let span = isize::try_from(extent)
                .ok()
                .and_then(|extent| stride.checked_mul(extent));
            match out.last_mut() {
                Some(outer) if Some(outer.stride) == span => {
                    *outer = Block {
                        extent: outer.extent * extent,
                        stride,
                    };
                }
                _ => out.push(Block { extent, stride }),
            }
        }
        out
    }

    /// The elements as runs, in row-major logical order; all runs have the same length and stride.
    #[must_use]
    pub fn runs(&self) -> Runs {
        let offset = self.offset();
        if self.is_empty() {
            return Runs {
                outer: TinyVec::new(),
                run: Run {
                    offset,
                    len: 0,
                    stride: 1,
                },
                left: 0,
            };
        }
        let mut blocks = self.blocks();
        let inner = blocks.pop().unwrap_or(Block {
            extent: 1,
            stride: 1,
        });
        let rewind = |block: Block| {
            let last = isize::try_from(block.extent - 1).unwrap_or(isize::MAX);
            block.stride.wrapping_mul(last).wrapping_neg()
        };
        Runs {
            left: blocks.iter().map(|block| block.extent).product(),
            outer: blocks
                .iter()
                .map(|&b| Outer {
                    extent: b.extent,
                    index: 0,
                    stride: b.stride,
                    rewind: rewind(b),
                })
                .collect(),
            run: Run {
                offset,
                len: inner.extent,
                stride: inner.stride,
            },
        }
    }

    /// The position of every element, in row-major logical order.
    #[must_use]
    pub fn offsets(&self) -> Offsets {
        Offsets {
            runs: self.runs(),
            run: Run {
                offset: 0,
                len: 0,
                stride: 1,
            },
        }
    }
}
