//! safetensors: named tensors behind a header of JSON, in one file or in shards with an index.
//!
//! [`SafeTensors`] maps one file, [`Shards`] the files that an index (`model.safetensors.index.json`) names; both read the
//! headers only, and give tensors as copies or where they lie. [`write()`] writes a file, byte for byte as the format's own
//! library does; [`write_shards`] writes several and their index.
//!
//! A file is the length of the header (u64, little-endian), the header, and the elements, little-endian and row-major,
//! without gaps and without alignment: a tensor that does not lie at a multiple of its element's size can be copied but
//! not mapped. Writers sort tensors by falling element size and pad the header to 8 bytes, so that all can be mapped.
//!
//! **DTypes.** F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL, and C64, which is `c32` here (two `f32`).
//! `c64` (two `f64`) has no name in the format. The types below a byte or with another split of the bits (`F4`, `F6_*`,
//! `F8_*`) are listed, and their bytes are there as `raw`; asking for such a tensor is
//! [`FileError::UnsupportedElement`](crate::FileError::UnsupportedElement).
//!
//! **Hostile files.** The header is at most 100 MB, as the format says, and at most what is there; depth of JSON is bounded.
//! Tensors must follow each other from the first byte of the data to the last one, as the format demands: gaps, overlaps
//! and bytes left over are refused, repeated names too. An index can name only files of its own folder.

mod header;
mod read;
mod shards;
mod write;

pub use read::SafeTensors;
pub use shards::{Shards, write_shards};
pub use write::{to_bytes, write};

pub(crate) use write::{type_of, write_each};

use tensor_core::DType;

use crate::entry::{BlockFormat, ElementFormat};

const fn block(name: &'static str, block_elements: usize, block_bytes: usize) -> ElementFormat {
    ElementFormat::Block(BlockFormat {
        name,
        block_elements,
        block_bytes,
    })
}

/// The format's types in its own order, by which writers sort.
const TYPES: [(&str, ElementFormat); 22] = [
    ("BOOL", ElementFormat::DType(DType::Bool)),
    ("F4", block("F4", 2, 1)),
    ("F6_E2M3", block("F6_E2M3", 4, 3)),
    ("F6_E3M2", block("F6_E3M2", 4, 3)),
    ("U8", ElementFormat::DType(DType::U8)),
    ("I8", ElementFormat::DType(DType::I8)),
    ("F8_E5M2", block("F8_E5M2", 1, 1)),
    ("F8_E4M3", block("F8_E4M3", 1, 1)),
    ("F8_E8M0", block("F8_E8M0", 1, 1)),
    ("F8_E4M3FNUZ", block("F8_E4M3FNUZ", 1, 1)),
    ("F8_E5M2FNUZ", block("F8_E5M2FNUZ", 1, 1)),
    ("I16", ElementFormat::DType(DType::I16)),
    ("U16", ElementFormat::DType(DType::U16)),
    ("F16", ElementFormat::DType(DType::F16)),
    ("BF16", ElementFormat::DType(DType::BF16)),
    ("I32", ElementFormat::DType(DType::I32)),
    ("U32", ElementFormat::DType(DType::U32)),
    ("F32", ElementFormat::DType(DType::F32)),
    ("C64", ElementFormat::DType(DType::C32)),
    ("F64", ElementFormat::DType(DType::F64)),
    ("I64", ElementFormat::DType(DType::I64)),
    ("U64", ElementFormat::DType(DType::U64)),
];

/// The key under which a header keeps its texts.
const METADATA: &str = "__metadata__";
