//! The native container: many named tensors in one file, usual extension `.tensors`.
//!
//! [`Container`] maps a file and gives its tensors as copies or where they lie; [`ContainerReader`] reads one through any
//! `Read + Seek`; [`ContainerWriter`] writes tensors one after the other into a new file or behind those of an old one.
//! Every preset dtype, both memory orders, any rank and empty shapes are kept as they are; text pairs (metadata) go along.
//!
//! # The file, version 1
//! All numbers are little-endian, all elements too. CRC-32 is the one of zip and png (polynomial `0xEDB88320`).
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic `89 54 4E 46 0D 0A 1A 0A` (`\x89TNF\r\n\x1a\n`: text conversion on the way breaks it) |
//! | 8..12 | version: u32, 1 |
//! | 12..16 | alignment of tensors: u32, 64 |
//! | 16..60 | zero |
//! | 60..64 | CRC-32 of bytes 0..60; these 64 bytes keep their meaning in every later version |
//! | 64..128, 128..192 | two slots, each 64 zero bytes or one state of the file |
//! | from 192 | tensors at multiples of 64, and directories |
//!
//! A slot: generation u64 (1, 2, ...), where the directory begins u64, its bytes u64, its tensors u64, the end of this state
//! u64, CRC-32 of the directory u32, 16 bytes zero, CRC-32 of the slot's first 60 bytes u32. Generation g is in slot
//! (g - 1) % 2, and the higher one counts.
//!
//! A directory has for each tensor: bytes of the name u32, rank u32, bytes of the device's name u16, dtype u8, order u8
//! (0 row-major, 1 column-major), CRC-32 of the elements u32, first byte u64, bytes u64, the extents u64 each, name and
//! device in UTF-8; then the number of metadata pairs u32, and for each pair the bytes of key and value u32 each, key, value.
//! Dtypes: 1 f32, 2 f64, 3 f16, 4 bf16, 5 i8, 6 i16, 7 i32, 8 i64, 9 u8, 10 u16, 11 u32, 12 u64, 13 bool (0 or 1), 14 c32,
//! 15 c64. The device is where the tensor was when it was written (empty: plain host memory), for information: it is loaded
//! into host memory whatever it says.
//!
//! # What can be relied on
//! - Opening reads header and directory and verifies their checksums; no byte of a tensor. A tensor's checksum is verified
//!   when it is first read or mapped, or by `verify`. [`Container::map_unverified`] and `rows` look at no checksum.
//! - A file that was cut, or altered in any byte that counts, is an error before a tensor of it exists. Padding does not
//!   count.
//! - Appending leaves old tensors and the old directory as they are, and becomes visible with one write of a slot. If that
//!   does not happen, the file is what it was. If a slot is neither zero nor whole, the file is refused, and
//!   [`Container::open_earlier`] opens the state of the other slot.
//! - Versions are never dropped: what version 1 wrote stays readable.

mod directory;
mod header;
mod read;
mod reader;
mod write;

pub use read::Container;
pub use reader::ContainerReader;
pub use write::ContainerWriter;

pub(crate) use header::{MAGIC, VERSION};

/// Key and value texts of a file.
pub type Metadata = Vec<(String, String)>;
