//! Positions: index tuples and row-major numbers, and indices that come as data.

use tensor::TensorView;
use tensor_core::DType;

use super::{ReferenceError, Result};

/// The index of the element at row-major position `flat`.
pub(super) fn unflatten(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (at, &extent) in index.iter_mut().zip(shape).rev() {
        *at = flat % extent;
        flat /= extent;
    }
    index
}

/// The row-major position of the element at `index`.
pub(super) fn flatten(index: &[usize], shape: &[usize]) -> usize {
    index
        .iter()
        .zip(shape)
        .fold(0, |flat, (at, extent)| flat * extent + at)
}

/// The indices in row-major order.
pub(super) fn signed(view: &TensorView<'_>) -> Result<Vec<i64>> {
    Ok(view.cast(DType::I64)?.to_vec::<i64>()?)
}

/// `index` with negative values counted from the end.
pub(super) fn checked(op: &'static str, index: i64, extent: usize) -> Result<usize> {
    let from_end = || extent.checked_sub(usize::try_from(index.unsigned_abs()).ok()?);
    let at = if index < 0 {
        from_end()
    } else {
        usize::try_from(index).ok()
    };
    at.filter(|&at| at < extent)
        .ok_or(ReferenceError::IndexOutOfRange { op, index, extent })
}

/// `index`, which does not count from the end.
pub(super) fn checked_from_front(op: &'static str, index: i64, extent: usize) -> Result<usize> {
    usize::try_from(index)
        .ok()
        .filter(|&at| at < extent)
        .ok_or(ReferenceError::IndexOutOfRange { op, index, extent })
}
