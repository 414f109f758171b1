//! Element types as values.
//!
//! One table, the call of [`define_scalar_tag!`](crate::define_scalar_tag) below, makes the tag enum, its specs, names,
//! sizes and the two parallel constant tables, so that a preset can't exist in one of them and be missing in another. The
//! first seven rows and their levels are fixed; presets that rank below them carry negative levels.
//!
//! Invariant: [`DType::TAGS`] and [`DType::SPECS`] have the same order; `External` is in neither.
#![expect(
    clippy::allow_attributes,
    reason = "define_scalar_tag! can't know whether its caller uses every table"
)]

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

/// What family of numbers a dtype belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum MemberKind {
    /// Truth values.
    Boolean,
    /// Signed integers in two's complement.
    Integer,
    /// Unsigned integers.
    UnsignedInteger,
    /// Real floating point.
    Float,
    /// Pairs of floating point numbers.
    Complex,
    /// A scalar defined outside this crate.
    External,
}

/// One row of the dtype table: family, rank inside the family, width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct MemberSpec {
    /// The family.
    pub kind: MemberKind,
    /// Rank inside the family: of two members of one kind the higher level wins a promotion.
    pub level: i32,
    /// Width in bits; of one component for complex numbers, 0 for booleans and externals.
    pub width: u32,
}

impl MemberSpec {
    /// A spec from its three parts.
    #[must_use]
    pub const fn new(kind: MemberKind, level: i32, width: u32) -> Self {
        Self { kind, level, width }
    }
}

/// Identifies a scalar type that is defined outside this crate.
///
/// The id is a 32-bit FNV-1a hash of a name which the type's author chooses (say, `"tropical.max_plus"`), so it is
/// constant, the same in every run, and needs no registry. `Display` and `FromStr` use `external#` and the hash as eight
/// hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalId(u32);

/// As `Display`: the text that [`DType`] and error texts show.
impl fmt::Debug for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl ExternalId {
    /// The id of the external scalar called `name`.
    #[must_use]
    #[expect(
        clippy::as_conversions,
        reason = "u8 to u32 is lossless and From is not const"
    )]
    pub const fn from_name(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0x811c_9dc5_u32;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
            i += 1;
        }
        Self(hash)
    }

    /// The raw hash, for files and cache keys.
    #[must_use]
    pub const fn to_u32(self) -> u32 {
        self.0
    }

    /// The id whose raw hash is `raw`; the inverse of [`ExternalId::to_u32`].
    #[must_use]
    pub const fn from_u32(raw: u32) -> Self {
        Self(raw)
    }
}

impl fmt::Display for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("external#{:08x}", self.0))
    }
}

/// A text that is no [`ExternalId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no id of an external scalar; write external# and eight hexadecimal digits, such as external#e40c292c"
)]
pub struct ParseExternalIdError {
    /// The text that was given.
    pub text: String,
}

impl FromStr for ExternalId {
    type Err = ParseExternalIdError;

    fn from_str(text: &str) -> Result<Self, ParseExternalIdError> {
        text.strip_prefix("external#")
            .filter(|hex| hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .map(Self)
            .ok_or_else(|| ParseExternalIdError {
                text: text.to_owned(),
            })
    }
}

crate::define_scalar_tag! {
    /// The type of a tensor's elements, as a value.
    ///
    /// `Display` and `FromStr` use the short names (`f32`, `i64`, `bool`, ...); an external scalar reads
    /// `external#` and eight hexadecimal digits.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DType {
        /// IEEE 754 single precision.
        F32("f32") => f32 : Float 0 32,
        /// IEEE 754 double precision.
        F64("f64") => f64 : Float 1 64,
        /// Signed 32-bit integer.
        I32("i32") => i32 : Integer 0 32,
        /// Signed 64-bit integer.
        I64("i64") => i64 : Integer 1 64,
        /// Truth value, one byte, 0 or 1.
        Bool("bool") => bool : Boolean 0 0,
        /// Complex number of two `f32`.
        C32("c32") => Complex32 : Complex 0 32,
        /// Complex number of two `f64`.
        C64("c64") => Complex64 : Complex 1 64,
        /// IEEE 754 half precision.
        F16("f16") => f16 : Float -1 16,
        /// The upper half of an `f32`.
        BF16("bf16") => bf16 : Float -1 16,
        /// Signed 8-bit integer.
        I8("i8") => i8 : Integer -2 8,
        /// Signed 16-bit integer.
        I16("i16") => i16 : Integer -1 16,
        /// Unsigned 8-bit integer.
        U8("u8") => u8 : UnsignedInteger 0 8,
        /// Unsigned 16-bit integer.
        U16("u16") => u16 : UnsignedInteger 1 16,
        /// Unsigned 32-bit integer.
        U32("u32") => u32 : UnsignedInteger 2 32,
        /// Unsigned 64-bit integer.
        U64("u64") => u64 : UnsignedInteger 3 64,
    }
    external External(ExternalId);
}

