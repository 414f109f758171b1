//! [`Entry`]: what a file says about one of its tensors, the same for every format; and the list of them.
//!
//! **Invariants** of a list: names differ; every entry's bytes are what its element format and shape take, and lie inside
//! the file; no two share a byte. They are checked before a byte of any tensor is read and before memory is asked for.

use std::collections::HashMap;
use std::fmt;

use tensor_core::{DType, MemoryOrder, checked_element_count};

use crate::error::FileError;

/// The kinds of files that are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileFormat {
    /// This library's own [`container`](crate::container).
    Container,
    /// [`safetensors`](crate::safetensors), one file or an index of shards.
    SafeTensors,
    /// [`gguf`](crate::gguf).
    Gguf,
    /// [`npy`](crate::npy): one array.
    Npy,
    /// [`npz`](crate::npz): an archive of arrays.
    Npz,
}

impl FileFormat {
    /// All of them, for messages.
    pub(crate) const ALL_NAMES: &'static str =
        "containers of tensors, safetensors, GGUF, npy and npz";
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Container => "container",
            Self::SafeTensors => "safetensors",
            Self::Gguf => "GGUF",
            Self::Npy => "npy",
            Self::Npz => "npz",
        })
    }
}

/// Elements that are stored in blocks, or in a type that no dtype stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockFormat {
    /// The name that the file's format gives it, such as `Q4_K` or `F8_E4M3`.
    pub name: &'static str,
    /// Elements in one block, all of one row.
    pub block_elements: usize,
    /// Bytes of one block.
    pub block_bytes: usize,
}

/// How the elements of an entry are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementFormat {
    /// One by one, as numbers of this dtype: they can become a [`Tensor`](tensor::Tensor).
    DType(DType),
    /// In blocks: only their bytes can be read here.
    Block(BlockFormat),
}

impl ElementFormat {
    /// The dtype, if there is one.
    #[must_use]
    pub fn dtype(self) -> Option<DType> {
        match self {
            Self::DType(dtype) => Some(dtype),
            Self::Block(_) => None,
        }
    }

    /// The bytes that a tensor of `shape` takes; `None` where they are no whole number of blocks in each row, or too many.
    pub(crate) fn bytes(self, shape: &[usize]) -> Option<u64> {
        let (block_elements, block_bytes) = match self {
            Self::DType(dtype) => (1, dtype.size_bytes()),
            Self::Block(block) => (block.block_elements, block.block_bytes),
        };
        let count = checked_element_count("bytes", shape).ok()?;
        let row = shape.last().copied().unwrap_or(1);
        if !row.is_multiple_of(block_elements) {
            return None;
        }
        let bytes = (count / block_elements).checked_mul(block_bytes)?;
        u64::try_from(bytes).ok()
    }
}

impl fmt::Display for ElementFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DType(dtype) => dtype.fmt(f),
            Self::Block(block) => f.pad(block.name),
        }
    }
}

/// What a file says about one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name.
    pub name: String,
    /// How the elements are stored.
    pub format: ElementFormat,
    /// The extents.
    pub shape: Vec<usize>,
    /// In which order the elements follow each other.
    pub order: MemoryOrder,
    /// The first byte in the file (for a compressed array: of what it is compressed to).
    pub offset: u64,
    /// How many bytes the elements take, uncompressed.
    pub bytes: u64,
}

impl Entry {
    /// The byte behind the last.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }

    /// The number of elements, which was checked when the entry was made.
    #[must_use]
    pub fn element_count(&self) -> usize {
        checked_element_count("entry", &self.shape).unwrap_or(usize::MAX)
    }

    /// The dtype of the tensor `self` of a file, which errors call `file`.
    pub(crate) fn dtype(&self, file: &str) -> Result<DType, FileError> {
        self.format
            .dtype()
            .ok_or_else(|| FileError::UnsupportedElement {
                file: file.to_owned(),
                element: self.format.to_string(),
            })
    }
}

/// The entries of a file and their places by name.
#[derive(Debug)]
pub(crate) struct Entries {
    file: String,
    list: Vec<Entry>,
    by_name: HashMap<String, usize>,
}

impl Entries {
    /// Takes the entries of `file` whose tensors lie in its bytes `space`.
    pub(crate) fn new(
        file: &str,
        list: Vec<Entry>,
        space: std::ops::Range<u64>,
    ) -> Result<Self, FileError> {
        let mut by_name = HashMap::with_capacity(list.len());
        for (index, entry) in list.iter().enumerate() {
            if by_name.insert(entry.name.clone(), index).is_some() {
                return Err(FileError::DuplicateName {
                    file: file.to_owned(),
                    name: entry.name.clone(),
                });
            }
            let (start, end) = (entry.offset, entry.end());
            if start < space.start || end > space.end || start.checked_add(entry.bytes).is_none() {
                return Err(FileError::OutsideFile {
                    file: format!("{file}:{}", entry.name),
                    what: "the tensor",
                    start,
                    end,
                    length: space.end,
                });
            }
        }
        let entries = Self {
            file: file.to_owned(),
            list,
            by_name,
        };
        entries.check_overlap()?;
        Ok(entries)
    }

    fn check_overlap(&self) -> Result<(), FileError> {
        let places = self.by_place();
        for pair in places.windows(2) {
            let [first, second] = [pair[0], pair[1]];
            if second.offset < first.end() {
                return Err(FileError::Overlap {
                    file: self.file.clone(),
                    first: first.name.clone(),
                    second: second.name.clone(),
                    at: second.offset,
                });
            }
        }
        Ok(())
    }

    /// The entries that take bytes, in the order in which they lie in the file.
    pub(crate) fn by_place(&self) -> Vec<&Entry> {
        let mut places: Vec<&Entry> = self.list.iter().filter(|entry| entry.bytes > 0).collect();
        places.sort_by_key(|entry| entry.offset);
        places
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    pub(crate) fn list(&self) -> &[Entry] {
        &self.list
    }

    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.list.iter().map(|entry| entry.name.as_str())
    }

    /// The bytes of all tensors together.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.list.iter().map(|entry| entry.bytes).sum()
    }

    /// What errors call the tensor `name`.
    pub(crate) fn label(&self, name: &str) -> String {
        format!("{}:{name}", self.file)
    }

    /// The place of the tensor called `name`.
    pub(crate) fn find(&self, name: &str) -> Result<usize, FileError> {
        self.by_name
            .get(name)
            .copied()
            .ok_or_else(|| FileError::NoSuchTensor {
                file: self.file.clone(),
                name: name.to_owned(),
                present: self.names().map(str::to_owned).collect(),
            })
    }
}
