//! Views as bytes and bytes as views, in place and in the byte order of the machine.
//!
//! Nothing is copied, so memory must be what the elements need: long enough, aligned, and valid for every value of the type.
//! `bytemuck`'s traits say which types allow that; length and alignment are checked when running. For bytes of a fixed
//! order or any alignment there are [`Tensor::from_le_bytes`](crate::Tensor::from_le_bytes) and `to_le_bytes`, which copy.

use bytemuck::{AnyBitPattern, CheckedBitPattern, NoUninit};
use tensor_core::{DType, DynRank, IntoRankShape, TensorLayout, TensorRank, dispatch_dtype};

use super::{TensorView, TypedTensorView, TypedTensorViewMut, ViewError};
use crate::payload::{ViewPayload, each_preset};
use crate::{Result, TensorError};

/// Checks that `bytes` can be the elements of a dense `layout`.
fn check_bytes<T, R: TensorRank>(
    op: &'static str,
    layout: &TensorLayout<R>,
    bytes: &[u8],
) -> Result<(), ViewError> {
    let element = std::any::type_name::<T>();
    let expected = layout.element_count().checked_mul(size_of::<T>());
    if expected != Some(bytes.len()) {
        return Err(ViewError::BytesLength {
            op,
            element,
            shape: layout.shape().into(),
            expected: expected.unwrap_or(usize::MAX),
            actual: bytes.len(),
        });
    }
    let past_bytes = bytes.as_ptr().addr() % align_of::<T>();
    if past_bytes != 0 && !bytes.is_empty() {
        return Err(ViewError::Misaligned {
            op,
            element,
            align_bytes: align_of::<T>(),
            past_bytes,
        });
    }
    Ok(())
}

/// The row-major layout of a shape, with errors told by `op`.
fn row_major<R: TensorRank>(
    op: &'static str,
    shape: impl IntoRankShape<R>,
) -> Result<TensorLayout<R>> {
    TensorLayout::row_major(shape).map_err(TensorError::from_validation(op))
}

impl<'a, T, R: TensorRank> TypedTensorView<'a, T, R> {
    /// The bytes of the elements, in row-major order and in the byte order of the machine.
    ///
    /// # Errors
    /// [`ValidationError::NonContiguous`](tensor_core::ValidationError::NonContiguous) unless the elements lie side by side
    /// in row-major order.
    pub fn as_bytes(&self) -> Result<&'a [u8]>
    where
        T: NoUninit,
    {
        match self.dense() {
            Some(elements) => Ok(bytemuck::cast_slice(elements)),
            None => Err(self.layout.non_contiguous("as_bytes").into()),
        }
    }

    /// The elements that `bytes` are, listed with the last axis fastest, in the byte order of the machine.
    ///
    /// # Errors
    /// [`ViewError::BytesLength`] if the bytes do not fill the shape, [`ViewError::Misaligned`] if elements can't lie at
    /// their address, or [`TensorError::Validation`] if the shape overflows or has another rank.
    ///
    /// ```
    /// use tensor::TypedTensorView;
    /// let samples = [1_u16, 2, 3, 4];
    /// let view = TypedTensorView::<u16>::from_slice([4], &samples)?;
    /// let again = TypedTensorView::<u16>::from_bytes([2, 2], view.as_bytes()?)?;
    /// assert_eq!(again.as_slice()?, samples);
    /// # Ok::<(), tensor::TensorError>(())
    /// ```
    pub fn from_bytes(shape: impl IntoRankShape<R>, bytes: &'a [u8]) -> Result<Self>
    where
        T: AnyBitPattern,
    {
        const OP: &str = "from_bytes";
        let layout = row_major(OP, shape)?;
        check_bytes::<T, R>(OP, &layout, bytes)?;
        // No bytes may lie anywhere, and say nothing about elements without size.
        let data = if bytes.is_empty() {
            &[]
        } else {
            bytemuck::cast_slice(bytes)
        };
        Self::from_layout(layout, data)
    }
}

impl<'a, T, R: TensorRank> TypedTensorViewMut<'a, T, R> {
    /// The bytes of the elements, to be written, in row-major order and in the byte order of the machine.
    ///
    /// # Errors
    /// As [`TypedTensorView::as_bytes`].
    pub fn as_bytes_mut(&mut self) -> Result<&mut [u8]>
    where
        T: NoUninit + AnyBitPattern,
    {
        if !self.layout().is_row_major_contiguous() {
            return Err(self.layout().non_contiguous("as_bytes_mut").into());
        }
        self.as_mut_slice().map(bytemuck::cast_slice_mut)
    }

