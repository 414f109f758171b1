//! From a decoded model to a graph: names, inputs, initializers, nodes in order, outputs.
//!
//! Nothing stops at the first problem. A name whose value cannot be made is known as such
//! ([`Slot::Unknown`]), and what depends on it is still checked for support, but not reported again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use graph::{Dim, Graph, GraphBuilder, TensorType, ValueId};

use crate::call::{Call, Slot, VALUE_BYTES};
use prost::Message;

use crate::element::{self, Element};
use crate::error::{Place, Problem, ProblemKind, TensorProblem};
use crate::narrow::{self, NarrowValues};
use crate::node::{self, Missing, Row};
use crate::proto::{Extent, GraphProto, ModelProto, NodeProto, TypeProto, ValueInfoProto};
use crate::report::Report;
use crate::sort::sort;
use crate::wire::{Budget, Spent};
use crate::{limits, tensor};

/// Oldest and newest operator set of the default domain whose meaning is followed.
/// Many ops are served from opset 6 or 7 on only, when broadcasting became what it is.
const OPSETS: (i64, i64) = (1, 28);

/// What the import of a model gives.
#[derive(Debug)]
pub(crate) struct Imported {
    /// The graph; whole only if there are no problems.
    pub(crate) graph: Graph,
    pub(crate) problems: Vec<Problem>,
    /// Problems beyond those listed.
    pub(crate) more: usize,
}

/// Imports a model.
pub(crate) fn run(
    model: &ModelProto,
    proto: &GraphProto,
    file: &str,
    budget: &mut Budget,
) -> Result<Imported, Spent> {
    let mut import = Import {
        model,
        proto,
        builder: GraphBuilder::new(&proto.name),
        names: HashMap::new(),
        narrow: NarrowValues::new(),
        reserved: reserved_names(proto),
        used: HashSet::new(),
        report: Report::new(file),
        opset: 0,
        opset_fits: true,
    };
    import.note_used(proto);
    import.choose_opset();
    import.inputs();
    import.initializers(budget)?;
    import.nodes(budget)?;
    import.outputs();
    let (problems, more) = import.report.finish();
    Ok(Imported {
        graph: import.builder.finish(),
        problems,
        more,
    })
}

/// The default domain has two names.
pub(crate) fn domain_of(name: &str) -> &str {
    if name == "ai.onnx" { "" } else { name }
}

/// The node's name, or its op and position.
pub(crate) fn name_of(node: &NodeProto, index: usize) -> String {
    if node.name.is_empty() {
        format!("{}_{index}", node.op_type)
    } else {
        node.name.clone()
    }
}

fn reserved_names(proto: &GraphProto) -> HashSet<&str> {
    let outputs = proto.node.iter().flat_map(|n| &n.output);
    let initializers = proto.initializer.iter().map(|t| &t.name);
    let inputs = proto.input.iter().map(|i| &i.name);
    outputs
        .chain(initializers)
        .chain(inputs)
        .map(String::as_str)
        .collect()
}

struct Import<'a> {
    model: &'a ModelProto,
    proto: &'a GraphProto,
    builder: GraphBuilder,
    /// What each name of the file stands for, as far as it has been read.
    names: HashMap<&'a str, Slot>,
    /// What values are narrower than their dtype.
    narrow: NarrowValues,
    /// Every name that the file defines.
    reserved: HashSet<&'a str>,
    /// Every name that a node or an output reads.
    used: HashSet<&'a str>,
    report: Report,
    /// Opset of the default domain, within [`OPSETS`].
    opset: i64,
    /// Whether that is the model's; else nodes are only checked for support.
    opset_fits: bool,
}

impl<'a> Import<'a> {
    fn note_used(&mut self, graph: &'a GraphProto) {
        let outputs = graph.output.iter().map(|o| o.name.as_str());
        self.used.extend(outputs);
        for node in &graph.node {
            self.used.extend(node.input.iter().map(String::as_str));
            for attribute in &node.attribute {
                if let Some(body) = &attribute.g {
                    self.note_used(body);
                }
            }
        }
    }

    fn declared_opset(&self, domain: &str) -> Option<i64> {
        let imports = &self.model.opset_import;
        let found = imports.iter().find(|o| domain_of(&o.domain) == domain);
        found.map(|o| o.version)
    }

    fn choose_opset(&mut self) {
        let (oldest, newest) = OPSETS;
        let needed = self
            .proto
            .node
            .iter()
            .any(|n| domain_of(&n.domain).is_empty());
        let declared = self.declared_opset("");
        self.opset = declared.unwrap_or(newest).clamp(oldest, newest);
        self.opset_fits = !needed || declared == Some(self.opset);
        let domain = String::new();
        match declared {
            _ if !needed => {}
            None => self
                .report
                .add(Place::Model, ProblemKind::MissingOpset { domain }),
            Some(opset) if opset != self.opset => {
                let kind = ProblemKind::UnsupportedOpset {
                    domain,
                    opset,
                    oldest,
                    newest,
                };
                self.report.add(Place::Model, kind);
            }
            Some(_) => {}
        }
    }

