//! A file of tensors that is to be written: its format is that of its name, and it replaces nothing unless told to.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use tensor_io::FileFormat;

use crate::failure::Failure;

/// Where tensors go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TargetArg {
    pub(crate) path: PathBuf,
    pub(crate) format: FileFormat,
}

impl FromStr for TargetArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let by_extension = path
            .extension()
            .filter(|extension| *extension != "json")
            .and_then(|_| FileFormat::of_name(&path));
        match by_extension {
            Some(FileFormat::Gguf) => Err(
                "GGUF files are read, not written; choose .tensors, .safetensors, .npz or .npy"
                    .to_owned(),
            ),
            Some(format) => Ok(Self { path, format }),
            None => Err(
                "the name must end with the format: .tensors, .safetensors, .npz or .npy"
                    .to_owned(),
            ),
        }
    }
}

impl TargetArg {
    /// The name for messages.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Refuses a folder, and a file that is there unless `force` says that it may go.
    pub(crate) fn check_free(&self, force: bool) -> Result<(), Failure> {
        let path: &Path = &self.path;
        if path.is_dir() {
            return Err(Failure::TargetIsFolder { file: self.name() });
        }
        // A link that leads nowhere is something that is there.
        if !force && path.symlink_metadata().is_ok() {
            return Err(Failure::TargetExists { file: self.name() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_format() {
        for (name, format) in [
            ("a.tensors", FileFormat::Container),
            ("a/b.safetensors", FileFormat::SafeTensors),
            ("a.npz", FileFormat::Npz),
            ("a.b.npy", FileFormat::Npy),
        ] {
            let target: TargetArg = name.parse().unwrap();
            assert_eq!((target.format, target.name().as_str()), (format, name));
        }
        for name in [
            "",
            "npz",
            "a.gguf",
            "a.onnx",
            "a.NPZ",
            "model.safetensors.index.json",
        ] {
            assert!(name.parse::<TargetArg>().is_err(), "{name}");
        }
    }
}
