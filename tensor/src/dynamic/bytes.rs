//! Tensors from and to bytes, in row-major logical order: what files and messages hold.
//!
//! Little-endian is the default of files and messages; the big-endian forms turn each component round on its way.

use tensor_core::{DType, IntoRankShape, TensorLayout, dispatch_dtype};

use crate::element::Encode;
use crate::payload::{ViewPayload, each_preset};
use crate::storage::try_vec;
use crate::{
    DynRank, Result, Tensor, TensorElement, TensorError, TensorScalar, TensorView, TypedTensor,
};

#[derive(Clone, Copy, PartialEq)]
enum ByteOrder {
    Little,
    Big,
}

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
        Self::decode("from_le_bytes", dtype, shape, bytes, ByteOrder::Little)
    }

    /// As [`Tensor::from_le_bytes`], for bytes with the highest first; each part of a complex number for itself.
    ///
    /// # Errors
    /// As [`Tensor::from_le_bytes`].
    pub fn from_be_bytes(
        dtype: DType,
        shape: impl IntoRankShape<DynRank>,
        bytes: &[u8],
    ) -> Result<Self> {
        Self::decode("from_be_bytes", dtype, shape, bytes, ByteOrder::Big)
    }

    fn decode(
        op: &'static str,
        dtype: DType,
        shape: impl IntoRankShape<DynRank>,
        bytes: &[u8],
        order: ByteOrder,
    ) -> Result<Self> {
        let layout = TensorLayout::row_major(shape).map_err(TensorError::from_validation(op))?;
        dispatch_dtype!(dtype, T => {
            let count = layout.element_count();
            if count.checked_mul(size_of::<T>()) != Some(bytes.len()) {
                let expected = count.saturating_mul(size_of::<T>());
                let shape = layout.shape().into();
                return Err(TensorError::ByteLength { op, dtype, shape, expected, actual: bytes.len() });
            }
            let mut data = try_vec::<T>(op, count)?;
            let elements = bytes.chunks_exact(size_of::<T>());
            match order {
                ByteOrder::Little => data.extend(elements.map(T::read_le)),
                ByteOrder::Big => data.extend(elements.map(read_be::<T>)),
            }
            Ok(TypedTensor::from_dense(layout, data).into())
        }, _id => Err(TensorError::UnsupportedDType { op, dtype }))
    }

    /// The little-endian bytes of the elements, in row-major logical order.
    ///
    /// # Errors
    /// As [`TensorView::to_le_bytes`], or [`TensorError::NotOnHost`].
    pub fn to_le_bytes(&self) -> Result<Vec<u8>> {
        self.view()?.to_le_bytes()
    }

    /// The big-endian bytes of the elements, in row-major logical order.
    ///
    /// # Errors
    /// As [`Tensor::to_le_bytes`].
    pub fn to_be_bytes(&self) -> Result<Vec<u8>> {
        self.view()?.to_be_bytes()
    }
}

impl TensorView<'_> {
    /// The little-endian bytes of the elements, in row-major logical order.
    ///
    /// # Errors
    /// [`TensorError::UnsupportedDType`] for an external scalar, or [`TensorError::OutOfMemory`]: a broadcast view can be
    /// larger than memory.
    pub fn to_le_bytes(&self) -> Result<Vec<u8>> {
        self.encode("to_le_bytes", ByteOrder::Little)
    }

    /// The big-endian bytes of the elements, in row-major logical order; each part of a complex number for itself.
    ///
    /// # Errors
    /// As [`TensorView::to_le_bytes`].
    pub fn to_be_bytes(&self) -> Result<Vec<u8>> {
        self.encode("to_be_bytes", ByteOrder::Big)
    }

    fn encode(&self, op: &'static str, order: ByteOrder) -> Result<Vec<u8>> {
        // A count whose bytes overflow saturates, and no allocator has that much.
        let bytes = self.len().saturating_mul(self.dtype().size_bytes());
        let mut out = try_vec(op, bytes)?;
        each_preset!(ViewPayload, self.payload(), view => {
            view.iter().for_each(|element| element.write_le(&mut out));
            if order == ByteOrder::Big {
                let component = component_bytes(view.storage());
                out.chunks_exact_mut(component).for_each(<[u8]>::reverse);
            }
        }, _external => return Err(TensorError::UnsupportedDType { op, dtype: self.dtype() }));
        Ok(out)
    }
}

/// Bytes of one number inside an element: half of a complex one, all of any other.
fn component_bytes<T: TensorScalar>(_: &[T]) -> usize {
    size_of::<T::Real>()
}

fn read_be<T: TensorElement>(bytes: &[u8]) -> T {
    // The widest element, a complex number of two f64, has 16 bytes.
    let mut little = [0; 16];
    let little = &mut little[..bytes.len()];
    little.copy_from_slice(bytes);
    little
        .chunks_exact_mut(size_of::<T::Real>())
        .for_each(<[u8]>::reverse);
    T::read_le(little)
}
