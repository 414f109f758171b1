//! Typed tensors: ownership, order, conversions and sizes.

use std::cell::Cell;
use std::rc::Rc;

use crate::{Host, Rank, Result, TypedTensor, ValidationError};

fn two_by_three() -> TypedTensor<f64> {
    TypedTensor::from_vec_row_major([2, 3], vec![1., 2., 3., 4., 5., 6.]).unwrap()
}

#[test]
fn both_orders_adopt_the_vector_and_read_the_same_values() {
    let data = vec![1, 2, 3, 4, 5, 6];
    let address = data.as_ptr();
    let row = TypedTensor::<i32>::from_vec_row_major(vec![2, 3], data).unwrap();
    assert_eq!(row.as_slice().unwrap().as_ptr(), address);
    let col = TypedTensor::<i32>::from_vec_col_major([2, 3], vec![1, 4, 2, 5, 3, 6]).unwrap();
    assert_eq!((row.strides(), col.strides()), (&[3, 1][..], &[1, 2][..]));
    assert_eq!(row.to_vec().unwrap(), col.to_vec().unwrap());
    for i in 0..2 {
        for j in 0..3 {
            assert_eq!(row.get(&[i, j]).unwrap(), col.get(&[i, j]).unwrap());
        }
    }
    assert_eq!(col.storage().unwrap(), [1, 4, 2, 5, 3, 6]);
    let copy = col.to_contiguous().unwrap();
    assert_eq!(copy.as_slice().unwrap(), [1, 2, 3, 4, 5, 6]);
    let back = row.into_vec().unwrap();
    assert_eq!(back.as_ptr(), address);
}

#[test]
fn texts_of_errors_name_the_constructor() {
    let check = |made: Result<TypedTensor<f64, Rank<2>>>, expect: &str| {
        assert_eq!(made.unwrap_err().to_string(), expect);
    };
    check(
        TypedTensor::from_vec_col_major(vec![2, 3, 1], vec![0.; 6]),
        "from_vec_col_major: rank mismatch: expected 2, actual 3",
    );
    check(
        TypedTensor::from_vec_col_major([2, 3], vec![0.; 5]),
        "from_vec_col_major: shape product 6 does not match data length 5",
    );
    check(
        TypedTensor::from_vec_row_major([usize::MAX, 3], vec![]),
        "from_vec_row_major: the element count overflows for shape [18446744073709551615, 3]",
    );
    check(
        TypedTensor::zeros([1 << 40, 1 << 20]),
        "zeros: cannot allocate 1152921504606846976 elements of 8 bytes; use a smaller shape",
    );
}

#[test]
fn a_failed_rank_conversion_returns_the_owner() {
    let t = two_by_three();
    let address = t.as_slice().unwrap().as_ptr();
    let failed = t.try_into_rank::<3>().unwrap_err();
    assert_eq!(
        failed.to_string(),
        "tensor reinterpretation failed: TypedTensor::try_into_rank: rank mismatch: expected 3, actual 2"
    );
    let ranked = failed.into_owner().try_into_rank::<2>().unwrap();
    assert_eq!(ranked.as_slice().unwrap().as_ptr(), address);
    assert_eq!(ranked[[1, 2]], 6.0);
    assert_eq!(ranked.into_dyn_rank().as_slice().unwrap().as_ptr(), address);
}

#[test]
fn a_failed_into_vec_returns_the_owner() {
    let col = TypedTensor::<i32>::from_vec_col_major([2, 2], vec![1, 3, 2, 4]).unwrap();
    let failed = col.into_vec().unwrap_err();
    assert!(failed.to_string().contains("to_contiguous()"), "{failed}");
    assert_eq!(
        failed.into_owner().into_vec_col_major().unwrap(),
        [1, 3, 2, 4]
    );
}

#[test]
#[should_panic(expected = "index 3 is out of bounds for axis 1")]
fn indexing_outside_panics() {
    let t = two_by_three().try_into_rank::<2>().unwrap();
    let _ = t[[0, 3]];
}

