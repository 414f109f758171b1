//! Blocking: how C is cut into tasks, and how one task walks k, its rows and its columns.
//!
//! Order of the loops in a task: passes over k outermost; then panels of A (one stays in the first-level cache), then
//! panels of B (the task's whole part stays in the second-level cache). A task packs its own B. A is packed by the task
//! too, a panel at a time, unless several tasks would pack the same panel: then all of A is packed first, in parallel.

use std::ops::Range;

use super::micro::{self, RowsOfB, Tile, TileShape, kernel, tile_shape};
use super::pack::{MatRef, PackA, PackB, balanced_rows};
use super::{Epilogue, Gemm, Lhs, Output, Rhs, SharedOutput, Strip};
use crate::kernels::isa::Isa;
use crate::kernels::pool::{SharedMut, Threads};
use crate::kernels::scratch::Scratch;

/// The longest pass over k: a panel of A of this length fills about two thirds of a 32 KiB first-level cache.
pub(crate) const STEPS: usize = 384;
/// Elements of B that a task packs at once: half of a 1 MiB second-level cache.
const BLOCK_OF_B: usize = 128 * 1024;
/// The most of A that is packed ahead of the tasks: 16 MiB.
const AHEAD_OF_A: usize = 4 * 1024 * 1024;
/// Row-major B is read in place where at most this many panels of A would share a packed copy.
const PANELS_WORTH_PACKING: usize = 2;
/// Multiply-adds a nanosecond, roughly, to estimate what a task costs.
const MACS_PER_NS: f64 = 50.0;
/// The least work of a task (nanoseconds) when C is cut finer to occupy every thread.
const TASK_NS: f64 = 15_000.0;

/// A checked product and how it is cut.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) isa: Isa,
    pub(super) shape: TileShape,
    pub(super) batch: usize,
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) a: Lhs<'a>,
    pub(super) b: Rhs<'a>,
    pub(super) c: SharedOutput,
    pub(super) epilogue: &'a dyn Epilogue,
    /// Rows of a panel of A.
    mr: usize,
    /// Steps of a pass.
    kc: usize,
}

/// Rows and columns of a task, in elements: whole panels but for the edge.
#[derive(Clone, Copy, Debug)]
struct Grid {
    rows: usize,
    cols: usize,
}

/// Panels of A that were packed ahead: those of the rows from `row0` on, each `k * mr` long.
#[derive(Clone, Copy)]
struct Ahead<'a> {
    panels: &'a [f32],
    row0: usize,
}

