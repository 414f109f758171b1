//! Sources and epilogues, compiled: evaluate any run of elements in row-major logical order.

use graph::scalar::Program;
use plan::{Epilogue, Load, Place, Plan, Source};
use tensor_core::{DType, TensorLayout};
use tinyvec::ArrayVec;

use super::elementwise::bits;
use super::memory::Reads;
use crate::kernels::Cpu;
use crate::kernels::isa::Isa;
use crate::kernels::scratch::Scratch;
use crate::kernels::tile::{TILE, TileInput, TileProgram};

/// Most loads of one expression; the optimizer stays far below.
const MAX_LOADS: usize = 32;

/// Bytes of a gathered tile; not a multiple of 4096, so tiles do not fall into the same cache sets.
const GATHER_BYTES: usize = TILE * 8 + 128;

/// How the elements of a load lie, in row-major logical order.
#[derive(Clone, Debug)]
enum Walk {
    /// One after another.
    Dense,
    /// Always the same.
    Splat,
    /// Axes `(extent, stride)`, outermost first, joined where strides allow.
    Strided(Vec<(usize, isize)>),
}

/// A strided read, ready.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    buffer: plan::BufferId,
    walk: Walk,
    offset: usize,
    width: usize,
}

impl Reader {
    pub(super) fn new(plan: &Plan, load: &Load) -> Reader {
        let width = plan.buffer(load.buffer).dtype.size_bytes();
        Reader {
            buffer: load.buffer,
            walk: walk_of(&load.layout),
            offset: load.layout.offset(),
            width,
        }
    }

    /// The bytes of the whole buffer.
    pub(super) fn bytes<'a>(&self, reads: &Reads<'a>) -> &'a [u8] {
        reads.bytes(self.buffer)
    }

    pub(super) fn bind<'a>(&self, reads: &Reads<'a>) -> BoundReader<'a, '_> {
        BoundReader {
            reader: self,
            data: reads.bytes(self.buffer),
        }
    }
}

fn walk_of(layout: &TensorLayout) -> Walk {
    let axes: Vec<(usize, isize)> = layout
        .blocks()
        .iter()
        .map(|b| (b.extent, b.stride))
        .collect();
    match axes.as_slice() {
        [] | [(_, 0)] => Walk::Splat,
        [(_, 1)] => Walk::Dense,
        _ => Walk::Strided(axes),
    }
}

/// A reader with the bytes of its buffer.
#[derive(Clone, Copy)]
pub(super) struct BoundReader<'a, 'k> {
    reader: &'k Reader,
    data: &'a [u8],
}

impl<'a> BoundReader<'a, '_> {
    /// `count` elements from `start`, if they lie one after another.
    pub(super) fn dense(&self, start: usize, count: usize) -> Option<&'a [u8]> {
        let Reader {
            walk: Walk::Dense,
            offset,
            width,
            ..
        } = self.reader
        else {
            return None;
        };
        Some(&self.data[(offset + start) * width..(offset + start + count) * width])
    }

    fn splat(&self) -> u64 {
        let at = self.reader.offset * self.reader.width;
        bits(&self.data[at..at + self.reader.width])
    }

    /// Copies elements from `start` on until `dst` is full.
    pub(super) fn gather(&self, start: usize, dst: &mut [u8]) {
        match (&self.reader.walk, self.reader.width) {
            (Walk::Dense, width) => {
                let from = (self.reader.offset + start) * width;
                dst.copy_from_slice(&self.data[from..from + dst.len()]);
            }
            (_, 1) => self.gather_as::<u8>(start, dst),
            (_, 2) => self.gather_as::<u16>(start, bytemuck::cast_slice_mut(dst)),
            (_, 4) => self.gather_as::<u32>(start, bytemuck::cast_slice_mut(dst)),
            (_, _) => self.gather_as::<u64>(start, bytemuck::cast_slice_mut(dst)),
        }
    }

    fn gather_as<T: bytemuck::Pod>(&self, start: usize, dst: &mut [T]) {
        let data: &[T] = bytemuck::cast_slice(self.data);
        let axes: &[(usize, isize)] = match &self.reader.walk {
            Walk::Strided(axes) => axes,
            Walk::Dense | Walk::Splat => {
                dst.fill(data[self.reader.offset]);
                return;
            }
        };
        let Some((&(inner, stride), outer)) = axes.split_last() else {
            return;
        };
        let (mut row, mut column, mut filled) = (start / inner, start % inner, 0);
        while filled < dst.len() {
            let mut at = self.reader.offset as isize;
            let mut rest = row;
            for &(extent, stride) in outer.iter().rev() {
                at += (rest % extent) as isize * stride;
                rest /= extent;
            }
            let count = (inner - column).min(dst.len() - filled);
            let first = at + column as isize * stride;
            run(data, first, stride, &mut dst[filled..filled + count]);
            (filled, row, column) = (filled + count, row + 1, 0);
        }
    }
}

