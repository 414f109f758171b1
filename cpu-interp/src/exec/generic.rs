//! Contractions and convolutions of dtypes other than f32: plain loops over expressions in memory.
//!
//! Integers wrap; f64 accumulates in f64. These are for shape arithmetic and rare models.

use plan::{BackendError, ConvStep, Source};
use tensor_core::DType;

use super::expression::{Expression, materialise};
use super::memory::Reads;
use super::step::Build;
use crate::kernels::Cpu;
use crate::kernels::chunks::for_chunks;
use crate::kernels::conv::ConvShape;

/// A number that the loops multiply and add.
trait Number: bytemuck::Pod + Sync {
    /// `self + a * b`
    fn multiply_add(self, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($T:ty),*) => {$(
        impl Number for $T {
            fn multiply_add(self, a: Self, b: Self) -> Self {
                self.wrapping_add(a.wrapping_mul(b))
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Number for f64 {
    fn multiply_add(self, a: Self, b: Self) -> Self {
        self + a * b
    }
}

/// Runs `$body` with `$T` as the type of a number other than f32; `$other` handles the rest.
macro_rules! with_number {
    ($dtype:expr, $T:ident => $body:expr, $other:expr) => {
        match $dtype {
            DType::F64 => {
                type $T = f64;
                $body
            }
            DType::I8 => {
                type $T = i8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::U8 => {
                type $T = u8;
                $body
            }
            DType::U16 => {
                type $T = u16;
                $body
            }
            DType::U32 => {
                type $T = u32;
                $body
            }
            DType::U64 => {
                type $T = u64;
                $body
            }
            _ => $other,
        }
    };
}

/// A contraction of any number but f32.
#[derive(Debug)]
pub(super) struct GenericContract {
    lhs: Expression,
    rhs: Expression,
    batch: usize,
    m: usize,
    n: usize,
    k: usize,
    epilogue: Option<Expression>,
}

impl GenericContract {
    pub(super) fn new(build: Build<'_>, lhs: &Source, rhs: &Source) -> Result<Self, BackendError> {
        let dtype = lhs.dtype();
        with_number!(dtype, _T => (), return Err(build.unsupported(format!("a product of {dtype}"))));
        let rank = lhs.shape.len();
        Ok(GenericContract {
            lhs: build.source(lhs)?,
            rhs: build.source(rhs)?,
            batch: lhs.shape[..rank - 2].iter().product(),
            m: lhs.shape[rank - 2],
            n: rhs.shape[rank - 1],
            k: lhs.shape[rank - 1],
            epilogue: build.epilogue()?,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        let (a, b) = (self.batch * self.m * self.k, self.batch * self.k * self.n);
        materialise(cpu, &self.lhs, reads, a, |lhs| {
            materialise(cpu, &self.rhs, reads, b, |rhs| {
                with_number!(self.lhs.dtype(), T => self.loops::<T>(cpu, lhs, rhs, out, reads), unreachable!("refused by new"));
            });
        });
    }

    fn loops<T: Number>(
        &self,
        cpu: &Cpu,
        lhs: &[u8],
        rhs: &[u8],
        out: &mut [u8],
        reads: &Reads<'_>,
    ) {
        let (lhs, rhs): (&[T], &[T]) = (bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs));
        let &GenericContract { m, n, k, .. } = self;
        let row_bytes = n * size_of::<T>();
        if row_bytes == 0 || m == 0 {
            return;
        }
        let epilogue = self.epilogue.as_ref().map(|e| e.bind(reads));
        for_chunks(
            &cpu.threads,
            out,
            row_bytes,
            1,
            (n * k) as f64 * 0.5,
            |scratch, first, rows| {
                for (i, bytes) in rows.chunks_exact_mut(row_bytes).enumerate() {
                    let row = first + i;
                    let matrix = &rhs[row / m * k * n..][..k * n];
                    let sums: &mut [T] = bytemuck::cast_slice_mut(bytes);
                    sums.fill(T::zeroed());
                    for (p, &a) in lhs[row * k..][..k].iter().enumerate() {
                        let b = &matrix[p * n..][..n];
                        sums.iter_mut()
                            .zip(b)
                            .for_each(|(sum, &b)| *sum = sum.multiply_add(a, b));
                    }
                    if let Some(epilogue) = &epilogue {
                        epilogue.fill(cpu.isa, scratch, row * n, bytes);
                    }
                }
            },
        );
    }
}

/// A convolution of f64.
#[derive(Debug)]
pub(super) struct GenericConv {
    input: Expression,
    weight: Expression,
    shape: ConvShape,
    epilogue: Option<Expression>,
}

impl GenericConv {
    pub(super) fn new(
        build: Build<'_>,
        step: &ConvStep,
        shape: ConvShape,
    ) -> Result<Self, BackendError> {
        let dtype = step.input.dtype();
        if dtype != DType::F64 {
            return Err(build.unsupported(format!("a convolution of {dtype}")));
        }
        let (input, weight) = (build.source(&step.input)?, build.source(&step.weight)?);
        Ok(GenericConv {
            input,
            weight,
            shape,
            epilogue: build.epilogue()?,
        })
    }

    pub(super) fn run(&self, cpu: &Cpu, out: &mut [u8], reads: &Reads<'_>) {
        let s = &self.shape;
        let inputs = s.batch * s.c_in * s.input[0] * s.input[1];
        let weights = s.c_out * s.c_in / s.groups * s.kernel[0] * s.kernel[1];
        let [height, width] = s.output();
        let plane = height * width;
        if plane == 0 || s.c_out == 0 {
            return;
        }
        let epilogue = self.epilogue.as_ref().map(|e| e.bind(reads));
        materialise(cpu, &self.input, reads, inputs, |input| {
            materialise(cpu, &self.weight, reads, weights, |weight| {
                let (x, w): (&[f64], &[f64]) =
                    (bytemuck::cast_slice(input), bytemuck::cast_slice(weight));
                let cost = (plane * weights / s.c_out) as f64;
                for_chunks(
                    &cpu.threads,
                    out,
                    plane * 8,
                    1,
                    cost,
                    |scratch, first, planes| {
                        for (i, bytes) in planes.chunks_exact_mut(plane * 8).enumerate() {
                            let (image, channel) = ((first + i) / s.c_out, (first + i) % s.c_out);
                            let pixels: &mut [f64] = bytemuck::cast_slice_mut(bytes);
                            for (at, pixel) in pixels.iter_mut().enumerate() {
                                *pixel =
                                    one_pixel(s, x, w, image, channel, [at / width, at % width]);
                            }
                            if let Some(epilogue) = &epilogue {
                                epilogue.fill(cpu.isa, scratch, (first + i) * plane, bytes);
                            }
                        }
                    },
                );
            });
        });
    }
}

/// One output element.
fn one_pixel(
    s: &ConvShape,
    x: &[f64],
    w: &[f64],
    image: usize,
    channel: usize,
    [oy, ox]: [usize; 2],
) -> f64 {
    let (group_in, group_out) = (s.c_in / s.groups, s.c_out / s.groups);
    let mut sum = 0.0;
    for c in 0..group_in {
        let plane = (image * s.c_in + channel / group_out * group_in + c) * s.input[0] * s.input[1];
        for ky in 0..s.kernel[0] {
            for kx in 0..s.kernel[1] {
                let y = (oy * s.stride[0] + ky * s.dilation[0]).checked_sub(s.pad_begin[0]);
                let x_at = (ox * s.stride[1] + kx * s.dilation[1]).checked_sub(s.pad_begin[1]);
                if let (Some(y), Some(x_at)) = (y, x_at)
                    && y < s.input[0]
                    && x_at < s.input[1]
                {
                    let tap = ((channel * group_in + c) * s.kernel[0] + ky) * s.kernel[1] + kx;
                    sum += x[plane + y * s.input[1] + x_at] * w[tap];
                }
            }
        }
    }
    sum
}
