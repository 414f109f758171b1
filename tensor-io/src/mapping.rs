//! [`Mapping`]: the bytes of a file as memory, and [`MappedBytes`]: a part of them that keeps the whole alive.
//!
//! Opening costs microseconds whatever the file's length: the system brings a page in when it is first read, and may drop
//! it again when memory is short. Where the system can't map, the file is read into memory instead.
//!
//! **Invariants.** The memory is read-only and begins at an address that fits every element. A mapping is dropped with its
//! last part, and a file that is closed or deleted stays readable until then.
//!
//! **What the user must see to.** A mapped file must not be altered or cut by another program while it is in use: values
//! would change under their reader, and a read behind the new end ends the process (`SIGBUS`). Nothing in this crate does
//! that: writers make a new file and rename it into place, and appending leaves every byte of the tensors as it is.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use tensor::trace_span;

use crate::element::try_zeroed;
use crate::error::FileError;

/// The bytes of a whole file. Clones share them.
#[derive(Clone)]
pub struct Mapping {
    memory: Arc<Memory>,
}

enum Memory {
    File(Mmap),
    /// Words, so that the address fits every element, and how many bytes of them count.
    Owned(Vec<u64>, usize),
}

impl Mapping {
    /// Maps the file at `path`. No byte of it is read.
    ///
    /// # Errors
    /// [`FileError::Io`] when it can't be opened or mapped.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = path.as_ref().display().to_string();
        let _span = trace_span!(DEBUG, "map file", path = file);
        let opened = File::open(path).map_err(FileError::io(&file, "open"))?;
        Self::of_file(&opened).map_err(FileError::io(&file, "map"))
    }

    fn of_file(file: &File) -> io::Result<Self> {
        let memory = match map(file) {
            Ok(mapped) => Memory::File(mapped),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => read_whole(file)?,
            Err(error) => return Err(error),
        };
        Ok(Self {
            memory: Arc::new(memory),
        })
    }

    /// The bytes of a file that was received in another way, copied so that their address fits every element.
    ///
    /// # Errors
    /// [`FileError::OutOfMemory`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let memory = owned(bytes.len(), |target| {
            target.copy_from_slice(bytes);
            Ok(())
        })
        .map_err(|_| FileError::OutOfMemory {
            file: "bytes in memory".to_owned(),
            bytes: length(bytes),
        })?;
        Ok(Self {
            memory: Arc::new(memory),
        })
    }

    /// The `bytes` bytes from `start` on, which lie inside: whoever asks has compared them with the file's length.
    pub(crate) fn part(&self, start: u64, bytes: u64) -> MappedBytes {
        let at = |place: u64| usize::try_from(place).expect("a place in a mapping");
        // What is empty may be said to lie behind the end, where padding is missing.
        let start = if bytes == 0 { 0 } else { start };
        MappedBytes {
            mapping: self.clone(),
            range: at(start)..at(start + bytes),
        }
    }

    /// How many bytes the file has.
    pub(crate) fn length(&self) -> u64 {
        length(self)
    }
}

/// A length as files count.
pub(crate) fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).expect("no memory has 2^64 bytes")
}

#[expect(
    unsafe_code,
    reason = "a mapped file can be altered from outside, which no type can rule out"
)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapping is read-only and private to this module, which hands out shared slices of it that can't outlive
    // it. What the type system can't promise is that no one alters or cuts the file meanwhile. No function of this crate
    // does: it never opens an existing file for writing but to append, which writes behind the last byte that any reader
    // was told of, and to the header, of which every reader has made a copy before it returns. Other programs are the
    // user's to keep away, as this module's documentation says. The elements read from here are numbers, for which every
    // bit pattern is a value, so that even then no invalid value is made.
    unsafe { Mmap::map(file) }
}

fn read_whole(mut file: &File) -> io::Result<Memory> {
    let bytes = usize::try_from(file.metadata()?.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
    owned(bytes, |target| file.read_exact(target))
}

fn owned(bytes: usize, fill: impl FnOnce(&mut [u8]) -> io::Result<()>) -> io::Result<Memory> {
    let mut words =
        try_zeroed::<u64>(bytes.div_ceil(size_of::<u64>())).ok_or(io::ErrorKind::OutOfMemory)?;
    fill(&mut bytemuck::cast_slice_mut(&mut words)[..bytes])?;
    Ok(Memory::Owned(words, bytes))
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.memory {
            Memory::File(mapped) => mapped,
            Memory::Owned(words, bytes) => &bytemuck::cast_slice(words)[..*bytes],
        }
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapping")
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

/// A part of a file's bytes, where they lie. Clones share them, and each keeps the whole mapping alive.
#[derive(Clone)]
pub struct MappedBytes {
    mapping: Mapping,
    range: Range<usize>,
}

impl Deref for MappedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.mapping[self.range.clone()]
    }
}

impl fmt::Debug for MappedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedBytes")
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn bytes_are_the_same_mapped_read_and_copied() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stored.npz");
        let expect = std::fs::read(&path).unwrap();
        let mapped = Mapping::open(&path).unwrap();
        let read = read_whole(&File::open(&path).unwrap()).unwrap();
        let copied = Mapping::from_bytes(&expect).unwrap();
        assert_eq!(*mapped, *expect);
        assert_eq!(*copied, *expect);
        let read = Mapping {
            memory: Arc::new(read),
        };
        assert_eq!(*read, *expect);
        let part = mapped.part(3, 6);
        drop(mapped);
        assert_eq!(*part, expect[3..9]);
        assert!(bytemuck::try_cast_slice::<u8, u64>(&copied[..8]).is_ok());
    }

    #[test]
    fn an_empty_file_maps() {
        let scratch = Scratch::new();
        let path = scratch.path("empty");
        std::fs::write(&path, []).unwrap();
        assert!(Mapping::open(&path).unwrap().is_empty());
        let missing = Mapping::open(path.with_extension("missing")).unwrap_err();
        assert!(missing.to_string().contains("cannot open"), "{missing}");
    }
}
