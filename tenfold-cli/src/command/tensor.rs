//! `tenfold tensor`: one tensor of a file, or the list of them.

use std::path::Path;

use serde_json::{Value, json};
use tenfold::{Tensor, TensorView};
use tensor_io::{ElementFormat, Entry, FileError, TensorFile, save};

use super::inspect::tensors::entry_to_json;
use super::to_text;
use crate::args::TensorArgs;
use crate::failure::Failure;
use crate::histogram::Histogram;
use crate::names;
use crate::table::{Align, Table, bytes, grouped, number_or_dash, visible};
use crate::values::{Statistics, nested};

/// JSON has the values of tensors up to this many elements, which is also how many are printed without an ellipsis.
const VALUES_UP_TO: usize = 1000;

/// Shows or writes the tensor that is meant, or lists those that there are.
pub(crate) fn run(args: &TensorArgs) -> Result<String, Failure> {
    let mut file = TensorFile::open(&args.file)?;
    let Some(entry) = choose(args, &file)? else {
        return Ok(list(args, &file));
    };
    if let ElementFormat::Block(_) = entry.format {
        return undecoded(args, &file, &entry);
    }
    if let Some(target) = &args.save {
        target.check_free(args.force)?;
    }
    let tensor = read(&mut file, &entry.name)?;
    let whole = tensor.view().map_err(tenfold::Error::from)?;
    let part = match &args.slice {
        Some(slice) => slice.apply(&whole)?,
        None => whole,
    };
    let shown = Shown::new(args, &entry, &part)?;
    save_part(args, &entry, &tensor, &part)?;
    Ok(if args.json {
        to_text(&shown.to_json(args, &file, &entry))
    } else {
        shown.to_text(args, &entry)
    })
}

/// The tensor that is meant; none where the tensors are to be listed.
fn choose(args: &TensorArgs, file: &TensorFile) -> Result<Option<Entry>, Failure> {
    let path = || args.file.display().to_string();
    let entries = file.entries();
    if let Some(name) = &args.name {
        let chosen = names::select(&path(), entries, std::slice::from_ref(name))?;
        return Ok(chosen.first().map(|entry| (*entry).clone()));
    }
    let asks = args.slice.is_some() || args.stats || args.hist || args.save.is_some();
    match entries {
        [only] => Ok(Some(only.clone())),
        many if asks => Err(Failure::WhichTensor {
            file: path(),
            count: many.len(),
            names: names::first(many),
        }),
        _ => Ok(None),
    }
}

fn list(args: &TensorArgs, file: &TensorFile) -> String {
    let entries = file.entries();
    if args.json {
        let tensors: Vec<Value> = entries
            .iter()
            .map(|entry| entry_to_json(file, entry))
            .collect();
        return to_text(&json!({
            "file": args.file.display().to_string(),
            "format": file.format().to_string(),
            "tensors": tensors,
        }));
    }
    let mut table = Table::without_headings([Align::Left, Align::Left, Align::Left]);
    for entry in entries {
        table.row([
            entry.name.clone(),
            entry.format.to_string(),
            format!("{:?}", entry.shape),
        ]);
    }
    if entries.is_empty() {
        "no tensors\n".to_owned()
    } else {
        table.render(0)
    }
}

/// The tensor where it lies in the file, or a copy where it can't be used there.
pub(crate) fn read(file: &mut TensorFile, name: &str) -> Result<Tensor, Failure> {
    match file.map(name) {
        Err(
            FileError::NotMapped { .. }
            | FileError::Misaligned { .. }
            | FileError::ForeignByteOrder { .. },
        ) => Ok(file.read(name)?),
        mapped => Ok(mapped?),
    }
}

/// What can be said of a tensor in blocks. Whoever asks for more than that is refused.
fn undecoded(args: &TensorArgs, file: &TensorFile, entry: &Entry) -> Result<String, Failure> {
    let element = entry.format.to_string();
    if args.slice.is_some() || args.stats || args.hist || args.save.is_some() {
        return Err(Failure::NoValues {
            file: args.file.display().to_string(),
            name: entry.name.clone(),
            element,
        });
    }
    if args.json {
        let shape = entry.shape.clone();
        return Ok(to_text(&tensor_json(
            args,
            file,
            entry,
            &shape,
            &Shown::default(),
        )));
    }
    let blocks = match entry.format {
        ElementFormat::Block(block) => format!(
            "blocks of {} elements in {}",
            block.block_elements,
            bytes(block.block_bytes as u64)
        ),
        _ => element.clone(),
    };
    Ok(format!(
        "{}\nits values can't be shown yet: they are stored as {element}, in {blocks}, which is not decoded\n",
        heading(entry)
    ))
}

