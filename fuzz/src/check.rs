//! What holds for every tensor that a file lists, whatever the format.

use std::ops::Range;

use tensor::core::MemoryOrder;
use tensor::{SliceSpec, Tensor};
use tensor_io::container::Container;
use tensor_io::gguf::Gguf;
use tensor_io::safetensors::{SafeTensors, Shards};
use tensor_io::{ByteOrder, ElementFormat, Entry, FileError, MappedBytes};

/// The ways to a tensor that the formats have in common.
pub(crate) trait Ways {
    /// Whether the entries lie in one file, where no two may share a byte.
    const ONE_FILE: bool;
    fn entries(&self) -> &[Entry];
    fn get(&self, name: &str) -> Result<Tensor, FileError>;
    fn map(&self, name: &str) -> Result<Tensor, FileError>;
    fn raw(&self, name: &str) -> Result<MappedBytes, FileError>;
    /// `None` where the format does not offer it.
    fn rows(&self, name: &str, rows: Range<usize>) -> Option<Result<Tensor, FileError>>;
}

macro_rules! ways {
    ($($File:ty, $one_file:literal, $rows:expr;)+) => {$(
        impl Ways for $File {
            const ONE_FILE: bool = $one_file;
            fn entries(&self) -> &[Entry] {
                self.entries()
            }
            fn get(&self, name: &str) -> Result<Tensor, FileError> {
                self.get(name)
            }
            fn map(&self, name: &str) -> Result<Tensor, FileError> {
                self.map(name)
            }
            fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
                self.raw(name)
            }
            fn rows(&self, name: &str, rows: Range<usize>) -> Option<Result<Tensor, FileError>> {
                $rows(self, name, rows)
            }
        }
    )+};
}

ways! {
    Container, true, |file: &Self, name, rows| Some(file.rows(name, rows));
    SafeTensors, true, |file: &Self, name, rows| Some(file.rows(name, rows));
    Gguf, true, |file: &Self, name, rows| Some(file.rows(name, rows));
    Shards, false, |_, _, _| None;
}

/// Whether all that `file` lists can be had, from `length` bytes whose numbers are in `order`.
pub(crate) fn file<F: Ways>(file: &F, length: usize, order: ByteOrder) {
    if F::ONE_FILE {
        apart(file.entries());
    }
    for entry in file.entries() {
        one(file, entry, length, order);
    }
    let refused = file.get("no tensor has this name").is_err();
    assert!(refused, "a name that is not there");
}

/// Whether no two tensors share a byte.
fn apart(entries: &[Entry]) {
    let places = entries.iter().filter(|entry| entry.bytes > 0);
    let mut places: Vec<(u64, u64)> = places.map(|entry| (entry.offset, entry.bytes)).collect();
    places.sort_unstable();
    for pair in places.windows(2) {
        let [(first, bytes), (second, _)] = [pair[0], pair[1]];
        assert!(second - first >= bytes, "tensors share byte {second}");
    }
}

fn one(file: &impl Ways, entry: &Entry, length: usize, order: ByteOrder) {
    let name = entry.name.as_str();
    listed(entry, length);
    let raw = match file.raw(name) {
        Ok(raw) => raw,
        Err(error) => {
            refusal(&error, entry, order);
            assert!(
                file.get(name).is_err() && file.map(name).is_err(),
                "{error}"
            );
            return;
        }
    };
    assert_eq!(wide(raw.len()), entry.bytes, "{name}: bytes");
    let read = match file.get(name) {
        Ok(read) => read,
        Err(error) => {
            refusal(&error, entry, order);
            assert!(file.map(name).is_err(), "{name}: {error}");
            return;
        }
    };
    tensor(entry, &read);
    let any_byte = read.dtype() == tensor::DType::Bool;
    assert!(
        any_byte || stored(entry, &read, order) == *raw,
        "{name}: values"
    );
    match file.map(name) {
        Ok(mapped) => {
            tensor(entry, &mapped);
            assert_eq!(plain(&mapped), plain(&read), "{name}: mapped");
        }
        Err(error) => refusal(&error, entry, order),
    }
    rows(file, entry, &read);
}

