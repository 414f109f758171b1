//! `Q16` in tensors: one rounding per sum, views, conversion, and a set made under another name of `tensor`.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails as it should")]

#[path = "../../algebra/tests/support/dynamic.rs"]
mod dynamic;
#[path = "../../algebra/tests/support/mod.rs"]
mod support;

use algebra::{map, matmul, product, sum};
use fixed_point::{Q16, SensorTag, SensorTensor};
use substrate::core::{DType, ExternalId, MemberKind, MemberSpec};
use substrate::{ExternalScalar, Rank, TypedTensor};

#[test]
fn a35_a_dynamic_tensor_holds_it() {
    dynamic::check(
        [1.0, -2.5, 0.125, 100.0, -0.0625, 3.0].map(Q16::from_f64),
        ["[      1    -2.5   0.125]", "[    100 -0.0625       3]"],
    );
}

#[test]
fn a38_storage_views_and_neutral_elements() {
    support::check([1.0, -2.5, 0.125, 100.0, -0.0625, 3.0].map(Q16::from_f64));
}

/// 0.25 units of 2^-16 per product: rounding each gives 0, rounding once gives their sum.
#[test]
fn a38_a_matrix_product_rounds_once() {
    let (small, half) = (Q16::from_bits(1 << 7), Q16::from_bits(1 << 7));
    let row = TypedTensor::<Q16, Rank<2>>::full([1, 1000], small).unwrap();
    let column = TypedTensor::<Q16, Rank<2>>::full([1000, 1], half).unwrap();
    let out = matmul(&row.as_view().unwrap(), &column.as_view().unwrap()).unwrap();
    // 1000 * 2^14 units of 2^-32 are 250 units of 2^-16.
    assert_eq!(out[[0, 0]], Q16::from_bits(250));
    assert_eq!(small * half, Q16::ZERO);
}

#[test]
fn a38_matmul_against_i128() {
    let (m, k, n) = (3, 5, 4);
    let bits = |i: usize| (i as i32 * 7_919_993) % 3_000_017 - 1_500_000;
    let a: Vec<Q16> = (0..m * k).map(|i| Q16::from_bits(bits(i))).collect();
    let b: Vec<Q16> = (0..k * n).map(|i| Q16::from_bits(bits(i + 100))).collect();
    let lhs = TypedTensor::<Q16, Rank<2>>::from_vec_row_major([m, k], a.clone()).unwrap();
    let rhs = TypedTensor::<Q16, Rank<2>>::from_vec_row_major([k, n], b.clone()).unwrap();
    let turned = rhs.as_view().unwrap().transpose().to_contiguous().unwrap();
    let rhs_col = turned.as_view().unwrap();
    let out = matmul(&lhs.as_view().unwrap(), &rhs_col.transpose()).unwrap();
    for i in 0..m {
        for j in 0..n {
            let exact: i128 = (0..k)
                .map(|l| i128::from(a[i * k + l].to_bits()) * i128::from(b[l * n + j].to_bits()))
                .sum();
            // Half a unit added, then the floor: no sum here is a tie.
            assert_ne!(exact.rem_euclid(65536), 32768);
            let expect = (exact + 32768)
                .div_euclid(65536)
                .clamp(i32::MIN.into(), i32::MAX.into());
            assert_eq!(i128::from(out[[i, j]].to_bits()), expect, "[{i}, {j}]");
        }
    }
}

#[test]
fn a38_sums_leave_the_range_and_come_back() {
    // 30000 + 30000 - 40000 = 20000, though the first sum is beyond the range of Q16.
    let t = TypedTensor::<Q16>::from_vec_row_major(
        [3],
        [30000.0, 30000.0, -40000.0 + 7232.0]
            .map(Q16::from_f64)
            .to_vec(),
    )
    .unwrap();
    let view = t.as_view().unwrap();
    assert_eq!(
        sum(&view, &[0]).unwrap().as_slice().unwrap()[0].to_f64(),
        27232.0
    );
    let more = view.broadcast_to([1_000_000, 3]).unwrap();
    assert_eq!(sum(&more, &[0, 1]).unwrap().as_slice().unwrap(), [Q16::MAX]);
    assert_eq!(
        product(&view, &[0]).unwrap().as_slice().unwrap(),
        [Q16::MIN]
    );
}

#[test]
fn a38_conversion_from_and_to_f64() {
    let floats = TypedTensor::<f64, Rank<2>>::from_vec_col_major([2, 1], vec![0.1, -3.25]).unwrap();
    let fixed = map(&floats.as_view().unwrap(), |&x| Q16::from_f64(x)).unwrap();
    // 0.1 * 65536 = 6553.6.
    assert_eq!(fixed[[0, 0]].to_bits(), 6554);
    let back = map(&fixed.as_view().unwrap(), |&x| f64::from(x)).unwrap();
    assert_eq!(back.as_slice().unwrap(), [6554.0 / 65536.0, -3.25]);
}

#[test]
fn b02_b04_the_set_of_a_crate_that_renames_its_dependency() {
    assert_eq!(
        SensorTag::TAGS,
        [SensorTag::I16, SensorTag::Q16, SensorTag::F64]
    );
    assert_eq!(
        SensorTag::SPECS[1],
        MemberSpec::new(MemberKind::Float, -1, 32)
    );
    let tensor =
        SensorTensor::from(TypedTensor::from_host_vec_row_major([1], vec![Q16::ONE]).unwrap());
    let id = ExternalId::from_name("fixed_point.q16_16");
    assert_eq!(
        (tensor.tag(), tensor.dtype()),
        (SensorTag::Q16, DType::External(id))
    );
    assert_eq!(
        (Q16::DTYPE, SensorTag::Q16.size_bytes()),
        (DType::External(id), 4)
    );
    assert_eq!(
        tensor.as_typed::<Q16>().unwrap().as_slice().unwrap(),
        [Q16::ONE]
    );
    let samples =
        SensorTensor::from(TypedTensor::from_host_vec_row_major([2], vec![1_i16, 2]).unwrap());
    assert_eq!((samples.dtype(), samples.shape()), (DType::I16, &[2][..]));
}

#[test]
fn b09_promotion_in_the_set() {
    use SensorTag::{F64, I16, Q16};
    let order = [I16, Q16, F64];
    let table = [[I16, F64, F64], [F64, Q16, F64], [F64; 3]];
    for (lhs, row) in order.into_iter().zip(table) {
        for (rhs, expect) in order.into_iter().zip(row) {
            assert_eq!(
                SensorTensor::promote(lhs, rhs),
                Ok(expect),
                "{lhs:?} with {rhs:?}"
            );
        }
    }
}
