//! The directory of a container: what it says about each tensor, as bytes and back.

use tensor_core::{DType, MemoryOrder};

use super::Metadata;
use super::header::{self, ALIGN, DATA_START, HEADER_BYTES, Slot, State, array};
use crate::entry::{ElementFormat, Entries, Entry};
use crate::error::FileError;

/// Bytes of a tensor's part of the directory without extents and texts.
const FIXED_BYTES: usize = 32;

/// Directories above this are refused: 64 bytes for each of 16 million tensors.
const MAX_DIRECTORY_BYTES: u64 = 1 << 30;

/// The code of each dtype in the file. A code is never used again for something else.
const DTYPES: [(DType, u8); 15] = [
    (DType::F32, 1),
    (DType::F64, 2),
    (DType::F16, 3),
    (DType::BF16, 4),
    (DType::I8, 5),
    (DType::I16, 6),
    (DType::I32, 7),
    (DType::I64, 8),
    (DType::U8, 9),
    (DType::U16, 10),
    (DType::U32, 11),
    (DType::U64, 12),
    (DType::Bool, 13),
    (DType::C32, 14),
    (DType::C64, 15),
];

/// The code of a dtype; `None` for an external scalar.
pub(super) fn dtype_code(dtype: DType) -> Option<u8> {
    DTYPES
        .iter()
        .find(|(known, _)| *known == dtype)
        .map(|(_, code)| *code)
}

/// What only the container says about a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extra {
    pub(super) sum: u32,
    pub(super) device: String,
}

/// A directory, read and checked.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) entries: Entries,
    /// Parallel to the entries.
    pub(super) extras: Vec<Extra>,
    pub(super) metadata: Metadata,
    pub(super) slot: Slot,
}

/// The bytes of a directory.
pub(super) fn to_bytes<'a>(
    tensors: impl Iterator<Item = (&'a Entry, &'a Extra)>,
    metadata: &Metadata,
    file: &str,
) -> Result<Vec<u8>, FileError> {
    let mut out = Vec::new();
    let length = |text: &str| {
        u32::try_from(text.len()).map_err(|_| FileError::AboveLimit {
            file: file.to_owned(),
            bytes: crate::mapping::length(text.as_bytes()),
            limit: u32::MAX.into(),
        })
    };
    for (entry, extra) in tensors {
        let code = entry.format.dtype().and_then(dtype_code);
        let code = code.expect("the writer refuses dtypes without a code");
        let rank = u32::try_from(entry.shape.len()).expect("no memory holds 2^32 extents");
        let device = u16::try_from(extra.device.len()).expect("device names are short");
        out.extend_from_slice(&length(&entry.name)?.to_le_bytes());
        out.extend_from_slice(&rank.to_le_bytes());
        out.extend_from_slice(&device.to_le_bytes());
        out.extend_from_slice(&[code, u8::from(entry.order == MemoryOrder::ColMajor)]);
        out.extend_from_slice(&extra.sum.to_le_bytes());
        out.extend_from_slice(&entry.offset.to_le_bytes());
        out.extend_from_slice(&entry.bytes.to_le_bytes());
        for &extent in &entry.shape {
            let extent = u64::try_from(extent).expect("an extent has at most 64 bits");
            out.extend_from_slice(&extent.to_le_bytes());
        }
        out.extend_from_slice(entry.name.as_bytes());
        out.extend_from_slice(extra.device.as_bytes());
    }
    let pairs = u32::try_from(metadata.len()).expect("no memory holds 2^32 pairs of texts");
    out.extend_from_slice(&pairs.to_le_bytes());
    for (key, value) in metadata {
        out.extend_from_slice(&length(key)?.to_le_bytes());
        out.extend_from_slice(&length(value)?.to_le_bytes());
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(value.as_bytes());
    }
    Ok(out)
}

impl Directory {
    /// Reads header and directory of a file of `length` bytes. `read` gives the bytes from a place in the file; it is called
    /// twice, and never for bytes that the file does not have.
    pub(super) fn read(
        file: &str,
        length: u64,
        state: State,
        mut read: impl FnMut(u64, usize) -> Result<Vec<u8>, FileError>,
    ) -> Result<Self, FileError> {
        let start = usize::try_from(length).map_or(HEADER_BYTES, |bytes| bytes.min(HEADER_BYTES));
        let slot = header::parse(&read(0, start)?, length, state, file)?;
        let above = || FileError::AboveLimit {
            file: file.to_owned(),
            bytes: slot.directory_bytes,
            limit: MAX_DIRECTORY_BYTES,
        };
        if slot.directory_bytes > MAX_DIRECTORY_BYTES {
            return Err(above());
        }
        let bytes = usize::try_from(slot.directory_bytes).map_err(|_| above())?;
        let bytes = read(slot.directory_start, bytes)?;
        let found = crc32fast::hash(&bytes);
        if found != slot.directory_sum {
            return Err(FileError::Checksum {
                file: file.to_owned(),
                what: "the directory",
                expected: slot.directory_sum,
                found,
            });
        }
        Self::parse(file, &bytes, slot)
    }

