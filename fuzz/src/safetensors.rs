//! One file of safetensors.

use tensor_io::safetensors::{SafeTensors, to_bytes};
use tensor_io::{ByteOrder, FileFormat, Mapping};

use crate::{check, source};

/// Reads one file, and writes what it had.
pub fn run(bytes: &[u8]) {
    let mapping = Mapping::from_bytes(bytes).expect("memory for a copy");
    let file = match SafeTensors::from_mapping(mapping, "file") {
        Ok(file) => file,
        Err(error) => return check::printed(&error),
    };
    check::file(&file, bytes.len(), ByteOrder::Little);
    let Ok(tensors) = file.read_all(|_, _| {}) else {
        return;
    };
    let texts = file.metadata().iter();
    let texts: Vec<(&str, &str)> = texts.map(|(key, text)| (&**key, &**text)).collect();
    let written = to_bytes(&source::lent(&tensors), &texts).expect("what the format holds");
    let mapping = Mapping::from_bytes(&written).expect("memory for a copy");
    let again = SafeTensors::from_mapping(mapping, "file").expect("what was just written");
    let mut texts = file.metadata().to_vec();
    let mut texts_again = again.metadata().to_vec();
    texts.sort();
    texts_again.sort();
    assert_eq!(texts, texts_again);
    for (name, before) in &tensors {
        let after = again.get(name).expect("what was just written");
        assert_eq!(check::plain(before), check::plain(&after), "{name}");
    }
}

/// Files of every dtype, texts that need escapes, and a type that has no dtype.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let tensors = source::tensors(|dtype| FileFormat::SafeTensors.holds(dtype));
    let files = tensors.chunks(3).map(|some| {
        let texts = [("made by", "\"µ\"\n")];
        to_bytes(&source::lent(some), &texts).expect("the format holds them")
    });
    let fixtures = ["eighths.safetensors", "model-00002-of-00002.safetensors"];
    files.chain(fixtures.map(source::fixture)).collect()
}
