//! Maximum and average pooling of images `[N, C, H, W]`, and their global forms.
//!
//! A window's elements outside the image never count for the maximum; they count as zeros for an average that includes
//! pads ([`PoolShape::count_include_pad`]), as far as they lie in the declared pads and not in the overhang that
//! `ceil_mode` adds. One-dimensional pooling has height 1.
//!
//! Each output row is computed vector by vector where windows lie inside the image, element by element at its edges.
//!
//! **Numerics**: averages are summed in f32 in window order. A maximum is NaN where its window holds NaN.

use super::Cpu;
use super::isa::dispatch;
use super::pool::SharedMut;
use super::reduce::{Reduce, reduce};
use super::simd::Simd;

/// What a window gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// The greatest element.
    Max,
    /// The mean.
    Average,
}

/// What is pooled. Pairs are (vertical, horizontal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolShape {
    /// Images times channels.
    pub planes: usize,
    /// Size of an image.
    pub input: [usize; 2],
    /// Size of a window.
    pub kernel: [usize; 2],
    /// Pixels from one window to the next.
    pub stride: [usize; 2],
    /// Pixels from one window element to the next.
    pub dilation: [usize; 2],
    /// Pads above and to the left.
    pub pad_begin: [usize; 2],
    /// Pads below and to the right.
    pub pad_end: [usize; 2],
    /// Whether a last window may hang over the end.
    pub ceil_mode: bool,
    /// Whether pads count in an average.
    pub count_include_pad: bool,
}

impl PoolShape {
    /// Height and width of the result; 0 where the window does not fit. A window that would start in the end pads is
    /// left out.
    #[must_use]
    pub fn output(&self) -> [usize; 2] {
        [0, 1].map(|axis| {
            let padded = self.input[axis] + self.pad_begin[axis] + self.pad_end[axis];
            let reach = (self.kernel[axis].max(1) - 1) * self.dilation[axis] + 1;
            if padded < reach {
                return 0;
            }
            let room = padded - reach;
            let stride = self.stride[axis];
            if !self.ceil_mode {
                return room / stride + 1;
            }
            let count = room.div_ceil(stride) + 1;
            let starts_inside = (count - 1) * stride < self.input[axis] + self.pad_begin[axis];
            if starts_inside { count } else { count - 1 }
        })
    }

    /// The window elements of output `o` along `axis` that lie in the image (`first..end`), and how many count.
    fn window(&self, axis: usize, o: usize) -> (usize, usize, usize) {
        let (kernel, dilation) = (self.kernel[axis], self.dilation[axis]);
        let (pad, size) = (self.pad_begin[axis], self.input[axis]);
        let start = o * self.stride[axis];
        let below = |limit: usize| limit.saturating_sub(start).div_ceil(dilation).min(kernel);
        let (first, end) = (below(pad), below(pad + size));
        let counted = if self.count_include_pad {
            below(pad + size + self.pad_end[axis])
        } else {
            end - first
        };
        (first, end, counted)
    }
}

/// Pools `from` (dense `[planes, H, W]`) into `to` (dense `[planes, OH, OW]`).
///
/// # Panics
/// If a slice has another length, or a stride or dilation is 0.
pub fn pool2d(cpu: &Cpu, kind: PoolKind, shape: &PoolShape, from: &[f32], to: &mut [f32]) {
    let [height, width] = shape.output();
    let [h, w] = shape.input;
    assert!(
        shape.stride.iter().chain(&shape.dilation).all(|&x| x > 0),
        "strides {:?} and dilations {:?} must be positive",
        shape.stride,
        shape.dilation
    );
    assert!(
        from.len() == shape.planes * h * w && to.len() == shape.planes * height * width,
        "{} elements to {} do not match {shape:?}",
        from.len(),
        to.len()
    );
    if to.is_empty() {
        return;
    }
    let taps = shape.kernel[0] * shape.kernel[1];
    let row_ns = width as f64 * (0.3 + 0.1 * taps as f64) + 10.0;
    let shared = SharedMut::new(to);
    cpu.threads
        .for_ranges(shape.planes * height, 1, row_ns, |rows| {
            dispatch!(cpu.isa, |s| for row in rows {
                let (plane, y) = (row / height, row % height);
                // SAFETY: row `row` is inside `to` and this task's alone.
                let to = unsafe { shared.slice(row * width..(row + 1) * width) };
                let from = &from[plane * h * w..(plane + 1) * h * w];
                match kind {
                    PoolKind::Max => one_row::<_, true>(s, shape, from, y, to),
                    PoolKind::Average => one_row::<_, false>(s, shape, from, y, to),
                }
            });
        });
}

