//! Metadata of GGUF files: numbers, texts and arrays of them.
//!
//! `Display` is for people: texts as they are, and of long arrays the first values and their number.

use std::fmt;

/// A value of the metadata, in the type that the file gives it.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are those of the types")]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    Text(String),
    Array(Array),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// Values of one type. Vocabularies have hundreds of thousands, so they are kept as plain vectors.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are those of the types")]
pub enum Array {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    Bool(Vec<bool>),
    Text(Vec<String>),
    Array(Vec<Array>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

impl Value {
    /// The integer, if this is one that is not negative. Files differ in the widths that they use.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::U8(value) => Some(value.into()),
            Self::U16(value) => Some(value.into()),
            Self::U32(value) => Some(value.into()),
            Self::U64(value) => Some(value),
            Self::I8(value) => value.try_into().ok(),
            Self::I16(value) => value.try_into().ok(),
            Self::I32(value) => value.try_into().ok(),
            Self::I64(value) => value.try_into().ok(),
            _ => None,
        }
    }

    /// The number as a float, if this is a float.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::F32(value) => Some(value.into()),
            Self::F64(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(value) => Some(value),
            _ => None,
        }
    }

    /// The array, if this is one.
    #[must_use]
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(value) => Some(value),
            _ => None,
        }
    }
}

impl Array {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::I8(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::I16(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Array(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of an array that are shown.
const SHOWN: usize = 8;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U8(value) => value.fmt(f),
            Self::I8(value) => value.fmt(f),
            Self::U16(value) => value.fmt(f),
            Self::I16(value) => value.fmt(f),
            Self::U32(value) => value.fmt(f),
            Self::I32(value) => value.fmt(f),
            Self::F32(value) => value.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
            Self::Array(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            Self::I64(value) => value.fmt(f),
            Self::F64(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(
            f: &mut fmt::Formatter<'_>,
            values: &[T],
            one: impl Fn(&T) -> String,
        ) -> fmt::Result {
            let shown: Vec<String> = values.iter().take(SHOWN).map(one).collect();
            write!(f, "[{}", shown.join(", "))?;
            if values.len() > SHOWN {
                write!(f, ", ... {} in all", values.len())?;
            }
            f.write_str("]")
        }
        match self {
            Self::U8(values) => list(f, values, u8::to_string),
            Self::I8(values) => list(f, values, i8::to_string),
            Self::U16(values) => list(f, values, u16::to_string),
            Self::I16(values) => list(f, values, i16::to_string),
            Self::U32(values) => list(f, values, u32::to_string),
            Self::I32(values) => list(f, values, i32::to_string),
            Self::F32(values) => list(f, values, f32::to_string),
            Self::Bool(values) => list(f, values, bool::to_string),
            Self::Text(values) => list(f, values, |text| format!("{text:?}")),
            Self::Array(values) => list(f, values, Self::to_string),
            Self::U64(values) => list(f, values, u64::to_string),
            Self::I64(values) => list(f, values, i64::to_string),
            Self::F64(values) => list(f, values, f64::to_string),
        }
    }
}
