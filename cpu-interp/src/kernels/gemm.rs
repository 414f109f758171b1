//! Matrix products: `C[b, i, j] = sum over p of A[b, i, p] * B[b, p, j]`, in f32.
//!
//! How it works: C is cut into blocks (tasks of the threads). A block walks k in passes; for each it packs its part of
//! B into panels that stay in the second-level cache, takes panels of A, and runs register tiles over them. What B and
//! A *are* is open: strided memory, constants packed once, or a packer of the caller's that computes elements on the
//! fly. When a strip of C is complete and still in the nearest cache, the caller's [`Epilogue`] sees it once.
//!
//! Few rows (at most `small::MAX_ROWS`) stream B without packing it.
//!
//! **Numerics**: each element is one chain of multiply-adds in the order of k, cut into passes of at most
//! `block::STEPS` that are then added in order (for few rows with k contiguous in B: one chain a vector lane). The
//! chains depend on k alone, so results do not depend on threads, on m or n, or on where C is cut. `k = 0` gives zeros.

use super::Cpu;
use super::isa::Isa;
use super::pool::SharedMut;
use super::scratch::Scratch;

mod block;
pub(crate) mod micro;
mod pack;
mod panel;
mod small;

pub(crate) use pack::balanced_rows;
pub use pack::{Batch, MatRef, PackA, PackB, PackedA, PackedB, RowsOfA, RowsOfB};

/// The left operand `[batch, m, k]`.
#[derive(Clone, Copy)]
pub enum Lhs<'a> {
    /// Memory with any strides.
    Strided(MatRef<'a>),
    /// A constant; its own batch repeats to fill the product's, which is a multiple of it.
    Packed(&'a PackedA),
    /// Computed while it is packed.
    Fill(&'a dyn PackA),
}

/// The right operand `[batch, k, n]`.
#[derive(Clone, Copy)]
pub enum Rhs<'a> {
    /// Memory with any strides.
    Strided(MatRef<'a>),
    /// A constant; its own batch repeats to fill the product's, which is a multiple of it.
    Packed(&'a PackedB),
    /// Computed while it is packed.
    Fill(&'a dyn PackB),
}

impl std::fmt::Debug for Lhs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Strided(_) => "Strided",
            Self::Packed(_) => "Packed",
            Self::Fill(_) => "Fill",
        })
    }
}

impl std::fmt::Debug for Rhs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Strided(_) => "Strided",
            Self::Packed(_) => "Packed",
            Self::Fill(_) => "Fill",
        })
    }
}

/// One batched product. A product of a batch with one unbatched right operand is faster as one of `batch * m` rows.
#[derive(Clone, Copy, Debug)]
pub struct Gemm<'a> {
    /// How many products.
    pub batch: usize,
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// The left operand.
    pub a: Lhs<'a>,
    /// The right operand.
    pub b: Rhs<'a>,
}

/// Where C goes: element (i, j) of product b is `data[b * batch_stride + i * ldc + j]`.
#[derive(Debug)]
pub struct Output<'a> {
    /// The slice that holds every element of C. Elements between rows are not touched.
    pub data: &'a mut [f32],
    /// The distance between rows, at least n.
    pub ldc: usize,
    /// The distance between products: products may follow each other or lie side by side, but not overlap.
    pub batch_stride: usize,
}

impl<'a> Output<'a> {
    /// Dense row-major `[batch, m, n]`.
    #[must_use]
    pub fn dense(data: &'a mut [f32], m: usize, n: usize) -> Self {
        Self {
            data,
            ldc: n,
            batch_stride: m * n,
        }
    }

    /// Panics unless all of C is in bounds and no element belongs to two products.
    fn check(&self, batch: usize, m: usize, n: usize) {
        if batch == 0 || m == 0 || n == 0 {
            return;
        }
        assert!(
            m == 1 || self.ldc >= n,
            "rows of C overlap: ldc {} < n {n}",
            self.ldc
        );
        let one = (m - 1) * self.ldc + n;
        let apart = self.batch_stride >= one;
        let beside = self.batch_stride >= n && (batch - 1) * self.batch_stride + n <= self.ldc;
        assert!(
            batch == 1 || apart || beside || (m == 1 && self.batch_stride >= n),
            "products of C overlap: batch stride {} with m {m}, n {n}, ldc {}",
            self.batch_stride,
            self.ldc
        );
        let end = (batch - 1) * self.batch_stride + one;
        assert!(
            end <= self.data.len(),
            "C needs {end} elements, has {}",
            self.data.len()
        );
    }
}

/// A finished strip of C, for an [`Epilogue`] to change in place.
#[derive(Debug)]
pub struct Strip<'a> {
    /// The product that the strip belongs to.
    pub batch: usize,
    /// The first row of C in the strip.
    pub row0: usize,
    /// How many rows.
    pub rows: usize,
    /// The first column of C in the strip.
    pub col0: usize,
    /// How many columns.
    pub cols: usize,
    data: *mut f32,
    ldc: usize,
    lifetime: std::marker::PhantomData<&'a mut [f32]>,
}