    /// The elements that `bytes` are, to be written, listed with the last axis fastest, in the byte order of the machine.
    ///
    /// # Errors
    /// As [`TypedTensorView::from_bytes`].
    pub fn from_bytes(shape: impl IntoRankShape<R>, bytes: &'a mut [u8]) -> Result<Self>
    where
        T: NoUninit + AnyBitPattern,
    {
        const OP: &str = "from_bytes";
        let layout = row_major(OP, shape)?;
        check_bytes::<T, R>(OP, &layout, bytes)?;
        let data: &mut [T] = if bytes.is_empty() {
            &mut []
        } else {
            bytemuck::cast_slice_mut(bytes)
        };
        layout
            .validate_in_bounds(data.len())
            .map_err(TensorError::from_validation(OP))?;
        Ok(Self::trusted(data, layout))
    }
}

impl<'a> TensorView<'a> {
    /// The bytes of the elements, in row-major order and in the byte order of the machine.
    ///
    /// # Errors
    /// As [`TypedTensorView::as_bytes`].
    pub fn as_bytes(&self) -> Result<&'a [u8]> {
        each_preset!(ViewPayload, self.payload(), view => view.as_bytes(),
            _external => Err(TensorError::UnsupportedDType { op: "as_bytes", dtype: self.dtype() }))
    }

    /// The elements of type `dtype` that `bytes` are, listed with the last axis fastest, in the byte order of the machine.
    ///
    /// # Errors
    /// As [`TypedTensorView::from_bytes`]; [`ViewError::InvalidBool`] if a byte of a bool is neither 0 nor 1;
    /// [`TensorError::UnsupportedDType`] for an external scalar.
    pub fn from_bytes(
        dtype: DType,
        shape: impl IntoRankShape<DynRank>,
        bytes: &'a [u8],
    ) -> Result<Self> {
        const OP: &str = "from_bytes";
        let layout = row_major(OP, shape)?;
        dispatch_dtype!(dtype, T => {
            check_bytes::<T, DynRank>(OP, &layout, bytes)?;
            Ok(TypedTensorView::from_layout(layout, checked::<T>(OP, bytes)?)?.into())
        }, _id => Err(TensorError::UnsupportedDType { op: OP, dtype }))
    }
}

/// The elements that `bytes` are, whose length and alignment were checked.
fn checked<'a, T: CheckedBitPattern>(
    op: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [T], ViewError> {
    if bytes.is_empty() {
        return Ok(&[]);
    }
    // Of the presets only bool has bytes that are no value, and what else can fail was looked at before.
    bytemuck::checked::try_cast_slice(bytes).map_err(|_| ViewError::InvalidBool { op })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Complex32, Tensor, ValidationError, bf16};

    /// Eight-byte aligned bytes 0, 1, 2, ...
    fn aligned() -> [u64; 4] {
        let byte = |at: usize| u8::try_from(at).unwrap();
        [0, 8, 16, 24]
            .map(|from: usize| u64::from_ne_bytes(std::array::from_fn(|at| byte(from + at))))
    }

    #[test]
    fn elements_are_bytes_and_bytes_are_elements() {
        let data = [1.5_f32, -2.0, 3.0, 4.0, 5.0, 6.0];
        let view = TypedTensorView::<f32>::from_slice([2, 3], &data).unwrap();
        let bytes = view.as_bytes().unwrap();
        let expect: Vec<u8> = data.iter().flat_map(|value| value.to_ne_bytes()).collect();
        assert_eq!((bytes, bytes.as_ptr()), (&expect[..], data.as_ptr().cast()));
        let tail = view.slice_axis(0, crate::SliceSpec::range(1, 2)).unwrap();
        assert_eq!(tail.as_bytes().unwrap(), &expect[12..]);
        let back = TypedTensorView::<f32, crate::Rank<1>>::from_bytes([3], &bytes[12..]).unwrap();
        assert_eq!(
            (back[[0]], back.storage().as_ptr()),
            (4.0, data[3..].as_ptr())
        );
        assert!(matches!(
            view.transpose().as_bytes(),
            Err(TensorError::Validation(ValidationError::NonContiguous {
                op: "as_bytes",
                ..
            }))
        ));
        assert_eq!(TensorView::from(view).as_bytes().unwrap(), expect);
    }

