//! One error for the facade; its sources say the details.

use std::path::PathBuf;

use thiserror::Error as ThisError;

use tensor_core::DType;

/// Why something of the facade failed.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A file that cannot be read.
    #[error("cannot read {path:?}: {source}", path = path.display().to_string())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is no model that can be imported.
    #[error(transparent)]
    Import(#[from] Box<onnx::OnnxError>),
    /// A graph that cannot be compiled for these shapes.
    #[error("cannot compile {function:?}: {source}")]
    Compile {
        /// The function.
        function: String,
        /// Why.
        source: Box<optimizer::OptimizeError>,
    },
    /// Another number of feeds than inputs.
    #[error("{function:?} has {expected} inputs ({inputs}), got {got} feeds")]
    FeedCount {
        /// The function.
        function: String,
        /// Its inputs with their types.
        inputs: String,
        /// Their number.
        expected: usize,
        /// The number of feeds.
        got: usize,
    },
    /// An op that does not suit its operands.
    #[error(transparent)]
    Op(Box<graph::GraphError>),
    /// An argument that makes no sense.
    #[error("{op}: {argument} = {value}: {reason}")]
    Argument {
        /// The op.
        op: &'static str,
        /// The argument.
        argument: &'static str,
        /// Its value.
        value: String,
        /// What it has to satisfy.
        reason: String,
    },
    /// A symbolic value that is asked for elements.
    #[error(
        "{op}: {value:?} is a symbolic value of the function {function:?} and has no elements; make it an output, compile the function and read what a run gives"
    )]
    Symbolic {
        /// What was asked.
        op: &'static str,
        /// Name of the value.
        value: String,
        /// Its function.
        function: String,
    },
    /// A value of one function in another.
    #[error(
        "{op}: {value:?} is a value of the function {function:?} and cannot be used in {expected:?}; feed it to an input instead"
    )]
    OtherFunction {
        /// The op.
        op: &'static str,
        /// Name of the value.
        value: String,
        /// Its function.
        function: String,
        /// The function that the op is recorded in.
        expected: String,
    },
    /// A function that cannot be compiled yet.
    #[error("function {function:?} is not complete: {what}")]
    Incomplete {
        /// The function.
        function: String,
        /// What is missing.
        what: String,
    },
    /// Two dtypes without a common one.
    #[error(transparent)]
    Promotion(#[from] tensor_core::PromotionError),
    /// An op that runs on the host and cannot take its inputs.
    #[error("{function:?}, node {node:?}: {source}")]
    Host {
        /// The function.
        function: String,
        /// The node.
        node: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A function that may not have the memory that it needs.
    #[error(
        "{function:?} needs {needed_bytes} bytes for intermediates and outputs at these input shapes, but the memory limit is {limit_bytes} bytes; raise the limit or run a smaller batch"
    )]
    MemoryLimit {
        /// The function.
        function: String,
        /// The arena, the outputs, and operands that a kernel repeats in memory.
        needed_bytes: usize,
        /// The limit of the options.
        limit_bytes: usize,
    },
    /// A device that failed or does not support a step.
    #[error("{device}: {source}")]
    Backend {
        /// The device.
        device: String,
        /// Why.
        source: Box<plan::BackendError>,
    },
    /// A tensor operation that failed.
    #[error(transparent)]
    Tensor(#[from] tensor::TensorError),
    /// A name that is no device.
    #[error("there is no device {name:?}; devices are auto and cpu")]
    UnknownDevice {
        /// The name.
        name: String,
    },
    /// Zero threads.
    #[error("threads = 0: at least one thread is needed; leave the option out to use every core")]
    NoThreads,
    /// A feed for an input that does not exist.
    #[error("there is no input {name:?}; the inputs are {inputs}")]
    UnknownInput {
        /// The name.
        name: String,
        /// All inputs with their types.
        inputs: String,
    },
    /// An input without a feed.
    #[error("input {name:?} ({ty}) was not fed")]
    MissingInput {
        /// The name.
        name: String,
        /// Its type.
        ty: String,
    },
    /// An input that was fed twice.
    #[error("input {name:?} was fed more than once")]
    DuplicateInput {
        /// The name.
        name: String,
    },
    /// A feed of the wrong dtype.
    #[error("input {name:?} is {expected}, but a tensor of {got} was fed; cast it first")]
    InputDType {
        /// The input.
        name: String,
        /// Its type.
        expected: String,
        /// dtype of the feed.
        got: DType,
    },
    /// A file of tensors that can't be written.
    #[error(transparent)]
    File(Box<tensor_io::FileError>),
    /// A dump whose name says no format that it can have.
    #[error("{path:?} ends with no format of a dump; .tensors, .safetensors or .npz are", path = path.display().to_string())]
    DumpFormat {
        /// The file.
        path: PathBuf,
    },
    /// A dump of nothing.
    #[error(
        "no value of {function:?} has a name that matches {pattern:?}; `*` stands for any text, and the import stage lists the names"
    )]
    DumpNothing {
        /// What names were compared with.
        pattern: String,
        /// The function.
        function: String,
    },
    /// A feed of the wrong shape.
    #[error(transparent)]
    InputShape(Box<graph::GraphError>),
}
