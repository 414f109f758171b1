//! Small ONNX files, put together byte by byte: what no exporter writes can be written here.

/// The dtype f32 by its number in ONNX.
pub const FLOAT: u64 = 1;

/// A number of variable width.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A field that holds a number.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field that holds bytes: a text or a message.
pub fn bytes(field: u64, body: &[u8]) -> Vec<u8> {
    [
        &varint(field << 3 | 2)[..],
        &varint(body.len() as u64),
        body,
    ]
    .concat()
}

/// A node of a graph, with these attributes (see [`axis`]).
pub fn node(op: &str, inputs: &[&str], output: &str, attributes: &[u8]) -> Vec<u8> {
    let inputs = inputs.iter().flat_map(|name| bytes(1, name.as_bytes()));
    let mut body: Vec<u8> = inputs.collect();
    body.extend(bytes(2, output.as_bytes()));
    body.extend(bytes(3, format!("to_{output}").as_bytes()));
    body.extend(bytes(4, op.as_bytes()));
    body.extend(attributes);
    bytes(1, &body)
}

/// The attribute `axis`.
pub fn axis(value: u64) -> Vec<u8> {
    let body = [bytes(1, b"axis"), number(3, value), number(20, 2)];
    bytes(5, &body.concat())
}

/// An input or output of f32 whose extents are numbers or names.
fn port(field: u64, name: &str, shape: &[&str]) -> Vec<u8> {
    let extent = |text: &&str| match text.parse() {
        Ok(extent) => bytes(1, &number(1, extent)),
        Err(_) => bytes(1, &bytes(2, text.as_bytes())),
    };
    let shape: Vec<u8> = shape.iter().flat_map(extent).collect();
    let ty = [number(1, FLOAT), bytes(2, &shape)].concat();
    let body = [bytes(1, name.as_bytes()), bytes(2, &bytes(1, &ty))];
    bytes(field, &body.concat())
}

/// An input of f32 whose extents are numbers or names.
pub fn input(name: &str, shape: &[&str]) -> Vec<u8> {
    port(11, name, shape)
}

/// An output of f32 whose extents are numbers or names.
pub fn output(name: &str, shape: &[&str]) -> Vec<u8> {
    port(12, name, shape)
}

/// A constant: its dtype by number and its elements in little-endian order.
pub fn initializer(name: &str, dtype: u64, shape: &[u64], elements: &[u8]) -> Vec<u8> {
    let mut body: Vec<u8> = shape.iter().flat_map(|&extent| number(1, extent)).collect();
    body.extend(number(2, dtype));
    body.extend(bytes(8, name.as_bytes()));
    body.extend(bytes(9, elements));
    bytes(5, &body)
}

/// A model of opset 13 whose graph, called `main`, has these parts.
pub fn model(parts: &[Vec<u8>]) -> Vec<u8> {
    let graph = [&bytes(2, b"main")[..], &parts.concat()].concat();
    let opset = bytes(8, &number(2, 13));
    [number(1, 8), opset, bytes(7, &graph)].concat()
}
