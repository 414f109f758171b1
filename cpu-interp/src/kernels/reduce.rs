//! Reductions of one axis of a dense `[outer, n, inner]` array: sum, mean, product, maximum, minimum and sums of squares
//! and magnitudes.
//!
//! Contiguous axes (`inner = 1`) are folded in several vectors at once, in blocks whose results are combined in f64. A
//! single long axis is cut into chunks of a fixed length, so that threads share it without changing the result. Outer
//! axes are folded row by row, eight rows as a tree, into a strip of results that stays in the nearest cache; sums
//! carry a compensation there.
//!
//! **Numerics**: sums behave as if accumulated in more than f32: the error does not grow with n beyond a few ULP for
//! values of one sign. Maximum and minimum give NaN where any element is NaN. An empty axis gives the identity: 0 for
//! sums, 1 for products, -inf and inf for maximum and minimum, NaN for the mean.

use std::ops::Range;

use super::Cpu;
use super::isa::dispatch;
use super::pool::SharedMut;
use super::simd::{Simd, inlined};

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// The sum.
    Sum,
    /// The sum over the count.
    Mean,
    /// The product.
    Prod,
    /// The greatest, NaN if any is NaN.
    Max,
    /// The least, NaN if any is NaN.
    Min,
    /// The sum of squares.
    SumSquares,
    /// The sum of magnitudes.
    SumAbs,
}

/// Elements of a block of a contiguous fold.
const BLOCK: usize = 2048;
/// Elements of a chunk, when one axis is shared among threads.
const CHUNK: usize = 64 * 1024;
/// How far ahead of a contiguous fold memory is asked for.
const AHEAD: usize = 1024;
/// Results of a strip, when an outer axis is folded.
const STRIP: usize = 4096;
/// Nanoseconds to read an element, roughly.
const ELEMENT_NS: f64 = 0.15;

/// One kind of fold, on vectors and on the results of blocks.
trait Fold: Copy + Sync {
    const IDENTITY: f32;
    /// Whether strips carry the rounding error of their sums.
    const COMPENSATED: bool = false;
    fn map<S: Simd>(s: S, x: S::V) -> S::V;
    fn combine<S: Simd>(s: S, a: S::V, b: S::V) -> S::V;
    fn wide(a: f64, b: f64) -> f64;
    /// The lanes of a vector folded to one value.
    #[inline(always)]
    fn across<S: Simd>(s: S, v: S::V) -> f64 {
        if Self::COMPENSATED {
            // The folds that are compensated are the sums.
            return f64::from(s.sum(v));
        }
        let lanes = s.lanes(v);
        let lanes = lanes[..S::LANES].iter().map(|&x| f64::from(x));
        lanes.fold(f64::from(Self::IDENTITY), Self::wide)
    }
}

macro_rules! fold {
    ($name:ident, $identity:expr, $compensated:literal, |$s:ident, $x:ident| $map:expr, |$a:ident, $b:ident| $combine:expr, $wide:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Fold for $name {
            const IDENTITY: f32 = $identity;
            const COMPENSATED: bool = $compensated;
            #[inline(always)]
            fn map<S: Simd>($s: S, $x: S::V) -> S::V {
                let _ = $s;
                $map
            }
            #[inline(always)]
            fn combine<S: Simd>($s: S, $a: S::V, $b: S::V) -> S::V {
                $combine
            }
            fn wide(a: f64, b: f64) -> f64 {
                let wide = $wide;
                wide(a, b)
            }
        }
    };
}

fold!(
    Sum,
    0.0,
    true,
    |s, x| x,
    |a, b| s.add(a, b),
    |a: f64, b: f64| a + b
);
fold!(
    SumSquares,
    0.0,
    true,
    |s, x| s.mul(x, x),
    |a, b| s.add(a, b),
    |a: f64, b: f64| a + b
);
fold!(
    SumAbs,
    0.0,
    true,
    |s, x| s.abs(x),
    |a, b| s.add(a, b),
    |a: f64, b: f64| a + b
);
fold!(
    Prod,
    1.0,
    false,
    |s, x| x,
    |a, b| s.mul(a, b),
    |a: f64, b: f64| a * b
);
fold!(
    Max,
    f32::NEG_INFINITY,
    false,
    |s, x| x,
    |a, b| s.max_nan(a, b),
    |a: f64, b: f64| { if b.is_nan() || b > a { b } else { a } }
);
fold!(
    Min,
    f32::INFINITY,
    false,
    |s, x| x,
    |a, b| s.min_nan(a, b),
    |a: f64, b: f64| { if b.is_nan() || b < a { b } else { a } }
);

