//! The part of a GGUF file before the tensors' bytes.

use std::collections::HashSet;

use tensor_core::MemoryOrder;

use super::cursor::{Cursor, MAX_HEADER_BYTES};
use super::types;
use super::value::Value;
use crate::FileFormat;
use crate::element::ByteOrder;
use crate::entry::{Entries, Entry};
use crate::error::FileError;
use crate::mapping::length;

pub(crate) const MAGIC: [u8; 4] = *b"GGUF";

/// Where tensors lie if the metadata say nothing.
const DEFAULT_ALIGNMENT: u64 = 32;

/// The key that says something else.
const ALIGNMENT: &str = "general.alignment";

/// Everything but the tensors' bytes.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) order: ByteOrder,
    pub(super) alignment: u64,
    pub(super) metadata: Vec<(String, Value)>,
    pub(super) entries: Entries,
}

impl Header {
    /// Reads the header of the file whose bytes are `bytes`.
    pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Self, FileError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(FileError::WrongFormat {
                file: file.to_owned(),
                format: FileFormat::Gguf,
                found: bytes[..bytes.len().min(8)].to_vec(),
            });
        }
        let mut cursor = Cursor {
            file,
            bytes: &bytes[..bytes.len().min(MAX_HEADER_BYTES)],
            at: MAGIC.len(),
            order: ByteOrder::Little,
        };
        let version = version(&mut cursor)?;
        // The least that a tensor takes: empty name, no dimension, type, offset.
        let tensors = cursor.u64("the number of tensors")?;
        let tensors = cursor.fits(tensors, 24, "the number of tensors")?;
        let metadata = metadata(&mut cursor)?;
        let alignment = alignment(&metadata, &cursor)?;
        let mut list = Vec::new();
        for _ in 0..tensors {
            list.push(tensor(&mut cursor, alignment)?);
        }
        let at = length(&bytes[..cursor.at]);
        let start = at.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        for entry in &mut list {
            // What does not fit is found outside of the file below.
            entry.offset = entry.offset.saturating_add(start);
        }
        let entries = Entries::new(file, list, start..length(bytes).max(start))?;
        Ok(Self {
            version,
            order: cursor.order,
            alignment,
            metadata,
            entries,
        })
    }
}

/// Reads the version, and learns the byte order by it.
fn version(cursor: &mut Cursor<'_>) -> Result<u32, FileError> {
    let mut version = cursor.u32("the version")?;
    // No version has come near 65536: the other byte order then.
    if version & 0xffff == 0 {
        version = version.swap_bytes();
        cursor.order = ByteOrder::Big;
    }
    if matches!(version, 2 | 3) {
        return Ok(version);
    }
    Err(FileError::FormatVersion {
        file: cursor.file.to_owned(),
        format: FileFormat::Gguf,
        version,
        oldest: 2,
        newest: 3,
    })
}

fn metadata(cursor: &mut Cursor<'_>) -> Result<Vec<(String, Value)>, FileError> {
    // An empty key, the type, and a value of one byte.
    let count = cursor.count(13, "the number of metadata pairs")?;
    let (mut metadata, mut known) = (Vec::new(), HashSet::new());
    for _ in 0..count {
        let key = cursor.text("a key")?;
        if !known.insert(key.clone()) {
            return Err(cursor.malformed("a key", format!("{key:?} again"), "each key once"));
        }
        metadata.push((key, cursor.value()?));
    }
    Ok(metadata)
}

fn alignment(metadata: &[(String, Value)], cursor: &Cursor<'_>) -> Result<u64, FileError> {
    let Some((_, value)) = metadata.iter().find(|(key, _)| key == ALIGNMENT) else {
        return Ok(DEFAULT_ALIGNMENT);
    };
    match value {
        Value::U32(alignment) if alignment.is_power_of_two() => Ok((*alignment).into()),
        other => Err(cursor.malformed(
            "general.alignment",
            format!("{other:?}"),
            "a power of two as U32",
        )),
    }
}

/// Reads what is said about one tensor; the offset is that from the first byte of all tensors.
fn tensor(cursor: &mut Cursor<'_>, alignment: u64) -> Result<Entry, FileError> {
    let name = cursor.text("a tensor's name")?;
    let rank = cursor.u32("the number of dimensions")?;
    let rank = cursor.fits(rank.into(), 8, "the number of dimensions")?;
    let mut shape = Vec::with_capacity(rank);
    for _ in 0..rank {
        let extent = cursor.u64("a dimension")?;
        let extent = usize::try_from(extent)
            .map_err(|_| cursor.malformed("a dimension", extent, "what memory can hold"))?;
        shape.push(extent);
    }
    shape.reverse();
    let code = cursor.u32("a tensor's type")?;
    let offset = cursor.u64("a tensor's offset")?;
    let label = format!("{}:{name}", cursor.file);
    let wrong = |what, found: String, expected: &str| FileError::Malformed {
        file: label.clone(),
        at: length(&cursor.bytes[..cursor.at]),
        what,
        found,
        expected: expected.to_owned(),
    };
    let Some(format) = types::format(code) else {
        return Err(wrong(
            "the type",
            code.to_string(),
            "one of ggml's types, of which 41 was the last when this was written",
        ));
    };
    let Some(bytes) = format.bytes(&shape) else {
        let expected = format!("whole blocks of {format} along the last axis, that fit memory");
        return Err(wrong("the shape", format!("{shape:?}"), &expected));
    };
    if !offset.is_multiple_of(alignment) {
        let expected = format!("a multiple of the alignment, {alignment}");
        return Err(wrong("the offset", offset.to_string(), &expected));
    }
    Ok(Entry {
        name,
        format,
        shape,
        order: MemoryOrder::RowMajor,
        offset,
        bytes,
    })
}