/// Whether an entry adds up, in a file of `length` bytes.
pub(crate) fn listed(entry: &Entry, length: usize) {
    // An empty tensor lies nowhere.
    let end = entry.offset.checked_add(entry.bytes);
    let inside = entry.bytes == 0 || end.is_some_and(|end| end <= wide(length));
    assert!(inside, "{entry:?} is not in a file of {length} bytes");
    if let ElementFormat::DType(dtype) = entry.format {
        let bytes = entry.element_count().checked_mul(dtype.size_bytes());
        assert_eq!(bytes.map(wide), Some(entry.bytes), "{entry:?}");
    }
}

/// Whether a tensor is what its entry says.
pub(crate) fn tensor(entry: &Entry, tensor: &Tensor) {
    assert_eq!(entry.format, ElementFormat::DType(tensor.dtype()));
    assert_eq!(tensor.shape(), entry.shape);
    assert_eq!(wide(tensor.size_bytes()), entry.bytes);
    let layout = tensor.layout();
    assert!(match entry.order {
        MemoryOrder::RowMajor => layout.is_row_major_contiguous(),
        MemoryOrder::ColMajor => layout.is_col_major_contiguous(),
    });
}

/// Whether some rows are those of the whole, and rows that are not there are refused.
fn rows(file: &impl Ways, entry: &Entry, whole: &Tensor) {
    let count = entry.shape.first().copied().unwrap_or(0);
    let behind = count.checked_add(1).map(|end| count..end);
    if let Some(behind) = behind.and_then(|rows| file.rows(&entry.name, rows)) {
        assert!(behind.is_err(), "{}: a row behind the last", entry.name);
    }
    // Slices have signed ends; an axis beside an empty one can be longer.
    if entry.shape.is_empty() || isize::try_from(count).is_err() {
        return;
    }
    let wanted = count / 3..count - count / 4;
    let Some(part) = file.rows(&entry.name, wanted.clone()) else {
        return;
    };
    let part = part.expect("rows of what can be read");
    let edge = |row| isize::try_from(row).unwrap_or(isize::MAX);
    let slice = SliceSpec::range(edge(wanted.start), edge(wanted.end));
    let view = whole.view().expect("a tensor on the host");
    let expect = view.slice_axis(0, slice).expect("rows inside");
    assert_eq!(part.shape(), expect.shape(), "{}: rows", entry.name);
    let expect = expect
        .to_le_bytes()
        .expect("memory for a part of the whole");
    assert_eq!(plain(&part), expect, "{}: rows", entry.name);
}

/// Whether the format may refuse a tensor that it lists for this reason.
fn refusal(error: &FileError, entry: &Entry, order: ByteOrder) {
    printed(error);
    let block = matches!(entry.format, ElementFormat::Block(_));
    let fair = match error {
        FileError::UnsupportedElement { .. } => block,
        FileError::Checksum { .. } | FileError::NoBool { .. } => !block,
        FileError::Misaligned { .. } => entry.bytes > 0,
        FileError::ForeignByteOrder { .. } => order != ByteOrder::NATIVE,
        _ => false,
    };
    assert!(fair, "{error}");
}

/// Whether an error can be told; it names the file, which all targets call `file`.
pub(crate) fn printed(error: &FileError) {
    let text = error.to_string();
    assert!(text.contains("file"), "{text}");
}

/// The elements in row-major order.
pub(crate) fn plain(tensor: &Tensor) -> Vec<u8> {
    tensor.to_le_bytes().expect("a tensor on the host")
}

/// The elements as the file has them.
fn stored(entry: &Entry, tensor: &Tensor, order: ByteOrder) -> Vec<u8> {
    let view = tensor.view().expect("a tensor on the host");
    let view = match entry.order {
        MemoryOrder::RowMajor => view,
        MemoryOrder::ColMajor => view.transpose(),
    };
    match order {
        ByteOrder::Little => view.to_le_bytes(),
        ByteOrder::Big => view.to_be_bytes(),
    }
    .expect("memory for a copy")
}

pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
