//! Contractions: f32 on the blocked product, with expressions evaluated while panels are packed.

use plan::{BackendError, Load, Source};
use tensor_core::DType;

use super::expression::{Bound, Expression, Reader};
use super::generic::GenericContract;
use super::memory::{Reads, plan_constant};
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::gemm::{
    Batch, Epilogue, Gemm, Lhs, MatRef, NoEpilogue, Output, PackedA, PackedB, Rhs, RowsOfA,
    RowsOfB, Strip, gemm,
};
use crate::kernels::isa::Isa;
use crate::kernels::pool::Threads;

/// A prepared contraction.
#[derive(Debug)]
pub(super) enum Contract {
    /// f32.
    Fast(Fast),
    /// Any other dtype.
    Generic(GenericContract),
}

/// A product in f32.
#[derive(Debug)]
pub(super) struct Fast {
    batch: usize,
    m: usize,
    n: usize,
    k: usize,
    lhs: Side<PackedA>,
    rhs: Side<PackedB>,
    epilogue: Option<Expression>,
}

/// An operand of a product.
#[derive(Debug)]
enum Side<P> {
    /// A constant, packed.
    Packed(P),
    /// Memory with strides.
    Matrix {
        reader: Reader,
        offset: usize,
        rs: isize,
        cs: isize,
        batch: Vec<usize>,
    },
    /// Evaluated while it is packed.
    Computed(Expression),
}

impl Contract {
    pub(super) fn new(
        build: Build<'_>,
        lhs: &Source,
        rhs: &Source,
    ) -> Result<Contract, BackendError> {
        if lhs.dtype() != DType::F32 {
            return Ok(Contract::Generic(GenericContract::new(build, lhs, rhs)?));
        }
        let rank = lhs.shape.len();
        let (m, k, n) = (
            lhs.shape[rank - 2],
            lhs.shape[rank - 1],
            rhs.shape[rank - 1],
        );
        let batch = lhs.shape[..rank - 2].iter().product();
        let isa = build.cpu.isa;
        let lhs = side(build, lhs, |matrix, b| PackedA::new(isa, b, m, k, matrix))?;
        let rhs = side(build, rhs, |matrix, b| PackedB::new(isa, b, k, n, matrix))?;
        let epilogue = build.epilogue()?;
        Ok(Contract::Fast(Fast {
            batch,
            m,
            n,
            k,
            lhs,
            rhs,
            epilogue,
        }))
    }

    pub(super) fn packed_bytes(&self) -> usize {
        let Contract::Fast(fast) = self else { return 0 };
        let lhs = if let Side::Packed(a) = &fast.lhs {
            a.size_bytes()
        } else {
            0
        };
        let rhs = if let Side::Packed(b) = &fast.rhs {
            b.size_bytes()
        } else {
            0
        };
        lhs + rhs
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        match self {
            Contract::Fast(fast) => fast.run(cpu, bytemuck::cast_slice_mut(out), reads),
            Contract::Generic(generic) => generic.run(cpu, out, reads),
        }
    }
}