/// Output row `y` of one plane.
#[inline(always)]
fn one_row<S: Simd, const MAX: bool>(
    s: S,
    shape: &PoolShape,
    from: &[f32],
    y: usize,
    to: &mut [f32],
) {
    let w = shape.input[1];
    let [stride, dilation, pad] = [shape.stride[1], shape.dilation[1], shape.pad_begin[1]];
    let (top, bottom, counted_y) = shape.window(0, y);
    let row = |ky: usize| (y * shape.stride[0] + ky * shape.dilation[0] - shape.pad_begin[0]) * w;
    let edge = |x: usize| {
        let (left, right, counted_x) = shape.window(1, x);
        let mut acc = if MAX { f32::NEG_INFINITY } else { 0.0 };
        for ky in top..bottom {
            for kx in left..right {
                let pixel = from[row(ky) + x * stride + kx * dilation - pad];
                if !MAX {
                    acc += pixel;
                } else if pixel > acc || pixel.is_nan() {
                    acc = pixel;
                }
            }
        }
        if MAX {
            acc
        } else {
            acc / (counted_y * counted_x) as f32
        }
    };
    // Outputs whose windows lie inside the image horizontally.
    let reach = (shape.kernel[1].max(1) - 1) * dilation + 1;
    let first = pad.div_ceil(stride).min(to.len());
    let end = if w + pad >= reach {
        (w + pad - reach) / stride + 1
    } else {
        0
    };
    let end = end.clamp(first, to.len());
    let mut x = 0;
    while x < to.len() {
        // Loads of a vector of outputs span stride * LANES pixels, which must lie in the last row too.
        let span = stride * (S::LANES - 1) + S::LANES;
        let inside = x >= first && x + S::LANES <= end && stride <= 2;
        let last = x * stride + (reach - 1) + span.max(stride * S::LANES);
        if !inside || top == bottom || row(bottom - 1) + last > from.len() + pad {
            to[x] = edge(x);
            x += 1;
            continue;
        }
        let mut acc = s.splat(if MAX { f32::NEG_INFINITY } else { 0.0 });
        for ky in top..bottom {
            for kx in 0..shape.kernel[1] {
                let pixels = &from[row(ky) + x * stride + kx * dilation - pad..];
                // SAFETY: the condition above leaves `stride * LANES` elements from here on.
                let pixels = unsafe {
                    let a = s.load(pixels.as_ptr());
                    if stride == 1 {
                        a
                    } else {
                        s.deinterleave(a, s.load(pixels.as_ptr().add(S::LANES))).0
                    }
                };
                acc = if MAX {
                    s.max_nan(acc, pixels)
                } else {
                    s.add(acc, pixels)
                };
            }
        }
        if !MAX {
            acc = s.div(acc, s.splat((counted_y * shape.kernel[1]) as f32));
        }
        // SAFETY: x + LANES <= end <= to.len().
        unsafe { s.store(to.as_mut_ptr().add(x), acc) };
        x += S::LANES;
    }
}

