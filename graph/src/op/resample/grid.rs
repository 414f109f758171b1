//! Sampling at the points of a grid, and grids made by affine maps.

use super::{Attrs, Entry, Inputs, OpDef, def, may_equal, words};
use crate::{Dim, InferError, TensorType, ValueFacts};

pub(in crate::op) static GRID_SAMPLE: OpDef = def(
    "grid_sample",
    (2, 2),
    "y[n, c, o..] = x[n, c, p..] interpolated at the point p = grid[n, o.., :], the last spatial axis first, -1 to 1 from one end of x to the other",
    "ONNX GridSample",
);
pub(in crate::op) static AFFINE_GRID: OpDef = def(
    "affine_grid",
    (2, 2),
    "y[n, o.., i] = sum over j of theta[n, i, j] * (p.., 1)[j], p the point of index o, the last spatial axis first, -1 to 1 from one end to the other",
    "ONNX AffineGrid",
);

words! {
    /// How elements combine.
    pub enum GridMode {
        /// By falling linear weights.
        Linear = "linear",
        /// The nearest one, the even one of equally near ones.
        Nearest = "nearest",
        /// By the cubic convolution with the parameter -0.75.
        Cubic = "cubic",
    }
}

words! {
    /// What stands outside the input.
    pub enum GridPadding {
        /// 0.
        Zeros = "zeros",
        /// The first and last element.
        Border = "border",
        /// The elements mirrored, at the first and last element with `align_corners`, else beyond them.
        Reflection = "reflection",
    }
}

/// Inputs x `[batch, channels, spatial..]` and grid `[batch, out spatial.., spatial axes]`, of any float dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSample {
    /// How elements combine.
    pub mode: GridMode,
    /// What stands outside.
    pub padding: GridPadding,
    /// Whether -1 and 1 are the middles of the first and last element rather than their outer ends.
    pub align_corners: bool,
}

impl Entry for GridSample {
    fn defs() -> Vec<&'static OpDef> {
        vec![&GRID_SAMPLE]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(GridSample {
            mode: attrs.word("mode", GridMode::named)?,
            padding: attrs.word("padding", GridPadding::named)?,
            align_corners: attrs.bool("align_corners")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &GRID_SAMPLE
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let (x, grid) = (inputs.ty(0)?, inputs.ty(1)?);
        inputs.float(0)?;
        inputs.float(1)?;
        if x.rank() < 3 {
            return Err(inputs.shape_error(0, "needs [batch, channels, spatial..]"));
        }
        let fits = grid.rank() == x.rank()
            && may_equal(&grid.shape[0], &x.shape[0])
            && may_equal(&grid.shape[x.rank() - 1], &Dim::from(x.rank() - 2));
        if !fits {
            let reason = format!(
                "the grid needs the batch, {0} axes and points of {0} numbers",
                x.rank() - 2
            );
            return Err(inputs.shapes_error(0, 1, reason));
        }
        let shape = x.shape[..2].iter().chain(&grid.shape[1..x.rank() - 1]);
        let ty = TensorType::new(x.dtype, shape.cloned());
        Ok(vec![ValueFacts::of_type(ty)])
    }

    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with_word("mode", self.mode.name())
            .with_word("padding", self.padding.name())
            .with_bool("align_corners", self.align_corners)
    }
}

/// Inputs theta `[batch, s, s + 1]` for `s` spatial axes, and the extents `[batch, channels, spatial..]` of what is to be
/// sampled, known before the run. The result is the grid for it, `[batch, spatial.., s]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffineGrid {
    /// Whether -1 and 1 are the middles of the first and last element rather than their outer ends.
    pub align_corners: bool,
}

impl Entry for AffineGrid {
    fn defs() -> Vec<&'static OpDef> {
        vec![&AFFINE_GRID]
    }

    fn from_text(_name: &str, attrs: &Attrs) -> Result<Self, String> {
        Ok(AffineGrid {
            align_corners: attrs.bool("align_corners")?,
        })
    }

    fn def(&self) -> &'static OpDef {
        &AFFINE_GRID
    }

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
        let theta = inputs.ty(0)?;
        inputs.float(0)?;
        inputs.indices(1)?;
        let size = inputs.known(1)?;
        let axes = size.len().saturating_sub(2);
        let fits = axes > 0
            && theta.rank() == 3
            && may_equal(&theta.shape[0], &size[0])
            && may_equal(&theta.shape[1], &Dim::from(axes))
            && may_equal(&theta.shape[2], &Dim::from(axes + 1));
        if !fits || size.iter().any(|n| n.as_known().is_some_and(|n| n < 0)) {
            let reason = format!(
                "needs [batch, s, s + 1] for s spatial axes; the size has {} extents",
                size.len()
            );
            return Err(inputs.shape_error(0, reason));
        }
        let spatial = size[2..].iter().cloned();
        let shape = std::iter::once(theta.shape[0].clone())
            .chain(spatial)
            .chain([Dim::from(axes)]);
        Ok(vec![ValueFacts::of_type(TensorType::new(
            theta.dtype,
            shape,
        ))])
    }

    fn infer_unknown(&self, inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        let theta = inputs.ty(0)?;
        Ok(inputs
            .list_len(1)?
            .map(|rank| vec![inputs.unknown_type(theta.dtype, rank)]))
    }

    fn attrs(&self) -> Attrs {
        Attrs::new().with_bool("align_corners", self.align_corners)
    }
}
