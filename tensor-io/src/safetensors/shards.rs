//! [`Shards`]: a model in several safetensors files, which an index of JSON lists.
//!
//! The index says for each tensor in which file of the same folder it is:
//! `{"metadata": {...}, "weight_map": {"name": "model-00001-of-00002.safetensors", ...}}`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use tensor::{Tensor, trace_span};

use super::header::{MAX_HEADER_BYTES, Texts};
use super::read::SafeTensors;
use super::write::{json_text, write_with};
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapped::Reading;
use crate::mapping::MappedBytes;
use crate::output::OutputFile;
use crate::tensors::read_all;

#[derive(Deserialize)]
struct Index {
    /// Of no use here.
    #[serde(rename = "metadata", default)]
    _metadata: Option<IgnoredAny>,
    weight_map: Texts,
}

/// A model in several files, all mapped.
#[derive(Debug)]
pub struct Shards {
    file: String,
    /// The files by name, in the order in which the index names them first.
    shards: Vec<(String, SafeTensors)>,
    entries: Vec<Entry>,
    /// For each tensor the place of its file in `shards`.
    places: HashMap<String, usize>,
}

impl Shards {
    /// Reads the index at `path`, maps the files that it names and reads their headers.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::Json`], [`FileError::OutsideFolder`] for a file of another folder,
    /// [`FileError::NoSuchTensor`] for a tensor that its file does not have, and what [`SafeTensors::open`] reports.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let _span = trace_span!(DEBUG, "open", format = "safetensors shards", path = file);
        let bytes = fs::metadata(path)
            .map_err(FileError::io(&file, "open"))?
            .len();
        if bytes > MAX_HEADER_BYTES {
            return Err(FileError::AboveLimit {
                file,
                bytes,
                limit: MAX_HEADER_BYTES,
            });
        }
        let json = fs::read(path).map_err(FileError::io(&file, "read"))?;
        let index: Index = serde_json::from_slice(&json).map_err(|source| FileError::Json {
            file: file.clone(),
            source,
        })?;
        let map = index.weight_map.0;
        let mut shards: Vec<(String, SafeTensors)> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut places = HashMap::with_capacity(map.len());
        for (name, shard) in &map {
            let at = match known.get(shard.as_str()) {
                Some(&at) => at,
                None => {
                    let opened = SafeTensors::open(beside(path, shard, &file)?)?;
                    shards.push((shard.clone(), opened));
                    known.insert(shard, shards.len() - 1);
                    shards.len() - 1
                }
            };
            // An error here names the shard and what it has.
            shards[at].1.raw(name)?;
            places.insert(name.clone(), at);
        }
        // In the order in which the tensors lie, file by file, as for a single one.
        let listed = |(at, (_, shard)): (usize, &(String, SafeTensors))| {
            let mine = shard.entries().iter();
            mine.filter(|entry| places.get(&entry.name) == Some(&at))
                .cloned()
                .collect::<Vec<Entry>>()
        };
        let entries = shards.iter().enumerate().flat_map(listed).collect();
        Ok(Self {
            file,
            shards,
            entries,
            places,
        })
    }

    fn shard(&self, name: &str) -> Result<&(String, SafeTensors), FileError> {
        let place = self.places.get(name).copied();
        place
            .map(|at| &self.shards[at])
            .ok_or_else(|| FileError::NoSuchTensor {
                file: self.file.clone(),
                name: name.to_owned(),
                present: self.names().map(str::to_owned).collect(),
            })
    }

    /// What the headers say about each tensor that the index names; the offset is that in its own file.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The names, file by file.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The files by name, in the order in which the index names them first.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, &SafeTensors)> {
        self.shards.iter().map(|(name, file)| (name.as_str(), file))
    }

    /// The name of the file with the tensor called `name`.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`].
    pub fn file_of(&self, name: &str) -> Result<&str, FileError> {
        self.shard(name).map(|(file, _)| file.as_str())
    }

    /// A copy of the tensor called `name`.
    ///
    /// # Errors
    /// As [`SafeTensors::get`].
    pub fn get(&self, name: &str) -> Result<Tensor, FileError> {
        self.shard(name)?.1.get(name)
    }

    pub(crate) fn get_with(
        &self,
        name: &str,
        reading: &mut Reading<'_>,
    ) -> Result<Tensor, FileError> {
        self.shard(name)?.1.get_with(name, reading)
    }

    /// The tensor called `name`, whose elements stay in its file; see [`SafeTensors::map`].
    ///
    /// # Errors
    /// As [`SafeTensors::map`].
    pub fn map(&self, name: &str) -> Result<Tensor, FileError> {
        self.shard(name)?.1.map(name)
    }

    /// The bytes of the tensor called `name`, where they lie.
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`].
    pub fn raw(&self, name: &str) -> Result<MappedBytes, FileError> {
        self.shard(name)?.1.raw(name)
    }

    /// Copies of all tensors; `progress` is told the bytes that are done and the bytes of all.
    ///
    /// # Errors
    /// As [`SafeTensors::get`]; the first error ends the reading.
    pub fn read_all(
        &self,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<(String, Tensor)>, FileError> {
        read_all(&self.entries, None, progress, |name, reading| {
            self.get_with(name, reading)
        })
    }
}

/// The path of the file `shard` of the folder of `index`.
fn beside(index: &Path, shard: &str, file: &str) -> Result<PathBuf, FileError> {
    let mut parts = Path::new(shard).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(_)), None) => Ok(index.with_file_name(shard)),
        _ => Err(FileError::OutsideFolder {
            file: file.to_owned(),
            shard: shard.to_owned(),
        }),
    }
}

/// Writes `tensors` in their order into files `model-00001-of-0000N.safetensors` of the folder of `index`, and the index,
/// whose name gives the files theirs: `model.safetensors.index.json`. No file has more than `max_bytes` bytes of tensors,
/// unless it has a single one. The index is written last, so that it never names a file that is not there.
///
/// # Errors
/// As [`write()`](super::write()).
pub fn write_shards(
    index: impl AsRef<Path>,
    tensors: &[(&str, &Tensor)],
    metadata: &[(&str, &str)],
    max_bytes: u64,
) -> Result<(), FileError> {
    let index = index.as_ref();
    let file = index.display().to_string();
    let name = index.file_name().unwrap_or_default().to_string_lossy();
    let stem = name
        .strip_suffix(".safetensors.index.json")
        .unwrap_or(&name);
    let shards = split(tensors, max_bytes);
    let name_of = |number: usize| {
        format!(
            "{stem}-{:05}-of-{:05}.safetensors",
            number + 1,
            shards.len()
        )
    };
    let mut map = BTreeMap::new();
    for (number, shard) in shards.iter().enumerate() {
        for (tensor, _) in *shard {
            if map.insert(*tensor, name_of(number)).is_some() {
                return Err(FileError::DuplicateName {
                    file,
                    name: (*tensor).to_owned(),
                });
            }
        }
    }
    let mut total = 0;
    for (number, shard) in shards.iter().enumerate() {
        let path = index.with_file_name(name_of(number));
        write_with(&path, shard, metadata, &mut |bytes| total += bytes)?;
    }
    let lines: Vec<String> = map
        .iter()
        .map(|(tensor, shard)| format!("    {}: {}", json_text(tensor), json_text(shard)))
        .collect();
    let json = format!(
        "{{\n  \"metadata\": {{\n    \"total_size\": {total}\n  }},\n  \"weight_map\": {{\n{}\n  }}\n}}\n",
        lines.join(",\n")
    );
    let mut output = OutputFile::create(index).map_err(FileError::io(&file, "create"))?;
    std::io::Write::write_all(&mut output, json.as_bytes())
        .and_then(|()| output.commit())
        .map_err(FileError::io(&file, "write"))
}

/// Runs of tensors of at most `max_bytes` together, or of one.
fn split<'a, 'b>(
    tensors: &'a [(&'b str, &'b Tensor)],
    max_bytes: u64,
) -> Vec<&'a [(&'b str, &'b Tensor)]> {
    let bytes = |tensor: &Tensor| u64::try_from(tensor.size_bytes()).unwrap_or(u64::MAX);
    let mut shards = Vec::new();
    let (mut start, mut sum) = (0, 0_u64);
    for (at, (_, tensor)) in tensors.iter().enumerate() {
        let more = bytes(tensor);
        if at > start && sum.saturating_add(more) > max_bytes {
            shards.push(&tensors[start..at]);
            (start, sum) = (at, 0);
        }
        sum = sum.saturating_add(more);
    }
    shards.push(&tensors[start..]);
    shards
}
