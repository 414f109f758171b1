//! [`save`] and [`save_each`]: writing a file of any format.
//!
//! A header says what all tensors are before the first of them is written, and some formats have an order of their own. So a
//! writer is given a plan, [`Planned`], and asks for each tensor when its place in the file has come; nothing keeps a tensor
//! once it is written. [`save`] is the same with tensors that are there already.

use std::path::Path;

use tensor::Tensor;
use tensor_core::DType;

use crate::FileFormat;
use crate::container::ContainerWriter;
use crate::element::ByteOrder;
use crate::entry::ElementFormat;
use crate::error::FileError;
use crate::mapping::length;
use crate::npy;
use crate::npz::{self, Compression};
use crate::safetensors;

/// What will be written under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned<'a> {
    /// The name.
    pub name: &'a str,
    /// The dtype.
    pub dtype: DType,
    /// The extents.
    pub shape: &'a [usize],
}

impl<'a> Planned<'a> {
    pub(crate) fn of(name: &'a str, tensor: &'a Tensor) -> Self {
        Self {
            name,
            dtype: tensor.dtype(),
            shape: tensor.shape(),
        }
    }

    /// The bytes of the elements.
    fn bytes(&self) -> u64 {
        let bytes = ElementFormat::DType(self.dtype).bytes(self.shape);
        bytes.unwrap_or(u64::MAX)
    }
}

/// Writes one tensor.
pub(crate) type Put<'p> = dyn FnMut(&Tensor) -> Result<(), FileError> + 'p;

/// Gives the tensor of this place in the plan to be written.
pub(crate) type Fetch<'f, E> = dyn FnMut(usize, &mut Put<'_>) -> Result<(), E> + 'f;

/// Writes `tensors` and the texts `metadata` to the file at `path`, replacing what is there once the new file is complete;
/// `progress` is told the bytes that are done and the bytes of all. An archive is not compressed ([`npz::write()`] can).
///
/// # Errors
/// [`FileError::NotWritten`] for GGUF, [`FileError::NotOne`] unless a npy file gets one tensor, [`FileError::NoMetadata`] for
/// texts in npy and npz, and what writing a file of the format reports.
pub fn save(
    path: impl AsRef<Path>,
    format: FileFormat,
    tensors: &[(&str, &Tensor)],
    metadata: &[(&str, &str)],
    mut progress: impl FnMut(u64, u64),
) -> Result<(), FileError> {
    let each = tensors.iter();
    let plan: Vec<Planned<'_>> = each
        .map(|(name, tensor)| Planned::of(name, tensor))
        .collect();
    let fetch: &mut Fetch<'_, FileError> = &mut |index, put| put(tensors[index].1);
    write(path.as_ref(), format, &plan, metadata, &mut progress, fetch)
}

/// As [`save`], with tensors that `fetch` brings by name, each once and in the order that the format wants, so that one at a
/// time is in memory. An error of `fetch` ends the writing, and what was at `path` stays.
///
/// ```
/// use tensor::{DType, Tensor};
/// use tensor_io::{FileFormat, Planned, TensorFile, save_each};
///
/// let path = std::env::temp_dir().join(format!("each-{}.safetensors", std::process::id()));
/// let plan = ["a", "b"].map(|name| Planned { name, dtype: DType::F32, shape: &[2] });
/// let make = |name: &str| {
///     let value = if name == "a" { 1.0_f32 } else { 2.0 };
///     Ok::<_, tensor_io::FileError>(Tensor::from_vec_row_major([2], vec![value; 2]).unwrap())
/// };
/// save_each(&path, FileFormat::SafeTensors, &plan, &[], make, |_, _| {})?;
/// assert_eq!(TensorFile::open(&path)?.read("b")?.to_vec::<f32>()?, [2.0, 2.0]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`save`]; [`FileError::NotAsPlanned`] for a tensor of another dtype or shape; and what `fetch` reports.
pub fn save_each<E: From<FileError>>(
    path: impl AsRef<Path>,
    format: FileFormat,
    plan: &[Planned<'_>],
    metadata: &[(&str, &str)],
    mut fetch: impl FnMut(&str) -> Result<Tensor, E>,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), E> {
    let path = path.as_ref();
    let one: &mut Fetch<'_, E> = &mut |index, put| {
        let planned = &plan[index];
        let tensor = fetch(planned.name)?;
        as_planned(path, planned, &tensor)?;
        Ok(put(&tensor)?)
    };
    write(path, format, plan, metadata, &mut progress, one)
}

fn as_planned(path: &Path, planned: &Planned<'_>, tensor: &Tensor) -> Result<(), FileError> {
    if Planned::of(planned.name, tensor) == *planned {
        return Ok(());
    }
    Err(FileError::NotAsPlanned {
        file: format!("{}:{}", path.display(), planned.name),
        dtype: tensor.dtype(),
        shape: tensor.shape().to_vec(),
        planned_dtype: planned.dtype,
        planned_shape: planned.shape.to_vec(),
    })
}

fn write<E: From<FileError>>(
    path: &Path,
    format: FileFormat,
    plan: &[Planned<'_>],
    metadata: &[(&str, &str)],
    progress: &mut dyn FnMut(u64, u64),
    fetch: &mut Fetch<'_, E>,
) -> Result<(), E> {
    let file = || path.display().to_string();
    let sizes = plan.iter().map(Planned::bytes);
    let total = sizes.fold(0, u64::saturating_add);
    let mut done = 0;
    let mut moved = |bytes| {
        done += bytes;
        progress(done, total);
    };
    if !format.holds_metadata() && !metadata.is_empty() {
        let count = metadata.len();
        let file = file();
        return Err(E::from(FileError::NoMetadata {
            file,
            format,
            count,
        }));
    }
    match format {
        FileFormat::Container => container(path, plan, metadata, &mut moved, fetch),
        FileFormat::SafeTensors => safetensors::write_each(path, plan, metadata, &mut moved, fetch),
        FileFormat::Npy if plan.len() == 1 => fetch(0, &mut |tensor| {
            let seen = &mut |piece: &[u8]| moved(length(piece));
            npy::write_file(path, tensor, ByteOrder::Little, seen)
        }),
        FileFormat::Npy => {
            let (file, count) = (file(), plan.len());
            Err(E::from(FileError::NotOne {
                file,
                format,
                count,
            }))
        }
        FileFormat::Npz => npz::write_each(path, plan, Compression::Stored, &mut moved, fetch),
        FileFormat::Gguf => Err(E::from(FileError::NotWritten {
            file: file(),
            format,
        })),
    }
}

fn container<E: From<FileError>>(
    path: &Path,
    plan: &[Planned<'_>],
    metadata: &[(&str, &str)],
    moved: &mut dyn FnMut(u64),
    fetch: &mut Fetch<'_, E>,
) -> Result<(), E> {
    let mut writer = ContainerWriter::create(path)?;
    for (key, value) in metadata {
        writer.set_metadata(*key, *value);
    }
    for (index, planned) in plan.iter().enumerate() {
        fetch(index, &mut |tensor| {
            writer.write_with(planned.name, tensor, moved)
        })?;
    }
    Ok(writer.finish()?)
}
