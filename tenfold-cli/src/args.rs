//! The command line as types.
//!
//! Names, flags and their meaning are an interface that other programs call, as are the keys of `--json`: extend them,
//! do not change them. What can be wrong without looking at a model (a number that is none, `--threads 0`, flags that
//! exclude each other) is a usage error and ends with exit code 2; everything else ends with 1.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use tenfold::DType;
use tensor_io::FileFormat;

use crate::feeds::{DimArg, InputArg};
use crate::slice::SliceArg;
use crate::target::TargetArg;

/// Inspect, run and measure ONNX models; look into files of tensors and convert them.
#[derive(Debug, Parser)]
#[command(
    name = "tenfold",
    version,
    about = "Inspect, run and measure ONNX models; look into files of tensors and convert them.",
    after_help = "Example: tenfold run model.onnx --random 1 --dim batch=8"
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Write what was done when to this file, for ui.perfetto.dev or chrome://tracing. Needs a build with
    /// `--features tracing`.
    #[arg(long, global = true, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say what is in a file: the inputs, outputs, ops and parameters of a model and what is not supported of it, or the
    /// tensors of a file of tensors.
    #[command(after_help = "Example: tenfold inspect model.onnx")]
    Inspect(InspectArgs),
    /// Run a model once and show its outputs, or print a stage of its compilation.
    #[command(
        after_help = "Example: tenfold run model.onnx --input image=cat.npy --outputs out.npz"
    )]
    Run(RunArgs),
    /// Measure a model: load, compile, first run, percentiles of the following runs, memory.
    #[command(
        after_help = "Example: tenfold bench model.onnx --random 1 --dim batch=1 --iters 200 --threads 4"
    )]
    Bench(BenchArgs),
    /// Show a tensor of a file: its values, a part of them, statistics, a histogram; or write it to a file of its own.
    #[command(
        after_help = "Example: tenfold tensor weights.safetensors conv1.weight --slice 0:2,...,-1 --stats"
    )]
    Tensor(TensorArgs),
    /// Write the tensors of a file to a file of another format.
    #[command(after_help = "Example: tenfold convert weights.safetensors weights.npz --dtype f32")]
    Convert(ConvertArgs),
    /// List the devices that models can run on.
    #[command(after_help = "Example: tenfold devices --json")]
    Devices(DevicesArgs),
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// An ONNX model, or a file of tensors: container, safetensors (or its index of shards), GGUF, npy, npz. The contents
    /// tell which, not the name.
    pub(crate) file: PathBuf,
    /// Print JSON instead of tables, with the metadata whole.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TensorArgs {
    /// A file of tensors: container, safetensors (or its index of shards), GGUF, npy, npz.
    pub(crate) file: PathBuf,
    /// The tensor. Without a name the tensors are listed, unless there is only one.
    pub(crate) name: Option<String>,
    /// Only this part, as numpy has it: an index or a range for each axis, with commas between them. An index drops its
    /// axis, and ... stands for the axes that are left.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    pub(crate) slice: Option<SliceArg>,
    /// Show count, minimum, maximum, mean, standard deviation, and how many are NaN, infinite or zero, and no values.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Show how the values are spread over up to 16 bins, and no values.
    #[arg(long)]
    pub(crate) hist: bool,
    /// Write the tensor, or the slice of it, to this file, whose ending is the format: .tensors, .safetensors, .npz, .npy.
    #[arg(long, value_name = "OUT")]
    pub(crate) save: Option<TargetArg>,
    /// Let --save replace a file.
    #[arg(long, requires = "save")]
    pub(crate) force: bool,
    /// Print JSON instead of text; values are in it up to 1,000 elements, null for NaN and infinities.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// A file of tensors: container, safetensors (or its index of shards), GGUF, npy, npz.
    pub(crate) input: PathBuf,
    /// The new file, whose ending is the format: .tensors, .safetensors, .npz, or .npy for one tensor.
    pub(crate) output: TargetArg,
    /// Take only the tensors of these names.
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub(crate) only: Vec<String>,
    /// Convert the elements: f32, f64, f16, bf16, i8 to i64, u8 to u64, bool, c32, c64.
    #[arg(long, value_name = "DTYPE", value_parser = preset)]
    pub(crate) dtype: Option<DType>,
    /// Replace the output file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON instead of a line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The model, an ONNX file.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) feeds: FeedArgs,
    #[command(flatten)]
    pub(crate) device: DeviceArgs,
    /// Write every output under its own name into this npz file, which numpy opens.
    #[arg(long, value_name = "FILE.npz")]
    pub(crate) outputs: Option<PathBuf>,
    /// Compute the intermediate values too and write them, under the names of the model, into this file, whose ending is
    /// the format: .tensors, .safetensors, .npz. Says which value is the first with NaN.
    #[arg(long, value_name = "FILE", value_parser = dump_target)]
    pub(crate) dump: Option<TargetArg>,
    /// Which values --dump writes.
    #[arg(long, value_name = "WHEN", default_value = "always", requires = "dump")]
    pub(crate) dump_when: DumpWhenArg,
    /// Dump only values whose name matches; * stands for any text.
    #[arg(long, value_name = "NAME", requires = "dump")]
    pub(crate) dump_names: Option<String>,
    /// Print this stage of the compilation and do not run. `import` and `canonical` need no inputs; of the inputs of
    /// the others only the shapes matter, so `--dim` is enough.
    #[arg(long, value_name = "STAGE", conflicts_with_all = ["json", "outputs", "dump"])]
    pub(crate) emit: Option<StageArg>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The model, an ONNX file.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) feeds: FeedArgs,
    #[command(flatten)]
    pub(crate) device: DeviceArgs,
    /// How many runs are measured.
    #[arg(long, value_name = "N", default_value = "50", value_parser = positive)]
    pub(crate) iters: NonZeroUsize,
    /// How many runs go before them, after the first run.
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) warmup: usize,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    /// Print JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where the inputs of a run come from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FeedArgs {
    /// An input from an npy file; once for each input.
    #[arg(long = "input", value_name = "NAME=FILE.npy")]
    pub(crate) input: Vec<InputArg>,
    /// Inputs from the arrays of an npz file, by name.
    #[arg(long, value_name = "FILE.npz")]
    pub(crate) inputs: Option<PathBuf>,
    /// Draw the inputs that are not given: floats from [0, 1), integers from 0 to 255, bools. The same seed gives the
    /// same values everywhere.
    #[arg(long, value_name = "SEED")]
    pub(crate) random: Option<u64>,
    /// Extent of a symbolic dimension of a drawn input; a dimension without a name is called INPUT.AXIS, as in x.3=320.
    #[arg(long = "dim", value_name = "NAME=N")]
    pub(crate) dim: Vec<DimArg>,
}