/// `dst[i] = data[first + i * stride]`
fn run<T: Copy>(data: &[T], first: isize, stride: isize, dst: &mut [T]) {
    let start = first as usize;
    match stride {
        0 => dst.fill(data[start]),
        1 => dst.copy_from_slice(&data[start..start + dst.len()]),
        2.. => {
            let from = data[start..].iter().step_by(stride as usize);
            dst.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        _ => {
            let from = data[..=start].iter().rev().step_by(stride.unsigned_abs());
            dst.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
    }
}

/// The dtype that elements are moved as: tiles compute with no half floats or complex numbers, but bits are bits.
fn moved_as(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::U16,
        DType::C32 => DType::U64,
        other => other,
    }
}

/// A compiled source or epilogue.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    program: TileProgram,
    readers: Vec<Reader>,
    gathered: usize,
    cost_ns: f64,
    /// Operand 0 is the destination's contents.
    on_destination: bool,
}

impl Expression {
    /// The expression of a source. The error is a dtype that tiles do not serve.
    pub(super) fn of_source(plan: &Plan, source: &Source) -> Result<Expression, DType> {
        if source.program.is_identity() {
            let moved = Program::identity(moved_as(source.dtype()));
            return Expression::new(plan, &moved, &source.loads, false);
        }
        Expression::new(plan, &source.program, &source.loads, false)
    }

    /// The expression of an epilogue, or `None` if there is nothing to do.
    pub(super) fn of_epilogue(
        plan: &Plan,
        epilogue: &Epilogue,
    ) -> Result<Option<Expression>, DType> {
        if epilogue.is_none() {
            return Ok(None);
        }
        Expression::new(plan, &epilogue.program, &epilogue.loads, true).map(Some)
    }

    fn new(
        plan: &Plan,
        program: &Program,
        loads: &[Load],
        on_destination: bool,
    ) -> Result<Expression, DType> {
        let cost_ns = cost_ns(program);
        let program = TileProgram::compile(program)?;
        let readers: Vec<Reader> = loads.iter().map(|load| Reader::new(plan, load)).collect();
        assert!(
            readers.len() < MAX_LOADS,
            "{} loads in one expression",
            readers.len()
        );
        let gathered = readers
            .iter()
            .filter(|r| matches!(r.walk, Walk::Strided(_)))
            .count();
        let cost_ns = cost_ns + 0.1 + 0.4 * gathered as f64;
        Ok(Expression {
            program,
            readers,
            gathered,
            cost_ns,
            on_destination,
        })
    }

    /// dtype of the elements.
    pub(super) fn dtype(&self) -> DType {
        self.program.dtype()
    }

    /// Rough time of one element.
    pub(super) fn cost_ns(&self) -> f64 {
        self.cost_ns
    }

    /// Workspace of an evaluation in f32 elements.
    fn scratch_elems(&self) -> usize {
        self.program.scratch_elems() + self.gathered * GATHER_BYTES / 4
    }

    /// All elements, if every load is of a constant; for packing before the first run. f32 only.
    pub(super) fn constant_elements(
        &self,
        cpu: &Cpu,
        plan: &Plan,
        count: usize,
    ) -> Option<Vec<f32>> {
        let is_constant = |r: &Reader| matches!(plan.buffer(r.buffer).place, Place::Constant(_));
        if self.dtype() != DType::F32 || !self.readers.iter().all(is_constant) {
            return None;
        }
        let reads = Reads::of_constants(plan);
        let mut elements = vec![0.0; count];
        super::step::fill(cpu, self, bytemuck::cast_slice_mut(&mut elements), &reads);
        Some(elements)
    }

    pub(super) fn bind<'a>(&self, reads: &Reads<'a>) -> Bound<'a, '_> {
        let mut data = ArrayVec::new();
        self.readers
            .iter()
            .for_each(|r| data.push(reads.bytes(r.buffer)));
        Bound {
            expression: self,
            data,
        }
    }
}

/// An expression with the bytes of its buffers.
pub(super) struct Bound<'a, 'k> {
    expression: &'k Expression,
    data: ArrayVec<[&'a [u8]; MAX_LOADS]>,
}

impl<'a, 'k> Bound<'a, 'k> {
    fn reader(&self, index: usize) -> BoundReader<'a, 'k> {
        BoundReader {
            reader: &self.expression.readers[index],
            data: self.data[index],
        }
    }

    /// The elements from `start` on, if they are in memory as they are.
    pub(super) fn as_dense(&self, start: usize, count: usize) -> Option<&'a [u8]> {
        if self.expression.program.is_copy() && !self.expression.on_destination {
            self.reader(0).dense(start, count)
        } else {
            None
        }
    }

