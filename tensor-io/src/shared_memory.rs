//! Tensors that other processes of this machine see by name, without a copy.
//!
//! A name holds a [`container`](crate::container): the creator writes it under a hidden name and links it into place when it
//! is complete, in one step that fails if the name is taken. So nobody opens a half-written one, two creators never share
//! a name, and what was opened stays readable after the name is gone. Tensors are written once; who wants to
//! publish other values makes another name.
//!
//! The name goes when its [`SharedMemory`] is dropped. A creator that is killed leaves it behind: [`unlink`] removes it, and
//! the error of the next [`SharedMemory::create`] says whether the process that made it still runs.
//!
//! This is Linux, whose shared memory is the folder `/dev/shm`; elsewhere every call answers
//! [`FileError::Unsupported`]. The memory is the creator's to leave alone: a process that changes it by other means
//! changes what readers see.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use tensor::Tensor;

use crate::FileError;
use crate::container::{Container, ContainerWriter};
use crate::output::create_beside;

/// Where Linux keeps shared memory.
const FOLDER: &str = "/dev/shm";
/// The longest name that the file system takes, less what hides one that is being written.
const LONGEST_NAME: usize = 200;
/// The key of the metadata that says which process made a name.
const CREATOR: &str = "tenfold.creator";

/// A name under which other processes see tensors; dropping it removes the name.
///
/// ```
/// use tensor::Tensor;
/// use tensor_io::shared_memory::{self, SharedMemory};
///
/// # if !cfg!(target_os = "linux") { return Ok(()); }
/// # let name = &format!("tensor-io-doc-{}", std::process::id());
/// let frame = Tensor::from_vec_row_major([2, 2], vec![1_u8, 2, 3, 4])?;
/// let shared = SharedMemory::create(name, &[("frame", &frame)])?;
/// // In another process:
/// let seen = shared_memory::open(name)?.map("frame")?;
/// assert_eq!(seen.as_slice::<u8>()?, [1, 2, 3, 4]);
/// # drop(shared);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedMemory {
    name: String,
    path: PathBuf,
}

impl SharedMemory {
    /// Writes `tensors` where other processes find them by `name`: letters, digits, `.`, `_` and `-`, and a `/` in front
    /// if wanted.
    ///
    /// # Errors
    /// [`FileError::SharedName`], [`FileError::SharedExists`], [`FileError::Unsupported`], or what
    /// [`ContainerWriter::write`] refuses.
    pub fn create(name: &str, tensors: &[(&str, &Tensor)]) -> Result<Self, FileError> {
        let path = path_of(name)?;
        remove_leftovers(&path);
        let (file, hidden) =
            create_beside(&path).map_err(FileError::io(name, "create shared memory"))?;
        let linked = write(name, file, tensors).and_then(|()| {
            fs::hard_link(&hidden, &path).map_err(|error| taken(name, &path, error))
        });
        // The name is a second link by now, or the tensors are not wanted.
        let _gone = fs::remove_file(&hidden);
        linked.map(|()| Self {
            name: name.to_owned(),
            path,
        })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Leaves the name in place for the time after this process; [`unlink`] removes it.
    pub fn keep(mut self) {
        self.path = PathBuf::new();
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // Whoever has it open keeps it; if somebody removed the name before, it is gone as wanted.
            let _gone = fs::remove_file(&self.path);
        }
    }
}

/// The tensors under `name`, to be read where they lie: [`Container::map`] copies nothing.
///
/// # Errors
/// [`FileError::SharedName`], [`FileError::Unsupported`], or as [`Container::open`].
pub fn open(name: &str) -> Result<Container, FileError> {
    Container::open(path_of(name)?)
}

/// Removes a name that its creator has left behind. Who has it open keeps the tensors.
///
/// # Errors
/// [`FileError::SharedName`], [`FileError::Unsupported`], or as [`open`]: what is no container is not removed.
pub fn unlink(name: &str) -> Result<(), FileError> {
    let path = path_of(name)?;
    Container::open(&path)?;
    fs::remove_file(&path).map_err(FileError::io(name, "remove shared memory"))
}

fn path_of(name: &str) -> Result<PathBuf, FileError> {
    if !cfg!(target_os = "linux") {
        let what = "shared memory by name";
        return Err(FileError::Unsupported { what });
    }
    let plain = name.strip_prefix('/').unwrap_or(name);
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let good = (1..=LONGEST_NAME).contains(&plain.len()) && plain.chars().all(known);
    if !good || plain.starts_with('.') {
        let name = name.to_owned();
        return Err(FileError::SharedName { name });
    }
    Ok(Path::new(FOLDER).join(plain))
}

fn write(name: &str, file: fs::File, tensors: &[(&str, &Tensor)]) -> Result<(), FileError> {
    let mut writer = ContainerWriter::new(file, name)?;
    writer.set_metadata(CREATOR, process::id().to_string());
    for (tensor_name, tensor) in tensors {
        writer.write(tensor_name, tensor)?;
    }
    writer.finish()
}

/// Why the name could not be given.
fn taken(name: &str, path: &Path, error: io::Error) -> FileError {
    if error.kind() != io::ErrorKind::AlreadyExists {
        return FileError::io(name, "name shared memory")(error);
    }
    let creator = Container::open(path).ok().and_then(|container| {
        let found = container.metadata().iter().find(|(key, _)| key == CREATOR);
        found.map(|(_, id)| id.clone())
    });
    let owner = match creator {
        Some(id) if runs(&id) => format!("process {id}, which still runs"),
        Some(id) => format!("process {id}, which no longer runs"),
        None => "another program".to_owned(),
    };
    let name = name.to_owned();
    FileError::SharedExists { name, owner }
}

fn runs(process_id: &str) -> bool {
    Path::new("/proc").join(process_id).exists()
}

/// Removes what creators of this name that were killed while writing have left.
fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let Ok(entries) = fs::read_dir(FOLDER) else {
        return;
    };
    for entry in entries.flatten() {
        let file = entry.file_name();
        let process_id = file
            .to_str()
            .and_then(|file| {
                file.strip_prefix('.')?
                    .strip_prefix(name)?
                    .strip_prefix('.')
            })
            .and_then(|rest| rest.strip_suffix(".part")?.split_once('.'))
            .map(|(process_id, _)| process_id);
        if process_id.is_some_and(|id| id.bytes().all(|b| b.is_ascii_digit()) && !runs(id)) {
            let _gone = fs::remove_file(entry.path());
        }
    }
}
