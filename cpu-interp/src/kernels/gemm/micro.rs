//! The innermost loop: one tile of C, up to [`TileShape::rows`] by [`TileShape::cols`], held in registers.
//!
//! A tile reads a panel of A (`rows` values a step of k, adjacent) and rows of B that are whole vectors long. Rows of B
//! lie a fixed step apart (a packed panel, or B itself) or where a table of offsets says (a convolution that reads its
//! image in place). Each element of C is one chain of multiply-adds in the order of k, whatever the tile's size: the
//! result does not depend on how C was cut into tiles.

use std::array::from_fn;

use crate::kernels::isa::{Isa, Level};
use crate::kernels::simd::Simd;
use crate::kernels::simd::portable::Portable;

/// The arguments of a kernel. Which elements it touches is fixed by `k`, the kernel's rows and vectors, and these.
#[derive(Debug)]
pub(crate) struct Tile {
    /// Steps of k.
    pub(crate) k: usize,
    /// Element (row i, step p) of A is `a[p * a_step + i]`.
    pub(crate) a: *const f32,
    pub(crate) a_step: usize,
    /// Vector v of step p of B starts at `b[p * b_step + v * lanes]`, or at `b[offsets[p] + v * lanes]`.
    pub(crate) b: *const f32,
    pub(crate) b_step: usize,
    pub(crate) offsets: *const usize,
    /// Row i of C starts at `c[i * ldc]`.
    pub(crate) c: *mut f32,
    pub(crate) ldc: usize,
    /// Lanes of the last vector that exist in C.
    pub(crate) last_lanes: usize,
    /// Add to C instead of overwriting it.
    pub(crate) accumulate: bool,
}

/// A kernel for a fixed number of rows and vectors.
///
/// # Safety
/// All elements that [`Tile`] describes are in bounds, those of C are not accessed by anyone else meanwhile, and the
/// processor has the level that the kernel was compiled for.
pub(crate) type Kernel = unsafe fn(&Tile);

/// The largest tile of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileShape {
    /// Rows of the largest kernel.
    pub(crate) rows: usize,
    /// Columns of a packed panel of B: [`TileShape::vectors`] times [`TileShape::lanes`].
    pub(crate) cols: usize,
    /// f32 in a vector.
    pub(crate) lanes: usize,
    /// Vectors of the widest kernel.
    pub(crate) vectors: usize,
}

/// The largest tile of `isa`.
pub(crate) fn tile_shape(isa: Isa) -> TileShape {
    let (rows, vectors, lanes) = match isa.level() {
        Level::Avx512 => (14, 2, 16),
        Level::Avx2Fma => (6, 2, 8),
        Level::Scalar => (4, 1, 8),
    };
    TileShape {
        rows,
        cols: vectors * lanes,
        lanes,
        vectors,
    }
}

/// Where a kernel finds the rows of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsOfB {
    /// A fixed step apart.
    Stepped,
    /// Where the table says.
    Listed,
}

/// The kernel for `rows` rows (from 1 to the tile's) and `vectors` vectors (likewise).
pub(crate) fn kernel(isa: Isa, rows: usize, vectors: usize, b: RowsOfB) -> Kernel {
    let listed = usize::from(b == RowsOfB::Listed);
    match isa.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => x86::AVX512[listed][vectors - 1][rows - 1],
        #[cfg(target_arch = "x86_64")]
        Level::Avx2Fma => x86::AVX2[listed][vectors - 1][rows - 1],
        _ => PORTABLE[listed][vectors - 1][rows - 1],
    }
}

/// The tile itself: `M` rows, `V` vectors.
///
/// # Safety
/// As [`Kernel`].
#[inline(always)]
unsafe fn tile<S: Simd, const M: usize, const V: usize, const LISTED: bool>(s: S, t: &Tile) {
    let mut acc = [[s.zero(); V]; M];
    let mut a = t.a;
    let mut b = t.b;
    // SAFETY: (whole block) `Tile` describes exactly these elements and the caller promises that they are in bounds;
    // the pointers past the last step are computed with wrapping arithmetic and never read.
    unsafe {
        for i in 0..M {
            s.prefetch(t.c.add(i * t.ldc));
        }
        for p in 0..t.k {
            let row = if LISTED {
                t.b.add(*t.offsets.add(p))
            } else {
                b
            };
            let vectors: [S::V; V] = from_fn(|v| s.load(row.add(v * S::LANES)));
            for (i, row) in acc.iter_mut().enumerate() {
                let x = s.splat(*a.add(i));
                for (sum, &vector) in row.iter_mut().zip(&vectors) {
                    *sum = s.fma(x, vector, *sum);
                }
            }
            a = a.wrapping_add(t.a_step);
            b = b.wrapping_add(t.b_step);
        }
        for (i, row) in acc.iter().enumerate() {
            for (v, &value) in row.iter().enumerate() {
                let c = t.c.add(i * t.ldc + v * S::LANES);
                if v + 1 < V || t.last_lanes == S::LANES {
                    let old = if t.accumulate { s.load(c) } else { s.zero() };
                    let value = if t.accumulate {
                        s.add(old, value)
                    } else {
                        value
                    };
                    s.store(c, value);
                } else {
                    let old = if t.accumulate {
                        s.load_part(c, t.last_lanes)
                    } else {
                        s.zero()
                    };
                    let value = if t.accumulate {
                        s.add(old, value)
                    } else {
                        value
                    };
                    s.store_part(c, value, t.last_lanes);
                }
            }
        }
    }
}

/// # Safety
/// As [`Kernel`].
unsafe fn portable<const M: usize, const V: usize, const LISTED: bool>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { tile::<_, M, V, LISTED>(Portable, t) }
}

/// The kernels of one level: by kind of B, by vectors, by rows.
macro_rules! table {
    ($entry:ident, $v:literal: $($m:literal)*) => {
        [[$($entry::<$m, $v, false>),*], [$($entry::<$m, $v, true>),*]]
    };
}

static PORTABLE: [[[Kernel; 4]; 1]; 2] = {
    let [stepped, listed] = table!(portable, 1: 1 2 3 4);
    [[stepped], [listed]]
};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Kernel, Tile, tile};
    use crate::kernels::simd::{avx2::Avx2, avx512::Avx512};

    /// # Safety
    /// As [`Kernel`].
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2<const M: usize, const V: usize, const LISTED: bool>(t: &Tile) {
        // SAFETY: this function has the token's features; the rest is the caller's promise.
        unsafe { tile::<_, M, V, LISTED>(Avx2::new(), t) }
    }

    /// # Safety
    /// As [`Kernel`].
    #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")]
    unsafe fn avx512<const M: usize, const V: usize, const LISTED: bool>(t: &Tile) {
        // SAFETY: this function has the token's features; the rest is the caller's promise.
        unsafe { tile::<_, M, V, LISTED>(Avx512::new(), t) }
    }

    pub(super) static AVX2: [[[Kernel; 6]; 2]; 2] = {
        let [stepped1, listed1] = table!(avx2, 1: 1 2 3 4 5 6);
        let [stepped2, listed2] = table!(avx2, 2: 1 2 3 4 5 6);
        [[stepped1, stepped2], [listed1, listed2]]
    };

    pub(super) static AVX512: [[[Kernel; 14]; 2]; 2] = {
        let [stepped1, listed1] = table!(avx512, 1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        let [stepped2, listed2] = table!(avx512, 2: 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        [[stepped1, stepped2], [listed1, listed2]]
    };
}
