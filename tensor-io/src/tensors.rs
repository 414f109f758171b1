//! [`MappedTensors`]: a mapped file, its entries, and the ways to a tensor: what all formats that map have in common.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use tensor::Tensor;
use tensor::alloc::Allocator;

use crate::element::Encoding;
use crate::entry::{Entries, Entry};
use crate::error::FileError;
use crate::mapped::{self, Reading};
use crate::mapping::{MappedBytes, Mapping, length};
use crate::rows::Rows;

/// The tensors of a mapped file without checksums.
#[derive(Debug)]
pub(crate) struct MappedTensors {
    pub(crate) mapping: Mapping,
    pub(crate) entries: Entries,
    pub(crate) encoding: Encoding,
}

impl MappedTensors {
    fn entry(&self, name: &str) -> Result<(&Entry, String), FileError> {
        let index = self.entries.find(name)?;
        Ok((&self.entries.list()[index], self.entries.label(name)))
    }

    fn bytes(&self, entry: &Entry) -> MappedBytes {
        self.mapping.part(entry.offset, entry.bytes)
    }

    pub(crate) fn get_with(
        &self,
        name: &str,
        reading: &mut Reading<'_>,
    ) -> Result<Tensor, FileError> {
        let (entry, label) = self.entry(name)?;
        let mut bytes: &[u8] = &self.bytes(entry);
        mapped::read(entry, &mut bytes, self.encoding, &label, reading)
    }

    pub(crate) fn map(&self, name: &str) -> Result<Tensor, FileError> {
        let (entry, label) = self.entry(name)?;
        mapped::map(entry, self.bytes(entry), self.encoding, &label)
    }

    pub(crate) fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        self.entry(name).map(|(entry, _)| self.bytes(entry))
    }

    pub(crate) fn rows(&self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
        let (entry, label) = self.entry(name)?;
        let mut bytes = Cursor::new(&*self.mapping);
        Rows::new(entry, rows, &label)?.read(&mut bytes, entry.offset, self.encoding, &label)
    }

    pub(crate) fn read_all(
        &self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        read_all(self.entries.list(), None, progress, |name, reading| {
            self.get_with(name, reading)
        })
    }
}

/// Reads the tensors of `entries` one after the other with `read`, into memory of `allocator` if there is one, and tells
/// `progress` the bytes done and of all.
pub(crate) fn read_all(
    entries: &[Entry],
    allocator: Option<&Arc<dyn Allocator>>,
    mut progress: impl FnMut(u64, u64),
    mut read: impl FnMut(&str, &mut Reading<'_>) -> Result<Tensor, FileError>,
) -> Result<Vec<(String, Tensor)>, FileError> {
    let total = entries.iter().map(|entry| entry.bytes).sum();
    let mut done = 0;
    let one = |entry: &Entry| {
        let seen = &mut |piece: &[u8]| {
            done += length(piece);
            progress(done, total);
        };
        let tensor = read(&entry.name, &mut Reading { allocator, seen })?;
        Ok((entry.name.clone(), tensor))
    };
    entries.iter().map(one).collect()
}

/// The public methods that a file with a field `tensors: MappedTensors` has for them, the same for every format.
macro_rules! ways_to_tensors {
    ($File:ident) => {
        impl $File {
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
            /// [`FileError::NoSuchTensor`], [`FileError::UnsupportedElement`] for a type without a dtype,
            /// [`FileError::NoBool`], [`FileError::OutOfMemory`].
            pub fn get(&self, name: &str) -> Result<Tensor, FileError> {
                self.tensors.get_with(name, &mut crate::mapped::Reading::new(&mut |_| {}))
            }

            /// As `get`, read as `reading` says.
            pub(crate) fn get_with(
                &self,
                name: &str,
                reading: &mut crate::mapped::Reading<'_>,
            ) -> Result<Tensor, FileError> {
                self.tensors.get_with(name, reading)
            }

            /// The tensor called `name`, whose elements stay in the file; read-only. Bools are copied.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($File), "::get`]; [`FileError::Misaligned`] where the file does not align")]
            /// as the elements have to be, and [`FileError::ForeignByteOrder`] for numbers in the byte order of other
            /// machines.
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
            #[doc = concat!("As [`", stringify!($File), "::get`], and [`FileError::NoSuchRows`].")]
            pub fn rows(&self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
                self.tensors.rows(name, rows)
            }

            /// Copies of all tensors; `progress` is told the bytes that are done and the bytes of all.
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($File), "::get`]; the first error ends the reading.")]
            pub fn read_all(
                &self,
                progress: impl FnMut(u64, u64),
            ) -> Result<Vec<(String, Tensor)>, FileError> {
                self.tensors.read_all(progress)
            }
        }
    };
}

pub(crate) use ways_to_tensors;
