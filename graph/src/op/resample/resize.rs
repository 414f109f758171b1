//! Resizing.

use super::{Attrs, Entry, Inputs, OpDef, def, words};
use crate::{Dim, DimOp, InferError, TensorType, ValueFacts};

pub(in crate::op) static RESIZE: OpDef = def(
    "resize",
    (1, 4),
    "y[i..] = sum over k.. near c(i).. of weight(c(i) - k).. * x[k..], axis by axis, x continued by its first and last element; c maps an index of the result to one of x as `coordinates` says",
    "ONNX Resize, opset 19; cubic: Keys 1981",
);

words! {
    /// How elements combine.
    pub enum ResizeMode {
        /// The nearest one.
        Nearest = "nearest",
        /// By falling linear weights.
        Linear = "linear",
        /// By the cubic convolution with the parameter `cubic_a`.
        Cubic = "cubic",
    }
}

words! {
    /// Where index `i` of an axis of the result lies in the input; `s` is the scale, `d` and `o` are the extents of input and
    /// result. `o` is a whole number, as in the text of the standard, also where `s * d` is none.
    pub enum Coordinates {
        /// `(i + 0.5) / s - 0.5`
        HalfPixel = "half_pixel",
        /// As `half_pixel`, around the middle of the input also where `o` is not `s * d`.
        HalfPixelSymmetric = "half_pixel_symmetric",
        /// As `half_pixel`, but 0 where `o` is 1.
        PytorchHalfPixel = "pytorch_half_pixel",
        /// `i * (d - 1) / (o - 1)`; 0 where `o` is 1.
        AlignCorners = "align_corners",
        /// `i / s`
        Asymmetric = "asymmetric",
        /// `(i + 0.5) / s`
        TfHalfPixelForNn = "tf_half_pixel_for_nn",
        /// `align_corners` within the part of the input that `roi` names; `extrapolation` stands for what is outside the input.
        TfCropAndResize = "tf_crop_and_resize",
    }
}

words! {
    /// Which of two elements is the nearest.
    pub enum NearestMode {
        /// The nearer one, the first of equally near ones.
        RoundPreferFloor = "round_prefer_floor",
        /// The nearer one, the second of equally near ones.
        RoundPreferCeil = "round_prefer_ceil",
        /// The first.
        Floor = "floor",
        /// The second.
        Ceil = "ceil",
    }
}

words! {
    /// What becomes of the ratio of the extents when sizes are given.
    pub enum AspectPolicy {
        /// The sizes are met.
        Stretch = "stretch",
        /// One scale for all axes, the largest with no extent larger than its size.
        NotLarger = "not_larger",
        /// One scale for all axes, the smallest with no extent smaller than its size.
        NotSmaller = "not_smaller",
    }
}

/// Inputs: x, roi, scales, sizes, of which scales or sizes must be there (an empty list is none) and known before the run. They
/// have one entry per axis of `axes`; roi has the starts, then the ends, relative to the extents less 1.
///
/// An extent `d` with scale `s` gives `floor(d * s)`, the product in f32 as the scales are.
#[derive(Clone, Debug, PartialEq)]
pub struct Resize {
    /// How elements combine.
    pub mode: ResizeMode,
    /// Where elements of the result lie.
    pub coordinates: Coordinates,
    /// Which element is the nearest.
    pub nearest: NearestMode,
    /// Parameter of the cubic convolution.
    pub cubic_a: f32,
    /// Whether weights outside the input are 0 (and the others grow) rather than those of its ends.
    pub exclude_outside: bool,
    /// What stands outside the input with `tf_crop_and_resize`.
    pub extrapolation: f32,
    /// Whether a scale below 1 stretches the weights, so that no element is missed.
    pub antialias: bool,
    /// What sizes mean.
    pub policy: AspectPolicy,
    /// The axes that scales, sizes and roi are about, negative counted from the end; `None`: all.
    pub axes: Option<Vec<i64>>,
}

/// One resized axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResizedAxis {
    /// The axis.
    pub axis: usize,
    /// Extent of the result.
    pub extent: usize,
    /// Extent of the result over that of the input, unrounded.
    pub scale: f64,
}

