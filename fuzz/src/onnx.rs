//! A model of ONNX.

use bytes::Bytes;
use onnx::{import, inspect};

use crate::source;

/// Inspects and imports a model: both agree on whether it is one, and a graph that comes out is valid.
pub fn run(bytes: &[u8]) {
    let inspected = inspect(Bytes::copy_from_slice(bytes), "file");
    match import(Bytes::copy_from_slice(bytes), "file") {
        Ok(model) => {
            assert_eq!(model.graph.verify(), Ok(()));
            assert!(!model.graph.to_string().is_empty());
            assert!(inspected.is_ok());
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("file: "), "{text}");
            assert_eq!(inspected.is_ok(), !error.problems().is_empty(), "{text}");
        }
    }
}

/// The small models of the tests.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let names = ["head", "pair", "unsupported"];
    let file = |name| source::file(&format!("tenfold-cli/tests/data/{name}.onnx"));
    names.map(file).into()
}
