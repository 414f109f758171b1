//! Other programs: find the workspace, run a program in it, read what it prints.
//!
//! Every program runs in the workspace root, so that all commands share one `target` folder whatever folder the
//! person called them from. Where the terminal is no terminal (a log), cargo's colours and progress bars are off.

use std::env;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn workspace_root() -> Result<PathBuf, Failure> {
    // `cargo run` tells the folder of the package it runs; the workspace is the folder above.
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package
        .as_deref()
        .and_then(Path::parent)
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            Failure::failed("CARGO_MANIFEST_DIR is not set: start this program as `cargo xtask ..`")
        })
}

/// A program that will run in the workspace root.
pub(crate) fn program(name: &str, arguments: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(workspace_root()?);
    if !std::io::stderr().is_terminal() {
        for (variable, value) in [
            ("CARGO_TERM_COLOR", "never"),
            ("CARGO_TERM_PROGRESS_WHEN", "never"),
        ] {
            if env::var_os(variable).is_none() {
                command.env(variable, value);
            }
        }
    }
    Ok(command)
}

/// The cargo that started us, with arguments, in the workspace root.
pub(crate) fn cargo(arguments: &[&str]) -> Result<Command, Failure> {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    program(&cargo, arguments)
}

/// Runs a program that talks to the terminal itself; `Ok(false)` means that it ran and failed.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool, Failure> {
    let status = command
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    Ok(status.success())
}

/// Runs a program and gives back its standard output.
///
/// When it fails, the failure holds the last line that it printed on standard error: programs put the cause there.
pub(crate) fn output(command: &mut Command, input: &str) -> Result<String, Failure> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    // The program reads all its input before it prints, so writing first cannot block on a full pipe. A program that
    // dies early closes its end; its exit status says more than the write error would.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input.as_bytes());
    }
    let finished = child
        .wait_with_output()
        .map_err(|error| cannot_start(command, &error))?;
    if finished.status.success() {
        return Ok(String::from_utf8_lossy(&finished.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&finished.stderr);
    let last = complaint
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it printed no reason");
    Err(Failure::failed(format!(
        "`{}` failed: {}",
        shown(command),
        last.trim()
    )))
}

/// Runs a program that tells its progress on standard error, and gives back its standard output.
pub(crate) fn printed(command: &mut Command) -> Result<String, Failure> {
    let finished = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if finished.status.success() {
        return Ok(String::from_utf8_lossy(&finished.stdout).into_owned());
    }
    Err(Failure::failed(format!(
        "`{}` failed: see its message above",
        shown(command)
    )))
}

/// The command as a person would type it (long arguments, such as whole scripts, are cut).
pub(crate) fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let mut text = name.to_string_lossy().into_owned();
    for argument in command
        .get_args()
        .map(|argument| argument.to_string_lossy())
    {
        text.push(' ');
        if argument.contains('\n') || argument.chars().count() > 100 {
            text.push_str("..")
        } else {
            text.push_str(&argument)
        }
    }
    text
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::failed(format!(
        "`{}` could not be started: {error}",
        shown(command)
    ))
}
