//! Elements that are picked, placed, padded and searched, worked by hand.

use graph::op::{
    ArgMaxPool, Attr, Col2Im, ConvTranspose, GatherElements, GatherNd, LpPool, NgramCounts,
    NonMaxSuppression, NonZero, Pad, PadMode, PadOp, Reduction, ReverseSequence, ScatterElements,
    ScatterNd, TensorScatter, Unique, Window,
};

use super::*;

/// Shape and elements of the first result.
fn one<T: TensorElement>(op: Op, inputs: &[Option<&Tensor>]) -> (Vec<usize>, Vec<T>) {
    let made = evaluate(&op, inputs).unwrap_or_else(|error| panic!("{op}: {error}"));
    (made[0].shape().to_vec(), made[0].to_vec().unwrap())
}

fn error(op: Op, inputs: &[Option<&Tensor>]) -> String {
    evaluate(&op, inputs).unwrap_err().to_string()
}

#[test]
fn elements_and_blocks_are_read_by_index() {
    let x = tensor(&[2, 3], &[1_i32, 2, 3, 4, 5, 6]);
    let along = |axis| Op::GatherElements(GatherElements { axis });
    let indices = tensor(&[2, 2], &[0_i64, 0, -1, 1]);
    assert_eq!(
        one::<i32>(along(1), &[Some(&x), Some(&indices)]),
        (vec![2, 2], vec![1, 1, 6, 5])
    );
    assert_eq!(
        one::<i32>(along(0), &[Some(&x), Some(&indices)]),
        (vec![2, 2], vec![1, 2, 4, 5])
    );
    let beyond = tensor(&[1, 1], &[2_i64]);
    assert_eq!(
        error(along(0), &[Some(&x), Some(&beyond)]),
        "gather_elements: index 2 is out of range for an axis of extent 2"
    );
    let blocks = |batch_dims| Op::GatherNd(GatherNd { batch_dims });
    let pairs = tensor(&[2, 2], &[0_i64, 2, 1, -3]);
    assert_eq!(
        one::<i32>(blocks(0), &[Some(&x), Some(&pairs)]),
        (vec![2], vec![3, 4])
    );
    let rows = tensor(&[1, 1], &[-1_i64]);
    assert_eq!(
        one::<i32>(blocks(0), &[Some(&x), Some(&rows)]),
        (vec![1, 3], vec![4, 5, 6])
    );
    let each = tensor(&[2, 1], &[0_i64, 2]);
    assert_eq!(
        one::<i32>(blocks(1), &[Some(&x), Some(&each)]),
        (vec![2], vec![1, 6])
    );
}

