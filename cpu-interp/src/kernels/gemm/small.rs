//! Few rows: products that read each element of B once and are limited by memory, so B is streamed, never packed.
//!
//! Where rows of B are contiguous, several of them are added at once, scaled, to the rows of C, which stay in the
//! nearest cache. Where columns are contiguous (a weight stored `[out, in]`), each element is a dot product.
//! Constants that are packed, and packers, take the blocked path.

use std::ops::Range;

use super::block::Job;
use super::pack::{MatRef, PackA};
use super::{Lhs, Rhs, Strip};
use crate::kernels::isa::dispatch;
use crate::kernels::pool::Threads;
use crate::kernels::scratch::Scratch;
use crate::kernels::simd::Simd;

/// The most rows that take this path.
pub(super) const MAX_ROWS: usize = 4;
/// Columns of a task: rows of C of this length stay in the first-level cache.
const COLS: usize = 1024;
/// Rows of B that are added at once.
const STEPS: usize = 8;
/// Bytes of B a nanosecond, roughly.
const BYTES_PER_NS: f64 = 30.0;

/// A product of few rows whose B is streamed.
pub(super) struct Small<'j, 'a> {
    job: &'j Job<'a>,
    a: Source<'a>,
    b: MatRef<'a>,
    along_rows: bool,
}

/// Where A comes from: anything but a packed constant.
enum Source<'a> {
    Strided(MatRef<'a>),
    Fill(&'a dyn PackA),
}

impl<'j, 'a> Small<'j, 'a> {
    /// The product, if it is of this kind.
    pub(super) fn new(job: &'j Job<'a>) -> Option<Self> {
        let Rhs::Strided(b) = job.b else { return None };
        let a = match job.a {
            Lhs::Strided(a) => Source::Strided(a),
            Lhs::Fill(a) => Source::Fill(a),
            Lhs::Packed(_) => return None,
        };
        let along_rows = b.col_stride() == 1 || job.n == 1;
        let along_cols = b.row_stride() == 1 || job.k == 1;
        let fits = job.m <= MAX_ROWS && job.k > 0 && (along_rows || along_cols);
        fits.then_some(Self {
            job,
            a,
            b,
            // A single column whose rows are contiguous is a dot product.
            along_rows: along_rows && !(job.n == 1 && along_cols),
        })
    }

    pub(super) fn run(&self, threads: &Threads) {
        let job = self.job;
        let bytes = job.n.min(COLS) as f64 * job.k as f64 * 4.0;
        let mut cols = COLS;
        let workers = threads.useful(
            usize::MAX,
            bytes / BYTES_PER_NS * job.n as f64 / COLS as f64 / usize::MAX as f64,
        );
        while workers > 1 && cols > 64 && job.batch * job.n.div_ceil(cols) < 4 * workers {
            cols /= 2;
        }
        let blocks = job.n.div_ceil(cols);
        let task_ns = cols.min(job.n) as f64 * job.k as f64 * 4.0 / BYTES_PER_NS;
        threads.for_each_with(job.batch * blocks, task_ns, |scratch, task| {
            let start = task % blocks * cols;
            self.block(scratch, task / blocks, start..job.n.min(start + cols));
        });
    }

    pub(super) fn run_here(&self, scratch: &mut Scratch) {
        for batch in 0..self.job.batch {
            for start in (0..self.job.n).step_by(COLS) {
                self.block(scratch, batch, start..self.job.n.min(start + COLS));
            }
        }
    }

    /// All rows of C at some columns, which no other task touches.
    fn block(&self, scratch: &mut Scratch, batch: usize, cols: Range<usize>) {
        let job = self.job;
        // Rows of A one after the other, for dot products; else step by step.
        let mr = if self.along_rows { job.m } else { 1 };
        let a = scratch.get(job.m * job.k);
        for i in (0..job.m).step_by(mr) {
            let dst = &mut a[i * job.k..(i + mr) * job.k];
            match &self.a {
                Source::Strided(a) => a.pack_a(batch, i..i + mr, 0..job.k, mr, dst),
                Source::Fill(a) => a.pack_a(batch, i..i + mr, 0..job.k, mr, dst),
            }
        }
        let a = &*a;
        // SAFETY: these elements are part of the checked B and C.
        let (b, c) = unsafe {
            (
                self.b.at(batch, 0, cols.start),
                job.c.at(batch, 0, cols.start),
            )
        };
        let (n, ldc) = (cols.len(), job.c.ldc);
        let step = if self.along_rows {
            self.b.row_stride()
        } else {
            self.b.col_stride()
        };
        let along_rows = self.along_rows;
        // SAFETY: the rows and columns that follow are in bounds too, and those of C are this task's alone.
        dispatch!(job.isa, |s| unsafe {
            match (along_rows, job.m) {
                (true, 1) => add_rows::<_, 1>(s, a, b, step, n, c, ldc),
                (true, 2) => add_rows::<_, 2>(s, a, b, step, n, c, ldc),
                (true, 3) => add_rows::<_, 3>(s, a, b, step, n, c, ldc),
                (true, _) => add_rows::<_, 4>(s, a, b, step, n, c, ldc),
                (false, 1) => dots::<_, 1>(s, a, b, step, n, c, ldc),
                (false, 2) => dots::<_, 2>(s, a, b, step, n, c, ldc),
                (false, 3) => dots::<_, 3>(s, a, b, step, n, c, ldc),
                (false, _) => dots::<_, 4>(s, a, b, step, n, c, ldc),
            }
        });
        if !job.epilogue.is_none() {
            // SAFETY: as above; the strip is complete.
            let mut strip = unsafe { Strip::new(batch, (0, job.m), (cols.start, n), c, ldc) };
            job.epilogue.apply(&mut strip);
        }
    }
}

/// `c[i][j] = sum over p of a[p * M + i] * b[p * step + j]`, `STEPS` rows of B at a time.
///
/// # Safety
/// `a` holds whole steps of `M`; the rows of `b` and `c` are `n` long and in bounds; nobody else uses those of `c`.
#[inline(always)]
unsafe fn add_rows<S: Simd, const M: usize>(
    s: S,
    a: &[f32],
    b: *const f32,
    step: isize,
    n: usize,
    c: *mut f32,
    ldc: usize,
) {
    // SAFETY: (whole function) every access is inside the rows that the caller vouches for.
    unsafe {
        let mut first = true;
        let mut row = b;
        for steps in a.chunks(STEPS * M) {
            if steps.len() == STEPS * M {
                add_some::<S, M, STEPS>(s, steps, row, step, n, c, ldc, first);
            } else {
                for (p, one) in steps.chunks_exact(M).enumerate() {
                    let row = row.offset(p as isize * step);
                    add_some::<S, M, 1>(s, one, row, step, n, c, ldc, first && p == 0);
                }
            }
            first = false;
            row = row.wrapping_offset(STEPS as isize * step);
        }
    }
}

/// Adds `P` scaled rows of B to the rows of C, or writes them if they are the first.
///
/// # Safety
/// As [`add_rows`].
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "an inner loop, inlined into its caller"
)]
unsafe fn add_some<S: Simd, const M: usize, const P: usize>(
    s: S,
    a: &[f32],
    b: *const f32,
    step: isize,
    n: usize,
    c: *mut f32,
    ldc: usize,
    first: bool,
) {
    let whole = n / S::LANES * S::LANES;
    let tail = n - whole;
    let scales: [[S::V; M]; P] =
        std::array::from_fn(|p| std::array::from_fn(|i| s.splat(a[p * M + i])));
    for j in (0..whole).step_by(S::LANES) {
        // SAFETY: `whole` stays inside the rows that the caller vouches for.
        unsafe {
            let mut acc: [S::V; M] = std::array::from_fn(|i| {
                if first {
                    s.zero()
                } else {
                    s.load(c.add(i * ldc + j))
                }
            });
            for (p, scale) in scales.iter().enumerate() {
                let x = s.load(b.offset(p as isize * step).add(j));
                for i in 0..M {
                    acc[i] = s.fma(scale[i], x, acc[i]);
                }
            }
            for (i, &sum) in acc.iter().enumerate() {
                s.store(c.add(i * ldc + j), sum);
            }
        }
    }
    if tail > 0 {
        // SAFETY: `whole + tail` is the length of the rows that the caller vouches for.
        unsafe {
            for i in 0..M {
                let at = c.add(i * ldc + whole);
                let mut acc = if first {
                    s.zero()
                } else {
                    s.load_part(at, tail)
                };
                for (p, scale) in scales.iter().enumerate() {
                    let x = s.load_part(b.offset(p as isize * step).add(whole), tail);
                    acc = s.fma(scale[i], x, acc);
                }
                s.store_part(at, acc, tail);
            }
        }
    }
}

