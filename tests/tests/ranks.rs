//! Many axes, and extents beyond 31 bits.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use graph::scalar::ScalarValue;
use tenfold::prelude::*;
use tests::all::{call, executors, small};
use tests::text;
use tests::text::{elements, of_elements};

fn tf() -> Tf {
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    };
    Tf::new(&options).unwrap()
}

/// Row-major strides.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// The index of a row-major position.
fn index(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let strides = strides(shape);
    let digit = |stride: &usize| {
        let digit = at / stride;
        at %= stride;
        digit
    };
    strides.iter().map(digit).collect()
}

fn dot(index: &[usize], strides: &[usize]) -> usize {
    index.iter().zip(strides).map(|(i, s)| i * s).sum()
}

#[test]
fn eight_axes_in_transpose_reshape_reduce_and_slice() {
    let shape = [2, 3, 1, 2, 4, 1, 3, 2];
    let count: usize = shape.iter().product();
    let numbers: Vec<f64> = (0..count).map(|at| at as f64).collect();
    let x = of_elements(
        DType::F32,
        &shape,
        &numbers
            .iter()
            .map(|&v| ScalarValue::from_f64(DType::F32, v))
            .collect::<Vec<_>>(),
    );
    let perm = [7, 1, 4, 2, 0, 6, 5, 3];
    let turned: Vec<usize> = perm.iter().map(|&axis| shape[axis]).collect();
    let transposed = (0..count).map(|at| {
        let (to, from) = (index(at, &turned), strides(&shape));
        perm.iter()
            .zip(to)
            .map(|(&axis, i)| i * from[axis])
            .sum::<usize>() as f64
    });
    let mut cases = vec![
        (
            format!("transpose(x, perm = {perm:?})"),
            turned.clone(),
            transposed.collect::<Vec<_>>(),
        ),
        (
            "reshape(x, shape = [4, 3, 1, 1, 2, 3, 2, 2])".into(),
            vec![4, 3, 1, 1, 2, 3, 2, 2],
            numbers.clone(),
        ),
    ];
    // Sums over some axes, kept as axes of one element.
    let kept: Vec<usize> = shape
        .iter()
        .enumerate()
        .map(|(axis, &n)| if [1, 4, 7].contains(&axis) { 1 } else { n })
        .collect();
    let mut sums = vec![0.0; kept.iter().product()];
    for (at, value) in numbers.iter().enumerate() {
        let into: Vec<usize> = index(at, &shape)
            .iter()
            .zip(&kept)
            .map(|(&i, &n)| i.min(n - 1))
            .collect();
        sums[dot(&into, &strides(&kept))] += value;
    }
    cases.push((
        "reduce_sum(x, axes = [-1, 1, 4], keep = true, noop_if_empty = false)".into(),
        kept,
        sums,
    ));
    let sliced = [2, 3, 1, 1, 2, 1, 3, 2];
    let part = (0..sliced.iter().product()).map(|at| {
        let mut from = index(at, &sliced);
        (from[3], from[4]) = (1, 3 - 2 * from[4]);
        dot(&from, &strides(&shape)) as f64
    });
    cases.push((
        "slice(x, axes = [3, 4], starts = [1, 3], ends = [2, -9], steps = [1, -2])".into(),
        sliced.to_vec(),
        part.collect(),
    ));
    for (text, result, want) in cases {
        let declared = format!("x: f32{shape:?}");
        let graph = text::graph(&declared, &format!("f32{result:?}"), &text).unwrap();
        for executor in executors() {
            let made = executor.run(&graph, &[("x", x.view().unwrap())]);
            let made = made.unwrap_or_else(|error| panic!("{}: {text}: {error}", executor.name()));
            let got: Vec<f64> = elements(&made[0].1).iter().map(|e| e.to_f64()).collect();
            assert_eq!(got, want, "{}: {text}", executor.name());
        }
    }
}

#[test]
fn six_batch_axes_broadcast_in_a_matmul_of_eight() {
    let (a, b) = ([2, 1, 3, 1, 2, 1, 2, 4], [1, 2, 1, 1, 2, 3, 4, 5]);
    let result = [2, 2, 3, 1, 2, 3, 2, 5];
    let (x, y) = (small(DType::F32, &a, 1), small(DType::F32, &b, 2));
    let (lists, steps) = ([elements(&x), elements(&y)], [strides(&a), strides(&b)]);
    let entry = |at: usize| -> f64 {
        let to = index(at, &result);
        let place = |side: usize, shape: &[usize], row: usize, column: usize| {
            let mut from: Vec<usize> = to.iter().zip(shape).map(|(&i, &n)| i.min(n - 1)).collect();
            (from[6], from[7]) = (row, column);
            lists[side][dot(&from, &steps[side])].to_f64()
        };
        (0..4)
            .map(|k| place(0, &a, to[6], k) * place(1, &b, k, to[7]))
            .sum()
    };
    let want: Vec<f64> = (0..result.iter().product()).map(entry).collect();
    for executor in executors() {
        let got = call(
            &*executor,
            "matmul",
            &[x.to_contiguous().unwrap(), y.to_contiguous().unwrap()],
            DType::F32,
            &result,
        )
        .unwrap();
        let got: Vec<f64> = elements(&got).iter().map(|e| e.to_f64()).collect();
        assert_eq!(got, want, "{}", executor.name());
    }
}

/// Rows that are one row in memory, so many that positions of elements take more than 32 bits.
#[test]
fn indices_beyond_two_to_the_31st_find_their_elements() {
    let tf = tf();
    let rows = (1_usize << 31) + 1;
    let row = tf.values([1, 3], vec![5_u8, 6, 7]).unwrap();
    let table = row.broadcast_to([rows, 3]).unwrap();
    assert_eq!(table.get::<u8>(&[rows - 1, 2]).unwrap(), 7);
    assert!(table.get::<u8>(&[rows, 0]).is_err());
    let end = table.slice(0, rows as i64 - 2, i64::MAX).unwrap();
    assert_eq!(end.ty().to_string(), "u8[2, 3]");
    assert_eq!(end.to_vec::<u8>().unwrap(), [5, 6, 7, 5, 6, 7]);
    let backwards = table.slice_step(0, -1, 0, -(1 << 31)).unwrap();
    assert_eq!(backwards.to_vec::<u8>().unwrap(), [5, 6, 7]);
    let places = tf
        .values([2], vec![rows as i64 - 1, -(rows as i64)])
        .unwrap();
    let found = table.gather(&places, 0).unwrap();
    assert_eq!(found.to_vec::<u8>().unwrap(), [5, 6, 7, 5, 6, 7]);
    let beyond = tf.values([1], vec![rows as i64]).unwrap();
    let error = table.gather(&beyond, 0).unwrap_err().to_string();
    assert!(error.contains(&rows.to_string()), "{error}");
}
