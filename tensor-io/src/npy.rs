//! npy: one array in a file, as `numpy.save` writes it.
//!
//! A npy file is a short header (dtype, byte order, memory order, shape) and the values. Both memory orders become
//! what they are here, row-major or column-major, without a copy in another order; big-endian values are reversed
//! while they are read. Versions 1.0, 2.0 and 3.0 are read; the oldest that holds the header is written, byte for byte
//! as numpy 2 does.
//!
//! **DTypes.** bool, i8 to i64, u8 to u64, f16, f32, f64, c32 (`complex64`) and c64 (`complex128`). numpy has no bf16,
//! and its strings, dates, objects and structures are no tensors here: each is an error that names the type.
//!
//! **Hostile files.** The bytes that dtype and shape ask for must be exactly the bytes that are there, or the file is
//! refused before memory is asked for. Headers above 64 KiB are refused.

mod header;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use tensor::{Tensor, TensorError};
use tensor_core::{DType, dispatch_dtype};

use crate::element::{Element, read_elements, write_elements};
use crate::error::FileError;
use header::{MAX_PREAMBLE, NpyHeader, Preamble};

/// Reads the array in the file at `path`.
///
/// # Errors
/// [`FileError::Io`] when the file can't be read, [`FileError::NotNpy`], [`FileError::UnknownVersion`],
/// [`FileError::Header`] and [`FileError::HeaderTooLong`] for a header that is none, [`FileError::UnsupportedDescr`]
/// for an element type without a dtype, [`FileError::SizeMismatch`] when header and length of the file disagree.
pub fn read(path: impl AsRef<Path>) -> Result<Tensor, FileError> {
    let file = path.as_ref().display().to_string();
    let opened = File::open(path).map_err(|source| FileError::Io {
        file: file.clone(),
        action: "open",
        source,
    })?;
    let metadata = opened.metadata().map_err(|source| FileError::Io {
        file: file.clone(),
        action: "measure",
        source,
    })?;
    read_sized(&mut BufReader::new(opened), metadata.len(), &file)
}

/// Reads the array that `bytes` hold, a whole npy file.
///
/// # Errors
/// As [`read()`].
pub fn from_bytes(bytes: &[u8]) -> Result<Tensor, FileError> {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    read_sized(&mut { bytes }, length, IN_MEMORY)
}

/// Writes `tensor` to the file at `path`, replacing what is there.
///
/// A column-major tensor is written in its order (`fortran_order`), every other one row-major.
///
/// # Errors
/// [`FileError::UnsupportedDType`] for a dtype that numpy has no name for, before a file is made; [`FileError::Io`]
/// when writing fails; [`FileError::Tensor`] when the values are not on the host.
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<(), FileError> {
    let file = path.as_ref().display().to_string();
    check_dtype(tensor.dtype(), &file)?;
    let created = File::create(path).map_err(|source| FileError::Io {
        file: file.clone(),
        action: "create",
        source,
    })?;
    let mut writer = BufWriter::new(created);
    write_to(&mut writer, tensor, &file)?;
    writer.flush().map_err(|source| FileError::Io {
        file,
        action: "write",
        source,
    })
}

/// The bytes of a npy file with `tensor`.
///
/// # Errors
/// As [`write()`].
pub fn to_bytes(tensor: &Tensor) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, tensor, IN_MEMORY)?;
    Ok(bytes)
}

/// What errors call an array that is in no file.
const IN_MEMORY: &str = "npy bytes";

