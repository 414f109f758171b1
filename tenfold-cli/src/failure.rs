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
    /// The output of the command can't be written.
    #[error("cannot write to the standard output")]
    Stdout(#[source] io::Error),
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
