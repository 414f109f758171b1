//! [`SafeTensors`]: one mapped file.

use std::ops::Range;
use std::path::Path;

use tensor::{Tensor, trace_span};

use super::header;
use crate::element::Encoding;
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapping::{MappedBytes, Mapping};
use crate::tensors::MappedTensors;

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

    /// What the header says about each tensor, in the order in which they lie.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        self.tensors.entries.list()
    }

    /// The names, in the order in which the tensors lie.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tensors.entries.names()
    }

    /// The texts of `__metadata__`.
    #[must_use]
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// A copy of the tensor called `name`.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`], [`FileError::UnsupportedElement`], [`FileError::NoBool`], [`FileError::OutOfMemory`].
    pub fn get(&self, name: &str) -> Result<Tensor, FileError> {
        self.tensors.get_with(name, &mut |_| {})
    }

    pub(crate) fn get_with(
        &self,
        name: &str,
        moved: &mut dyn FnMut(u64),
    ) -> Result<Tensor, FileError> {
        self.tensors.get_with(name, moved)
    }

    /// The tensor called `name`, whose elements stay in the file; read-only. Bools are copied.
    ///
    /// # Errors
    /// As [`SafeTensors::get`]; [`FileError::Misaligned`], since the format does not align; and
    /// [`FileError::ForeignByteOrder`] on a big-endian machine.
    pub fn map(&self, name: &str) -> Result<Tensor, FileError> {
        self.tensors.map(name)
    }

    /// The bytes of the tensor called `name`, where they lie, whatever its element type is.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`].
    pub fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        self.tensors.raw(name)
    }

    /// A copy of the rows `rows` of axis 0 of the tensor called `name`. No other bytes are read.
    ///
    /// # Errors
    /// As [`SafeTensors::get`], and [`FileError::NoSuchRows`].
    pub fn rows(&self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
        self.tensors.rows(name, rows)
    }

    /// Copies of all tensors; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// As [`SafeTensors::get`]; the first error ends the reading.
    pub fn read_all(
        &self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        self.tensors.read_all(progress)
    }
}
