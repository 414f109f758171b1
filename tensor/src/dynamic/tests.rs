//! Dynamic tensors: dtypes, bytes, and conversions that keep the owner.

use crate::{
    Complex32, DType, Tensor, TensorError, TypedTensor, core::ExternalId, dispatch_dtype, f16,
};

#[test]
fn every_dtype_makes_a_tensor() {
    for &dtype in DType::TAGS {
        let t = Tensor::zeros(dtype, [2, 3]).unwrap();
        assert_eq!((t.dtype(), t.shape(), t.len()), (dtype, &[2, 3][..], 6));
        assert_eq!(t.size_bytes(), 6 * dtype.size_bytes());
        assert_eq!(t.to_le_bytes().unwrap(), vec![0; t.size_bytes()]);
        let copy = t.duplicate().unwrap();
        assert_eq!((copy.dtype(), copy.shape()), (dtype, &[2, 3][..]));
        dispatch_dtype!(dtype, T => assert!(t.as_typed::<T>().is_some()), _id => unreachable!());
    }
    let external = DType::External(ExternalId::from_name("x"));
    assert!(matches!(
        Tensor::zeros(external, [1]),
        Err(TensorError::UnsupportedDType { op: "zeros", .. })
    ));
}

#[test]
fn a_failed_narrowing_returns_the_tensor() {
    let t: Tensor = TypedTensor::<f64>::from_vec_row_major([2], vec![1.0, 2.0])
        .unwrap()
        .into();
    let address = t.as_slice::<f64>().unwrap().as_ptr();
    assert!(t.as_typed::<f32>().is_none());
    let (t, error) = t.into_typed::<f32>().unwrap_err().into_parts();
    assert_eq!(
        error.to_string(),
        "Tensor::into_typed: dtype mismatch: expected F32, actual F64"
    );
    assert_eq!(
        t.into_typed::<f64>().unwrap().as_slice().unwrap().as_ptr(),
        address
    );
}

#[test]
fn slices_name_the_wrong_dtype() {
    let mut t = Tensor::scalar(5_i32);
    assert_eq!(t.as_slice::<i32>().unwrap(), [5]);
    t.as_mut_slice::<i32>().unwrap()[0] = 6;
    *t.as_typed_mut::<i32>().unwrap().get_mut(&[]).unwrap() += 1;
    assert_eq!(t.to_vec::<i32>().unwrap(), [7]);
    for error in [
        t.as_slice::<u8>().map(|_| ()).unwrap_err(),
        t.as_mut_slice::<u8>().map(|_| ()).unwrap_err(),
        t.to_vec::<u8>().map(|_| ()).unwrap_err(),
    ] {
        assert!(
            error
                .to_string()
                .ends_with(": dtype mismatch: expected U8, actual I32"),
            "{error}"
        );
    }
}

#[test]
fn bytes_are_little_endian_and_row_major() {
    // Column-major [[1, 2], [3, 4]] lists as 1 2 3 4.
    let t = Tensor::from_vec_col_major([2, 2], vec![1_i16, 3, 2, 4]).unwrap();
    assert_eq!(t.to_le_bytes().unwrap(), [1, 0, 2, 0, 3, 0, 4, 0]);
    let check = |dtype: DType, bytes: &[u8], shown: &str| {
        let count = bytes.len() / dtype.size_bytes();
        let t = Tensor::from_le_bytes(dtype, [count], bytes).unwrap();
        assert_eq!(t.to_le_bytes().unwrap(), bytes, "{dtype}");
        assert_eq!(t.to_string(), shown);
    };
    check(DType::F32, &1.5_f32.to_le_bytes(), "[1.5] f32[1]");
    check(
        DType::I64,
        &[0xfe, 255, 255, 255, 255, 255, 255, 255],
        "[-2] i64[1]",
    );
    check(DType::BF16, &[0x80, 0x3f], "[1.0] bf16[1]");
    check(DType::F16, &[0x00, 0xc0], "[-2.0] f16[1]");
    check(DType::Bool, &[1, 0], "[ true false] bool[2]");
    check(
        DType::C32,
        &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0],
        "[1-2j] c32[1]",
    );
    check(DType::U64, &[255; 8], "[18446744073709551615] u64[1]");
}

