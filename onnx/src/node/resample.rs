//! Resizing and sampling.
//!
//! <https://onnx.ai/onnx/operators/onnx__Resize.html>, `Upsample`, `GridSample`, `AffineGrid`, `RoiAlign`.
//!
//! - Opset 7: `Upsample` has the attribute `scales`; opset 9: it is an input. Opset 10: `Resize`, which means the same.
//! - Opset 11: `Resize` has sizes, a region and all its modes; opset 13: every input but the first may be left out; opset 18:
//!   `antialias`, `axes`, `keep_aspect_ratio_policy`; opset 19: `half_pixel_symmetric`; opset 11 alone has
//!   `tf_half_pixel_for_nn`.
//! - Opset 16: `GridSample` for pictures; opset 20: for any number of axes, with other names of the modes. Opset 20: `AffineGrid`.
//! - Opset 10: `RoiAlign`; opset 16: its coordinates are those of the elements' middles unless it says otherwise.

use graph::op::{
    AffineGrid, AspectPolicy, Coordinates, GridMode, GridPadding, GridSample, NearestMode, Op,
    Resize, ResizeMode, RoiAlign, RoiMode,
};
use tensor::Tensor;

use super::{Row, row};
use crate::call::{Call, Done};
use crate::error::ProblemKind;

const RESIZE_11: &[&str] = &[
    "coordinate_transformation_mode",
    "cubic_coeff_a",
    "exclude_outside",
    "extrapolation_value",
    "mode",
    "nearest_mode",
];
const RESIZE_18: &[&str] = &[
    "antialias",
    "axes",
    "coordinate_transformation_mode",
    "cubic_coeff_a",
    "exclude_outside",
    "extrapolation_value",
    "keep_aspect_ratio_policy",
    "mode",
    "nearest_mode",
];
const SAMPLE: &[&str] = &["align_corners", "mode", "padding_mode"];
const ROI_10: &[&str] = &[
    "mode",
    "output_height",
    "output_width",
    "sampling_ratio",
    "spatial_scale",
];
const ROI_16: &[&str] = &[
    "coordinate_transformation_mode",
    "mode",
    "output_height",
    "output_width",
    "sampling_ratio",
    "spatial_scale",
];

pub(super) const ROWS: &[Row] = &[
    row(
        "Upsample",
        7,
        (1, 1),
        &["mode", "scales"],
        upsample_attribute,
    ),
    row("Upsample", 9, (2, 2), &["mode"], upsample),
    row("Resize", 10, (2, 2), &["mode"], upsample),
    row("Resize", 11, (3, 4), RESIZE_11, resize),
    row("Resize", 13, (1, 4), RESIZE_11, resize),
    row("Resize", 18, (1, 4), RESIZE_18, resize),
    row("GridSample", 16, (2, 2), SAMPLE, grid_sample),
    row("AffineGrid", 20, (2, 2), &["align_corners"], affine_grid),
    row("RoiAlign", 10, (3, 3), ROI_10, roi_align),
    row("RoiAlign", 16, (3, 3), ROI_16, roi_align),
];

/// What `Upsample` and the first `Resize` do.
fn simple(call: &mut Call<'_>) -> Resize {
    let mode = call.word("mode", ResizeMode::Nearest, |word| match word {
        "nearest" => Some(ResizeMode::Nearest),
        "linear" | "bilinear" => Some(ResizeMode::Linear),
        _ => None,
    });
    Resize {
        mode,
        coordinates: Coordinates::Asymmetric,
        nearest: NearestMode::Floor,
        cubic_a: -0.75,
        exclude_outside: false,
        extrapolation: 0.0,
        antialias: false,
        policy: AspectPolicy::Stretch,
        axes: None,
    }
}

fn upsample_attribute(call: &mut Call<'_>) -> Done {
    let op = simple(call);
    let Some(scales) = call.floats("scales") else {
        let name = "scales";
        return call.fail(ProblemKind::MissingAttribute { name });
    };
    let x = call.input(0)?;
    match Tensor::from_vec_row_major([scales.len()], scales) {
        Ok(scales) => {
            let scales = call.constant(scales)?;
            call.finish(Op::Resize(op), &[Some(x), None, Some(scales)])
        }
        Err(error) => call.fail_input(0, error.to_string()),
    }
}

fn upsample(call: &mut Call<'_>) -> Done {
    let op = simple(call);
    let (x, scales) = (call.input(0)?, call.input(1)?);
    call.finish(Op::Resize(op), &[Some(x), None, Some(scales)])
}

fn resize(call: &mut Call<'_>) -> Done {
    let opset = call.opset;
    let coordinates = call.word(
        "coordinate_transformation_mode",
        Coordinates::HalfPixel,
        |word| {
            Coordinates::named(word).filter(|c| match c {
                Coordinates::HalfPixelSymmetric => opset >= 19,
                Coordinates::TfHalfPixelForNn => opset < 13,
                _ => true,
            })
        },
    );
    let op = Resize {
        mode: call.word("mode", ResizeMode::Nearest, ResizeMode::named),
        coordinates,
        nearest: call.word(
            "nearest_mode",
            NearestMode::RoundPreferFloor,
            NearestMode::named,
        ),
        cubic_a: call.float("cubic_coeff_a", -0.75),
        exclude_outside: call.flag("exclude_outside", false),
        extrapolation: call.float("extrapolation_value", 0.0),
        antialias: call.flag("antialias", false),
        policy: call.word(
            "keep_aspect_ratio_policy",
            AspectPolicy::Stretch,
            AspectPolicy::named,
        ),
        axes: call.ints("axes"),
    };
    call.input(0)?;
    let mut inputs = call.all()?;
    if coordinates != Coordinates::TfCropAndResize
        && let Some(region) = inputs.get_mut(1)
    {
        *region = None;
    }
    call.finish(Op::Resize(op), &inputs)
}

fn grid_sample(call: &mut Call<'_>) -> Done {
    let old = call.opset < 20;
    let mode = call.word("mode", GridMode::Linear, |word| match word {
        "bilinear" if old => Some(GridMode::Linear),
        "bicubic" if old => Some(GridMode::Cubic),
        "nearest" => Some(GridMode::Nearest),
        word if !old => GridMode::named(word),
        _ => None,
    });
    let op = GridSample {
        mode,
        padding: call.word("padding_mode", GridPadding::Zeros, GridPadding::named),
        align_corners: call.flag("align_corners", false),
    };
    let inputs = [Some(call.input(0)?), Some(call.input(1)?)];
    call.finish(Op::GridSample(op), &inputs)
}

fn affine_grid(call: &mut Call<'_>) -> Done {
    let align_corners = call.flag("align_corners", false);
    let inputs = [Some(call.input(0)?), Some(call.input(1)?)];
    call.finish(Op::AffineGrid(AffineGrid { align_corners }), &inputs)
}

fn roi_align(call: &mut Call<'_>) -> Done {
    let name = "coordinate_transformation_mode";
    let op = RoiAlign {
        mode: call.word("mode", RoiMode::Average, RoiMode::named),
        height: call.count("output_height", 1),
        width: call.count("output_width", 1),
        sampling_ratio: call.count("sampling_ratio", 0),
        spatial_scale: call.float("spatial_scale", 1.0),
        half_pixel: call.word(name, call.opset >= 16, |word| match word {
            "half_pixel" => Some(true),
            "output_half_pixel" => Some(false),
            _ => None,
        }),
    };
    let inputs = [call.input(0)?, call.input(1)?, call.input(2)?].map(Some);
    call.finish(Op::RoiAlign(op), &inputs)
}