/// Folds the middle axis of `from` (`shape` = `[outer, n, inner]`) into `to` (`[outer, inner]`).
///
/// # Panics
/// If a slice has another length than its shape says.
pub fn reduce(cpu: &Cpu, op: Reduce, from: &[f32], to: &mut [f32], shape: [usize; 3]) {
    let [outer, n, inner] = shape;
    assert!(
        from.len() == outer * n * inner && to.len() == outer * inner,
        "{} elements to {} do not match {shape:?}",
        from.len(),
        to.len()
    );
    match op {
        Reduce::Sum => fold::<Sum>(cpu, from, to, shape, None),
        Reduce::Mean => fold::<Sum>(cpu, from, to, shape, Some(n as f64)),
        Reduce::Prod => fold::<Prod>(cpu, from, to, shape, None),
        Reduce::Max => fold::<Max>(cpu, from, to, shape, None),
        Reduce::Min => fold::<Min>(cpu, from, to, shape, None),
        Reduce::SumSquares => fold::<SumSquares>(cpu, from, to, shape, None),
        Reduce::SumAbs => fold::<SumAbs>(cpu, from, to, shape, None),
    }
}

fn fold<F: Fold>(cpu: &Cpu, from: &[f32], to: &mut [f32], shape: [usize; 3], divisor: Option<f64>) {
    let [outer, n, inner] = shape;
    let finish = |x: f64| divisor.map_or(x, |d| x / d) as f32;
    if to.is_empty() {
        return;
    }
    if n == 0 {
        to.fill(finish(f64::from(F::IDENTITY)));
    } else if inner == 1 && outer < 2 * cpu.threads.count() && n > 2 * CHUNK {
        let chunks = n.div_ceil(CHUNK);
        for (row, to) in from.chunks_exact(n).zip(to) {
            *to = finish(long_axis::<F>(cpu, row, chunks));
        }
    } else if inner == 1 {
        let shared = SharedMut::new(to);
        cpu.threads
            .for_ranges(outer, 1, n as f64 * ELEMENT_NS + 5.0, |rows| {
                // SAFETY: the ranges of the tasks are disjoint and inside `to`.
                let to = unsafe { shared.slice(rows.clone()) };
                dispatch!(cpu.isa, |s| {
                    for (to, row) in to.iter_mut().zip(from[rows.start * n..].chunks_exact(n)) {
                        *to = finish(contiguous::<_, F>(s, row));
                    }
                });
            });
    } else {
        outer_axis::<F>(cpu, from, to, shape, divisor);
    }
}

/// One long axis: chunks by any thread, their results combined in order.
fn long_axis<F: Fold>(cpu: &Cpu, row: &[f32], chunks: usize) -> f64 {
    let mut lent = cpu.threads.scratch().take();
    // A result is kept as two f32: its value and what rounding took off.
    let results = lent.get(2 * chunks);
    let shared = SharedMut::new(results);
    cpu.threads
        .for_each(chunks, CHUNK as f64 * ELEMENT_NS, |index| {
            let part = &row[index * CHUNK..row.len().min((index + 1) * CHUNK)];
            let wide = dispatch!(cpu.isa, |s| contiguous::<_, F>(s, part));
            let high = wide as f32;
            let low = (wide - f64::from(high)) as f32;
            // SAFETY: elements 2 * index and its neighbour are this task's alone.
            let to = unsafe { shared.slice(2 * index..2 * index + 2) };
            to.copy_from_slice(&[high, if low.is_finite() { low } else { 0.0 }]);
        });
    results
        .chunks_exact(2)
        .map(|pair| f64::from(pair[0]) + f64::from(pair[1]))
        .fold(f64::from(F::IDENTITY), F::wide)
}

/// All of a contiguous run.
#[inline(always)]
fn contiguous<S: Simd, F: Fold>(s: S, row: &[f32]) -> f64 {
    let mut total = f64::from(F::IDENTITY);
    for block in row.chunks(BLOCK) {
        total = F::wide(total, one_block::<S, F>(s, block));
    }
    total
}

/// A block: eight vectors of partial results, folded as a tree.
#[inline(always)]
fn one_block<S: Simd, F: Fold>(s: S, block: &[f32]) -> f64 {
    let mut acc = [s.splat(F::IDENTITY); 8];
    let mut groups = block.chunks_exact(8 * S::LANES);
    for group in &mut groups {
        for (i, acc) in acc.iter_mut().enumerate() {
            // SAFETY: a group has eight vectors.
            let x = unsafe { s.load(group.as_ptr().add(i * S::LANES)) };
            s.prefetch(group.as_ptr().wrapping_add(AHEAD + i * S::LANES));
            *acc = F::combine(s, *acc, F::map(s, x));
        }
    }
    let mut vectors = groups.remainder().chunks_exact(S::LANES);
    for (vector, acc) in (&mut vectors).zip(&mut acc) {
        // SAFETY: a chunk has LANES elements.
        let x = unsafe { s.load(vector.as_ptr()) };
        *acc = F::combine(s, *acc, F::map(s, x));
    }
    let [a, b, c, d, e, f, g, h] = acc;
    let pair = inlined(
        #[inline(always)]
        |a, b| F::combine(s, a, b),
    );
    let all = pair(pair(pair(a, b), pair(c, d)), pair(pair(e, f), pair(g, h)));
    let mut total = F::across(s, all);
    let rest = vectors.remainder();
    if !rest.is_empty() {
        // SAFETY: as many elements as the rest has.
        let mapped = F::map(s, unsafe { s.load_part(rest.as_ptr(), rest.len()) });
        for &x in &s.lanes(mapped)[..rest.len()] {
            total = F::wide(total, f64::from(x));
        }
    }
    total
}

