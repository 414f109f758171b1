//! Why a command did not do its work.
//!
//! The text of a failure is one sentence that says what to do where the command line can help; [`Failure::report`] adds
//! the chain of causes, one a line.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use thiserror::Error;

/// Every failure but a wrong command line ends the program with exit code 1.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The library refuses or fails.
    #[error(transparent)]
    Library(Box<tenfold::Error>),
    /// A file of tensors can't be read or written.
    #[error(transparent)]
    File(#[from] tensor_io::FileError),
    /// Inputs that no flag gives.
    #[error("inputs without a value: {}; give each with --input NAME=FILE.npy or --inputs FILE.npz, or have them drawn with --random SEED", .missing.join(", "))]
    MissingInputs {
        /// Name and type of each.
        missing: Vec<String>,
    },
    /// A tensor for no input of the model.
    #[error("there is no input {input:?}; inputs: {}", .inputs.join(", "))]
    NoSuchInput {
        /// The name that was given.
        input: String,
        /// Name and type of each input.
        inputs: Vec<String>,
    },
    /// Two flags, or one npz file, give the same input.
    #[error(
        "the input {input:?} is given twice: leave out one --input, or take it out of the --inputs file"
    )]
    InputTwice {
        /// Its name.
        input: String,
    },
    /// An input can't be drawn since extents are open.
    #[error("the input {input} has open dimensions: add {}", .flags.join(" "))]
    OpenDims {
        /// Name and type.
        input: String,
        /// The flags that would close them.
        flags: Vec<String>,
    },
    /// A `--dim` that names neither a symbol nor an axis of the inputs.
    #[error("--dim {dim}: no input has such a dimension; inputs: {}", .inputs.join(", "))]
    NoSuchDim {
        /// The name that was given.
        dim: String,
        /// Name and type of each input.
        inputs: Vec<String>,
    },
    /// A `--dim` for an axis that is no symbol.
    #[error(
        "--dim {dim}={extent}: this dimension is {declared} in the input {input} and cannot be chosen"
    )]
    DimFixed {
        /// The name that was given.
        dim: String,
        /// The extent that was given.
        extent: usize,
        /// What the model says.
        declared: String,
        /// Name and type of the input.
        input: String,
    },
    /// Two extents for one dimension.
    #[error(
        "--dim {dim}={extent}: another --dim or the shape of a given input says that it is {bound}"
    )]
    DimConflict {
        /// The name that was given.
        dim: String,
        /// The extent that was given.
        extent: usize,
        /// The extent that it has already.
        bound: usize,
    },
    /// An input that is drawn does not fit into memory.
    #[error("the input {input:?} cannot be drawn")]
    Draw {
        /// Its name.
        input: String,
        /// Why.
        source: tenfold::tensor::TensorError,
    },
    /// Names of tensors that a file does not have.
    #[error(
        "{file}: there is no tensor {}; `tenfold tensor` lists the {count} that there are", .missing.join(", ")
    )]
    NoSuchTensors {
        /// The file.
        file: String,
        /// Each name, with the nearest ones.
        missing: Vec<String>,
        /// How many tensors there are.
        count: usize,
    },
    /// A file of many tensors, and no name.
    #[error("{file}: there are {count} tensors; name the one that is meant: {names}")]
    WhichTensor {
        /// The file.
        file: String,
        /// How many there are.
        count: usize,
        /// The names, or the first of them.
        names: String,
    },
    /// Elements that no tensor can hold yet.
    #[error(
        "{file}: the values of {name:?} can't be shown or written yet: they are stored as {element}, which is not decoded"
    )]
    NoValues {
        /// The file.
        file: String,
        /// The tensor.
        name: String,
        /// The block format.
        element: String,
    },
    /// A slice with more items than the tensor has axes.
    #[error("--slice {slice} is for {count} axes, the shape {shape:?} has {}", .shape.len())]
    SliceRank {
        /// As it was written.
        slice: String,
        /// How many axes it names.
        count: usize,
        /// The tensor's extents.
        shape: Vec<usize>,
    },
    /// An index that an axis does not have.
    #[error("--slice {slice}: there is no index {index} on axis {axis} of shape {shape:?}{}", indices(.shape[*.axis]))]
    SliceIndex {
        /// As it was written.
        slice: String,
        /// The index.
        index: isize,
        /// The axis of the tensor.
        axis: usize,
        /// The tensor's extents.
        shape: Vec<usize>,
    },
    /// A histogram of what has no order.
    #[error("--hist: the complex numbers of {name:?} have no order, so there are no bins for them")]
    NoOrder {
        /// The tensor.
        name: String,
    },
    /// A file is in the way.
    #[error("{file} exists; --force replaces it")]
    TargetExists {
        /// The file.
        file: String,
    },
    /// A folder is in the way.
    #[error("{file} is a folder; name a file")]
    TargetIsFolder {
        /// The folder.
        file: String,
    },
    /// Tensors that the format can't hold.
    #[error("{file} was not written: {}", .problems.join("; "))]
    CannotCarry {
        /// The file that was not written.
        file: String,
        /// Each reason, with the tensors that it is one for.
        problems: Vec<String>,
    },
    /// A trace can't be written.
    #[cfg(feature = "tracing")]
    #[error(transparent)]
    Trace(#[from] tenfold::trace::TraceError),
    /// A build that can't trace.
    #[cfg(not(feature = "tracing"))]
    #[error(
        "--trace: this build of tenfold cannot trace; build it with `--features tracing`, as in `cargo install --path tenfold-cli --features tracing`"
    )]
    NoTracing,
    /// The output of the command can't be written.
    #[error("cannot write to the standard output")]
    Stdout(#[source] io::Error),
}

/// The indices that an axis has, for the end of a sentence.
fn indices(extent: usize) -> String {
    match extent {
        0 => ", which is empty".to_owned(),
        _ => format!("; its indices are -{extent} to {}", extent - 1),
    }
}

impl From<tenfold::Error> for Failure {
    fn from(error: tenfold::Error) -> Self {
        Self::Library(Box::new(error))
    }
}

impl Failure {
    /// `error: ` and the sentence, then each cause on a line of its own, unless the sentence before it says it already.
    pub(crate) fn report(&self) -> String {
        let mut sentence = self.to_string();
        let mut text = format!("error: {sentence}\n");
        let mut cause = self.source();
        while let Some(error) = cause {
            let said = error.to_string();
            if !sentence.contains(&said) {
                // Writing to a string cannot fail.
                let _infallible = writeln!(text, "  caused by: {said}");
            }
            sentence = said;
            cause = error.source();
        }
        text
    }
}
