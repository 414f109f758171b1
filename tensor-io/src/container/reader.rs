//! [`ContainerReader`]: a container through `Read + Seek`; and how both readers get a tensor and verify it.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use tensor::Tensor;

#[cfg(doc)]
use super::Container;
use super::directory::Directory;
use super::header::State;
use crate::element::Encoding;
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapped::{self, Reading};
use crate::rows::Rows;
use crate::tensors::read_all;

impl Directory {
    pub(super) fn check_sum(&self, index: usize, found: u32) -> Result<(), FileError> {
        let expected = self.extras[index].sum;
        if found == expected {
            return Ok(());
        }
        Err(FileError::Checksum {
            file: self.entries.label(&self.entries.list()[index].name),
            what: "the tensor",
            expected,
            found,
        })
    }

    fn find_and_read(
        &self,
        name: &str,
        reader: &mut (impl Read + Seek),
        reading: &mut Reading<'_>,
    ) -> Result<Tensor, FileError> {
        let index = self.entries.find(name)?;
        let entry = &self.entries.list()[index];
        if entry.bytes > 0 {
            reader
                .seek(SeekFrom::Start(entry.offset))
                .map_err(FileError::io(self.entries.file(), "go to a tensor"))?;
        }
        self.read_tensor(index, reader, reading)
    }

    /// Reads a tensor from a reader that stands at its first byte, and verifies it.
    pub(super) fn read_tensor(
        &self,
        index: usize,
        reader: &mut impl Read,
        reading: &mut Reading<'_>,
    ) -> Result<Tensor, FileError> {
        let entry = &self.entries.list()[index];
        let label = self.entries.label(&entry.name);
        let mut sum = crc32fast::Hasher::new();
        let seen = &mut |piece: &[u8]| {
            sum.update(piece);
            (reading.seen)(piece);
        };
        let allocator = reading.allocator;
        let mut reading = Reading { allocator, seen };
        let read = mapped::read(entry, reader, Encoding::LITTLE, &label, &mut reading);
        // A damaged bool is first of all damage.
        if !matches!(
            read,
            Err(FileError::Io { .. } | FileError::OutOfMemory { .. } | FileError::Tensor { .. })
        ) {
            self.check_sum(index, sum.finalize())?;
        }
        read
    }
}

/// A container that is read through `Read + Seek`, only where it must be.
#[derive(Debug)]
pub struct ContainerReader<R> {
    reader: R,
    directory: Directory,
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Opens a container that `reader` holds, from its first byte on; errors call it `name`. Header and directory are read.
    ///
    /// # Errors
    /// As [`Container::open`].
    pub fn new(mut reader: R, name: impl Into<String>) -> Result<Self, FileError> {
        let file = name.into();
        let length = reader
            .seek(SeekFrom::End(0))
            .map_err(FileError::io(&file, "measure"))?;
        let directory = Directory::read(&file, length, State::Current, |start, bytes| {
            let mut part =
                crate::element::try_zeroed::<u8>(bytes).ok_or_else(|| FileError::OutOfMemory {
                    file: file.clone(),
                    bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
                })?;
            reader
                .seek(SeekFrom::Start(start))
                .and_then(|_| reader.read_exact(&mut part))
                .map_err(FileError::io(&file, "read the directory"))?;
            Ok(part)
        })?;
        Ok(Self { reader, directory })
    }

    /// What the directory says about each tensor, in the order in which they were written.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        self.directory.entries.list()
    }

    /// The names, in the order in which the tensors were written.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.directory.entries.names()
    }

    /// The texts that go along with the tensors.
    #[must_use]
    pub fn metadata(&self) -> &[(String, String)] {
        &self.directory.metadata
    }

    /// The reader.
    #[must_use]
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Reads the tensor called `name`, and verifies it. No other byte is read.
    ///
    /// # Errors
    /// As [`Container::get`], and [`FileError::Io`].
    pub fn get(&mut self, name: &str) -> Result<Tensor, FileError> {
        self.directory
            .find_and_read(name, &mut self.reader, &mut Reading::new(&mut |_| {}))
    }

    /// Reads all tensors; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// As [`ContainerReader::get`]; the first error ends the reading.
    pub fn read_all(
        &mut self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        let Self { reader, directory } = self;
        read_all(directory.entries.list(), None, progress, |name, reading| {
            directory.find_and_read(name, reader, reading)
        })
    }

    /// Reads the rows `rows` of axis 0 of the tensor called `name`, in the tensor's memory order. No other byte is read, so
    /// the checksum is not verified.
    ///
    /// # Errors
    /// As [`Container::rows`], and [`FileError::Io`].
    pub fn rows(&mut self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
        let index = self.directory.entries.find(name)?;
        let entry = &self.directory.entries.list()[index];
        let label = self.directory.entries.label(name);
        let reader = &mut self.reader;
        Rows::new(entry, rows, &label)?.read(reader, entry.offset, Encoding::LITTLE, &label)
    }
}
