//! Walking a view element by element.

use std::iter::FusedIterator;
use std::slice;

use tensor_core::{Offsets, Run, TensorRank};

use super::TypedTensorView;

/// The elements of a view, in row-major logical order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    walk: Walk<'a, T>,
}

/// Elements side by side need no layout, and compilers vectorise a slice.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "an iterator lives on the stack, and a box would allocate"
)]
enum Walk<'a, T> {
    Dense(slice::Iter<'a, T>),
    Strided(&'a [T], Offsets),
}

impl<'a, T> Iter<'a, T> {
    pub(super) fn new<R: TensorRank>(view: &TypedTensorView<'a, T, R>) -> Self {
        let walk = match view.dense() {
            Some(elements) => Walk::Dense(elements.iter()),
            None => Walk::Strided(view.storage(), view.layout().offsets()),
        };
        Self { walk }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        match &mut self.walk {
            Walk::Dense(elements) => elements.next(),
            Walk::Strided(data, offsets) => offsets.next().map(|at| &data[at]),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.walk {
            Walk::Dense(elements) => elements.size_hint(),
            Walk::Strided(_, offsets) => offsets.size_hint(),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a T) -> B>(self, init: B, mut f: F) -> B {
        match self.walk {
            Walk::Dense(elements) => elements.fold(init, f),
            Walk::Strided(data, offsets) => offsets
                .into_runs()
                .fold(init, |acc, run| fold_run(data, run, acc, &mut f)),
        }
    }
}

/// Folds over the elements of a run; those that lie side by side are a slice, which compilers vectorise.
#[inline]
fn fold_run<'a, T, B>(data: &'a [T], run: Run, init: B, mut f: impl FnMut(B, &'a T) -> B) -> B {
    match run.stride {
        1 => data[run.offset..run.offset + run.len].iter().fold(init, f),
        _ => run.fold(init, |acc, at| f(acc, &data[at])),
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}
