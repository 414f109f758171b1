//! The op table, typed values, inference, verifier and text form of a graph; executes nothing.
//!
//! A [`Graph`] is a list of nodes in topological order over typed, named values (SSA: every value
//! has one definition). Each node holds an [`op::Op`]: its family, its typed attributes and a pointer
//! into the op table, where the op's arity, dtype and shape rules, algebra, formula, numerics
//! and source are written once. Extents are [`Dim`]s: numbers, symbols, or expressions over symbols.
//!
//! Invariants: a graph that [`Graph::verify`] accepts has types that inference reproduces, and every
//! later stage may rely on that. Graphs are immutable; a pass reads one and builds another with
//! [`GraphBuilder`].
#![forbid(unsafe_code)]

mod builder;
mod dim;
pub mod einsum;
mod error;
mod known;
mod model;
pub mod op;
mod rewrite;
pub mod scalar;
mod specialise;
mod tensor_type;
mod text;
mod verify;

pub use builder::GraphBuilder;
pub use dim::{Bindings, Dim, DimOp, Symbol};
pub use error::{GraphError, InferError, ParseError};
pub use model::{Graph, Node, NodeId, Value, ValueDef, ValueId};
pub use rewrite::{Rewrite, Site};
pub use specialise::bind_inputs;
pub use tensor_type::{TensorType, ValueFacts};
pub use text::{ConstantSource, NoConstants, parse};
pub use verify::VerifyError;