/// A line about the tensor.
fn heading(entry: &Entry) -> String {
    let name = visible(entry.name.clone());
    format!(
        "{name}: {} {:?}, {} from byte {}",
        entry.format,
        entry.shape,
        bytes(entry.bytes),
        entry.offset
    )
}

/// What was asked for. Values are shown where nothing else is.
#[derive(Debug, Default)]
struct Shown {
    shape: Vec<usize>,
    text: Option<String>,
    values: Option<Value>,
    statistics: Option<Statistics>,
    histogram: Option<Histogram>,
}

impl Shown {
    fn new(args: &TensorArgs, entry: &Entry, part: &TensorView<'_>) -> Result<Self, Failure> {
        if args.hist && part.dtype().is_complex() {
            return Err(Failure::NoOrder {
                name: entry.name.clone(),
            });
        }
        let values = !args.stats && !args.hist && args.save.is_none();
        let few = part.len() <= VALUES_UP_TO;
        Ok(Self {
            shape: part.shape().to_vec(),
            text: (values && !args.json).then(|| part.to_string()),
            values: (values && args.json && few).then(|| nested(part)),
            statistics: args.stats.then(|| Statistics::of(part)),
            histogram: args.hist.then(|| Histogram::of(part)),
        })
    }

    fn to_text(&self, args: &TensorArgs, entry: &Entry) -> String {
        let mut text = heading(entry);
        text.push('\n');
        if let Some(slice) = &args.slice {
            text += &format!("slice {slice}: {:?}\n", self.shape);
        }
        if let Some(values) = &self.text {
            text += values;
            text.push('\n');
        }
        if let Some(statistics) = &self.statistics {
            text += &statistics_table(statistics);
        }
        if let Some(histogram) = &self.histogram {
            text += &histogram.render();
        }
        if let Some(target) = &args.save {
            text += &format!("written to {}\n", target.name());
        }
        text
    }

    fn to_json(&self, args: &TensorArgs, file: &TensorFile, entry: &Entry) -> Value {
        tensor_json(args, file, entry, &self.shape, self)
    }
}

/// The tensor as the file describes it, and beside it what was asked for; null for what was not.
fn tensor_json(
    args: &TensorArgs,
    file: &TensorFile,
    entry: &Entry,
    shape: &[usize],
    shown: &Shown,
) -> Value {
    json!({
        "file": args.file.display().to_string(),
        "format": file.format().to_string(),
        "tensor": entry_to_json(file, entry),
        "slice": args.slice.as_ref().map(ToString::to_string),
        "shape": shape,
        "values": shown.values,
        "statistics": shown.statistics.map(Statistics::to_json),
        "histogram": shown.histogram.as_ref().map(Histogram::to_json),
        "saved": args.save.as_ref().map(|target| target.name()),
    })
}

fn statistics_table(statistics: &Statistics) -> String {
    let summary = &statistics.summary;
    let mut table = Table::without_headings([Align::Left, Align::Right]);
    for (name, value) in [
        ("count", grouped(summary.count as u64)),
        ("min", number_or_dash(summary.min)),
        ("max", number_or_dash(summary.max)),
        ("mean", number_or_dash(summary.mean)),
        ("std", number_or_dash(statistics.std)),
        ("NaN", grouped(summary.nan_count as u64)),
        ("infinite", grouped(summary.inf_count as u64)),
        ("zeros", grouped(statistics.zero_count as u64)),
    ] {
        table.row([name.to_owned(), value]);
    }
    table.render(0)
}

/// Writes what was chosen, if that was asked for, under the tensor's own name.
fn save_part(
    args: &TensorArgs,
    entry: &Entry,
    tensor: &Tensor,
    part: &TensorView<'_>,
) -> Result<(), Failure> {
    let Some(target) = &args.save else {
        return Ok(());
    };
    let write = |tensor: &Tensor| {
        let path: &Path = &target.path;
        save(
            path,
            target.format,
            &[(&entry.name, tensor)],
            &[],
            |_, _| {},
        )
    };
    if args.slice.is_none() {
        return Ok(write(tensor)?);
    }
    let copy = part.to_contiguous().map_err(tenfold::Error::from)?;
    Ok(write(&copy)?)
}
