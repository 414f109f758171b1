//! Steps that only move elements: concatenation and gather.

use plan::{BackendError, Load, Source, Step};
use tensor_core::DType;

use super::expression::{Expression, Reader, materialise};
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;

/// A prepared concatenation: for each of the outer indices, one run of each part.
#[derive(Debug)]
pub(super) struct ConcatStep {
    parts: Vec<(Expression, usize)>,
    row_elems: usize,
    width: usize,
}

impl ConcatStep {
    pub(super) fn new(
        build: Build<'_>,
        parts: &[Source],
        axis: usize,
    ) -> Result<ConcatStep, BackendError> {
        let part =
            |source: &Source| Ok((build.source(source)?, source.shape[axis..].iter().product()));
        let parts: Vec<(Expression, usize)> = parts
            .iter()
            .map(part)
            .collect::<Result<_, BackendError>>()?;
        let row_elems = build.step.shape[axis..].iter().product();
        let width = parts.first().map_or(1, |(e, _)| e.dtype().size_bytes());
        Ok(ConcatStep {
            parts,
            row_elems,
            width,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        if self.row_elems == 0 {
            return;
        }
        let row_bytes = self.row_elems * self.width;
        // Part by part over a few rows at a time, which stay in the nearest cache meanwhile.
        let block_rows = (BLOCK_BYTES / row_bytes).max(1);
        let cost: f64 = self
            .parts
            .iter()
            .map(|(e, elems)| e.cost_ns() * *elems as f64)
            .sum();
        for_chunks(
            &cpu.threads,
            out,
            row_bytes,
            1,
            cost,
            |scratch, first, rows| {
                for (block, rows) in rows.chunks_mut(block_rows * row_bytes).enumerate() {
                    let first = first + block * block_rows;
                    let mut from = 0;
                    for (part, elems) in &self.parts {
                        let (part, to) = (part.bind(reads), from + elems * self.width);
                        for (i, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
                            part.fill(cpu.isa, scratch, (first + i) * elems, &mut row[from..to]);
                        }
                        from = to;
                    }
                }
            },
        );
    }
}

/// Bytes of the rows that a concatenation works on at a time.
const BLOCK_BYTES: usize = 16 << 10;

/// A prepared gather.
#[derive(Debug)]
pub(super) struct GatherStep {
    data: Reader,
    indices: Expression,
    index_count: usize,
    /// Extents of the data before, at and after the axis, as one number each.
    split: [usize; 3],
    width: usize,
}

impl GatherStep {
    pub(super) fn new(
        build: Build<'_>,
        data: &Load,
        indices: &Source,
        axis: usize,
    ) -> Result<GatherStep, BackendError> {
        let shape = data.layout.shape();
        let split = [
            shape[..axis].iter().product(),
            shape[axis],
            shape[axis + 1..].iter().product(),
        ];
        Ok(GatherStep {
            data: Reader::new(build.plan, data),
            indices: build.source(indices)?,
            index_count: indices.element_count(),
            split,
            width: build.plan.buffer(data.buffer).dtype.size_bytes(),
        })
    }

    pub(super) fn run(
        &self,
        cpu: &Cpu,
        step: &Step,
        out: &mut [u8],
        reads: &Reads<'_>,
    ) -> Result<(), BackendError> {
        let mut workspace = cpu.threads.scratch().take();
        let chosen: &mut [u64] = bytemuck::cast_slice_mut(workspace.get(2 * self.index_count));
        let mut resolved = Ok(());
        materialise(cpu, &self.indices, reads, self.index_count, |bytes| {
            resolved = match self.indices.dtype() {
                DType::I32 => {
                    let indices = bytemuck::cast_slice::<u8, i32>(bytes).iter();
                    self.resolve(indices.map(|&index| i64::from(index)), chosen)
                }
                _ => self.resolve(
                    bytemuck::cast_slice::<u8, i64>(bytes).iter().copied(),
                    chosen,
                ),
            };
        });
        resolved.map_err(|index| BackendError::Data {
            step: step.name.clone(),
            problem: format!(
                "index {index} is out of range for an axis of extent {}",
                self.split[1]
            ),
        })?;
        let [_, extent, inner] = self.split;
        if inner == 0 || chosen.is_empty() {
            return Ok(());
        }
        let (data, chosen) = (self.data.bind(reads), &*chosen);
        let row_bytes = inner * self.width;
        for_chunks(
            &cpu.threads,
            out,
            row_bytes,
            1,
            10.0 + inner as f64 * 0.2,
            |_, first, rows| {
                for (i, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
                    let (outer, at) = (
                        (first + i) / chosen.len(),
                        chosen[(first + i) % chosen.len()] as usize,
                    );
                    data.gather((outer * extent + at) * inner, row);
                }
            },
        );
        Ok(())
    }

    /// Writes the indices counted from the start to `chosen`; the error is an index out of range.
    fn resolve(&self, indices: impl Iterator<Item = i64>, chosen: &mut [u64]) -> Result<(), i64> {
        let extent = self.split[1] as i64;
        for (to, index) in chosen.iter_mut().zip(indices) {
            let at = if index < 0 { index + extent } else { index };
            if !(0..extent).contains(&at) {
                return Err(index);
            }
            *to = at as u64;
        }
        Ok(())
    }
}
