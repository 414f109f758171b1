//! Reads between the elements. The expected values are onnxruntime 1.32's unless a line says otherwise.

use graph::op::{
    AffineGrid, AspectPolicy, Coordinates, DeformConv, GridMode, GridPadding, GridSample,
    NearestMode, Pad, Resize, ResizeMode, RoiAlign, RoiMode, Window,
};

use super::*;

/// `[[1, 4, 9], [16, 25, 36]]` as one channel.
fn squares() -> Tensor {
    tensor(&[1, 1, 2, 3], &[1.0_f32, 4.0, 9.0, 16.0, 25.0, 36.0])
}

fn close(op: &Op, inputs: &[Option<&Tensor>], expect: &[f32]) {
    let made = evaluate(op, inputs).unwrap_or_else(|error| panic!("{op}: {error}"));
    let made = made[0].to_vec::<f32>().unwrap();
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 2e-5 * b.abs().max(1.0);
    assert!(
        made.len() == expect.len() && made.iter().zip(expect).all(near),
        "{op} {}: {made:?}, expected {expect:?}",
        op.attrs()
            .iter()
            .map(|(name, attr)| format!("{name} = {attr} "))
            .collect::<String>()
    );
}

fn resize(mode: ResizeMode, coordinates: Coordinates) -> Resize {
    Resize {
        mode,
        coordinates,
        nearest: NearestMode::RoundPreferFloor,
        cubic_a: -0.75,
        exclude_outside: false,
        extrapolation: 0.0,
        antialias: false,
        policy: AspectPolicy::Stretch,
        axes: Some(vec![-2, -1]),
    }
}

#[test]
fn pictures_are_resized() {
    use Coordinates::{AlignCorners, HalfPixel};
    use ResizeMode::{Cubic, Linear};
    let (x, sizes) = (squares(), tensor(&[2], &[3_i64, 2]));
    let cases = [
        (
            Linear,
            HalfPixel,
            false,
            [1.75, 7.75, 10.0, 20.5, 18.25, 33.25],
        ),
        (
            Linear,
            AlignCorners,
            false,
            [1.0, 9.0, 8.5, 22.5, 16.0, 36.0],
        ),
        (
            Linear,
            HalfPixel,
            true,
            [2.0, 7.333_333_5, 10.5, 19.833_334, 19.0, 32.333_336],
        ),
        (
            Cubic,
            HalfPixel,
            false,
            [
                0.102_132_44,
                5.728_599,
                9.578_125,
                20.898_438,
                19.054_127,
                36.068_29,
            ],
        ),
        (
            Cubic,
            AlignCorners,
            false,
            [1.0, 9.0, 8.5, 22.5, 16.0, 36.0],
        ),
        (
            Cubic,
            HalfPixel,
            true,
            [
                0.196_040_03,
                5.366_473,
                9.902_775,
                20.305_557,
                19.609_512,
                35.244_648,
            ],
        ),
    ];
    for (mode, coordinates, antialias, expect) in cases {
        let op = Op::Resize(Resize {
            antialias,
            ..resize(mode, coordinates)
        });
        close(&op, &[Some(&x), None, None, Some(&sizes)], &expect);
    }
}

#[test]
fn nearest_elements_are_copied_exactly() {
    // Worked by hand: places 0.1, 0.5, 0.9, 1.3, 1.7 of [MAX, -1, 3] by the scale 2.5, floored at 7.
    let x = tensor(&[3], &[i64::MAX, -1, 3]);
    let scales = tensor(&[1], &[2.5_f32]);
    let places = [0, 0, 0, 1, 1, 2, 2];
    let op = Op::Resize(Resize {
        nearest: NearestMode::Floor,
        axes: None,
        ..resize(ResizeMode::Nearest, Coordinates::Asymmetric)
    });
    let made = evaluate(&op, &[Some(&x), None, Some(&scales)]).unwrap();
    let list = [i64::MAX, -1, 3];
    assert_eq!(made[0].to_vec::<i64>().unwrap(), places.map(|at| list[at]));
}

#[test]
fn pictures_are_sampled_at_points() {
    use GridMode::{Cubic, Linear, Nearest};
    use GridPadding::{Border, Reflection, Zeros};
    let x = squares();
    let grid = tensor(
        &[1, 1, 4, 2],
        &[-0.5_f32, -0.9, 0.3, 0.2, 1.4, 0.8, -1.7, 1.3],
    );
    let cases = [
        (Linear, Zeros, false, [1.05, 22.84, 0.0, 0.0]),
        (Linear, Zeros, true, [3.4, 19.18, 19.979_998, 4.079_999_4]),
        (Linear, Border, false, [1.75, 22.84, 36.0, 16.0]),
        (Linear, Border, true, [3.4, 19.18, 33.3, 16.0]),
        (Linear, Reflection, false, [1.75, 22.84, 34.899_998, 20.95]),
        (Linear, Reflection, true, [3.4, 19.18, 29.14, 19.420_002]),
        (Nearest, Zeros, false, [1.0, 25.0, 0.0, 0.0]),
        (Nearest, Border, true, [1.0, 25.0, 36.0, 16.0]),
        (Nearest, Reflection, false, [1.0, 25.0, 36.0, 25.0]),
        (
            Cubic,
            Zeros,
            false,
            [-0.929_953_8, 30.476_98, -1.757_665_2, -0.265_294_3],
        ),
        (
            Cubic,
            Zeros,
            true,
            [2.975_060_2, 24.978_283, 23.263_325, 3.840_169],
        ),
        (
            Cubic,
            Border,
            false,
            [-0.240_126_13, 24.027_948, 38.976_727, 16.360_004],
        ),
        (
            Cubic,
            Border,
            true,
            [2.716_745_6, 20.007_074, 34.920_86, 16.770_931],
        ),
        (
            Cubic,
            Reflection,
            false,
            [-1.402_818, 24.027_948, 39.340_13, 22.009_607],
        ),
        (
            Cubic,
            Reflection,
            true,
            [1.872_344, 21.267_107, 32.846_94, 19.734_358],
        ),
    ];
    for (mode, padding, align_corners, expect) in cases {
        let op = Op::GridSample(GridSample {
            mode,
            padding,
            align_corners,
        });
        close(&op, &[Some(&x), Some(&grid)], &expect);
    }
    // A point that is no number, or infinitely far, is outside.
    let odd = tensor(&[1, 1, 2, 2], &[NAN, 0.0, INF, -INF]);
    for (padding, expect) in [(Zeros, [0.0, 0.0]), (Border, [8.5, 9.0])] {
        let op = Op::GridSample(GridSample {
            mode: Linear,
            padding,
            align_corners: true,
        });
        close(&op, &[Some(&x), Some(&odd)], &expect);
    }
}

