//! Opened models.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use graph::Graph;
use onnx::Info;
use tensor::trace_span;

use crate::{CompileOptions, CompiledFunction, Error};

/// A model file, imported: a graph and the facts of its file.
#[derive(Debug)]
pub struct Model {
    graph: Arc<Graph>,
    info: Info,
}

impl Model {
    /// Opens an ONNX file.
    ///
    /// # Errors
    /// If the file cannot be read or is no model that can be imported; the error lists everything
    /// that stands in the way, with node names.
    pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
        let _span = trace_span!(DEBUG, "open", format = "onnx", path = %path.as_ref().display());
        let (bytes, name) = read(path.as_ref())?;
        Model::from_bytes(bytes, &name)
    }

    /// Imports the bytes of an ONNX file; `name` is what errors call it.
    ///
    /// # Errors
    /// As [`Model::open`].
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Model, Error> {
        let onnx::Model { graph, info } =
            onnx::import(Bytes::from(bytes), name).map_err(Box::new)?;
        Ok(Model {
            graph: Arc::new(graph),
            info,
        })
    }

    /// Facts of an ONNX file, whether it can be imported or not.
    ///
    /// # Errors
    /// If the file cannot be read or is no ONNX file at all.
    pub fn inspect(path: impl AsRef<Path>) -> Result<Info, Error> {
        let (bytes, name) = read(path.as_ref())?;
        Ok(onnx::inspect(Bytes::from(bytes), &name).map_err(Box::new)?)
    }

    /// The graph as imported.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Facts of the file.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Compiles for a device: the canonical form now, plans per set of input shapes when they are met.
    ///
    /// # Errors
    /// If the options make no sense or the graph has no canonical form.
    pub fn compile(&self, options: &CompileOptions) -> Result<CompiledFunction, Error> {
        CompiledFunction::new(self.graph.clone(), options)
    }
}

fn read(path: &Path) -> Result<(Vec<u8>, String), Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    Ok((bytes, name))
}
