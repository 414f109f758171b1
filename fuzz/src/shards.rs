//! The index of a model in several files, beside two good files.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use tensor_io::ByteOrder;
use tensor_io::safetensors::Shards;

use crate::{check, source};

const FILES: [&str; 2] = [
    "model-00001-of-00002.safetensors",
    "model-00002-of-00002.safetensors",
];

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = env::temp_dir().join(format!("tenfold-fuzz-shards-{}", process::id()));
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("room for temporary files");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If it can't go, the system's own cleaning takes it.
        let _gone = fs::remove_dir_all(&self.0);
    }
}

/// Opens an index whose files are good, and reads what it lists.
pub fn run(bytes: &[u8]) {
    let folder = Folder::new();
    let mut length = 0;
    for name in FILES {
        let file = source::fixture(name);
        length += file.len();
        folder.write(name, &file);
    }
    let index = folder.write("file.safetensors.index.json", bytes);
    match Shards::open(&index) {
        Ok(shards) => {
            check::file(&shards, length, ByteOrder::Little);
            for (name, _) in shards.files() {
                assert_eq!(
                    Path::new(name).file_name(),
                    Some(name.as_ref()),
                    "{name} leads elsewhere"
                );
            }
            for name in shards.names() {
                assert!(FILES.contains(&shards.file_of(name).expect("a name that is listed")));
            }
        }
        Err(error) => assert!(error.to_string().contains(&*folder.0.to_string_lossy())),
    }
}

/// The index that the files came with, and smaller ones.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let small = br#"{"weight_map":{"f16_cube":"model-00002-of-00002.safetensors"}}"#;
    let empty = br#"{"metadata":null,"weight_map":{}}"#;
    vec![
        source::fixture("model.safetensors.index.json"),
        small.into(),
        empty.into(),
    ]
}
