//! Pooling of f32 images.

use graph::op::PoolKind;
use plan::{BackendError, PoolStep};
use tensor_core::DType;

use super::expression::{Expression, materialise};
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;
use crate::kernels::pool2d::{self, PoolShape, pool2d};

/// A prepared pooling.
#[derive(Debug)]
pub(super) struct Pooling {
    input: Expression,
    kind: pool2d::PoolKind,
    shape: PoolShape,
    epilogue: Option<Expression>,
}

impl Pooling {
    pub(super) fn new(build: Build<'_>, step: &PoolStep) -> Result<Pooling, BackendError> {
        let dtype = step.input.dtype();
        if dtype != DType::F32 {
            return Err(build.unsupported(format!("pooling of {dtype}")));
        }
        let x = &step.input.shape;
        let shape = PoolShape {
            planes: x[0] * x[1],
            input: [x[2], x[3]],
            kernel: step.window.kernel,
            stride: step.window.strides,
            dilation: step.window.dilations,
            pad_begin: step.window.pad_begin,
            pad_end: step.window.pad_end,
            ceil_mode: step.ceil,
            count_include_pad: step.count_pad,
        };
        let kind = match step.kind {
            PoolKind::Max => pool2d::PoolKind::Max,
            PoolKind::Average => pool2d::PoolKind::Average,
        };
        Ok(Pooling {
            input: build.source(&step.input)?,
            kind,
            shape,
            epilogue: build.epilogue()?,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        let inputs = self.shape.planes * self.shape.input[0] * self.shape.input[1];
        materialise(cpu, &self.input, reads, inputs, |input| {
            let (from, to) = (bytemuck::cast_slice(input), bytemuck::cast_slice_mut(out));
            pool2d(cpu, self.kind, &self.shape, from, to);
        });
        let Some(epilogue) = &self.epilogue else {
            return;
        };
        let bound = epilogue.bind(reads);
        for_chunks(
            &cpu.threads,
            out,
            4,
            64,
            epilogue.cost_ns(),
            |scratch, start, part| {
                bound.fill(cpu.isa, scratch, start, part);
            },
        );
    }
}
