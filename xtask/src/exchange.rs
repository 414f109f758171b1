//! `cargo xtask exchange`: files between this library and those of Python; a step of `cargo xtask test --full`.
//!
//! numpy, safetensors and gguf read what this library writes, and the other way round: `tensor-io/tests/python/exchange.py`
//! and the example `exchange` of `tensor-io` each write every dtype in every kind of shape and compare what the other side
//! wrote byte for byte. The packages, whose versions `requirements.txt` beside the script pins, go into an environment of
//! their own in `target/python`, which is made anew when the pins change.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process;

const SCRIPT: &str = "tensor-io/tests/python/exchange.py";
const PINS: &str = "tensor-io/tests/python/requirements.txt";

pub(crate) const HELP: &str = "\
cargo xtask exchange

Writes files with this library and reads them with numpy, safetensors and gguf, and the other way round. The packages come
into an environment in target/python, for which python3 with venv and pip is needed.
";

/// Runs both directions.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::usage(format!(
            "`cargo xtask exchange` takes no arguments, and got {argument:?}\n\n{HELP}"
        )));
    }
    let root = process::workspace_root()?;
    let python = environment(&root)?;
    let folder = root.join("target/exchange");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| cannot("remove", &folder, &error))?;
    }
    let (ours, theirs) = (folder.join("ours"), folder.join("theirs"));
    for (verb, folder) in [("write", &theirs), ("check", &theirs), ("write", &ours)] {
        let by_python = verb == "write" && folder == &theirs;
        side(by_python.then_some(&*python), verb, folder)?;
    }
    side(Some(&python), "check", &ours)
}

/// Lets Python, or this library where `python` is `None`, write or check a folder.
fn side(python: Option<&Path>, verb: &str, folder: &Path) -> Result<(), Failure> {
    let example = [
        "run",
        "--quiet",
        "-p",
        "tensor-io",
        "--example",
        "exchange",
        "--",
        verb,
    ];
    let mut command = match python {
        Some(python) => process::program(&python.to_string_lossy(), &[SCRIPT, verb])?,
        None => process::cargo(&example)?,
    };
    if process::succeeds(command.arg(folder))? {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "`{}` failed",
        process::shown(&command)
    )))
}

/// The Python of an environment with the pinned packages.
fn environment(root: &Path) -> Result<PathBuf, Failure> {
    let folder = root.join("target/python");
    let python = folder.join("bin/python");
    let (pins, done) = (root.join(PINS), folder.join("installed.txt"));
    let wanted = fs::read_to_string(&pins).map_err(|error| cannot("read", &pins, &error))?;
    if fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("making target/python with {}", wanted.replace('\n', " "));
    let mut venv = process::program("python3", &["-m", "venv", "--clear"])?;
    process::output(venv.arg(&folder), "").map_err(|failure| {
        Failure::failed(format!(
            "python3 with venv and pip is needed to exchange files with numpy, safetensors and gguf ({failure}); install \
             it, on Debian and Ubuntu: apt-get install python3-venv"
        ))
    })?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ];
    let mut pip = process::program(&python.to_string_lossy(), &pip)?;
    process::output(pip.arg(&pins), "").map_err(|failure| {
        Failure::failed(format!(
            "the packages of {PINS} could not be fetched (is this machine offline?): {failure}"
        ))
    })?;
    fs::write(&done, wanted).map_err(|error| cannot("write", &done, &error))?;
    Ok(python)
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot {verb} {}: {error}", path.display()))
}