    /// Evaluates an epilogue over results that lie elsewhere, one per element of `dst`.
    pub(super) fn fill_from(
        &self,
        isa: Isa,
        scratch: &mut Scratch,
        start: usize,
        results: &[u8],
        dst: &mut [u8],
    ) {
        let expression = self.expression;
        let (to, count) = (
            expression.dtype().size_bytes(),
            dst.len() / expression.dtype().size_bytes(),
        );
        let from = results.len() / count.max(1);
        let scratch = scratch.get(expression.scratch_elems());
        let tiles = dst.chunks_mut(TILE * to).zip(results.chunks(TILE * from));
        for (tile, (part, results)) in tiles.enumerate() {
            self.tile(
                isa,
                scratch,
                start + tile * TILE,
                TileInput::Slice(results),
                part,
            );
        }
    }

    /// Evaluates the elements from `start` on until `dst` is full. An epilogue changes `dst` in place.
    pub(super) fn fill(&self, isa: Isa, scratch: &mut Scratch, start: usize, dst: &mut [u8]) {
        let expression = self.expression;
        let width = expression.dtype().size_bytes();
        if dst.is_empty() {
            return;
        }
        if expression.program.is_copy() && !expression.on_destination {
            self.reader(0).gather(start, dst);
            return;
        }
        let scratch = scratch.get(expression.scratch_elems());
        for (tile, part) in dst.chunks_mut(TILE * width).enumerate() {
            self.tile(
                isa,
                scratch,
                start + tile * TILE,
                TileInput::Destination,
                part,
            );
        }
    }

    /// One tile; `result` is operand 0 of an epilogue.
    fn tile(
        &self,
        isa: Isa,
        scratch: &mut [f32],
        start: usize,
        result: TileInput<'_>,
        dst: &mut [u8],
    ) {
        let expression = self.expression;
        let count = dst.len() / expression.dtype().size_bytes();
        let (gathered, slots) = scratch.split_at_mut(expression.gathered * GATHER_BYTES / 4);
        let gathered: &mut [u8] = bytemuck::cast_slice_mut(gathered);
        let strided = (0..self.data.len())
            .filter(|&i| matches!(expression.readers[i].walk, Walk::Strided(_)));
        for (i, part) in strided.zip(gathered.chunks_exact_mut(GATHER_BYTES)) {
            let bytes = count * expression.readers[i].width;
            self.reader(i).gather(start, &mut part[..bytes]);
        }
        let mut inputs: ArrayVec<[TileInput<'_>; MAX_LOADS]> = ArrayVec::new();
        if expression.on_destination {
            inputs.push(result);
        }
        let mut parts = gathered.chunks_exact(GATHER_BYTES);
        for i in 0..self.data.len() {
            let reader = self.reader(i);
            inputs.push(match &expression.readers[i].walk {
                Walk::Dense => TileInput::Slice(reader.dense(start, count).unwrap_or_default()),
                Walk::Splat => TileInput::Splat(reader.splat()),
                Walk::Strided(_) => TileInput::Slice(parts.next().unwrap_or_default()),
            });
        }
        expression.program.run(isa, &inputs, slots, dst);
    }
}

/// Calls `run` with `count` elements of an expression in memory: where they are, or computed into workspace.
pub(super) fn materialise(
    cpu: &Cpu,
    expression: &Expression,
    reads: &Reads<'_>,
    count: usize,
    run: impl FnOnce(&[u8]),
) {
    let bound = expression.bind(reads);
    if let Some(bytes) = bound.as_dense(0, count) {
        return run(bytes);
    }
    let bytes = count * expression.dtype().size_bytes();
    let mut workspace = cpu.threads.scratch().take();
    let elements: &mut [u8] = bytemuck::cast_slice_mut(workspace.get(bytes.div_ceil(4)));
    super::step::fill(cpu, expression, &mut elements[..bytes], reads);
    run(&elements[..bytes]);
}

/// Rough time of one element of a program.
fn cost_ns(program: &Program) -> f64 {
    use graph::scalar::{Inst, Prim};
    let instruction = |inst: &Inst| match inst {
        Inst::Const(_) => 0.0,
        Inst::Cast(..) => 0.3,
        Inst::Prim(
            Prim::Pow
            | Prim::Rem
            | Prim::Tan
            | Prim::Asin
            | Prim::Acos
            | Prim::Atan
            | Prim::Sinh
            | Prim::Cosh
            | Prim::Asinh
            | Prim::Acosh
            | Prim::Atanh,
            _,
        ) => 20.0,
        Inst::Prim(
            Prim::Exp | Prim::Log | Prim::Sin | Prim::Cos | Prim::Tanh | Prim::Sigmoid | Prim::Erf,
            _,
        ) => 0.8,
        Inst::Prim(..) => 0.07,
    };
    program.insts().iter().map(instruction).sum()
}
