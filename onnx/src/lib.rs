//! ONNX file to graph: protobuf, opsets, operators; no kernels.
//!
//! [`import`] decodes a file (the messages are annotated by hand, so nothing is generated and weights
//! are not copied while decoding), sorts the nodes, and hands each to the importer that the registry
//! has for its op and opset. An importer checks every attribute and builds nodes of the op table; an
//! op without an entry there becomes several nodes whose source is the file's node. [`inspect`]
//! tells what is in a file, also in one that cannot be imported.
//!
//! **Narrow elements.** What is narrower than any dtype, floats of 8 bits and fewer and integers of 2 and 4, is a tensor of
//! codes in `u8` or `i8`, one per byte; feeds and results are such tensors too. The import knows what each of them is, converts
//! where the model casts or quantises, and refuses to compute with codes.
//!
//! **Errors.** A model is read to its end and all of its problems are reported at once, each with
//! the node, its op, domain and opset. What depends on a problem is not reported again.
//!
//! **Hostile files.** No input panics. A file may take 64 times its size of memory, or 1 MiB if that
//! is more: it is refused before it is decoded if it would take more.
//!
//! **What it does not own:** running a graph, files on disk, tensors in other files (refused so far).
#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]

mod call;
mod compose;
mod element;
mod error;
mod import;
mod info;
mod limits;
mod model;
mod narrow;
mod node;
mod proto;
mod report;
mod sort;
mod tensor;
#[cfg(test)]
mod tests;
mod wire;

pub use error::{OnnxError, Place, Problem, ProblemKind, TensorProblem};
pub use info::{DimText, Info, Port};
pub use model::{Model, import, inspect};