/// Pools each plane of `plane` elements to one value.
///
/// # Panics
/// If `from` is not `to.len()` planes long.
pub fn global_pool(cpu: &Cpu, kind: PoolKind, plane: usize, from: &[f32], to: &mut [f32]) {
    let op = match kind {
        PoolKind::Max => Reduce::Max,
        PoolKind::Average => Reduce::Mean,
    };
    let planes = to.len();
    reduce(cpu, op, from, to, [planes, plane, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{assert_close, on_every_level, values};

    /// Windows element by element over explicit coordinates.
    fn reference(kind: PoolKind, p: &PoolShape, from: &[f32]) -> Vec<f64> {
        let ([oh, ow], [h, w]) = (p.output(), p.input.map(|x| x as isize));
        let mut out = Vec::new();
        for plane in 0..p.planes {
            for oy in 0..oh {
                for ox in 0..ow {
                    let (mut max, mut sum, mut count) = (f64::NEG_INFINITY, 0.0, 0);
                    for ky in 0..p.kernel[0] {
                        for kx in 0..p.kernel[1] {
                            let y = (oy * p.stride[0] + ky * p.dilation[0]) as isize
                                - p.pad_begin[0] as isize;
                            let x = (ox * p.stride[1] + kx * p.dilation[1]) as isize
                                - p.pad_begin[1] as isize;
                            let padded =
                                y < h + p.pad_end[0] as isize && x < w + p.pad_end[1] as isize;
                            if y >= 0 && x >= 0 && y < h && x < w {
                                let v =
                                    f64::from(from[((plane as isize * h + y) * w + x) as usize]);
                                max = if v.is_nan() || max.is_nan() {
                                    f64::NAN
                                } else {
                                    max.max(v)
                                };
                                sum += v;
                                count += 1;
                            } else if padded && p.count_include_pad {
                                count += 1;
                            }
                        }
                    }
                    out.push(if kind == PoolKind::Max {
                        max
                    } else {
                        sum / f64::from(count)
                    });
                }
            }
        }
        out
    }

    const PLAIN: PoolShape = PoolShape {
        planes: 3,
        input: [9, 50],
        kernel: [3, 3],
        stride: [2, 2],
        dilation: [1, 1],
        pad_begin: [1, 1],
        pad_end: [1, 1],
        ceil_mode: false,
        count_include_pad: false,
    };

    #[test]
    fn windows_on_every_level() {
        let mut shapes = vec![PLAIN];
        for stride in [[1, 1], [2, 2], [2, 1], [1, 2], [3, 3]] {
            for (kernel, pad_begin, pad_end) in [
                ([2, 2], [0, 0], [0, 0]),
                ([3, 3], [1, 1], [1, 1]),
                ([3, 2], [0, 1], [2, 0]),
                ([1, 5], [0, 2], [0, 2]),
            ] {
                for (ceil_mode, count_include_pad) in
                    [(false, false), (true, false), (true, true), (false, true)]
                {
                    for input in [[9, 50], [1, 40], [5, 7], [4, 131]] {
                        shapes.push(PoolShape {
                            stride,
                            kernel,
                            pad_begin,
                            pad_end,
                            ceil_mode,
                            count_include_pad,
                            input,
                            ..PLAIN
                        });
                    }
                }
            }
        }
        shapes.push(PoolShape {
            dilation: [2, 3],
            input: [12, 60],
            stride: [1, 1],
            ..PLAIN
        });
        shapes.push(PoolShape { planes: 0, ..PLAIN });
        shapes.push(PoolShape {
            input: [1, 1],
            pad_begin: [0, 0],
            pad_end: [0, 0],
            ..PLAIN
        });
        for p in shapes {
            let from = values(p.planes * p.input[0] * p.input[1], 1);
            for kind in [PoolKind::Max, PoolKind::Average] {
                let want = reference(kind, &p, &from);
                on_every_level(
                    |cpu| {
                        let mut to = vec![9.0; want.len()];
                        pool2d(cpu, kind, &p, &from, &mut to);
                        to
                    },
                    |isa, got| assert_close(&format!("{kind:?} {p:?} {isa:?}"), got, &want, 1e-6),
                );
            }
        }
    }

    #[test]
    fn nan_wins_a_maximum() {
        let p = PoolShape {
            planes: 1,
            input: [3, 70],
            ..PLAIN
        };
        let mut from = values(210, 1);
        for at in [0, 69, 100, 209] {
            from[at] = f32::NAN;
        }
        let want = reference(PoolKind::Max, &p, &from);
        on_every_level(
            |cpu| {
                let mut to = vec![0.0; want.len()];
                pool2d(cpu, PoolKind::Max, &p, &from, &mut to);
                to
            },
            |_, got| assert_close("NaN", got, &want, 0.0),
        );
    }

    #[test]
    fn output_sizes() {
        let check = |p: PoolShape, want| assert_eq!(p.output(), want, "{p:?}");
        check(
            PoolShape {
                input: [6, 6],
                ..PLAIN
            },
            [3, 3],
        );
        check(
            PoolShape {
                input: [6, 6],
                ceil_mode: true,
                ..PLAIN
            },
            [4, 4],
        );
        // The last window would start in the end pads.
        check(
            PoolShape {
                input: [4, 4],
                kernel: [1, 1],
                ceil_mode: true,
                pad_begin: [0, 0],
                stride: [4, 4],
                ..PLAIN
            },
            [1, 1],
        );
        check(
            PoolShape {
                input: [1, 1],
                pad_begin: [0, 0],
                pad_end: [0, 0],
                ..PLAIN
            },
            [0, 0],
        );
    }

    #[test]
    fn global_forms() {
        let from = values(5 * 77, 1);
        for kind in [PoolKind::Max, PoolKind::Average] {
            let want: Vec<f64> = from
                .chunks(77)
                .map(|c| {
                    let wide = c.iter().map(|&x| f64::from(x));
                    if kind == PoolKind::Max {
                        wide.fold(f64::MIN, f64::max)
                    } else {
                        wide.sum::<f64>() / 77.0
                    }
                })
                .collect();
            on_every_level(
                |cpu| {
                    let mut to = vec![0.0; 5];
                    global_pool(cpu, kind, 77, &from, &mut to);
                    to
                },
                |_, got| assert_close("global", got, &want, 1e-6),
            );
        }
    }
}
