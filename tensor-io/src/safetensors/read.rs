//! [`SafeTensors`]: one mapped file.

use std::ops::Range;
use std::path::Path;

use tensor::{Tensor, trace_span};

use super::header;
use crate::element::Encoding;
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapping::{MappedBytes, Mapping};
use crate::tensors::{MappedTensors, ways_to_tensors};

/// A safetensors file, mapped. Opening reads the header only.
#[derive(Debug)]
pub struct SafeTensors {
    tensors: MappedTensors,
    metadata: Vec<(String, String)>,
}

impl SafeTensors {
    /// Maps the file at `path` and reads its header.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::WrongFormat`], [`FileError::AboveLimit`], [`FileError::OutsideFile`] for a cut file,
    /// [`FileError::Json`] and [`FileError::Malformed`] for a header that breaks the rules, [`FileError::Overlap`],
    /// [`FileError::DuplicateName`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = path.as_ref().display().to_string();
        let _span = trace_span!(DEBUG, "open", format = "safetensors", path = file);
        Self::from_mapping(Mapping::open(path)?, file)
    }

    /// The file whose bytes are `mapping`; errors call it `name`.
    ///
    /// # Errors
    /// As [`SafeTensors::open`].
    pub fn from_mapping(mapping: Mapping, name: impl Into<String>) -> Result<Self, FileError> {
        let file = name.into();
        let length = mapping.length();
        let bytes = header::header_bytes(&mapping, length, &file)?;
        let json = mapping.part(header::LENGTH_BYTES, bytes);
        let (entries, metadata) = header::parse(&json, length, &file)?;
        let tensors = MappedTensors {
            mapping,
            entries,
            encoding: Encoding::LITTLE,
        };
        Ok(Self { tensors, metadata })
    }

    /// The texts of `__metadata__`.
    #[must_use]
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }
}

ways_to_tensors!(SafeTensors);