/// `floor(dim * scale)`, or `None` where that is no expression of the extent.
fn scaled(dim: &Dim, scale: f64) -> Option<Dim> {
    // A product in f32 is exact for these fractions and extents in use; a symbol is followed only there.
    const DENOMINATOR: f64 = 256.0;
    if let Some(extent) = dim.as_known() {
        let product = (extent as f32) * (scale as f32);
        return Some(Dim::Known(product.floor() as i64));
    }
    let numerator = scale * DENOMINATOR;
    (numerator.fract() == 0.0 && numerator < DENOMINATOR * DENOMINATOR).then(|| {
        let product = Dim::apply(DimOp::Mul, dim.clone(), Dim::Known(numerator as i64));
        Dim::apply(DimOp::FloorDiv, product, Dim::Known(DENOMINATOR as i64))
    })
}

impl Resize {
    /// Positions of the inputs.
    const SCALES: usize = 2;
    const SIZES: usize = 3;

    fn axes_of(&self, inputs: &Inputs<'_>) -> Result<Vec<usize>, InferError> {
        let rank = inputs.ty(0)?.rank();
        match &self.axes {
            None => Ok((0..rank).collect()),
            Some(axes) => {
                inputs.axes("axes", axes, rank)?;
                axes.iter()
                    .map(|&axis| inputs.axis("axes", axis, rank))
                    .collect()
            }
        }
    }

    /// Whether a list is given; an empty one is not.
    fn given(inputs: &Inputs<'_>, index: usize) -> bool {
        let facts = inputs.optional(index);
        facts.is_some_and(|facts| facts.ty.shape != [Dim::Known(0)])
    }

    fn sizes<'a>(inputs: &Inputs<'a>, axes: &[usize]) -> Result<&'a [Dim], InferError> {
        inputs.indices(Resize::SIZES)?;
        let sizes = inputs.known(Resize::SIZES)?;
        let negative = sizes.iter().any(|n| n.as_known().is_some_and(|n| n < 0));
        if sizes.len() != axes.len() || negative {
            let reason = format!("needs an extent for each of {} axes", axes.len());
            return Err(inputs.shape_error(Resize::SIZES, reason));
        }
        Ok(sizes)
    }

    fn scales<'a>(inputs: &Inputs<'a>, axes: &[usize]) -> Result<&'a [f64], InferError> {
        inputs.float(Resize::SCALES)?;
        let (op, index) = (RESIZE.name, Resize::SCALES);
        let scales = inputs.get(index)?.floats.as_deref();
        let scales = scales.ok_or(InferError::DataDependent { op, index })?;
        if scales.len() != axes.len() || scales.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
            let reason = format!("needs a positive scale for each of {} axes", axes.len());
            return Err(inputs.attribute_error("scales", format!("{scales:?}"), reason));
        }
        Ok(scales)
    }

    /// The axes with their scales, for numbers; `None` if an extent is a symbol.
    fn resolve(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<ResizedAxis>>, InferError> {
        let axes = self.axes_of(inputs)?;
        let extents: Option<Vec<usize>> = axes
            .iter()
            .map(|&axis| inputs.ty(0).ok()?.shape[axis].as_extent())
            .collect();
        let Some(extents) = extents else {
            return Ok(None);
        };
        let numbered = axes.iter().copied().zip(&extents);
        if !Resize::given(inputs, Resize::SIZES) {
            let scales = Resize::scales(inputs, &axes)?;
            let resized = numbered
                .zip(scales)
                .map(|((axis, &extent), &scale)| ResizedAxis {
                    axis,
                    extent: scaled(&Dim::from(extent), scale)
                        .and_then(|d| d.as_extent())
                        .unwrap_or(0),
                    scale,
                });
            return Ok(Some(resized.collect()));
        }
        let sizes: Option<Vec<usize>> = Resize::sizes(inputs, &axes)?
            .iter()
            .map(Dim::as_extent)
            .collect();
        let Some(sizes) = sizes else {
            return Ok(None);
        };
        let ratio = |(&size, &extent): (&usize, &usize)| size as f64 / extent as f64;
        let ratios: Vec<f64> = sizes.iter().zip(&extents).map(ratio).collect();
        let common = match self.policy {
            AspectPolicy::Stretch => None,
            AspectPolicy::NotLarger => ratios.iter().copied().reduce(f64::min),
            AspectPolicy::NotSmaller => ratios.iter().copied().reduce(f64::max),
        };
        let resized = numbered.zip(sizes.iter().zip(&ratios));
        let resized = resized.map(|((axis, &extent), (&size, &ratio))| match common {
            None => ResizedAxis {
                axis,
                extent: size,
                scale: ratio,
            },
            Some(scale) => ResizedAxis {
                axis,
                extent: (scale * extent as f64 + 0.5).floor() as usize,
                scale,
            },
        });
        Ok(Some(resized.collect()))
    }

    /// The resized axes, given the facts of all inputs.
    ///
    /// # Errors
    /// As inference: scales or sizes that are unknown or do not suit the axes.
    pub fn resized(&self, inputs: &[Option<&ValueFacts>]) -> Result<Vec<ResizedAxis>, InferError> {
        let inputs = Inputs::new(&RESIZE, inputs, "")?;
        let unknown = InferError::DataDependent {
            op: RESIZE.name,
            index: 0,
        };
        self.resolve(&inputs)?.ok_or(unknown)
    }

    /// Extents of the result where some are symbols.
    fn symbolic(&self, inputs: &Inputs<'_>) -> Result<Vec<Dim>, InferError> {
        let axes = self.axes_of(inputs)?;
        let mut shape = inputs.ty(0)?.shape.clone();
        if Resize::given(inputs, Resize::SIZES) {
            let sizes = Resize::sizes(inputs, &axes)?;
            for (&axis, size) in axes.iter().zip(sizes) {
                shape[axis] = match self.policy {
                    AspectPolicy::Stretch => size.clone(),
                    AspectPolicy::NotLarger | AspectPolicy::NotSmaller => inputs.unknown(axis),
                };
            }
            return Ok(shape);
        }
        for (&axis, &scale) in axes.iter().zip(Resize::scales(inputs, &axes)?) {
            shape[axis] = scaled(&shape[axis], scale).unwrap_or_else(|| inputs.unknown(axis));
        }
        Ok(shape)
    }
}

