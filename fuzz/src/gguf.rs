//! A file of GGUF.

use tensor_io::Mapping;
use tensor_io::gguf::Gguf;

use crate::{check, source};

/// Reads a file, its metadata as text too.
pub fn run(bytes: &[u8]) {
    let mapping = Mapping::from_bytes(bytes).expect("memory for a copy");
    let file = match Gguf::from_mapping(mapping, "file") {
        Ok(file) => file,
        Err(error) => return check::printed(&error),
    };
    for (key, value) in file.metadata() {
        assert!(value.to_string().len() <= 64 * bytes.len(), "{key}");
        assert!(file.value(key).is_some(), "{key}");
    }
    check::file(&file, bytes.len(), file.byte_order());
}

/// Files of the format's own library in both byte orders, and small ones.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        let each = numbers.iter();
        each.flat_map(|number| number.to_le_bytes()).collect()
    };
    // Version, tensors and pairs of metadata: none of either.
    let empty = [b"GGUF".to_vec(), numbers(&[3, 0, 0, 0, 0])].concat();
    // One tensor "a" of two f32, whose values begin at 64.
    let mut one = [b"GGUF".to_vec(), numbers(&[3, 1, 0, 0, 0, 1, 0])].concat();
    one.push(b'a');
    one.extend(numbers(&[1, 2, 0, 0, 0, 0]));
    one.resize(72, 0);
    let fixtures = ["little.gguf", "big.gguf"].map(source::fixture);
    fixtures.into_iter().chain([empty, one]).collect()
}
