//! Convolutions against the formula in f64: every method, every level, odd shapes.

use super::*;
use crate::kernels::gemm::NoEpilogue;
use crate::kernels::testing::{assert_close, on_every_level, values};

fn reference(s: &ConvShape, x: &[f32], w: &[f32]) -> Vec<f64> {
    let [oh, ow] = s.output();
    let ([h, width], [kh, kw]) = (s.input, s.kernel);
    let mut out = Vec::new();
    for n in 0..s.batch {
        for o in 0..s.c_out {
            for oy in 0..oh {
                for ox in 0..ow {
                    let mut sum = 0.0;
                    for c in 0..s.group_in() {
                        let channel = o / s.group_out() * s.group_in() + c;
                        for ky in 0..kh {
                            for kx in 0..kw {
                                let y = (oy * s.stride[0] + ky * s.dilation[0]) as isize
                                    - s.pad_begin[0] as isize;
                                let z = (ox * s.stride[1] + kx * s.dilation[1]) as isize
                                    - s.pad_begin[1] as isize;
                                if y < 0 || z < 0 || y >= h as isize || z >= width as isize {
                                    continue;
                                }
                                let pixel = x[((n * s.c_in + channel) * h + y as usize) * width
                                    + z as usize];
                                let weight = w[((o * s.group_in() + c) * kh + ky) * kw + kx];
                                sum += f64::from(pixel) * f64::from(weight);
                            }
                        }
                    }
                    out.push(sum);
                }
            }
        }
    }
    out
}

#[derive(Clone, Copy)]
struct Case {
    /// Images, input channels, output channels, groups.
    sizes: [usize; 4],
    input: [usize; 2],
    kernel: [usize; 2],
    stride: [usize; 2],
    dilation: [usize; 2],
    pad_begin: [usize; 2],
    pad_end: [usize; 2],
}

const PLAIN: Case = Case {
    sizes: [1, 3, 5, 1],
    input: [9, 11],
    kernel: [3, 3],
    stride: [1, 1],
    dilation: [1, 1],
    pad_begin: [1, 1],
    pad_end: [1, 1],
};

fn cases() -> Vec<Case> {
    let wide = Case {
        input: [6, 47],
        ..PLAIN
    };
    let mut cases = vec![
        PLAIN,
        wide,
        Case {
            kernel: [1, 1],
            pad_begin: [0, 0],
            pad_end: [0, 0],
            sizes: [2, 7, 20, 1],
            ..PLAIN
        },
        Case {
            kernel: [1, 1],
            pad_begin: [0, 0],
            pad_end: [0, 0],
            sizes: [2, 8, 12, 4],
            ..PLAIN
        },
        Case {
            kernel: [1, 1],
            pad_begin: [0, 0],
            pad_end: [0, 0],
            stride: [2, 2],
            ..PLAIN
        },
        Case {
            sizes: [2, 6, 9, 3],
            ..wide
        },
        Case {
            sizes: [2, 6, 9, 3],
            ..PLAIN
        },
        Case {
            stride: [2, 2],
            sizes: [1, 3, 16, 1],
            input: [48, 192],
            ..PLAIN
        },
        Case {
            stride: [2, 1],
            ..wide
        },
        Case {
            stride: [1, 2],
            ..wide
        },
        Case {
            stride: [3, 3],
            input: [20, 97],
            ..PLAIN
        },
        Case {
            dilation: [2, 3],
            ..wide
        },
        Case {
            dilation: [2, 3],
            stride: [2, 2],
            input: [13, 95],
            ..PLAIN
        },
        Case {
            pad_begin: [0, 2],
            pad_end: [3, 0],
            ..wide
        },
        Case {
            pad_begin: [0, 0],
            pad_end: [0, 0],
            ..wide
        },
        Case {
            input: [1, 40],
            kernel: [1, 3],
            pad_begin: [0, 1],
            pad_end: [0, 1],
            sizes: [1, 60, 33, 1],
            ..PLAIN
        },
        Case {
            input: [1, 3],
            kernel: [1, 3],
            pad_begin: [0, 4],
            pad_end: [0, 4],
            ..PLAIN
        },
        Case {
            kernel: [2, 4],
            pad_begin: [1, 2],
            pad_end: [0, 1],
            ..wide
        },
        Case {
            sizes: [1, 50, 17, 1],
            input: [7, 7],
            ..PLAIN
        },
        Case {
            sizes: [1, 70, 15, 1],
            input: [5, 32],
            ..PLAIN
        },
        Case {
            sizes: [0, 3, 5, 1],
            ..PLAIN
        },
        Case {
            input: [1, 1],
            pad_begin: [0, 0],
            pad_end: [0, 0],
            ..PLAIN
        },
        Case {
            input: [1, 1],
            ..PLAIN
        },
        // Depthwise with two outputs a channel is not depthwise here.
        Case {
            sizes: [1, 3, 6, 3],
            ..wide
        },
        Case {
            sizes: [1, 12, 24, 1],
            input: [60, 64],
            ..PLAIN
        },
    ];
    let depthwise = Case {
        sizes: [2, 5, 5, 5],
        ..wide
    };
    for kernel in [[3, 3], [5, 5], [1, 7], [2, 2]] {
        for stride in [[1, 1], [2, 2], [2, 1], [1, 2], [3, 3]] {
            for (input, pad) in [
                ([6, 47], 1),
                ([13, 9], 2),
                ([3, 160], 2),
                ([24, 96], 2),
                ([1, 40], 3),
            ] {
                let pad = [pad.min(kernel[0] - 1), pad.min(kernel[1] - 1)];
                cases.push(Case {
                    kernel,
                    stride,
                    input,
                    pad_begin: pad,
                    pad_end: pad,
                    ..depthwise
                });
            }
        }
    }
    cases.push(Case {
        dilation: [2, 2],
        pad_begin: [2, 2],
        pad_end: [2, 2],
        ..depthwise
    });
    cases.push(Case {
        dilation: [1, 2],
        pad_begin: [1, 2],
        pad_end: [0, 1],
        ..depthwise
    });
    cases
}

