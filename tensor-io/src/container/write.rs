//! [`ContainerWriter`]: tensors into a new container, or behind those of an old one.

use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tensor::{Tensor, TensorView, trace_span};
use tensor_core::{MemoryOrder, dispatch_dtype};

use super::Metadata;
use super::directory::{self, Directory, Extra};
use super::header::{self, ALIGN, DATA_START, Slot, State};
use crate::FileFormat;
use crate::element::{ByteOrder, Element, write_elements};
use crate::entry::{ElementFormat, Entry};
use crate::error::FileError;
use crate::output::OutputFile;

/// What a container is written to.
trait Sink: Write + Seek {
    /// Waits until what was written is where it survives.
    fn settle(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Shows the finished file to others.
    fn show(self: Box<Self>) -> io::Result<()>;
}

impl Sink for OutputFile {
    fn show(self: Box<Self>) -> io::Result<()> {
        self.commit()
    }
}

/// An old file that grows.
impl Sink for File {
    fn settle(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn show(self: Box<Self>) -> io::Result<()> {
        self.sync_all()
    }
}

struct Plain<W>(W);

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Seek> Seek for Plain<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl<W: Write + Seek> Sink for Plain<W> {
    fn show(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

/// Writes a container, tensor by tensor. Nothing is kept of a tensor but its line in the directory.
///
/// Without [`ContainerWriter::finish`] there is no new file, and an old one stays as it was. A tensor that could not be
/// written (a full disk, say) is left out, and others can follow. See [`Container`](super::Container) for an example.
pub struct ContainerWriter<'w> {
    sink: Box<dyn Sink + 'w>,
    file: String,
    tensors: Vec<(Entry, Extra)>,
    names: HashSet<String>,
    metadata: Metadata,
    /// The first free byte.
    end: u64,
    /// The state that the file has now; generation 0 for a new one.
    generation: u64,
}

impl ContainerWriter<'static> {
    /// Begins a new file, which replaces the one at `path` in [`ContainerWriter::finish`] and not before.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = path.as_ref().display().to_string();
        let output = OutputFile::create(path.as_ref()).map_err(FileError::io(&file, "create"))?;
        Self::begin(Box::new(output), file)
    }

    /// Continues the container at `path`: tensors go behind the old ones, which stay as they are, and whoever reads the
    /// file meanwhile sees the old state. The file is locked against other writers.
    ///
    /// # Errors
    /// As [`Container::open`](super::Container::open), and [`FileError::Locked`].
    pub fn append(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = path.as_ref().display().to_string();
        let mut opened = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(FileError::io(&file, "open for writing"))?;
        match opened.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FileError::Locked { file }),
            // Not every file system has locks; without them the user has to see to it.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(FileError::io(&file, "lock")(error)),
        }
        let length = opened
            .metadata()
            .map_err(FileError::io(&file, "measure"))?
            .len();
        let old = Directory::read(&file, length, State::Current, |start, bytes| {
            let mut part = vec![0; bytes];
            opened
                .seek(SeekFrom::Start(start))
                .and_then(|_| opened.read_exact(&mut part))
                .map_err(FileError::io(&file, "read the directory"))?;
            Ok(part)
        })?;
        Ok(Self {
            sink: Box::new(opened),
            file,
            names: old.entries.names().map(str::to_owned).collect(),
            tensors: old.entries.list().iter().cloned().zip(old.extras).collect(),
            metadata: old.metadata,
            end: old.slot.end,
            generation: old.slot.generation,
        })
    }
}