/// An axis that is not the last.
fn outer_axis<F: Fold>(
    cpu: &Cpu,
    from: &[f32],
    to: &mut [f32],
    shape: [usize; 3],
    divisor: Option<f64>,
) {
    let [outer, n, inner] = shape;
    let mut width = STRIP.min(inner);
    let total_ns = from.len() as f64 * ELEMENT_NS;
    let workers = cpu.threads.useful(usize::MAX, total_ns / usize::MAX as f64);
    while workers > 1 && width > 128 && outer * inner.div_ceil(width) < 4 * workers {
        width /= 2;
    }
    let strips = inner.div_ceil(width);
    let shared = SharedMut::new(to);
    cpu.threads.for_each_with(
        outer * strips,
        (n * width) as f64 * ELEMENT_NS,
        |scratch, task| {
            let (outer, start) = (task / strips, task % strips * width);
            let cols = start..inner.min(start + width);
            // SAFETY: the strips are disjoint and inside `to`.
            let to = unsafe { shared.slice(outer * inner + cols.start..outer * inner + cols.end) };
            let carry = scratch.get(cols.len());
            let rows = &from[outer * n * inner..(outer + 1) * n * inner];
            dispatch!(cpu.isa, |s| strip::<_, F>(s, rows, inner, cols, to, carry));
            if let Some(divisor) = divisor {
                to.iter_mut()
                    .for_each(|x| *x = (f64::from(*x) / divisor) as f32);
            }
        },
    );
}

/// The columns `cols` of all rows into `to`.
#[inline(always)]
fn strip<S: Simd, F: Fold>(
    s: S,
    rows: &[f32],
    inner: usize,
    cols: Range<usize>,
    to: &mut [f32],
    carry: &mut [f32],
) {
    to.fill(F::IDENTITY);
    carry.fill(0.0);
    for eight in rows.chunks(8 * inner) {
        let count = eight.len() / inner;
        let whole = cols.len() / S::LANES * S::LANES;
        for j in (0..cols.len()).step_by(S::LANES) {
            let lanes = if j < whole { S::LANES } else { cols.len() - j };
            let row = inlined(
                #[inline(always)]
                |i: usize| {
                    let from = &eight[i * inner + cols.start + j..][..lanes];
                    // SAFETY: as many elements as the slice has.
                    let x = unsafe {
                        if lanes == S::LANES {
                            s.load(from.as_ptr())
                        } else {
                            s.load_part(from.as_ptr(), lanes)
                        }
                    };
                    F::map(s, x)
                },
            );
            let sum = if count == 8 {
                let pair = inlined(
                    #[inline(always)]
                    |i| F::combine(s, row(i), row(i + 1)),
                );
                F::combine(
                    s,
                    F::combine(s, pair(0), pair(2)),
                    F::combine(s, pair(4), pair(6)),
                )
            } else {
                (1..count).fold(
                    row(0),
                    #[inline(always)]
                    |sum, i| F::combine(s, sum, row(i)),
                )
            };
            // SAFETY: `lanes` elements from j on are in both slices.
            unsafe {
                add_to::<S, F>(
                    s,
                    to.as_mut_ptr().add(j),
                    carry.as_mut_ptr().add(j),
                    lanes,
                    sum,
                )
            };
        }
    }
}

