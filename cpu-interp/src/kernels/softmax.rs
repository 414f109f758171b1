//! Softmax and its logarithm along one axis of a dense `[outer, n, inner]` array.
//!
//! `y[i] = e^(x[i] - m) / sum over j of e^(x[j] - m)` with m the axis' maximum, and `log y[i] = x[i] - m - log(sum)`.
//! A row is read from memory once: the maximum, the exponentials with their sum, and the scaling pass over it while it
//! is in the nearest cache. Along an axis that is not the last, vectors run across `inner`.
//!
//! **Numerics**: f32; sums are kept in many partial sums. A row that holds NaN, inf, or only -inf becomes NaN.

use super::Cpu;
use super::isa::{Isa, dispatch};
use super::pool::SharedMut;
use super::simd::Simd;
use super::vecmath::{exp_v, log_v};

/// Nanoseconds an element, roughly.
const ELEMENT_NS: f64 = 0.35;

/// The softmax of `from` along the middle axis of `shape`, into `to`.
///
/// # Panics
/// If a slice has another length than the shape says.
pub fn softmax(cpu: &Cpu, from: &[f32], to: &mut [f32], shape: [usize; 3]) {
    along::<false>(cpu, Some(from), to, shape);
}

/// The softmax of `x` over itself.
///
/// # Panics
/// As [`softmax`].
pub fn softmax_in_place(cpu: &Cpu, x: &mut [f32], shape: [usize; 3]) {
    along::<false>(cpu, None, x, shape);
}

/// The logarithm of the softmax of `from` along the middle axis of `shape`, into `to`.
///
/// # Panics
/// As [`softmax`].
pub fn log_softmax(cpu: &Cpu, from: &[f32], to: &mut [f32], shape: [usize; 3]) {
    along::<true>(cpu, Some(from), to, shape);
}

/// The softmax of one row over itself, for use inside a task.
pub fn softmax_row(isa: Isa, row: &mut [f32]) {
    let (from, to, n) = (row.as_ptr(), row.as_mut_ptr(), row.len());
    // SAFETY: n elements, borrowed exclusively.
    dispatch!(isa, |s| unsafe { one_row::<_, false>(s, from, to, n) });
}

/// The logarithm of the softmax of one row over itself, for use inside a task.
pub fn log_softmax_row(isa: Isa, row: &mut [f32]) {
    let (from, to, n) = (row.as_ptr(), row.as_mut_ptr(), row.len());
    // SAFETY: n elements, borrowed exclusively.
    dispatch!(isa, |s| unsafe { one_row::<_, true>(s, from, to, n) });
}

fn along<const LOG: bool>(cpu: &Cpu, from: Option<&[f32]>, to: &mut [f32], shape: [usize; 3]) {
    let [outer, n, inner] = shape;
    let len = outer * n * inner;
    assert!(
        to.len() == len && from.is_none_or(|from| from.len() == len),
        "{:?} to {} elements do not match {shape:?}",
        from.map(<[f32]>::len),
        to.len()
    );
    if len == 0 {
        return;
    }
    let shared = SharedMut::new(to);
    let source = Source(from.map_or(shared.get().cast_const(), <[f32]>::as_ptr));
    let row_ns = n as f64 * ELEMENT_NS;
    if inner == 1 {
        cpu.threads.for_ranges(outer, 1, row_ns + 10.0, |rows| {
            let (from, to) = (source.get(), shared.get());
            dispatch!(cpu.isa, |s| for row in rows {
                // SAFETY: row `row` is inside both arrays and this task's alone.
                unsafe { one_row::<_, LOG>(s, from.add(row * n), to.add(row * n), n) };
            });
        });
        return;
    }
    // A task takes a few vectors of one outer index.
    const WIDTH: usize = 64;
    let strips = inner.div_ceil(WIDTH);
    cpu.threads
        .for_each(outer * strips, row_ns * WIDTH.min(inner) as f64, |task| {
            let start = task % strips * WIDTH;
            let at = task / strips * n * inner + start;
            let width = WIDTH.min(inner - start);
            let (from, to) = (source.get(), shared.get());
            // SAFETY: these columns of this outer index are inside both arrays and this task's alone.
            dispatch!(cpu.isa, |s| unsafe {
                strip::<_, LOG>(s, from.add(at), to.add(at), n, inner, width);
            });
        });
}

