//! Files of tensors, read by mapping where that can be; no models as graphs.
//!
//! **What it owns.** Reading and writing tensors as files: this library's own [`container`], [`safetensors`] (one file or
//! shards), numpy's [`npy`] (one array) and [`npz`] (named arrays in a zip archive); reading [`gguf`]. [`TensorFile`] opens
//! any of them by its contents, [`save`] and [`save_each`] write one, [`view_bytes`] sees bytes from elsewhere as a tensor; [`shared_memory`]
//! shares tensors between processes. **What it does not own:** graphs, and any op on the values it reads; a dtype or a memory order in a file becomes exactly that dtype and that
//! memory order, and quantised blocks are described and handed out as bytes.
//!
//! **How it works.** Every reader takes the header first, computes from dtype and shape how many bytes the values
//! need, and compares that with how many are there, before it asks for any memory. Tensors are copies, or they lie in the
//! [`Mapping`] of the file, which they keep alive and which can't be written. The one unsafe call maps the file.
//!
//! **Invariants.** A file whose sizes do not add up is an error and costs no memory; bytes that come from a file never
//! cause a panic. What is written does not depend on time, machine or run: the same tensors give the same bytes. A file
//! is replaced only by a complete one.
//!
//! ```
//! use tensor::Tensor;
//! use tensor_io::npy;
//!
//! let weights = Tensor::from_vec_row_major([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
//! let bytes = npy::to_bytes(&weights)?;
//! let back = npy::from_bytes(&bytes)?;
//! assert_eq!(back.shape(), [2, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

mod bytes;
pub mod container;
mod element;
mod entry;
mod error;
mod file;
pub mod gguf;
mod mapped;
mod mapping;
pub mod npy;
pub mod npz;
mod output;
mod rows;
pub mod safetensors;
mod save;
#[cfg(test)]
mod scratch;
pub mod shared_memory;
mod tensors;

pub use bytes::view_bytes;
pub use element::ByteOrder;
pub use entry::{BlockFormat, ElementFormat, Entry, FileFormat};
pub use error::FileError;
pub use file::TensorFile;
pub use mapping::{MappedBytes, Mapping};
pub use save::{Planned, save, save_each};
