//! Pooling of f32 images.

use graph::op::PoolKind;
use plan::{BackendError, PoolStep};
use tensor_core::DType;

use super::expression::{Expression, materialise};
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;
use crate::kernels::pool2d::{Pool, PoolKind as Kind, PoolShape};

/// A prepared pooling.
#[derive(Debug)]
pub(super) struct Pooling {
    input: Expression,
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
            output: [build.step.shape[2], build.step.shape[3]],
            kernel: step.window.kernel,
            stride: step.window.strides,
            dilation: step.window.dilations,
            pad_begin: step.window.pad_begin,
            pad_end: step.window.pad_end,
        };
        Ok(Pooling { input: build.source(&step.input)?, shape, epilogue: build.epilogue()? })
    }
}