/// Where and how a model runs.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DeviceArgs {
    /// The device; `tenfold devices` lists them.
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    /// Threads on the CPU; by default one for each core that the process may use.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Bytes that intermediates and outputs may take; by default as many as there are.
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory_limit: Option<usize>,
}

/// A number of things of which there must be one.
fn positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "expected a whole number, 1 or more".to_owned())
}

/// A file that many tensors go to.
fn dump_target(text: &str) -> Result<TargetArg, String> {
    let target: TargetArg = text.parse()?;
    if target.format == FileFormat::Npy {
        return Err(
            "a npy file holds one tensor; choose .tensors, .safetensors or .npz".to_owned(),
        );
    }
    Ok(target)
}

/// A dtype that files can hold.
fn preset(text: &str) -> Result<DType, String> {
    let dtype: Option<DType> = text.parse().ok();
    dtype.filter(|dtype| !dtype.is_external()).ok_or_else(|| {
        "expected f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, c32 or c64"
            .to_owned()
    })
}

/// The devices that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceArg {
    Auto,
    Cpu,
}

/// Which of the values that were computed a dump writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpWhenArg {
    /// All of them.
    #[default]
    Always,
    /// Those with NaN or infinite elements.
    Abnormal,
    /// Those with NaN.
    Nan,
}

