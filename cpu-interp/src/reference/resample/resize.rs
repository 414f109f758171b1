//! Resizing, axis by axis.

use graph::op::{Coordinates, NearestMode, Resize, ResizeMode, ResizedAxis};
use tensor::Tensor;
use tensor_core::DType;

use super::{Taps, cubic_kernel, cubic_weights};
use crate::reference::element::{Element, Exact, each_element};
use crate::reference::pad::picked;
use crate::reference::{Call, Result};

/// What an element of the result is along one axis.
enum Read {
    /// The sum of these.
    Taps(Taps),
    /// A constant, since it lies outside.
    Outside,
}

/// `y[i..] = sum over k.. near c(i).. of weight * x[k..]`
pub(in crate::reference) fn resize(
    op: &Resize,
    call: &Call<'_>,
    shape: &[usize],
) -> Result<Tensor> {
    let input = call.input(0);
    let resized = op.resized(call.facts)?;
    let roi = match call
        .optional(1)
        .filter(|_| op.coordinates == Coordinates::TfCropAndResize)
    {
        Some(view) => view.cast(DType::F64)?.to_vec::<f64>()?,
        None => Vec::new(),
    };
    let reads: Vec<(usize, Vec<Read>)> = resized
        .iter()
        .enumerate()
        .map(|(nth, axis)| {
            // Starts of all axes, then their ends.
            let end = |at: usize, default: f64| roi.get(at).copied().unwrap_or(default);
            let part = (end(nth, 0.0), end(nth + resized.len(), 1.0));
            let along = Axis {
                op,
                axis: *axis,
                extent: input.shape()[axis.axis],
                part,
            };
            (axis.axis, along.reads())
        })
        .collect();
    if op.mode == ResizeMode::Nearest {
        let mut maps: Vec<Vec<Option<usize>>> = input
            .shape()
            .iter()
            .map(|&extent| (0..extent).map(Some).collect())
            .collect();
        for (axis, reads) in reads {
            maps[axis] = reads.iter().map(Read::only).collect();
        }
        let fill = Tensor::scalar(op.extrapolation).cast(input.dtype())?;
        return picked(call, &maps, &fill.view()?);
    }
    let mut wide = reals(call)?;
    let mut extents = input.shape().to_vec();
    for (axis, reads) in reads {
        wide = along(call, &wide, &extents, axis, &reads, op.extrapolation.into())?;
        extents[axis] = reads.len();
    }
    rounded(call, shape, &wide)
}

impl Read {
    /// The one element that is read.
    fn only(&self) -> Option<usize> {
        match self {
            Read::Taps(taps) => taps.first().map(|&(at, _)| at),
            Read::Outside => None,
        }
    }
}

/// One axis resized.
fn along(
    call: &Call<'_>,
    x: &[f64],
    shape: &[usize],
    axis: usize,
    reads: &[Read],
    outside: f64,
) -> Result<Vec<f64>> {
    let outer: usize = shape[..axis].iter().product();
    let inner: usize = shape[axis + 1..].iter().product();
    let mut out = call.buffer(outer.saturating_mul(inner).saturating_mul(reads.len()))?;
    for block in 0..outer {
        for read in reads {
            for at in 0..inner {
                out.push(match read {
                    Read::Outside => outside,
                    Read::Taps(taps) => {
                        let element = |k: usize| x[(block * shape[axis] + k) * inner + at];
                        taps.iter().map(|&(k, weight)| element(k) * weight).sum()
                    }
                });
            }
        }
    }
    Ok(out)
}

/// One axis that is resized.
struct Axis<'a> {
    op: &'a Resize,
    axis: ResizedAxis,
    /// Extent of the input.
    extent: usize,
    /// The part of the input that a region names: its start and end, relative to the last index.
    part: (f64, f64),
}

