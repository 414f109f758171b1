//! Walking a view element by element.
//!
//! A view whose elements lie side by side is walked as a slice. Any other is walked run by run: the innermost axis that the
//! layout allows is a slice with a step, so that `fold`, and with it `for_each` and `sum`, checks bounds once a run.

use std::iter::FusedIterator;
use std::slice;

use tensor_core::{Run, Runs, TensorRank};

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
    Strided(Strided<'a, T>),
}

#[derive(Clone, Debug)]
struct Strided<'a, T> {
    data: &'a [T],
    /// What is left of the run that is being walked.
    run: Run,
    /// The runs after it, each of `run_len` elements.
    runs: Runs,
    run_len: usize,
}

impl<'a, T> Iter<'a, T> {
    #[inline]
    pub(super) fn new<R: TensorRank>(view: &TypedTensorView<'a, T, R>) -> Self {
        let walk = match view.dense() {
            Some(elements) => Walk::Dense(elements.iter()),
            None => Walk::Strided(Strided::new(view)),
        };
        Self { walk }
    }
}

impl<'a, T> Strided<'a, T> {
    /// Out of line, so that walking a short dense lane does not carry the room for runs.
    #[inline(never)]
    fn new<R: TensorRank>(view: &TypedTensorView<'a, T, R>) -> Self {
        let mut runs = view.layout().runs();
        let none = Run {
            offset: 0,
            len: 0,
            stride: 1,
        };
        let run = runs.next().unwrap_or(none);
        Self {
            data: view.storage(),
            run,
            runs,
            run_len: run.len,
        }
    }

    fn next(&mut self) -> Option<&'a T> {
        if self.run.len == 0 {
            self.run = self.runs.next()?;
        }
        let at = self.run.offset;
        self.run.offset = at.wrapping_add_signed(self.run.stride);
        self.run.len -= 1;
        Some(&self.data[at])
    }

    fn len(&self) -> usize {
        self.run.len + self.runs.len() * self.run_len
    }
}

/// Folds the elements of one run.
fn fold_run<'a, T, B>(data: &'a [T], run: Run, acc: B, f: &mut impl FnMut(B, &'a T) -> B) -> B {
    let Some(last) = run.len.checked_sub(1) else {
        return acc;
    };
    let step = run.stride.unsigned_abs();
    let reach = last * step;
    match run.stride {
        1 => data[run.offset..=run.offset + reach].iter().fold(acc, f),
        0 => std::iter::repeat_n(&data[run.offset], run.len).fold(acc, f),
        2.. => data[run.offset..=run.offset + reach]
            .iter()
            .step_by(step)
            .fold(acc, f),
        _ => data[run.offset - reach..=run.offset]
            .iter()
            .rev()
            .step_by(step)
            .fold(acc, f),
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        match &mut self.walk {
            Walk::Dense(elements) => elements.next(),
            Walk::Strided(strided) => strided.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match &self.walk {
            Walk::Dense(elements) => elements.len(),
            Walk::Strided(strided) => strided.len(),
        };
        (len, Some(len))
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a T) -> B>(self, init: B, mut f: F) -> B {
        match self.walk {
            Walk::Dense(elements) => elements.fold(init, f),
            Walk::Strided(Strided {
                data, run, runs, ..
            }) => {
                let acc = fold_run(data, run, init, &mut f);
                runs.fold(acc, |acc, run| fold_run(data, run, acc, &mut f))
            }
        }
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}
