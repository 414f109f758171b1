//! Convolutions of images `[N, C, H, W]` with weights `[C_out, C_in / groups, KH, KW]`, in f32.
//!
//! `y[n, o, oy, ox] = sum over c, ky, kx of w[o, c, ky, kx] * x[n, c', oy * sy + ky * dy - py, ox * sx + kx * dx - px]`
//! where c' is channel c of o's group and x is 0 outside the image. One-dimensional convolutions have height 1.
//!
//! [`Conv::new`] looks at the shape once and packs the weights for one of four methods:
//! - 1x1 without strides or pads: a matrix product straight on the image;
//! - one channel a group: `depthwise`, a vector loop over pixels;
//! - rows of pixels that fill vectors well: `direct`, register tiles that read a padded copy of some rows in place;
//! - else `im2col`: a matrix product whose right operand is gathered while it is packed.
//!
//! **Epilogue**: row = output channel, column = pixel `oy * OW + ox`, batch = image.
//! **Numerics**: as [`gemm`](super::gemm): multiply-adds in the order of (c, ky, kx), in f32.

use super::Cpu;
use super::gemm::{
    Epilogue, Gemm, Lhs, MatRef, Output, PackedA, Rhs, Strip, balanced_rows, gemm, micro,
};
use super::isa::Isa;

mod depthwise;
mod direct;
mod im2col;
mod plane;

/// What is convolved. Pairs are (vertical, horizontal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShape {
    /// Images.
    pub batch: usize,
    /// Channels of an image.
    pub c_in: usize,
    /// Channels of the result.
    pub c_out: usize,
    /// Groups of channels; divides both.
    pub groups: usize,
    /// Size of an image.
    pub input: [usize; 2],
    /// Size of the kernel.
    pub kernel: [usize; 2],
    /// Pixels from one output to the next.
    pub stride: [usize; 2],
    /// Pixels from one kernel element to the next.
    pub dilation: [usize; 2],
    /// Zeros above and to the left.
    pub pad_begin: [usize; 2],
    /// Zeros below and to the right.
    pub pad_end: [usize; 2],
}

impl ConvShape {
    /// Height and width of the result; 0 where the kernel does not fit.
    #[must_use]
    pub fn output(&self) -> [usize; 2] {
        [0, 1].map(|axis| {
            let padded = self.input[axis] + self.pad_begin[axis] + self.pad_end[axis];
            let reach = (self.kernel[axis].max(1) - 1) * self.dilation[axis] + 1;
            if padded < reach {
                0
            } else {
                (padded - reach) / self.stride[axis] + 1
            }
        })
    }

    /// Input channels of a group.
    fn group_in(&self) -> usize {
        self.c_in / self.groups
    }

    /// Output channels of a group.
    fn group_out(&self) -> usize {
        self.c_out / self.groups
    }

    /// Products of one output element.
    fn taps(&self) -> usize {
        self.group_in() * self.kernel[0] * self.kernel[1]
    }

    /// Pixels of an image.
    fn image(&self) -> usize {
        self.input[0] * self.input[1]
    }

    /// Pixels of a result.
    fn pixels(&self) -> usize {
        let [h, w] = self.output();
        h * w
    }

    fn is_matmul(&self) -> bool {
        self.kernel == [1, 1]
            && self.stride == [1, 1]
            && self.pad_begin == [0, 0]
            && self.pad_end == [0, 0]
    }

    fn is_depthwise(&self) -> bool {
        self.group_in() == 1 && self.group_out() == 1
    }
}

/// A convolution with constant weights, prepared once.
#[derive(Debug)]
pub struct Conv {
    shape: ConvShape,
    isa: Isa,
    method: Method,
}

#[derive(Debug)]
enum Method {
    Matmul(PackedA),
    Depthwise(depthwise::Depthwise),
    Direct(direct::Direct),
    Im2col(PackedA),
}

