//! Tensors out of bytes: as copies, or where the bytes lie in a [`Mapping`].

use std::any::Any;
use std::io::Read;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Zeroable as _;
use tensor::alloc::Allocator;
use tensor::{AllocBuffer, Buffer, Gpu, Placement, Tensor, TensorError, TypedTensor, trace_span};
use tensor_core::{DType, DynRank, MemoryOrder, dispatch_dtype};

use crate::element::{ByteOrder, Element, Encoding, fill, try_zeroed};
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapping::MappedBytes;

/// Elements that lie in a file's mapping, which they keep alive. Read-only.
struct MappedBuffer<T> {
    bytes: MappedBytes,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Buffer<T> for MappedBuffer<T> {
    fn len(&self) -> usize {
        self.bytes.len() / size_of::<T>()
    }

    fn placement(&self) -> Placement {
        Placement::default()
    }

    fn host(&self) -> Option<&[T]> {
        T::in_place(&self.bytes)
    }

    fn host_mut(&mut self) -> Option<&mut [T]> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn download(&self) -> Result<Vec<T>, TensorError> {
        let error = || TensorError::OutOfMemory {
            op: "download",
            elements: self.len(),
            element_bytes: size_of::<T>(),
        };
        let elements = self.host().ok_or_else(error)?;
        let mut copy = Vec::new();
        copy.try_reserve_exact(elements.len())
            .map_err(|_| error())?;
        copy.extend_from_slice(elements);
        Ok(copy)
    }
}

/// The tensor `entry`, whose elements stay in `bytes`. Bools are copied, since every byte of them has to be looked at.
pub(crate) fn map(
    entry: &Entry,
    bytes: MappedBytes,
    encoding: Encoding,
    file: &str,
) -> Result<Tensor, FileError> {
    let _span = trace_span!(
        DEBUG,
        "map",
        name = file,
        bytes = entry.bytes,
        shape = ?entry.shape,
        dtype = %entry.format,
    );
    let dtype = entry.dtype(file)?;
    if dtype.size_bytes() > 1 && encoding.order != ByteOrder::NATIVE {
        return Err(FileError::ForeignByteOrder {
            file: file.to_owned(),
        });
    }
    if dtype == DType::Bool || entry.bytes == 0 {
        let seen = &mut |_: &[u8]| {};
        return read(entry, &mut &*bytes, encoding, file, &mut Reading::new(seen));
    }
    dispatch_dtype!(dtype, T => in_place::<T>(entry, bytes, file), _external => Err(no_dtype(entry, file)))
}

fn in_place<T: Element>(
    entry: &Entry,
    bytes: MappedBytes,
    file: &str,
) -> Result<Tensor, FileError> {
    if T::in_place(&bytes).is_none() {
        return Err(FileError::Misaligned {
            file: file.to_owned(),
            dtype: T::dtype(),
            at: entry.offset,
            align: align_of::<T>(),
        });
    }
    let buffer = Box::new(MappedBuffer::<T> {
        bytes,
        element: PhantomData,
    });
    over_buffer(entry, buffer, file)
}

/// How a tensor is read.
pub(crate) struct Reading<'a> {
    /// Where its memory comes from; the program's own if there is none.
    pub(crate) allocator: Option<&'a Arc<dyn Allocator>>,
    /// Is shown the file's bytes, a piece at a time.
    pub(crate) seen: &'a mut dyn FnMut(&[u8]),
}

impl<'a> Reading<'a> {
    /// Into memory of the program; `seen` is shown the file's bytes.
    pub(crate) fn new(seen: &'a mut dyn FnMut(&[u8])) -> Self {
        Self {
            allocator: None,
            seen,
        }
    }
}

/// Reads the tensor `entry` from a reader that stands at its first byte.
pub(crate) fn read(
    entry: &Entry,
    reader: &mut impl Read,
    encoding: Encoding,
    file: &str,
    reading: &mut Reading<'_>,
) -> Result<Tensor, FileError> {
    let _span = trace_span!(
        DEBUG,
        "read",
        name = file,
        bytes = entry.bytes,
        shape = ?entry.shape,
        dtype = %entry.format,
    );
    let shape = entry.shape.as_slice();
    let count = entry.element_count();
    let no_values = |fault| FileError::values(file, fault);
    dispatch_dtype!(entry.dtype(file)?, T => {
        if let Some(allocator) = reading.allocator {
            let refused = |source| FileError::tensor(file)(TensorError::Alloc { op: "read_in", source });
            let mut buffer = AllocBuffer::filled(allocator, count, T::zeroed()).map_err(refused)?;
            let elements = buffer.host_mut().expect("`filled` refuses memory that the host can't write");
            fill::<T>(elements, reader, encoding, reading.seen).map_err(no_values)?;
            return over_buffer::<T>(entry, Box::new(buffer), file);
        }
        let mut values = try_zeroed::<T>(count).ok_or_else(|| FileError::OutOfMemory {
            file: file.to_owned(),
            bytes: entry.bytes,
        })?;
        fill::<T>(&mut values, reader, encoding, reading.seen).map_err(no_values)?;
        match entry.order {
            MemoryOrder::RowMajor => Tensor::from_vec_row_major(shape, values),
            MemoryOrder::ColMajor => Tensor::from_vec_col_major(shape, values),
        }
        .map_err(FileError::tensor(file))
    }, _external => Err(no_dtype(entry, file)))
}

/// The tensor `entry` over a buffer with its elements.
fn over_buffer<T: Element>(
    entry: &Entry,
    buffer: Box<dyn Buffer<T>>,
    file: &str,
) -> Result<Tensor, FileError> {
    let shape = entry.shape.as_slice();
    let made: Result<TypedTensor<T, DynRank, Gpu>, _> = match entry.order {
        MemoryOrder::RowMajor => TypedTensor::from_buffer_row_major(shape, buffer),
        MemoryOrder::ColMajor => TypedTensor::from_buffer_col_major(shape, buffer),
    };
    Ok(made.map_err(FileError::tensor(file))?.into())
}

fn no_dtype(entry: &Entry, file: &str) -> FileError {
    FileError::UnsupportedElement {
        file: file.to_owned(),
        element: entry.format.to_string(),
    }
}
