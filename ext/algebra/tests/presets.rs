//! The algorithms on every preset with arithmetic, against plain loops in wider arithmetic, and what they refuse.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails as it should")]

mod support;

use algebra::{AlgebraError, map, matmul, product, sum};
use tensor::core::ScalarArithmetic;
use tensor::{
    Complex32, Complex64, Rank, SliceSpec, TensorError, TypedTensor, TypedTensorView, bf16, f16,
};

/// Small whole numbers, exact in every preset: entry `i` of a sequence without a pattern.
fn entry(i: usize) -> i128 {
    (i * i * 7 + i * 3) as i128 % 11
}

/// `out[i, j] = sum over k` in `i128`.
fn naive(a: &[i128], b: &[i128], m: usize, k: usize, n: usize) -> Vec<i128> {
    let cell = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
    (0..m * n).map(|at| cell(at / n, at % n)).collect()
}

fn check_preset<T: ScalarArithmetic + PartialEq + std::fmt::Debug>(of: impl Fn(i128) -> T) {
    for (m, k, n) in [
        (1, 1, 1),
        (2, 3, 4),
        (5, 7, 3),
        (3, 0, 2),
        (0, 2, 2),
        (2, 4, 0),
    ] {
        let a: Vec<i128> = (0..m * k).map(entry).collect();
        let b: Vec<i128> = (0..k * n).map(|i| entry(i + 5)).collect();
        let expect: Vec<T> = naive(&a, &b, m, k, n).into_iter().map(&of).collect();
        let typed = |v: &[i128]| v.iter().map(|&x| of(x)).collect::<Vec<T>>();
        let lhs = TypedTensor::<T, Rank<2>>::from_vec_row_major([m, k], typed(&a)).unwrap();
        let rhs = TypedTensor::<T, Rank<2>>::from_vec_row_major([k, n], typed(&b)).unwrap();
        let (lhs, rhs) = (lhs.as_view().unwrap(), rhs.as_view().unwrap());
        assert_eq!(
            matmul(&lhs, &rhs).unwrap().as_slice().unwrap(),
            expect,
            "{m} {k} {n}"
        );
        // The same elements, in column-major memory.
        let turned = lhs.transpose().to_contiguous().unwrap();
        let turned = turned.as_view().unwrap();
        assert_eq!(
            matmul(&turned.transpose(), &rhs)
                .unwrap()
                .as_slice()
                .unwrap(),
            expect
        );
        let rows: Vec<T> = (0..m)
            .map(|i| of(a[i * k..(i + 1) * k].iter().sum()))
            .collect();
        assert_eq!(sum(&lhs, &[1]).unwrap().as_slice().unwrap(), rows);
        assert_eq!(sum(&turned, &[0]).unwrap().as_slice().unwrap(), rows);
    }
    support::check([1, 2, 3, 4, 5, 6].map(&of));
    let line = TypedTensor::<T>::from_vec_row_major([4], [1, 2, 3, 4].map(&of).to_vec()).unwrap();
    assert_eq!(
        product(&line.as_view().unwrap(), &[0])
            .unwrap()
            .as_slice()
            .unwrap(),
        [of(24)]
    );
}

#[test]
fn every_preset_with_arithmetic() {
    check_preset(|x| x as f32);
    check_preset(|x| x as f64);
    check_preset(|x| f16::from_f64(x as f64));
    // bf16 has 8 bits: what is above 256 is expected rounded once.
    check_preset(|x| bf16::from_f32(x as f32));
    check_preset(|x| Complex32::new(x as f32, 0.0));
    check_preset(|x| Complex64::new(x as f64, 0.0));
    check_preset(|x| x as i8);
    check_preset(|x| x as i16);
    check_preset(|x| x as i32);
    check_preset(|x| x as i64);
    check_preset(|x| x as u8);
    check_preset(|x| x as u16);
    check_preset(|x| x as u32);
    check_preset(|x| x as u64);
}

#[test]
fn complex_products_have_both_parts() {
    let i = TypedTensor::<Complex64, Rank<2>>::from_vec_row_major(
        [1, 2],
        vec![Complex64::new(1.0, 2.0), Complex64::new(0.0, -1.0)],
    )
    .unwrap();
    let view = i.as_view().unwrap();
    // (1 + 2i)^2 + (-i)^2 = -3 + 4i - 1.
    let out = matmul(&view, &view.transpose()).unwrap();
    assert_eq!(out.as_slice().unwrap(), [Complex64::new(-4.0, 4.0)]);
}

#[test]
fn half_precision_is_rounded_once() {
    // 2048 + 1 rounds back to 2048 in f16 if it is rounded at each step.
    let ones =
        TypedTensor::<f16, Rank<2>>::from_vec_row_major([1, 2049], vec![f16::ONE; 2049]).unwrap();
    let view = ones.as_view().unwrap();
    assert_eq!(
        sum(&view, &[1]).unwrap().as_slice().unwrap()[0].to_f32(),
        2048.0
    );
    let ones =
        TypedTensor::<f16, Rank<2>>::from_vec_row_major([1, 2052], vec![f16::ONE; 2052]).unwrap();
    let view = ones.as_view().unwrap();
    assert_eq!(
        sum(&view, &[1]).unwrap().as_slice().unwrap()[0].to_f32(),
        2052.0
    );
    assert_eq!(
        matmul(&view, &view.transpose())
            .unwrap()
            .as_slice()
            .unwrap()[0]
            .to_f32(),
        2052.0
    );
}

