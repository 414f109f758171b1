//! Writing safetensors files, byte for byte as the format's own library does.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use tensor::{Tensor, TensorView, trace_span};
use tensor_core::{DType, dispatch_dtype};

use super::header::MAX_HEADER_BYTES;
use super::{METADATA, TYPES};
use crate::FileFormat;
use crate::element::{ByteOrder, Element, write_elements};
use crate::entry::ElementFormat;
use crate::error::FileError;
use crate::mapping::length;
use crate::output::OutputFile;
use crate::save::{Fetch, Planned};

/// Writes `tensors` and `metadata` to the file at `path`, replacing what is there once the new file is complete.
///
/// The format is row-major: a column-major tensor is written with the same values in that order.
///
/// # Errors
/// [`FileError::DuplicateName`], [`FileError::ReservedName`], [`FileError::UnsupportedDType`] for `c64` and external
/// scalars, [`FileError::Tensor`] when the values are not on the host, all before a file is made; [`FileError::Io`].
pub fn write(
    path: impl AsRef<Path>,
    tensors: &[(&str, &Tensor)],
    metadata: &[(&str, &str)],
) -> Result<(), FileError> {
    write_with(path.as_ref(), tensors, metadata, &mut |_| {})
}

/// As [`write()`]; `moved` is told the bytes of each piece that was written.
pub(crate) fn write_with(
    path: &Path,
    tensors: &[(&str, &Tensor)],
    metadata: &[(&str, &str)],
    moved: &mut dyn FnMut(u64),
) -> Result<(), FileError> {
    let plan = planned(&path.display().to_string(), tensors)?;
    let fetch: &mut Fetch<'_, FileError> = &mut |index, put| put(tensors[index].1);
    write_each(path, &plan, metadata, moved, fetch)
}

/// As [`write_with`], with the tensors that `fetch` brings.
pub(crate) fn write_each<E: From<FileError>>(
    path: &Path,
    plan: &[Planned<'_>],
    metadata: &[(&str, &str)],
    moved: &mut dyn FnMut(u64),
    fetch: &mut Fetch<'_, E>,
) -> Result<(), E> {
    let file = path.display().to_string();
    let _span = trace_span!(
        DEBUG,
        "save",
        format = "safetensors",
        path = file,
        tensors = plan.len()
    );
    let plan = Plan::new(&file, plan, metadata)?;
    let mut output = OutputFile::create(path).map_err(FileError::io(&file, "create"))?;
    plan.write_to(&mut output, &file, moved, fetch)?;
    Ok(output.commit().map_err(FileError::io(&file, "write"))?)
}

/// The bytes of a safetensors file with `tensors` and `metadata`.
///
/// # Errors
/// As [`write()`].
pub fn to_bytes(
    tensors: &[(&str, &Tensor)],
    metadata: &[(&str, &str)],
) -> Result<Vec<u8>, FileError> {
    let file = "safetensors bytes";
    let mut bytes = Vec::new();
    let plan = planned(file, tensors)?;
    let fetch: &mut Fetch<'_, FileError> = &mut |index, put| put(tensors[index].1);
    Plan::new(file, &plan, metadata)?.write_to(&mut bytes, file, &mut |_| {}, fetch)?;
    Ok(bytes)
}

/// What is to be written of tensors whose values are on the host.
fn planned<'a>(
    file: &str,
    tensors: &[(&'a str, &'a Tensor)],
) -> Result<Vec<Planned<'a>>, FileError> {
    let one = |&(name, tensor): &(&'a str, &'a Tensor)| {
        let on_host = tensor.view();
        on_host.map_err(FileError::tensor(&format!("{file}:{name}")))?;
        Ok(Planned::of(name, tensor))
    };
    tensors.iter().map(one).collect()
}

/// A file that can be written: its header, and its tensors in the order of the file.
struct Plan<'a> {
    header: Vec<u8>,
    /// Name and place in what was asked for.
    tensors: Vec<(&'a str, usize)>,
}

/// Place of a dtype in the format's order, and its name there.
pub(crate) fn type_of(dtype: DType) -> Option<(usize, &'static str)> {
    let format = ElementFormat::DType(dtype);
    let place = TYPES.iter().position(|(_, known)| *known == format)?;
    Some((place, TYPES[place].0))
}