impl DType {
    /// Whether this is a real floating point type.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self.spec().kind, MemberKind::Float)
    }

    /// Whether this is an integer type, signed or not; `bool` is none.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        matches!(
            self.spec().kind,
            MemberKind::Integer | MemberKind::UnsignedInteger
        )
    }

    /// Whether this is a signed integer type.
    #[must_use]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self.spec().kind, MemberKind::Integer)
    }

    /// Whether this is an unsigned integer type.
    #[must_use]
    pub const fn is_unsigned_integer(self) -> bool {
        matches!(self.spec().kind, MemberKind::UnsignedInteger)
    }

    /// Whether this is a complex type.
    #[must_use]
    pub const fn is_complex(self) -> bool {
        matches!(self.spec().kind, MemberKind::Complex)
    }

    /// Whether this is `bool`.
    #[must_use]
    pub const fn is_bool(self) -> bool {
        matches!(self, Self::Bool)
    }

    /// Whether this is a scalar defined outside this crate.
    #[must_use]
    pub const fn is_external(self) -> bool {
        matches!(self, Self::External(_))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External(id) => id.fmt(f),
            preset => f.pad(preset.name()),
        }
    }
}

/// A text that names no dtype.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` names no dtype; use one of f32, f64, i32, i64, bool, c32, c64, f16, bf16, i8, i16, u8, u16, u32, u64 or external#xxxxxxxx"
)]
pub struct ParseDTypeError {
    /// The text that was given.
    pub text: String,
}

impl FromStr for DType {
    type Err = ParseDTypeError;

    fn from_str(text: &str) -> Result<Self, ParseDTypeError> {
        if let Some(tag) = Self::TAGS.iter().find(|tag| tag.name() == text) {
            return Ok(*tag);
        }
        text.parse()
            .map(Self::External)
            .map_err(|error: ParseExternalIdError| ParseDTypeError { text: error.text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_specs_are_parallel_and_start_with_the_fixed_seven() {
        use MemberKind::{Boolean, Complex, Float, Integer};
        assert_eq!(DType::TAGS.len(), 15);
        assert_eq!(DType::SPECS.len(), 15);
        for (tag, spec) in DType::TAGS.iter().zip(DType::SPECS) {
            assert_eq!(tag.spec(), *spec, "{tag}");
        }
        let seven = [
            (DType::F32, Float, 0, 32),
            (DType::F64, Float, 1, 64),
            (DType::I32, Integer, 0, 32),
            (DType::I64, Integer, 1, 64),
            (DType::Bool, Boolean, 0, 0),
            (DType::C32, Complex, 0, 32),
            (DType::C64, Complex, 1, 64),
        ];
        for (i, (tag, kind, level, width)) in seven.into_iter().enumerate() {
            assert_eq!(DType::TAGS[i], tag);
            assert_eq!(tag.spec(), MemberSpec::new(kind, level, width));
        }
    }

    #[test]
    fn sizes_and_names() {
        let rows = [
            ("f32", 4, true, false),
            ("f64", 8, true, false),
            ("i32", 4, false, true),
            ("i64", 8, false, true),
            ("bool", 1, false, false),
            ("c32", 8, false, false),
            ("c64", 16, false, false),
            ("f16", 2, true, false),
            ("bf16", 2, true, false),
            ("i8", 1, false, true),
            ("i16", 2, false, true),
            ("u8", 1, false, true),
            ("u16", 2, false, true),
            ("u32", 4, false, true),
            ("u64", 8, false, true),
        ];
        assert_eq!(rows.len(), DType::TAGS.len());
        for (tag, (name, size, float, integer)) in DType::TAGS.iter().zip(rows) {
            assert_eq!((tag.name(), tag.size_bytes()), (name, size));
            assert_eq!(
                (tag.is_float(), tag.is_integer()),
                (float, integer),
                "{name}"
            );
            assert_eq!(name.parse::<DType>().unwrap(), *tag);
            assert_eq!(tag.to_string(), name);
        }
        assert!(std::mem::size_of::<DType>() <= 8);
        assert!(std::mem::size_of::<Option<DType>>() <= 8);
    }

    #[test]
    fn external_ids_are_stable_and_parse_back() {
        // FNV-1a of "a" is a published test vector.
        assert_eq!(ExternalId::from_name("a").to_u32(), 0xe40c_292c);
        let tag = DType::External(ExternalId::from_name("tropical.max_plus"));
        assert_eq!(tag.to_string().parse::<DType>().unwrap(), tag);
        assert_eq!(tag.spec(), MemberSpec::new(MemberKind::External, 0, 0));
        assert_eq!(
            (tag.size_bytes(), tag.name(), tag.is_external()),
            (0, "external", true)
        );
    }

    #[test]
    fn hostile_names_are_typed_errors() {
        for text in [
            "",
            "F32",
            "f32 ",
            "float",
            "external",
            "external#",
            "external#+1234567",
            "external#123456789",
        ] {
            let error = text.parse::<DType>().unwrap_err();
            assert_eq!(error.text, text);
            assert!(error.to_string().contains("names no dtype"));
        }
    }
}