    #[test]
    fn g02_misaligned_bytes_are_an_error() {
        let words = aligned();
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        for past in 1..4 {
            let error =
                TypedTensorView::<f32>::from_bytes([2], &bytes[past..past + 8]).unwrap_err();
            assert_eq!(
                error,
                TensorError::View(ViewError::Misaligned {
                    op: "from_bytes",
                    element: "f32",
                    align_bytes: 4,
                    past_bytes: past
                })
            );
            assert!(
                error
                    .to_string()
                    .contains("copy them into an aligned buffer")
            );
            assert!(TensorView::from_bytes(DType::F32, [2], &bytes[past..past + 8]).is_err());
        }
        assert!(TypedTensorView::<f32>::from_bytes([2], &bytes[4..12]).is_ok());
        assert!(TypedTensorView::<f64>::from_bytes([1], &bytes[4..12]).is_err());
        assert!(TypedTensorView::<u8>::from_bytes([3, 2], &bytes[1..7]).is_ok());
        assert!(
            TypedTensorView::<f64>::from_bytes([0, 3], &bytes[1..1])
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn lengths_are_checked() {
        let words = aligned();
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let error = TypedTensorView::<u16>::from_bytes([2, 2], &bytes[..7]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "from_bytes: shape [2, 2] of u16 needs 8 bytes, got 7"
        );
        for shape in [[2, 3], [1 << 40, 1 << 22], [usize::MAX, 2]] {
            assert!(TypedTensorView::<u64>::from_bytes(shape, bytes).is_err());
            assert!(TensorView::from_bytes(DType::U64, shape, bytes).is_err());
        }
        assert!(TypedTensorView::<()>::from_bytes([3], &[]).is_err());
    }

    #[test]
    fn bytes_are_written_through() {
        let mut words = [0_u32; 4];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let mut view = TypedTensorViewMut::<u32>::from_bytes([2, 2], bytes).unwrap();
        view.transpose().for_each(|element| *element += 1);
        view.as_bytes_mut().unwrap()[4..8].copy_from_slice(&7_u32.to_ne_bytes());
        assert!(view.transpose().as_bytes_mut().is_err());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        assert!(TypedTensorViewMut::<u32>::from_bytes([1], &mut bytes[1..5]).is_err());
        assert!(TypedTensorViewMut::<u32>::from_bytes([2], &mut bytes[..4]).is_err());
        assert!(TypedTensorViewMut::<u32>::from_bytes([0], &mut bytes[1..1]).is_ok());
        assert_eq!(words, [1, 7, 1, 1]);
    }

    #[test]
    fn every_preset_goes_through_bytes() {
        for &dtype in DType::TAGS {
            let t = Tensor::from_vec_row_major([4], vec![0_u8, 1, 1, 0]).unwrap();
            let t = t.cast(dtype).unwrap();
            let view = t.view().unwrap();
            let back = TensorView::from_bytes(dtype, [4], view.as_bytes().unwrap()).unwrap();
            assert_eq!(back.dtype(), dtype);
            assert_eq!(back.to_le_bytes().unwrap(), view.to_le_bytes().unwrap());
        }
        assert_eq!(
            TensorView::from_bytes(DType::Bool, [3], &[0, 1, 2]).unwrap_err(),
            TensorError::View(ViewError::InvalidBool { op: "from_bytes" })
        );
        let external = DType::External(tensor_core::ExternalId::from_name("x"));
        assert!(matches!(
            TensorView::from_bytes(external, [1], &[0]),
            Err(TensorError::UnsupportedDType { .. })
        ));
        let pair = [Complex32::new(1.0, 2.0)];
        let view = TypedTensorView::<Complex32>::from_slice([1], &pair).unwrap();
        assert_eq!(view.as_bytes().unwrap().len(), 8);
        let one = [bf16::ONE];
        let view = TypedTensorView::<bf16>::from_slice([1], &one).unwrap();
        assert_eq!(view.as_bytes().unwrap(), 0x3f80_u16.to_ne_bytes());
    }
}
