//! Small models built in code, and what becomes of them.

mod errors;
mod hostile;
mod info;
mod ops;
mod structure;

use bytes::Bytes;
use prost::Message;

use crate::proto::*;
use crate::{Model, OnnxError, import};

/// Element types by their numbers in the format.
const FLOAT: i32 = 1;
const INT32: i32 = 6;
const INT64: i32 = 7;
const BOOL: i32 = 9;

/// A node; an attribute is added with the functions below.
fn node(op_type: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    NodeProto {
        op_type: op_type.into(),
        input: inputs.iter().map(ToString::to_string).collect(),
        output: outputs.iter().map(ToString::to_string).collect(),
        ..NodeProto::default()
    }
}

impl NodeProto {
    fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    fn attr(mut self, name: &str, kind: i32, set: impl FnOnce(&mut AttributeProto)) -> Self {
        let mut attribute = AttributeProto {
            name: name.into(),
            kind,
            ..AttributeProto::default()
        };
        set(&mut attribute);
        self.attribute.push(attribute);
        self
    }

    fn int(self, name: &str, value: i64) -> Self {
        self.attr(name, attribute_kind::INT, |a| a.i = Some(value))
    }

    fn float(self, name: &str, value: f32) -> Self {
        self.attr(name, attribute_kind::FLOAT, |a| a.f = Some(value))
    }

    fn ints(self, name: &str, values: &[i64]) -> Self {
        self.attr(name, attribute_kind::INTS, |a| a.ints = values.to_vec())
    }

    fn text(self, name: &str, value: &str) -> Self {
        let bytes = Bytes::copy_from_slice(value.as_bytes());
        self.attr(name, attribute_kind::STRING, |a| a.s = Some(bytes))
    }

    fn tensor(self, name: &str, value: TensorProto) -> Self {
        self.attr(name, attribute_kind::TENSOR, |a| {
            a.t = Some(Box::new(value))
        })
    }
}

fn floats(name: &str, dims: &[i64], data: &[f32]) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: dims.to_vec(),
        data_type: FLOAT,
        float_data: data.to_vec(),
        ..TensorProto::default()
    }
}

fn ints(name: &str, dims: &[i64], data: &[i64]) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: dims.to_vec(),
        data_type: INT64,
        int64_data: data.to_vec(),
        ..TensorProto::default()
    }
}

/// An input or output of this element type; extents are numbers, names, or `-` for an unset one.
fn port(name: &str, elem_type: i32, extents: &[&str]) -> ValueInfoProto {
    let dim = |text: &&str| {
        let extent = match text.parse() {
            Ok(number) => Some(Extent::Value(number)),
            Err(_) if *text == "-" => None,
            Err(_) => Some(Extent::Param((*text).to_owned())),
        };
        DimensionProto { extent }
    };
    let shape = Some(TensorShapeProto {
        dim: extents.iter().map(dim).collect(),
    });
    ValueInfoProto {
        name: name.into(),
        ty: Some(TypeProto {
            tensor: Some(TensorTypeProto { elem_type, shape }),
            ..TypeProto::default()
        }),
    }
}

/// A model of the default domain whose outputs are `outputs`, declared without types.
fn model(
    opset: i64,
    inputs: Vec<ValueInfoProto>,
    nodes: Vec<NodeProto>,
    outputs: &[&str],
) -> ModelProto {
    let output = outputs.iter().map(|name| ValueInfoProto {
        name: (*name).to_owned(),
        ty: None,
    });
    let graph = GraphProto {
        name: "g".into(),
        node: nodes,
        input: inputs,
        output: output.collect(),
        ..GraphProto::default()
    };
    ModelProto {
        ir_version: 8,
        producer_name: "test".into(),
        graph: Some(Box::new(graph)),
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: opset,
        }],
        ..ModelProto::default()
    }
}

impl ModelProto {
    fn graph_mut(&mut self) -> &mut GraphProto {
        self.graph.as_mut().expect("test models have a graph")
    }

    fn with(mut self, initializers: Vec<TensorProto>) -> Self {
        self.graph_mut().initializer.extend(initializers);
        self
    }
}

fn import_proto(model: &ModelProto) -> Result<Model, OnnxError> {
    import(Bytes::from(model.encode_to_vec()), "m.onnx")
}

/// The text of a model's graph without the line of the function and the last brace.
fn body(model: &ModelProto) -> String {
    let imported = import_proto(model).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(imported.graph.verify(), Ok(()));
    let text = imported.graph.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let inner = &lines[1..lines.len() - 1];
    let stripped: Vec<&str> = inner.iter().map(|line| line.trim_start()).collect();
    stripped.join("\n")
}

/// Compares the whole text of a model's graph.
fn check_text(model: &ModelProto, expect: &str) {
    let imported = import_proto(model).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(imported.graph.verify(), Ok(()));
    assert_eq!(imported.graph.to_string(), expect);
}

/// Compares the whole text of a model's error.
fn check_error(model: &ModelProto, expect: &str) {
    match import_proto(model) {
        Err(error) => assert_eq!(error.to_string(), expect),
        Ok(imported) => panic!("no error, but\n{}", imported.graph),
    }
}
