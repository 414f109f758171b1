//! `DoubleDouble` in tensors: views, generic algebra, conversion, and its set with promotion.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails as it should")]

#[path = "../../algebra/tests/support/dynamic.rs"]
mod dynamic;
#[path = "../../algebra/tests/support/mod.rs"]
mod support;

use algebra::{map, matmul, product, sum};
use double_double::{DoubleDouble, ExtendedTag, ExtendedTensor};
use tensor::core::{DType, ExternalId, MemberKind, MemberSpec};
use tensor::{DynRank, ExternalScalar, Host, Rank, Tensor, TypedTensor};

fn dd(text: &str) -> DoubleDouble {
    text.parse().unwrap()
}

/// 2^-80: lost by any f64 that also holds 1.
fn tiny() -> DoubleDouble {
    DoubleDouble::from(2.0_f64.powi(-80))
}

#[test]
fn a35_a_dynamic_tensor_holds_it() {
    dynamic::check(
        [
            "1",
            "0.1",
            "-2.5",
            "1e40",
            "0.333333333333333333333333333",
            "7",
        ]
        .map(dd),
        [
            "[                            1                           0.1                          -2.5]",
            "[                         1e40 0.333333333333333333333333333                             7]",
        ],
    );
}

#[test]
fn a38_storage_views_and_neutral_elements() {
    support::check(
        [
            "1",
            "0.1",
            "-2.5",
            "1e20",
            "0.333333333333333333333333333",
            "7",
        ]
        .map(dd),
    );
}

#[test]
fn a38_bits_below_f64_survive_copies_sums_and_products() {
    let one = DoubleDouble::ONE;
    let matrix = TypedTensor::<DoubleDouble, Rank<2>>::from_vec_row_major(
        [2, 2],
        vec![one, tiny(), one + tiny(), -one],
    )
    .unwrap();
    let view = matrix.as_view().unwrap();
    let turned = view.permute(&[1, 0]).unwrap().to_contiguous().unwrap();
    assert_eq!(turned[[0, 1]] - one, tiny());
    // Columns: 1 + (1 + 2^-80) = 2 + 2^-80, and 2^-80 - 1.
    let columns = sum(&view, &[0]).unwrap();
    assert_eq!(
        columns.as_slice().unwrap(),
        [one + one + tiny(), tiny() - one]
    );
    assert_eq!(
        sum(&view, &[0, 1]).unwrap().as_slice().unwrap(),
        [one + tiny() + tiny()]
    );
    // Row 0 by row 1: (1 + 2^-80) - 2^-80 = 1; row 1 by itself: (1 + 2^-80)^2 + 1 = 2 + 2^-79 + 2^-160.
    let gram = matmul(&view, &view.transpose()).unwrap();
    assert_eq!(gram[[0, 1]], one);
    assert_eq!(gram[[1, 1]], one + one + tiny() + tiny());
    assert_eq!(
        product(&view, &[0]).unwrap().as_slice().unwrap(),
        [one + tiny(), -tiny()]
    );
    // The same in f64 has lost them.
    let plain = map(&view, |&x| x.to_f64()).unwrap();
    assert_eq!(
        sum(&plain.as_view().unwrap(), &[0, 1])
            .unwrap()
            .as_slice()
            .unwrap(),
        [1.0]
    );
}

/// A Hilbert matrix times its inverse, which is of integers: products of up to 6350400 cancel to the identity.
#[test]
fn a38_a_matrix_product_that_cancels() {
    let inverse: [i32; 16] = [
        16, -120, 240, -140, -120, 1200, -2700, 1680, 240, -2700, 6480, -4200, -140, 1680, -4200,
        2800,
    ];
    let hilbert: Vec<DoubleDouble> = (0..16)
        .map(|at| DoubleDouble::ONE / DoubleDouble::from(f64::from(at / 4 + at % 4 + 1)))
        .collect();
    let a = TypedTensor::<DoubleDouble, Rank<2>>::from_vec_row_major([4, 4], hilbert).unwrap();
    let ints = TypedTensor::<i32, Rank<2>>::from_vec_col_major([4, 4], inverse.to_vec()).unwrap();
    let b = map(&ints.as_view().unwrap(), |&x| {
        DoubleDouble::from(f64::from(x))
    })
    .unwrap();
    let unit = matmul(&a.as_view().unwrap(), &b.as_view().unwrap()).unwrap();
    for i in 0..4 {
        for j in 0..4 {
            let off = (unit[[i, j]] - DoubleDouble::from(f64::from(u8::from(i == j)))).abs();
            assert!(off < dd("1e-27"), "[{i}, {j}] is off by {off}");
        }
    }
}

#[test]
fn a38_conversion_from_and_to_f64() {
    let floats =
        TypedTensor::<f64, Rank<2>>::from_vec_col_major([2, 2], vec![0.1, 1e300, -0.0, 5e-324])
            .unwrap();
    let wide = map(&floats.as_view().unwrap(), |&x| DoubleDouble::from(x)).unwrap();
    // The f64 nearest to 0.1, exactly: 0.1000000000000000055511151231257827021181583404541015625.
    assert_eq!(
        wide[[0, 0]].to_string(),
        "0.1000000000000000055511151231258"
    );
    let back = map(&wide.as_view().unwrap(), |&x| f64::from(x)).unwrap();
    assert_eq!(back.to_vec().unwrap(), floats.to_vec().unwrap());
}

