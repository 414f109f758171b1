//! Normalisations over the last axis: softmax and layer norm, row by row.
//!
//! A row is evaluated into the output, normalised there and passed to the epilogue while it is in cache.

use plan::{BackendError, Source};
use tensor_core::DType;

use super::expression::Expression;
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;
use crate::kernels::isa::Isa;
use crate::kernels::{norm, softmax};

/// What happens to each row.
#[derive(Debug)]
struct Rows {
    value: Expression,
    len: usize,
    epilogue: Option<Expression>,
}

impl Rows {
    fn new(build: Build<'_>, value: &Source) -> Result<Rows, BackendError> {
        let dtype = value.dtype();
        if !matches!(dtype, DType::F32 | DType::F64) {
            return Err(build.unsupported(format!("normalisation of {dtype}")));
        }
        let len = value.shape.last().copied().unwrap_or(1);
        Ok(Rows {
            value: build.source(value)?,
            len,
            epilogue: build.epilogue()?,
        })
    }

    fn run(
        &self,
        cpu: &Cpu,
        out: &mut [u8],
        reads: &Reads<'_>,
        f32_row: impl Fn(Isa, &mut [f32]) + Sync,
        f64_row: impl Fn(&mut [f64]) + Sync,
    ) {
        let row_bytes = self.len * self.value.dtype().size_bytes();
        if row_bytes == 0 {
            return;
        }
        let value = self.value.bind(reads);
        let epilogue = self.epilogue.as_ref().map(|e| e.bind(reads));
        let element_ns =
            0.6 + self.value.cost_ns() + self.epilogue.as_ref().map_or(0.0, Expression::cost_ns);
        for_chunks(
            &cpu.threads,
            out,
            row_bytes,
            1,
            element_ns * self.len as f64,
            |scratch, first, rows| {
                for (i, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
                    let start = (first + i) * self.len;
                    value.fill(cpu.isa, scratch, start, row);
                    match self.value.dtype() {
                        DType::F64 => f64_row(bytemuck::cast_slice_mut(row)),
                        _ => f32_row(cpu.isa, bytemuck::cast_slice_mut(row)),
                    }
                    if let Some(epilogue) = &epilogue {
                        epilogue.fill(cpu.isa, scratch, start, row);
                    }
                }
            },
        );
    }
}

/// A prepared softmax.
#[derive(Debug)]
pub(super) struct Softmax {
    rows: Rows,
    log: bool,
}

impl Softmax {
    pub(super) fn new(
        build: Build<'_>,
        value: &Source,
        log: bool,
    ) -> Result<Softmax, BackendError> {
        Ok(Softmax {
            rows: Rows::new(build, value)?,
            log,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        if self.log {
            self.rows
                .run(cpu, out, reads, softmax::log_softmax_row, log_softmax_f64);
        } else {
            self.rows
                .run(cpu, out, reads, softmax::softmax_row, softmax_f64);
        }
    }
}

fn largest(row: &[f64]) -> f64 {
    row.iter().fold(
        f64::NEG_INFINITY,
        |m, &x| if x > m || x.is_nan() { x } else { m },
    )
}

fn softmax_f64(row: &mut [f64]) {
    let max = largest(row);
    row.iter_mut().for_each(|x| *x = (*x - max).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}

fn log_softmax_f64(row: &mut [f64]) {
    let max = largest(row);
    let sum: f64 = row.iter().map(|x| (x - max).exp()).sum();
    let log_sum = sum.ln();
    row.iter_mut().for_each(|x| *x = (*x - max) - log_sum);
}

/// A prepared layer norm; scale and bias are part of the epilogue.
#[derive(Debug)]
pub(super) struct LayerNorm {
    rows: Rows,
    epsilon: f32,
}

impl LayerNorm {
    pub(super) fn new(
        build: Build<'_>,
        value: &Source,
        epsilon: f32,
    ) -> Result<LayerNorm, BackendError> {
        Ok(LayerNorm {
            rows: Rows::new(build, value)?,
            epsilon,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        let epsilon = self.epsilon;
        let f32_row = |isa: Isa, row: &mut [f32]| norm::layer_norm_row(isa, row, epsilon);
        self.rows.run(cpu, out, reads, f32_row, |row| {
            layer_norm_f64(row, f64::from(epsilon))
        });
    }
}

fn layer_norm_f64(row: &mut [f64], epsilon: f64) {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    row.iter_mut().for_each(|x| *x = (*x - mean) * scale);
}
