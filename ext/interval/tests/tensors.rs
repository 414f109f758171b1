//! `Interval` in tensors: views, generic algebra whose results enclose the exact ones, conversion, its set.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails as it should")]

#[path = "../../algebra/tests/support/dynamic.rs"]
mod dynamic;
#[path = "../../algebra/tests/support/mod.rs"]
mod support;

use algebra::{map, matmul, product, sum};
use interval::{BoundedTag, BoundedTensor, Interval};
use tensor::core::{DType, ExternalId, MemberKind, MemberSpec};
use tensor::{ExternalScalar, Host, Rank, SliceSpec, TypedTensor};

fn of(lo: f64, hi: f64) -> Interval {
    Interval::new(lo, hi).unwrap()
}

fn point(value: f64) -> Interval {
    Interval::point(value).unwrap()
}

#[test]
fn a35_a_dynamic_tensor_holds_it() {
    dynamic::check(
        [
            of(1.0, 2.0),
            of(-3.0, 0.5),
            point(4.0),
            of(0.25, 0.5),
            point(-7.0),
            of(-1.0, 9.0),
        ],
        [
            "[     [1, 2]   [-3, 0.5]      [4, 4]]",
            "[[0.25, 0.5]    [-7, -7]     [-1, 9]]",
        ],
    );
}

#[test]
fn a38_storage_views_and_neutral_elements() {
    support::check([
        of(1.0, 2.0),
        of(-3.0, 0.5),
        point(4.0),
        of(0.1, 0.2),
        point(-7.0),
        of(-1.0, 9.0),
    ]);
}

/// An element type that implements no trait of `tensor` at all: storage, views and copies ask for none.
#[test]
fn a19_any_clone_type_is_an_element() {
    #[derive(Clone)]
    struct Bounds {
        lo: f64,
        hi: f64,
    }
    let bounds = |lo: f64| Bounds { lo, hi: lo + 1.0 };
    let data = (0..6).map(f64::from).map(bounds).collect();
    let mut t =
        TypedTensor::<Bounds, Rank<2>, Host>::from_host_vec_col_major([2, 3], data).unwrap();
    assert_eq!((t[[1, 2]].lo, t[[0, 1]].hi), (5.0, 3.0));
    let view = t.as_view().unwrap();
    assert_eq!(
        (view.strides(), view.transpose()[[2, 0]].lo),
        (&[1, 2][..], 4.0)
    );
    let odd = view.slice_axis(1, SliceSpec::new(None, None, -2)).unwrap();
    assert_eq!((odd.strides(), odd[[1, 0]].lo), (&[1, -4][..], 5.0));
    let copy = t.clone();
    t[[0, 0]].lo = -9.0;
    assert_eq!((copy[[0, 0]].lo, t[[0, 0]].lo), (0.0, -9.0));
    let address = t.storage().unwrap().as_ptr();
    assert_eq!(t.into_dynamic().storage().unwrap().as_ptr(), address);
}

/// The sum of `n` times the f64 nearest to 0.1, which is `m / 2^55` with `m = 3602879701896397`: exact in integers.
#[test]
fn a38_sums_enclose_the_exact_sum() {
    let n = 1000;
    let tenths = TypedTensor::<Interval>::full([n], point(0.1)).unwrap();
    let view = tenths.as_view().unwrap();
    let total = sum(&view, &[0]).unwrap().as_slice().unwrap()[0];
    let exact = 3_602_879_701_896_397_i128 * n as i128;
    // Bounds times 2^55 are whole numbers; 2^55 is a power of two, so the scaling is exact.
    let scale = 2.0_f64.powi(55);
    assert!(
        (total.lo() * scale) as i128 <= exact && exact <= (total.hi() * scale) as i128,
        "{total}"
    );
    assert!(total.width() > 0.0 && total.width() < 1e-10, "{total}");
    // Plain f64 has an error that nobody tells: it lies inside.
    let plain = sum(
        &map(&view, |&x| f64::from(x)).unwrap().as_view().unwrap(),
        &[0],
    )
    .unwrap();
    assert!(total.contains(plain.as_slice().unwrap()[0]));
}

#[test]
fn a38_matmul_of_ranges() {
    // [1, 2] * [3, 4] + [-1, 1] * [5, 5] = [3, 8] + [-5, 5].
    let row = TypedTensor::<Interval, Rank<2>>::from_vec_row_major(
        [1, 2],
        vec![of(1.0, 2.0), of(-1.0, 1.0)],
    )
    .unwrap();
    let column = TypedTensor::<Interval, Rank<2>>::from_vec_col_major(
        [2, 1],
        vec![of(3.0, 4.0), point(5.0)],
    )
    .unwrap();
    let out = matmul(&row.as_view().unwrap(), &column.as_view().unwrap()).unwrap();
    assert_eq!(out[[0, 0]], of(-2.0, 13.0));
    assert_eq!(out[[0, 0]].to_string(), "[-2, 13]");
    assert_eq!(
        product(&row.as_view().unwrap(), &[1])
            .unwrap()
            .as_slice()
            .unwrap(),
        [of(-2.0, 2.0)]
    );
}

#[test]
fn a38_conversion_from_and_to_f64() {
    let floats =
        TypedTensor::<f64, Rank<2>>::from_vec_col_major([1, 3], vec![0.5, -2.0, 1e308]).unwrap();
    let points = map(&floats.as_view().unwrap(), |&x| point(x)).unwrap();
    let bounds = map(&points.as_view().unwrap(), |x| (x.lo(), x.hi())).unwrap();
    assert_eq!(bounds[[0, 1]], (-2.0, -2.0));
    let back = map(&points.as_view().unwrap(), |&x| f64::from(x)).unwrap();
    assert_eq!(back.as_slice().unwrap(), floats.as_slice().unwrap());
}

#[test]
fn b02_b04_the_set() {
    assert_eq!(
        BoundedTag::TAGS,
        [BoundedTag::I32, BoundedTag::F64, BoundedTag::Interval]
    );
    assert_eq!(
        BoundedTag::SPECS[2],
        MemberSpec::new(MemberKind::Float, 2, 128)
    );
    let data = vec![of(1.0, 2.0), of(3.0, 4.0)];
    let tensor =
        BoundedTensor::from(TypedTensor::from_host_vec_row_major([2, 1], data.clone()).unwrap());
    let id = ExternalId::from_name("interval.f64");
    assert_eq!(
        (tensor.tag(), tensor.dtype()),
        (BoundedTag::Interval, DType::External(id))
    );
    assert_eq!(Interval::DTYPE, DType::External(id));
    assert_eq!(
        tensor.as_typed::<Interval>().unwrap().as_slice().unwrap(),
        data
    );
    let unchanged = tensor.into_typed::<f64>().unwrap_err();
    assert_eq!(unchanged.shape(), [2, 1]);
}

#[test]
fn b09_promotion_in_the_set() {
    use BoundedTag::{F64, I32, Interval};
    let order = [I32, F64, Interval];
    let table = [
        [I32, Interval, Interval],
        [Interval, F64, Interval],
        [Interval; 3],
    ];
    for (lhs, row) in order.into_iter().zip(table) {
        for (rhs, expect) in order.into_iter().zip(row) {
            assert_eq!(
                BoundedTensor::promote(lhs, rhs),
                Ok(expect),
                "{lhs:?} with {rhs:?}"
            );
        }
    }
}
