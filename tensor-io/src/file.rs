//! [`TensorFile`]: a file of tensors of any format.
//!
//! What the formats have in common: what they say about their tensors, text metadata, copies, tensors where they lie, and
//! bytes. What only one has (checksums, shards, typed metadata) is in its own module.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use tensor::Tensor;
use tensor::alloc::Allocator;
use tensor_core::DType;

use crate::container::{self, Container};
use crate::entry::{Entry, FileFormat};
use crate::error::FileError;
use crate::gguf::{self, Gguf};
use crate::mapped::Reading;
use crate::mapping::{MappedBytes, length};
use crate::npy;
use crate::npz::Npz;
use crate::safetensors::{self, SafeTensors, Shards};
use crate::tensors::{MappedTensors, read_all};

/// The first bytes that tell a format.
const START: usize = 16;

impl FileFormat {
    /// The format of a file whose first 16 bytes (or all, if there are fewer) are `start`.
    #[must_use]
    pub fn detect(start: &[u8]) -> Option<Self> {
        if start.starts_with(&container::MAGIC) {
            Some(Self::Container)
        } else if start.starts_with(&gguf::MAGIC) {
            Some(Self::Gguf)
        } else if start.starts_with(npy::MAGIC) {
            Some(Self::Npy)
        } else if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            Some(Self::Npz)
        } else if is_safetensors(start) || is_index(start) {
            Some(Self::SafeTensors)
        } else {
            None
        }
    }

    /// The format that a file name asks for by its extension: `tensors`, `safetensors`, `gguf`, `npy`, `npz`.
    #[must_use]
    pub fn of_name(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        if is_index_name(path) {
            return Some(Self::SafeTensors);
        }
        match path.extension()?.to_str()? {
            "tensors" => Some(Self::Container),
            "safetensors" => Some(Self::SafeTensors),
            "gguf" => Some(Self::Gguf),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            _ => None,
        }
    }

    /// Whether [`save`](crate::save()) can write tensors of `dtype` in this format.
    #[must_use]
    pub fn holds(self, dtype: DType) -> bool {
        match self {
            Self::Container => !dtype.is_external(),
            Self::SafeTensors => safetensors::type_of(dtype).is_some(),
            Self::Npy | Self::Npz => npy::holds(dtype),
            Self::Gguf => false,
        }
    }

    /// Whether a file of this format has a place for texts, which [`save`](crate::save()) otherwise refuses.
    #[must_use]
    pub fn holds_metadata(self) -> bool {
        matches!(self, Self::Container | Self::SafeTensors | Self::Gguf)
    }
}

/// Whether a file of shards would have this name.
fn is_index_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(".safetensors.index.json"))
}

/// Whether these are the first bytes of a safetensors file: the header's length, which is below 2^32, and the header.
fn is_safetensors(start: &[u8]) -> bool {
    start.get(4..9) == Some(b"\0\0\0\0{")
}

/// Whether these are the first bytes of a JSON object, as an index of shards is one.
fn is_index(start: &[u8]) -> bool {
    start.trim_ascii_start().first() == Some(&b'{') && !start.contains(&0)
}

/// A file of tensors, opened by its contents.
///
/// ```
/// use tensor::Tensor;
/// use tensor_io::{FileFormat, TensorFile, save};
///
/// let path = std::env::temp_dir().join(format!("file-{}.safetensors", std::process::id()));
/// let bias = Tensor::from_vec_row_major([2], vec![0.5_f32, -1.0])?;
/// save(&path, FileFormat::SafeTensors, &[("bias", &bias)], &[], |_, _| {})?;
///
/// let mut file = TensorFile::open(&path)?;
/// assert_eq!(file.format(), FileFormat::SafeTensors);
/// assert_eq!(file.entries()[0].shape, [2]);
/// assert_eq!(file.read("bias")?.to_vec::<f32>()?, [0.5, -1.0]);
/// # drop(file);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TensorFile {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Container(Container),
    SafeTensors(SafeTensors),
    Shards(Shards),
    Gguf(Gguf),
    Npy(MappedTensors),
    Npz(Npz<BufReader<File>>, Vec<Entry>, String),
}