#[test]
fn affine_maps_make_grids() {
    // Worked by hand: twice x plus 1, and y; points at -0.5 and 0.5 of two elements, at 0 of one.
    let theta = tensor(&[1, 2, 3], &[2.0_f32, 0.0, 1.0, 0.0, 1.0, 0.0]);
    let size = tensor(&[4], &[1_i64, 1, 1, 2]);
    for (align_corners, expect) in [(false, [0.0, 0.0, 2.0, 0.0]), (true, [-1.0, 0.0, 3.0, 0.0])] {
        let op = Op::AffineGrid(AffineGrid { align_corners });
        close(&op, &[Some(&theta), Some(&size)], &expect);
    }
}

#[test]
fn regions_are_aligned() {
    let elements: Vec<f32> = (0..20).map(|v| (v as f32 - 7.0).powi(2)).collect();
    let x = tensor(&[1, 1, 4, 5], &elements);
    let rois = tensor(&[2, 4], &[0.0_f32, 0.0, 4.0, 3.0, 1.5, 0.5, 3.0, 3.5]);
    let batches = tensor(&[2], &[0_i64, 0]);
    let cases = [
        (
            RoiMode::Average,
            true,
            [30.0, 14.25, 13.125, 26.125, 11.5625, 9.25, 39.6875, 48.625],
        ),
        (
            RoiMode::Average,
            false,
            [
                13.375, 8.375, 35.875, 60.875, 9.25, 11.5625, 74.640_625, 87.734_375,
            ],
        ),
        (
            RoiMode::Max,
            true,
            [
                49.0,
                25.0,
                14.0,
                31.5,
                18.28125,
                14.648_437_5,
                41.132_812,
                58.593_75,
            ],
        ),
    ];
    let align = |mode, half_pixel| {
        Op::RoiAlign(RoiAlign {
            mode,
            height: 2,
            width: 2,
            sampling_ratio: 2,
            spatial_scale: 1.0,
            half_pixel,
        })
    };
    for (mode, half_pixel, expect) in cases {
        close(
            &align(mode, half_pixel),
            &[Some(&x), Some(&rois), Some(&batches)],
            &expect,
        );
    }
    let beyond = tensor(&[2], &[0_i64, 1]);
    let made = evaluate(
        &align(RoiMode::Max, true),
        &[Some(&x), Some(&rois), Some(&beyond)],
    );
    assert_eq!(
        made.unwrap_err().to_string(),
        "roi_align: index 1 is out of range for an axis of extent 1"
    );
    // As many points as the bin is wide would never end.
    let endless = tensor(&[2, 4], &[0.0_f32, 0.0, 1e30, 1.0, 0.0, 0.0, NAN, 1.0]);
    let op = Op::RoiAlign(RoiAlign {
        mode: RoiMode::Average,
        height: 1,
        width: 1,
        sampling_ratio: 0,
        spatial_scale: 1.0,
        half_pixel: true,
    });
    assert!(evaluate(&op, &[Some(&x), Some(&endless), Some(&batches)]).is_err());
}

#[test]
fn taps_move() {
    let weights = tensor(&[1, 1, 2, 2], &[1.0_f32, -1.0, 2.0, 0.5]);
    let mut offsets = [0.0_f32; 16];
    for (channel, by) in [(0, 0.5), (3, -0.25), (6, 1.0)] {
        offsets[2 * channel..][..2].fill(by);
    }
    let offsets = tensor(&[1, 8, 1, 2], &offsets);
    let mask = tensor(&[1, 4, 1, 2], &[1.0_f32, 1.0, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0]);
    let bias = tensor(&[1], &[3.0_f32]);
    let op = Op::DeformConv(DeformConv {
        window: Window {
            strides: vec![1, 1],
            dilations: vec![1, 1],
            pad: Pad::Explicit {
                begin: vec![0, 0],
                end: vec![0, 0],
            },
        },
        groups: 1,
        offset_groups: 1,
    });
    let x = squares();
    let inputs = [
        Some(&x),
        Some(&weights),
        Some(&offsets),
        Some(&bias),
        Some(&mask),
    ];
    close(&op, &inputs, &[41.875, 63.625]);
}
