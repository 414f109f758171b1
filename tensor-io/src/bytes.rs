//! [`view_bytes`]: bytes that came from elsewhere, seen as a tensor where they lie.

use tensor::TensorView;
use tensor_core::{DType, dispatch_dtype};

use crate::element::Element;
use crate::entry::ElementFormat;
use crate::error::FileError;
use crate::mapping::length;

/// The elements whose bytes, in this machine's byte order and with the last axis fastest, are `bytes`: a frame of the
/// network, or the pixels of an image library. Nothing is copied.
///
/// ```
/// use tensor::DType;
/// use tensor_io::view_bytes;
/// let pixels = [10_u8, 20, 30, 40, 50, 60];
/// let image = view_bytes(DType::U8, &[1, 2, 3], &pixels)?;
/// assert_eq!(image.get::<u8>(&[0, 1, 2])?, 60);
/// assert!(view_bytes(DType::F32, &[1], &pixels).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FileError::SizeMismatch`] unless the shape takes exactly these bytes, [`FileError::Misaligned`] if their address is no
/// multiple of the element's alignment ([`Tensor::from_le_bytes`](tensor::Tensor::from_le_bytes) copies them),
/// [`FileError::NoBool`], and [`FileError::UnsupportedElement`] for an external scalar.
pub fn view_bytes<'a>(
    dtype: DType,
    shape: &[usize],
    bytes: &'a [u8],
) -> Result<TensorView<'a>, FileError> {
    const FILE: &str = "bytes in memory";
    let needed = ElementFormat::DType(dtype).bytes(shape);
    if needed != Some(length(bytes)) && !dtype.is_external() {
        return Err(FileError::SizeMismatch {
            file: FILE.to_owned(),
            dtype,
            shape: shape.to_vec(),
            needed: needed.unwrap_or(u64::MAX),
            present: length(bytes),
        });
    }
    dispatch_dtype!(dtype, T => {
        // An empty slice may lie anywhere.
        let elements: &[T] = if bytes.is_empty() { &[] } else { elements(bytes, FILE)? };
        TensorView::from_slice(shape, elements).map_err(FileError::tensor(FILE))
    }, _external => Err(FileError::UnsupportedElement {
        file: FILE.to_owned(),
        element: dtype.to_string(),
    }))
}

fn elements<'a, T: Element>(bytes: &'a [u8], file: &str) -> Result<&'a [T], FileError> {
    T::borrowed(bytes)
        .map_err(|fault| FileError::values(file, fault))?
        .ok_or_else(|| FileError::Misaligned {
            file: file.to_owned(),
            dtype: T::dtype(),
            at: u64::try_from(bytes.as_ptr().addr()).unwrap_or(u64::MAX),
            align: align_of::<T>(),
        })
}