impl Conv {
    /// Packs `weights` (dense) for `isa`.
    ///
    /// # Panics
    /// If the groups do not divide the channels, a stride or dilation is 0, or there are too few weights.
    #[must_use]
    pub fn new(isa: Isa, shape: ConvShape, weights: &[f32]) -> Self {
        let s = &shape;
        assert!(
            s.groups > 0 && s.c_in.is_multiple_of(s.groups) && s.c_out.is_multiple_of(s.groups),
            "{} groups do not divide {} and {} channels",
            s.groups,
            s.c_in,
            s.c_out
        );
        assert!(
            s.stride.iter().chain(&s.dilation).all(|&x| x > 0),
            "strides {:?} and dilations {:?} must be positive",
            s.stride,
            s.dilation
        );
        let expected = s.c_out * s.taps();
        assert!(
            weights.len() == expected,
            "{} weights, expected {expected} for {s:?}",
            weights.len()
        );
        let pack = || {
            let w = MatRef::dense(weights, s.group_out(), s.taps());
            PackedA::new(isa, s.groups, s.group_out(), s.taps(), &w)
        };
        let method = if s.is_matmul() {
            Method::Matmul(pack())
        } else if s.is_depthwise() {
            Method::Depthwise(depthwise::Depthwise::new(isa, s, weights))
        } else if s.batch * s.output()[0] > 1 && direct::Direct::suits(isa, s) {
            // (Its tasks are rows of pixels: a single row would keep all threads but one idle.)
            Method::Direct(direct::Direct::new(isa, s, pack()))
        } else {
            Method::Im2col(pack())
        };
        Self { shape, isa, method }
    }

    /// The shape that this was prepared for.
    #[must_use]
    pub fn shape(&self) -> &ConvShape {
        &self.shape
    }

    /// Bytes of the weights in the form that the kernel reads.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        match &self.method {
            Method::Matmul(weights) | Method::Im2col(weights) => weights.size_bytes(),
            Method::Depthwise(_) => self.shape.c_out * self.shape.taps() * size_of::<f32>(),
            Method::Direct(direct) => direct.size_bytes(),
        }
    }

    /// Convolves `input` (dense `[N, C_in, H, W]`) into `output` (dense `[N, C_out, OH, OW]`).
    ///
    /// # Panics
    /// If a slice has another length, or `cpu` has a lower instruction set than this was prepared for.
    pub fn run(&self, cpu: &Cpu, input: &[f32], output: &mut [f32], epilogue: &dyn Epilogue) {
        let s = &self.shape;
        let (inputs, outputs) = (s.batch * s.c_in * s.image(), s.batch * s.c_out * s.pixels());
        assert!(
            input.len() == inputs && output.len() == outputs && cpu.isa == self.isa,
            "{} inputs, {} outputs on {:?}; expected {inputs}, {outputs} on {:?}",
            input.len(),
            output.len(),
            cpu.isa,
            self.isa
        );
        if outputs == 0 {
            return;
        }
        match &self.method {
            Method::Matmul(weights) => {
                let image = MatRef::dense(input, s.group_in(), s.image());
                self.product(cpu, weights, Rhs::Strided(image), output, epilogue);
            }
            Method::Im2col(weights) => {
                let columns = im2col::Columns::new(s, input);
                self.product(cpu, weights, Rhs::Fill(&columns), output, epilogue);
            }
            Method::Direct(direct) => direct.run(cpu, s, input, output, epilogue),
            Method::Depthwise(depthwise) => depthwise.run(cpu, s, input, output, epilogue),
        }
    }

    fn product(
        &self,
        cpu: &Cpu,
        weights: &PackedA,
        image: Rhs<'_>,
        output: &mut [f32],
        epilogue: &dyn Epilogue,
    ) {
        let s = &self.shape;
        let product = Gemm {
            batch: s.batch * s.groups,
            m: s.group_out(),
            n: s.pixels(),
            k: s.taps(),
            a: Lhs::Packed(weights),
            b: image,
        };
        let out = Output::dense(output, s.group_out(), s.pixels());
        if s.groups == 1 {
            gemm(cpu, &product, out, epilogue);
        } else {
            let by_group = ByGroup {
                inner: epilogue,
                groups: s.groups,
                channels: s.group_out(),
            };
            gemm(cpu, &product, out, &by_group);
        }
    }
}

/// Turns the batch (image, group) of a product into the image, and its rows into channels of the whole result.
struct ByGroup<'a> {
    inner: &'a dyn Epilogue,
    groups: usize,
    channels: usize,
}

impl Epilogue for ByGroup<'_> {
    fn apply(&self, strip: &mut Strip<'_>) {
        strip.row0 += strip.batch % self.groups * self.channels;
        strip.batch /= self.groups;
        self.inner.apply(strip);
    }

    fn is_none(&self) -> bool {
        self.inner.is_none()
    }
}

#[cfg(test)]
mod tests;
