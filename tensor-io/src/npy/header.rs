//! The header of a npy file: magic, version, and a Python dictionary in ASCII.
//!
//! The dictionary has exactly the entries `descr` (type and byte order), `fortran_order` and `shape`, in any order.
//! [`NpyHeader::parse`] reads that subset of Python's literals and nothing else; [`NpyHeader::to_bytes`] writes what
//! numpy 2 writes, byte for byte: sorted entries, room for the first axis to grow, padded to 64 bytes.
//!
//! Source: the format's description in numpy's `numpy.lib.format` (NEP 1).

use tensor_core::{DType, checked_element_count};

use crate::error::FileError;

pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Headers above this are refused. Version 1.0 can't exceed 65,535 bytes, and no plain dtype needs more.
const MAX_HEADER_BYTES: u64 = 65_536;

/// The end of the header is a multiple of this many bytes into the file.
const ALIGN: usize = 64;

/// numpy leaves room for an axis of this many digits.
const GROWTH_DIGITS: usize = 21;

/// What a npy file says about its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub(crate) dtype: DType,
    /// Whether the most significant byte of each component comes first.
    pub(crate) big_endian: bool,
    /// Whether the first axis varies fastest.
    pub(crate) column_major: bool,
    pub(crate) shape: Vec<usize>,
}

/// How many bytes stand before the dictionary, and how many the dictionary has.
pub(crate) struct Preamble {
    pub(crate) length: usize,
    pub(crate) header_bytes: usize,
}

/// The longest preamble: magic, two version bytes, four length bytes.
pub(crate) const MAX_PREAMBLE: usize = 12;

impl Preamble {
    /// Reads magic, version and header length from the first bytes of a file (up to [`MAX_PREAMBLE`] of them).
    pub(crate) fn parse(file: &str, bytes: &[u8]) -> Result<Self, FileError> {
        let (Some(&[major, minor]), true) = (
            bytes.get(6..8).and_then(|v| v.first_chunk()),
            bytes.starts_with(MAGIC),
        ) else {
            return Err(FileError::NotNpy {
                file: file.to_owned(),
                found: bytes[..bytes.len().min(8)].to_vec(),
            });
        };
        let (length, header_bytes) = match (major, minor, &bytes[8..]) {
            (1, 0, &[a, b, ..]) => (10, u64::from(u16::from_le_bytes([a, b]))),
            (2 | 3, 0, &[a, b, c, d, ..]) => (12, u64::from(u32::from_le_bytes([a, b, c, d]))),
            (1..=3, 0, _) => {
                return Err(FileError::Header {
                    file: file.to_owned(),
                    at: 0,
                    expected: "the length of the header",
                });
            }
            _ => {
                return Err(FileError::UnknownVersion {
                    file: file.to_owned(),
                    major,
                    minor,
                });
            }
        };
        if header_bytes > MAX_HEADER_BYTES {
            return Err(FileError::HeaderTooLong {
                file: file.to_owned(),
                bytes: header_bytes,
                limit: MAX_HEADER_BYTES,
            });
        }
        let header_bytes = usize::try_from(header_bytes).expect("at most MAX_HEADER_BYTES");
        Ok(Self {
            length,
            header_bytes,
        })
    }
}

impl NpyHeader {
    /// Reads the dictionary, which is all of `text`.
    pub(crate) fn parse(file: &str, text: &[u8]) -> Result<Self, FileError> {
        let mut literal = Literal { file, text, at: 0 };
        let (mut descr, mut column_major, mut shape) = (None, None, None);
        literal.expect(b'{', "`{`")?;
        while !literal.take(b'}') {
            let at = literal.at;
            let key = literal.string()?;
            literal.expect(b':', "`:`")?;
            let repeated = match key.as_str() {
                "descr" => descr.replace(literal.string()?).is_some(),
                "fortran_order" => column_major.replace(literal.boolean()?).is_some(),
                "shape" => shape.replace(literal.shape()?).is_some(),
                _ => true,
            };
            if repeated {
                literal.at = at;
                return Err(literal.error("`descr`, `fortran_order` and `shape`, each once"));
            }
            if !literal.take(b',') {
                literal.expect(b'}', "`,` or `}`")?;
                break;
            }
        }
        literal.end()?;
        let (Some(descr), Some(column_major), Some(shape)) = (descr, column_major, shape) else {
            return Err(literal.error("`descr`, `fortran_order` and `shape`, each once"));
        };
        let (dtype, big_endian) =
            parse_descr(&descr).ok_or_else(|| FileError::UnsupportedDescr {
                file: file.to_owned(),
                descr: descr.clone(),
            })?;
        Ok(Self {
            dtype,
            big_endian,
            column_major,
            shape,
        })
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`FileError::Shape`] when it does not fit the address space.
    pub(crate) fn element_count(&self, file: &str) -> Result<usize, FileError> {
        checked_element_count("npy", &self.shape).map_err(|source| FileError::Shape {
            file: file.to_owned(),
            source,
        })
    }

    /// How many bytes the values take: the product of the shape and the element's size, which `u64` holds because an
    /// element count is at most `isize::MAX` and an element at most 16 bytes (checked all the same).
    pub(crate) fn payload_bytes(&self, file: &str) -> Result<u64, FileError> {
        let elements = u64::try_from(self.element_count(file)?).unwrap_or(u64::MAX);
        let size = u64::try_from(self.dtype.size_bytes()).unwrap_or(u64::MAX);
        Ok(elements.saturating_mul(size))
    }