    /// Notes what a name stands for; false and a problem if it is taken.
    fn define(&mut self, name: &'a str, slot: Slot, place: impl Fn() -> Place) -> bool {
        if self.names.contains_key(name) {
            let name = name.to_owned();
            self.report.add(place(), ProblemKind::Duplicate { name });
            return false;
        }
        self.names.insert(name, slot);
        true
    }

    /// Notes the value that a name stands for, and what it is if it is narrower than its dtype.
    fn name_value(&mut self, name: &'a str, id: ValueId, element: Option<Element>) {
        self.names.insert(name, Slot::Value(id));
        if let Some(element) = element.filter(|element| element.narrow.is_some()) {
            self.narrow.insert(id, element);
        }
    }

    fn inputs(&mut self) {
        let defaults: HashSet<&str> = self.proto.initializer.iter().map(|t| &*t.name).collect();
        let mut symbols = Symbols::of(&self.proto.input);
        for input in &self.proto.input {
            // An initializer of the same name is the input's default, and nobody overrides it.
            if defaults.contains(input.name.as_str()) {
                continue;
            }
            let place = || Place::Input {
                name: input.name.clone(),
            };
            if !self.define(&input.name, Slot::Unknown, place) {
                continue;
            }
            let ty = input_type(input.ty.as_ref(), &mut symbols);
            let added = ty.and_then(|(ty, element)| {
                let id = self.builder.input(&input.name, ty).map_err(|error| {
                    let reason = error.to_string();
                    ProblemKind::InputType { reason }
                })?;
                Ok((id, element))
            });
            match added {
                Ok((id, element)) => self.name_value(&input.name, id, Some(element)),
                Err(kind) => self.report.add(place(), kind),
            }
        }
    }

    fn initializers(&mut self, budget: &mut Budget) -> Result<(), Spent> {
        for proto in &self.proto.initializer {
            let (elements, bytes) = tensor::declared_size(proto);
            let stored = proto.encoded_len();
            // An element that is packed in the file takes a byte or more in memory.
            let bytes = bytes.max(elements).min(8 * stored);
            budget.spend(VALUE_BYTES + proto.name.len() + bytes)?;
            let place = || Place::Initializer {
                name: proto.name.clone(),
            };
            if !self.define(&proto.name, Slot::Unknown, place) {
                continue;
            }
            let tensor = match tensor::decode(proto) {
                Ok(tensor) => Arc::new(tensor),
                Err(problem) => {
                    self.report.add(place(), problem.into());
                    continue;
                }
            };
            if tensor.rank() > limits::RANK {
                let problem = TensorProblem::Shape {
                    dims: proto.dims.clone(),
                };
                self.report.add(place(), problem.into());
            } else if self.used.contains(proto.name.as_str()) {
                match self.builder.constant(&proto.name, tensor) {
                    Ok(id) => self.name_value(&proto.name, id, element::element(proto.data_type)),
                    Err(_) => {
                        let name = proto.name.clone();
                        self.report.add(place(), ProblemKind::Duplicate { name });
                    }
                }
            }
        }
        for sparse in &self.proto.sparse_initializer {
            let name = sparse.values.as_ref().map_or("", |values| &values.name);
            let place = || Place::Initializer {
                name: name.to_owned(),
            };
            self.define(name, Slot::Unknown, place);
            let problem = TensorProblem::Kind { what: "sparse" };
            self.report.add(place(), problem.into());
        }
        Ok(())
    }

    fn nodes(&mut self, budget: &mut Budget) -> Result<(), Spent> {
        let order = sort(&self.proto.node, |name| self.names.contains_key(name));
        for index in order.sorted {
            self.node(index, budget)?;
        }
        if !order.stuck.is_empty() {
            let path = order.cycle;
            self.report.add(Place::Model, ProblemKind::Cycle { path });
        }
        for index in order.stuck {
            let node = &self.proto.node[index];
            self.supported(node, index);
            for name in node.output.iter().filter(|n| !n.is_empty()) {
                self.names.entry(name).or_insert(Slot::Unknown);
            }
        }
        Ok(())
    }

    fn place(&self, node: &NodeProto, index: usize) -> Place {
        let domain = domain_of(&node.domain);
        Place::Node {
            name: name_of(node, index),
            index,
            op_type: node.op_type.clone(),
            domain: domain.to_owned(),
            opset: self.declared_opset(domain).unwrap_or(0),
        }
    }

