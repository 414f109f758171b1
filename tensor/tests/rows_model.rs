//! What the types of the data model promise, one test per promise, where neither storage nor views are the subject.

use tensor::{
    Complex32, Complex64, DType, Scalar, ScalarDomain, Tensor, TensorElement, TensorError,
    TensorScalar, TypedTensor, bf16, f16,
};

/// Both traits are sealed (see the compile-fail fixtures) and have the same types.
#[test]
fn a03_the_presets_implement_both_sealed_traits() {
    fn tag<T: TensorScalar + TensorElement>() -> DType {
        T::dtype()
    }
    let tags = [
        tag::<f32>(),
        tag::<f64>(),
        tag::<i32>(),
        tag::<i64>(),
        tag::<bool>(),
        tag::<Complex32>(),
        tag::<Complex64>(),
        tag::<f16>(),
        tag::<bf16>(),
        tag::<i8>(),
        tag::<i16>(),
        tag::<u8>(),
        tag::<u16>(),
        tag::<u32>(),
        tag::<u64>(),
    ];
    assert_eq!(tags, DType::TAGS);
    assert_eq!(bool::DOMAIN, ScalarDomain::NonField);
}

/// Typed tensors of two element types do not even compile together (see the compile-fail fixtures); dynamic ones are refused
/// when running. Promotion is the business of the eager layer above.
#[test]
fn a25_a26_direct_operations_never_promote() {
    for &to in DType::TAGS {
        for &from in DType::TAGS {
            let mut target = Tensor::zeros(to, [2]).unwrap();
            let source = Tensor::zeros(from, [2]).unwrap();
            let copied = target
                .view_mut()
                .unwrap()
                .copy_from(&source.view().unwrap());
            if to == from {
                assert_eq!(copied, Ok(()));
            } else {
                let (op, expected, actual) = ("copy_from", from, to);
                let error = TensorError::DTypeMismatch {
                    op,
                    expected,
                    actual,
                };
                assert_eq!(copied, Err(error));
            }
        }
    }
}

/// Engines with ranks 1 to 6 and extents above 0 exist; here every rank and extent is legal.
#[test]
fn b18_rank_zero_high_ranks_and_empty_extents_are_legal() {
    for rank in 0..=12 {
        let t = TypedTensor::<i32>::full(vec![1; rank], 7).unwrap();
        assert_eq!((t.rank(), t.to_vec().unwrap()), (rank, vec![7]));
        let mut shape = vec![3; rank];
        shape.push(0);
        let empty = Tensor::zeros(DType::F32, shape).unwrap();
        assert!(empty.is_empty() && empty.to_le_bytes().unwrap().is_empty());
    }
}

/// An `i32` is an integer: it truncates when cast to and reads as an integer, never as a float with a tag.
#[test]
fn b19_int32_is_int32() {
    let floats = vec![1.9_f32, -1.9, 16_777_217.0, f32::NAN, 3e9];
    let ints = Tensor::from_vec_row_major([5], floats)
        .unwrap()
        .cast(DType::I32)
        .unwrap();
    assert_eq!(ints.dtype(), DType::I32);
    assert_eq!(
        ints.as_slice::<i32>().unwrap(),
        [1, -1, 16_777_216, 0, i32::MAX]
    );
    assert!(ints.as_slice::<f32>().is_err());
    // A number that f32 can't hold stays exact.
    let large = Tensor::scalar(16_777_217_i32);
    assert_eq!(large.to_string(), "16777217 i32[]");
}
