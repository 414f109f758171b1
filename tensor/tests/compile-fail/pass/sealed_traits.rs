//! Sealed traits are bounds for generic code; a dtype value becomes a type by `dispatch_dtype!`.

use tensor::{
    DType, Host, Rank, Representation, Result, Tensor, TensorElement, TensorRank, TensorScalar,
    TypedTensor, dispatch_dtype,
};

fn total<R: TensorRank, D: Representation>(tensor: &TypedTensor<f64, R, D>) -> Result<f64> {
    Ok(tensor.as_view()?.iter().sum())
}

fn first<T: TensorElement>(tensor: &Tensor) -> Result<T> {
    Ok(tensor.to_vec::<T>()?[0])
}

fn real_bytes<T: TensorScalar>() -> usize {
    size_of::<T::Real>()
}

fn main() -> Result<()> {
    let host = TypedTensor::<f64, Rank<1>, Host>::from_host_vec_row_major([2], vec![1.0, 2.0])?;
    assert_eq!(total(&host)?, 3.0);
    assert_eq!(total(&host.clone().promote())?, 3.0);
    let dynamic = host.into_dynamic().into_dyn_rank();
    assert_eq!(total(&dynamic)?, 3.0);
    assert_eq!(first::<f64>(&dynamic.into())?, 1.0);
    assert_eq!(real_bytes::<tensor::Complex64>(), 8);
    let bytes = dispatch_dtype!(DType::C32, T => real_bytes::<T>(), _external => 0);
    assert_eq!(bytes, 4);
    Ok(())
}
