//! The commands, one module each, and what two of them share.
//!
//! Each module has `run(args)`, which does the work and returns the whole text for the standard output, so that a command
//! that fails has printed nothing.

pub(crate) mod bench;
pub(crate) mod convert;
pub(crate) mod devices;
pub(crate) mod inspect;
pub(crate) mod run;
pub(crate) mod tensor;

use std::path::Path;

use serde_json::Value;
use tenfold::{CompileOptions, CompiledFunction, DeviceChoice, Model, Specialisation};

use crate::args::{DeviceArg, DeviceArgs, FeedArgs};
use crate::failure::Failure;
use crate::feeds::Feeds;
use crate::statistics::timed;

/// A model that is ready to run on its inputs, and how long that took.
struct Ready {
    function: CompiledFunction,
    specialisation: Specialisation,
    feeds: Feeds,
    /// From the file to the imported graph.
    load_ms: f64,
    /// From the graph to the plan for the inputs' shapes, its constants packed. Drawing and reading inputs is not in it.
    compile_ms: f64,
}

impl Ready {
    fn new(path: &Path, device: DeviceArgs, feeds: &FeedArgs) -> Result<Self, Failure> {
        let (model, load_ms) = timed(|| Model::open(path));
        let model = model?;
        let (function, compile_ms) = timed(|| compile(&model, device));
        let function = function?;
        let feeds = Feeds::collect(function.inputs(), feeds)?;
        let (specialisation, specialise_ms) = timed(|| function.specialise(&feeds.as_refs()));
        Ok(Self {
            specialisation: specialisation?,
            function,
            feeds,
            load_ms,
            compile_ms: compile_ms + specialise_ms,
        })
    }

    /// Where it runs, for people.
    fn place(&self) -> String {
        let threads = self.function.threads();
        let plural = if threads == 1 { "" } else { "s" };
        format!("{}, {threads} thread{plural}", self.function.device_note())
    }
}

/// Compiles a model as the flags say.
fn compile(model: &Model, args: DeviceArgs) -> Result<CompiledFunction, Failure> {
    let options = CompileOptions {
        device: match args.device {
            DeviceArg::Auto => DeviceChoice::Auto,
            DeviceArg::Cpu => DeviceChoice::Cpu,
        },
        threads: args.threads.map(Into::into),
        memory_limit: args.memory_limit,
    };
    Ok(model.compile(&options)?)
}

/// JSON on lines of its own.
fn to_text(value: &Value) -> String {
    format!("{value:#}\n")
}