/// How an operand is read: packed if it is a constant, strided if it is a view, else computed.
fn side<P>(
    build: Build<'_>,
    source: &Source,
    pack: impl Fn(&MatRef<'_>, usize) -> P,
) -> Result<Side<P>, BackendError> {
    let Some(load) = source.as_view() else {
        return Ok(Side::Computed(build.source(source)?));
    };
    let Some((rs, cs, batch)) = matrices(load) else {
        return Ok(Side::Computed(build.source(source)?));
    };
    let offset = load.layout.offset();
    if let Some(bytes) = plan_constant(build.plan, load.buffer) {
        let data = bytemuck::cast_slice(bytes);
        // One matrix for the whole batch is packed once.
        let repeats = batch.iter().all(|&start| start == 0);
        let starts = if repeats {
            &batch[..1.min(batch.len())]
        } else {
            &batch[..]
        };
        if worth_packing(build, load, starts.len()) {
            let matrix = MatRef::strided(data, offset, rs, cs, Batch::Table(starts));
            return Ok(Side::Packed(pack(&matrix, starts.len())));
        }
    }
    Ok(Side::Matrix {
        reader: Reader::new(build.plan, load),
        offset,
        rs,
        cs,
        batch,
    })
}

/// Whether the packed matrices of a constant are at most a few times as large as the constant: one whose
/// elements are repeated by strides of 0 could take any amount of memory.
fn worth_packing(build: Build<'_>, load: &Load, batch: usize) -> bool {
    const SMALL: usize = 1 << 16;
    const GROWTH: usize = 4;
    let matrix = load.layout.shape().iter().rev().take(2);
    let packed = matrix.fold(batch, |n, &d| n.saturating_mul(d));
    packed <= SMALL.max(GROWTH.saturating_mul(build.plan.buffer(load.buffer).elements))
}

/// Row stride, column stride and the start of each matrix of the batch; `None` if a matrix starts
/// before the first (a negative batch stride).
fn matrices(load: &Load) -> Option<(isize, isize, Vec<usize>)> {
    let (shape, strides) = (load.layout.shape(), load.layout.strides());
    let rank = shape.len();
    let mut starts = vec![0_usize];
    for axis in 0..rank - 2 {
        let stride = usize::try_from(strides[axis]).ok()?;
        starts = starts
            .iter()
            .flat_map(|s| (0..shape[axis]).map(move |i| s + i * stride))
            .collect();
    }
    Some((strides[rank - 2], strides[rank - 1], starts))
}

impl Fast {
    fn run(&self, cpu: &Cpu, out: &mut [f32], reads: &Reads<'_>) {
        let (lhs, rhs) = (
            BoundSide::new(&self.lhs, reads),
            BoundSide::new(&self.rhs, reads),
        );
        let (m, n, k) = (self.m, self.n, self.k);
        let fill_a = |batch: usize, i: usize, k0: usize, dst: &mut [f32]| {
            lhs.fill(cpu, (batch * m + i) * k + k0, dst);
        };
        let fill_b = |batch: usize, p: usize, j0: usize, dst: &mut [f32]| {
            rhs.fill(cpu, (batch * k + p) * n + j0, dst);
        };
        let (fill_a, fill_b) = (RowsOfA(fill_a), RowsOfB(fill_b));
        let a = match &lhs {
            BoundSide::Packed(a) => Lhs::Packed(a),
            BoundSide::Matrix(matrix) => Lhs::Strided(*matrix),
            BoundSide::Computed(_) => Lhs::Fill(&fill_a),
        };
        let b = match &rhs {
            BoundSide::Packed(b) => Rhs::Packed(b),
            BoundSide::Matrix(matrix) => Rhs::Strided(*matrix),
            BoundSide::Computed(_) => Rhs::Fill(&fill_b),
        };
        let product = Gemm {
            batch: self.batch,
            m,
            n,
            k,
            a,
            b,
        };
        with_epilogue(cpu, self.epilogue.as_ref(), reads, [m, n], |epilogue| {
            gemm(cpu, &product, Output::dense(out, m, n), epilogue);
        });
    }
}

/// An operand with its memory.
#[expect(
    clippy::large_enum_variant,
    reason = "two of these exist per product, on the stack"
)]
enum BoundSide<'a, 'k, P> {
    Packed(&'k P),
    Matrix(MatRef<'a>),
    Computed(Bound<'a, 'k>),
}

impl<'a, 'k, P> BoundSide<'a, 'k, P>
where
    'k: 'a,
{
    fn new(side: &'k Side<P>, reads: &Reads<'a>) -> Self {
        match side {
            Side::Packed(packed) => BoundSide::Packed(packed),
            Side::Computed(expression) => BoundSide::Computed(expression.bind(reads)),
            Side::Matrix {
                reader,
                offset,
                rs,
                cs,
                batch,
            } => {
                let data = bytemuck::cast_slice(reader.bytes(reads));
                BoundSide::Matrix(MatRef::strided(
                    data,
                    *offset,
                    *rs,
                    *cs,
                    Batch::Table(batch),
                ))
            }
        }
    }

    fn fill(&self, cpu: &Cpu, start: usize, dst: &mut [f32]) {
        if let BoundSide::Computed(bound) = self {
            let mut scratch = cpu.threads.scratch().take();
            bound.fill(cpu.isa, &mut scratch, start, bytemuck::cast_slice_mut(dst));
        }
    }
}

/// An epilogue expression as the hook of products and convolutions over `[batch, rows, cols]`.
struct Hook<'a, 'k> {
    bound: Bound<'a, 'k>,
    threads: &'k Threads,
    isa: Isa,
    rows: usize,
    cols: usize,
}

/// Calls `run` with the hook of an epilogue.
pub(super) fn with_epilogue(
    cpu: &Cpu,
    epilogue: Option<&Expression>,
    reads: &Reads<'_>,
    [rows, cols]: [usize; 2],
    run: impl FnOnce(&dyn Epilogue),
) {
    match epilogue {
        None => run(&NoEpilogue),
        Some(expression) => {
            let bound = expression.bind(reads);
            run(&Hook {
                bound,
                threads: &cpu.threads,
                isa: cpu.isa,
                rows,
                cols,
            });
        }
    }
}

impl Epilogue for Hook<'_, '_> {
    fn apply(&self, strip: &mut Strip<'_>) {
        let mut scratch = self.threads.scratch().take();
        for i in 0..strip.rows {
            let row = strip.batch * self.rows + strip.row0 + i;
            let start = row * self.cols + strip.col0;
            self.bound.fill(
                self.isa,
                &mut scratch,
                start,
                bytemuck::cast_slice_mut(strip.row(i)),
            );
        }
    }
}