impl TensorFile {
    /// Opens the file at `path` in the format that its first bytes have, whatever its name is. Headers and directories are
    /// read, no tensor.
    ///
    /// # Errors
    /// [`FileError::UnknownFormat`], and what opening a file of the format reports.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let mut start = Vec::with_capacity(START);
        File::open(path)
            .map_err(FileError::io(&file, "open"))?
            .take(length(&[0; START]))
            .read_to_end(&mut start)
            .map_err(FileError::io(&file, "read"))?;
        let kind = match FileFormat::detect(&start) {
            Some(FileFormat::Container) => Kind::Container(Container::open(path)?),
            Some(FileFormat::SafeTensors) if is_index(&start) => Kind::Shards(Shards::open(path)?),
            Some(FileFormat::SafeTensors) => Kind::SafeTensors(SafeTensors::open(path)?),
            Some(FileFormat::Gguf) => Kind::Gguf(Gguf::open(path)?),
            Some(FileFormat::Npy) => Kind::Npy(npy::open(path)?),
            Some(FileFormat::Npz) => {
                let mut archive = Npz::open(path)?;
                let entries = archive.entries()?;
                Kind::Npz(archive, entries, file)
            }
            None => return Err(FileError::UnknownFormat { file, found: start }),
        };
        Ok(Self { kind })
    }

    /// The format that was found.
    #[must_use]
    pub fn format(&self) -> FileFormat {
        match self.kind {
            Kind::Container(_) => FileFormat::Container,
            Kind::SafeTensors(_) | Kind::Shards(_) => FileFormat::SafeTensors,
            Kind::Gguf(_) => FileFormat::Gguf,
            Kind::Npy(_) => FileFormat::Npy,
            Kind::Npz(..) => FileFormat::Npz,
        }
    }

    /// The version of the format, where the format has versions.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        match &self.kind {
            Kind::Container(_) => Some(container::VERSION.to_string()),
            Kind::Gguf(file) => Some(file.version().to_string()),
            Kind::Npy(file) => {
                let numbers = file.mapping.get(npy::MAGIC.len()..npy::MAGIC.len() + 2)?;
                Some(format!("{}.{}", numbers[0], numbers[1]))
            }
            Kind::SafeTensors(_) | Kind::Shards(_) | Kind::Npz(..) => None,
        }
    }

    /// What only GGUF has, if this is such a file: metadata with types, for one.
    #[must_use]
    pub fn as_gguf(&self) -> Option<&Gguf> {
        match &self.kind {
            Kind::Gguf(file) => Some(file),
            _ => None,
        }
    }

    /// The files behind an index of shards, if this is one.
    #[must_use]
    pub fn as_shards(&self) -> Option<&Shards> {
        match &self.kind {
            Kind::Shards(file) => Some(file),
            _ => None,
        }
    }

    /// What the file says about each tensor. The one of a npy file has the file's name.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Container(file) => file.entries(),
            Kind::SafeTensors(file) => file.entries(),
            Kind::Shards(file) => file.entries(),
            Kind::Gguf(file) => file.entries(),
            Kind::Npy(file) => file.entries.list(),
            Kind::Npz(_, entries, _) => entries,
        }
    }

    /// The texts that go along with the tensors; the metadata of GGUF as text, long arrays abridged; of shards the texts of
    /// every file, and where two have the same key, that of the first.
    #[must_use]
    pub fn metadata(&self) -> Vec<(String, String)> {
        match &self.kind {
            Kind::Container(file) => file.metadata().to_vec(),
            Kind::SafeTensors(file) => file.metadata().to_vec(),
            Kind::Gguf(file) => {
                let pairs = file.metadata().iter();
                pairs
                    .map(|(key, value)| (key.clone(), value.to_string()))
                    .collect()
            }
            Kind::Shards(file) => {
                let mut known = HashSet::new();
                let pairs = file.files().flat_map(|(_, shard)| shard.metadata());
                pairs
                    .filter(|(key, _)| known.insert(key))
                    .cloned()
                    .collect()
            }
            Kind::Npy(_) | Kind::Npz(..) => Vec::new(),
        }
    }

    /// A copy of the tensor called `name`.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`], [`FileError::UnsupportedElement`], and what reading a tensor of the format reports.
    pub fn read(&mut self, name: &str) -> Result<Tensor, FileError> {
        self.read_with(name, &mut Reading::new(&mut |_| {}))
    }

    /// A copy of the tensor called `name` in memory of `allocator`, which is asked once, for nothing if there is no element.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensor::Tensor;
    /// use tensor::alloc::{Allocator, LimitAllocator, SystemAllocator};
    /// use tensor_io::{FileFormat, TensorFile, save};
    ///
    /// # let path = std::env::temp_dir().join(format!("in-{}.safetensors", std::process::id()));
    /// # let weights = Tensor::from_vec_row_major([512, 512], vec![0.5_f32; 512 * 512])?;
    /// # save(&path, FileFormat::SafeTensors, &[("weights", &weights)], &[], |_, _| {})?;
    /// let mut file = TensorFile::open(&path)?;
    /// let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
    /// let half: Arc<dyn Allocator> = Arc::new(LimitAllocator::new(system, 512 * 1024));
    /// let error = file.read_in(&half, "weights").unwrap_err().to_string();
    /// assert!(error.contains("1048576 bytes of host memory asked for, 524288 free of the limit of 524288"), "{error}");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`TensorFile::read`], and [`FileError::Tensor`] with what the allocator says; it can say the requested, the free and
    /// the limit bytes.
    pub fn read_in(
        &mut self,
        allocator: &Arc<dyn Allocator>,
        name: &str,
    ) -> Result<Tensor, FileError> {
        let reading = &mut Reading {
            allocator: Some(allocator),
            seen: &mut |_| {},
        };
        self.read_with(name, reading)
    }

    fn read_with(&mut self, name: &str, reading: &mut Reading<'_>) -> Result<Tensor, FileError> {
        match &mut self.kind {
            Kind::Container(file) => file.get_with(name, reading),
            Kind::SafeTensors(file) => file.get_with(name, reading),
            Kind::Shards(file) => file.get_with(name, reading),
            Kind::Gguf(file) => file.get_with(name, reading),
            Kind::Npy(file) => file.get_with(name, reading),
            Kind::Npz(file, ..) => file.read_with(name, reading),
        }
    }

    /// The tensor called `name`, whose elements stay in the file; read-only.
    ///
    /// # Errors
    /// As [`TensorFile::read`]; [`FileError::NotMapped`] for npz, and [`FileError::Misaligned`] or
    /// [`FileError::ForeignByteOrder`] where the elements can't be used as they lie.
    pub fn map(&self, name: &str) -> Result<Tensor, FileError> {
        match &self.kind {
            Kind::Container(file) => file.map(name),
            Kind::SafeTensors(file) => file.map(name),
            Kind::Shards(file) => file.map(name),
            Kind::Gguf(file) => file.map(name),
            Kind::Npy(file) => file.map(name),
            Kind::Npz(_, _, file) => Err(not_mapped(file, name)),
        }
    }

    /// The bytes of the tensor called `name`, where they lie, whatever its element format is.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`]; [`FileError::NotMapped`] for npz.
    pub fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        match &self.kind {
            Kind::Container(file) => file.raw(name),
            Kind::SafeTensors(file) => file.raw(name),
            Kind::Shards(file) => file.raw(name),
            Kind::Gguf(file) => file.raw(name),
            Kind::Npy(file) => file.raw(name),
            Kind::Npz(_, _, file) => Err(not_mapped(file, name)),
        }
    }

    /// Copies of all tensors; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// As [`TensorFile::read`]; the first error ends the reading.
    pub fn read_all(
        &mut self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        self.read_all_with(None, progress)
    }

    /// Copies of all tensors in memory of `allocator`, which is asked once for each; otherwise as [`TensorFile::read_all`].
    ///
    /// # Errors
    /// As [`TensorFile::read_in`]; the first error ends the reading, and gives back what was taken.
    pub fn read_all_in(
        &mut self,
        allocator: &Arc<dyn Allocator>,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        self.read_all_with(Some(allocator), progress)
    }

    fn read_all_with(
        &mut self,
        allocator: Option<&Arc<dyn Allocator>>,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        let entries = self.entries().to_vec();
        read_all(&entries, allocator, progress, |name, reading| {
            self.read_with(name, reading)
        })
    }
}

fn not_mapped(file: &str, name: &str) -> FileError {
    FileError::NotMapped {
        file: format!("{file}:{name}"),
        format: FileFormat::Npz,
    }
}
