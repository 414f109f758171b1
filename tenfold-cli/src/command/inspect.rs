//! `tenfold inspect`: what is in a model file, whether or not it can run, or in a file of tensors.

pub(crate) mod tensors;

use std::path::Path;

use serde_json::{Map, Value, json};
use tenfold::Model;
use tenfold::onnx::{DimText, Info, Place, Port, Problem};

use super::to_text;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::table::{Align, Table, bytes, grouped};

/// Reads the file and says what is in it. Parts that are not supported are told, they are no failure. What does not begin
/// as a file of tensors is taken for a model.
pub(crate) fn run(args: &InspectArgs) -> Result<String, Failure> {
    if tensors::are_in(&args.file) {
        return tensors::run(args);
    }
    let info = Model::inspect(&args.file)?;
    Ok(if args.json {
        to_text(&to_json(&args.file, &info))
    } else {
        to_tables(&args.file, &info)
    })
}

fn to_tables(file: &Path, info: &Info) -> String {
    let mut text = format!("{}: ONNX, IR version {}", file.display(), info.ir_version);
    for (domain, version) in &info.opsets {
        text += &match domain.as_str() {
            "" => format!(", opset {version}"),
            domain => format!(", {domain} {version}"),
        };
    }
    if !info.producer.is_empty() {
        text += &format!(", made by {} {}", info.producer, info.producer_version);
    }
    text = text.trim_end().to_owned();
    text.push('\n');

    section(&mut text, "metadata", metadata(&info.metadata));
    section(&mut text, "inputs", ports(&info.inputs));
    section(&mut text, "outputs", ports(&info.outputs));
    let mut ops = Table::without_headings([Align::Right, Align::Left]);
    for (op, count) in &info.op_histogram {
        ops.row([count.to_string(), op.clone()]);
    }
    section(&mut text, "ops", ops);
    text += &format!(
        "parameters: {} in {}\n",
        grouped(info.parameter_count as u64),
        bytes(info.parameter_bytes as u64)
    );
    if info.unsupported.is_empty() {
        text += "supported: yes\n";
    } else {
        text += "supported: no\n";
        for problem in &info.unsupported {
            text += &format!("  {}\n", without_file(problem));
        }
    }
    text
}

/// A heading and its rows, if there are any.
fn section(text: &mut String, heading: &str, rows: Table) {
    let rows = rows.render(2);
    if !rows.is_empty() {
        *text += &format!("{heading}:\n{rows}");
    }
}

/// Keys and values; of a long value its beginning and its length.
fn metadata(pairs: &[(String, String)]) -> Table {
    const SHOWN: usize = 60;
    let mut table = Table::without_headings([Align::Left, Align::Left]);
    for (key, value) in pairs {
        let quoted = format!("{value:?}");
        let length = value.chars().count();
        let shown = if length <= SHOWN {
            quoted
        } else {
            let begin: String = value.chars().take(SHOWN / 2).collect();
            format!("{begin:?}.. ({} characters)", grouped(length as u64))
        };
        table.row([key.clone(), shown]);
    }
    table
}

fn ports(ports: &[Port]) -> Table {
    let mut table = Table::without_headings([Align::Left, Align::Left, Align::Left]);
    for port in ports {
        let extents: Vec<String> = port.shape.iter().map(DimText::to_string).collect();
        let shape = format!("[{}]", extents.join(", "));
        table.row([port.name.clone(), dtype(&port.dtype).to_owned(), shape]);
    }
    table
}

/// A problem in the words of the library, without the file, which stands above.
fn without_file(problem: &Problem) -> String {
    let text = problem.to_string();
    let prefix = format!("{}: ", problem.file);
    text.strip_prefix(&prefix)
        .map_or(text.clone(), str::to_owned)
}

/// The name that this project has for an element type of ONNX; ONNX's own where there is none.
fn dtype(onnx: &str) -> &str {
    match onnx {
        "FLOAT" => "f32",
        "DOUBLE" => "f64",
        "FLOAT16" => "f16",
        "BFLOAT16" => "bf16",
        "INT8" => "i8",
        "INT16" => "i16",
        "INT32" => "i32",
        "INT64" => "i64",
        "UINT8" => "u8",
        "UINT16" => "u16",
        "UINT32" => "u32",
        "UINT64" => "u64",
        "BOOL" => "bool",
        "COMPLEX64" => "c32",
        "COMPLEX128" => "c64",
        other => other,
    }
}

fn to_json(file: &Path, info: &Info) -> Value {
    let opset = |(domain, version): &(String, i64)| json!({ "domain": domain, "version": version });
    let op = |(op, count): &(String, usize)| json!({ "op": op, "count": count });
    let metadata: Map<String, Value> = info
        .metadata
        .iter()
        .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
        .collect();
    json!({
        "file": file.display().to_string(),
        "format": "ONNX",
        "ir_version": info.ir_version,
        "opsets": info.opsets.iter().map(opset).collect::<Vec<_>>(),
        "producer": info.producer,
        "producer_version": info.producer_version,
        "metadata": metadata,
        "inputs": info.inputs.iter().map(port_to_json).collect::<Vec<_>>(),
        "outputs": info.outputs.iter().map(port_to_json).collect::<Vec<_>>(),
        "ops": info.op_histogram.iter().map(op).collect::<Vec<_>>(),
        "parameter_count": info.parameter_count,
        "parameter_bytes": info.parameter_bytes,
        "supported": info.unsupported.is_empty(),
        "unsupported": info.unsupported.iter().map(problem_to_json).collect::<Vec<_>>(),
    })
}

/// An extent is a number, a name, or null for neither; a shape that is not declared is null.
fn port_to_json(port: &Port) -> Value {
    let extent = |dim: &DimText| match dim {
        DimText::Known(extent) => json!(extent),
        DimText::Named(name) => json!(name),
        _ => Value::Null,
    };
    let shape = if port.shape.contains(&DimText::Rest) {
        Value::Null
    } else {
        port.shape.iter().map(extent).collect()
    };
    json!({ "name": port.name, "dtype": dtype(&port.dtype), "shape": shape })
}

/// Where a problem is, as text and in parts (null where it is at no node), what it is, and at how many places.
fn problem_to_json(problem: &Problem) -> Value {
    let (node, op, domain, opset) = match &problem.place {
        Place::Node {
            name,
            op_type,
            domain,
            opset,
            ..
        } => (json!(name), json!(op_type), json!(domain), json!(opset)),
        _ => Default::default(),
    };
    json!({
        "where": problem.place.to_string(),
        "node": node,
        "op": op,
        "domain": domain,
        "opset": opset,
        "problem": problem.kind.to_string(),
        "count": problem.count,
    })
}