impl Entry for Resize {
    fn defs() -> Vec<&'static OpDef> {
        vec![&RESIZE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(Resize {
            mode: attrs.word("mode", ResizeMode::named)?,
            coordinates: attrs.word("coordinates", Coordinates::named)?,
            nearest: attrs.word("nearest", NearestMode::named)?,
            cubic_a: attrs.f32("cubic_a")?,
            exclude_outside: attrs.bool("exclude_outside")?,
            extrapolation: attrs.f32("extrapolation")?,
            antialias: attrs.bool("antialias")?,
            policy: attrs.word("policy", AspectPolicy::named)?,
            axes: attrs.optional("axes", Attrs::ints)?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &RESIZE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let x = inputs.ty(0)?;
        if x.dtype.is_complex() {
            return Err(inputs.dtype_error(0, "a real number or bool"));
        }
        if self.coordinates == Coordinates::TfCropAndResize {
            inputs.float(1)?;
        }
        if !Resize::given(inputs, Resize::SCALES) && !Resize::given(inputs, Resize::SIZES) {
            return Err(InferError::MissingInput {
                op: RESIZE.name,
                index: Resize::SCALES,
            });
        }
        let shape = match self.resolve(inputs)? {
            None => self.symbolic(inputs)?,
            Some(resized) => {
                let mut shape = x.shape.clone();
                for axis in resized {
                    shape[axis.axis] = Dim::from(axis.extent);
                }
                shape
            }
        };
        let empty = |(from, to): (&Dim, &Dim)| {
            *from == Dim::Known(0) && to.as_known().is_some_and(|n| n > 0)
        };
        if x.shape.iter().zip(&shape).any(empty) {
            return Err(
                inputs.shape_error(0, "there is nothing to read along an axis without elements")
            );
        }
        Ok(vec![ValueFacts::of_type(TensorType::new(x.dtype, shape))])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let axes = self.axes_of(inputs)?;
        let mut ty = inputs.ty(0)?.clone();
        for axis in axes {
            ty.shape[axis] = inputs.unknown(axis);
        }
        Ok(Some(vec![ty]))
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::new()
            .with_word("mode", self.mode.name())
            .with_word("coordinates", self.coordinates.name())
            .with_word("nearest", self.nearest.name())
            .with_f32("cubic_a", self.cubic_a)
            .with_bool("exclude_outside", self.exclude_outside)
            .with_f32("extrapolation", self.extrapolation)
            .with_bool("antialias", self.antialias)
            .with_word("policy", self.policy.name());
        match &self.axes {
            Some(axes) => attrs.with_ints("axes", axes),
            None => attrs,
        }
    }
}