/// The stages of a compilation, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StageArg {
    Import,
    Canonical,
    Fused,
    Planned,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<CommandLine, clap::error::ErrorKind> {
        let words = std::iter::once("tenfold").chain(line.split_whitespace());
        CommandLine::try_parse_from(words).map_err(|error| error.kind())
    }

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn flags_of_run_reach_their_fields() {
        let line = "run m.onnx --input a=b.npy --input c=d.npy --inputs e.npz --random 7 --dim N=2 --dim x.3=320 \
                    --device cpu --threads 3 --outputs o.npz --json";
        let Command::Run(run) = parse(line).unwrap().command else {
            panic!("not run")
        };
        assert_eq!(run.feeds.input.len(), 2);
        assert_eq!(
            (run.feeds.random, run.feeds.inputs),
            (Some(7), Some("e.npz".into()))
        );
        assert_eq!(run.feeds.dim.len(), 2);
        assert_eq!(
            (run.device.device, run.device.threads.map(NonZeroUsize::get)),
            (DeviceArg::Cpu, Some(3))
        );
        assert_eq!(
            (run.outputs, run.emit, run.json),
            (Some("o.npz".into()), None, true)
        );
    }

    #[test]
    fn flags_of_files_reach_their_fields() {
        let line = "tensor a.npz w --slice -1,:-2 --stats --hist --save b.npy --force";
        let Command::Tensor(tensor) = parse(line).unwrap().command else {
            panic!("not tensor")
        };
        assert_eq!(tensor.name.as_deref(), Some("w"));
        assert_eq!(tensor.slice.unwrap().to_string(), "-1,:-2");
        assert_eq!(tensor.save.unwrap().path, PathBuf::from("b.npy"));
        assert!(tensor.stats && tensor.hist && tensor.force && !tensor.json);
        let line = "convert a.npz b.tensors --only x y --dtype f16 --only z";
        let Command::Convert(convert) = parse(line).unwrap().command else {
            panic!("not convert")
        };
        assert_eq!(convert.only, ["x", "y", "z"]);
        assert_eq!((convert.dtype, convert.force), (Some(DType::F16), false));
    }

    #[test]
    fn bench_has_its_defaults() {
        let Command::Bench(bench) = parse("bench m.onnx").unwrap().command else {
            panic!("not bench")
        };
        assert_eq!((bench.iters.get(), bench.warmup), (50, 5));
        assert_eq!(
            (bench.device.device, bench.device.threads),
            (DeviceArg::Auto, None)
        );
    }

    #[test]
    fn what_no_model_can_mend_is_a_usage_error() {
        use clap::error::ErrorKind::{
            ArgumentConflict, InvalidSubcommand, InvalidValue, MissingRequiredArgument,
            UnknownArgument, ValueValidation,
        };
        for (line, kind) in [
            ("run m.onnx --threads 0", ValueValidation),
            ("run m.onnx --threads many", ValueValidation),
            ("bench m.onnx --iters 0", ValueValidation),
            ("run m.onnx --random -1", UnknownArgument),
            ("run m.onnx --device gpu", InvalidValue),
            ("run m.onnx --emit glsl", InvalidValue),
            ("run m.onnx --input x", ValueValidation),
            ("run m.onnx --input x=", ValueValidation),
            ("run m.onnx --input =f.npy", ValueValidation),
            ("run m.onnx --dim N", ValueValidation),
            ("run m.onnx --dim N=-1", ValueValidation),
            ("run m.onnx --dim =3", ValueValidation),
            ("run m.onnx --emit import --json", ArgumentConflict),
            ("run m.onnx --emit import --outputs o.npz", ArgumentConflict),
            ("run m.onnx --dump d.npy", ValueValidation),
            ("run m.onnx --dump d", ValueValidation),
            ("run m.onnx --dump d.npz --dump-when never", InvalidValue),
            ("run m.onnx --dump-when nan", MissingRequiredArgument),
            ("run m.onnx --dump-names a", MissingRequiredArgument),
            ("run m.onnx --emit import --dump d.npz", ArgumentConflict),
            ("tensor a.npy --slice 1:2:0", ValueValidation),
            ("tensor a.npy --save b.gguf", ValueValidation),
            ("tensor a.npy --force", MissingRequiredArgument),
            ("convert a.npz b", ValueValidation),
            ("convert a.npz b.npz --dtype f8", ValueValidation),
            ("convert a.npz", MissingRequiredArgument),
            ("run", MissingRequiredArgument),
            ("inspect", MissingRequiredArgument),
            ("explain m.onnx", InvalidSubcommand),
        ] {
            assert_eq!(parse(line).unwrap_err(), kind, "{line}");
        }
    }
}
