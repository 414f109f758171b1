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
    let file = path.display().to_string();
    let _span = trace_span!(
        DEBUG,
        "save",
        format = "safetensors",
        path = file,
        tensors = tensors.len()
    );
    let plan = Plan::new(&file, tensors, metadata)?;
    let mut output = OutputFile::create(path).map_err(FileError::io(&file, "create"))?;
    plan.write_to(&mut output, &file, moved)?;
    output.commit().map_err(FileError::io(&file, "write"))
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
    Plan::new(file, tensors, metadata)?.write_to(&mut bytes, file, &mut |_| {})?;
    Ok(bytes)
}

/// A file that can be written: tensors in the order of the file, and its header.
struct Plan<'a> {
    header: Vec<u8>,
    tensors: Vec<(&'a str, TensorView<'a>)>,
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
        tensors: &[(&'a str, &'a Tensor)],
        metadata: &[(&str, &str)],
    ) -> Result<Self, FileError> {
        let mut names = HashSet::new();
        let mut sorted = Vec::with_capacity(tensors.len());
        for &(name, tensor) in tensors {
            let label = format!("{file}:{name}");
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
            let Some(kind) = type_of(tensor.dtype()) else {
                return Err(FileError::UnsupportedDType {
                    file: label,
                    format: FileFormat::SafeTensors,
                    dtype: tensor.dtype(),
                });
            };
            let view = tensor.view().map_err(FileError::tensor(&label))?;
            sorted.push((kind, name, view));
        }
        // Falling sizes keep every tensor at a multiple of its element's size.
        sorted.sort_by(|((a, _), a_name, _), ((b, _), b_name, _)| {
            b.cmp(a).then_with(|| a_name.cmp(b_name))
        });
        let header = header(file, &sorted, metadata)?;
        let tensors = sorted
            .into_iter()
            .map(|(_, name, view)| (name, view))
            .collect();
        Ok(Self { header, tensors })
    }

    fn write_to(
        &self,
        writer: &mut impl Write,
        file: &str,
        moved: &mut dyn FnMut(u64),
    ) -> Result<(), FileError> {
        writer
            .write_all(&length(&self.header).to_le_bytes())
            .and_then(|()| writer.write_all(&self.header))
            .map_err(FileError::io(file, "write the header"))?;
        self.tensors.iter().try_for_each(|(name, view)| {
            let _span = trace_span!(
                DEBUG,
                "write",
                name,
                shape = ?view.shape(),
                dtype = %view.dtype(),
            );
            let seen = &mut |piece: &[u8]| moved(length(piece));
            dispatch_dtype!(view.dtype(), T => elements::<T>(writer, view, seen), _external => Ok(()))
                .map_err(FileError::io(&format!("{file}:{name}"), "write"))
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

type Sorted<'a> = ((usize, &'static str), &'a str, TensorView<'a>);

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
    for ((_, dtype), name, view) in tensors {
        let shape: Vec<String> = view.shape().iter().map(usize::to_string).collect();
        let bytes = ElementFormat::DType(view.dtype()).bytes(view.shape());
        let end = start + bytes.expect("an owned tensor fits memory");
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
