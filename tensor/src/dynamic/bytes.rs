//! Tensors from and to little-endian bytes, in row-major logical order: what files and messages hold.

use tensor_core::{DType, IntoRankShape, TensorLayout, dispatch_dtype};

use crate::element::Encode;
use crate::payload::{ViewPayload, each_preset};
use crate::storage::try_vec;
use crate::{DynRank, Result, Tensor, TensorError, TensorView, TypedTensor};

impl Tensor {
    /// A row-major tensor from the little-endian bytes of its elements. A bool is one byte, true unless 0.
    ///
    /// # Errors
    /// [`TensorError::Validation`] if the shape overflows, [`TensorError::ByteLength`] if `bytes` does not fill it,
    /// [`TensorError::UnsupportedDType`] for an external scalar, or [`TensorError::OutOfMemory`].
    pub fn from_le_bytes(
        dtype: DType,
        shape: impl IntoRankShape<DynRank>,
        bytes: &[u8],
    ) -> Result<Self> {
        const OP: &str = "from_le_bytes";
        let layout = TensorLayout::row_major(shape).map_err(TensorError::from_validation(OP))?;
        dispatch_dtype!(dtype, T => {
            let count = layout.element_count();
            if count.checked_mul(size_of::<T>()) != Some(bytes.len()) {
                let expected = count.saturating_mul(size_of::<T>());
                let shape = layout.shape().into();
                return Err(TensorError::ByteLength { op: OP, dtype, shape, expected, actual: bytes.len() });
            }
            let mut data = try_vec::<T>(OP, count)?;
            data.extend(bytes.chunks_exact(size_of::<T>()).map(T::read_le));
            Ok(TypedTensor::from_dense(layout, data).into())
        }, _id => Err(TensorError::UnsupportedDType { op: OP, dtype }))
    }

    /// The little-endian bytes of the elements, in row-major logical order.
    ///
    /// # Errors
    /// As [`TensorView::to_le_bytes`], or [`TensorError::NotOnHost`].
    pub fn to_le_bytes(&self) -> Result<Vec<u8>> {
        self.view()?.to_le_bytes()
    }
}

impl TensorView<'_> {
    /// The little-endian bytes of the elements, in row-major logical order.
    ///
    /// # Errors
    /// [`TensorError::UnsupportedDType`] for an external scalar, or [`TensorError::OutOfMemory`]: a broadcast view can be
    /// larger than memory.
    pub fn to_le_bytes(&self) -> Result<Vec<u8>> {
        // A count whose bytes overflow saturates, and no allocator has that much.
        let bytes = self.len().saturating_mul(self.dtype().size_bytes());
        const OP: &str = "to_le_bytes";
        let mut out = try_vec(OP, bytes)?;
        each_preset!(ViewPayload, self.payload(), view => view.iter().for_each(|element| element.write_le(&mut out)),
            _external => return Err(TensorError::UnsupportedDType { op: OP, dtype: self.dtype() }));
        Ok(out)
    }
}
