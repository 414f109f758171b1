//! What can be wrong with a file.
//!
//! Every variant says which file (`file` is a path, `PATH:NAME` for a tensor inside a file of many, or a word for bytes in
//! memory), what was found and what would have been right, so that the text alone is enough to act on.

use std::error::Error;
use std::io;

use tensor::TensorError;
use tensor_core::{DType, ValidationError};

use crate::FileFormat;
use crate::element::Fault;

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
    /// A name that shared memory can't have.
    #[error(
        "shared memory {name:?}: a name has 1 to 200 letters, digits, `.`, `_` or `-`, does not begin with `.`, and may have a `/` in front"
    )]
    SharedName { name: String },
    /// A name of shared memory that is taken.
    #[error(
        "shared memory {name:?} exists, made by {owner}; choose another name, or remove it with shared_memory::unlink()"
    )]
    SharedExists { name: String, owner: String },
    /// What this operating system does not offer, or not yet here.
    #[error("{what} is there on Linux only so far; share a file instead")]
    Unsupported { what: &'static str },
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
    /// An element type that the format can't name.
    #[error(
        "{file}: dtype {dtype} does not exist in {format}; cast the tensor first, for example to f32"
    )]
    UnsupportedDType {
        file: String,
        format: FileFormat,
        dtype: DType,
    },
    /// Elements that no dtype stands for: those of a block format, say.
    #[error(
        "{file}: elements of format {element} are no tensor of a dtype; its bytes are there as raw(), other formats where a dtype fits"
    )]
    UnsupportedElement { file: String, element: String },
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
    /// An array of an archive above the reader's limit, or a header above the format's.
    #[error(
        "{file}: {bytes} bytes are above the limit of {limit}; for arrays of npz files that are trusted set_max_tensor_bytes raises it"
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
    /// There is no tensor of this name.
    #[error("{file}: no tensor {name:?}; there are {}", listed(.present))]
    NoSuchTensor {
        file: String,
        name: String,
        present: Vec<String>,
    },
    /// Two tensors of one file have the same name.
    #[error("{file}: two tensors are called {name:?}; names must differ")]
    DuplicateName { file: String, name: String },
    /// A way to a tensor that the format does not have.
    #[error("{file}: a tensor of {format} can't be used where it lies in the file; read a copy")]
    NotMapped { file: String, format: FileFormat },
    /// A format that is only read here.
    #[error("{file}: {format} files are read here, not written; choose another format")]
    NotWritten { file: String, format: FileFormat },
    /// A file of one tensor that should hold another number of them.
    #[error("{file}: a {format} file holds one tensor, got {count}; npz and container hold many")]
    NotOne {
        file: String,
        format: FileFormat,
        count: usize,
    },
    /// A tensor that is not what the header of its file says by now.
    #[error(
        "{file}: {planned_dtype} {planned_shape:?} was planned, and {dtype} {shape:?} came; plan what will come"
    )]
    NotAsPlanned {
        file: String,
        dtype: DType,
        shape: Vec<usize>,
        planned_dtype: DType,
        planned_shape: Vec<usize>,
    },
    /// Texts for a file that has no place for any.
    #[error(
        "{file}: {format} has no place for metadata, and there are {count} texts; leave them out, or choose another format"
    )]
    NoMetadata {
        file: String,
        format: FileFormat,
        count: usize,
    },
    /// A name that the format uses for something else.
    #[error("{file}: {format} has its own use for the name {name:?}; choose another one")]
    ReservedName {
        file: String,
        format: FileFormat,
        name: String,
    },
    /// None of the formats that are read here.
    #[error(
        "{file}: no file of tensors that is known here, it begins with {found:02x?}; {} are read",
        FileFormat::ALL_NAMES
    )]
    UnknownFormat { file: String, found: Vec<u8> },
    /// The file does not begin as its format does.
    #[error("{file}: no {format} file, it begins with {found:02x?}")]
    WrongFormat {
        file: String,
        format: FileFormat,
        found: Vec<u8>,
    },
    /// A version that is not read here.
    #[error(
        "{file}: {format} version {version} is not known, {oldest} to {newest} are; a newer version of this library may read it"
    )]
    FormatVersion {
        file: String,
        format: FileFormat,
        version: u32,
        oldest: u32,
        newest: u32,
    },
    /// A header or directory that breaks the rules of its format.
    #[error(
        "{file}: byte {at}: {what} is {found}; expected {expected}; the file is damaged or was made wrongly"
    )]
    Malformed {
        file: String,
        at: u64,
        what: &'static str,
        found: String,
        expected: String,
    },
    /// A header of JSON that does not parse as the format wants it.
    #[error("{file}: the JSON header: {source}")]
    Json {
        file: String,
        source: serde_json::Error,
    },
    /// The bytes are not those that were written.
    #[error(
        "{file}: {what} has the checksum {found:08x}, {expected:08x} was recorded; the file is damaged: take it from where it came from again"
    )]
    Checksum {
        file: String,
        what: &'static str,
        expected: u32,
        found: u32,
    },
    /// Bytes that the file does not have.
    #[error(
        "{file}: {what} takes the bytes {start} to {end} (excluded), the file has {length}; it is cut or damaged"
    )]
    OutsideFile {
        file: String,
        what: &'static str,
        start: u64,
        end: u64,
        length: u64,
    },
    /// Two tensors, or a tensor and the directory, lie in the same bytes.
    #[error("{file}: {first:?} and {second:?} both take byte {at}; the file is damaged or hostile")]
    Overlap {
        file: String,
        first: String,
        second: String,
        at: u64,
    },
    /// A tensor that can't be used where it lies.
    #[error(
        "{file}: the elements of {dtype} begin at byte {at}, which is no multiple of {align}, so they can't be used where they lie; read a copy instead"
    )]
    Misaligned {
        file: String,
        dtype: DType,
        at: u64,
        align: usize,
    },
    /// A tensor whose numbers have the other byte order.
    #[error(
        "{file}: the numbers have the byte order of other machines, so they can't be used where they lie; read a copy instead"
    )]
    ForeignByteOrder { file: String },
    /// A bool that is neither 0 nor 1.
    #[error(
        "{file}: element {at} is a bool with the byte {byte}; a bool is 0 or 1, so the file is damaged or was made wrongly"
    )]
    NoBool { file: String, at: usize, byte: u8 },
    /// Rows that the tensor does not have.
    #[error("{file}: there are no rows {start} to {end} (excluded) in shape {shape:?}")]
    NoSuchRows {
        file: String,
        start: usize,
        end: usize,
        shape: Vec<usize>,
    },
    /// A file name in an index that leads out of the index's folder.
    #[error(
        "{file}: the shard {shard:?} is not in the folder of the index; only plain file names are followed"
    )]
    OutsideFolder { file: String, shard: String },
    /// Another program writes to the file.
    #[error("{file}: another writer has it locked; wait until it is done")]
    Locked { file: String },
    /// There is no state before the last one.
    #[error("{file}: nothing was ever appended, so there is no earlier state")]
    NoEarlierState { file: String },
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

/// Names listed in a message at most; files have thousands.
const LISTED: usize = 12;

fn listed(names: &[String]) -> String {
    match names.split_at_checked(LISTED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{first:?} and {} more", rest.len())
        }
        _ => format!("{names:?}"),
    }
}

impl FileError {
    /// What the system refused while it should `action`.
    pub(crate) fn io(file: &str, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            file: file.to_owned(),
            action,
            source,
        }
    }

    pub(crate) fn tensor(file: &str) -> impl FnOnce(TensorError) -> Self {
        move |source| Self::Tensor {
            file: file.to_owned(),
            source,
        }
    }

    /// Why values could not be read.
    pub(crate) fn values(file: &str, fault: Fault) -> Self {
        let file = file.to_owned();
        match fault {
            Fault::Io(source) => Self::Io {
                file,
                action: "read the values",
                source,
            },
            Fault::Bool { at, byte } => Self::NoBool { file, at, byte },
        }
    }
}
