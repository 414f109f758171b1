//! npy: one array in a file, as `numpy.save` writes it.
//!
//! A npy file is a short header (dtype, byte order, memory order, shape) and the values. Both memory orders become
//! what they are here, row-major or column-major, without a copy in another order; big-endian values are reversed
//! while they are read, and written on request. Versions 1.0, 2.0 and 3.0 are read; the oldest that holds the header is
//! written, byte for byte as numpy 2 does. [`map()`] leaves the values in the file.
//!
//! **DTypes.** bool, i8 to i64, u8 to u64, f16, f32, f64, c32 (`complex64`) and c64 (`complex128`). numpy has no bf16,
//! and its strings, dates, objects and structures are no tensors here: each is an error that names the type.
//!
//! **Hostile files.** The bytes that dtype and shape ask for must be exactly the bytes that are there, or the file is
//! refused before memory is asked for. Headers above 64 KiB are refused.

mod header;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use tensor::{Tensor, trace_span};
use tensor_core::{DType, MemoryOrder, dispatch_dtype};

use crate::FileFormat;
use crate::element::{Bools, ByteOrder, Element, Encoding, write_elements};
use crate::entry::{ElementFormat, Entries, Entry};
use crate::error::FileError;
use crate::mapped::{self, Reading};
use crate::mapping::{Mapping, length};
use crate::output::OutputFile;
use crate::tensors::MappedTensors;
use header::{MAX_PREAMBLE, NpyHeader, Preamble};

pub(crate) use header::MAGIC;

/// Reads the array in the file at `path`.
///
/// # Errors
/// [`FileError::Io`] when the file can't be read, [`FileError::NotNpy`], [`FileError::UnknownVersion`],
/// [`FileError::Header`] and [`FileError::HeaderTooLong`] for a header that is none, [`FileError::UnsupportedDescr`]
/// for an element type without a dtype, [`FileError::SizeMismatch`] when header and length of the file disagree.
pub fn read(path: impl AsRef<Path>) -> Result<Tensor, FileError> {
    let file = path.as_ref().display().to_string();
    let _span = trace_span!(DEBUG, "open", format = "npy", path = file);
    let opened = File::open(path).map_err(FileError::io(&file, "open"))?;
    let metadata = opened.metadata().map_err(FileError::io(&file, "measure"))?;
    read_sized(
        &mut BufReader::new(opened),
        metadata.len(),
        &file,
        &mut Reading::new(&mut |_| {}),
    )
}

/// The array in the file at `path`, whose values stay in the file; read-only. Bools are copied.
///
/// # Errors
/// As [`read()`]; [`FileError::ForeignByteOrder`] for values in the other byte order, and [`FileError::Misaligned`], which
/// no file of numpy since 1.15 is.
pub fn map(path: impl AsRef<Path>) -> Result<Tensor, FileError> {
    let file = path.as_ref().display().to_string();
    let _span = trace_span!(DEBUG, "open", format = "npy", path = file);
    let mapping = Mapping::open(path)?;
    let (entry, encoding) = read_entry(&mut &*mapping, mapping.length(), &file)?;
    let bytes = mapping.part(entry.offset, entry.bytes);
    mapped::map(&entry, bytes, encoding, &file)
}

/// The array in the file at `path`, mapped; it is called as the file is, without its extension.
pub(crate) fn open(path: &Path) -> Result<MappedTensors, FileError> {
    let file = path.display().to_string();
    let _span = trace_span!(DEBUG, "open", format = "npy", path = file);
    let mapping = Mapping::open(path)?;
    let (mut entry, encoding) = read_entry(&mut &*mapping, mapping.length(), &file)?;
    let stem = path.file_stem().unwrap_or_default();
    entry.name = stem.to_string_lossy().into_owned();
    let entries = Entries::new(&file, vec![entry], 0..mapping.length())?;
    Ok(MappedTensors {
        mapping,
        entries,
        encoding,
    })
}

/// Reads the array that `bytes` hold, a whole npy file.
///
/// # Errors
/// As [`read()`].
pub fn from_bytes(bytes: &[u8]) -> Result<Tensor, FileError> {
    read_sized(
        &mut { bytes },
        length(bytes),
        IN_MEMORY,
        &mut Reading::new(&mut |_| {}),
    )
}

/// Writes `tensor` to the file at `path`, replacing what is there once the new file is complete.
///
/// A column-major tensor is written in its order (`fortran_order`), every other one row-major; values are little-endian.
///
/// # Errors
/// [`FileError::UnsupportedDType`] for a dtype that numpy has no name for, before a file is made; [`FileError::Io`]
/// when writing fails; [`FileError::Tensor`] when the values are not on the host.
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<(), FileError> {
    write_as(path, tensor, ByteOrder::Little)
}

/// As [`write()`], with values in the byte order `order`.
///
/// # Errors
/// As [`write()`].
pub fn write_as(
    path: impl AsRef<Path>,
    tensor: &Tensor,
    order: ByteOrder,
) -> Result<(), FileError> {
    write_file(path.as_ref(), tensor, order, &mut |_| {})
}

