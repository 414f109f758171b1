//! What every external scalar must be able to do behind a dynamic `Tensor`: included by the tests of each scalar's crate.

use algebra::tensor::{DType, ExternalScalar, SliceSpec, Tensor, TensorError, TypedTensor};

/// Runs all checks on six values that differ from each other, whose texts by rows are `rows`.
pub(crate) fn check<T: ExternalScalar>(v: [T; 6], rows: [&str; 2]) {
    let typed = || {
        TypedTensor::from_host_vec_col_major([2, 3], vec![v[0], v[3], v[1], v[4], v[2], v[5]])
            .unwrap()
    };
    let tensor = Tensor::external(typed());
    assert!(matches!(tensor.dtype(), DType::External(id) if id.to_u32() != 0));
    assert_eq!(
        (tensor.dtype(), tensor.shape(), tensor.len()),
        (T::DTYPE, &[2, 3][..], 6)
    );
    assert_eq!(tensor.size_bytes(), 6 * size_of::<T>());
    assert_eq!(
        tensor.to_string(),
        format!("[{}\n {}] {}[2, 3]", rows[0], rows[1], T::DTYPE)
    );
    // Views and copies.
    let turned = tensor.view().unwrap().permute(&[1, 0]).unwrap();
    let turned = turned.as_external::<T>().unwrap().to_vec().unwrap();
    assert_eq!(turned, [v[0], v[3], v[1], v[4], v[2], v[5]]);
    let part = tensor
        .view()
        .unwrap()
        .slice_axis(1, SliceSpec::reverse())
        .unwrap()
        .to_contiguous()
        .unwrap();
    let part = part.as_external::<T>().unwrap();
    assert_eq!(
        part.as_slice().unwrap(),
        [v[2], v[1], v[0], v[5], v[4], v[3]]
    );
    let wide = tensor
        .view()
        .unwrap()
        .broadcast_to([2, 2, 3])
        .unwrap()
        .to_contiguous()
        .unwrap();
    assert_eq!(
        wide.as_external::<T>().unwrap().get(&[1, 1, 0]).unwrap(),
        &v[3]
    );
    // A copy is a copy, and is written through its type.
    let mut copy = tensor.duplicate().unwrap();
    *copy
        .as_external_mut::<T>()
        .unwrap()
        .get_mut(&[0, 0])
        .unwrap() = v[5];
    assert_eq!(
        copy.as_external::<T>().unwrap().get(&[0, 0]).unwrap(),
        &v[5]
    );
    assert_eq!(
        tensor.as_external::<T>().unwrap().get(&[0, 0]).unwrap(),
        &v[0]
    );
    // A wrong type gives the tensor back; what only presets can do is refused by name.
    assert!(tensor.as_typed::<f64>().is_none());
    let (tensor, error) = tensor.into_typed::<f64>().unwrap_err().into_parts();
    assert!(
        matches!(error, TensorError::DTypeMismatch { actual, .. } if actual == T::DTYPE),
        "{error}"
    );
    for error in [
        tensor.cast(DType::F64).unwrap_err(),
        tensor.to_le_bytes().unwrap_err(),
        Tensor::scalar(1.0_f64).cast(T::DTYPE).unwrap_err(),
    ] {
        assert!(
            matches!(error, TensorError::UnsupportedDType { dtype, .. } if dtype == T::DTYPE),
            "{error}"
        );
    }
    // Round trip: the type and the memory order come back.
    let back = tensor.into_external::<T>().unwrap();
    assert_eq!(
        (back.strides(), back.storage().unwrap()),
        (&[1, 2][..], typed().storage().unwrap())
    );
    let long = TypedTensor::from_host_vec_row_major([1001], vec![v[1]; 1001]).unwrap();
    assert!(Tensor::external(long).to_string().contains(" ... "));
}
