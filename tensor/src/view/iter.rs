//! Walking a view element by element.

use tensor_core::Offsets;

/// The elements of a view, in row-major logical order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    data: &'a [T],
    offsets: Offsets,
}

impl<'a, T> Iter<'a, T> {
    pub(super) fn new(data: &'a [T], offsets: Offsets) -> Self {
        Self { data, offsets }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.offsets.next().map(|at| &self.data[at])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }

    fn fold<B, F: FnMut(B, &'a T) -> B>(self, init: B, mut f: F) -> B {
        let data = self.data;
        self.offsets.fold(init, |acc, at| f(acc, &data[at]))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
