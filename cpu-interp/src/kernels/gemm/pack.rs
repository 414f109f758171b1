//! Panels: the order in which the innermost loop reads A and B, and everything that fills them.
//!
//! A panel of A holds `mr` rows: `panel[p * mr + i]` is row `i`, step `p` of k. A panel of B holds `nr` columns:
//! `panel[p * nr + j]`. Rows and columns past the edge are zero in B; in A they are never read, because the last
//! panel's kernel has fewer rows.
//!
//! [`PackA`] and [`PackB`] fill panels from anything: a strided matrix ([`MatRef`]), the columns of an image, or an
//! elementwise expression that is evaluated while it is packed ([`RowsOfA`], [`RowsOfB`]). Constants are packed once
//! ([`PackedA`], [`PackedB`]).

use std::ops::Range;

use super::micro::tile_shape;
use super::panel::{copy_panel, pack_rows};
use crate::kernels::isa::{Isa, dispatch};
use crate::kernels::scratch::Scratch;

/// Fills panels of A.
pub trait PackA: Sync {
    /// Writes the rows `rows` (at most `mr`) at the steps `k` as one panel: `dst[(p - k.start) * mr + (i - rows.start)]`.
    fn pack_a(
        &self,
        isa: Isa,
        batch: usize,
        rows: Range<usize>,
        k: Range<usize>,
        mr: usize,
        dst: &mut [f32],
    );
}

/// Fills panels of B.
pub trait PackB: Sync {
    /// Writes the columns `cols` at the steps `k` as consecutive panels of `nr` columns, each `k.len() * nr` long.
    /// The columns of the last panel that lie past `cols` become zero.
    fn pack_b(
        &self,
        isa: Isa,
        batch: usize,
        k: Range<usize>,
        cols: Range<usize>,
        nr: usize,
        dst: &mut [f32],
    );
}

/// Where the matrices of a batch start, relative to the first.
#[derive(Clone, Copy, Debug)]
pub enum Batch<'a> {
    /// A constant distance in elements; 0 repeats one matrix.
    Stride(usize),
    /// One distance a matrix.
    Table(&'a [usize]),
}

impl Batch<'_> {
    /// The start of matrix `index`.
    #[must_use]
    pub fn offset(self, index: usize) -> usize {
        match self {
            Self::Stride(stride) => index * stride,
            Self::Table(table) => table[index],
        }
    }
}

/// A matrix (or a batch of them) inside a slice: element (i, j) of matrix b is at `offset + b's start + i * rs + j * cs`.
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a> {
    data: &'a [f32],
    offset: usize,
    rs: isize,
    cs: isize,
    batch: Batch<'a>,
}

impl<'a> MatRef<'a> {
    /// A dense row-major `[rows, cols]` matrix, or a dense batch of them.
    #[must_use]
    pub fn dense(data: &'a [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, 0, cols as isize, 1, Batch::Stride(rows * cols))
    }

    /// Any strides, in elements.
    #[must_use]
    pub fn strided(data: &'a [f32], offset: usize, rs: isize, cs: isize, batch: Batch<'a>) -> Self {
        Self {
            data,
            offset,
            rs,
            cs,
            batch,
        }
    }

    /// The distance between rows.
    #[must_use]
    pub fn row_stride(&self) -> isize {
        self.rs
    }

    /// The distance between columns.
    #[must_use]
    pub fn col_stride(&self) -> isize {
        self.cs
    }

    /// Panics unless every element of `batch` matrices of `rows` by `cols` lies in the slice.
    pub(crate) fn assert_in_bounds(&self, batch: usize, rows: usize, cols: usize) {
        if batch == 0 || rows == 0 || cols == 0 {
            return;
        }
        match self.batch {
            Batch::Stride(_) => {
                self.assert_part(0, 0..rows, 0..cols);
                self.assert_part(batch - 1, 0..rows, 0..cols);
            }
            Batch::Table(_) => (0..batch).for_each(|b| self.assert_part(b, 0..rows, 0..cols)),
        }
    }

    /// Panics unless the rows `rows` of the columns `cols` (neither empty) of one matrix lie in the slice.
    fn assert_part(&self, batch: usize, rows: Range<usize>, cols: Range<usize>) {
        let start = (self.offset + self.batch.offset(batch)) as isize;
        let ends = |range: &Range<usize>, stride: isize| {
            let (a, b) = (
                range.start as isize * stride,
                (range.end as isize - 1) * stride,
            );
            (a.min(b), a.max(b))
        };
        let (i, j) = (ends(&rows, self.rs), ends(&cols, self.cs));
        assert!(
            start + i.0 + j.0 >= 0 && start + i.1 + j.1 < self.data.len() as isize,
            "rows {rows:?}, columns {cols:?} of a matrix at {start} with strides {}, {} leave its slice of {}",
            self.rs,
            self.cs,
            self.data.len()
        );
    }

