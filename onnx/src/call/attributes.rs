//! The attributes of a node, read one by one.

use tensor::Tensor;

use super::{Call, Stop};
use crate::element::{self, Element};
use crate::error::ProblemKind;
use crate::proto::{AttributeProto, attribute_kind as kind};

impl<'a> Call<'a> {
    /// Records a problem of this node.
    pub(crate) fn refuse(&mut self, problem: ProblemKind) {
        self.problems.push(problem);
    }

    /// Records that an attribute's value is wrong or not supported.
    pub(crate) fn refuse_attribute(
        &mut self,
        name: &'static str,
        value: impl ToString,
        reason: impl Into<String>,
    ) {
        let (value, reason) = (value.to_string(), reason.into());
        self.refuse(ProblemKind::Attribute {
            name,
            value,
            reason,
        });
    }

    /// Records a problem of this node and stops.
    pub(crate) fn fail<T>(&mut self, problem: ProblemKind) -> Result<T, Stop> {
        self.refuse(problem);
        Err(Stop)
    }

    /// Whether the node has the attribute.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.proto.attribute.iter().any(|a| a.name == name)
    }

    /// Reads an attribute of a type, if it is there.
    fn attribute<T>(
        &mut self,
        name: &'static str,
        want: i32,
        expected: &'static str,
        read: impl Fn(&'a AttributeProto) -> Option<T>,
    ) -> Option<T> {
        let attribute = self.proto.attribute.iter().find(|a| a.name == name)?;
        // Files of the first format version have no type; then the field that is set tells.
        let typed = attribute.kind == want || attribute.kind == kind::UNDEFINED;
        let value = read(attribute).filter(|_| typed);
        if value.is_none() {
            self.refuse(ProblemKind::AttributeType { name, expected });
        }
        value
    }

    /// An integer attribute, if it is there.
    pub(crate) fn optional_int(&mut self, name: &'static str) -> Option<i64> {
        self.attribute(name, kind::INT, "an integer", |a| {
            // A writer may leave out a field that is 0.
            a.i.or((a.kind == kind::INT).then_some(0))
        })
    }

    /// An integer attribute.
    pub(crate) fn int(&mut self, name: &'static str, default: i64) -> i64 {
        self.optional_int(name).unwrap_or(default)
    }

    /// An integer attribute that must be there.
    pub(crate) fn required_int(&mut self, name: &'static str) -> i64 {
        if !self.has(name) {
            self.refuse(ProblemKind::MissingAttribute { name });
        }
        self.int(name, 0)
    }

    /// An integer attribute that is 0 or 1.
    pub(crate) fn flag(&mut self, name: &'static str, default: bool) -> bool {
        match self.optional_int(name) {
            None => default,
            Some(0) => false,
            Some(1) => true,
            Some(other) => {
                self.refuse_attribute(name, other, "must be 0 or 1");
                default
            }
        }
    }

    /// A float attribute, if it is there.
    pub(crate) fn optional_float(&mut self, name: &'static str) -> Option<f32> {
        self.attribute(name, kind::FLOAT, "a float", |a| {
            a.f.or((a.kind == kind::FLOAT).then_some(0.0))
        })
    }

    /// A float attribute.
    pub(crate) fn float(&mut self, name: &'static str, default: f32) -> f32 {
        self.optional_float(name).unwrap_or(default)
    }

    /// A text that is one of a few words.
    pub(crate) fn word<T>(
        &mut self,
        name: &'static str,
        default: T,
        named: impl Fn(&str) -> Option<T>,
    ) -> T {
        if !self.has(name) {
            return default;
        }
        let text = self.text(name, "");
        named(&text).unwrap_or_else(|| {
            self.refuse_attribute(
                name,
                format!("{text:?}"),
                "is none of the words of this opset",
            );
            default
        })
    }

    /// An integer attribute that is a count.
    pub(crate) fn count(&mut self, name: &'static str, default: usize) -> usize {
        let Some(value) = self.optional_int(name) else {
            return default;
        };
        usize::try_from(value).unwrap_or_else(|_| {
            self.refuse_attribute(name, value, "can't be negative");
            default
        })
    }

    /// A list of integers that must be there.
    pub(crate) fn required_ints(&mut self, name: &'static str) -> Vec<i64> {
        if !self.has(name) {
            self.refuse(ProblemKind::MissingAttribute { name });
        }
        self.ints(name).unwrap_or_default()
    }

    /// A list of integers, if it is there.
    pub(crate) fn ints(&mut self, name: &'static str) -> Option<Vec<i64>> {
        self.attribute(name, kind::INTS, "a list of integers", |a| {
            (a.kind == kind::INTS || !a.ints.is_empty()).then(|| a.ints.clone())
        })
    }

    /// A list of floats, if it is there.
    pub(crate) fn floats(&mut self, name: &'static str) -> Option<Vec<f32>> {
        self.attribute(name, kind::FLOATS, "a list of floats", |a| {
            (a.kind == kind::FLOATS || !a.floats.is_empty()).then(|| a.floats.clone())
        })
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &'static str, default: &str) -> String {
        let text = self.attribute(name, kind::STRING, "a text", |a| match &a.s {
            Some(bytes) => std::str::from_utf8(bytes).ok().map(str::to_owned),
            None => (a.kind == kind::STRING).then(String::new),
        });
        text.unwrap_or_else(|| default.to_owned())
    }

    /// The element type that an attribute names by its number, if it is there; 0 is as if it were not.
    pub(crate) fn optional_element(&mut self, name: &'static str) -> Option<Element> {
        let number = self.optional_int(name).filter(|&number| number != 0)?;
        let code = i32::try_from(number).unwrap_or(-1);
        let found = element::element(code).filter(|element| !element.dtype.is_complex());
        if found.is_none() {
            let reason = "this element type is not supported here";
            self.refuse_attribute(name, element::name(code), reason);
        }
        found
    }

    /// The element type of a tensor, if it is there.
    pub(crate) fn tensor_element(&self, name: &str) -> Option<Element> {
        let attribute = self.proto.attribute.iter().find(|a| a.name == name)?;
        element::element(attribute.t.as_ref()?.data_type)
    }

    /// A list of texts, if it is there.
    pub(crate) fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        self.attribute(name, kind::STRINGS, "a list of texts", |a| {
            let texts = a.strings.iter().map(|bytes| std::str::from_utf8(bytes));
            let texts: Result<Vec<&str>, _> = texts.collect();
            let is_list = a.kind == kind::STRINGS || !a.strings.is_empty();
            let texts = texts.ok().filter(|_| is_list)?;
            Some(texts.into_iter().map(str::to_owned).collect())
        })
    }

    /// A tensor, if it is there.
    pub(crate) fn tensor(&mut self, name: &'static str) -> Option<Tensor> {
        let proto = self.attribute(name, kind::TENSOR, "a tensor", |a| a.t.as_deref())?;
        match crate::tensor::decode(proto) {
            Ok(tensor) => Some(tensor),
            Err(problem) => {
                self.refuse(problem.into());
                None
            }
        }
    }
}
