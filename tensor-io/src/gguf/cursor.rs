//! A place in the bytes of a GGUF file, and the values that begin there.

use super::value::{Array, Value};
use crate::element::ByteOrder;
use crate::error::FileError;
use crate::mapping::length;

/// Headers above this are refused: the vocabularies of language models take a few MiB.
pub(super) const MAX_HEADER_BYTES: usize = 1 << 30;

/// Arrays in arrays end here. No file is known to have any.
const MAX_DEPTH: usize = 16;

pub(super) struct Cursor<'a> {
    pub(super) file: &'a str,
    /// The file, up to [`MAX_HEADER_BYTES`].
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) order: ByteOrder,
}

/// A number of `N` bytes.
macro_rules! number {
    ($cursor:expr, $Type:ty, $what:expr) => {{
        let bytes = $cursor.take(size_of::<$Type>(), $what)?;
        let mut array = [0; size_of::<$Type>()];
        array.copy_from_slice(bytes);
        match $cursor.order {
            ByteOrder::Little => <$Type>::from_le_bytes(array),
            ByteOrder::Big => <$Type>::from_be_bytes(array),
        }
    }};
}

impl<'a> Cursor<'a> {
    pub(super) fn malformed(
        &self,
        what: &'static str,
        found: impl ToString,
        expected: &str,
    ) -> FileError {
        FileError::Malformed {
            file: self.file.to_owned(),
            at: length(&self.bytes[..self.at]),
            what,
            found: found.to_string(),
            expected: expected.to_owned(),
        }
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], FileError> {
        if count > self.left() {
            self.check_limit(count)?;
            let start = length(&self.bytes[..self.at]);
            return Err(FileError::OutsideFile {
                file: self.file.to_owned(),
                what,
                start,
                end: start.saturating_add(u64::try_from(count).unwrap_or(u64::MAX)),
                length: length(self.bytes),
            });
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, FileError> {
        Ok(number!(self, u32, what))
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, FileError> {
        Ok(number!(self, u64, what))
    }

    /// A number of things of which each takes at least `least` bytes of those that are left.
    pub(super) fn count(&mut self, least: usize, what: &'static str) -> Result<usize, FileError> {
        let count = self.u64(what)?;
        self.fits(count, least, what)
    }

    /// `count` as a size in memory, if so many things of at least `least` bytes can be left.
    pub(super) fn fits(
        &self,
        count: u64,
        least: usize,
        what: &'static str,
    ) -> Result<usize, FileError> {
        let most = self.left() / least;
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            size => {
                self.check_limit(size.unwrap_or(usize::MAX).saturating_mul(least))?;
                let expected = format!("at most {most}, since {} bytes are left", self.left());
                Err(self.malformed(what, count, &expected))
            }
        }
    }

    /// Whether `more` bytes are too many for a header, rather than for the file.
    fn check_limit(&self, more: usize) -> Result<(), FileError> {
        if self.bytes.len() < MAX_HEADER_BYTES {
            return Ok(());
        }
        let bytes = self.at.saturating_add(more);
        Err(FileError::AboveLimit {
            file: self.file.to_owned(),
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            limit: u64::try_from(MAX_HEADER_BYTES).unwrap_or(u64::MAX),
        })
    }

    pub(super) fn text(&mut self, what: &'static str) -> Result<String, FileError> {
        let count = self.count(1, what)?;
        let bytes = self.take(count, what)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => {
                let shown = &bytes[..bytes.len().min(32)];
                Err(self.malformed(what, format!("{shown:02x?}"), "UTF-8"))
            }
        }
    }

    fn bool(&mut self) -> Result<bool, FileError> {
        match self.take(1, "a bool")? {
            [0] => Ok(false),
            [1] => Ok(true),
            other => Err(self.malformed("a bool", format!("{other:02x?}"), "0 or 1")),
        }
    }

    pub(super) fn value(&mut self) -> Result<Value, FileError> {
        Ok(match self.u32("the type of a value")? {
            0 => Value::U8(number!(self, u8, "a value")),
            1 => Value::I8(number!(self, i8, "a value")),
            2 => Value::U16(number!(self, u16, "a value")),
            3 => Value::I16(number!(self, i16, "a value")),
            4 => Value::U32(number!(self, u32, "a value")),
            5 => Value::I32(number!(self, i32, "a value")),
            6 => Value::F32(number!(self, f32, "a value")),
            7 => Value::Bool(self.bool()?),
            8 => Value::Text(self.text("a text")?),
            9 => Value::Array(self.array(0)?),
            10 => Value::U64(number!(self, u64, "a value")),
            11 => Value::I64(number!(self, i64, "a value")),
            12 => Value::F64(number!(self, f64, "a value")),
            other => return Err(self.malformed("the type of a value", other, "0 to 12")),
        })
    }

    fn array(&mut self, depth: usize) -> Result<Array, FileError> {
        if depth == MAX_DEPTH {
            return Err(self.malformed("an array", "one too many in an array", "at most 16"));
        }
        macro_rules! numbers {
            ($Type:ty) => {{
                let count = self.count(size_of::<$Type>(), "the length of an array")?;
                let mut values = self.room(count)?;
                for _ in 0..count {
                    values.push(number!(self, $Type, "an array"));
                }
                values
            }};
        }
        Ok(match self.u32("the type of an array")? {
            0 => Array::U8(numbers!(u8)),
            1 => Array::I8(numbers!(i8)),
            2 => Array::U16(numbers!(u16)),
            3 => Array::I16(numbers!(i16)),
            4 => Array::U32(numbers!(u32)),
            5 => Array::I32(numbers!(i32)),
            6 => Array::F32(numbers!(f32)),
            7 => Array::Bool(self.many(1, Self::bool)?),
            // The length alone takes eight bytes, type and length of an array twelve.
            8 => Array::Text(self.many(8, |cursor| cursor.text("a text"))?),
            9 => Array::Array(self.many(12, |cursor| cursor.array(depth + 1))?),
            10 => Array::U64(numbers!(u64)),
            11 => Array::I64(numbers!(i64)),
            12 => Array::F64(numbers!(f64)),
            other => return Err(self.malformed("the type of an array", other, "0 to 12")),
        })
    }

    /// An empty vector with room for `count` values.
    fn room<T>(&self, count: usize) -> Result<Vec<T>, FileError> {
        let mut values = Vec::new();
        values
            .try_reserve_exact(count)
            .map_err(|_| FileError::OutOfMemory {
                file: self.file.to_owned(),
                bytes: u64::try_from(count.saturating_mul(size_of::<T>())).unwrap_or(u64::MAX),
            })?;
        Ok(values)
    }

    fn many<T>(
        &mut self,
        least: usize,
        mut one: impl FnMut(&mut Self) -> Result<T, FileError>,
    ) -> Result<Vec<T>, FileError> {
        let count = self.count(least, "the length of an array")?;
        let mut values = self.room(count)?;
        for _ in 0..count {
            values.push(one(self)?);
        }
        Ok(values)
    }
}
