//! The text form of a graph. It parses back to the same graph and prints again as the same text.
//!
//! ```text
//! func mlp(x: f32[B, 64]) -> (p: f32[B, 8]) {
//!   const w1: f32[64, 8] = #5f0c9b0a8d1e6a37
//!   const b1: f32[2] = {0.5, -1}
//!   h: f32[B, 8] = matmul(x, w1) @ "/layer1/MatMul"
//!   p: f32[B, 8] = softmax(h, axis = -1)
//! }
//! ```
//! Names that are no identifiers are quoted; `_` is an input that is left out; after `@` stands the
//! node's path in its source. Constants of up to 16 elements carry their elements, exact to the
//! bit; larger ones carry a hash (FNV-1a, 64 bits, over the little-endian bytes), and the parser
//! asks a [`ConstantSource`] for them.

mod lex;
mod parse;
mod print;

use std::fmt;
use std::sync::Arc;

use tensor::Tensor;

pub use parse::parse;

/// Where the parser finds constants that are too large for the text.
pub trait ConstantSource {
    /// The constant of this name.
    fn constant(&self, name: &str) -> Option<Arc<Tensor>>;
}

/// A source of no constants.
#[derive(Clone, Copy, Debug)]
pub struct NoConstants;

impl ConstantSource for NoConstants {
    fn constant(&self, _name: &str) -> Option<Arc<Tensor>> {
        None
    }
}

impl ConstantSource for crate::Graph {
    fn constant(&self, name: &str) -> Option<Arc<Tensor>> {
        let (_, value) = self
            .values()
            .find(|(_, v)| v.name == name && v.constant().is_some())?;
        value.constant().cloned()
    }
}

/// Constants of at most this many elements are written out.
const INLINE_ELEMENTS: usize = 16;

/// Words that mean something where a name can stand.
const RESERVED: &[&str] = &["const", "func", "_"];

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
        && !RESERVED.contains(&name)
}

/// Writes a name, quoted if it is no identifier.
pub(crate) fn write_name(f: &mut impl fmt::Write, name: &str) -> fmt::Result {
    if is_identifier(name) {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for c in name.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// FNV-1a over the little-endian elements.
fn hash(tensor: &Tensor) -> u64 {
    let bytes = tensor
        .to_le_bytes()
        .expect("memory for a second copy of a constant");
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
