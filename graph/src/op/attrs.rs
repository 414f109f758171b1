//! Attributes as the text form writes them, and their typed readers.

use std::fmt;

use tensor_core::DType;

use crate::Dim;

/// The text of one attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    /// A number, kept as its shortest exact text.
    Number(String),
    /// A word: `true`, `f32`.
    Word(String),
    /// A list of extents or integers.
    List(Vec<Dim>),
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Number(text) | Attr::Word(text) => f.write_str(text),
            Attr::List(dims) => {
                f.write_str("[")?;
                for (i, dim) in dims.iter().enumerate() {
                    write!(f, "{}{dim}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}

/// Attributes by name, in the order of the op's definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(Vec<(String, Attr)>);

/// The result of reading an attribute; the error is a sentence for the parser's report.
type Read<T> = Result<T, String>;

impl Attrs {
    /// No attributes.
    pub fn new() -> Self {
        Attrs::default()
    }

    /// The attributes in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attr)> {
        self.0.iter().map(|(name, attr)| (name.as_str(), attr))
    }

    /// Adds an attribute as parsed.
    pub fn push(&mut self, name: impl Into<String>, attr: Attr) {
        self.0.push((name.into(), attr));
    }

    pub(crate) fn with(mut self, name: &str, attr: Attr) -> Self {
        self.push(name, attr);
        self
    }

    pub(crate) fn with_int(self, name: &str, value: i64) -> Self {
        self.with(name, Attr::Number(value.to_string()))
    }

    pub(crate) fn with_f32(self, name: &str, value: f32) -> Self {
        self.with(name, Attr::Number(format!("{value:?}")))
    }

    pub(crate) fn with_bool(self, name: &str, value: bool) -> Self {
        self.with(name, Attr::Word(value.to_string()))
    }

    pub(crate) fn with_word(self, name: &str, word: &str) -> Self {
        self.with(name, Attr::Word(word.to_owned()))
    }

    pub(crate) fn with_usize(self, name: &str, value: usize) -> Self {
        self.with(name, Attr::Number(value.to_string()))
    }

    pub(crate) fn with_dims(self, name: &str, dims: impl IntoIterator<Item = Dim>) -> Self {
        self.with(name, Attr::List(dims.into_iter().collect()))
    }

    pub(crate) fn with_usizes(self, name: &str, values: &[usize]) -> Self {
        self.with_dims(name, values.iter().map(|&v| Dim::from(v)))
    }

    pub(crate) fn with_ints(self, name: &str, values: &[i64]) -> Self {
        self.with_dims(name, values.iter().map(|&v| Dim::Known(v)))
    }

    fn get(&self, name: &str) -> Read<&Attr> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, attr)| attr)
            .ok_or_else(|| format!("attribute {name} is missing"))
    }

    /// Reads with `read` if the attribute is there.
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        read: fn(&Attrs, &str) -> Read<T>,
    ) -> Read<Option<T>> {
        if self.get(name).is_ok() {
            read(self, name).map(Some)
        } else {
            Ok(None)
        }
    }

    fn parse<T: std::str::FromStr>(&self, name: &str, what: &str) -> Read<T> {
        match self.get(name)? {
            Attr::Number(text) | Attr::Word(text) => text.parse().ok(),
            Attr::List(_) => None,
        }
        .ok_or_else(|| format!("attribute {name} is not {what}"))
    }

    pub(crate) fn int(&self, name: &str) -> Read<i64> {
        self.parse(name, "an integer")
    }

    pub(crate) fn usize(&self, name: &str) -> Read<usize> {
        self.parse(name, "a count")
    }

    pub(crate) fn f32(&self, name: &str) -> Read<f32> {
        self.parse(name, "a number")
    }

    pub(crate) fn bool(&self, name: &str) -> Read<bool> {
        self.parse(name, "true or false")
    }

    /// Reads a word by what it stands for.
    pub(crate) fn word<T>(&self, name: &str, named: fn(&str) -> Option<T>) -> Read<T> {
        let found = match self.get(name)? {
            Attr::Word(text) => named(text),
            Attr::Number(_) | Attr::List(_) => None,
        };
        found.ok_or_else(|| format!("attribute {name} is none of its words"))
    }

    pub(crate) fn dtype(&self, name: &str) -> Read<DType> {
        self.parse(name, "a dtype")
    }

    pub(crate) fn dims(&self, name: &str) -> Read<Vec<Dim>> {
        match self.get(name)? {
            Attr::List(dims) => Ok(dims.clone()),
            Attr::Number(_) | Attr::Word(_) => Err(format!("attribute {name} is not a list")),
        }
    }

    pub(crate) fn ints(&self, name: &str) -> Read<Vec<i64>> {
        let list: Option<Vec<i64>> = self.dims(name)?.iter().map(Dim::as_known).collect();
        list.ok_or_else(|| format!("attribute {name} is not a list of integers"))
    }

    pub(crate) fn usizes(&self, name: &str) -> Read<Vec<usize>> {
        let list: Option<Vec<usize>> = self.dims(name)?.iter().map(Dim::as_extent).collect();
        list.ok_or_else(|| format!("attribute {name} is not a list of counts"))
    }
}

/// Declares an enum whose variants each have a word in texts; the words are those of ONNX.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $Name:ident { $($(#[$doc:meta])* $Variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Name {
            $($(#[$doc])* $Variant,)+
        }

        impl $Name {
            /// The word in texts.
            pub fn name(self) -> &'static str {
                match self {
                    $($Name::$Variant => $word,)+
                }
            }

            /// What the word stands for.
            pub fn named(word: &str) -> Option<$Name> {
                match word {
                    $($word => Some($Name::$Variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use words;
