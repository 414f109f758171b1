//! Calls the built binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a call gave.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Calls `tenfold` with these words, in the folder of the models.
pub(crate) fn tenfold(words: &str) -> Called {
    call(&words.split_whitespace().collect::<Vec<_>>())
}

/// Calls `tenfold` with these arguments, in the folder of the models.
pub(crate) fn call(arguments: &[&str]) -> Called {
    let output = Command::new(env!("CARGO_BIN_EXE_tenfold"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"))
        .output()
        .expect("the binary was built for this test");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command prints UTF-8");
    Called {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

impl Called {
    /// The standard output of a call that succeeded and had nothing to complain about.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        self.stdout
    }

    /// The same as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.success()).expect("--json prints JSON")
    }

    /// The standard error of a call that failed with this code and printed nothing else.
    #[track_caller]
    pub(crate) fn failure(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""));
        self.stderr
    }
}

/// The keys of a JSON object, in alphabetical order.
#[track_caller]
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// A folder of one test; removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(test: &str) -> Self {
        let name = format!("tenfold-cli-{}-{test}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Self(folder)
    }

    /// The path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What can't be removed stays for the system to clean up.
        let _left_over = std::fs::remove_dir_all(&self.0);
    }
}
