//! Errors of reading a model: what made the bytes no model, or every problem of the model at once.

use std::fmt;
use std::sync::Arc;

use graph::InferError;
use thiserror::Error;

/// Why a file cannot be imported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// The bytes are no protobuf message of the ONNX format, or are cut short.
    #[error("{file}: not an ONNX file, or one that is cut short: {reason}")]
    Malformed {
        /// Name of the file.
        file: String,
        /// Where and why reading stopped.
        reason: String,
    },
    /// The file would take far more memory than its size can explain.
    #[error(
        "{file}: reading its {file_bytes} bytes would take more than {limit_bytes} bytes of memory; the file is damaged or made to exhaust memory"
    )]
    TooCostly {
        /// Name of the file.
        file: String,
        /// Size of the file.
        file_bytes: usize,
        /// The memory that a file of this size may take.
        limit_bytes: usize,
    },
    /// The message has no graph: another kind of protobuf file, or an empty one.
    #[error(
        "{file}: holds no graph; it is empty or another kind of protobuf file than an ONNX model"
    )]
    NoGraph {
        /// Name of the file.
        file: String,
    },
    /// The model was read, and these parts of it are wrong or not supported.
    #[error("{}", Listed(file, problems, *more))]
    Problems {
        /// Name of the file.
        file: String,
        /// Every problem, one per kind of problem and op.
        problems: Vec<Problem>,
        /// Problems beyond those listed, if there were too many to keep.
        more: usize,
    },
}

impl OnnxError {
    /// The problems of a model; empty for bytes that are no model.
    pub fn problems(&self) -> &[Problem] {
        match self {
            OnnxError::Problems { problems, .. } => problems,
            OnnxError::Malformed { .. }
            | OnnxError::TooCostly { .. }
            | OnnxError::NoGraph { .. } => &[],
        }
    }
}

/// Problems that the text of an error lists before it only counts.
const LISTED: usize = 20;

struct Listed<'a>(&'a str, &'a [Problem], usize);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listed(file, problems, more) = self;
        let total = problems.len() + more;
        if let ([only], 0) = (problems, more) {
            return only.fmt(f);
        }
        write!(f, "{file}: {total} problems")?;
        for problem in problems.iter().take(LISTED) {
            write!(f, "\n  {problem}")?;
        }
        if total > LISTED {
            write!(f, "\n  and {} more", total - LISTED.min(problems.len()))?;
        }
        Ok(())
    }
}

/// One thing that is wrong with a model, or that is not supported.
///
/// The same problem at several nodes of one op type is one `Problem` with a `count`.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Name of the file.
    pub file: Arc<str>,
    /// Where; for a problem of several nodes, the first of them.
    pub place: Place,
    /// What.
    pub kind: ProblemKind,
    /// Number of places.
    pub count: usize,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.place)?;
        if self.count > 1 {
            write!(f, " and {} more", self.count - 1)?;
        }
        write!(
            f,
            "{}{}",
            if self.place == Place::Model { "" } else { ": " },
            self.kind
        )
    }
}

/// Where in a model a problem is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// The model as a whole.
    Model,
    /// An input of the graph.
    Input {
        /// Its name.
        name: String,
    },
    /// An output of the graph.
    Output {
        /// Its name.
        name: String,
    },
    /// An initializer of the graph.
    Initializer {
        /// Its name.
        name: String,
    },
    /// A node.
    Node {
        /// Its name, or `Op_index` if it has none.
        name: String,
        /// Its position in the file; in its own subgraph, if it is in one.
        index: usize,
        /// Its op type.
        op_type: String,
        /// Domain of the op; empty for the default domain.
        domain: String,
        /// Version of the domain's operator set that the model imports; 0 if it imports none.
        opset: i64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Model => Ok(()),
            Place::Input { name } => write!(f, "input {name:?}"),
            Place::Output { name } => write!(f, "output {name:?}"),
            Place::Initializer { name } => write!(f, "initializer {name:?}"),
            Place::Node {
                name,
                index,
                op_type,
                domain,
                ..
            } => {
                let dot = if domain.is_empty() { "" } else { "." };
                write!(f, "{name:?} ({domain}{dot}{op_type}, node {index})")
            }
        }
    }
}

