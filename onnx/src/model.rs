//! The entry points: a file's bytes to a graph, or to facts about it.

use bytes::Bytes;
use graph::Graph;
use prost::Message;

use crate::error::OnnxError;
use crate::import::{self, Imported};
use crate::info::{self, Info};
use crate::proto::{GraphProto, ModelProto};
use crate::wire::{self, Budget, Stop};

/// An imported model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The graph; extents may be symbols, which the feeds bind.
    pub graph: Graph,
    /// What the file says of itself.
    pub info: Info,
}

/// Imports an ONNX model. `name` stands before every error text, say the file's name.
///
/// Initializers and `Constant` nodes become constants, also those that are listed as inputs; nodes
/// are sorted if they aren't. Names of values are those of the file, a node's source is its name or
/// `Op_index`. Declared types of outputs and inner values are hints and are not read. An axis of an
/// input that has no number and no name, or a name such as `?`, gets a symbol of its own: `?0`, `?1`.
///
/// # Errors
/// [`OnnxError::Malformed`], [`OnnxError::NoGraph`] or [`OnnxError::TooCostly`] if the bytes are no
/// model; [`OnnxError::Problems`] with everything in the model that is wrong or not supported.
pub fn import(bytes: Bytes, name: &str) -> Result<Model, OnnxError> {
    let (info, imported) = read(bytes, name)?;
    if imported.problems.is_empty() {
        let graph = imported.graph;
        return Ok(Model { graph, info });
    }
    Err(OnnxError::Problems {
        file: name.to_owned(),
        problems: imported.problems,
        more: imported.more,
    })
}

/// Facts about an ONNX model, also about one that cannot be imported; its problems are listed.
///
/// # Errors
/// [`OnnxError::Malformed`], [`OnnxError::NoGraph`] or [`OnnxError::TooCostly`] if the bytes are no
/// model.
pub fn inspect(bytes: Bytes, name: &str) -> Result<Info, OnnxError> {
    let (mut info, imported) = read(bytes, name)?;
    info.unsupported = imported.problems;
    Ok(info)
}

fn read(bytes: Bytes, name: &str) -> Result<(Info, Imported), OnnxError> {
    let file = || name.to_owned();
    let file_bytes = bytes.len();
    let mut budget = Budget::of_file(file_bytes);
    let limit_bytes = budget.limit_bytes;
    let too_costly = || OnnxError::TooCostly {
        file: file(),
        file_bytes,
        limit_bytes,
    };
    wire::check(&bytes, &mut budget).map_err(|stop| match stop {
        Stop::Malformed(reason) => OnnxError::Malformed {
            file: file(),
            reason,
        },
        Stop::Spent => too_costly(),
    })?;
    let model = ModelProto::decode(bytes).map_err(|error| OnnxError::Malformed {
        file: file(),
        reason: error.to_string(),
    })?;
    let graph: &GraphProto = match &model.graph {
        Some(graph) => graph,
        None => return Err(OnnxError::NoGraph { file: file() }),
    };
    let info = info::read(&model, graph, &mut budget).map_err(|_| too_costly())?;
    let imported = import::run(&model, graph, name, &mut budget).map_err(|_| too_costly())?;
    Ok((info, imported))
}