    /// The importer of a node's op; a problem if there is none. Looks into subgraphs, too.
    fn supported(&mut self, node: &'a NodeProto, index: usize) -> Option<&'static Row> {
        let domain = domain_of(&node.domain);
        let op_type = node.op_type.clone();
        let functions = &self.model.functions;
        let local = functions
            .iter()
            .any(|f| f.name == op_type && domain_of(&f.domain) == domain);
        let kind = match node::find(domain, &op_type, self.opset) {
            _ if local => Some(ProblemKind::LocalFunction { op_type }),
            Ok(row) => return Some(row),
            Err(Missing::Before(since)) => Some(ProblemKind::OpTooNew {
                op_type,
                since,
                opset: self.opset,
            }),
            Err(Missing::Unknown) => Some(ProblemKind::UnsupportedOp {
                op_type,
                domain: domain.to_owned(),
                opset: self.declared_opset(domain).unwrap_or(0),
            }),
        };
        if let Some(kind) = kind {
            self.report.add(self.place(node, index), kind);
        }
        for attribute in &node.attribute {
            let body = attribute.g.iter().flat_map(|body| &body.node);
            for (index, node) in body.enumerate() {
                self.supported(node, index);
            }
        }
        None
    }

    fn node(&mut self, index: usize, budget: &mut Budget) -> Result<(), Spent> {
        let node = &self.proto.node[index];
        let mut outputs: Vec<&'a str> = Vec::with_capacity(node.output.len());
        let mut duplicate = false;
        for name in &node.output {
            let fresh = name.is_empty() || !self.names.contains_key(name.as_str());
            if !fresh || (!name.is_empty() && outputs.contains(&name.as_str())) {
                let name = name.clone();
                let place = self.place(node, index);
                self.report.add(place, ProblemKind::Duplicate { name });
                duplicate = true;
            }
            outputs.push(name);
        }
        let row = self.supported(node, index);
        let made = match row {
            Some(row) if !duplicate && self.opset_fits => {
                let (made, cost_bytes) = self.call(node, index, row);
                budget.spend(cost_bytes)?;
                made
            }
            _ => None,
        };
        for (position, name) in outputs.into_iter().enumerate() {
            if name.is_empty() || self.names.contains_key(name) {
                continue;
            }
            let id = made.as_ref().and_then(|m| m.get(position).copied());
            let slot = id.flatten().map_or(Slot::Unknown, Slot::Value);
            self.names.insert(name, slot);
            if made.is_some() && slot == Slot::Unknown && self.used.contains(name) {
                let kind = ProblemKind::UnsupportedOutput {
                    index: position,
                    name: name.to_owned(),
                };
                self.report.add(self.place(node, index), kind);
            }
        }
        Ok(())
    }

    /// Runs a node's importer. Gives the values of its outputs, or `None` if it could not finish,
    /// and about how many bytes it added to the graph.
    fn call(
        &mut self,
        node: &'a NodeProto,
        index: usize,
        row: &Row,
    ) -> (Option<Vec<Option<ValueId>>>, usize) {
        let source = name_of(node, index);
        let mut problems = Vec::new();
        for attribute in &node.attribute {
            if !row.attributes.contains(&attribute.name.as_str()) {
                problems.push(ProblemKind::UnknownAttribute {
                    name: attribute.name.clone(),
                    op_type: node.op_type.clone(),
                    opset: self.opset,
                });
            }
        }
        let inputs = self.resolve(node, row, &mut problems);
        let moved = narrow::moved(node, &inputs, &self.narrow).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let mut call = Call {
            proto: node,
            opset: self.opset,
            source: &source,
            inputs,
            builder: &mut self.builder,
            reserved: &self.reserved,
            narrow: &mut self.narrow,
            problems,
            made: Vec::new(),
            cost_bytes: 0,
        };
        let done = (row.import)(&mut call);
        let (problems, made, cost_bytes) = (call.problems, call.made, call.cost_bytes);
        let finished = done.is_ok() && problems.is_empty();
        if let Some(element) = moved {
            let marks = made.iter().flatten().map(|&id| (id, element));
            self.narrow.extend(marks);
        }
        for kind in problems {
            self.report.add(self.place(node, index), kind);
        }
        (finished.then_some(made), cost_bytes)
    }

    fn resolve(
        &mut self,
        node: &'a NodeProto,
        row: &Row,
        problems: &mut Vec<ProblemKind>,
    ) -> Vec<Slot> {
        let mut inputs = Vec::with_capacity(node.input.len());
        for name in &node.input {
            inputs.push(match self.names.get(name.as_str()) {
                _ if name.is_empty() => Slot::Omitted,
                Some(slot) => *slot,
                None => {
                    let undefined = name.clone();
                    problems.push(ProblemKind::Undefined { name: undefined });
                    self.names.insert(name, Slot::Unknown);
                    Slot::Unknown
                }
            });
        }
        while inputs.last() == Some(&Slot::Omitted) {
            inputs.pop();
        }
        let (least, most) = row.inputs;
        if inputs.len() < least || inputs.len() > most {
            problems.push(ProblemKind::InputCount {
                op_type: node.op_type.clone(),
                expected: match (least, most) {
                    (a, b) if a == b => a.to_string(),
                    (a, usize::MAX) => format!("{a} or more"),
                    (a, b) => format!("{a} to {b}"),
                },
                got: inputs.len(),
            });
        }
        inputs
    }

    fn outputs(&mut self) {
        let mut seen = HashSet::new();
        for output in &self.proto.output {
            let name = output.name.clone();
            let place = Place::Output { name: name.clone() };
            if !seen.insert(&output.name) {
                self.report.add(place, ProblemKind::Duplicate { name });
                continue;
            }
            match self.names.get(output.name.as_str()) {
                Some(Slot::Value(id)) => self.builder.output(name, *id),
                Some(Slot::Unknown | Slot::Omitted) => {}
                None => self.report.add(place, ProblemKind::Undefined { name }),
            }
        }
    }
}

/// Hands out symbols for axes without a usable name.
struct Symbols<'a> {
    taken: HashSet<&'a str>,
    next: usize,
}