    fn parse(file: &str, bytes: &[u8], slot: Slot) -> Result<Self, FileError> {
        let mut cursor = Cursor {
            file,
            bytes,
            at: 0,
            start: slot.directory_start,
        };
        let most = bytes.len() / FIXED_BYTES;
        let count = usize::try_from(slot.tensors)
            .ok()
            .filter(|&count| count <= most)
            .ok_or_else(|| FileError::Malformed {
                file: file.to_owned(),
                at: slot.directory_start,
                what: "the number of tensors",
                found: slot.tensors.to_string(),
                expected: format!(
                    "at most {most}, since the directory has {} bytes",
                    bytes.len()
                ),
            })?;
        let (mut list, mut extras) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (entry, extra) = cursor.tensor()?;
            list.push(entry);
            extras.push(extra);
        }
        let metadata = cursor.metadata()?;
        if cursor.at != bytes.len() {
            return Err(cursor.malformed(
                "the rest of the directory",
                format!("{} bytes", bytes.len() - cursor.at),
                "nothing".to_owned(),
            ));
        }
        let entries = Entries::new(file, list, DATA_START..slot.end)?;
        let directory = Self {
            entries,
            extras,
            metadata,
            slot,
        };
        directory.check_apart()?;
        Ok(directory)
    }

    /// No tensor may lie in the directory.
    fn check_apart(&self) -> Result<(), FileError> {
        let start = self.slot.directory_start;
        let end = start.saturating_add(self.slot.directory_bytes);
        let inside = |entry: &&Entry| entry.bytes > 0 && entry.offset < end && entry.end() > start;
        match self.entries.list().iter().find(inside) {
            None => Ok(()),
            Some(entry) => Err(FileError::Overlap {
                file: self.entries.file().to_owned(),
                first: entry.name.clone(),
                second: "the directory".to_owned(),
                at: entry.offset.max(start),
            }),
        }
    }
}

/// A place in the bytes of a directory.
struct Cursor<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Where the directory begins in the file.
    start: u64,
}

impl<'a> Cursor<'a> {
    fn malformed(&self, what: &'static str, found: String, expected: String) -> FileError {
        let at = u64::try_from(self.at).unwrap_or(u64::MAX);
        FileError::Malformed {
            file: self.file.to_owned(),
            at: self.start.saturating_add(at),
            what,
            found,
            expected,
        }
    }

    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], FileError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(taken) = rest.get(..count) else {
            let (found, expected) = (format!("{count} bytes long"), rest.len());
            return Err(self.malformed(what, found, format!("at most the {expected} bytes left")));
        };
        self.at += count;
        Ok(taken)
    }

    fn length(&mut self, what: &'static str) -> Result<usize, FileError> {
        let number = u32::from_le_bytes(array(self.take(4, what)?, 0));
        usize::try_from(number).map_err(|_| {
            self.malformed(what, number.to_string(), "what memory can hold".to_owned())
        })
    }

    fn text(&mut self, bytes: usize, what: &'static str) -> Result<String, FileError> {
        let bytes = self.take(bytes, what)?;
        std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_| self.malformed(what, format!("{bytes:02x?}"), "UTF-8".to_owned()))
    }

    fn tensor(&mut self) -> Result<(Entry, Extra), FileError> {
        let fixed = self.take(FIXED_BYTES, "a tensor's part")?;
        let name_bytes = u32::from_le_bytes(array(fixed, 0));
        let rank = u32::from_le_bytes(array(fixed, 4));
        let device_bytes = usize::from(u16::from_le_bytes(array(fixed, 8)));
        let (code, order) = (fixed[10], fixed[11]);
        let sum = u32::from_le_bytes(array(fixed, 12));
        let offset = u64::from_le_bytes(array(fixed, 16));
        let bytes = u64::from_le_bytes(array(fixed, 24));
        let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let extents = self.take(size(rank).saturating_mul(8), "the shape")?;
        let (extents, _whole) = extents.as_chunks::<8>();
        let shape: Option<Vec<usize>> = extents
            .iter()
            .map(|&extent| usize::try_from(u64::from_le_bytes(extent)).ok())
            .collect();
        let name = self.text(size(name_bytes), "a name")?;
        let device = self.text(device_bytes, "a device's name")?;
        let file = || format!("{}:{name}", self.file);
        let malformed = |what, found: String, expected: &str| FileError::Malformed {
            file: file(),
            at: self.start,
            what,
            found,
            expected: expected.to_owned(),
        };
        let Some(&(dtype, _)) = DTYPES.iter().find(|(_, known)| *known == code) else {
            return Err(malformed("the dtype", code.to_string(), "1 to 15"));
        };
        let order = match order {
            0 => MemoryOrder::RowMajor,
            1 => MemoryOrder::ColMajor,
            _ => return Err(malformed("the memory order", order.to_string(), "0 or 1")),
        };
        if offset % ALIGN != 0 {
            let found = offset.to_string();
            return Err(malformed("the first byte", found, "a multiple of 64"));
        }
        let format = ElementFormat::DType(dtype);
        let needed = shape.as_deref().and_then(|shape| format.bytes(shape));
        let shape = shape.unwrap_or_default();
        if needed != Some(bytes) {
            return Err(FileError::SizeMismatch {
                file: file(),
                dtype,
                shape,
                needed: needed.unwrap_or(u64::MAX),
                present: bytes,
            });
        }
        let entry = Entry {
            name,
            format,
            shape,
            order,
            offset,
            bytes,
        };
        Ok((entry, Extra { sum, device }))
    }

    fn metadata(&mut self) -> Result<Metadata, FileError> {
        let count = self.length("the number of metadata pairs")?;
        let mut pairs = Metadata::new();
        for _ in 0..count {
            let key = self.length("the length of a key")?;
            let value = self.length("the length of a value")?;
            pairs.push((self.text(key, "a key")?, self.text(value, "a value")?));
        }
        Ok(pairs)
    }
}
