//! A walk over the undecoded file that bounds what decoding it may cost.
//!
//! A message of no fields takes two bytes of a file and a whole struct in memory, so a small file can
//! ask for a lot. The walk follows the messages that [`crate::proto`] declares and adds up what
//! decoding will allocate: buffers as `Vec` grows them (with the old buffer still alive), texts, boxes.
//! It allocates nothing itself. It also finds the byte where a file is cut short.
//!
//! Invariant: a file that passes can be decoded within the budget, and nests at most [`DEPTH`] deep.

use crate::proto;

/// Memory that a file may take for each of its bytes.
const FACTOR: usize = 64;

/// Memory that any file may take.
const FLOOR_BYTES: usize = 1 << 20;

/// Messages within messages.
const DEPTH: usize = 90;

/// What may still be spent on a file.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) limit_bytes: usize,
    left_bytes: usize,
}

/// The budget is spent.
#[derive(Debug)]
pub(crate) struct Spent;

impl Budget {
    /// The budget of a file of this size.
    pub(crate) fn of_file(bytes: usize) -> Budget {
        let limit_bytes = bytes.saturating_mul(FACTOR).max(FLOOR_BYTES);
        Budget {
            limit_bytes,
            left_bytes: limit_bytes,
        }
    }

    /// Takes `bytes` from the budget.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), Spent> {
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or(Spent)?;
        Ok(())
    }
}

/// Why the walk stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Not a message of this format.
    Malformed(String),
    /// Too much memory.
    Spent,
}

impl From<Spent> for Stop {
    fn from(_: Spent) -> Stop {
        Stop::Spent
    }
}

/// What a field holds.
enum Inner {
    /// A message.
    Message(&'static Schema),
    /// A message in a box of this many bytes.
    Boxed(&'static Schema, usize),
    /// A text, which is copied.
    Text,
    /// Numbers of variable width, packed or one at a time.
    Varints,
    /// Floats of the element's width, packed or one at a time.
    Floats,
}

struct Field {
    tag: u64,
    inner: Inner,
    /// Bytes of an element of the list; 0 for a field that is no list.
    element_bytes: usize,
}

/// The fields of a message that cost memory.
struct Schema(&'static [Field]);

/// The largest number of fields in a [`Schema`].
const MOST_FIELDS: usize = 8;

const fn one(tag: u64, inner: Inner) -> Field {
    Field {
        tag,
        inner,
        element_bytes: 0,
    }
}

const fn list<T>(tag: u64, inner: Inner) -> Field {
    Field {
        tag,
        inner,
        element_bytes: size_of::<T>(),
    }
}

const GRAPH_BOX: usize = size_of::<proto::GraphProto>();
const TENSOR_BOX: usize = size_of::<proto::TensorProto>();

static MODEL: Schema = Schema(&[
    one(2, Inner::Text),
    one(3, Inner::Text),
    one(7, Inner::Boxed(&GRAPH, GRAPH_BOX)),
    list::<proto::OperatorSetIdProto>(8, Inner::Message(&OPSET)),
    list::<proto::EntryProto>(14, Inner::Message(&ENTRY)),
    list::<proto::FunctionProto>(25, Inner::Message(&FUNCTION)),
]);
static ENTRY: Schema = Schema(&[one(1, Inner::Text), one(2, Inner::Text)]);
static OPSET: Schema = Schema(&[one(1, Inner::Text)]);
static FUNCTION: Schema = Schema(&[one(1, Inner::Text), one(10, Inner::Text)]);
static GRAPH: Schema = Schema(&[
    list::<proto::NodeProto>(1, Inner::Message(&NODE)),
    one(2, Inner::Text),
    list::<proto::TensorProto>(5, Inner::Message(&TENSOR)),
    list::<proto::ValueInfoProto>(11, Inner::Message(&VALUE_INFO)),
    list::<proto::ValueInfoProto>(12, Inner::Message(&VALUE_INFO)),
    list::<proto::SparseTensorProto>(15, Inner::Message(&SPARSE)),
]);
static NODE: Schema = Schema(&[
    list::<String>(1, Inner::Text),
    list::<String>(2, Inner::Text),
    one(3, Inner::Text),
    one(4, Inner::Text),
    list::<proto::AttributeProto>(5, Inner::Message(&ATTRIBUTE)),
    one(7, Inner::Text),
]);
static ATTRIBUTE: Schema = Schema(&[
    one(1, Inner::Text),
    one(5, Inner::Boxed(&TENSOR, TENSOR_BOX)),
    one(6, Inner::Boxed(&GRAPH, GRAPH_BOX)),
    list::<f32>(7, Inner::Floats),
    list::<i64>(8, Inner::Varints),
    list::<bytes::Bytes>(9, Inner::Text),
]);
static TENSOR: Schema = Schema(&[
    list::<i64>(1, Inner::Varints),
    list::<f32>(4, Inner::Floats),
    list::<i32>(5, Inner::Varints),
    list::<i64>(7, Inner::Varints),
    one(8, Inner::Text),
    list::<f64>(10, Inner::Floats),
    list::<u64>(11, Inner::Varints),
    list::<proto::EntryProto>(13, Inner::Message(&ENTRY)),
]);
static SPARSE: Schema = Schema(&[one(1, Inner::Boxed(&TENSOR, TENSOR_BOX))]);
static VALUE_INFO: Schema = Schema(&[one(1, Inner::Text), one(2, Inner::Message(&TYPE))]);
static TYPE: Schema = Schema(&[one(1, Inner::Message(&TENSOR_TYPE))]);
static TENSOR_TYPE: Schema = Schema(&[one(2, Inner::Message(&SHAPE))]);
static SHAPE: Schema = Schema(&[list::<proto::DimensionProto>(1, Inner::Message(&DIMENSION))]);
static DIMENSION: Schema = Schema(&[one(2, Inner::Text)]);

/// Walks over a `ModelProto` and spends what decoding it allocates.
pub(crate) fn check(file: &[u8], budget: &mut Budget) -> Result<(), Stop> {
    let mut walk = Walk {
        file,
        at: 0,
        budget,
    };
    walk.message(&MODEL, file.len(), DEPTH)
}

struct Walk<'a> {
    file: &'a [u8],
    at: usize,
    budget: &'a mut Budget,
}

impl Walk<'_> {
    fn malformed<T>(&self, reason: impl std::fmt::Display) -> Result<T, Stop> {
        Err(Stop::Malformed(format!("at byte {}: {reason}", self.at)))
    }

    fn varint(&mut self, end: usize) -> Result<u64, Stop> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.file[..end].get(self.at) else {
                return self.malformed("a number is cut short");
            };
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.malformed("a number has more than ten bytes")
    }