/// Where elements are read: the input, or the output itself.
#[derive(Clone, Copy)]
struct Source(*const f32);

// SAFETY: each task reads only what it alone writes, or an input that nobody writes.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}

impl Source {
    fn get(self) -> *const f32 {
        self.0
    }
}

/// One row; `from` may be `to`.
///
/// # Safety
/// `n` elements of both, those of `to` used by nobody else.
#[inline(always)]
unsafe fn one_row<S: Simd, const LOG: bool>(s: S, from: *const f32, to: *mut f32, n: usize) {
    let whole = n / S::LANES * S::LANES;
    let rest = n - whole;
    let low = s.splat(f32::NEG_INFINITY);
    // SAFETY: (whole function) vectors below `whole` and a part of `rest` elements are in bounds.
    unsafe {
        let mut most = [low; 4];
        let mut i = 0;
        while i + 4 * S::LANES <= whole {
            for (v, most) in most.iter_mut().enumerate() {
                *most = s.max(s.load(from.add(i + v * S::LANES)), *most);
            }
            i += 4 * S::LANES;
        }
        while i < whole {
            most[0] = s.max(s.load(from.add(i)), most[0]);
            i += S::LANES;
        }
        let [a, b, c, d] = most;
        let lanes = s.lanes(s.max(s.max(a, b), s.max(c, d)));
        let mut max = lanes[..S::LANES]
            .iter()
            .fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
        for i in whole..n {
            let x = *from.add(i);
            max = if x > max { x } else { max };
        }
        let max_v = s.splat(max);
        let mut sum = [s.zero(); 2];
        let exp = |x| exp_v(s, s.sub(x, max_v));
        for i in (0..whole).step_by(S::LANES) {
            let e = exp(s.load(from.add(i)));
            if !LOG {
                s.store(to.add(i), e);
            }
            let half = i / S::LANES % 2;
            sum[half] = s.add(sum[half], e);
        }
        let mut total = s.sum(s.add(sum[0], sum[1]));
        if rest > 0 {
            let e = exp(s.load_part(from.add(whole), rest));
            if !LOG {
                s.store_part(to.add(whole), e, rest);
            }
            total += s.lanes(e)[..rest].iter().sum::<f32>();
        }
        let end = if LOG {
            s.lanes(log_v(s, s.splat(total)))[0]
        } else {
            1.0 / total
        };
        let end = s.splat(end);
        let finish = |i: usize, part: Option<usize>| {
            let source = if LOG {
                from.add(i)
            } else {
                to.add(i).cast_const()
            };
            let x = part.map_or_else(|| s.load(source), |n| s.load_part(source, n));
            if LOG {
                s.sub(s.sub(x, max_v), end)
            } else {
                s.mul(x, end)
            }
        };
        for i in (0..whole).step_by(S::LANES) {
            s.store(to.add(i), finish(i, None));
        }
        if rest > 0 {
            s.store_part(to.add(whole), finish(whole, Some(rest)), rest);
        }
    }
}

/// `width` columns, a vector at a time.
///
/// # Safety
/// As [`columns`].
#[inline(always)]
unsafe fn strip<S: Simd, const LOG: bool>(
    s: S,
    from: *const f32,
    to: *mut f32,
    n: usize,
    step: usize,
    width: usize,
) {
    for j in (0..width).step_by(S::LANES) {
        // SAFETY: columns below `width`.
        unsafe { columns::<_, LOG>(s, from.add(j), to.add(j), n, step, S::LANES.min(width - j)) };
    }
}

