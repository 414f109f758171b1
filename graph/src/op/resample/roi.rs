//! Aligned regions of interest.

use super::{Attrs, Entry, Inputs, OpDef, def, may_equal, shapes_may_equal, words};
use crate::{Dim, InferError, TensorType, ValueFacts};

pub(in crate::op) static ROI_ALIGN: OpDef = def(
    "roi_align",
    (3, 3),
    "y[r, c, i, j] = mean or largest, over the sampling points of bin i, j of region r, of x[batch[r], c] interpolated linearly",
    "ONNX RoiAlign; He, Gkioxari, Dollar, Girshick 2017",
);

words! {
    /// How the sampling points of a bin combine.
    pub enum RoiMode {
        /// Their mean.
        Average = "avg",
        /// The largest of the weighted elements around them.
        Max = "max",
    }
}

/// Inputs x `[batch, channels, height, width]`, regions `[r, 4]` of `x1, y1, x2, y2`, and the batch of each, `[r]`. The result is
/// `[r, channels, output height, output width]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoiAlign {
    /// How the points of a bin combine.
    pub mode: RoiMode,
    /// Bins of a region along its height.
    pub height: usize,
    /// Bins of a region along its width.
    pub width: usize,
    /// Points of a bin along each axis; 0: as many as the bin has elements, rounded up.
    pub sampling_ratio: usize,
    /// Elements per unit of the regions.
    pub spatial_scale: f32,
    /// Whether coordinates are those of the elements' middles; else regions are at least one element wide and high.
    pub half_pixel: bool,
}

impl Entry for RoiAlign {
    fn defs() -> Vec<&'static OpDef> {
        vec![&ROI_ALIGN]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(RoiAlign {
            mode: attrs.word("mode", RoiMode::named)?,
            height: attrs.usize("height")?,
            width: attrs.usize("width")?,
            sampling_ratio: attrs.usize("sampling_ratio")?,
            spatial_scale: attrs.f32("spatial_scale")?,
            half_pixel: attrs.bool("half_pixel")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &ROI_ALIGN
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (x, rois) = (inputs.ty(0)?, inputs.ty(1)?);
        inputs.float(0)?;
        if rois.dtype != x.dtype {
            return Err(inputs.dtype_error(1, format!("{} like input 0", x.dtype)));
        }
        let batches = inputs.indices(2)?;
        let [_, channels, _, _] = &x.shape[..] else {
            return Err(inputs.shape_error(0, "needs [batch, channels, height, width]"));
        };
        let [count, four] = &rois.shape[..] else {
            return Err(inputs.shape_error(1, "needs [regions, 4]"));
        };
        if !may_equal(four, &Dim::Known(4)) {
            return Err(inputs.shape_error(1, "needs [regions, 4]"));
        }
        if !shapes_may_equal(&batches.shape, std::slice::from_ref(count)) {
            return Err(inputs.shapes_error(1, 2, "needs one batch per region"));
        }
        let bins = [Dim::from(self.height), Dim::from(self.width)];
        let shape = [count.clone(), channels.clone()].into_iter().chain(bins);
        Ok(vec![ValueFacts::of_type(TensorType::new(x.dtype, shape))])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_word("mode", self.mode.name())
            .with_usize("height", self.height)
            .with_usize("width", self.width)
            .with_usize("sampling_ratio", self.sampling_ratio)
            .with_f32("spatial_scale", self.spatial_scale)
            .with_bool("half_pixel", self.half_pixel)
    }
}