impl Strip<'_> {
    /// # Safety
    /// Rows of `cols` elements, `ldc` apart from `data` on, are in bounds and used by nobody else while the strip lives.
    pub(crate) unsafe fn new(
        batch: usize,
        (row0, rows): (usize, usize),
        (col0, cols): (usize, usize),
        data: *mut f32,
        ldc: usize,
    ) -> Self {
        Self {
            batch,
            row0,
            rows,
            col0,
            cols,
            data,
            ldc,
            lifetime: std::marker::PhantomData,
        }
    }

    /// Row `i` of the strip: row `row0 + i` of C, its columns from `col0` on.
    ///
    /// # Panics
    /// If the strip has no row `i`.
    pub fn row(&mut self, i: usize) -> &mut [f32] {
        assert!(i < self.rows, "strip of {} rows has no row {i}", self.rows);
        // SAFETY: the constructor's promise covers every row, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.data.add(i * self.ldc), self.cols) }
    }
}

/// What happens to C while it is still in cache. Each element is in exactly one strip.
pub trait Epilogue: Sync {
    /// Changes a finished strip in place.
    fn apply(&self, strip: &mut Strip<'_>);

    /// Whether there is nothing to do; then no strip is made.
    fn is_none(&self) -> bool {
        false
    }
}

/// Leaves C as it is.
#[derive(Clone, Copy, Debug)]
pub struct NoEpilogue;

impl Epilogue for NoEpilogue {
    fn apply(&self, _strip: &mut Strip<'_>) {}

    fn is_none(&self) -> bool {
        true
    }
}

/// Computes the product on the threads of `cpu`.
///
/// # Panics
/// If an operand or C does not fit its slice, rows of C overlap, or a packed operand has another shape or was packed
/// for another instruction set.
pub fn gemm(cpu: &Cpu, product: &Gemm<'_>, out: Output<'_>, epilogue: &dyn Epilogue) {
    check(cpu.isa, product, &out);
    if product.batch == 0 || product.m == 0 || product.n == 0 {
        return;
    }
    let job = block::Job::new(cpu.isa, product, out, epilogue);
    match small::Small::new(&job) {
        Some(small) => small.run(&cpu.threads),
        None => job.run(&cpu.threads),
    }
}

/// Computes the product on the calling thread with the caller's workspace: for use inside a task.
///
/// # Panics
/// As [`gemm`].
pub fn gemm_here(
    isa: Isa,
    scratch: &mut Scratch,
    product: &Gemm<'_>,
    out: Output<'_>,
    epilogue: &dyn Epilogue,
) {
    check(isa, product, &out);
    if product.batch == 0 || product.m == 0 || product.n == 0 {
        return;
    }
    let job = block::Job::new(isa, product, out, epilogue);
    match small::Small::new(&job) {
        Some(small) => small.run_here(scratch),
        None => job.run_here(scratch),
    }
}

fn check(isa: Isa, product: &Gemm<'_>, out: &Output<'_>) {
    let &Gemm { batch, m, n, k, .. } = product;
    out.check(batch, m, n);
    match product.a {
        Lhs::Strided(a) => a.assert_in_bounds(batch, m, k),
        Lhs::Packed(a) => {
            let [b, rows, steps] = a.shape();
            let mr = balanced_rows(isa, m);
            assert!(
                (rows, steps, a.rows()) == (m, k, mr)
                    && (batch == 0 || batch.checked_rem(b) == Some(0)),
                "packed A [{b}, {rows}, {steps}] in panels of {} does not serve [{batch}, {m}, {k}] in panels of {mr}",
                a.rows()
            );
        }
        Lhs::Fill(_) => {}
    }
    match product.b {
        Rhs::Strided(b) => b.assert_in_bounds(batch, k, n),
        Rhs::Packed(b) => {
            let [count, steps, cols] = b.shape();
            let nr = micro::tile_shape(isa).cols;
            assert!(
                (steps, cols, b.cols()) == (k, n, nr)
                    && (batch == 0 || batch.checked_rem(count) == Some(0)),
                "packed B [{count}, {steps}, {cols}] in panels of {} does not serve [{batch}, {k}, {n}] in panels of {nr}",
                b.cols()
            );
        }
        Rhs::Fill(_) => {}
    }
}

/// Where products of a checked C go, for several threads.
#[derive(Clone, Copy, Debug)]
struct SharedOutput {
    data: SharedMut<f32>,
    ldc: usize,
    batch_stride: usize,
}

impl SharedOutput {
    /// The address of element (i, j) of product `batch`.
    ///
    /// # Safety
    /// The element is one of the C that [`Output::check`] accepted.
    unsafe fn at(&self, batch: usize, i: usize, j: usize) -> *mut f32 {
        // SAFETY: the caller promises that the element is in bounds.
        unsafe {
            self.data
                .get()
                .add(batch * self.batch_stride + i * self.ldc + j)
        }
    }
}

#[cfg(test)]
mod tests;