impl Axis<'_> {
    /// What each index of the result reads.
    fn reads(&self) -> Vec<Read> {
        let read = |at: usize| {
            let x = self.place(at);
            let crops = self.op.coordinates == Coordinates::TfCropAndResize;
            if crops && !(0.0..=self.extent as f64 - 1.0).contains(&x) {
                Read::Outside
            } else {
                Read::Taps(self.taps(x))
            }
        };
        (0..self.axis.extent).map(read).collect()
    }

    /// Where index `at` of the result lies in the input.
    fn place(&self, at: usize) -> f64 {
        let (i, d, scale) = (at as f64, self.extent as f64, self.axis.scale);
        let resized = self.axis.extent as f64;
        let half_pixel = (i + 0.5) / scale - 0.5;
        match self.op.coordinates {
            Coordinates::HalfPixel => half_pixel,
            Coordinates::HalfPixelSymmetric => d / 2.0 * (1.0 - resized / (scale * d)) + half_pixel,
            Coordinates::PytorchHalfPixel | Coordinates::AlignCorners if resized == 1.0 => 0.0,
            Coordinates::PytorchHalfPixel => half_pixel,
            Coordinates::AlignCorners => i * (d - 1.0) / (resized - 1.0),
            Coordinates::TfHalfPixelForNn => (i + 0.5) / scale,
            Coordinates::Asymmetric => i / scale,
            Coordinates::TfCropAndResize => {
                let (start, end) = self.part;
                let length = (end - start) * (d - 1.0);
                let along = if resized == 1.0 {
                    length / 2.0
                } else {
                    i * length / (resized - 1.0)
                };
                start * (d - 1.0) + along
            }
        }
    }

    /// The elements around `x` with their weights.
    fn taps(&self, x: f64) -> Taps {
        // The element before `x`, also where `x` is one; then the distance from it is above 0 and at most 1.
        let before = x.ceil() - 1.0;
        let t = x - before;
        let a = f64::from(self.op.cubic_a);
        let mut taps = match (self.op.mode, self.op.antialias) {
            (ResizeMode::Nearest, _) => vec![(before + self.nearest(t), 1.0)],
            (ResizeMode::Linear, false) => numbered(before, [1.0 - t, t]),
            (ResizeMode::Cubic, false) => numbered(before - 1.0, cubic_weights(t, a)),
            (ResizeMode::Linear, true) => {
                self.stretched(before, t, 1.0, &|x: f64| (1.0 - x.abs()).max(0.0))
            }
            (ResizeMode::Cubic, true) => {
                self.stretched(before, t, 2.0, &|x: f64| cubic_kernel(x, a))
            }
        };
        let last = self.extent as f64 - 1.0;
        if self.op.exclude_outside && self.op.mode != ResizeMode::Nearest {
            taps.retain(|&(at, _)| (0.0..=last).contains(&at));
            normalise(&mut taps);
        }
        taps.retain(|&(_, weight)| weight != 0.0);
        let inside = |at: f64| at.clamp(0.0, last.max(0.0)) as usize;
        taps.into_iter()
            .map(|(at, weight)| (inside(at), weight))
            .collect()
    }

    /// 0 for the element before a point at this distance from it, 1 for the one after.
    fn nearest(&self, t: f64) -> f64 {
        let second = match self.op.nearest {
            // The point is an element.
            _ if t == 1.0 => true,
            NearestMode::RoundPreferFloor => t > 0.5,
            NearestMode::RoundPreferCeil => t >= 0.5,
            NearestMode::Floor => false,
            NearestMode::Ceil => true,
        };
        f64::from(u8::from(second))
    }

    /// The weights of a kernel of this radius, as much wider as the axis shrinks.
    fn stretched(
        &self,
        before: f64,
        t: f64,
        radius: f64,
        kernel: &dyn Fn(f64) -> f64,
    ) -> Vec<(f64, f64)> {
        let shrinks = self.axis.scale.min(1.0);
        let first = (-radius / shrinks).floor() + 1.0;
        let count = (2.0 - 2.0 * first) as usize;
        let weights = (0..count).map(|j| kernel((first + j as f64 - t) * shrinks));
        let mut taps = numbered(before + first, weights);
        normalise(&mut taps);
        taps
    }
}

/// Weights with the places from `first` on.
fn numbered(first: f64, weights: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
    let places = weights.into_iter().enumerate();
    places
        .map(|(j, weight)| (first + j as f64, weight))
        .collect()
}

/// Makes the weights add up to 1, unless they add up to 0.
fn normalise(taps: &mut [(f64, f64)]) {
    let sum: f64 = taps.iter().map(|&(_, weight)| weight).sum();
    if sum != 0.0 {
        taps.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
}

/// The elements of input 0 as numbers.
fn reals(call: &Call<'_>) -> Result<Vec<f64>> {
    let input = call.input(0);
    each_element!(input.dtype(), T => {
        let elements = input.to_vec::<T>()?.into_iter();
        Ok(elements.map(|element| match element.exact() {
            Exact::Int(value) => value as f64,
            Exact::Float(value) => value,
        }).collect())
    }, other => Err(call.unsupported(other)))
}

/// The numbers as elements of the dtype of input 0; integers are the nearest, the even one of equally near ones.
fn rounded(call: &Call<'_>, shape: &[usize], wide: &[f64]) -> Result<Tensor> {
    let dtype = call.input(0).dtype();
    each_element!(dtype, T => {
        let near = |value: f64| if dtype.is_float() { value } else { value.round_ties_even() };
        let out = wide.iter().map(|&value| T::from_exact(Exact::Float(near(value)))).collect();
        Ok(Tensor::from_vec_row_major(shape, out)?)
    }, other => Err(call.unsupported(other)))
}
