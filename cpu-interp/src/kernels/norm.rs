//! Normalisation of the rows of a dense `[rows, n]` array.
//!
//! - layer norm: `y = (x - mean) / sqrt(variance + epsilon) * scale + shift`, variance being the mean of the squared
//!   differences from the mean (a second pass over the row, which is in cache by then);
//! - RMS norm: `y = x / sqrt(mean of x^2 + epsilon) * scale`.
//!
//! **Numerics**: sums run in many partial f32 sums over blocks that are added in f64; the rest is f32. NaN spreads over
//! its row.

use super::Cpu;
use super::isa::{Isa, dispatch};
use super::pool::SharedMut;
use super::simd::Simd;

/// Nanoseconds an element, roughly.
const ELEMENT_NS: f64 = 0.25;
/// Elements of a block of a sum.
const BLOCK: usize = 4096;

/// What is applied after normalising: one factor and one summand a column, where present.
#[derive(Clone, Copy, Debug, Default)]
pub struct Affine<'a> {
    /// The factors.
    pub scale: Option<&'a [f32]>,
    /// The summands.
    pub shift: Option<&'a [f32]>,
}

/// Layer norm of each row of `n` elements.
///
/// # Panics
/// If the slices differ in length or `n` does not divide it, or `affine` has other lengths than `n`.
pub fn layer_norm(
    cpu: &Cpu,
    from: &[f32],
    to: &mut [f32],
    n: usize,
    affine: Affine<'_>,
    epsilon: f32,
) {
    rows::<true>(cpu, from, to, n, affine, epsilon);
}

/// RMS norm of each row of `n` elements.
///
/// # Panics
/// As [`layer_norm`].
pub fn rms_norm(
    cpu: &Cpu,
    from: &[f32],
    to: &mut [f32],
    n: usize,
    affine: Affine<'_>,
    epsilon: f32,
) {
    rows::<false>(cpu, from, to, n, affine, epsilon);
}

/// The layer norm of one row over itself, for use inside a task.
pub fn layer_norm_row(isa: Isa, row: &mut [f32], epsilon: f32) {
    let (from, to, n) = (row.as_ptr(), row.as_mut_ptr(), row.len());
    // SAFETY: n elements, borrowed exclusively.
    dispatch!(isa, |s| unsafe {
        one_row::<_, true>(s, from, to, n, Affine::default(), epsilon);
    });
}

fn rows<const CENTRED: bool>(
    cpu: &Cpu,
    from: &[f32],
    to: &mut [f32],
    n: usize,
    affine: Affine<'_>,
    epsilon: f32,
) {
    let fits = |part: Option<&[f32]>| part.is_none_or(|part| part.len() == n);
    assert!(
        from.len() == to.len() && fits(affine.scale) && fits(affine.shift),
        "{} elements to {} in rows of {n}, {affine:?}",
        from.len(),
        to.len()
    );
    if from.is_empty() {
        return;
    }
    assert!(
        n > 0 && from.len().is_multiple_of(n),
        "rows of {n} do not divide {} elements",
        from.len()
    );
    let shared = SharedMut::new(to);
    cpu.threads
        .for_ranges(from.len() / n, 1, n as f64 * ELEMENT_NS + 10.0, |rows| {
            let range = rows.start * n..rows.end * n;
            // SAFETY: the rows of the tasks are disjoint and inside `to`.
            let to = unsafe { shared.slice(range.clone()) };
            let from = &from[range];
            dispatch!(cpu.isa, |s| {
                for (from, to) in from.chunks_exact(n).zip(to.chunks_exact_mut(n)) {
                    let (from, to) = (from.as_ptr(), to.as_mut_ptr());
                    // SAFETY: both rows have n elements.
                    unsafe { one_row::<_, CENTRED>(s, from, to, n, affine, epsilon) };
                }
            });
        });
}