/// `c + bias[channel]`, plus the column, and the image in thousands.
struct Mark<'a>(&'a [f32]);

impl Epilogue for Mark<'_> {
    fn apply(&self, strip: &mut Strip<'_>) {
        for i in 0..strip.rows {
            let mark = self.0[strip.row0 + i] + 1000.0 * strip.batch as f32;
            let col0 = strip.col0;
            for (j, x) in strip.row(i).iter_mut().enumerate() {
                *x += mark + (col0 + j) as f32;
            }
        }
    }
}

#[test]
fn every_method_on_every_level() {
    for case in cases() {
        let Case {
            sizes: [batch, c_in, c_out, groups],
            input,
            kernel,
            stride,
            dilation,
            pad_begin,
            pad_end,
        } = case;
        let s = ConvShape {
            batch,
            c_in,
            c_out,
            groups,
            input,
            kernel,
            stride,
            dilation,
            pad_begin,
            pad_end,
        };
        let (x, w) = (
            values(batch * c_in * s.image(), 1),
            values(c_out * s.taps(), 2),
        );
        let bias = values(c_out, 3);
        let plain = reference(&s, &x, &w);
        let marked: Vec<f64> = plain
            .iter()
            .enumerate()
            .map(|(index, y)| {
                let (pixel, channel) = (index % s.pixels(), index / s.pixels() % c_out);
                let image = index / s.pixels() / c_out;
                y + f64::from(bias[channel]) + pixel as f64 + 1000.0 * image as f64
            })
            .collect();
        for (want, epilogue) in [
            (&plain, &NoEpilogue as &dyn Epilogue),
            (&marked, &Mark(&bias)),
        ] {
            on_every_level(
                |cpu| {
                    let conv = Conv::new(cpu.isa, s, &w);
                    let mut out = vec![f32::NAN; want.len()];
                    conv.run(cpu, &x, &mut out, epilogue);
                    out
                },
                |isa, got| assert_close(&format!("{isa:?} {s:?}"), got, want, 2e-5),
            );
        }
    }
}

#[test]
fn output_sizes() {
    let s = |input, kernel, stride, dilation, pad| ConvShape {
        batch: 1,
        c_in: 1,
        c_out: 1,
        groups: 1,
        input,
        kernel,
        stride,
        dilation,
        pad_begin: pad,
        pad_end: pad,
    };
    let check = |shape: ConvShape, want: [usize; 2]| assert_eq!(shape.output(), want, "{shape:?}");
    check(s([5, 5], [3, 3], [1, 1], [1, 1], [0, 0]), [3, 3]);
    check(s([5, 6], [3, 3], [2, 2], [1, 1], [1, 1]), [3, 3]);
    check(s([224, 224], [7, 7], [2, 2], [1, 1], [3, 3]), [112, 112]);
    check(s([7, 7], [3, 3], [1, 1], [2, 2], [0, 0]), [3, 3]);
    check(s([2, 2], [3, 3], [1, 1], [1, 1], [0, 0]), [0, 0]);
}

#[test]
#[should_panic(expected = "expected 135")]
fn missing_weights_are_refused() {
    let Case {
        input,
        kernel,
        stride,
        dilation,
        pad_begin,
        pad_end,
        ..
    } = PLAIN;
    let s = ConvShape {
        batch: 1,
        c_in: 3,
        c_out: 5,
        groups: 1,
        input,
        kernel,
        stride,
        dilation,
        pad_begin,
        pad_end,
    };
    let _ = Conv::new(Isa::detect(), s, &[0.0; 134]);
}