#[test]
fn reductions_over_inner_axes_and_reversed_views() {
    let data: Vec<i64> = (0..24).collect();
    let t = TypedTensor::<i64>::from_vec_row_major([2, 3, 4], data).unwrap();
    let view = t.as_view().unwrap();
    // numpy: arange(24).reshape(2, 3, 4).sum(axis=(0, 2)).
    assert_eq!(
        sum(&view, &[2, 0]).unwrap().as_slice().unwrap(),
        [60, 92, 124]
    );
    assert_eq!(
        sum(&view, &[1]).unwrap().as_slice().unwrap(),
        [12, 15, 18, 21, 48, 51, 54, 57]
    );
    let back = view.slice_axis(2, SliceSpec::reverse()).unwrap();
    assert_eq!(
        sum(&back, &[1]).unwrap().as_slice().unwrap(),
        [21, 18, 15, 12, 57, 54, 51, 48]
    );
    // A broadcast view counts each element as often as it is seen.
    let wide = TypedTensor::scalar(3_i64);
    let wide = wide.as_view().unwrap().broadcast_to([1000, 1000]).unwrap();
    assert_eq!(
        sum(&wide, &[0, 1]).unwrap().as_slice().unwrap(),
        [3_000_000]
    );
    let scalar = TypedTensor::scalar(7_i64);
    assert_eq!(
        sum(&scalar.as_view().unwrap(), &[])
            .unwrap()
            .as_slice()
            .unwrap(),
        [7]
    );
    // Each element is its own sum over no axes: a sum from 0 would lose the sign of -0.
    let zero = TypedTensor::scalar(-0.0_f64);
    let kept = sum(&zero.as_view().unwrap(), &[]).unwrap();
    assert!(kept.as_slice().unwrap()[0].is_sign_negative());
}

#[test]
fn refusals_name_operation_and_shapes() {
    let a = TypedTensor::<i32, Rank<2>>::zeros([2, 3]).unwrap();
    let a = a.as_view().unwrap();
    let error = matmul(&a, &a).unwrap_err();
    assert!(
        matches!(&error, AlgebraError::InnerExtents { op: "matmul", lhs, rhs } if **lhs == [2, 3] && **rhs == [2, 3])
    );
    assert!(
        error.to_string().starts_with("matmul: [2, 3] by [2, 3]: "),
        "{error}"
    );
    for (axes, bad) in [(&[2][..], 2), (&[0, 0], 0), (&[1, usize::MAX], usize::MAX)] {
        let error = sum(&a, axes).unwrap_err();
        assert!(
            matches!(&error, AlgebraError::Axes { op: "sum", axis, .. } if *axis == bad),
            "{error}"
        );
        assert!(error.to_string().contains("shape [2, 3]"), "{error}");
        assert!(
            product(&a, axes)
                .unwrap_err()
                .to_string()
                .starts_with("product: ")
        );
    }
}

#[test]
fn results_that_fit_no_memory_are_errors() {
    let one = [1_u8];
    let huge =
        TypedTensorView::<u8, Rank<2>>::from_slice_strided([1 << 40, 1], &[0, 0], 0, &one).unwrap();
    let error = matmul(&huge, &huge.transpose()).unwrap_err();
    assert!(
        matches!(&error, AlgebraError::Tensor { op: "matmul", .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("[1099511627776, 1099511627776]"),
        "{error}"
    );
    assert!(std::error::Error::source(&error).is_some());
    let nothing = TypedTensorView::<u8, Rank<2>>::from_slice([usize::MAX, 0], &[]).unwrap();
    assert!(matches!(
        sum(&nothing, &[1]).unwrap_err(),
        AlgebraError::Tensor { op: "sum", .. }
    ));
    assert_eq!(sum(&nothing, &[0]).unwrap().shape(), [0]);
    let wide =
        TypedTensorView::<u8, Rank<2>>::from_slice_strided([1 << 46, 2], &[0, 0], 0, &one).unwrap();
    let error = map(&wide, |&x| f64::from(x)).unwrap_err();
    let AlgebraError::Tensor { source, .. } = &error else {
        panic!("{error}")
    };
    assert!(
        matches!(**source, TensorError::OutOfMemory { elements, .. } if elements == 1 << 47),
        "{error}"
    );
}

#[test]
fn a05_map_takes_elements_of_any_type() {
    let words =
        TypedTensor::<String, Rank<2>>::from_vec_col_major([1, 2], vec!["a".into(), "bcd".into()])
            .unwrap();
    let lengths = map(&words.as_view().unwrap(), String::len).unwrap();
    assert_eq!((lengths[[0, 0]], lengths[[0, 1]]), (1, 3));
}