/// What is wrong or not supported.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// An op that is not supported.
    #[error(
        "the op {op_type} of {} opset {opset} is not supported",
        domain_text(domain)
    )]
    UnsupportedOp {
        /// The op.
        op_type: String,
        /// Its domain.
        domain: String,
        /// The domain's opset in this model.
        opset: i64,
    },
    /// An op that the model's opset does not have, or has in a form that is not followed.
    #[error(
        "the op {op_type} is supported from opset {since} on, but the model imports opset {opset}; export the model with opset {since} or newer"
    )]
    OpTooNew {
        /// The op.
        op_type: String,
        /// First opset in which it is supported.
        since: i64,
        /// The opset that the model imports.
        opset: i64,
    },
    /// A call of a function that the model defines.
    #[error(
        "calls the function {op_type}, which the model defines; functions in models are not supported, inline them when exporting"
    )]
    LocalFunction {
        /// The function.
        op_type: String,
    },
    /// An opset that is not supported.
    #[error(
        "imports opset {opset} of {}; opsets {oldest} to {newest} are supported",
        domain_text(domain)
    )]
    UnsupportedOpset {
        /// The domain.
        domain: String,
        /// Its version in this model.
        opset: i64,
        /// Oldest supported version.
        oldest: i64,
        /// Newest supported version.
        newest: i64,
    },
    /// No opset of a domain that nodes use.
    #[error("the model imports no opset of {}", domain_text(domain))]
    MissingOpset {
        /// The domain.
        domain: String,
    },
    /// An attribute that the op does not have.
    #[error("attribute {name:?} is not one of {op_type} in opset {opset}")]
    UnknownAttribute {
        /// The attribute.
        name: String,
        /// The op.
        op_type: String,
        /// The opset.
        opset: i64,
    },
    /// An attribute that must be there.
    #[error("attribute {name:?} is missing")]
    MissingAttribute {
        /// The attribute.
        name: &'static str,
    },
    /// An attribute of another type than the op's.
    #[error("attribute {name:?} must be {expected}")]
    AttributeType {
        /// The attribute.
        name: &'static str,
        /// Its right type.
        expected: &'static str,
    },
    /// A value of an attribute that is wrong or not supported.
    #[error("attribute {name:?} = {value}: {reason}")]
    Attribute {
        /// The attribute.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Too few or too many inputs.
    #[error("has {got} inputs; {op_type} takes {expected}")]
    InputCount {
        /// The op.
        op_type: String,
        /// What it takes.
        expected: String,
        /// What it has.
        got: usize,
    },
    /// A required input that is left out.
    #[error("input {index} is required but left out")]
    MissingInput {
        /// Position of the input.
        index: usize,
    },
    /// An input that this importer needs to know before the run.
    #[error("input {index} ({name:?}): {reason}")]
    InputValue {
        /// Position of the input.
        index: usize,
        /// Its name.
        name: String,
        /// What it has to be.
        reason: String,
    },
    /// A name that nothing defines.
    #[error("{name:?} is defined nowhere: no input, initializer or node output has this name")]
    Undefined {
        /// The name.
        name: String,
    },
    /// Nodes that need each other's results.
    #[error("the nodes need each other's results: {}", path.join(" -> "))]
    Cycle {
        /// Names of values around the cycle; the first is the last.
        path: Vec<String>,
    },
    /// A name that is defined twice.
    #[error("{name:?} is defined twice; names of values are unique in a graph")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// An output that the op can give but that is not supported, or that it does not have.
    #[error("output {index} ({name:?}) is used, but it is not supported")]
    UnsupportedOutput {
        /// Position of the output.
        index: usize,
        /// Its name.
        name: String,
    },
    /// An element type that is not supported.
    #[error("has element type {element}, which is not supported")]
    UnsupportedElement {
        /// Name of the element type.
        element: String,
    },
    /// A type that is not a tensor's, or a shape that is not declared.
    #[error("{reason}")]
    InputType {
        /// What is wrong.
        reason: String,
    },
    /// A tensor in the file that is malformed or not supported.
    #[error(transparent)]
    Tensor(#[from] TensorProblem),
    /// Inputs that do not suit the op.
    #[error(transparent)]
    Infer(#[from] InferError),
    /// A result whose rank or extents are too large to follow.
    #[error("the result {name:?} has {what}")]
    TooLarge {
        /// The value.
        name: String,
        /// What is too large.
        what: String,
    },
}

fn domain_text(domain: &str) -> String {
    if domain.is_empty() {
        "the default domain".to_owned()
    } else {
        format!("domain {domain:?}")
    }
}

/// What is wrong with a tensor that is stored in the file.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TensorProblem {
    /// An element type that is not supported.
    #[error("the tensor has element type {element}, which is not supported")]
    Element {
        /// Name of the element type.
        element: String,
    },
    /// A negative extent, or more elements than memory can hold.
    #[error("the tensor has the impossible shape {dims:?}")]
    Shape {
        /// The extents.
        dims: Vec<i64>,
    },
    /// Data that does not fill the shape.
    #[error(
        "the tensor's shape {dims:?} of {element} needs {expected} {unit}, but the file holds {got}"
    )]
    Length {
        /// The extents.
        dims: Vec<i64>,
        /// Name of the element type.
        element: String,
        /// What the shape needs.
        expected: usize,
        /// What is there.
        got: usize,
        /// Of what: `bytes`, or the name of the list.
        unit: &'static str,
    },
    /// A number that the element type cannot hold.
    #[error("the tensor holds {value}, which is no {element}")]
    Range {
        /// The number.
        value: i64,
        /// Name of the element type.
        element: String,
    },
    /// Data in another file.
    #[error(
        "the tensor's data is in another file ({location:?}); external data is not supported, save the model in one file"
    )]
    External {
        /// The other file.
        location: String,
    },
    /// A segmented or sparse tensor.
    #[error("the tensor is {what}, which is not supported")]
    Kind {
        /// What it is.
        what: &'static str,
    },
}