    fn skip(&mut self, bytes: usize, end: usize) -> Result<(), Stop> {
        if bytes > end - self.at {
            let rest = end - self.at;
            return self.malformed(format_args!(
                "{bytes} bytes should follow, but only {rest} do"
            ));
        }
        self.at += bytes;
        Ok(())
    }

    fn message(&mut self, schema: &Schema, end: usize, depth: usize) -> Result<(), Stop> {
        let mut counts = [0_usize; MOST_FIELDS];
        while self.at < end {
            let key = self.varint(end)?;
            let (tag, wire_type) = (key >> 3, key & 7);
            if tag == 0 {
                return self.malformed("a field has the number 0");
            }
            let field = schema.0.iter().zip(&mut counts).find(|(f, _)| f.tag == tag);
            let start = self.at;
            let mut elements = 1;
            match wire_type {
                0 => drop(self.varint(end)?),
                1 => self.skip(8, end)?,
                5 => self.skip(4, end)?,
                2 => {
                    let length = usize::try_from(self.varint(end)?).unwrap_or(usize::MAX);
                    let body = self.at;
                    self.skip(length, end)?;
                    if let Some((field, _)) = &field {
                        elements = self.body(field, body, depth)?;
                    }
                }
                _ => {
                    self.at = start;
                    return self.malformed(format_args!("unknown wire type {wire_type}"));
                }
            }
            if let Some((field, count)) = field {
                let before = capacity(*count);
                *count += elements;
                let grown = capacity(*count) - before;
                // The old buffer, half as large, is alive while the new one is filled.
                let bytes = grown.saturating_mul(field.element_bytes);
                self.budget.spend(bytes.saturating_add(bytes / 2))?;
            }
        }
        Ok(())
    }

    /// Spends what a length-delimited field that ends here allocates, and counts its elements.
    fn body(&mut self, field: &Field, start: usize, depth: usize) -> Result<usize, Stop> {
        let end = self.at;
        let (schema, boxed) = match &field.inner {
            Inner::Message(schema) => (schema, 0),
            Inner::Boxed(schema, bytes) => (schema, *bytes),
            Inner::Text => {
                self.budget.spend((end - start).max(8))?;
                return Ok(1);
            }
            Inner::Floats => return Ok((end - start) / field.element_bytes),
            Inner::Varints => {
                let last_bytes = self.file[start..end].iter().filter(|&&b| b < 0x80);
                return Ok(last_bytes.count());
            }
        };
        let Some(depth) = depth.checked_sub(1) else {
            return self.malformed("messages nest too deeply");
        };
        self.budget.spend(boxed)?;
        self.at = start;
        self.message(schema, end, depth)?;
        Ok(1)
    }
}

/// The capacity that a growing `Vec` has for this many elements.
fn capacity(count: usize) -> usize {
    match count {
        0 => 0,
        1..=4 => 4,
        n => n.checked_next_power_of_two().unwrap_or(usize::MAX),
    }
}
