//! The header of a safetensors file: JSON to entries.

use std::fmt;

use serde::Deserialize;
use serde::de::{Error, MapAccess, Visitor};
use tensor_core::MemoryOrder;

use super::{METADATA, TYPES};
use crate::FileFormat;
use crate::entry::{Entries, Entry};
use crate::error::FileError;

/// The longest header that the format allows.
pub(super) const MAX_HEADER_BYTES: u64 = 100_000_000;

/// Bytes of the header's length.
pub(super) const LENGTH_BYTES: u64 = 8;

/// What the header says about one tensor.
#[derive(Deserialize)]
struct Info {
    dtype: String,
    shape: Vec<u64>,
    /// From the first byte behind the header.
    data_offsets: (u64, u64),
}

/// The whole header, in its order.
struct Header {
    tensors: Vec<(String, Info)>,
    metadata: Vec<(String, String)>,
}

/// Pairs of texts; a key that comes twice is refused.
pub(super) struct Texts(pub(super) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
                let mut known = std::collections::HashSet::new();
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, String>()? {
                    if !known.insert(key.clone()) {
                        return Err(A::Error::custom(format!("the key {key:?} comes twice")));
                    }
                    pairs.push((key, value));
                }
                Ok(Texts(pairs))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Header;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a member for each tensor")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let (mut tensors, mut metadata) = (Vec::new(), None);
                while let Some(name) = map.next_key::<String>()? {
                    if name == METADATA {
                        if metadata.replace(map.next_value::<Texts>()?.0).is_some() {
                            return Err(A::Error::custom("__metadata__ comes twice"));
                        }
                    } else {
                        tensors.push((name, map.next_value()?));
                    }
                }
                Ok(Header {
                    tensors,
                    metadata: metadata.unwrap_or_default(),
                })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The bytes of the header that a file of `length` bytes begins with, whose first bytes are `start`.
pub(super) fn header_bytes(start: &[u8], length: u64, file: &str) -> Result<u64, FileError> {
    let wrong = || FileError::WrongFormat {
        file: file.to_owned(),
        format: FileFormat::SafeTensors,
        found: start[..start.len().min(9)].to_vec(),
    };
    let Some((&bytes, [b'{', ..])) = start.split_first_chunk::<8>() else {
        return Err(wrong());
    };
    let bytes = u64::from_le_bytes(bytes);
    if bytes > MAX_HEADER_BYTES {
        return Err(FileError::AboveLimit {
            file: file.to_owned(),
            bytes,
            limit: MAX_HEADER_BYTES,
        });
    }
    if LENGTH_BYTES + bytes > length {
        return Err(FileError::OutsideFile {
            file: file.to_owned(),
            what: "the header",
            start: LENGTH_BYTES,
            end: LENGTH_BYTES + bytes,
            length,
        });
    }
    Ok(bytes)
}

/// Reads the header `json` of a file of `length` bytes: entries sorted by place, and texts.
pub(super) fn parse(
    json: &[u8],
    length: u64,
    file: &str,
) -> Result<(Entries, Vec<(String, String)>), FileError> {
    let header: Header = serde_json::from_slice(json).map_err(|source| FileError::Json {
        file: file.to_owned(),
        source,
    })?;
    let start = LENGTH_BYTES + crate::mapping::length(json);
    let mut list = Vec::with_capacity(header.tensors.len());
    for (name, info) in header.tensors {
        list.push(entry(name, info, start, file)?);
    }
    // Empty tensors share their place with what follows.
    list.sort_by_key(|entry| (entry.offset, entry.bytes));
    let mut next = start;
    let gap = |expected: u64, found: u64, what, file: String| FileError::Malformed {
        file,
        at: expected,
        what,
        found: found.to_string(),
        expected: format!("{expected}, since tensors follow each other without gaps"),
    };
    // First what is said best: repeated names, tensors outside of the file or in each other.
    let entries = Entries::new(file, list, start..length)?;
    for entry in entries.list() {
        if entry.offset != next {
            let label = entries.label(&entry.name);
            return Err(gap(
                next,
                entry.offset,
                "the first byte of the tensor",
                label,
            ));
        }
        next = entry.end();
    }
    if next != length {
        return Err(gap(next, length, "the length of the file", file.to_owned()));
    }
    Ok((entries, header.metadata))
}

fn entry(name: String, info: Info, start: u64, file: &str) -> Result<Entry, FileError> {
    let label = || format!("{file}:{name}");
    let malformed = |what, found, expected| FileError::Malformed {
        file: label(),
        at: LENGTH_BYTES,
        what,
        found,
        expected,
    };
    let Some((_, format)) = TYPES.iter().find(|(known, _)| *known == info.dtype) else {
        let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        let found = format!("{:?}", info.dtype);
        return Err(malformed("the dtype", found, names.join(", ")));
    };
    let shape: Result<Vec<usize>, _> = info.shape.iter().map(|&n| usize::try_from(n)).collect();
    let bytes = shape.as_deref().ok().and_then(|shape| format.bytes(shape));
    let (Ok(shape), Some(bytes)) = (shape, bytes) else {
        let expected = format!("a shape whose {} fit memory and whole bytes", info.dtype);
        return Err(malformed(
            "the shape",
            format!("{:?}", info.shape),
            expected,
        ));
    };
    let (first, end) = info.data_offsets;
    if end.checked_sub(first) != Some(bytes) {
        let found = format!("{first} to {end}");
        let expected = format!("{bytes} bytes for {} {shape:?}", info.dtype);
        return Err(malformed("data_offsets", found, expected));
    }
    let Some(offset) = start.checked_add(first) else {
        let expected = "a place in the file".to_owned();
        return Err(malformed("data_offsets", first.to_string(), expected));
    };
    Ok(Entry {
        name,
        format: *format,
        shape,
        order: MemoryOrder::RowMajor,
        offset,
        bytes,
    })
}
