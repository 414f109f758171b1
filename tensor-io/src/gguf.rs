//! GGUF: language models of ggml, read: metadata, plain tensors, and the bytes of quantised ones.
//!
//! [`Gguf`] maps a file and reads its metadata and the list of tensors. Tensors of F32, F64, F16, BF16, I8, I16, I32 and I64
//! become a [`Tensor`](tensor::Tensor), copied or where they lie. All other types are quantised: blocks of elements with
//! shared scales, which [`Entry::format`](crate::Entry) describes and [`Gguf::raw`] gives as bytes.
//!
//! **Shapes.** ggml counts dimensions from the fastest to the slowest, so a matrix of 2 rows with 3 columns, which lies in
//! memory row by row, is written `[3, 2]`. Here the last axis is the fastest: the dimensions are reversed and the same bytes
//! are row-major `[2, 3]`. Blocks always run along the last axis here, ggml's first.
//!
//! **Versions and byte orders.** Versions 2 and 3; version 1 (32-bit counts) is long out of use and refused. A file of the
//! other byte order is noticed by its version: tensors are turned round when copied, while the bytes of quantised blocks
//! stay as they are in the file, see [`Gguf::byte_order`].
//!
//! **Hostile files.** Every count is compared with the bytes that are left before memory is asked for, arrays in arrays end
//! at a depth of 16, repeated keys and names are refused, and tensors must lie inside the file, at multiples of its
//! alignment, without sharing a byte.

mod cursor;
mod header;
mod read;
mod types;
mod value;

pub use read::Gguf;
pub use value::{Array, Value};

pub(crate) use header::MAGIC;