impl<'a> Symbols<'a> {
    fn of(inputs: &'a [ValueInfoProto]) -> Self {
        let shapes = inputs.iter().filter_map(|i| declared_shape(i.ty.as_ref()));
        let names = shapes.flatten().filter_map(|d| match &d.extent {
            Some(Extent::Param(name)) => Some(name.as_str()),
            Some(Extent::Value(_)) | None => None,
        });
        Symbols {
            taken: names.collect(),
            next: 0,
        }
    }

    fn fresh(&mut self) -> Dim {
        loop {
            let name = format!("?{}", self.next);
            self.next += 1;
            if !self.taken.contains(name.as_str()) {
                return Dim::from(name.as_str());
            }
        }
    }
}

/// The axes of a tensor type, if it declares a shape.
pub(crate) fn declared_shape(ty: Option<&TypeProto>) -> Option<&[crate::proto::DimensionProto]> {
    let shape = ty?.tensor.as_ref()?.shape.as_ref()?;
    Some(&shape.dim)
}

/// Whether a name says that an axis has no name: exporters write these for different axes.
pub(crate) fn is_anonymous(name: &str) -> bool {
    matches!(name, "" | "?")
}

fn input_type(
    ty: Option<&TypeProto>,
    symbols: &mut Symbols<'_>,
) -> Result<(TensorType, Element), ProblemKind> {
    let refuse = |reason: String| Err(ProblemKind::InputType { reason });
    let Some(tensor) = ty.and_then(|ty| ty.tensor.as_ref()) else {
        let what = type_name(ty);
        return refuse(format!("has the type {what}; only tensors are supported"));
    };
    let Some(element) = element::element(tensor.elem_type) else {
        let element = element::name(tensor.elem_type);
        return Err(ProblemKind::UnsupportedElement { element });
    };
    let Some(shape) = declared_shape(ty) else {
        return refuse("declares no shape; at least the number of axes must be declared".into());
    };
    if shape.len() > limits::RANK {
        let most = limits::RANK;
        return refuse(format!(
            "has {} axes; at most {most} are supported",
            shape.len()
        ));
    }
    let dims = shape.iter().map(|dim| match &dim.extent {
        Some(Extent::Value(n)) if *n >= 0 => Dim::Known(*n),
        Some(Extent::Param(name)) if !is_anonymous(name) => Dim::from(name.as_str()),
        Some(Extent::Value(_) | Extent::Param(_)) | None => symbols.fresh(),
    });
    Ok((TensorType::new(element.dtype, dims), element))
}

/// What kind of type this is, by its ONNX name.
pub(crate) fn type_name(ty: Option<&TypeProto>) -> String {
    let Some(ty) = ty else {
        return "UNDEFINED".to_owned();
    };
    if let Some(tensor) = &ty.tensor {
        return element::name(tensor.elem_type);
    }
    let kinds = [
        (&ty.sequence, "sequence"),
        (&ty.map, "map"),
        (&ty.optional, "optional"),
        (&ty.sparse_tensor, "sparse tensor"),
    ];
    let kind = kinds.iter().find(|(field, _)| field.is_some());
    kind.map_or("UNDEFINED", |(_, name)| name).to_owned()
}
