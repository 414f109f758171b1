//! Folders for the files that unit tests write.

use std::fs;
use std::path::PathBuf;

/// A new folder, gone with its contents when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = (0..)
            .map(|number| format!("tensor-io-{}-{number}", std::process::id()))
            .map(|name| std::env::temp_dir().join(name))
            .find(|folder| fs::create_dir(folder).is_ok())
            .expect("a folder for temporary files can be made");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.folder);
    }
}