/// Combines `x` into `to`; a compensated sum keeps in `carry` what rounding added.
///
/// # Safety
/// Both have `lanes` elements.
#[inline(always)]
unsafe fn add_to<S: Simd, F: Fold>(s: S, to: *mut f32, carry: *mut f32, lanes: usize, x: S::V) {
    let full = lanes == S::LANES;
    // SAFETY: the caller's promise.
    unsafe {
        let get = inlined(
            #[inline(always)]
            |p: *mut f32| {
                if full {
                    s.load(p)
                } else {
                    s.load_part(p, lanes)
                }
            },
        );
        let put = inlined(
            #[inline(always)]
            |p: *mut f32, v| {
                if full {
                    s.store(p, v)
                } else {
                    s.store_part(p, v, lanes)
                }
            },
        );
        let old = get(to);
        if F::COMPENSATED {
            let y = s.sub(x, get(carry));
            let sum = s.add(old, y);
            let error = s.sub(s.sub(sum, old), y);
            // With an infinite sum the error is NaN and means nothing.
            put(carry, s.select(s.eq(error, error), error, s.zero()));
            put(to, sum);
        } else {
            put(to, F::combine(s, old, x));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{assert_close, on_every_level, values};

    const OPS: [Reduce; 7] = [
        Reduce::Sum,
        Reduce::Mean,
        Reduce::Prod,
        Reduce::Max,
        Reduce::Min,
        Reduce::SumSquares,
        Reduce::SumAbs,
    ];

    fn reference(op: Reduce, from: &[f32], [outer, n, inner]: [usize; 3]) -> Vec<f64> {
        let mut out = Vec::new();
        for o in 0..outer {
            for j in 0..inner {
                let x = (0..n).map(|i| f64::from(from[(o * n + i) * inner + j]));
                out.push(match op {
                    Reduce::Sum => x.sum(),
                    Reduce::Mean => x.sum::<f64>() / n as f64,
                    Reduce::Prod => x.product(),
                    Reduce::Max => x.fold(f64::NEG_INFINITY, |a, b| {
                        if b.is_nan() || a.is_nan() {
                            f64::NAN
                        } else {
                            a.max(b)
                        }
                    }),
                    Reduce::Min => x.fold(f64::INFINITY, |a, b| {
                        if b.is_nan() || a.is_nan() {
                            f64::NAN
                        } else {
                            a.min(b)
                        }
                    }),
                    Reduce::SumSquares => x.map(|x| x * x).sum(),
                    Reduce::SumAbs => x.map(f64::abs).sum(),
                });
            }
        }
        out
    }

    const SHAPES: [[usize; 3]; 16] = [
        [1, 1, 1],
        [0, 3, 1],
        [3, 0, 1],
        [3, 0, 2],
        [3, 2, 0],
        [5, 7, 1],
        [4, 131, 1],
        [2, 4099, 1],
        [1, 200_003, 1],
        [1, 9, 13],
        [3, 8, 16],
        [2, 17, 33],
        [1, 1000, 37],
        [2, 5, 1500],
        [1, 300, 2100],
        [700, 64, 1],
    ];

    #[test]
    fn every_reduction_on_every_level() {
        for shape in SHAPES {
            let mut from = values(shape.iter().product(), 1);
            // Products stay near 1.
            for op in OPS {
                if op == Reduce::Prod {
                    from.iter_mut().for_each(|x| *x = 1.0 + *x * 1e-3);
                }
                let want = reference(op, &from, shape);
                // A product rounds at every step.
                let steps = if op == Reduce::Prod {
                    shape[1] as f64
                } else {
                    50.0
                };
                let tolerance = 6e-8 * (steps + 4.0);
                on_every_level(
                    |cpu| {
                        let mut to = vec![5.0; shape[0] * shape[2]];
                        reduce(cpu, op, &from, &mut to, shape);
                        to
                    },
                    |isa, got| {
                        assert_close(&format!("{op:?} {shape:?} {isa:?}"), got, &want, tolerance)
                    },
                );
            }
        }
    }

    #[test]
    fn nan_and_infinity() {
        for (shape, at) in [
            ([1, 300, 1], 250),
            ([1, 300, 5], 700),
            ([1, 3, 1], 1),
            ([1, 8, 16], 100),
        ] {
            for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut from = values(shape.iter().product(), 2);
                from[at] = special;
                for op in [
                    Reduce::Sum,
                    Reduce::Mean,
                    Reduce::Max,
                    Reduce::Min,
                    Reduce::SumAbs,
                ] {
                    let want = reference(op, &from, shape);
                    on_every_level(
                        |cpu| {
                            let mut to = vec![0.0; shape[2]];
                            reduce(cpu, op, &from, &mut to, shape);
                            to
                        },
                        |isa, got| {
                            assert_close(
                                &format!("{op:?} {special} {shape:?} {isa:?}"),
                                got,
                                &want,
                                1e-5,
                            )
                        },
                    );
                }
            }
        }
    }

    #[test]
    fn long_sums_keep_their_precision() {
        let n = 1_000_000;
        for shape in [[1, n, 1], [1, n / 4, 4]] {
            let from = vec![0.1_f32; n];
            let want = reference(Reduce::Sum, &from, shape);
            on_every_level(
                |cpu| {
                    let mut to = vec![0.0; shape[2]];
                    reduce(cpu, Reduce::Sum, &from, &mut to, shape);
                    to
                },
                |_, got| assert_close("sum of tenths", got, &want, 6e-7),
            );
        }
    }
}
