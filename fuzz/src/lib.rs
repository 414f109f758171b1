//! What every reader of files promises about whatever bytes it gets; no reader and no file format of its own.
//!
//! Each module is one target: `run` takes the bytes of a file, reads them in every way there is, and panics where the
//! reader breaks its promise; `seeds` gives small good files, written by this project's writers or taken from the fixtures.
//! `cargo xtask fuzz` runs the targets for as long as asked with libFuzzer, which learns from the coverage what to alter
//! next; the test `smoke` runs them on a few thousand altered seeds with no more than cargo.
//!
//! **The promise.** Bytes are read or refused, never with a panic. What is listed lies inside the file, tensors do not
//! overlap, and each one can be had in full: as a copy, where it lies, by rows, all with the same bytes; or the refusal is one
//! of those that the format allows. Errors can be printed. Memory stays within [`memory_limit`].
#![forbid(unsafe_code)]
#![expect(
    clippy::missing_panics_doc,
    reason = "a panic is how a broken promise is told"
)]

mod check;
pub mod container;
pub mod gguf;
pub mod mutate;
pub mod npy;
pub mod npz;
pub mod onnx;
pub mod safetensors;
pub mod shards;
pub mod shared_memory;
mod source;

/// A reader to try out.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name for `cargo xtask fuzz`, which is that of its module.
    pub name: &'static str,
    /// Reads the bytes of a file and panics where a promise is broken.
    pub run: fn(&[u8]),
    /// Good files to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

macro_rules! targets {
    ($($name:ident)+) => {
        [$(Target { name: stringify!($name), run: $name::run, seeds: $name::seeds }),+]
    };
}

/// All targets.
pub const TARGETS: [Target; 8] =
    targets!(container gguf npy npz onnx safetensors shards shared_memory);

/// The bytes of memory that a target may hold while it reads a file of `length` bytes: a model of ONNX may take 64 times
/// its size; an archive of npz, whose bytes can stand for a thousand each, is told to unpack no array above
/// [`npz::MAX_TENSOR_BYTES`]; and every target makes copies to compare.
#[must_use]
pub fn memory_limit(length: usize) -> usize {
    (4 << 20) + 128 * length
}
