//! Convolutions.

use plan::{BackendError, ConvStep};
use tensor_core::DType;

use super::contract::with_epilogue;
use super::expression::Expression;
use super::expression::materialise;
use super::generic::GenericConv;
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::conv::{Conv, ConvShape};

/// A prepared convolution.
#[derive(Debug)]
pub(super) enum Convolve {
    /// f32.
    Fast(Box<FastConv>),
    /// Any other dtype.
    Generic(Box<GenericConv>),
}

/// A convolution in f32.
#[derive(Debug)]
pub(super) struct FastConv {
    shape: ConvShape,
    input: Expression,
    weight: Expression,
    /// The kernel for constant weights.
    packed: Option<Conv>,
    epilogue: Option<Expression>,
}

impl Convolve {
    pub(super) fn new(build: Build<'_>, step: &ConvStep) -> Result<Convolve, BackendError> {
        let shape = conv_shape(step);
        if step.input.dtype() != DType::F32 {
            return Ok(Convolve::Generic(Box::new(GenericConv::new(
                build, step, shape,
            )?)));
        }
        let (input, weight) = (build.source(&step.input)?, build.source(&step.weight)?);
        let packed = weight
            .constant_elements(build.cpu, build.plan, step.weight.element_count())
            .map(|weights| Conv::new(build.cpu.isa, shape, &weights));
        let epilogue = build.epilogue()?;
        Ok(Convolve::Fast(Box::new(FastConv {
            shape,
            input,
            weight,
            packed,
            epilogue,
        })))
    }

    pub(super) fn packed_bytes(&self) -> usize {
        match self {
            Convolve::Fast(conv) => conv.packed.as_ref().map_or(0, Conv::size_bytes),
            Convolve::Generic(_) => 0,
        }
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        match self {
            Convolve::Fast(conv) => conv.run(cpu, bytemuck::cast_slice_mut(out), reads),
            Convolve::Generic(conv) => conv.run(cpu, out, reads),
        }
    }
}

/// The shape for the kernels. A column of pixels lies in memory like a row of pixels, and rows are
/// what vectors work along, so it is convolved as one.
fn conv_shape(step: &ConvStep) -> ConvShape {
    let shape = shape_as_given(step);
    let column = shape.input[1] == 1 && shape.kernel[1] == 1;
    if !column || shape.pad_begin[1] + shape.pad_end[1] > 0 {
        return shape;
    }
    let turned = |[vertical, horizontal]: [usize; 2]| [horizontal, vertical];
    ConvShape {
        input: turned(shape.input),
        kernel: turned(shape.kernel),
        stride: turned(shape.stride),
        dilation: turned(shape.dilation),
        pad_begin: turned(shape.pad_begin),
        pad_end: turned(shape.pad_end),
        ..shape
    }
}

fn shape_as_given(step: &ConvStep) -> ConvShape {
    let (x, w) = (&step.input.shape, &step.weight.shape);
    ConvShape {
        batch: x[0],
        c_in: x[1],
        c_out: w[0],
        groups: step.groups,
        input: [x[2], x[3]],
        kernel: step.window.kernel,
        stride: step.window.strides,
        dilation: step.window.dilations,
        pad_begin: step.window.pad_begin,
        pad_end: step.window.pad_end,
    }
}

impl FastConv {
    fn run(&self, cpu: &Cpu, out: &mut [f32], reads: &Reads<'_>) {
        let s = &self.shape;
        let inputs = s.batch * s.c_in * s.input[0] * s.input[1];
        let [height, width] = s.output();
        with_epilogue(
            cpu,
            self.epilogue.as_ref(),
            reads,
            [s.c_out, height * width],
            |epilogue| {
                materialise(cpu, &self.input, reads, inputs, |input| {
                    let input = bytemuck::cast_slice(input);
                    match &self.packed {
                        Some(conv) => conv.run(cpu, input, out, epilogue),
                        None => {
                            let weights = s.c_out * s.c_in / s.groups * s.kernel[0] * s.kernel[1];
                            materialise(cpu, &self.weight, reads, weights, |weight| {
                                let conv = Conv::new(cpu.isa, *s, bytemuck::cast_slice(weight));
                                conv.run(cpu, input, out, epilogue);
                            });
                        }
                    }
                });
            },
        );
    }
}
