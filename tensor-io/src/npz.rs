//! npz: named arrays in a zip archive, one npy file each, stored or deflated.
//!
//! [`Npz`] opens an archive, lists its arrays and reads the ones that are asked for; [`write()`] and [`write_to`] write
//! one. An array called `weights` is the file `weights.npy` inside, as numpy has it.
//!
//! **Hostile archives.** An array's size is known three times: from its npy header, from the archive's directory, and
//! from its compressed bytes, of which deflate can make at most 1,032 bytes each. They are compared before memory is
//! asked for, and no array above [`Npz::set_max_tensor_bytes`] is read. The checksum of the archive is verified with
//! the last byte.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use tensor::{Tensor, trace_span};
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::FileFormat;
use crate::element::ByteOrder;
use crate::entry::Entry;
use crate::error::FileError;
use crate::mapped::Reading;
use crate::mapping::length;
use crate::npy;
use crate::output::OutputFile;
use crate::save::{Fetch, Planned};

/// The largest array that is read from an archive unless the caller says otherwise: 16 GiB.
pub const DEFAULT_MAX_TENSOR_BYTES: u64 = 16 << 30;

/// One byte of deflate can stand for at most this many (258 bytes for two bits).
const MAX_DEFLATE_RATIO: u64 = 1032;

/// How [`write()`] stores the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As they are, like `numpy.savez`.
    Stored,
    /// Deflated, like `numpy.savez_compressed`.
    Deflated,
}

/// An open archive of arrays.
#[derive(Debug)]
pub struct Npz<R> {
    archive: ZipArchive<R>,
    file: String,
    /// The array's name of each entry of the archive, by index.
    names: Vec<String>,
    max_tensor_bytes: u64,
}

impl Npz<BufReader<File>> {
    /// Opens the archive at `path` and reads its directory.
    ///
    /// # Errors
    /// [`FileError::Io`] when the file can't be opened, [`FileError::Archive`] when it is no zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = path.as_ref().display().to_string();
        let _span = trace_span!(DEBUG, "open", format = "npz", path = file);
        let opened = File::open(path).map_err(FileError::io(&file, "open"))?;
        Self::from_reader(BufReader::new(opened), file)
    }
}

impl<R: Read + Seek> Npz<R> {
    /// Reads the directory of an archive that `reader` holds; errors call it `name`.
    ///
    /// # Errors
    /// [`FileError::Archive`] when it is no zip archive.
    pub fn from_reader(reader: R, name: impl Into<String>) -> Result<Self, FileError> {
        let file = name.into();
        let archive = ZipArchive::new(reader)
            .map_err(|error| archive_error(&file, "read the directory", error))?;
        let names = (0..archive.len())
            .filter_map(|index| archive.name_for_index(index))
            .map(|name| name.map(|name| array_name(&name).to_owned()))
            .collect::<Result<_, _>>()
            .map_err(|error| archive_error(&file, "read the names", error))?;
        Ok(Self {
            archive,
            file,
            names,
            max_tensor_bytes: DEFAULT_MAX_TENSOR_BYTES,
        })
    }

    /// Sets the size above which [`Npz::read`] refuses an array; [`DEFAULT_MAX_TENSOR_BYTES`] at first.
    ///
    /// Compressed arrays of equal values are far smaller in the file than in memory, so the size of a file alone does
    /// not bound what it unpacks to.
    pub fn set_max_tensor_bytes(&mut self, bytes: u64) {
        self.max_tensor_bytes = bytes;
    }

    /// The names of the arrays, in the order of the directory.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the array called `name` (with or without `.npy`).
    ///
    /// # Errors
    /// [`FileError::NoSuchTensor`] for an unknown name, [`FileError::AboveLimit`] and [`FileError::ImpossibleRatio`]
    /// for a size that is not believed, everything that [`npy::read`] reports, and [`FileError::Io`] when the bytes
    /// do not have the checksum of the directory.
    pub fn read(&mut self, name: &str) -> Result<Tensor, FileError> {
        self.read_with(name, &mut Reading::new(&mut |_| {}))
    }

