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
        let bound: Vec<_> = self
            .parts
            .iter()
            .map(|(e, elems)| (e.bind(reads), *elems))
            .collect();
        let row_bytes = self.row_elems * self.width;
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
                for (i, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
                    let mut rest = row;
                    for (part, elems) in &bound {
                        let (run, after) = rest.split_at_mut(elems * self.width);
                        part.fill(cpu.isa, scratch, (first + i) * elems, run);
                        rest = after;
                    }
                }
            },
        );
    }
}

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
        let mut chosen = Ok(Vec::new());
        materialise(cpu, &self.indices, reads, self.index_count, |bytes| {
            chosen = match self.indices.dtype() {
                DType::I32 => self.resolve(
                    bytemuck::cast_slice::<u8, i32>(bytes)
                        .iter()
                        .map(|&i| i64::from(i)),
                ),
                _ => self.resolve(bytemuck::cast_slice::<u8, i64>(bytes).iter().copied()),
            };
        });
        let chosen = chosen.map_err(|index| BackendError::Data {
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
        let data = self.data.bind(reads);
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
                        chosen[(first + i) % chosen.len()],
                    );
                    data.gather((outer * extent + at) * inner, row);
                }
            },
        );
        Ok(())
    }

    /// Indices counted from the start; the error is an index out of range.
    fn resolve(&self, indices: impl Iterator<Item = i64>) -> Result<Vec<usize>, i64> {
        let extent = self.split[1] as i64;
        indices
            .map(|index| {
                let at = if index < 0 { index + extent } else { index };
                if (0..extent).contains(&at) {
                    Ok(at as usize)
                } else {
                    Err(index)
                }
            })
            .collect()
    }
}
