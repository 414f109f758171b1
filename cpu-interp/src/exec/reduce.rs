//! Reductions.
//!
//! A dense f32 value whose reduced axes are neighbours goes to the fold kernel. Anything else is
//! evaluated tile by tile with its reduced axes last and folded here: floats in f64, integers exactly
//! (wrapping).

use graph::op::ReduceKind;
use plan::{BackendError, Load, Source};
use tensor_core::DType;

use super::expression::{Bound, Expression};
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;
use crate::kernels::isa::{Isa, dispatch};
use crate::kernels::reduce::{Reduce, reduce};
use crate::kernels::scratch::Scratch;
use crate::kernels::tile::TILE;

/// A prepared reduction.
#[derive(Debug)]
pub(super) struct Reduction {
    kind: ReduceKind,
    /// The value with its axes in their order, for the fold kernel, and `[outer, reduced, inner]`.
    folded: Option<(Expression, [usize; 3])>,
    /// The value with its reduced axes last.
    value: Expression,
    /// Number of elements that each result is made of.
    count: usize,
    epilogue: Option<Expression>,
}

impl Reduction {
    pub(super) fn new(
        build: Build<'_>,
        value: &Source,
        kind: ReduceKind,
        axes: &[usize],
    ) -> Result<Self, BackendError> {
        let dtype = value.dtype();
        if dtype == DType::Bool {
            return Err(build.unsupported("a reduction of bool".into()));
        }
        let kept = (0..value.shape.len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let permuted =
            permute(value, &order).ok_or_else(|| build.unsupported("these axes".into()))?;
        let count = axes.iter().map(|&a| value.shape[a]).product();
        let folded = match split(&value.shape, axes) {
            Some(shape) if dtype == DType::F32 => Some((build.source(value)?, shape)),
            _ => None,
        };
        Ok(Reduction {
            kind,
            folded,
            value: build.source(&permuted)?,
            count,
            epilogue: build.epilogue()?,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        if let Some((expression, shape)) = &self.folded {
            let bound = expression.bind(reads);
            if let Some(bytes) = bound.as_dense(0, shape.iter().product()) {
                let from = bytemuck::cast_slice(bytes);
                reduce(
                    cpu,
                    fold_of(self.kind),
                    from,
                    bytemuck::cast_slice_mut(out),
                    *shape,
                );
                self.finish(cpu, out, reads);
                return;
            }
            if shape[2] > 1 {
                self.columns(cpu, &bound, *shape, out);
                self.finish(cpu, out, reads);
                return;
            }
        }
        self.tiles(cpu, out, reads);
    }

    /// Reduced axes that are not the last: whole rows of results at a time.
    fn columns(
        &self,
        cpu: &Cpu,
        value: &Bound<'_, '_>,
        [_, rows, inner]: [usize; 3],
        out: &mut [u8],
    ) {
        let cost = rows as f64 * (self.value.cost_ns() + 0.3);
        for_chunks(
            &cpu.threads,
            out,
            size_of::<f32>(),
            64,
            cost,
            |scratch, first, part| {
                let (mut acc, mut row) = ([0.0_f64; TILE], [0.0_f32; TILE]);
                let results: &mut [f32] = bytemuck::cast_slice_mut(part);
                let mut at = 0;
                while at < results.len() {
                    let (outer, column) = ((first + at) / inner, (first + at) % inner);
                    let width = (inner - column).min(TILE).min(results.len() - at);
                    let (acc, row) = (&mut acc[..width], &mut row[..width]);
                    acc.fill(identity(self.kind));
                    for r in 0..rows {
                        let start = (outer * rows + r) * inner + column;
                        value.fill(cpu.isa, scratch, start, bytemuck::cast_slice_mut(row));
                        dispatch!(cpu.isa, |_s| fold_row(self.kind, acc, row));
                    }
                    for (result, &acc) in results[at..at + width].iter_mut().zip(acc.iter()) {
                        *result = finished(self.kind, acc, rows) as f32;
                    }
                    at += width;
                }
            },
        );
    }

    fn finish(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        let Some(epilogue) = &self.epilogue else {
            return;
        };
        let bound = epilogue.bind(reads);
        let width = epilogue.dtype().size_bytes();
        for_chunks(
            &cpu.threads,
            out,
            width,
            64,
            epilogue.cost_ns(),
            |scratch, start, part| {
                bound.fill(cpu.isa, scratch, start, part);
            },
        );
    }

    fn tiles(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        let bound = self.value.bind(reads);
        let dtype = self.value.dtype();
        let width = dtype.size_bytes();
        let cost = self.count as f64 * (self.value.cost_ns() + 0.3);
        for_chunks(&cpu.threads, out, width, 1, cost, |scratch, first, part| {
            let fold = Fold {
                isa: cpu.isa,
                bound: &bound,
                kind: self.kind,
                count: self.count,
                scratch,
            };
            match dtype {
                DType::F32 => fold.floats::<f32>(first, part),
                DType::F64 => fold.floats::<f64>(first, part),
                DType::I8 => fold.integers::<i8>(first, part),
                DType::I16 => fold.integers::<i16>(first, part),
                DType::I32 => fold.integers::<i32>(first, part),
                DType::I64 => fold.integers::<i64>(first, part),
                DType::U8 => fold.integers::<u8>(first, part),
                DType::U16 => fold.integers::<u16>(first, part),
                DType::U32 => fold.integers::<u32>(first, part),
                DType::U64 => fold.integers::<u64>(first, part),
                DType::Bool
                | DType::F16
                | DType::BF16
                | DType::C32
                | DType::C64
                | DType::External(_) => {
                    unreachable!("expressions of {dtype} are refused when they are built")
                }
            }
        });
        self.finish(cpu, out, reads);
    }
}

fn fold_of(kind: ReduceKind) -> Reduce {
    match kind {
        ReduceKind::Sum => Reduce::Sum,
        ReduceKind::Mean => Reduce::Mean,
        ReduceKind::Max => Reduce::Max,
        ReduceKind::Min => Reduce::Min,
        ReduceKind::Prod => Reduce::Prod,
    }
}

/// The source with its axes in another order.
fn permute(source: &Source, order: &[usize]) -> Option<Source> {
    let loads = source.loads.iter().map(|load| {
        let layout = load.layout.permute(order).ok()?;
        Some(Load {
            buffer: load.buffer,
            layout,
        })
    });
    Some(Source {
        shape: order.iter().map(|&a| source.shape[a]).collect(),
        loads: loads.collect::<Option<_>>()?,
        program: source.program.clone(),
    })
}

/// The shape as `[outer, reduced, inner]`, if the reduced axes are neighbours.
fn split(shape: &[usize], axes: &[usize]) -> Option<[usize; 3]> {
    let (&first, &last) = (axes.first()?, axes.last()?);
    let neighbours = last - first + 1 == axes.len();
    let product = |range: &[usize]| range.iter().product();
    neighbours.then(|| {
        [
            product(&shape[..first]),
            product(&shape[first..=last]),
            product(&shape[last + 1..]),
        ]
    })
}

/// Folds runs of a bound expression.
struct Fold<'a, 'b> {
    isa: Isa,
    bound: &'b Bound<'a, 'b>,
    kind: ReduceKind,
    count: usize,
    scratch: &'b mut Scratch,
}

/// What float folds need.
trait Float: bytemuck::Pod + PartialOrd {
    /// Whether f64 has no spare bits for sums, so that they need compensation.
    const NEEDS_COMPENSATION: bool;
    fn widen(self) -> f64;
    fn narrow(value: f64) -> Self;
}

impl Float for f32 {
    const NEEDS_COMPENSATION: bool = false;
    #[inline(always)]
    fn widen(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn narrow(value: f64) -> f32 {
        value as f32
    }
}

impl Float for f64 {
    const NEEDS_COMPENSATION: bool = true;
    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
    #[inline(always)]
    fn narrow(value: f64) -> f64 {
        value
    }
}

/// The result of no elements.
fn identity(kind: ReduceKind) -> f64 {
    match kind {
        ReduceKind::Sum | ReduceKind::Mean => 0.0,
        ReduceKind::Prod => 1.0,
        ReduceKind::Max => f64::NEG_INFINITY,
        ReduceKind::Min => f64::INFINITY,
    }
}

#[inline(always)]
fn combine(kind: ReduceKind, a: f64, x: f64) -> f64 {
    match kind {
        ReduceKind::Sum | ReduceKind::Mean => a + x,
        ReduceKind::Prod => a * x,
        // Either NaN stays: a NaN `a` compares false, a NaN `x` is taken.
        ReduceKind::Max if x > a || x.is_nan() => x,
        ReduceKind::Min if x < a || x.is_nan() => x,
        ReduceKind::Max | ReduceKind::Min => a,
    }
}

fn finished(kind: ReduceKind, acc: f64, count: usize) -> f64 {
    if kind == ReduceKind::Mean {
        acc / count as f64
    } else {
        acc
    }
}

/// All of a tile, in independent lanes.
#[inline(always)]
fn fold_tile<T: Float>(kind: ReduceKind, tile: &[T]) -> f64 {
    match kind {
        ReduceKind::Sum | ReduceKind::Mean => lanes(
            tile,
            kind,
            #[inline(always)]
            |a, x| a + x,
        ),
        ReduceKind::Prod => lanes(
            tile,
            kind,
            #[inline(always)]
            |a, x| a * x,
        ),
        ReduceKind::Max => lanes(
            tile,
            kind,
            #[inline(always)]
            |a, x| if x > a || x.is_nan() { x } else { a },
        ),
        ReduceKind::Min => lanes(
            tile,
            kind,
            #[inline(always)]
            |a, x| if x < a || x.is_nan() { x } else { a },
        ),
    }
}

#[inline(always)]
fn lanes<T: Float>(tile: &[T], kind: ReduceKind, step: impl Fn(f64, f64) -> f64) -> f64 {
    let mut acc = [identity(kind); 16];
    let (whole, rest) = tile.as_chunks::<16>();
    for chunk in whole {
        acc.iter_mut()
            .zip(chunk)
            .for_each(|(a, x)| *a = step(*a, x.widen()));
    }
    acc.iter_mut()
        .zip(rest)
        .for_each(|(a, x)| *a = step(*a, x.widen()));
    acc.into_iter().fold(identity(kind), step)
}

/// `a + x`, and what rounding lost of it.
#[inline(always)]
fn two_sum(a: &mut f64, lost: &mut f64, x: f64) {
    let total = *a + x;
    let part = total - *a;
    *lost += (*a - (total - part)) + (x - part);
    *a = total;
}

/// Adds a tile to a sum and what rounding lost so far (Knuth's two-sum), in independent lanes.
#[inline(always)]
fn add_compensated<T: Float>(sum: &mut f64, lost: &mut f64, tile: &[T]) {
    let (mut sums, mut losses) = ([0.0_f64; 8], [0.0_f64; 8]);
    for chunk in tile.chunks(8) {
        for ((a, l), x) in sums.iter_mut().zip(&mut losses).zip(chunk) {
            two_sum(a, l, x.widen());
        }
    }
    for (a, l) in sums.into_iter().zip(losses) {
        two_sum(sum, lost, a);
        *lost += l;
    }
}

/// Adds one row of elements to the accumulators of their columns.
#[inline(always)]
fn fold_row<T: Float>(kind: ReduceKind, acc: &mut [f64], row: &[T]) {
    let columns = acc.iter_mut().zip(row);
    match kind {
        ReduceKind::Sum | ReduceKind::Mean => columns.for_each(|(a, x)| *a += x.widen()),
        ReduceKind::Prod => columns.for_each(|(a, x)| *a *= x.widen()),
        ReduceKind::Max | ReduceKind::Min => {
            columns.for_each(|(a, x)| *a = combine(kind, *a, x.widen()));
        }
    }
}

/// What integer folds need.
trait Integer: bytemuck::Pod + Ord {
    const MIN: Self;
    const MAX: Self;
    const ONE: Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn divide(self, count: usize) -> Self;
}

macro_rules! integers {
    ($($T:ty),*) => {$(
        impl Integer for $T {
            const MIN: $T = <$T>::MIN;
            const MAX: $T = <$T>::MAX;
            const ONE: $T = 1;
            fn add(self, other: $T) -> $T {
                self.wrapping_add(other)
            }
            fn mul(self, other: $T) -> $T {
                self.wrapping_mul(other)
            }
            fn divide(self, count: usize) -> $T {
                // i128 holds every element and every count; the quotient is no larger than the sum.
                (i128::from(self) / (count as i128).max(1)) as $T
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Fold<'_, '_> {
    /// Calls `each` with the elements of result `index`, a tile at a time.
    fn elements<T: bytemuck::Pod>(&mut self, index: usize, mut each: impl FnMut(&[T])) {
        let mut tile = [T::zeroed(); TILE];
        let (start, end) = (index * self.count, (index + 1) * self.count);
        for at in (start..end).step_by(TILE) {
            let part = &mut tile[..TILE.min(end - at)];
            self.bound
                .fill(self.isa, self.scratch, at, bytemuck::cast_slice_mut(part));
            each(part);
        }
    }

    fn floats<T: Float>(mut self, first: usize, out: &mut [u8]) {
        let (isa, kind, count) = (self.isa, self.kind, self.count);
        for (i, result) in bytemuck::cast_slice_mut::<u8, T>(out)
            .iter_mut()
            .enumerate()
        {
            let (mut acc, mut lost) = (identity(kind), 0.0);
            let sums = matches!(kind, ReduceKind::Sum | ReduceKind::Mean);
            self.elements::<T>(first + i, |part| {
                if sums && T::NEEDS_COMPENSATION {
                    dispatch!(isa, |_s| add_compensated(&mut acc, &mut lost, part));
                } else {
                    acc = combine(kind, acc, dispatch!(isa, |_s| fold_tile(kind, part)));
                }
            });
            // Infinities make the compensation NaN.
            let total = if lost.is_finite() { acc + lost } else { acc };
            *result = T::narrow(finished(kind, total, count));
        }
    }

    fn integers<T: Integer>(mut self, first: usize, out: &mut [u8]) {
        let (kind, count) = (self.kind, self.count);
        for (i, result) in bytemuck::cast_slice_mut::<u8, T>(out)
            .iter_mut()
            .enumerate()
        {
            let mut acc = match kind {
                ReduceKind::Sum | ReduceKind::Mean => T::zeroed(),
                ReduceKind::Prod => T::ONE,
                ReduceKind::Max => T::MIN,
                ReduceKind::Min => T::MAX,
            };
            self.elements::<T>(first + i, |part| {
                acc = part.iter().fold(acc, |a, &x| match kind {
                    ReduceKind::Sum | ReduceKind::Mean => a.add(x),
                    ReduceKind::Prod => a.mul(x),
                    ReduceKind::Max => a.max(x),
                    ReduceKind::Min => a.min(x),
                });
            });
            *result = if kind == ReduceKind::Mean {
                acc.divide(count)
            } else {
                acc
            };
        }
    }
}
