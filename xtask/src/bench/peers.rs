//! The engines that are compared: how each is built, started, and which version it is.
//!
//! The Rust peers are built from `benches/`, a workspace of its own, in the default release profile: flags for the
//! compiler in the environment are not passed on. onnxruntime is a Python package; where the chosen Python does not
//! have it, it is reported as not measured.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;
use crate::process;

/// A row of the tables.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// The name on the command line and in records and tables.
    pub(crate) name: &'static str,
    program: Program,
    /// What the program is told beside the number of threads.
    option: Option<&'static str>,
}

#[derive(Debug, PartialEq, Eq)]
enum Program {
    /// A package of `benches/`, and the crate whose version counts; `None` for ours.
    Rust(&'static str, Option<&'static str>),
    /// A script of `benches/`, and the Python package it needs.
    Python(&'static str, &'static str),
}

/// All peers, ours first.
pub(crate) const PEERS: &[Peer] = &[
    Peer {
        name: OURS,
        program: Program::Rust("peer-tenfold", None),
        option: None,
    },
    Peer {
        name: "rten",
        program: Program::Rust("peer-rten", Some("rten")),
        option: None,
    },
    Peer {
        name: "rten-prepacked",
        program: Program::Rust("peer-rten", Some("rten")),
        option: Some("prepack"),
    },
    Peer {
        name: "tract",
        program: Program::Rust("peer-tract", Some("tract-onnx")),
        option: None,
    },
    Peer {
        name: "onnxruntime",
        program: Program::Python("peer_ort.py", "onnxruntime"),
        option: None,
    },
];

/// The peer that the others are compared with.
pub(crate) const OURS: &str = "tenfold";

/// What starts a peer that is there.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) peer: &'static Peer,
    pub(crate) version: String,
    program: PathBuf,
    /// What comes before the number of threads.
    script: Option<PathBuf>,
}

/// A peer that can't be measured, and why.
#[derive(Debug)]
pub(crate) struct Missing {
    pub(crate) name: &'static str,
    pub(crate) reason: String,
}

impl Ready {
    /// The command that starts it with so many threads.
    pub(crate) fn command(&self, threads: usize) -> Result<Command, Failure> {
        let mut command = process::program(&self.program.to_string_lossy(), &[])?;
        command.args(&self.script).arg(threads.to_string());
        command.args(self.peer.option);
        // The only way to tell RTen, which also loads on its threads.
        command.env("RTEN_NUM_THREADS", threads.to_string());
        Ok(command)
    }
}

/// Builds the wanted Rust peers and looks for the Python ones.
pub(crate) fn ready(
    wanted: &[&'static Peer],
    python: &str,
) -> Result<(Vec<Ready>, Vec<Missing>), Failure> {
    let (mut ready, mut missing) = (Vec::new(), Vec::new());
    let folder = process::workspace_root()?.join("benches");
    build(wanted)?;
    for &peer in wanted {
        match peer.program {
            Program::Rust(package, counts) => {
                let program = folder.join("target/release").join(package);
                let program = program.with_extension(std::env::consts::EXE_EXTENSION);
                let version = version(counts.unwrap_or(OURS))?;
                ready.push(Ready {
                    peer,
                    version,
                    program,
                    script: None,
                });
            }
            Program::Python(script, package) => match python_version(python, package) {
                Ok(version) => ready.push(Ready {
                    peer,
                    version,
                    program: python.into(),
                    script: Some(folder.join(script)),
                }),
                Err(reason) => missing.push(Missing {
                    name: peer.name,
                    reason,
                }),
            },
        }
    }
    Ok((ready, missing))
}

/// Builds each peer by itself: built together, they would get the features of dependencies that another asks for.
fn build(wanted: &[&'static Peer]) -> Result<(), Failure> {
    let mut packages: Vec<&str> = Vec::new();
    for peer in wanted {
        if let Program::Rust(package, _) = peer.program
            && !packages.contains(&package)
        {
            packages.push(package);
        }
    }
    packages.into_iter().try_for_each(build_package)
}

/// Builds one package of the workspace of measurements for speed.
pub(crate) fn build_package(package: &str) -> Result<(), Failure> {
    let mut cargo = process::cargo(&["build", "--release", "--package", package])?;
    cargo.args(["--manifest-path", "benches/Cargo.toml"]);
    cargo.args(["--target-dir", "benches/target"]);
    for flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        cargo.env_remove(flags);
    }
    if process::succeeds(&mut cargo)? {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "`{}` failed: see its message above",
        process::shown(&cargo)
    )))
}

/// The version of a crate that `benches/Cargo.lock` names.
pub(crate) fn version(package: &str) -> Result<String, Failure> {
    let path = process::workspace_root()?.join("benches/Cargo.lock");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::failed(format!("cannot read {}: {error}", path.display())))?;
    locked_version(&text, package)
        .map(str::to_owned)
        .ok_or_else(|| Failure::failed(format!("{} does not name {package:?}", path.display())))
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let (_, entry) = lock.split_once(&format!("\nname = \"{package}\"\nversion = \""))?;
    entry.split_once('"').map(|(version, _)| version)
}

fn python_version(python: &str, package: &str) -> Result<String, String> {
    let script = format!("import numpy, {package}; print({package}.__version__)");
    let mut command =
        process::program(python, &["-c", &script]).map_err(|failure| failure.to_string())?;
    match process::output(&mut command, "") {
        Ok(version) => Ok(version.trim().to_owned()),
        Err(failure) => Err(format!(
            "{failure}; name a Python that has {package} and numpy with --python or TENFOLD_PYTHON"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        let lock = "[[package]]\nname = \"rten-base\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"rten\"\nversion = \"0.27.0\"\n";
        assert_eq!(locked_version(lock, "rten"), Some("0.27.0"));
        assert_eq!(locked_version(lock, "ten"), None);
    }

    #[test]
    fn a_python_without_the_package_says_what_to_do() {
        let reason = python_version("python3", "no_such_package").unwrap_err();
        assert!(
            reason.contains("no_such_package") && reason.contains("--python"),
            "{reason}"
        );
    }
}
