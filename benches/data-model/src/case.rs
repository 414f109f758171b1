//! One operation, written for either side and ready to be timed.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::{Answer, Answered};

/// Inputs that an operation consumes are made in batches of this many, so that making them is not timed and the results
/// of a batch stay in the nearest cache.
const BATCH: usize = 64;

/// One side of a case: runs the operation so many times and tells how long that took.
pub type Side<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

/// An operation and its two sides.
pub struct Case<'a> {
    /// What kind of operation it is.
    pub group: &'static str,
    /// The operation.
    pub name: &'static str,
    /// The bytes that it reads, where that is what should bound it.
    pub bytes: Option<usize>,
    /// Written with our crates.
    pub ours: Side<'a>,
    /// Written with ndarray.
    pub theirs: Side<'a>,
}

impl fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("group", &self.group)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<'a> Case<'a> {
    /// An operation on a borrowed input of either side.
    ///
    /// # Panics
    /// If the sides disagree: then there is nothing to compare.
    pub fn new<I: ?Sized, J: ?Sized, A: Answer, B: Answer>(
        (group, name): (&'static str, &'static str),
        (our_input, ours): (&'a I, impl Fn(&'a I) -> A + 'a),
        (their_input, theirs): (&'a J, impl Fn(&'a J) -> B + 'a),
    ) -> Self {
        same(
            name,
            &ours(our_input).answered(),
            &theirs(their_input).answered(),
        );
        Self {
            group,
            name,
            bytes: None,
            ours: borrowing(our_input, ours),
            theirs: borrowing(their_input, theirs),
        }
    }

    /// An operation that consumes its input, which `make` makes.
    ///
    /// # Panics
    /// As [`Case::new`].
    pub fn consuming<I: 'a, A: Answer + 'a, B: Answer + 'a>(
        (group, name): (&'static str, &'static str),
        make: impl Fn() -> I + Clone + 'a,
        ours: impl Fn(I) -> A + 'a,
        theirs: impl Fn(I) -> B + 'a,
    ) -> Self {
        same(name, &ours(make()).answered(), &theirs(make()).answered());
        Self {
            group,
            name,
            bytes: None,
            ours: batched(make.clone(), ours),
            theirs: batched(make, theirs),
        }
    }

    /// The same case, bound by reading so many bytes.
    #[must_use]
    pub fn reading(self, bytes: usize) -> Self {
        Self {
            bytes: Some(bytes),
            ..self
        }
    }
}

fn same(name: &str, ours: &Answered, theirs: &Answered) {
    assert_eq!(ours.shape, theirs.shape, "{name}: the shapes differ");
    assert!(
        ours.elements == theirs.elements,
        "{name}: the elements differ"
    );
}

/// Times `operation`, the results of which are dropped at once.
fn borrowing<'a, I: ?Sized, A>(input: &'a I, operation: impl Fn(&'a I) -> A + 'a) -> Side<'a> {
    Box::new(move |times| {
        let begin = Instant::now();
        for _ in 0..times {
            black_box(&operation(black_box(input)));
        }
        begin.elapsed()
    })
}

/// Times `operation` alone: neither making the inputs nor dropping the results.
fn batched<'a, I: 'a, A: 'a>(
    make: impl Fn() -> I + 'a,
    operation: impl Fn(I) -> A + 'a,
) -> Side<'a> {
    let mut inputs = Vec::with_capacity(BATCH);
    let mut results = Vec::with_capacity(BATCH);
    Box::new(move |times| {
        let mut elapsed = Duration::ZERO;
        let mut left = usize::try_from(times).unwrap_or(usize::MAX);
        while left > 0 {
            let batch = left.min(BATCH);
            inputs.extend((0..batch).map(|_| make()));
            let begin = Instant::now();
            results.extend(black_box(&mut inputs).drain(..).map(&operation));
            elapsed += begin.elapsed();
            black_box(&mut results).clear();
            left -= batch;
        }
        elapsed
    })
}
