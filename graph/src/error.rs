//! The errors of building, verifying, specialising and parsing graphs.

use tensor_core::DType;
use thiserror::Error;

use crate::{Symbol, TensorType};

/// Why an op cannot take its inputs.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum InferError {
    /// Wrong number of inputs.
    #[error("{op}: takes {expected} inputs, got {got}")]
    Arity {
        /// The op.
        op: &'static str,
        /// What it takes, for example `1 to 3`.
        expected: String,
        /// How many were given.
        got: usize,
    },
    /// A required input is missing.
    #[error("{op}: input {index} is required but was left out")]
    MissingInput {
        /// The op.
        op: &'static str,
        /// Position of the input.
        index: usize,
    },
    /// A dtype that the op does not take.
    #[error("{op}: input {index} is {got}, expected {expected}")]
    DType {
        /// The op.
        op: &'static str,
        /// Position of the input.
        index: usize,
        /// What it takes.
        expected: String,
        /// What it got.
        got: DType,
    },
    /// Two shapes that do not go together.
    #[error("{op}: shapes {a} and {b} do not fit: {reason}")]
    Shapes {
        /// The op.
        op: &'static str,
        /// The first input.
        a: TensorType,
        /// The second input.
        b: TensorType,
        /// What they have to satisfy.
        reason: String,
    },
    /// One shape that the op cannot take.
    #[error("{op}: input {index} has shape {got}: {reason}")]
    Shape {
        /// The op.
        op: &'static str,
        /// Position of the input.
        index: usize,
        /// What it got.
        got: TensorType,
        /// What it has to satisfy.
        reason: String,
    },
    /// An attribute that is out of range for its inputs.
    #[error("{op}: {attribute} = {value}: {reason}")]
    Attribute {
        /// The op.
        op: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
        /// What it has to satisfy.
        reason: String,
    },
    /// A result whose rank follows from data, not from shapes.
    #[error(
        "{op}: the rank of the result depends on input {index}, which is not known before the run; give it a fixed length or make it a constant"
    )]
    DataDependent {
        /// The op.
        op: &'static str,
        /// Position of the input.
        index: usize,
    },
}

/// An error of building or specialising a graph, with the place.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GraphError {
    /// A node's inputs do not suit its op.
    #[error("node {node:?}: {source}")]
    Infer {
        /// Path of the node in its source.
        node: String,
        /// What is wrong.
        source: Box<InferError>,
    },
    /// More names than outputs.
    #[error("node {node:?}: {op} has {outputs} outputs here, got {names} names for them")]
    OutputCount {
        /// Path of the node in its source.
        node: String,
        /// The op.
        op: &'static str,
        /// Number of outputs.
        outputs: usize,
        /// Number of names.
        names: usize,
    },
    /// Two values of one name.
    #[error("two values are named {name:?}; names of values are unique in a graph")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A feed does not have the declared rank.
    #[error("input {input:?} is declared {declared}; got shape {got:?}")]
    InputShape {
        /// The input.
        input: String,
        /// Its declared type.
        declared: TensorType,
        /// The shape that was given.
        got: Vec<usize>,
    },
    /// A symbol got two values.
    #[error(
        "input {input:?} is declared {declared}; got shape {got:?}, which makes {symbol} = {second}, but {symbol} = {first} by an earlier axis"
    )]
    SymbolConflict {
        /// The input.
        input: String,
        /// Its declared type.
        declared: TensorType,
        /// The shape that was given.
        got: Box<[usize]>,
        /// The symbol.
        symbol: Symbol,
        /// Its earlier value.
        first: usize,
        /// The value that conflicts.
        second: usize,
    },
    /// Wrong number of feeds.
    #[error("the graph has {expected} inputs ({names}), got shapes for {got}")]
    InputCount {
        /// Number of inputs.
        expected: usize,
        /// Their names.
        names: String,
        /// Number of shapes.
        got: usize,
    },
}

/// A text that is not a graph, with the place.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was expected.
    pub message: String,
}