/// A panel of B as a kernel reads it.
#[derive(Clone, Copy)]
struct BPanel {
    data: *const f32,
    step: usize,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        isa: Isa,
        product: &Gemm<'a>,
        out: Output<'_>,
        epilogue: &'a dyn Epilogue,
    ) -> Self {
        let &Gemm {
            batch,
            m,
            n,
            k,
            a,
            b,
        } = product;
        Self {
            isa,
            shape: tile_shape(isa),
            batch,
            m,
            n,
            k,
            a,
            b,
            c: SharedOutput {
                ldc: out.ldc,
                batch_stride: out.batch_stride,
                data: SharedMut::new(out.data),
            },
            epilogue,
            mr: balanced_rows(isa, m),
            kc: k.div_ceil(k.div_ceil(STEPS).max(1)).max(1),
        }
    }

    /// The matrix that kernels read in place of packed panels, if that is worth it.
    fn in_place(&self) -> Option<MatRef<'a>> {
        match self.b {
            Rhs::Strided(b)
                if b.col_stride() == 1
                    && b.row_stride() >= 0
                    && self.m.div_ceil(self.mr) <= PANELS_WORTH_PACKING =>
            {
                Some(b)
            }
            _ => None,
        }
    }

    /// How to cut C for `workers` threads.
    fn grid(&self, workers: usize) -> Grid {
        let nr = self.shape.cols;
        let widest = (BLOCK_OF_B / self.kc / nr).max(1) * nr;
        let blocks = self.n.div_ceil(widest);
        let mut cols = self.n.div_ceil(blocks).next_multiple_of(nr);
        let mut rows = self.m;
        if workers > 1 {
            let total =
                self.m as f64 * self.n as f64 * self.k as f64 * self.batch as f64 / MACS_PER_NS;
            let wanted = (total / TASK_NS).min(4.0 * workers as f64).max(1.0) as usize;
            let have = |rows: usize, cols: usize| {
                self.batch * self.m.div_ceil(rows) * self.n.div_ceil(cols)
            };
            // Narrower columns first (they cost packing A again), rows where columns run out (they cost packing B again).
            let narrowest = cols.min(2 * nr);
            while have(rows, cols) < wanted && cols > narrowest {
                cols = (cols / 2).next_multiple_of(nr).max(narrowest);
            }
            while have(rows, cols) < wanted && rows > self.mr {
                rows = rows.div_ceil(2).next_multiple_of(self.mr);
            }
        }
        Grid { rows, cols }
    }

    /// Runs on the threads.
    pub(super) fn run(&self, threads: &Threads) {
        let total = self.m as f64 * self.n as f64 * self.k as f64 * self.batch as f64 / MACS_PER_NS;
        let workers = threads.useful(usize::MAX, total / usize::MAX as f64);
        let grid = self.grid(workers);
        let col_blocks = self.n.div_ceil(grid.cols);
        let packed = matches!(self.a, Lhs::Packed(_));
        if packed || col_blocks <= 2 || self.k == 0 {
            self.run_tasks(threads, grid, 0..self.batch, 0..self.m, None);
            return;
        }
        let mut lent = threads.scratch().take();
        let rows_ahead = (AHEAD_OF_A / self.k / self.mr).max(1) * self.mr;
        for batch in 0..self.batch {
            for row0 in (0..self.m).step_by(rows_ahead) {
                let rows = row0..self.m.min(row0 + rows_ahead);
                let panels = lent.get(rows.len().div_ceil(self.mr) * self.mr * self.k);
                self.pack_ahead(threads, batch, rows.clone(), panels);
                let ahead = Ahead { panels, row0 };
                self.run_tasks(threads, grid, batch..batch + 1, rows, Some(ahead));
            }
        }
    }

    /// Runs on the calling thread.
    pub(super) fn run_here(&self, scratch: &mut Scratch) {
        let grid = self.grid(1);
        for batch in 0..self.batch {
            for col0 in (0..self.n).step_by(grid.cols) {
                let cols = col0..self.n.min(col0 + grid.cols);
                self.block(scratch, None, batch, 0..self.m, cols);
            }
        }
    }

    fn pack_ahead(&self, threads: &Threads, batch: usize, rows: Range<usize>, panels: &mut [f32]) {
        let one = self.mr * self.k;
        let count = rows.len().div_ceil(self.mr);
        let shared = SharedMut::new(panels);
        threads.for_each(count, one as f64 / 2.0, |index| {
            let i = rows.start + index * self.mr;
            // SAFETY: panel `index` is inside `panels` and belongs to this task alone.
            let dst = unsafe { shared.slice(index * one..(index + 1) * one) };
            self.pack_a(batch, i..rows.end.min(i + self.mr), 0..self.k, dst);
        });
    }

    fn pack_a(&self, batch: usize, rows: Range<usize>, k: Range<usize>, dst: &mut [f32]) {
        match self.a {
            Lhs::Strided(a) => a.pack_a(batch, rows, k, self.mr, dst),
            Lhs::Fill(a) => a.pack_a(batch, rows, k, self.mr, dst),
            Lhs::Packed(_) => unreachable!("a packed operand is never packed again"),
        }
    }

    fn run_tasks(
        &self,
        threads: &Threads,
        grid: Grid,
        batches: Range<usize>,
        rows: Range<usize>,
        ahead: Option<Ahead<'_>>,
    ) {
        let row_blocks = rows.len().div_ceil(grid.rows);
        let col_blocks = self.n.div_ceil(grid.cols);
        let per_batch = row_blocks * col_blocks;
        let work = grid.rows as f64 * grid.cols as f64 * self.k as f64 / MACS_PER_NS;
        threads.for_each_with(batches.len() * per_batch, work, |scratch, task| {
            let batch = batches.start + task / per_batch;
            let (row, col) = (task % per_batch / col_blocks, task % col_blocks);
            let (row, col) = (rows.start + row * grid.rows, col * grid.cols);
            self.block(
                scratch,
                ahead,
                batch,
                row..rows.end.min(row + grid.rows),
                col..self.n.min(col + grid.cols),
            );
        });
    }

    /// One task: all of k for some rows and columns of C, which no other task touches.
    fn block(
        &self,
        scratch: &mut Scratch,
        ahead: Option<Ahead<'_>>,
        batch: usize,
        rows: Range<usize>,
        cols: Range<usize>,
    ) {
        let nr = self.shape.cols;
        let in_place = self.in_place();
        let b_len = match (self.b, in_place) {
            (Rhs::Packed(_), _) => 0,
            (_, Some(_)) => self.kc * nr,
            _ => self.kc * cols.len().next_multiple_of(nr),
        };
        let (b_buffer, a_buffer) = scratch.get(b_len + self.kc * self.mr).split_at_mut(b_len);
        let passes = self.k.div_ceil(self.kc).max(1);
        for pass in 0..passes {
            let k = pass * self.kc..self.k.min((pass + 1) * self.kc);
            let b = self.side_b(b_buffer, in_place, batch, k.clone(), cols.clone());
            for row in rows.clone().step_by(self.mr) {
                let strip = row..rows.end.min(row + self.mr);
                let a = self.panel_a(a_buffer, ahead, batch, strip.clone(), k.clone());
                self.strip(a, &b, batch, strip.clone(), cols.clone(), k.clone());
                if pass + 1 == passes && !self.epilogue.is_none() {
                    // SAFETY: the strip is part of the checked C, complete, and this task's alone.
                    let mut strip = unsafe {
                        let c = self.c.at(batch, row, cols.start);
                        Strip::new(
                            batch,
                            (row, strip.len()),
                            (cols.start, cols.len()),
                            c,
                            self.c.ldc,
                        )
                    };
                    self.epilogue.apply(&mut strip);
                }
            }
        }
    }

    /// The panels of B for one pass: `side.panel(j)` is that of the block's columns from `j * nr` on.
    fn side_b(
        &self,
        buffer: &mut [f32],
        in_place: Option<MatRef<'_>>,
        batch: usize,
        k: Range<usize>,
        cols: Range<usize>,
    ) -> SideB {
        let nr = self.shape.cols;
        let packed = |data: *const f32, panel: usize| SideB {
            data,
            panel,
            step: nr,
            last: None,
        };
        match (self.b, in_place) {
            (Rhs::Packed(b), _) => {
                let panels = b.panels(batch);
                let first = cols.start / nr * self.k * nr + k.start * nr;
                packed(panels[first.min(panels.len())..].as_ptr(), self.k * nr)
            }
            (_, Some(b)) => {
                // A last vector that hangs over the edge would read past the row, so that panel is packed.
                let whole = cols.len() / nr;
                let last =
                    (!cols.len().is_multiple_of(self.shape.lanes) && !k.is_empty()).then(|| {
                        let from = cols.start + whole * nr;
                        b.pack_b(batch, k.clone(), from..cols.end, nr, buffer);
                        BPanel {
                            data: buffer.as_ptr(),
                            step: nr,
                        }
                    });
                let data = if k.is_empty() {
                    buffer.as_ptr()
                } else {
                    // SAFETY: the element is part of the checked B.
                    unsafe { b.at(batch, k.start, cols.start) }
                };
                SideB {
                    data,
                    panel: nr,
                    step: b.row_stride() as usize,
                    last,
                }
            }
            (Rhs::Strided(b), None) => {
                b.pack_b(batch, k.clone(), cols, nr, buffer);
                packed(buffer.as_ptr(), k.len() * nr)
            }
            (Rhs::Fill(b), None) => {
                b.pack_b(batch, k.clone(), cols, nr, buffer);
                packed(buffer.as_ptr(), k.len() * nr)
            }
        }
    }

    /// The panel of A of the rows `rows` at the steps `k`.
    fn panel_a(
        &self,
        buffer: &mut [f32],
        ahead: Option<Ahead<'_>>,
        batch: usize,
        rows: Range<usize>,
        k: Range<usize>,
    ) -> *const f32 {
        let inside = |panels: &[f32], row: usize| {
            let first = row / self.mr * self.mr * self.k + k.start * self.mr;
            panels[first.min(panels.len())..].as_ptr()
        };
        match (self.a, ahead) {
            (Lhs::Packed(a), _) => inside(a.panels(batch), rows.start),
            (_, Some(ahead)) => inside(ahead.panels, rows.start - ahead.row0),
            _ => {
                self.pack_a(batch, rows, k, buffer);
                buffer.as_ptr()
            }
        }
    }

    /// One panel of A against every panel of B of the block.
    fn strip(
        &self,
        a: *const f32,
        b: &SideB,
        batch: usize,
        rows: Range<usize>,
        cols: Range<usize>,
        k: Range<usize>,
    ) {
        let TileShape {
            cols: nr,
            lanes,
            vectors,
            ..
        } = self.shape;
        let full: micro::Kernel = kernel(self.isa, rows.len(), vectors, RowsOfB::Stepped);
        for (index, col) in cols.clone().step_by(nr).enumerate() {
            let width = nr.min(cols.end - col);
            let used = width.div_ceil(lanes);
            let panel = b.panel(index, width < nr);
            let run = if used == vectors {
                full
            } else {
                kernel(self.isa, rows.len(), used, RowsOfB::Stepped)
            };
            // SAFETY: A's panel has `rows.len() <= mr` rows and `k.len()` steps; B's panel has whole vectors at each
            // step (packed panels are padded, a panel in place is whole); the tile lies in the checked C and in this
            // task's part of it; the kernel is one of `self.isa`.
            unsafe {
                run(&Tile {
                    k: k.len(),
                    a,
                    a_step: self.mr,
                    b: panel.data,
                    b_step: panel.step,
                    offsets: std::ptr::null(),
                    c: self.c.at(batch, rows.start, col),
                    ldc: self.c.ldc,
                    last_lanes: width - (used - 1) * lanes,
                    accumulate: k.start > 0,
                });
            }
        }
    }
}

/// The panels of B for one pass.
struct SideB {
    data: *const f32,
    /// From one panel to the next.
    panel: usize,
    step: usize,
    /// The last panel, where it is narrower than a panel and could not be read in place.
    last: Option<BPanel>,
}

impl SideB {
    fn panel(&self, index: usize, narrow: bool) -> BPanel {
        match self.last {
            Some(last) if narrow => last,
            _ => BPanel {
                data: self.data.wrapping_add(index * self.panel),
                step: self.step,
            },
        }
    }
}