    /// The address of element (i, j) of matrix `batch`.
    ///
    /// # Safety
    /// The element was covered by [`MatRef::assert_in_bounds`].
    pub(crate) unsafe fn at(&self, batch: usize, i: usize, j: usize) -> *const f32 {
        let start = (self.offset + self.batch.offset(batch)) as isize;
        let index = start + i as isize * self.rs + j as isize * self.cs;
        // SAFETY: the caller promises that the element is inside the slice.
        unsafe { self.data.as_ptr().offset(index) }
    }
}

impl PackA for MatRef<'_> {
    fn pack_a(
        &self,
        isa: Isa,
        batch: usize,
        rows: Range<usize>,
        k: Range<usize>,
        mr: usize,
        dst: &mut [f32],
    ) {
        let (m, steps) = (rows.len(), k.len());
        if m == 0 || steps == 0 {
            return;
        }
        assert!(m <= mr && dst.len() >= steps * mr, "panel of A too small");
        self.assert_part(batch, rows.clone(), k.clone());
        // SAFETY: the range was just checked; the panel has `mr` elements a step.
        unsafe {
            let src = self.at(batch, rows.start, k.start);
            copy_panel(isa, src, self.rs, self.cs, m, steps, dst.as_mut_ptr(), mr);
        }
    }
}

impl PackB for MatRef<'_> {
    fn pack_b(
        &self,
        isa: Isa,
        batch: usize,
        k: Range<usize>,
        cols: Range<usize>,
        nr: usize,
        dst: &mut [f32],
    ) {
        let steps = k.len();
        if cols.is_empty() || steps == 0 {
            return;
        }
        let panels = cols.len().div_ceil(nr);
        assert!(dst.len() >= panels * steps * nr, "panels of B too small");
        self.assert_part(batch, k.clone(), cols.clone());
        if self.cs == 1 && nr == tile_shape(isa).cols {
            // SAFETY: the range was just checked; `dst` holds the panels; a panel is whole vectors of the level.
            unsafe {
                let (src, dst) = (self.at(batch, k.start, cols.start), dst.as_mut_ptr());
                let (width, stride) = (cols.len(), self.rs);
                dispatch!(isa, |s| pack_rows(s, src, stride, steps, width, nr, dst));
            }
            return;
        }
        for (panel, out) in dst.chunks_exact_mut(steps * nr).take(panels).enumerate() {
            let j = cols.start + panel * nr;
            let width = nr.min(cols.end - j);
            // SAFETY: the range was checked above; `out` has `nr` elements a step.
            unsafe {
                let src = self.at(batch, k.start, j);
                copy_panel(
                    isa,
                    src,
                    self.cs,
                    self.rs,
                    width,
                    steps,
                    out.as_mut_ptr(),
                    nr,
                );
            }
            if width < nr {
                out.chunks_exact_mut(nr)
                    .for_each(|row| row[width..].fill(0.0));
            }
        }
    }
}

/// A producer of rows of A (`fill(batch, i, k0, dst)` writes row i from step k0 on), as a packer.
#[derive(Clone, Copy, Debug)]
pub struct RowsOfA<F>(pub F);

/// A producer of rows of B (`fill(batch, k, j0, dst)` writes row k from column j0 on), as a packer.
#[derive(Clone, Copy, Debug)]
pub struct RowsOfB<F>(pub F);

/// Elements that a row producer is asked for at once.
const ROW_CHUNK: usize = 256;

impl<F: Fn(usize, usize, usize, &mut [f32]) + Sync> PackA for RowsOfA<F> {
    fn pack_a(
        &self,
        _isa: Isa,
        batch: usize,
        rows: Range<usize>,
        k: Range<usize>,
        mr: usize,
        dst: &mut [f32],
    ) {
        let mut row = [0.0; ROW_CHUNK];
        for (lane, i) in rows.enumerate() {
            for k0 in k.clone().step_by(ROW_CHUNK) {
                let part = &mut row[..ROW_CHUNK.min(k.end - k0)];
                (self.0)(batch, i, k0, part);
                let out = &mut dst[(k0 - k.start) * mr..];
                for (step, &x) in out.chunks_mut(mr).zip(part.iter()) {
                    step[lane] = x;
                }
            }
        }
    }
}