/// `lanes` columns, each an axis of `n` elements `step` apart; `from` may be `to`.
///
/// # Safety
/// All those elements of both, those of `to` used by nobody else.
#[inline(always)]
unsafe fn columns<S: Simd, const LOG: bool>(
    s: S,
    from: *const f32,
    to: *mut f32,
    n: usize,
    step: usize,
    lanes: usize,
) {
    let full = lanes == S::LANES;
    // SAFETY: (whole function) `lanes` elements of each of the `n` rows are in bounds.
    unsafe {
        let get = |p: *const f32| {
            if full {
                s.load(p)
            } else {
                s.load_part(p, lanes)
            }
        };
        let put = |p: *mut f32, v| {
            if full {
                s.store(p, v)
            } else {
                s.store_part(p, v, lanes)
            }
        };
        let mut max = s.splat(f32::NEG_INFINITY);
        for i in 0..n {
            max = s.max(get(from.add(i * step)), max);
        }
        let mut sum = s.zero();
        for i in 0..n {
            let e = exp_v(s, s.sub(get(from.add(i * step)), max));
            sum = s.add(sum, e);
            if !LOG {
                put(to.add(i * step), e);
            }
        }
        let end = if LOG {
            log_v(s, sum)
        } else {
            s.div(s.splat(1.0), sum)
        };
        for i in 0..n {
            let y = if LOG {
                s.sub(s.sub(get(from.add(i * step)), max), end)
            } else {
                s.mul(get(to.add(i * step)), end)
            };
            put(to.add(i * step), y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{assert_close, on_every_level, values};

    fn reference(x: &[f32], [outer, n, inner]: [usize; 3], log: bool) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for o in 0..outer {
            for j in 0..inner {
                let at = |i: usize| (o * n + i) * inner + j;
                let get = |i: usize| f64::from(x[at(i)]);
                let max = (0..n).map(get).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = (0..n).map(|i| (get(i) - max).exp()).sum();
                for i in 0..n {
                    out[at(i)] = if log {
                        get(i) - max - sum.ln()
                    } else {
                        (get(i) - max).exp() / sum
                    };
                }
            }
        }
        out
    }

    #[test]
    fn both_on_every_level() {
        for shape in [
            [1, 1, 1],
            [0, 5, 1],
            [3, 7, 1],
            [5, 64, 1],
            [4, 1023, 1],
            [2, 5000, 1],
            [2, 9, 13],
            [1, 33, 200],
            [3, 16, 16],
        ] {
            let x: Vec<f32> = values(shape.iter().product(), 1)
                .iter()
                .map(|x| x * 20.0)
                .collect();
            for log in [false, true] {
                let want = reference(&x, shape, log);
                on_every_level(
                    |cpu| {
                        let mut y = vec![9.0; x.len()];
                        if log {
                            log_softmax(cpu, &x, &mut y, shape);
                        } else {
                            softmax(cpu, &x, &mut y, shape);
                            let mut z = x.clone();
                            softmax_in_place(cpu, &mut z, shape);
                            assert_eq!(y, z);
                        }
                        y
                    },
                    |isa, got| assert_close(&format!("{shape:?} {log} {isa:?}"), got, &want, 1e-6),
                );
            }
        }
    }

    #[test]
    fn infinities_and_large_values() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        for isa in Isa::available() {
            let check = |row: &[f32], want: &[f32]| {
                let mut got = row.to_vec();
                softmax_row(isa, &mut got);
                let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
                assert!(
                    got.iter().zip(want).all(same),
                    "{row:?}: {got:?}, expected {want:?}"
                );
            };
            check(&[-inf, 0.0, -inf], &[0.0, 1.0, 0.0]);
            check(&[-inf, -inf], &[nan, nan]);
            check(&[1.0, nan], &[nan, nan]);
            check(&[inf, 0.0], &[nan, nan]);
            check(&[1e30, -1e30], &[1.0, 0.0]);
            check(&[3e38, 3e38], &[0.5, 0.5]);
            check(&[], &[]);
        }
    }
}
