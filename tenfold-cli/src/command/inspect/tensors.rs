//! What is in a file of tensors: its format, its texts, and what it says about each tensor. No tensor is read.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value, json};
use tenfold::tensor::core::MemoryOrder;
use tensor_io::gguf::{Array, Value as Typed};
use tensor_io::{ElementFormat, Entry, FileFormat, TensorFile};

use super::super::to_text;
use super::{metadata, section};
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::table::{Align, Table, bytes, counted};
use crate::values::shortest;

/// The bytes at the beginning of a file that tell its format.
const START: u64 = 16;

/// Whether the file begins as a file of tensors does. One that can't be read does not, and a pipe, whose beginning could be
/// read once only, is left alone: it may be a model.
pub(super) fn are_in(file: &Path) -> bool {
    if !file.is_file() {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(file).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && FileFormat::detect(&start).is_some()
}

pub(super) fn run(args: &InspectArgs) -> Result<String, Failure> {
    let file = TensorFile::open(&args.file)?;
    Ok(if args.json {
        to_text(&to_json(&args.file, &file))
    } else {
        to_tables(&args.file, &file)
    })
}

fn to_tables(path: &Path, file: &TensorFile) -> String {
    let mut text = format!("{}: {}", path.display(), file.format());
    if let Some(version) = file.version() {
        text += &format!(", version {version}");
    }
    if let Some(shards) = file.as_shards() {
        text += &format!(", an index of {} files", shards.files().len());
    }
    text.push('\n');
    section(&mut text, "metadata", metadata(&file.metadata()));
    if !file.entries().is_empty() {
        section(&mut text, "tensors", entries(file));
    }
    text += &format!(
        "total: {}, {} in {}\n",
        counted(file.entries().len() as u64, "tensor"),
        counted(element_count(file.entries()), "element"),
        bytes(byte_count(file.entries())),
    );
    text
}

/// A row for each tensor; of shards with the file that it is in.
fn entries(file: &TensorFile) -> Table {
    let mut table = Table::new([
        ("name", Align::Left),
        ("dtype", Align::Left),
        ("shape", Align::Left),
        ("order", Align::Left),
        ("offset", Align::Right),
        ("bytes", Align::Right),
        (
            if file.as_shards().is_some() {
                "file"
            } else {
                ""
            },
            Align::Left,
        ),
    ]);
    for entry in file.entries() {
        table.row([
            entry.name.clone(),
            entry.format.to_string(),
            format!("{:?}", entry.shape),
            order(entry).to_owned(),
            entry.offset.to_string(),
            entry.bytes.to_string(),
            shard(file, entry).unwrap_or_default().to_owned(),
        ]);
    }
    table
}

fn order(entry: &Entry) -> &'static str {
    match entry.order {
        MemoryOrder::RowMajor => "row-major",
        MemoryOrder::ColMajor => "column-major",
    }
}

/// The file of a tensor of shards.
fn shard<'a>(file: &'a TensorFile, entry: &Entry) -> Option<&'a str> {
    file.as_shards()?.file_of(&entry.name).ok()
}

/// All elements of the file: not more than a few for each byte, which the file was compared with.
fn element_count(entries: &[Entry]) -> u64 {
    entries
        .iter()
        .map(|entry| entry.element_count() as u64)
        .sum()
}

fn byte_count(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| entry.bytes).sum()
}

fn to_json(path: &Path, file: &TensorFile) -> Value {
    let entries = file.entries();
    let tensors: Vec<Value> = entries
        .iter()
        .map(|entry| entry_to_json(file, entry))
        .collect();
    json!({
        "file": path.display().to_string(),
        "format": file.format().to_string(),
        "version": file.version(),
        "metadata": typed_metadata(file).into_iter().collect::<Map<String, Value>>(),
        "tensors": tensors,
        "tensor_count": entries.len(),
        "element_count": element_count(entries),
        "tensor_bytes": byte_count(entries),
    })
}

/// What a file says about a tensor: `block` is null for elements of a dtype, `file` for tensors in the file itself.
pub(crate) fn entry_to_json(file: &TensorFile, entry: &Entry) -> Value {
    let block = match entry.format {
        ElementFormat::Block(block) => {
            json!({ "elements": block.block_elements, "bytes": block.block_bytes })
        }
        _ => Value::Null,
    };
    json!({
        "name": entry.name,
        "dtype": entry.format.to_string(),
        "block": block,
        "shape": entry.shape,
        "order": order(entry),
        "offset": entry.offset,
        "bytes": entry.bytes,
        "file": shard(file, entry),
    })
}

/// The metadata, whole: texts, and what GGUF has beside them.
pub(crate) fn typed_metadata(file: &TensorFile) -> Vec<(String, Value)> {
    if let Some(gguf) = file.as_gguf() {
        let pairs = gguf.metadata().iter();
        return pairs
            .map(|(key, value)| (key.clone(), typed(value)))
            .collect();
    }
    let pairs = file.metadata().into_iter();
    pairs.map(|(key, value)| (key, value.into())).collect()
}

/// NaN and infinities, which JSON lacks, are null.
fn typed(value: &Typed) -> Value {
    match value {
        Typed::U8(value) => json!(value),
        Typed::I8(value) => json!(value),
        Typed::U16(value) => json!(value),
        Typed::I16(value) => json!(value),
        Typed::U32(value) => json!(value),
        Typed::I32(value) => json!(value),
        Typed::U64(value) => json!(value),
        Typed::I64(value) => json!(value),
        Typed::F32(value) => json!(shortest(*value)),
        Typed::F64(value) => json!(value),
        Typed::Bool(value) => json!(value),
        Typed::Text(value) => json!(value),
        Typed::Array(value) => array(value),
    }
}

fn array(values: &Array) -> Value {
    match values {
        Array::U8(values) => json!(values),
        Array::I8(values) => json!(values),
        Array::U16(values) => json!(values),
        Array::I16(values) => json!(values),
        Array::U32(values) => json!(values),
        Array::I32(values) => json!(values),
        Array::U64(values) => json!(values),
        Array::I64(values) => json!(values),
        Array::F32(values) => values.iter().map(|value| shortest(*value)).collect(),
        Array::F64(values) => json!(values),
        Array::Bool(values) => json!(values),
        Array::Text(values) => json!(values),
        Array::Array(values) => values.iter().map(array).collect(),
    }
}