impl<'a> Plan<'a> {
    fn new(
        file: &str,
        tensors: &[Planned<'a>],
        metadata: &[(&str, &str)],
    ) -> Result<Self, FileError> {
        let mut names = HashSet::new();
        let mut sorted = Vec::with_capacity(tensors.len());
        for (index, &planned) in tensors.iter().enumerate() {
            let name = planned.name;
            if name == METADATA {
                return Err(FileError::ReservedName {
                    file: file.to_owned(),
                    format: FileFormat::SafeTensors,
                    name: name.to_owned(),
                });
            }
            if !names.insert(name) {
                return Err(FileError::DuplicateName {
                    file: file.to_owned(),
                    name: name.to_owned(),
                });
            }
            let kind = type_of(planned.dtype).ok_or_else(|| FileError::UnsupportedDType {
                file: format!("{file}:{name}"),
                format: FileFormat::SafeTensors,
                dtype: planned.dtype,
            })?;
            sorted.push((kind, planned, index));
        }
        // Falling sizes keep every tensor at a multiple of its element's size.
        sorted.sort_by(|((a, _), left, _), ((b, _), right, _)| {
            b.cmp(a).then_with(|| left.name.cmp(right.name))
        });
        let header = header(file, &sorted, metadata)?;
        let tensors = sorted
            .into_iter()
            .map(|(_, planned, index)| (planned.name, index))
            .collect();
        Ok(Self { header, tensors })
    }

    fn write_to<E: From<FileError>>(
        &self,
        writer: &mut impl Write,
        file: &str,
        moved: &mut dyn FnMut(u64),
        fetch: &mut Fetch<'_, E>,
    ) -> Result<(), E> {
        writer
            .write_all(&length(&self.header).to_le_bytes())
            .and_then(|()| writer.write_all(&self.header))
            .map_err(FileError::io(file, "write the header"))?;
        self.tensors.iter().try_for_each(|&(name, index)| {
            fetch(index, &mut |tensor| {
                let label = format!("{file}:{name}");
                let view = tensor.view().map_err(FileError::tensor(&label))?;
                let _span = trace_span!(
                    DEBUG,
                    "write",
                    name,
                    shape = ?view.shape(),
                    dtype = %view.dtype(),
                );
                let seen = &mut |piece: &[u8]| moved(length(piece));
                dispatch_dtype!(view.dtype(), T => elements::<T>(writer, &view, seen), _external => Ok(()))
                    .map_err(FileError::io(&label, "write"))
            })
        })
    }
}

fn elements<T: Element>(
    writer: &mut impl Write,
    view: &TensorView<'_>,
    seen: &mut dyn FnMut(&[u8]),
) -> std::io::Result<()> {
    let view = view
        .as_typed::<T>()
        .expect("T is the type that the view's own dtype names");
    write_elements(writer, view, ByteOrder::Little, seen)
}

/// Place and name of the type, what is written, and its place in what was asked for.
type Sorted<'a> = ((usize, &'static str), Planned<'a>, usize);

/// The header, padded with spaces to 8 bytes.
fn header(
    file: &str,
    tensors: &[Sorted<'_>],
    metadata: &[(&str, &str)],
) -> Result<Vec<u8>, FileError> {
    let mut members = Vec::with_capacity(tensors.len() + 1);
    if !metadata.is_empty() {
        let mut known = HashSet::new();
        let mut texts = Vec::with_capacity(metadata.len());
        for (key, value) in metadata {
            if !known.insert(key) {
                return Err(FileError::DuplicateName {
                    file: format!("{file}:{METADATA}"),
                    name: (*key).to_owned(),
                });
            }
            texts.push(format!("{}:{}", json_text(key), json_text(value)));
        }
        members.push(format!("\"{METADATA}\":{{{}}}", texts.join(",")));
    }
    let mut start = 0_u64;
    for ((_, dtype), planned, _) in tensors {
        let name = planned.name;
        let shape: Vec<String> = planned.shape.iter().map(usize::to_string).collect();
        let bytes = ElementFormat::DType(planned.dtype).bytes(planned.shape);
        let end = bytes.and_then(|bytes| start.checked_add(bytes));
        let end = end.ok_or_else(|| FileError::OutOfMemory {
            file: format!("{file}:{name}"),
            bytes: u64::MAX,
        })?;
        members.push(format!(
            "{}:{{\"dtype\":\"{dtype}\",\"shape\":[{}],\"data_offsets\":[{start},{end}]}}",
            json_text(name),
            shape.join(",")
        ));
        start = end;
    }
    let mut header = format!("{{{}}}", members.join(",")).into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    if length(&header) > MAX_HEADER_BYTES {
        return Err(FileError::AboveLimit {
            file: file.to_owned(),
            bytes: length(&header),
            limit: MAX_HEADER_BYTES,
        });
    }
    Ok(header)
}

/// A text as JSON has it.
pub(super) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
