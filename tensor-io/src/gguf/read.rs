//! [`Gguf`]: one mapped file.

use std::ops::Range;
use std::path::Path;

use tensor::{Tensor, trace_span};

use super::header::Header;
use super::value::Value;
use crate::element::{ByteOrder, Encoding};
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapping::{MappedBytes, Mapping};
use crate::tensors::{MappedTensors, ways_to_tensors};

/// A GGUF file, mapped. Opening reads the metadata and the list of tensors.
#[derive(Debug)]
pub struct Gguf {
    tensors: MappedTensors,
    version: u32,
    alignment: u64,
    metadata: Vec<(String, Value)>,
}

impl Gguf {
    /// Maps the file at `path` and reads its header.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::WrongFormat`], [`FileError::FormatVersion`], [`FileError::OutsideFile`] for a cut
    /// file, [`FileError::Malformed`] for a header that breaks the rules, [`FileError::Overlap`],
    /// [`FileError::DuplicateName`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = path.as_ref().display().to_string();
        let _span = trace_span!(DEBUG, "open", format = "gguf", path = file);
        Self::from_mapping(Mapping::open(path)?, file)
    }

    /// The file whose bytes are `mapping`; errors call it `name`.
    ///
    /// # Errors
    /// As [`Gguf::open`].
    pub fn from_mapping(mapping: Mapping, name: impl Into<String>) -> Result<Self, FileError> {
        let header = Header::parse(&mapping, &name.into())?;
        let tensors = MappedTensors {
            mapping,
            entries: header.entries,
            encoding: Encoding {
                order: header.order,
                ..Encoding::LITTLE
            },
        };
        Ok(Self {
            tensors,
            version: header.version,
            alignment: header.alignment,
            metadata: header.metadata,
        })
    }

    /// The version of the format: 2 or 3.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The byte order of all numbers in the file, those in quantised blocks included.
    #[must_use]
    pub fn byte_order(&self) -> ByteOrder {
        self.tensors.encoding.order
    }

    /// Tensors begin at multiples of this many bytes.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// The metadata, in the order of the file.
    #[must_use]
    pub fn metadata(&self) -> &[(String, Value)] {
        &self.metadata
    }

    /// The value of `key` in the metadata.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&Value> {
        let mut pairs = self.metadata.iter();
        pairs
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }
}

ways_to_tensors!(Gguf);
