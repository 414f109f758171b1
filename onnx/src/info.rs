//! What a model file says of itself, whether or not it can be imported.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::Problem;
use crate::import::{declared_shape, domain_of, is_anonymous, type_name};
use crate::proto::{Extent, GraphProto, ModelProto, ValueInfoProto};
use crate::tensor::declared_size;
use crate::wire::{Budget, Spent};

/// Facts of a model file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Version of the file format.
    pub ir_version: i64,
    /// Operator sets by domain; the default domain is the empty text.
    pub opsets: Vec<(String, i64)>,
    /// The program that wrote the file.
    pub producer: String,
    /// Its version.
    pub producer_version: String,
    /// Keys and values that the producer added.
    pub metadata: Vec<(String, String)>,
    /// Inputs that the caller provides; those with a default in the file are left out.
    pub inputs: Vec<Port>,
    /// Outputs as declared; the import infers their types anew.
    pub outputs: Vec<Port>,
    /// Ops with the number of their nodes, subgraphs included, most frequent first.
    pub op_histogram: Vec<(String, usize)>,
    /// Elements of all tensors in the file, subgraphs included.
    pub parameter_count: usize,
    /// Bytes of those elements.
    pub parameter_bytes: usize,
    /// What stands in the way of an import; empty for an imported model.
    pub unsupported: Vec<Problem>,
}

/// A declared input or output.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its element type by the name that ONNX uses, such as `FLOAT`.
    pub dtype: String,
    /// Its extents.
    pub shape: Vec<DimText>,
}

/// A declared extent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DimText {
    /// A number.
    Known(usize),
    /// A name; equal names are equal extents.
    Named(String),
    /// Neither.
    Anonymous,
    /// Any number of axes, since no shape is declared; then the only entry.
    Rest,
}

impl fmt::Display for DimText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DimText::Known(n) => n.fmt(f),
            DimText::Named(name) => f.write_str(name),
            DimText::Anonymous => f.write_str("?"),
            DimText::Rest => f.write_str("..."),
        }
    }
}

/// Name, element type and extents: `x: FLOAT[batch, 3, ?]`.
impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}[", self.name, self.dtype)?;
        for (axis, dim) in self.shape.iter().enumerate() {
            write!(f, "{}{dim}", if axis == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

/// Reads the facts of a model, without its problems.
pub(crate) fn read(
    model: &ModelProto,
    graph: &GraphProto,
    budget: &mut Budget,
) -> Result<Info, Spent> {
    let ports = || graph.input.iter().chain(&graph.output);
    let dims: usize = ports().map(rank).sum();
    let pairs = model.metadata_props.len() + model.opset_import.len();
    budget.spend(ports().count().saturating_mul(PORT_BYTES))?;
    budget.spend((dims + pairs).saturating_mul(PAIR_BYTES))?;
    let mut totals = Totals::default();
    totals.add(graph);
    let mut op_histogram: Vec<(String, usize)> = totals.ops.into_iter().collect();
    // Stable: equal counts stay in alphabetical order.
    op_histogram.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let provided = |input: &&ValueInfoProto| {
        let name = &input.name;
        !totals.defaults.contains(&name.as_str())
    };
    let opsets = model.opset_import.iter();
    let metadata = model.metadata_props.iter();
    Ok(Info {
        ir_version: model.ir_version,
        opsets: opsets
            .map(|o| (domain_of(&o.domain).to_owned(), o.version))
            .collect(),
        producer: model.producer_name.clone(),
        producer_version: model.producer_version.clone(),
        metadata: metadata.map(|e| (e.key.clone(), e.value.clone())).collect(),
        inputs: graph.input.iter().filter(provided).map(port).collect(),
        outputs: graph.output.iter().map(port).collect(),
        op_histogram,
        parameter_count: totals.elements,
        parameter_bytes: totals.bytes,
        unsupported: Vec::new(),
    })
}

/// About what a [`Port`] and the tables of names that hold it take.
const PORT_BYTES: usize = 320;

/// About what an extent, an entry of the metadata or an opset takes.
const PAIR_BYTES: usize = 64;

fn rank(value: &ValueInfoProto) -> usize {
    declared_shape(value.ty.as_ref()).map_or(0, <[_]>::len)
}

#[derive(Default)]
struct Totals<'a> {
    ops: BTreeMap<String, usize>,
    elements: usize,
    bytes: usize,
    defaults: std::collections::BTreeSet<&'a str>,
}

impl<'a> Totals<'a> {
    fn add(&mut self, graph: &'a GraphProto) {
        if self.ops.is_empty() && self.defaults.is_empty() {
            self.defaults = graph.initializer.iter().map(|t| &*t.name).collect();
        }
        let mut tensors: Vec<_> = graph.initializer.iter().collect();
        for node in &graph.node {
            let domain = domain_of(&node.domain);
            let op = if domain.is_empty() {
                node.op_type.clone()
            } else {
                format!("{domain}.{}", node.op_type)
            };
            *self.ops.entry(op).or_insert(0) += 1;
            for attribute in &node.attribute {
                tensors.extend(attribute.t.as_deref());
                if let Some(body) = &attribute.g {
                    self.add(body);
                }
            }
        }
        for tensor in tensors {
            let (elements, bytes) = declared_size(tensor);
            self.elements = self.elements.saturating_add(elements);
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }
}

fn port(value: &ValueInfoProto) -> Port {
    let shape = match declared_shape(value.ty.as_ref()) {
        None => vec![DimText::Rest],
        Some(dims) => dims
            .iter()
            .map(|dim| match &dim.extent {
                Some(Extent::Value(n)) => {
                    usize::try_from(*n).map_or(DimText::Anonymous, DimText::Known)
                }
                Some(Extent::Param(name)) if !is_anonymous(name) => DimText::Named(name.clone()),
                Some(Extent::Param(_)) | None => DimText::Anonymous,
            })
            .collect(),
    };
    Port {
        name: value.name.clone(),
        dtype: type_name(value.ty.as_ref()),
        shape,
    }
}