#[test]
fn b02_b03_tags_specs_and_payloads_are_parallel() {
    use MemberKind::{Boolean, Float, Integer};
    let rows = [
        (ExtendedTag::F32, "f32", MemberSpec::new(Float, 0, 32), 4),
        (ExtendedTag::F64, "f64", MemberSpec::new(Float, 1, 64), 8),
        (
            ExtendedTag::DoubleDouble,
            "double_double",
            MemberSpec::new(Float, 2, 128),
            16,
        ),
        (ExtendedTag::I64, "i64", MemberSpec::new(Integer, 1, 64), 8),
        (ExtendedTag::Bool, "bool", MemberSpec::new(Boolean, 0, 0), 1),
    ];
    assert_eq!((ExtendedTag::TAGS.len(), ExtendedTag::SPECS.len()), (5, 5));
    for (i, (tag, name, spec, bytes)) in rows.into_iter().enumerate() {
        assert_eq!((ExtendedTag::TAGS[i], ExtendedTag::SPECS[i]), (tag, spec));
        assert_eq!(
            (tag.spec(), tag.name(), tag.size_bytes()),
            (spec, name, bytes)
        );
    }
    // Tags carry no payload.
    assert_eq!(size_of::<ExtendedTag>(), 1);
}

#[test]
fn b04_the_set_holds_each_member() {
    fn host<T>(data: Vec<T>) -> TypedTensor<T, DynRank, Host> {
        TypedTensor::from_host_vec_col_major([data.len(), 1], data).unwrap()
    }
    let id = ExternalId::from_name("double_double.binary106");
    assert_eq!(DoubleDouble::DTYPE, DType::External(id));
    let rows: [(ExtendedTensor, ExtendedTag, DType); 5] = [
        (host(vec![1.0_f32]).into(), ExtendedTag::F32, DType::F32),
        (host(vec![1.0_f64]).into(), ExtendedTag::F64, DType::F64),
        (
            host(vec![tiny()]).into(),
            ExtendedTag::DoubleDouble,
            DType::External(id),
        ),
        (host(vec![1_i64]).into(), ExtendedTag::I64, DType::I64),
        (host(vec![true]).into(), ExtendedTag::Bool, DType::Bool),
    ];
    for (tensor, tag, dtype) in rows {
        assert_eq!(
            (tensor.tag(), tensor.dtype(), tensor.shape()),
            (tag, dtype, &[1, 1][..])
        );
        let copy = tensor.clone();
        assert!(format!("{copy:?}").contains("shape: [1, 1]"), "{copy:?}");
        assert_eq!(
            copy.as_typed::<DoubleDouble>().is_some(),
            tag == ExtendedTag::DoubleDouble
        );
        match tensor.into_typed::<DoubleDouble>() {
            Ok(typed) => assert_eq!(typed.as_slice().unwrap(), [tiny()]),
            Err(unchanged) => assert_eq!(unchanged.tag(), tag),
        }
    }
}

#[test]
fn b09_promotion_in_the_set() {
    use ExtendedTag::{Bool, DoubleDouble as D, F32, F64, I64};
    let order = [F32, F64, D, I64, Bool];
    let table = [
        [F32, F64, D, D, F32],
        [F64, F64, D, D, F64],
        [D, D, D, D, D],
        [D, D, D, I64, I64],
        [F32, F64, D, I64, Bool],
    ];
    for (lhs, row) in order.into_iter().zip(table) {
        for (rhs, expect) in order.into_iter().zip(row) {
            assert_eq!(
                ExtendedTensor::promote(lhs, rhs),
                Ok(expect),
                "{lhs:?} with {rhs:?}"
            );
        }
    }
}

/// Another scalar with the same parts: types are told apart by the compiler, names by their ids.
#[test]
fn a35_two_external_scalars_are_told_apart() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Impostor(DoubleDouble);
    impl tensor::Scalar for Impostor {
        const DOMAIN: tensor::ScalarDomain = DoubleDouble::DOMAIN;
    }
    impl std::fmt::Display for Impostor {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(f)
        }
    }
    impl ExternalScalar for Impostor {
        const NAME: &'static str = DoubleDouble::NAME;
    }
    let host = TypedTensor::from_host_vec_row_major([1], vec![Impostor(tiny())]).unwrap();
    let tensor = Tensor::external(host);
    assert_eq!(tensor.dtype(), DoubleDouble::DTYPE);
    assert!(tensor.as_external::<DoubleDouble>().is_none());
    let tensor = tensor
        .into_external::<DoubleDouble>()
        .unwrap_err()
        .into_owner();
    assert_eq!(
        tensor
            .as_external::<Impostor>()
            .unwrap()
            .as_slice()
            .unwrap(),
        [Impostor(tiny())]
    );
}

/// What the presets say of the same type: as a dtype it has no relation to any other.
#[test]
fn b09_as_a_dtype_it_promotes_with_itself_only() {
    let dtype = DoubleDouble::DTYPE;
    assert_eq!(tensor::core::promote(dtype, dtype), Ok(dtype));
    let error = tensor::core::promote(DType::F64, dtype).unwrap_err();
    assert_eq!((error.lhs, error.rhs), (DType::F64, dtype));
}
