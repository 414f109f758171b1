//! Shapes of what is picked, placed, padded, searched and resampled.

use super::*;

fn spaced(stride: usize, begin: usize, end: usize) -> Window {
    Window {
        strides: vec![stride],
        dilations: vec![1],
        pad: Pad::Explicit {
            begin: vec![begin],
            end: vec![end],
        },
    }
}

/// Facts of inputs such as `f32[2]`, or `i64[2] = 1, N` and `f32[2] = 0.5, 2` with known elements.
fn facts(text: &str) -> ValueFacts {
    let Some((of, elements)) = text.split_once(" = ") else {
        return ValueFacts::of_type(ty(text));
    };
    let elements = elements.split(", ");
    if of.starts_with('f') {
        let floats = elements.map(|e| e.parse().expect("a number")).collect();
        return ValueFacts {
            floats: Some(floats),
            ..ValueFacts::of_type(ty(of))
        };
    }
    let dims = elements.map(|e| e.parse().map_or_else(|_| Dim::from(e), Dim::Known));
    ValueFacts::new(ty(of), Some(dims.collect()))
}

fn check(op: &Op, inputs: &[&str], expect: &str) {
    let facts: Vec<ValueFacts> = inputs.iter().map(|text| facts(text)).collect();
    let given: Vec<Option<&ValueFacts>> = facts.iter().map(Some).collect();
    let made = match op.infer(&given, "y") {
        Ok(made) => {
            let types: Vec<String> = made.iter().map(|facts| facts.ty.to_string()).collect();
            types.join(" ; ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(made, expect, "{op} {inputs:?}");
}

#[test]
fn reads_and_writes() {
    let gather = Op::GatherElements(GatherElements { axis: 1 });
    check(&gather, &["f32[N, 4]", "i32[2, 7]"], "f32[2, 7]");
    check(
        &gather,
        &["f32[3, 4]", "i64[4, 7]"],
        "gather_elements: shapes f32[3, 4] and i64[4, 7] do not fit: the indices need the same rank and, but on axis 1, no more than the extents",
    );
    let nd = |batch_dims| Op::GatherNd(GatherNd { batch_dims });
    check(&nd(1), &["f32[B, 3, 4]", "i64[B, 7, 1]"], "f32[B, 7, 4]");
    check(
        &nd(0),
        &["f32[3, 4]", "i64[7, K]"],
        "gather_nd: input 1 has shape i64[7, K]: the extent of the last axis must be a number",
    );
    check(
        &nd(1),
        &["f32[3, 4]", "i64[3, 2]"],
        "gather_nd: shapes f32[3, 4] and i64[3, 2] do not fit: 1 batch axes and tuples of 2 indices are more than there are axes",
    );
    let scatter = |reduction| Op::ScatterNd(ScatterNd { reduction });
    let none = scatter(Reduction::None);
    check(
        &none,
        &["bool[N, 4]", "i64[2, 1]", "bool[2, 4]"],
        "bool[N, 4]",
    );
    check(
        &none,
        &["f32[5, 4]", "i64[2, 1]", "f32[2, 3]"],
        "scatter_nd: shapes i64[2, 1] and f32[2, 3] do not fit: needs one block of updates per index tuple",
    );
    check(
        &scatter(Reduction::Max),
        &["bool[N]", "i64[2, 1]", "bool[2]"],
        "scatter_nd: input 0 is bool, expected a real number for the reduction max",
    );
    let cache = Op::TensorScatter(TensorScatter {
        axis: -2,
        circular: false,
    });
    check(
        &cache,
        &["f32[B, S, 8]", "f32[B, 1, 8]", "i64[B]"],
        "f32[B, S, 8]",
    );
    check(
        &cache,
        &["f32[2, 3, 8]", "f32[2, 4, 8]"],
        "tensor_scatter: shapes f32[2, 3, 8] and f32[2, 4, 8] do not fit: but on axis 1, where there may be fewer updates, extents must be equal",
    );
}

#[test]
fn pads() {
    let pad = Op::Pad(PadOp {
        mode: PadMode::Edge,
    });
    check(
        &pad,
        &["f32[N, 4]", "i64[4] = 1, 0, 2, -3"],
        "f32[(N + 3), 1]",
    );
    check(&pad, &["f32[N]", "i64[2] = 0, P"], "f32[(N + P)]");
    check(&pad, &["f32[N, 4]", "i64[4]"], "f32[y.0, y.1]");
    check(
        &pad,
        &["f32[2]", "i64[2] = -3, 0"],
        "pad: pads = -3, 0: takes more away than an extent 2 has",
    );
    check(
        &pad,
        &["f32[2]", "i64[1] = 0"],
        "pad: pads = 1: needs a begin and an end for each of 1 axes",
    );
}

#[test]
fn searches() {
    check(&Op::NonZero(NonZero), &["f32[N, 4]"], "i64[2, y.1]");
    check(&Op::NonZero(NonZero), &["i64[3] = 0, 5, 1"], "i64[1, 2]");
    let unique = |axis| Op::Unique(Unique { axis, sorted: true });
    check(
        &unique(None),
        &["f32[N, 4]"],
        "f32[y.0] ; i64[y.0] ; i64[(N * 4)] ; i64[y.0]",
    );
    check(
        &unique(Some(-1)),
        &["f32[N, 4]"],
        "f32[N, y.1] ; i64[y.1] ; i64[4] ; i64[y.1]",
    );
    let boxes = Op::NonMaxSuppression(NonMaxSuppression {
        center_point_box: false,
    });
    check(&boxes, &["f32[1, N, 4]", "f32[1, 80, N]"], "i64[y.0, 3]");
    check(
        &boxes,
        &["f32[1, 6, 4]", "f32[1, 80, 5]"],
        "non_max_suppression: shapes f32[1, 6, 4] and f32[1, 80, 5] do not fit: boxes are [batches, boxes, 4], scores [batches, classes, boxes]",
    );
    let grams = |columns| {
        Op::NgramCounts(NgramCounts {
            min_len: 1,
            max_len: 2,
            max_skip: 0,
            pool: vec![1, 2, 3, 4],
            starts: vec![0, 2],
            columns,
        })
    };
    check(&grams(vec![4, 0, 1]), &["i64[B, N]"], "f32[B, 5]");
    check(
        &grams(vec![4, 0]),
        &["i64[N]"],
        "ngram_counts: columns = 2: needs one column for each of 3 n-grams",
    );
}

#[test]
fn windows() {
    let transposed = |output| {
        Op::ConvTranspose(ConvTranspose {
            window: spaced(2, 1, 0),
            output_padding: vec![1],
            output,
            groups: 2,
        })
    };
    check(
        &transposed(None),
        &["f32[B, 4, W]", "f32[4, 3, 5]"],
        "f32[B, 6, (((W + -1) * 2) + 5)]",
    );
    check(
        &transposed(Some(vec![9])),
        &["f32[B, 4, 3]", "f32[4, 3, 5]"],
        "f32[B, 6, 9]",
    );
    check(
        &transposed(None),
        &["f32[B, 3, 3]", "f32[3, 3, 5]"],
        "conv_transpose: shapes f32[B, 3, 3] and f32[3, 3, 5] do not fit: axis 0 of the weights must be the channels, divisible by 2 groups",
    );
    let col2im = Op::Col2Im(Col2Im {
        window: spaced(1, 0, 0),
    });
    check(
        &col2im,
        &["f32[B, 6, 4]", "i64[1] = 5", "i64[1] = 2"],
        "f32[B, 3, 5]",
    );
    check(
        &col2im,
        &["f32[B, 6, 4]", "i64[2]", "i64[2]"],
        "f32[y.0, y.1, y.2, y.3]",
    );
    check(
        &col2im,
        &["f32[B, 6, 5]", "i64[1] = 5", "i64[1] = 2"],
        "col2im: input 0 has shape f32[B, 6, 5]: the image has 4 windows",
    );
}

#[test]
fn resizing() {
    let resize = |policy| {
        Op::Resize(Resize {
            mode: ResizeMode::Linear,
            coordinates: Coordinates::HalfPixel,
            nearest: NearestMode::Floor,
            cubic_a: -0.75,
            exclude_outside: false,
            extrapolation: 0.0,
            antialias: false,
            policy,
            axes: Some(vec![-1]),
        })
    };
    let stretch = resize(AspectPolicy::Stretch);
    let empty = "f32[0]";
    check(
        &stretch,
        &["f32[N, W]", empty, "f32[1] = 2.5"],
        "f32[N, ((W * 640) / 256)]",
    );
    check(
        &stretch,
        &["f32[N, 10]", empty, "f32[1] = 0.7"],
        "f32[N, 7]",
    );
    check(
        &stretch,
        &["f32[N, W]", empty, "f32[1] = 0.7"],
        "f32[N, y.1]",
    );
    check(&stretch, &["f32[N, 10]", empty, "f32[1]"], "f32[N, y.1]");
    check(
        &stretch,
        &["f32[N, 10]", empty, empty, "i64[1] = S"],
        "f32[N, S]",
    );
    check(
        &stretch,
        &["f32[N, 10]", empty, "f32[1] = -1"],
        "resize: scales = [-1.0]: needs a positive scale for each of 1 axes",
    );
    check(
        &stretch,
        &["f32[N, 0]", empty, empty, "i64[1] = 3"],
        "resize: input 0 has shape f32[N, 0]: there is nothing to read along an axis without elements",
    );
}

#[test]
fn sampling() {
    let sample = Op::GridSample(GridSample {
        mode: GridMode::Linear,
        padding: GridPadding::Zeros,
        align_corners: false,
    });
    check(
        &sample,
        &["f32[N, C, H, W]", "f32[N, 5, 6, 2]"],
        "f32[N, C, 5, 6]",
    );
    check(
        &sample,
        &["f32[N, C, H, W]", "f32[N, 5, 6, 3]"],
        "grid_sample: shapes f32[N, C, H, W] and f32[N, 5, 6, 3] do not fit: the grid needs the batch, 2 axes and points of 2 numbers",
    );
    let grid = Op::AffineGrid(AffineGrid {
        align_corners: false,
    });
    check(
        &grid,
        &["f32[N, 2, 3]", "i64[4] = N, C, H, W"],
        "f32[N, H, W, 2]",
    );
    check(
        &grid,
        &["f32[N, 2, 3]", "i64[4]"],
        "f32[y.0, y.1, y.2, y.3]",
    );
    let align = Op::RoiAlign(RoiAlign {
        mode: RoiMode::Max,
        height: 7,
        width: 5,
        sampling_ratio: 0,
        spatial_scale: 1.0,
        half_pixel: true,
    });
    check(
        &align,
        &["f32[N, C, H, W]", "f32[R, 4]", "i64[R]"],
        "f32[R, C, 7, 5]",
    );
}
