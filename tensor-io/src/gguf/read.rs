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
use crate::tensors::MappedTensors;

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

    /// What the header says about each tensor, in the order of the file.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        self.tensors.entries.list()
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tensors.entries.names()
    }

    /// A copy of the tensor called `name`.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`], [`FileError::UnsupportedElement`] for a quantised type, [`FileError::OutOfMemory`].
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

    /// The tensor called `name`, whose elements stay in the file; read-only.
    ///
    /// # Errors
    /// As [`Gguf::get`]; [`FileError::ForeignByteOrder`] for a file of the other byte order, [`FileError::Misaligned`] for
    /// an alignment below the element's.
    pub fn map(&self, name: &str) -> Result<Tensor, FileError> {
        self.tensors.map(name)
    }

    /// The bytes of the tensor called `name`, where they lie, whatever its type is.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`].
    pub fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        self.tensors.raw(name)
    }

    /// A copy of the rows `rows` of axis 0 (ggml's last dimension) of the tensor called `name`. No other bytes are read.
    ///
    /// # Errors
    /// As [`Gguf::get`], and [`FileError::NoSuchRows`].
    pub fn rows(&self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
        self.tensors.rows(name, rows)
    }

    /// Copies of all tensors; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// As [`Gguf::get`]; the first error ends the reading, so that a file with quantised tensors can't be read so.
    pub fn read_all(
        &self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        self.tensors.read_all(progress)
    }
}