    /// Magic, version and dictionary, as numpy writes them, or `None` if npy has no name for the dtype.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let descr = descr(self.dtype, self.big_endian)?;
        let order = if self.column_major { "True" } else { "False" };
        let shape = match self.shape.as_slice() {
            [] => "()".to_owned(),
            [one] => format!("({one},)"),
            axes => format!(
                "({})",
                axes.iter()
                    .map(usize::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        let growing = if self.column_major {
            self.shape.last()
        } else {
            self.shape.first()
        };
        if let Some(axis) = growing {
            text.push_str(&" ".repeat(GROWTH_DIGITS.saturating_sub(axis.to_string().len())));
        }
        // Version 2.0 only when the two length bytes of version 1.0 do not suffice.
        let padded = |preamble: usize| text.len() + 1 + ALIGN - (preamble + text.len() + 1) % ALIGN;
        let (version, length) = match u16::try_from(padded(10)) {
            Ok(length) => ([1, 0], length.to_le_bytes().to_vec()),
            Err(_) => (
                [2, 0],
                u32::try_from(padded(12)).ok()?.to_le_bytes().to_vec(),
            ),
        };
        let mut bytes = [MAGIC.as_slice(), &version, &length].concat();
        let end = bytes.len() + padded(bytes.len());
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(end - 1, b' ');
        bytes.push(b'\n');
        Some(bytes)
    }
}

/// numpy's letter for each dtype; the number behind it is the element's size.
const KINDS: [(DType, u8); 14] = [
    (DType::Bool, b'b'),
    (DType::I8, b'i'),
    (DType::I16, b'i'),
    (DType::I32, b'i'),
    (DType::I64, b'i'),
    (DType::U8, b'u'),
    (DType::U16, b'u'),
    (DType::U32, b'u'),
    (DType::U64, b'u'),
    (DType::F16, b'f'),
    (DType::F32, b'f'),
    (DType::F64, b'f'),
    (DType::C32, b'c'),
    (DType::C64, b'c'),
];

/// Reads a type such as `<f4`: byte order, kind, bytes.
fn parse_descr(descr: &str) -> Option<(DType, bool)> {
    let (&[order, kind], size) = descr.as_bytes().split_first_chunk::<2>()?;
    let size: usize = match size {
        [b'0'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'] => {
            std::str::from_utf8(size).ok()?.parse().ok()?
        }
        _ => return None,
    };
    let (dtype, _) = *KINDS
        .iter()
        .find(|(dtype, letter)| *letter == kind && dtype.size_bytes() == size)?;
    match order {
        b'<' => Some((dtype, false)),
        b'>' => Some((dtype, true)),
        b'=' => Some((dtype, cfg!(target_endian = "big"))),
        // No byte order: only a single byte needs none.
        b'|' if size == 1 => Some((dtype, false)),
        _ => None,
    }
}

/// Writes a type as numpy does; `None` for a dtype that numpy has no name for.
fn descr(dtype: DType, big_endian: bool) -> Option<String> {
    let (_, kind) = *KINDS.iter().find(|(known, _)| *known == dtype)?;
    let order = match (dtype.size_bytes(), big_endian) {
        (1, _) => '|',
        (_, true) => '>',
        (_, false) => '<',
    };
    Some(format!("{order}{}{}", char::from(kind), dtype.size_bytes()))
}

/// A reader of the few Python literals that a header may hold.
struct Literal<'a> {
    file: &'a str,
    text: &'a [u8],
    at: usize,
}

impl Literal<'_> {
    fn error(&self, expected: &'static str) -> FileError {
        FileError::Header {
            file: self.file.to_owned(),
            at: self.at,
            expected,
        }
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Takes `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), FileError> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    fn end(&mut self) -> Result<(), FileError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("nothing after the dictionary")),
        }
    }

    /// A quoted string of printable ASCII without escapes.
    fn string(&mut self) -> Result<String, FileError> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.error("a quoted string (structured types are not supported)")),
        };
        let rest = &self.text[self.at + 1..];
        let length = rest
            .iter()
            .position(|&byte| byte == quote || !(b' '..=b'~').contains(&byte) || byte == b'\\');
        match length {
            Some(length) if rest[length] == quote => {
                self.at += length + 2;
                Ok(rest[..length].iter().copied().map(char::from).collect())
            }
            _ => Err(self.error("a string of plain characters with its closing quote")),
        }
    }

    fn boolean(&mut self) -> Result<bool, FileError> {
        self.peek();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("True or False"))
    }

    /// A tuple of extents: `()`, `(3,)`, `(2, 3)`.
    fn shape(&mut self) -> Result<Vec<usize>, FileError> {
        self.expect(b'(', "`(`")?;
        let mut shape = Vec::new();
        while !self.take(b')') {
            shape.push(self.extent()?);
            if self.take(b',') {
                continue;
            }
            if shape.len() == 1 {
                return Err(self.error("`,` (a number in parentheses is no tuple)"));
            }
            self.expect(b')', "`,` or `)`")?;
            break;
        }
        Ok(shape)
    }

    /// A decimal number; Python 2 put an `L` behind large ones.
    fn extent(&mut self) -> Result<usize, FileError> {
        self.peek();
        let rest = &self.text[self.at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits])
            .ok()
            .and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.error("an extent, from 0 to the largest usize"))?;
        self.at += digits + usize::from(rest.get(digits) == Some(&b'L'));
        Ok(number)
    }
}

#[cfg(test)]
mod tests;