impl<F: Fn(usize, usize, usize, &mut [f32]) + Sync> PackB for RowsOfB<F> {
    fn pack_b(
        &self,
        _isa: Isa,
        batch: usize,
        k: Range<usize>,
        cols: Range<usize>,
        nr: usize,
        dst: &mut [f32],
    ) {
        let mut row = [0.0; ROW_CHUNK];
        let steps = k.len();
        // A multiple of every level's panel width.
        for j0 in cols.clone().step_by(ROW_CHUNK) {
            let width = ROW_CHUNK.min(cols.end - j0);
            row[width..].fill(0.0);
            for (p, k) in k.clone().enumerate() {
                (self.0)(batch, k, j0, &mut row[..width]);
                let first = (j0 - cols.start) / nr;
                for (panel, part) in row.chunks_exact(nr).take(width.div_ceil(nr)).enumerate() {
                    let at = ((first + panel) * steps + p) * nr;
                    dst[at..at + nr].copy_from_slice(part);
                }
            }
        }
    }
}

/// A constant A, packed once for one instruction set.
#[derive(Debug)]
pub struct PackedA {
    data: Scratch,
    batch: usize,
    m: usize,
    k: usize,
    mr: usize,
}

impl PackedA {
    /// Packs `batch` matrices `[m, k]`.
    #[must_use]
    pub fn new(isa: Isa, batch: usize, m: usize, k: usize, source: &dyn PackA) -> Self {
        let mr = balanced_rows(isa, m);
        let mut data = Scratch::new();
        let panels = m.div_ceil(mr);
        let out = data.get(batch * panels * mr * k);
        if k > 0 {
            for (index, panel) in out.chunks_exact_mut(mr * k).enumerate() {
                let (batch, i) = (index / panels, index % panels * mr);
                source.pack_a(isa, batch, i..m.min(i + mr), 0..k, mr, panel);
            }
        }
        Self {
            data,
            batch,
            m,
            k,
            mr,
        }
    }

    /// `[batch, m, k]`.
    #[must_use]
    pub fn shape(&self) -> [usize; 3] {
        [self.batch, self.m, self.k]
    }

    /// The size of the packed form.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.batch * self.m.div_ceil(self.mr) * self.mr * self.k * size_of::<f32>()
    }

    /// Rows of a panel.
    pub(crate) fn rows(&self) -> usize {
        self.mr
    }

    /// The panels of matrix `batch`, counted round and round.
    pub(crate) fn panels(&self, batch: usize) -> &[f32] {
        let one = self.m.div_ceil(self.mr) * self.mr * self.k;
        let all = self.data.filled(self.batch * one);
        let batch = batch % self.batch;
        &all[batch * one..(batch + 1) * one]
    }
}

/// A constant B, packed once for one instruction set.
#[derive(Debug)]
pub struct PackedB {
    data: Scratch,
    batch: usize,
    k: usize,
    n: usize,
    nr: usize,
}

impl PackedB {
    /// Packs `batch` matrices `[k, n]`.
    #[must_use]
    pub fn new(isa: Isa, batch: usize, k: usize, n: usize, source: &dyn PackB) -> Self {
        let nr = tile_shape(isa).cols;
        let one = n.div_ceil(nr) * nr * k;
        let mut data = Scratch::new();
        let out = data.get(batch * one);
        if one > 0 {
            for (batch, panels) in out.chunks_exact_mut(one).enumerate() {
                source.pack_b(isa, batch, 0..k, 0..n, nr, panels);
            }
        }
        Self {
            data,
            batch,
            k,
            n,
            nr,
        }
    }

    /// `[batch, k, n]`.
    #[must_use]
    pub fn shape(&self) -> [usize; 3] {
        [self.batch, self.k, self.n]
    }

    /// The size of the packed form.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.batch * self.n.div_ceil(self.nr) * self.nr * self.k * size_of::<f32>()
    }

    /// Columns of a panel.
    pub(crate) fn cols(&self) -> usize {
        self.nr
    }

    /// The panels of one matrix; panel j starts at `j * k * nr`.
    pub(crate) fn panels(&self, batch: usize) -> &[f32] {
        let one = self.n.div_ceil(self.nr) * self.nr * self.k;
        let all = self.data.filled(self.batch * one);
        let batch = batch % self.batch;
        &all[batch * one..(batch + 1) * one]
    }
}

/// Rows of a panel of A when `m` rows are cut as evenly as possible: 16 rows are twice 8 rather than 14 and 2.
pub(crate) fn balanced_rows(isa: Isa, m: usize) -> usize {
    let max = tile_shape(isa).rows;
    if m == 0 {
        max
    } else {
        m.div_ceil(m.div_ceil(max))
    }
}
