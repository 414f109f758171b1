//! Where seeds come from: fixtures by path, and tensors of every dtype to write.

use std::fs;
use std::path::Path;

use tensor::{DType, Tensor};

/// The file at `path`, seen from the folder of the workspace.
pub(crate) fn file(path: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fixture of `tensor-io`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    file(&format!("tensor-io/tests/fixtures/{name}"))
}

/// Small tensors of the dtypes that `holds` keeps, in shapes that differ in rank, with names.
pub(crate) fn tensors(holds: impl Fn(DType) -> bool) -> Vec<(String, Tensor)> {
    let shapes: [&[usize]; 6] = [&[], &[0, 3], &[3], &[2, 2], &[usize::MAX, 0], &[1, 2, 1, 2]];
    let kept = DType::TAGS.iter().filter(|&&dtype| holds(dtype));
    kept.enumerate()
        .map(|(index, &dtype)| {
            let shape = shapes[index % shapes.len()];
            let count = shape.iter().product::<usize>() * dtype.size_bytes();
            // 0 and 1 are the only bytes of bools.
            let bytes: Vec<u8> = (0..count).map(|at| u8::from(at % 3 == 0)).collect();
            let made = Tensor::from_le_bytes(dtype, shape, &bytes);
            (format!("{dtype}"), made.expect("the bytes fit the shape"))
        })
        .collect()
}

/// Lends tensors as writers want them.
pub(crate) fn lent(tensors: &[(String, Tensor)]) -> Vec<(&str, &Tensor)> {
    let each = tensors.iter();
    each.map(|(name, tensor)| (name.as_str(), tensor)).collect()
}