/// One row; `from` may be `to`.
///
/// # Safety
/// `len` elements of both, those of `to` used by nobody else.
#[inline(always)]
unsafe fn one_row<S: Simd, const CENTRED: bool>(
    s: S,
    from: *const f32,
    to: *mut f32,
    len: usize,
    affine: Affine<'_>,
    epsilon: f32,
) {
    let n = len as f64;
    // SAFETY: the caller promises the elements; the slice is not used after the first write.
    let row = unsafe { std::slice::from_raw_parts(from, len) };
    let mean = if CENTRED {
        (sum(
            s,
            row,
            #[inline(always)]
            |x| x,
        ) / n) as f32
    } else {
        0.0
    };
    let mean_v = s.splat(mean);
    let squares = sum(
        s,
        row,
        #[inline(always)]
        |x| {
            let centred = s.sub(x, mean_v);
            s.mul(centred, centred)
        },
    );
    let factor = s.splat((1.0 / (squares / n + f64::from(epsilon)).sqrt()) as f32);
    let whole = len / S::LANES * S::LANES;
    let rest = len - whole;
    let scale = affine.scale.map(<[f32]>::as_ptr);
    let shift = affine.shift.map(<[f32]>::as_ptr);
    // SAFETY: all slices have the row's length; vectors below `whole` and a part of `rest` elements are inside.
    unsafe {
        let finish = |x, scale: Option<S::V>, shift: Option<S::V>| {
            let mut y = s.mul(s.sub(x, mean_v), factor);
            if let Some(scale) = scale {
                y = s.mul(y, scale);
            }
            shift.map_or(y, |shift| s.add(y, shift))
        };
        for i in (0..whole).step_by(S::LANES) {
            let get = |p: Option<*const f32>| p.map(|p| s.load(p.add(i)));
            s.store(
                to.add(i),
                finish(s.load(from.add(i)), get(scale), get(shift)),
            );
        }
        if rest > 0 {
            let get = |p: Option<*const f32>| p.map(|p| s.load_part(p.add(whole), rest));
            let y = finish(s.load_part(from.add(whole), rest), get(scale), get(shift));
            s.store_part(to.add(whole), y, rest);
        }
    }
}

/// The sum of `f(x)`, in blocks of four vectors of partial sums.
#[inline(always)]
fn sum<S: Simd>(s: S, row: &[f32], f: impl Fn(S::V) -> S::V) -> f64 {
    let mut total = 0.0;
    for block in row.chunks(BLOCK) {
        let mut acc = [s.zero(); 4];
        let mut groups = block.chunks_exact(4 * S::LANES);
        for group in &mut groups {
            for (i, acc) in acc.iter_mut().enumerate() {
                // SAFETY: a group has four vectors.
                let x = unsafe { s.load(group.as_ptr().add(i * S::LANES)) };
                *acc = s.add(*acc, f(x));
            }
        }
        let mut vectors = groups.remainder().chunks_exact(S::LANES);
        for (vector, acc) in (&mut vectors).zip(&mut acc) {
            // SAFETY: a chunk has LANES elements.
            *acc = s.add(*acc, f(unsafe { s.load(vector.as_ptr()) }));
        }
        let rest = vectors.remainder();
        if !rest.is_empty() {
            // SAFETY: as many elements as the rest has.
            let y = f(unsafe { s.load_part(rest.as_ptr(), rest.len()) });
            total += s.lanes(y)[..rest.len()]
                .iter()
                .map(|&y| f64::from(y))
                .sum::<f64>();
        }
        let [a, b, c, d] = acc;
        total += f64::from(s.sum(s.add(s.add(a, b), s.add(c, d))));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{assert_close, on_every_level, values};

    #[test]
    fn both_on_every_level() {
        for (rows, n) in [
            (0, 5),
            (1, 1),
            (3, 7),
            (2, 64),
            (5, 131),
            (40, 1024),
            (2, 9001),
        ] {
            for (centre, scaled) in [(true, true), (true, false), (false, true), (false, false)] {
                // A mean far from 0 would show a variance that was not centred.
                let x: Vec<f32> = values(rows * n, 1).iter().map(|x| x + 100.0).collect();
                let (scale, shift) = (values(n, 2), values(n, 3));
                let affine = if scaled {
                    Affine {
                        scale: Some(&scale),
                        shift: Some(&shift),
                    }
                } else {
                    Affine::default()
                };
                let mut want = Vec::new();
                for row in x.chunks_exact(n) {
                    let wide = || row.iter().map(|&x| f64::from(x));
                    let mean = if centre {
                        wide().sum::<f64>() / n as f64
                    } else {
                        0.0
                    };
                    let variance = wide().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64;
                    want.extend(wide().enumerate().map(|(i, x)| {
                        let y = (x - mean) / (variance + f64::from(1e-5_f32)).sqrt();
                        if scaled {
                            y * f64::from(scale[i]) + f64::from(shift[i])
                        } else {
                            y
                        }
                    }));
                }
                on_every_level(
                    |cpu| {
                        let mut y = vec![9.0; x.len()];
                        let norm = if centre { layer_norm } else { rms_norm };
                        norm(cpu, &x, &mut y, n, affine, 1e-5);
                        y
                    },
                    |isa, got| {
                        assert_close(&format!("{rows} x {n} {centre} {isa:?}"), got, &want, 3e-5)
                    },
                );
            }
        }
    }
}
