//! `tenfold convert`: the tensors of a file in another format.
//!
//! Everything that the new file can't hold is found from the headers, before a tensor is read and before anything is written.
//! Tensors are carried over one by one, so that files larger than memory convert too: a tensor stays where it lies in the old
//! file until it is written; only one that is cast, or that lies in an archive, takes memory, for as long as it is written.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use serde_json::{Value, json};
use tenfold::{DType, Tensor};
use tensor_io::{ElementFormat, Entry, FileFormat, Planned, TensorFile, save_each};

use super::inspect::tensors::typed_metadata;
use super::tensor::read;
use super::to_text;
use crate::args::ConvertArgs;
use crate::failure::Failure;
use crate::names;
use crate::statistics::timed;
use crate::table::{bytes, counted, number};

/// Writes the new file and says how much and how fast.
pub(crate) fn run(args: &ConvertArgs) -> Result<String, Failure> {
    args.output.check_free(args.force)?;
    let mut file = TensorFile::open(&args.input)?;
    let entries: Vec<Entry> = if args.only.is_empty() {
        file.entries().to_vec()
    } else {
        let path = args.input.display().to_string();
        let chosen = names::select(&path, file.entries(), &args.only)?;
        chosen.into_iter().cloned().collect()
    };
    check(args, &entries)?;
    let metadata: Vec<(String, String)> = typed_metadata(&file)
        .into_iter()
        .map(|(key, value)| (key, text(value)))
        .collect();
    let (written, ms) = timed(|| write(args, &mut file, &entries, &metadata));
    let done = Done {
        format: args.output.format,
        tensors: entries.len(),
        bytes: written?,
        seconds: ms / 1e3,
        metadata: metadata.len(),
    };
    Ok(if args.json {
        to_text(&done.to_json(args))
    } else {
        done.to_text(args)
    })
}

/// A value of metadata as a text: texts as they are, all else as JSON.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Finds everything that the new file can't hold.
fn check(args: &ConvertArgs, entries: &[Entry]) -> Result<(), Failure> {
    let format = args.output.format;
    // Each reason once, with all tensors that it is one for.
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for entry in entries {
        let Some(reason) = obstacle(entry, args.dtype, format) else {
            continue;
        };
        let name = format!("{:?}", entry.name);
        match found.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => found.push((reason, vec![name])),
        }
    }
    let mut problems: Vec<String> = found
        .into_iter()
        .map(|(reason, names)| format!("{reason}: {}", names.join(", ")))
        .collect();
    if format == FileFormat::Npy && entries.len() != 1 {
        problems.push(format!(
            "npy holds one tensor, and there are {}: choose one with --only, or .npz",
            entries.len()
        ));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure::CannotCarry {
        file: args.output.name(),
        problems,
    })
}

/// Why a tensor can't be carried over.
fn obstacle(entry: &Entry, cast: Option<DType>, format: FileFormat) -> Option<String> {
    let ElementFormat::DType(from) = entry.format else {
        return Some(format!(
            "{} is not decoded yet, so these can't be converted",
            entry.format
        ));
    };
    let to = cast.unwrap_or(from);
    if from.is_complex() && !to.is_complex() && !to.is_bool() {
        return Some(format!("{from} can't become {to}"));
    }
    (!format.holds(to)).then(|| {
        let wider = if to.is_complex() { "c32" } else { "f32" };
        format!("{format} has no {to}, for which --dtype {wider} would do")
    })
}

/// Reads, casts and writes, one tensor at a time; the bytes of all tensors as they were written.
fn write(
    args: &ConvertArgs,
    file: &mut TensorFile,
    entries: &[Entry],
    metadata: &[(String, String)],
) -> Result<u64, Failure> {
    let dtype = |entry: &Entry| args.dtype.or(entry.format.dtype());
    let plan: Vec<Planned<'_>> = entries
        .iter()
        .filter_map(|entry| {
            // `check` has refused what has no dtype.
            Some(Planned {
                name: &entry.name,
                dtype: dtype(entry)?,
                shape: &entry.shape,
            })
        })
        .collect();
    let texts: Vec<(&str, &str)> = metadata
        .iter()
        .filter(|_| args.output.format.holds_metadata())
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let bar = progress_bar();
    let mut written = 0;
    save_each(
        &args.output.path,
        args.output.format,
        &plan,
        &texts,
        |name| converted(file, name, args.dtype),
        |done, total| {
            written = done;
            bar.set_length(total);
            bar.set_position(done);
        },
    )?;
    bar.finish_and_clear();
    Ok(written)
}

/// The tensor called `name`, in the dtype that was asked for.
fn converted(file: &mut TensorFile, name: &str, dtype: Option<DType>) -> Result<Tensor, Failure> {
    let tensor = read(file, name)?;
    match dtype {
        Some(dtype) if dtype != tensor.dtype() => {
            Ok(tensor.cast(dtype).map_err(tenfold::Error::from)?)
        }
        _ => Ok(tensor),
    }
}

/// A bar on the standard error, if a person may be looking at it. It is gone when the command ends.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_finish(ProgressFinish::AndClear);
    let template = "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("█▉▊▋▌▍▎▏ ")),
        Err(_) => bar,
    }
}

/// What was done.
#[derive(Debug)]
struct Done {
    format: FileFormat,
    tensors: usize,
    bytes: u64,
    seconds: f64,
    metadata: usize,
}

impl Done {
    /// Metadata pairs that are in the new file, and those that it has no place for.
    fn metadata(&self) -> (usize, usize) {
        if self.format.holds_metadata() {
            (self.metadata, 0)
        } else {
            (0, self.metadata)
        }
    }

    fn gb_per_s(&self) -> f64 {
        self.bytes as f64 / self.seconds.max(1e-9) / 1e9
    }

    fn to_text(&self, args: &ConvertArgs) -> String {
        let left_out = match self.metadata() {
            (_, 0) => String::new(),
            (_, count) => format!(
                "; without metadata ({count}), for which {} has no place",
                self.format
            ),
        };
        format!(
            "{}: {}, {} in {:.3} s, {} GB/s{left_out}\n",
            args.output.name(),
            counted(self.tensors as u64, "tensor"),
            bytes(self.bytes),
            self.seconds,
            number((self.gb_per_s() * 1e3).round() / 1e3),
        )
    }

    fn to_json(&self, args: &ConvertArgs) -> Value {
        let (kept, left_out) = self.metadata();
        json!({
            "input": args.input.display().to_string(),
            "output": args.output.name(),
            "format": self.format.to_string(),
            "tensors": self.tensors,
            "bytes": self.bytes,
            "seconds": self.seconds,
            "gb_per_s": self.gb_per_s(),
            "metadata_kept": kept,
            "metadata_left_out": left_out,
        })
    }
}