#[test]
fn bytes_of_the_wrong_length_are_refused() {
    for (shape, bytes) in [
        (vec![2], 7),
        (vec![2], 9),
        (vec![0], 1),
        (vec![], 0),
        (vec![1 << 61], 0),
    ] {
        let error = Tensor::from_le_bytes(DType::F32, shape, &vec![0; bytes]).unwrap_err();
        assert!(matches!(error, TensorError::ByteLength { .. }), "{error}");
    }
    assert!(Tensor::from_le_bytes(DType::F32, [usize::MAX, 2], &[]).is_err());
    assert!(Tensor::from_le_bytes(DType::F32, [usize::MAX, 0], &[]).is_ok());
    // Any byte but 0 is true.
    let flags = Tensor::from_le_bytes(DType::Bool, [3], &[0, 1, 2]).unwrap();
    assert_eq!(flags.as_slice::<bool>().unwrap(), [false, true, true]);
}

#[test]
fn views_and_copies() {
    let t = Tensor::from_vec_col_major([2, 2], vec![1_u8, 3, 2, 4]).unwrap();
    assert!(t.as_slice::<u8>().is_err());
    assert_eq!(
        t.to_contiguous().unwrap().as_slice::<u8>().unwrap(),
        [1, 2, 3, 4]
    );
    assert_eq!(t.duplicate().unwrap().strides(), [1, 2]);
    assert_eq!(
        t.view().unwrap().transpose().as_slice::<u8>().unwrap(),
        [1, 3, 2, 4]
    );
    assert_eq!(
        format!("{t:?}"),
        "Tensor { dtype: U8, shape: [2, 2], strides: [1, 2], placement: host memory }"
    );
    let full = Tensor::full([2], f16::from_f32(0.5)).unwrap();
    assert_eq!(full.to_vec::<f16>().unwrap(), [f16::from_f32(0.5); 2]);
    assert_eq!(Tensor::scalar(Complex32::new(1.0, 2.0)).rank(), 0);
}

#[test]
fn b17_big_endian_bytes_are_little_endian_ones_turned_round() {
    let check = |tensor: Tensor, big: &[u8]| {
        let (dtype, shape) = (tensor.dtype(), tensor.shape());
        assert_eq!(tensor.to_be_bytes().unwrap(), big, "{dtype}");
        let back = Tensor::from_be_bytes(dtype, shape, big).unwrap();
        assert_eq!(
            back.to_le_bytes().unwrap(),
            tensor.to_le_bytes().unwrap(),
            "{dtype}"
        );
    };
    check(Tensor::scalar(0x0102_0304_u32), &[1, 2, 3, 4]);
    check(Tensor::scalar(-2_i16), &[0xff, 0xfe]);
    check(Tensor::scalar(1.0_f64), &[0x3f, 0xf0, 0, 0, 0, 0, 0, 0]);
    check(Tensor::scalar(7_u8), &[7]);
    // A pair is not turned round, its parts are.
    let pair = crate::Complex32::new(1.0, -2.0);
    check(Tensor::scalar(pair), &[0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0]);
    let column = Tensor::from_vec_col_major([2, 2], vec![1_u16, 3, 2, 4]).unwrap();
    assert_eq!(column.to_be_bytes().unwrap(), [0, 1, 0, 2, 0, 3, 0, 4]);
    let error = Tensor::from_be_bytes(DType::F32, [2], &[0; 7]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "from_be_bytes: shape [2] of f32 needs 8 bytes, got 7"
    );
}

#[test]
fn vectors_come_out_or_the_tensor_does() {
    let t = Tensor::from_vec_col_major([2, 2], vec![1, 2, 3, 4]).unwrap();
    let (t, error) = t.into_vec::<f32>().unwrap_err().into_parts();
    assert!(matches!(error, TensorError::DTypeMismatch { .. }));
    let (t, error) = t.into_vec::<i32>().unwrap_err().into_parts();
    assert!(matches!(error, TensorError::Validation(_)));
    let pointer = t.as_typed::<i32>().unwrap().storage().unwrap().as_ptr();
    let elements = t.into_vec_col_major::<i32>().unwrap();
    assert_eq!(elements.as_ptr(), pointer);
}