/// `c[i][j] = sum over p of a[i * k + p] * b[j * step + p]`, four columns at a time.
///
/// # Safety
/// As [`add_rows`], with columns of `b` of `k = a.len() / M` elements.
#[inline(always)]
unsafe fn dots<S: Simd, const M: usize>(
    s: S,
    a: &[f32],
    b: *const f32,
    step: isize,
    n: usize,
    c: *mut f32,
    ldc: usize,
) {
    let whole = n / 4 * 4;
    for j in (0..whole).step_by(4) {
        // SAFETY: columns below n exist.
        unsafe { dot::<S, M, 4>(s, a, b.offset(j as isize * step), step, c.add(j), ldc) };
    }
    for j in whole..n {
        // SAFETY: columns below n exist.
        unsafe { dot::<S, M, 1>(s, a, b.offset(j as isize * step), step, c.add(j), ldc) };
    }
}

/// `M` rows times `C` columns, with two sums an element so that the adds overlap.
///
/// # Safety
/// As [`dots`], for `C` columns.
#[inline(always)]
unsafe fn dot<S: Simd, const M: usize, const C: usize>(
    s: S,
    a: &[f32],
    b: *const f32,
    step: isize,
    c: *mut f32,
    ldc: usize,
) {
    let k = a.len() / M;
    let pair = 2 * S::LANES;
    let whole = k / pair * pair;
    let mut acc = [[[s.zero(); 2]; C]; M];
    let mut p = 0;
    // SAFETY: (whole function) steps below k of rows and columns that the caller vouches for.
    unsafe {
        while p < whole {
            for (half, at) in [p, p + S::LANES].into_iter().enumerate() {
                let x: [S::V; C] =
                    std::array::from_fn(|j| s.load(b.offset(j as isize * step).add(at)));
                for (i, sums) in acc.iter_mut().enumerate() {
                    let y = s.load(a.as_ptr().add(i * k + at));
                    for (sum, &x) in sums.iter_mut().zip(&x) {
                        sum[half] = s.fma(y, x, sum[half]);
                    }
                }
            }
            p += pair;
        }
        while p < k {
            let part = S::LANES.min(k - p);
            for (i, sums) in acc.iter_mut().enumerate() {
                let y = s.load_part(a.as_ptr().add(i * k + p), part);
                for (j, sum) in sums.iter_mut().enumerate() {
                    let x = s.load_part(b.offset(j as isize * step).add(p), part);
                    sum[0] = s.fma(y, x, sum[0]);
                }
            }
            p += part;
        }
        for (i, sums) in acc.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                *c.add(i * ldc + j) = s.sum(s.add(sum[0], sum[1]));
            }
        }
    }
}
