//! What can be wrong with a file.
//!
//! Every variant says which file (`file` is a path, `PATH:NAME` for an array inside an archive, or a word for bytes in
//! memory), what was found and what would have been right, so that the text alone is enough to act on.

use std::error::Error;
use std::io;

use tensor::TensorError;
use tensor_core::{DType, ValidationError};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the field names and the texts beside them say what each field is"
)]
pub enum FileError {
    /// The operating system refused, or the file ends early.
    #[error("{file}: cannot {action}: {source}")]
    Io {
        file: String,
        action: &'static str,
        source: io::Error,
    },
    /// The file does not begin with the magic bytes of npy.
    #[error("{file}: no npy data, it begins with {found:02x?}; expected what numpy.save writes")]
    NotNpy { file: String, found: Vec<u8> },
    /// A version of the format that does not exist yet.
    #[error("{file}: npy version {major}.{minor} is not known; versions 1.0, 2.0 and 3.0 are")]
    UnknownVersion { file: String, major: u8, minor: u8 },
    /// The header is no dictionary with the three entries that npy needs.
    #[error("{file}: byte {at} of the npy header: expected {expected}")]
    Header {
        file: String,
        at: usize,
        expected: &'static str,
    },
    /// A header longer than any real one.
    #[error("{file}: the npy header claims {bytes} bytes, at most {limit} are read")]
    HeaderTooLong {
        file: String,
        bytes: u64,
        limit: u64,
    },
    /// An element type that this library has no dtype for.
    #[error(
        "{file}: numpy type {descr:?} has no dtype here; convert it with numpy's astype before saving"
    )]
    UnsupportedDescr { file: String, descr: String },
    /// An element type that numpy can't name.
    #[error(
        "{file}: dtype {dtype} does not exist in npy; cast the tensor first, for example to f32"
    )]
    UnsupportedDType { file: String, dtype: DType },
    /// Header and contents disagree.
    #[error(
        "{file}: {dtype} {shape:?} needs {needed} bytes, {present} are there; the file is damaged or incomplete"
    )]
    SizeMismatch {
        file: String,
        dtype: DType,
        shape: Vec<usize>,
        needed: u64,
        present: u64,
    },
    /// An array of an archive that claims to be larger than its compressed bytes can become.
    #[error(
        "{file}: {compressed} compressed bytes can't hold {bytes}; the archive is damaged or hostile"
    )]
    ImpossibleRatio {
        file: String,
        compressed: u64,
        bytes: u64,
    },
    /// An array of an archive above the reader's limit.
    #[error(
        "{file}: {bytes} bytes are above the limit of {limit}; raise it with set_max_tensor_bytes if the file is trusted"
    )]
    AboveLimit {
        file: String,
        bytes: u64,
        limit: u64,
    },
    /// The machine has not that much memory.
    #[error("{file}: no memory for {bytes} bytes")]
    OutOfMemory { file: String, bytes: u64 },
    /// The zip archive is damaged or uses something that npz files do not.
    #[error("{file}: cannot {action} in the zip archive: {source}")]
    Archive {
        file: String,
        action: &'static str,
        source: Box<dyn Error + Send + Sync>,
    },
    /// There is no array of this name.
    #[error("{file}: no array {name:?}; there are {present:?}")]
    NoSuchArray {
        file: String,
        name: String,
        present: Vec<String>,
    },
    /// Two arrays of one archive have the same name.
    #[error("{file}: two arrays are called {name:?}; names must differ")]
    DuplicateName { file: String, name: String },
    /// The tensor refused: its values are not on the host, say.
    #[error("{file}: {source}")]
    Tensor { file: String, source: TensorError },
    /// A shape that no tensor can have.
    #[error("{file}: {source}")]
    Shape {
        file: String,
        source: ValidationError,
    },
}