    /// As [`Npz::read`], read as `reading` says.
    pub(crate) fn read_with(
        &mut self,
        name: &str,
        reading: &mut Reading<'_>,
    ) -> Result<Tensor, FileError> {
        let wanted = array_name(name);
        let Some(index) = self.names.iter().position(|found| found == wanted) else {
            let (file, present) = (self.file.clone(), self.names.clone());
            return Err(FileError::NoSuchTensor {
                file,
                name: wanted.to_owned(),
                present,
            });
        };
        self.read_index(index, reading)
    }

    /// What the header of each array says, in the order of the directory; reads the headers only.
    ///
    /// # Errors
    /// As [`Npz::read`], without what the values can be wrong in; [`FileError::DuplicateName`].
    pub fn entries(&mut self) -> Result<Vec<Entry>, FileError> {
        let names = self.names.clone();
        let (mut known, mut entries) = (HashSet::new(), Vec::with_capacity(names.len()));
        for (index, name) in names.iter().enumerate() {
            if !known.insert(name) {
                return Err(FileError::DuplicateName {
                    file: self.file.clone(),
                    name: name.clone(),
                });
            }
            let (mut array, bytes, file) = self.begin(index)?;
            let (mut entry, _encoding) = npy::read_entry(&mut array, bytes, &file)?;
            entry.name.clone_from(name);
            entry.offset = array.data_start().ok_or_else(|| {
                FileError::io(&file, "find the array")(std::io::ErrorKind::InvalidData.into())
            })?;
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Reads all arrays, in the order of the directory.
    ///
    /// # Errors
    /// As [`Npz::read`]; the first error ends the reading.
    pub fn read_all(&mut self) -> Result<Vec<(String, Tensor)>, FileError> {
        (0..self.names.len())
            .map(|index| {
                Ok((
                    self.names[index].clone(),
                    self.read_index(index, &mut Reading::new(&mut |_| {}))?,
                ))
            })
            .collect()
    }

    /// The file of the array `index`, its size once unpacked, and what errors call it.
    fn begin(&mut self, index: usize) -> Result<(ZipFile<'_, R>, u64, String), FileError> {
        let entry = self
            .archive
            .by_index(index)
            .map_err(|error| archive_error(&self.file, "open an array", error))?;
        let file = format!("{}:{}", self.file, self.names[index]);
        let (bytes, compressed) = (entry.size(), entry.compressed_size());
        let most = match entry.compression() {
            CompressionMethod::Stored => compressed,
            _ => compressed.saturating_mul(MAX_DEFLATE_RATIO),
        };
        if bytes > most {
            return Err(FileError::ImpossibleRatio {
                file,
                compressed,
                bytes,
            });
        }
        if bytes > self.max_tensor_bytes {
            return Err(FileError::AboveLimit {
                file,
                bytes,
                limit: self.max_tensor_bytes,
            });
        }
        Ok((entry, bytes, file))
    }

    fn read_index(&mut self, index: usize, reading: &mut Reading<'_>) -> Result<Tensor, FileError> {
        let (mut entry, bytes, file) = self.begin(index)?;
        let tensor = npy::read_sized(&mut entry, bytes, &file, reading)?;
        // The checksum is compared when the end is reached.
        let source = match entry.read(&mut [0]) {
            Ok(0) => return Ok(tensor),
            Ok(_) => std::io::ErrorKind::InvalidData.into(),
            Err(source) => source,
        };
        Err(FileError::io(&file, "read to the end")(source))
    }
}

/// Reads all arrays of the archive at `path`, in the order of its directory.
///
/// # Errors
/// As [`Npz::open`] and [`Npz::read`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<(String, Tensor)>, FileError> {
    Npz::open(path)?.read_all()
}

/// Writes an archive to `path`, replacing what is there once the new file is complete.
///
/// # Errors
/// As [`write_to`].
pub fn write(
    path: impl AsRef<Path>,
    arrays: &[(&str, &Tensor)],
    compression: Compression,
) -> Result<(), FileError> {
    let plan = planned(arrays);
    let fetch: &mut Fetch<'_, FileError> = &mut |index, put| put(arrays[index].1);
    write_each(path.as_ref(), &plan, compression, &mut |_| {}, fetch)
}

/// Writes an archive to `writer`; errors call it `file`. The same arrays give the same bytes at any time.
///
/// # Errors
/// [`FileError::DuplicateName`] for a repeated name, [`FileError::UnsupportedDType`] for a dtype that npy has no name
/// for, both before anything is written; [`FileError::Archive`] and [`FileError::Io`] when writing fails.
pub fn write_to(
    writer: impl Write + Seek,
    file: &str,
    arrays: &[(&str, &Tensor)],
    compression: Compression,
) -> Result<(), FileError> {
    let plan = planned(arrays);
    check(file, &plan)?;
    let fetch: &mut Fetch<'_, FileError> = &mut |index, put| put(arrays[index].1);
    write_archive(writer, file, &plan, compression, &mut |_| {}, fetch)?
        .flush()
        .map_err(FileError::io(file, "write"))
}

fn planned<'a>(arrays: &[(&'a str, &'a Tensor)]) -> Vec<Planned<'a>> {
    let each = arrays.iter();
    each.map(|(name, array)| Planned::of(name, array)).collect()
}

/// As [`write()`], with the arrays that `fetch` brings; `moved` is told the bytes of each piece that was written.
pub(crate) fn write_each<E: From<FileError>>(
    path: &Path,
    plan: &[Planned<'_>],
    compression: Compression,
    moved: &mut dyn FnMut(u64),
    fetch: &mut Fetch<'_, E>,
) -> Result<(), E> {
    let file = path.display().to_string();
    let _span = trace_span!(
        DEBUG,
        "save",
        format = "npz",
        path = file,
        tensors = plan.len()
    );
    check(&file, plan)?;
    let output = OutputFile::create(path).map_err(FileError::io(&file, "create"))?;
    let output = BufWriter::new(output);
    let written = write_archive(output, &file, plan, compression, moved, fetch)?;
    Ok(written
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(OutputFile::commit)
        .map_err(FileError::io(&file, "write"))?)
}

fn check(file: &str, plan: &[Planned<'_>]) -> Result<(), FileError> {
    let mut names = HashSet::new();
    for Planned { name, dtype, .. } in plan {
        if !names.insert(array_name(name)) {
            return Err(FileError::DuplicateName {
                file: file.to_owned(),
                name: array_name(name).to_owned(),
            });
        }
        npy::check_dtype(*dtype, FileFormat::Npz, &format!("{file}:{name}"))?;
    }
    Ok(())
}

fn write_archive<W: Write + Seek, E: From<FileError>>(
    writer: W,
    file: &str,
    plan: &[Planned<'_>],
    compression: Compression,
    moved: &mut dyn FnMut(u64),
    fetch: &mut Fetch<'_, E>,
) -> Result<W, E> {
    let method = match compression {
        Compression::Stored => CompressionMethod::Stored,
        Compression::Deflated => CompressionMethod::Deflated,
    };
    let mut archive = ZipWriter::new(writer);
    for (index, Planned { name, .. }) in plan.iter().enumerate() {
        // Room for sizes above 4 GiB in every entry, as numpy leaves it: sizes are not known before the data is out.
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .large_file(true);
        archive
            .start_file(format!("{}.npy", array_name(name)), options)
            .map_err(|error| archive_error(file, "begin an array", error))?;
        let label = format!("{file}:{name}");
        fetch(index, &mut |array| {
            let seen = &mut |piece: &[u8]| moved(length(piece));
            npy::write_to(&mut archive, array, ByteOrder::Little, &label, seen)
        })?;
    }
    let finished = archive.finish();
    Ok(finished.map_err(|error| archive_error(file, "write the directory", error))?)
}

/// The name of the array in the file `name` of an archive.
fn array_name(name: &str) -> &str {
    name.strip_suffix(".npy").unwrap_or(name)
}

fn archive_error(file: &str, action: &'static str, error: ZipError) -> FileError {
    FileError::Archive {
        file: file.to_owned(),
        action,
        source: Box::new(error),
    }
}