/// Reads an array from a reader with exactly `length` bytes left.
pub(crate) fn read_sized(
    reader: &mut impl Read,
    length: u64,
    file: &str,
) -> Result<Tensor, FileError> {
    let cannot_read = |source| FileError::Io {
        file: file.to_owned(),
        action: "read the header",
        source,
    };
    let mut start = Vec::with_capacity(MAX_PREAMBLE);
    // The shorter preamble first: after it may come the header, which is read in one piece below.
    reader
        .take(10)
        .read_to_end(&mut start)
        .map_err(cannot_read)?;
    if start.get(6).is_some_and(|&major| major > 1) {
        reader
            .take(2)
            .read_to_end(&mut start)
            .map_err(cannot_read)?;
    }
    let preamble = Preamble::parse(file, &start)?;
    let mut text = vec![0; preamble.header_bytes];
    reader.read_exact(&mut text).map_err(cannot_read)?;
    let header = NpyHeader::parse(file, &text)?;

    let before = u64::try_from(preamble.length + preamble.header_bytes).unwrap_or(u64::MAX);
    let (needed, present) = (header.payload_bytes(file)?, length.saturating_sub(before));
    if needed != present {
        let NpyHeader { dtype, shape, .. } = header;
        return Err(FileError::SizeMismatch {
            file: file.to_owned(),
            dtype,
            shape,
            needed,
            present,
        });
    }
    dispatch_dtype!(
        header.dtype,
        T => read_values::<T>(reader, &header, file),
        _external => Err(FileError::UnsupportedDType { file: file.to_owned(), dtype: header.dtype }),
    )
}

fn read_values<T: Element>(
    reader: &mut impl Read,
    header: &NpyHeader,
    file: &str,
) -> Result<Tensor, FileError> {
    let count = header.element_count(file)?;
    let values: Vec<T> =
        read_elements(reader, count, header.big_endian).map_err(|source| match source.kind() {
            io::ErrorKind::OutOfMemory => FileError::OutOfMemory {
                file: file.to_owned(),
                bytes: header.payload_bytes(file).unwrap_or(u64::MAX),
            },
            _ => FileError::Io {
                file: file.to_owned(),
                action: "read the values",
                source,
            },
        })?;
    let made = if header.column_major {
        Tensor::from_vec_col_major(header.shape.as_slice(), values)
    } else {
        Tensor::from_vec_row_major(header.shape.as_slice(), values)
    };
    made.map_err(tensor_error(file))
}

/// Whether numpy has a name for a dtype.
pub(crate) fn check_dtype(dtype: DType, file: &str) -> Result<(), FileError> {
    match dtype {
        DType::BF16 | DType::External(_) => Err(FileError::UnsupportedDType {
            file: file.to_owned(),
            dtype,
        }),
        _ => Ok(()),
    }
}

/// Writes header and values of `tensor`.
pub(crate) fn write_to(
    writer: &mut impl Write,
    tensor: &Tensor,
    file: &str,
) -> Result<(), FileError> {
    dispatch_dtype!(
        tensor.dtype(),
        T => write_values::<T>(writer, tensor, file),
        _external => Err(FileError::UnsupportedDType { file: file.to_owned(), dtype: tensor.dtype() }),
    )
}

fn write_values<T: Element>(
    writer: &mut impl Write,
    tensor: &Tensor,
    file: &str,
) -> Result<(), FileError> {
    let typed = tensor
        .as_typed::<T>()
        .expect("T is the type that the tensor's own dtype names");
    let view = typed.as_view().map_err(tensor_error(file))?;
    let layout = view.layout();
    // As numpy: an array that is both (a vector, say) counts as row-major, one that is neither is written row-major.
    let column_major = layout.is_col_major_contiguous() && !layout.is_row_major_contiguous();
    let header = NpyHeader {
        dtype: T::dtype(),
        big_endian: false,
        column_major,
        shape: view.shape().to_vec(),
    };
    let header = header
        .to_bytes()
        .ok_or_else(|| FileError::UnsupportedDType {
            file: file.to_owned(),
            dtype: T::dtype(),
        })?;
    let ordered = if column_major { view.transpose() } else { view };
    let written = writer
        .write_all(&header)
        .and_then(|()| match ordered.as_slice() {
            Ok(slice) => write_elements(writer, slice.iter().copied()),
            Err(_) => write_elements(writer, ordered.iter().copied()),
        });
    written.map_err(|source| FileError::Io {
        file: file.to_owned(),
        action: "write",
        source,
    })
}

fn tensor_error(file: &str) -> impl FnOnce(TensorError) -> FileError {
    move |source| FileError::Tensor {
        file: file.to_owned(),
        source,
    }
}
