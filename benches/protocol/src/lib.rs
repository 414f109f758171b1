//! The line protocol between the benchmark driver and its peers.
//!
//! A peer is a small program around one inference engine. It is started as `peer THREADS [OPTION..]` and then reads
//! commands on standard input, one a line, and answers each with one line on standard output:
//!
//! | command | what the peer does | answer |
//! |---|---|---|
//! | `load CASE` | reads the case file, makes the model ready for these inputs | `ok LOAD_NS [COMPILE_NS]` |
//! | `check FILE` | runs once, writes the first output to the file as little-endian f32 | `ok RUN_NS SHAPE` |
//! | `run N` | runs once without counting it, then N times | `ok NS..` |
//!
//! Any failure is answered by `error TEXT`; the end of standard input ends the peer. A time of a run covers the call
//! and dropping its outputs, nothing else: inputs are made once, outputs are never copied.
//!
//! A case file is text, its fields separated by tabs: one line `model PATH`, and per input one line
//! `input NAME DTYPE SHAPE PATH` where the dtype is `f32` or `i32`, the shape is `1,3,48,320`, and the file holds the
//! row-major elements in little-endian bytes.
//!
//! Invariant: an engine is an [`Engine`] and nothing more, so that all engines are timed by the same lines of code.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A result whose error is told to the driver as text.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Row-major elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// f32 elements.
    F32(Vec<f32>),
    /// i32 elements.
    I32(Vec<i32>),
}

/// A named input tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The name in the model.
    pub name: String,
    /// Extents, outermost first.
    pub shape: Vec<usize>,
    /// As many elements as the shape says.
    pub elements: Elements,
}

/// What to run: a model and its inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The ONNX file.
    pub model: PathBuf,
    /// All inputs of the model.
    pub inputs: Vec<Input>,
}

/// How to run: the command line of the peer.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Threads that the engine may use.
    pub threads: usize,
    /// What else was asked for.
    pub options: Vec<String>,
}

/// What it took to make a model ready.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadyTimes {
    /// Reading and importing the file.
    pub load: Duration,
    /// Compiling for the shapes of the inputs; `None` where loading does it all.
    pub compile: Option<Duration>,
}

/// An output as the driver compares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Extents, outermost first.
    pub shape: Vec<usize>,
    /// Row-major elements.
    pub elements: Vec<f32>,
}

/// An engine with a model, ready to run.
pub trait Engine: Sized {
    /// What a run gives back, in the engine's own form.
    type Outputs;

    /// Makes the model ready.
    ///
    /// # Errors
    /// If the engine cannot run this model with these inputs.
    fn load(case: Case, setup: &Setup) -> Result<(Self, ReadyTimes)>;

    /// Runs once: what is timed.
    ///
    /// # Errors
    /// If the engine fails.
    fn run(&mut self) -> Result<Self::Outputs>;

    /// The first output, copied; not timed.
    ///
    /// # Errors
    /// If it is no f32 tensor.
    fn first_output(outputs: Self::Outputs) -> Result<Output>;
}

/// Answers commands until standard input ends: the whole `main` of a peer.
pub fn serve<E: Engine>() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let setup = match setup(&arguments) {
        Ok(setup) => setup,
        Err(error) => {
            eprintln!("error: {error}; usage: PEER THREADS [OPTION..], commands on standard input");
            return ExitCode::from(2);
        }
    };
    match answer_all::<E>(&setup, io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn setup(arguments: &[String]) -> Result<Setup> {
    let (threads, options) = arguments
        .split_first()
        .ok_or("the number of threads is missing")?;
    let threads = threads
        .parse()
        .map_err(|_| format!("{threads:?} is no number of threads"))?;
    Ok(Setup {
        threads,
        options: options.to_vec(),
    })
}

fn answer_all<E: Engine>(
    setup: &Setup,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut engine: Option<E> = None;
    for line in input.lines() {
        let answer = match answer(setup, &mut engine, &line?) {
            Ok(values) => format!("ok {values}"),
            Err(error) => format!("error {}", one_line(&*error)),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer<E: Engine>(setup: &Setup, engine: &mut Option<E>, line: &str) -> Result<String> {
    let (command, argument) = line
        .split_once(' ')
        .ok_or_else(|| format!("{line:?} is no command with an argument"))?;
    if command == "load" {
        let (loaded, times) = E::load(Case::read(Path::new(argument))?, setup)?;
        *engine = Some(loaded);
        let compile = times
            .compile
            .map_or(String::new(), |compile| format!(" {}", compile.as_nanos()));
        return Ok(format!("{}{compile}", times.load.as_nanos()));
    }
    let engine = engine
        .as_mut()
        .ok_or_else(|| format!("{command:?} before `load`"))?;
    match command {
        "check" => check(engine, Path::new(argument)),
        "run" => run(
            engine,
            argument
                .parse()
                .map_err(|_| format!("{argument:?} is no number of runs"))?,
        ),
        _ => Err(format!("there is no command {command:?}").into()),
    }
}

fn check<E: Engine>(engine: &mut E, file: &Path) -> Result<String> {
    let begin = Instant::now();
    let outputs = engine.run()?;
    let time = begin.elapsed();
    let Output { shape, elements } = E::first_output(outputs)?;
    let bytes: Vec<u8> = elements
        .iter()
        .flat_map(|element| element.to_le_bytes())
        .collect();
    fs::write(file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    Ok(format!("{} {}", time.as_nanos(), shape.join(",")))
}

fn run<E: Engine>(engine: &mut E, times: usize) -> Result<String> {
    drop(black_box(engine.run()?));
    let mut spent = Vec::with_capacity(times);
    for _ in 0..times {
        let begin = Instant::now();
        drop(black_box(engine.run()?));
        spent.push(begin.elapsed().as_nanos().to_string());
    }
    Ok(spent.join(" "))
}

/// The error with its causes, on one line.
fn one_line(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Case {
    /// Reads a case file and the files of its inputs.
    ///
    /// # Errors
    /// If a file cannot be read, or the case file is not of the form above.
    pub fn read(path: &Path) -> Result<Case> {
        let read =
            |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let text = String::from_utf8(read(path)?)?;
        let (mut model, mut inputs) = (None, Vec::new());
        for line in text.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["model", path] => model = Some(PathBuf::from(path)),
                ["input", name, dtype, shape, path] => {
                    inputs.push(Input::decode(name, dtype, shape, &read(Path::new(path))?)?);
                }
                _ => return Err(format!("{line:?} is no line of a case file").into()),
            }
        }
        Ok(Case {
            model: model.ok_or("the case file names no model")?,
            inputs,
        })
    }
}

impl Input {
    fn decode(name: &str, dtype: &str, shape: &str, bytes: &[u8]) -> Result<Input> {
        let shape: Vec<usize> = shape
            .split(',')
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?;
        let (words, rest) = bytes.as_chunks::<4>();
        let expected: usize = shape.iter().product();
        if words.len() != expected || !rest.is_empty() {
            return Err(format!(
                "input {name:?} of shape {shape:?} has {} bytes, expected {expected} x 4",
                bytes.len()
            )
            .into());
        }
        let elements = match dtype {
            "f32" => Elements::F32(words.iter().map(|word| f32::from_le_bytes(*word)).collect()),
            "i32" => Elements::I32(words.iter().map(|word| i32::from_le_bytes(*word)).collect()),
            other => {
                return Err(
                    format!("input {name:?} has dtype {other:?}, expected f32 or i32").into(),
                );
            }
        };
        Ok(Input {
            name: name.to_owned(),
            shape,
            elements,
        })
    }
}

#[cfg(test)]
mod tests;
