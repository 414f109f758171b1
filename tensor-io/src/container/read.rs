//! [`Container`]: a mapped container.

use std::io::{Cursor, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tensor::{Tensor, trace_span};

use super::directory::Directory;
use super::header::State;
use super::reader::ContainerReader;
use crate::element::{Encoding, PIECE_BYTES};
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapped::{self, Reading};
use crate::mapping::{MappedBytes, Mapping, length};
use crate::rows::Rows;
use crate::tensors::read_all;

/// A container, mapped. Opening reads no tensor.
///
/// ```
/// use tensor::Tensor;
/// use tensor_io::container::{Container, ContainerWriter};
///
/// let path = std::env::temp_dir().join(format!("example-{}.tensors", std::process::id()));
/// let weights = Tensor::from_vec_row_major([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// let mut writer = ContainerWriter::create(&path)?;
/// writer.write("weights", &weights)?;
/// writer.finish()?;
///
/// let container = Container::open(&path)?;
/// let mapped = container.map("weights")?;
/// std::fs::remove_file(&path)?;
/// assert_eq!(mapped.as_slice::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Container {
    mapping: Mapping,
    directory: Directory,
    /// Which tensors have been compared with their checksums; parallel to the entries.
    verified: Vec<AtomicBool>,
}

impl Container {
    /// Maps the container at `path`; reads and verifies header and directory.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::WrongFormat`], [`FileError::FormatVersion`], [`FileError::Checksum`] for altered
    /// bytes, [`FileError::OutsideFile`] for a cut file, and for directories that a writer can't have made
    /// [`FileError::Malformed`], [`FileError::SizeMismatch`], [`FileError::Overlap`], [`FileError::DuplicateName`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let mapping = Mapping::open(&path)?;
        Self::new(mapping, path.as_ref().display().to_string(), State::Current)
    }

    /// As [`Container::open`], in the state before the last append; or, if one of the header's slots is damaged, in the
    /// state of the other.
    ///
    /// # Errors
    /// As [`Container::open`]; [`FileError::NoEarlierState`] if nothing was ever appended.
    pub fn open_earlier(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let mapping = Mapping::open(&path)?;
        Self::new(mapping, path.as_ref().display().to_string(), State::Earlier)
    }

    /// The container in `mapping`; errors call it `name`.
    ///
    /// # Errors
    /// As [`Container::open`].
    pub fn from_mapping(mapping: Mapping, name: impl Into<String>) -> Result<Self, FileError> {
        Self::new(mapping, name.into(), State::Current)
    }

    fn new(mapping: Mapping, file: String, state: State) -> Result<Self, FileError> {
        let _span = trace_span!(DEBUG, "open", format = "container", path = file);
        let directory = Directory::read(&file, mapping.length(), state, |start, bytes| {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            Ok(mapping.part(start, bytes).to_vec())
        })?;
        let verified = (0..directory.extras.len())
            .map(|_| AtomicBool::new(false))
            .collect();
        Ok(Self {
            mapping,
            directory,
            verified,
        })
    }

    /// Opens a container that `reader` holds, from its first byte on; errors call it `name`.
    ///
    /// # Errors
    /// As [`Container::open`].
    pub fn open_reader<R: Read + Seek>(
        reader: R,
        name: impl Into<String>,
    ) -> Result<ContainerReader<R>, FileError> {
        ContainerReader::new(reader, name)
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

    /// Where the tensor called `name` was when it was written, such as `vulkan:0`; empty for plain host memory.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`].
    pub fn device(&self, name: &str) -> Result<&str, FileError> {
        let index = self.directory.entries.find(name)?;
        Ok(&self.directory.extras[index].device)
    }

    /// A copy of the tensor called `name`, verified on the way.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`], [`FileError::Checksum`], [`FileError::NoBool`], [`FileError::OutOfMemory`].
    pub fn get(&self, name: &str) -> Result<Tensor, FileError> {
        self.get_with(name, &mut Reading::new(&mut |_| {}))
    }

    /// Copies of all tensors; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// As [`Container::get`]; the first error ends the reading.
    pub fn read_all(
        &self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        read_all(self.entries(), None, progress, |name, reading| {
            self.get_with(name, reading)
        })
    }

    /// As [`Container::get`], read as `reading` says.
    pub(crate) fn get_with(
        &self,
        name: &str,
        reading: &mut Reading<'_>,
    ) -> Result<Tensor, FileError> {
        let index = self.directory.entries.find(name)?;
        let bytes = self.bytes(index);
        let tensor = self.directory.read_tensor(index, &mut &*bytes, reading)?;
        self.verified[index].store(true, Ordering::Relaxed);
        Ok(tensor)
    }

    /// The tensor called `name`, whose elements stay in the file; read-only. The first time its checksum is verified, which
    /// reads it once. Bools are copied.
    ///
    /// # Errors
    /// As [`Container::get`]; [`FileError::ForeignByteOrder`] on a big-endian machine.
    pub fn map(&self, name: &str) -> Result<Tensor, FileError> {
        let index = self.directory.entries.find(name)?;
        self.verify_index(index, &mut |_| {})?;
        self.map_index(index)
    }

    /// As [`Container::map`] without a look at the checksum: no byte is read (but of bools), so that damage can show as
    /// wrong values.
    ///
    /// # Errors
    /// As [`Container::map`], without [`FileError::Checksum`].
    pub fn map_unverified(&self, name: &str) -> Result<Tensor, FileError> {
        self.map_index(self.directory.entries.find(name)?)
    }

    fn map_index(&self, index: usize) -> Result<Tensor, FileError> {
        let entry = &self.entries()[index];
        let label = self.directory.entries.label(&entry.name);
        mapped::map(entry, self.bytes(index), Encoding::LITTLE, &label)
    }

    /// The bytes of the tensor called `name`, where they lie: little-endian, in the tensor's memory order, and verified the
    /// first time.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`] or [`FileError::Checksum`].
    pub fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        let index = self.directory.entries.find(name)?;
        self.verify_index(index, &mut |_| {})?;
        Ok(self.bytes(index))
    }

    /// A copy of the rows `rows` of axis 0 of the tensor called `name`, in the tensor's memory order. Other bytes are not
    /// read, so the checksum is not verified.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`], [`FileError::NoSuchRows`], [`FileError::NoBool`], [`FileError::OutOfMemory`].
    pub fn rows(&self, name: &str, rows: Range<usize>) -> Result<Tensor, FileError> {
        let index = self.directory.entries.find(name)?;
        let entry = &self.entries()[index];
        let label = self.directory.entries.label(name);
        let mut bytes = Cursor::new(&*self.mapping);
        Rows::new(entry, rows, &label)?.read(&mut bytes, entry.offset, Encoding::LITTLE, &label)
    }

    /// Compares the tensor called `name` with its checksum, unless that was done before.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`] or [`FileError::Checksum`].
    pub fn verify_tensor(&self, name: &str) -> Result<(), FileError> {
        self.verify_index(self.directory.entries.find(name)?, &mut |_| {})
    }

    /// Compares all tensors with their checksums; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// [`FileError::Checksum`] for the first damaged tensor.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64)) -> Result<(), FileError> {
        let total = self.directory.entries.total_bytes();
        let mut done = 0;
        (0..self.entries().len()).try_for_each(|index| {
            self.verify_index(index, &mut |bytes| {
                done += bytes;
                progress(done, total);
            })
        })
    }

    fn verify_index(&self, index: usize, moved: &mut dyn FnMut(u64)) -> Result<(), FileError> {
        let bytes = self.bytes(index);
        if self.verified[index].load(Ordering::Relaxed) {
            moved(length(&bytes));
            return Ok(());
        }
        let _span = trace_span!(
            DEBUG,
            "verify",
            name = self.entries()[index].name,
            bytes = bytes.len(),
        );
        let mut sum = crc32fast::Hasher::new();
        for piece in bytes.chunks(PIECE_BYTES) {
            sum.update(piece);
            moved(length(piece));
        }
        self.directory.check_sum(index, sum.finalize())?;
        self.verified[index].store(true, Ordering::Relaxed);
        Ok(())
    }

    fn bytes(&self, index: usize) -> MappedBytes {
        let entry = &self.entries()[index];
        self.mapping.part(entry.offset, entry.bytes)
    }
}