#[test]
fn sequences_are_reversed_up_to_their_length() {
    let x = tensor(&[2, 3], &[1_i32, 2, 3, 4, 5, 6]);
    let op = Op::ReverseSequence(ReverseSequence {
        time_axis: 1,
        batch_axis: 0,
    });
    let lengths = tensor(&[2], &[2_i64, 3]);
    assert_eq!(
        one::<i32>(op.clone(), &[Some(&x), Some(&lengths)]).1,
        [2, 1, 3, 6, 5, 4]
    );
    for wrong in [4, -1] {
        let lengths = tensor(&[2], &[wrong, 0_i64]);
        assert!(
            evaluate(&op, &[Some(&x), Some(&lengths)]).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn updates_replace_or_combine() {
    let x = tensor(&[1, 4], &[1.0_f32, 2.0, 3.0, NAN]);
    let indices = tensor(&[1, 3], &[1_i64, -3, 3]);
    let updates = tensor(&[1, 3], &[10.0_f32, 20.0, 5.0]);
    for (reduction, expect) in [
        (Reduction::None, [1.0, 20.0, 3.0, 5.0]),
        (Reduction::Add, [1.0, 32.0, 3.0, NAN]),
        (Reduction::Mul, [1.0, 400.0, 3.0, NAN]),
        (Reduction::Max, [1.0, 20.0, 3.0, NAN]),
        (Reduction::Min, [1.0, 2.0, 3.0, NAN]),
    ] {
        let op = Op::ScatterElements(ScatterElements { axis: 1, reduction });
        let inputs = [Some(&x), Some(&indices), Some(&updates)];
        let made = one::<f32>(op, &inputs).1;
        assert_eq!(format!("{made:?}"), format!("{expect:?}"), "{reduction:?}");
    }
    // A sum of bytes wraps.
    let op = Op::ScatterNd(ScatterNd {
        reduction: Reduction::Add,
    });
    let x = tensor(&[2, 2], &[200_u8, 1, 2, 3]);
    let rows = tensor(&[2, 1], &[0_i64, 0]);
    let updates = tensor(&[2, 2], &[100_u8, 1, 0, 1]);
    assert_eq!(
        one::<u8>(op, &[Some(&x), Some(&rows), Some(&updates)]),
        (vec![2, 2], vec![44, 3, 2, 3])
    );
}

#[test]
fn caches_take_runs_of_updates() {
    let cache = tensor(&[2, 3], &[1_i32, 2, 3, 4, 5, 6]);
    let update = tensor(&[2, 2], &[10_i32, 20, 30, 40]);
    let op = |circular| Op::TensorScatter(TensorScatter { axis: 1, circular });
    let starts = tensor(&[2], &[1_i64, 2]);
    let inputs = [Some(&cache), Some(&update), Some(&starts)];
    assert_eq!(one::<i32>(op(true), &inputs).1, [1, 10, 20, 40, 5, 30]);
    assert_eq!(
        error(op(false), &inputs),
        "tensor_scatter: index 3 is out of range for an axis of extent 3"
    );
    assert_eq!(
        one::<i32>(op(false), &inputs[..2]).1,
        [10, 20, 3, 30, 40, 6]
    );
}

#[test]
fn padding_repeats_and_takes_away() {
    let x = tensor(&[3], &[1_i32, 2, 3]);
    let cases: [(PadMode, [i64; 2], &[i32]); 9] = [
        (PadMode::Constant, [1, 2], &[0, 1, 2, 3, 0, 0]),
        (PadMode::Constant, [-2, 1], &[3, 0]),
        (PadMode::Constant, [-3, 1], &[0]),
        (PadMode::Edge, [2, 1], &[1, 1, 1, 2, 3, 3]),
        (PadMode::Reflect, [2, 2], &[3, 2, 1, 2, 3, 2, 1]),
        (PadMode::Reflect, [5, 0], &[2, 1, 2, 3, 2, 1, 2, 3]),
        (PadMode::Wrap, [2, 4], &[2, 3, 1, 2, 3, 1, 2, 3, 1]),
        // What is taken away first is never repeated.
        (PadMode::Wrap, [-1, 2], &[2, 3, 2, 3]),
        (PadMode::Reflect, [-1, 2], &[2, 3, 2, 3]),
    ];
    for (mode, pads, expect) in cases {
        let pads = tensor(&[2], &pads);
        let made = one::<i32>(Op::Pad(PadOp { mode }), &[Some(&x), Some(&pads)]).1;
        assert_eq!(made, expect, "{mode:?}");
    }
    let empty = tensor::<i32>(&[0], &[]);
    let pads = tensor(&[2], &[1_i64, 0]);
    let reflect = Op::Pad(PadOp {
        mode: PadMode::Reflect,
    });
    assert_eq!(
        error(reflect, &[Some(&empty), Some(&pads)]),
        "pad: axis 0 has no element to repeat; pad it with a constant"
    );
    let value = Tensor::scalar(7_i32);
    let constant = Op::Pad(PadOp {
        mode: PadMode::Constant,
    });
    assert_eq!(
        one::<i32>(constant, &[Some(&empty), Some(&pads), Some(&value)]).1,
        [7]
    );
}

#[test]
fn what_is_not_zero_is_found() {
    let x = tensor(&[2, 2], &[0.0_f32, NAN, -0.0, 3.0]);
    assert_eq!(
        one::<i64>(Op::NonZero(NonZero), &[Some(&x)]),
        (vec![2, 2], vec![0, 1, 1, 1])
    );
    let scalar = Tensor::scalar(5_u8);
    assert_eq!(
        one::<i64>(Op::NonZero(NonZero), &[Some(&scalar)]),
        (vec![0, 1], vec![])
    );
}

#[test]
fn different_elements_and_slices_are_found() {
    let lists = |op: Unique, x: &Tensor| -> Vec<Vec<i64>> {
        let made = evaluate(&Op::Unique(op), &[Some(x)]).unwrap();
        made[1..]
            .iter()
            .map(|list| list.to_vec().unwrap())
            .collect()
    };
    let x = tensor(&[6], &[2.0_f32, NAN, 1.0, 2.0, NAN, -0.0]);
    let op = |sorted| Unique { axis: None, sorted };
    let found = one::<f32>(Op::Unique(op(true)), &[Some(&x)]).1;
    assert_eq!(format!("{found:?}"), "[-0.0, 1.0, 2.0, NaN]");
    assert_eq!(
        lists(op(true), &x),
        [vec![5, 2, 0, 1], vec![2, 3, 1, 2, 3, 0], vec![1, 1, 2, 2]]
    );
    assert_eq!(
        lists(op(false), &x),
        [vec![0, 1, 2, 5], vec![0, 1, 2, 0, 1, 3], vec![2, 2, 1, 1]]
    );
    let columns = tensor(&[2, 3], &[3_i32, 1, 3, 4, 2, 4]);
    let op = Unique {
        axis: Some(1),
        sorted: true,
    };
    assert_eq!(
        one::<i32>(Op::Unique(op), &[Some(&columns)]),
        (vec![2, 2], vec![1, 3, 2, 4])
    );
    assert_eq!(lists(op, &columns), [vec![1, 0], vec![1, 0, 1], vec![1, 2]]);
}

#[test]
fn boxes_that_overlap_are_suppressed() {
    // Pairs of boxes one apart, and two alone; values of onnxruntime 1.32.
    let tops = [0.0_f32, 0.1, -0.1, 10.0, 10.1, 100.0];
    let corners: Vec<f32> = tops.iter().flat_map(|&x| [0.0, x, 1.0, x + 1.0]).collect();
    let boxes = tensor(&[1, 6, 4], &corners);
    let scores = tensor(&[1, 1, 6], &[0.9_f32, 0.75, 0.6, 0.95, 0.5, 0.3]);
    let (most, iou, least) = (
        tensor(&[1], &[3_i64]),
        Tensor::scalar(0.5_f32),
        Tensor::scalar(0.4_f32),
    );
    let op = Op::NonMaxSuppression(NonMaxSuppression {
        center_point_box: false,
    });
    let all = [
        Some(&boxes),
        Some(&scores),
        Some(&most),
        Some(&iou),
        Some(&least),
    ];
    assert_eq!(
        one::<i64>(op.clone(), &all),
        (vec![2, 3], vec![0, 0, 3, 0, 0, 0])
    );
    assert_eq!(
        one::<i64>(op.clone(), &all[..4]).1,
        [0, 0, 3, 0, 0, 0, 0, 0, 5]
    );
    assert_eq!(one::<i64>(op, &all[..2]).0, [0, 3]);
}

#[test]
fn n_grams_are_counted() {
    let op = |min_len, max_len, max_skip| {
        Op::NgramCounts(NgramCounts {
            min_len,
            max_len,
            max_skip,
            pool: vec![2, 3, 5, 6, 5, 5],
            starts: vec![0, 2],
            columns: vec![0, 1, 3, 2],
        })
    };
    let x = tensor(&[5], &[5_i64, 6, 5, 3, 5]);
    assert_eq!(one::<f32>(op(1, 2, 0), &[Some(&x)]).1, [0.0, 1.0, 0.0, 1.0]);
    // 5, 5 at distance 2 twice and at distance 4 once; single elements do not count again.
    assert_eq!(one::<f32>(op(1, 2, 3), &[Some(&x)]).1, [0.0, 1.0, 3.0, 1.0]);
    assert_eq!(one::<f32>(op(2, 2, 1), &[Some(&x)]).1, [0.0, 0.0, 2.0, 1.0]);
}

fn window(stride: usize, pads: [usize; 2]) -> Window {
    Window {
        strides: vec![stride],
        dilations: vec![1],
        pad: Pad::Explicit {
            begin: vec![pads[0]],
            end: vec![pads[1]],
        },
    }
}

#[test]
fn windows_give_back_and_pick() {
    let x = tensor(&[1, 1, 4], &[3.0_f32, -4.0, 3.0, 1.0]);
    let pool = ArgMaxPool {
        kernel: vec![2],
        window: window(2, [1, 1]),
        ceil: false,
        column_major: false,
    };
    assert_eq!(
        one::<i64>(Op::ArgMaxPool(pool), &[Some(&x)]),
        (vec![1, 1, 3], vec![0, 2, 3])
    );
    let pool = LpPool {
        kernel: vec![2],
        window: window(1, [0, 0]),
        ceil: false,
        p: 2,
    };
    let roots = [5.0, 5.0, 10.0_f32.sqrt()];
    assert_eq!(one::<f32>(Op::LpPool(pool), &[Some(&x)]).1, roots);
    // Each element times (1, 10, 100), two apart, less one at the begin.
    let conv = ConvTranspose {
        window: window(2, [1, 0]),
        output_padding: vec![1],
        output: None,
        groups: 1,
    };
    let (x, w) = (
        tensor(&[1, 1, 2], &[1.0_f32, 2.0]),
        tensor(&[1, 1, 3], &[1.0_f32, 10.0, 100.0]),
    );
    assert_eq!(
        one::<f32>(Op::ConvTranspose(conv), &[Some(&x), Some(&w)]).1,
        [10.0, 102.0, 20.0, 200.0, 0.0]
    );
    // Columns (1, 2), (10, 20), (100, 200) of windows of two that are one apart.
    let columns = tensor(&[1, 2, 3], &[1.0_f32, 10.0, 100.0, 2.0, 20.0, 200.0]);
    let (image, kernel) = (tensor(&[1], &[4_i64]), tensor(&[1], &[2_i64]));
    let op = Col2Im {
        window: window(1, [0, 0]),
    };
    assert_eq!(
        one::<f32>(
            Op::Col2Im(op),
            &[Some(&columns), Some(&image), Some(&kernel)]
        )
        .1,
        [1.0, 12.0, 120.0, 200.0]
    );
}

#[test]
fn attributes_survive_their_text() {
    let ops = [
        Op::ScatterNd(ScatterNd {
            reduction: Reduction::Max,
        }),
        Op::Pad(PadOp {
            mode: PadMode::Wrap,
        }),
        Op::Unique(Unique {
            axis: Some(-1),
            sorted: false,
        }),
    ];
    for op in ops {
        assert_eq!(Op::from_text(op.name(), &op.attrs()), Ok(op));
    }
    let mut attrs = Op::Pad(PadOp {
        mode: PadMode::Edge,
    })
    .attrs();
    attrs = attrs
        .iter()
        .map(|(name, _)| (name.to_owned(), Attr::Word("fold".into())))
        .fold(
            Default::default(),
            |mut all: graph::op::Attrs, (name, attr)| {
                all.push(name, attr);
                all
            },
        );
    assert_eq!(
        Op::from_text("pad", &attrs),
        Err("attribute mode is none of its words".to_owned())
    );
}