#[test]
fn writing() {
    let mut t = two_by_three().try_into_rank::<2>().unwrap();
    t[[0, 1]] = 20.0;
    *t.get_mut(&[1, 0]).unwrap() = 40.0;
    t.as_mut_slice().unwrap()[5] = 60.0;
    assert_eq!(t.as_slice().unwrap(), [1., 20., 3., 40., 5., 60.]);
    assert!(t.get(&[2, 0]).is_err());
    assert!(t.get_mut(&[0]).is_err());
}

#[test]
fn only_host_tensors_clone() {
    let host: TypedTensor<String, Rank<1>, Host> =
        TypedTensor::from_host_vec_row_major([2], vec!["a".to_owned(), "b".to_owned()]).unwrap();
    let copy = host.clone();
    assert_ne!(
        copy.as_slice().unwrap().as_ptr(),
        host.as_slice().unwrap().as_ptr()
    );
    assert_eq!(copy.as_slice().unwrap(), host.as_slice().unwrap());
    let address = host.as_slice().unwrap().as_ptr();
    let dynamic = host.into_dynamic();
    assert_eq!(dynamic.as_slice().unwrap().as_ptr(), address);
    assert_eq!(dynamic.duplicate().unwrap()[[1]], "b");
    let (data, layout) = dynamic.into_host().unwrap().into_parts();
    assert_eq!((data.as_ptr(), layout.shape()), (address, &[2][..]));
}

#[test]
fn any_element_type_is_stored_and_dropped_once() {
    struct Counted(Rc<Cell<usize>>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let drops = Rc::new(Cell::new(0));
    let data = (0..6).map(|_| Counted(Rc::clone(&drops))).collect();
    let t = TypedTensor::<Counted>::from_vec_col_major([2, 3], data).unwrap();
    assert_eq!(t.as_view().unwrap().transpose().iter().count(), 6);
    let t = t
        .try_into_rank::<3>()
        .unwrap_err()
        .into_owner()
        .try_into_rank::<2>()
        .unwrap();
    assert_eq!(drops.get(), 0);
    drop(t);
    assert_eq!(drops.get(), 6);
}

#[test]
fn filling() {
    assert_eq!(
        TypedTensor::<i64>::full([2, 2], 7)
            .unwrap()
            .as_slice()
            .unwrap(),
        [7; 4]
    );
    assert_eq!(
        TypedTensor::<f32>::zeros([3]).unwrap().as_slice().unwrap(),
        [0.0; 3]
    );
    let empty = TypedTensor::<f32>::zeros([usize::MAX, 0]).unwrap();
    assert_eq!((empty.len(), empty.is_empty(), empty.rank()), (0, true, 2));
    let one = TypedTensor::scalar(3_u8);
    assert_eq!((one.rank(), one.len(), *one.get(&[]).unwrap()), (0, 1, 3));
}

#[test]
fn debug_prints_metadata_only() {
    let text = format!("{:?}", two_by_three());
    assert_eq!(
        text,
        "TypedTensor { element: \"f64\", shape: [2, 3], strides: [3, 1], representation: \"Dynamic\", placement: host memory }"
    );
}

#[test]
fn non_contiguous_slices_are_refused() {
    let mut col = TypedTensor::<i32>::from_vec_col_major([2, 2], vec![1, 3, 2, 4]).unwrap();
    for error in [
        col.as_slice().map(|_| ()).unwrap_err(),
        col.as_mut_slice().map(|_| ()).unwrap_err(),
    ] {
        assert!(matches!(
            error,
            crate::TensorError::Validation(ValidationError::NonContiguous { .. })
        ));
    }
}

#[test]
fn h11_tensors_and_views_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<TypedTensor<f32>>();
    check::<TypedTensor<f32, Rank<2>, Host>>();
    check::<crate::Tensor>();
    check::<crate::TensorView<'static>>();
    check::<crate::TensorViewMut<'static>>();
    check::<crate::TensorError>();
}