impl<'w> ContainerWriter<'w> {
    /// Begins a container in `writer`, from its first byte on; errors call it `name`.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn new(writer: impl Write + Seek + 'w, name: impl Into<String>) -> Result<Self, FileError> {
        Self::begin(Box::new(Plain(writer)), name.into())
    }

    fn begin(mut sink: Box<dyn Sink + 'w>, file: String) -> Result<Self, FileError> {
        sink.write_all(&header::empty())
            .map_err(FileError::io(&file, "write the header"))?;
        Ok(Self {
            sink,
            file,
            tensors: Vec::new(),
            names: HashSet::new(),
            metadata: Metadata::new(),
            end: DATA_START,
            generation: 0,
        })
    }

    /// Sets the text of `key`, which goes along with the tensors.
    pub fn set_metadata(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.metadata.iter_mut().find(|(known, _)| *known == key) {
            Some((_, text)) => *text = value,
            None => self.metadata.push((key, value)),
        }
    }

    /// Writes `tensor` under `name`. A column-major tensor stays one.
    ///
    /// # Errors
    /// [`FileError::DuplicateName`], [`FileError::UnsupportedDType`] for an external scalar, [`FileError::Tensor`] when the
    /// elements are not on the host (`to_host()` brings them), [`FileError::Io`].
    pub fn write(&mut self, name: &str, tensor: &Tensor) -> Result<(), FileError> {
        self.write_with(name, tensor, &mut |_| {})
    }

    /// As [`ContainerWriter::write`]; `moved` is told the bytes of each piece that was written.
    pub(crate) fn write_with(
        &mut self,
        name: &str,
        tensor: &Tensor,
        moved: &mut dyn FnMut(u64),
    ) -> Result<(), FileError> {
        let view = tensor
            .view()
            .map_err(FileError::tensor(&format!("{}:{name}", self.file)))?;
        let device = tensor
            .placement()
            .device
            .map(|device| device.to_string())
            .unwrap_or_default();
        self.put(name, &view, device, moved)
    }

    /// Writes the elements of `view` under `name`: those of a column-major view in its order, all others row-major, without
    /// a second copy of them in memory.
    ///
    /// # Errors
    /// As [`ContainerWriter::write`].
    pub fn write_view(&mut self, name: &str, view: &TensorView<'_>) -> Result<(), FileError> {
        self.put(name, view, String::new(), &mut |_| {})
    }

    fn put(
        &mut self,
        name: &str,
        view: &TensorView<'_>,
        device: String,
        moved: &mut dyn FnMut(u64),
    ) -> Result<(), FileError> {
        if self.names.contains(name) {
            return Err(FileError::DuplicateName {
                file: self.file.clone(),
                name: name.to_owned(),
            });
        }
        let format = ElementFormat::DType(view.dtype());
        let file = format!("{}:{name}", self.file);
        if directory::dtype_code(view.dtype()).is_none() {
            return Err(FileError::UnsupportedDType {
                file,
                format: FileFormat::Container,
                dtype: view.dtype(),
            });
        }
        // A broadcast view can stand for more than any file holds.
        let Some(bytes) = format.bytes(view.shape()) else {
            return Err(FileError::OutOfMemory {
                file,
                bytes: u64::MAX,
            });
        };
        let _span = trace_span!(
            DEBUG,
            "write",
            name = file,
            bytes,
            shape = ?view.shape(),
            dtype = %view.dtype(),
        );
        let layout = view.layout();
        let column_major = layout.is_col_major_contiguous() && !layout.is_row_major_contiguous();
        let offset = self.end.next_multiple_of(ALIGN);
        let sum = self
            .elements(view, column_major, offset, moved)
            .map_err(FileError::io(&file, "write"))?;
        let order = if column_major {
            MemoryOrder::ColMajor
        } else {
            MemoryOrder::RowMajor
        };
        let entry = Entry {
            name: name.to_owned(),
            format,
            shape: view.shape().to_vec(),
            order,
            offset,
            bytes,
        };
        self.end = entry.end();
        self.names.insert(name.to_owned());
        self.tensors.push((entry, Extra { sum, device }));
        Ok(())
    }

    /// Writes the elements from `offset` on, and says their checksum.
    fn elements(
        &mut self,
        view: &TensorView<'_>,
        column_major: bool,
        offset: u64,
        moved: &mut dyn FnMut(u64),
    ) -> io::Result<u32> {
        // From the end of what counts: after a failure there may be half a tensor behind it.
        self.sink.seek(SeekFrom::Start(self.end))?;
        let padding = usize::try_from(offset - self.end).map_err(io::Error::other)?;
        self.sink.write_all(&[0; 64][..padding])?;
        let turned;
        let view = if column_major {
            turned = view.transpose();
            &turned
        } else {
            view
        };
        let mut sum = crc32fast::Hasher::new();
        dispatch_dtype!(
            view.dtype(),
            T => typed::<T>(&mut *self.sink, view, &mut |piece| {
                sum.update(piece);
                moved(crate::mapping::length(piece));
            }),
            _external => Err(io::ErrorKind::Unsupported.into()),
        )?;
        Ok(sum.finalize())
    }

    /// Writes the directory and makes the new state count.
    ///
    /// # Errors
    /// [`FileError::Io`]; then the file is as it was before.
    pub fn finish(self) -> Result<(), FileError> {
        let _span = trace_span!(
            DEBUG,
            "save",
            format = "container",
            path = self.file,
            tensors = self.tensors.len()
        );
        let tensors = self.tensors.iter().map(|(entry, extra)| (entry, extra));
        let directory = directory::to_bytes(tensors, &self.metadata, &self.file)?;
        let start = self.end.next_multiple_of(8);
        let directory_bytes = crate::mapping::length(&directory);
        let slot = Slot {
            generation: self.generation + 1,
            directory_start: start,
            directory_bytes,
            tensors: u64::try_from(self.tensors.len()).unwrap_or(u64::MAX),
            end: start + directory_bytes,
            directory_sum: crc32fast::hash(&directory),
        };
        let Self {
            mut sink,
            file,
            end,
            ..
        } = self;
        let padding = usize::try_from(start - end).unwrap_or(0);
        sink.seek(SeekFrom::Start(end))
            .and_then(|_| sink.write_all(&[0; 8][..padding]))
            .and_then(|()| sink.write_all(&directory))
            // What the slot points to has to be there before the slot is.
            .and_then(|()| sink.settle())
            .and_then(|()| sink.seek(SeekFrom::Start(slot.position())))
            .and_then(|_| sink.write_all(&slot.to_bytes()))
            .and_then(|()| sink.show())
            .map_err(FileError::io(&file, "finish"))
    }
}

fn typed<T: Element>(
    sink: &mut dyn Sink,
    view: &TensorView<'_>,
    seen: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let view = view
        .as_typed::<T>()
        .expect("T is the type that the view's own dtype names");
    write_elements(&mut { sink }, view, ByteOrder::Little, seen)
}

impl fmt::Debug for ContainerWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContainerWriter")
            .field("file", &self.file)
            .field("tensors", &self.tensors.len())
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}