pub(crate) fn write_file(
    path: &Path,
    tensor: &Tensor,
    order: ByteOrder,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<(), FileError> {
    let file = path.display().to_string();
    let _span = trace_span!(DEBUG, "save", format = "npy", path = file);
    check_dtype(tensor.dtype(), FileFormat::Npy, &file)?;
    let mut output = OutputFile::create(path).map_err(FileError::io(&file, "create"))?;
    write_to(&mut output, tensor, order, &file, seen)?;
    output.commit().map_err(FileError::io(&file, "write"))
}

/// The bytes of a npy file with `tensor`, little-endian.
///
/// # Errors
/// As [`write()`].
pub fn to_bytes(tensor: &Tensor) -> Result<Vec<u8>, FileError> {
    to_bytes_as(tensor, ByteOrder::Little)
}

/// As [`to_bytes()`], with values in the byte order `order`.
///
/// # Errors
/// As [`write()`].
pub fn to_bytes_as(tensor: &Tensor, order: ByteOrder) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, tensor, order, IN_MEMORY, &mut |_| {})?;
    Ok(bytes)
}

/// What errors call an array that is in no file.
const IN_MEMORY: &str = "npy bytes";

/// Reads the header of an array from a reader with exactly `length` bytes left. The entry has no name; its offset is the
/// first byte behind the header.
pub(crate) fn read_entry(
    reader: &mut impl Read,
    length: u64,
    file: &str,
) -> Result<(Entry, Encoding), FileError> {
    let cannot_read = || FileError::io(file, "read the header");
    let mut start = Vec::with_capacity(MAX_PREAMBLE);
    // The shorter preamble first: after it may come the header, which is read in one piece below.
    reader
        .take(10)
        .read_to_end(&mut start)
        .map_err(cannot_read())?;
    if start.get(6).is_some_and(|&major| major > 1) {
        reader
            .take(2)
            .read_to_end(&mut start)
            .map_err(cannot_read())?;
    }
    let preamble = Preamble::parse(file, &start)?;
    let mut text = vec![0; preamble.header_bytes];
    reader.read_exact(&mut text).map_err(cannot_read())?;
    let header = NpyHeader::parse(file, &text)?;

    let before = u64::try_from(preamble.length + preamble.header_bytes).unwrap_or(u64::MAX);
    let (needed, present) = (header.payload_bytes(file)?, length.saturating_sub(before));
    let NpyHeader {
        dtype,
        big_endian,
        column_major,
        shape,
    } = header;
    if needed != present {
        return Err(FileError::SizeMismatch {
            file: file.to_owned(),
            dtype,
            shape,
            needed,
            present,
        });
    }
    let entry = Entry {
        name: String::new(),
        format: ElementFormat::DType(dtype),
        shape,
        order: if column_major {
            MemoryOrder::ColMajor
        } else {
            MemoryOrder::RowMajor
        },
        offset: before,
        bytes: needed,
    };
    let order = if big_endian {
        ByteOrder::Big
    } else {
        ByteOrder::Little
    };
    let encoding = Encoding {
        order,
        bools: Bools::AnyByte,
    };
    Ok((entry, encoding))
}

/// Reads an array from a reader with exactly `length` bytes left.
pub(crate) fn read_sized(
    reader: &mut impl Read,
    length: u64,
    file: &str,
    reading: &mut Reading<'_>,
) -> Result<Tensor, FileError> {
    let (entry, encoding) = read_entry(reader, length, file)?;
    mapped::read(&entry, reader, encoding, file, reading)
}

/// Whether numpy has a name for a dtype.
pub(crate) fn check_dtype(dtype: DType, format: FileFormat, file: &str) -> Result<(), FileError> {
    if holds(dtype) {
        return Ok(());
    }
    Err(FileError::UnsupportedDType {
        file: file.to_owned(),
        format,
        dtype,
    })
}

/// Whether numpy has a name for `dtype`.
pub(crate) fn holds(dtype: DType) -> bool {
    !matches!(dtype, DType::BF16 | DType::External(_))
}

/// Writes header and values of `tensor`.
pub(crate) fn write_to(
    writer: &mut impl Write,
    tensor: &Tensor,
    order: ByteOrder,
    file: &str,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<(), FileError> {
    let _span = trace_span!(
        DEBUG,
        "write",
        name = file,
        bytes = tensor.size_bytes(),
        shape = ?tensor.shape(),
        dtype = %tensor.dtype(),
    );
    check_dtype(tensor.dtype(), FileFormat::Npy, file)?;
    dispatch_dtype!(
        tensor.dtype(),
        T => write_values::<T>(writer, tensor, order, file, seen),
        _external => check_dtype(tensor.dtype(), FileFormat::Npy, file),
    )
}

fn write_values<T: Element>(
    writer: &mut impl Write,
    tensor: &Tensor,
    order: ByteOrder,
    file: &str,
    seen: &mut dyn FnMut(&[u8]),
) -> Result<(), FileError> {
    let typed = tensor
        .as_typed::<T>()
        .expect("T is the type that the tensor's own dtype names");
    let view = typed.as_view().map_err(FileError::tensor(file))?;
    let layout = view.layout();
    // As numpy: an array that is both (a vector, say) counts as row-major, one that is neither is written row-major.
    let column_major = layout.is_col_major_contiguous() && !layout.is_row_major_contiguous();
    let header = NpyHeader {
        dtype: T::dtype(),
        big_endian: order == ByteOrder::Big,
        column_major,
        shape: view.shape().to_vec(),
    };
    let header = header
        .to_bytes()
        .ok_or_else(|| FileError::UnsupportedDType {
            file: file.to_owned(),
            format: FileFormat::Npy,
            dtype: T::dtype(),
        })?;
    let ordered = if column_major { view.transpose() } else { view };
    writer
        .write_all(&header)
        .and_then(|()| write_elements(writer, &ordered, order, seen))
        .map_err(FileError::io(file, "write"))
}
