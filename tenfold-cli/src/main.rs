//! The command `tenfold`: inspect, run, bench, tensor, convert, devices; no library logic.
//!
//! `args` is the command line, `command` has one module for each command, `feeds` makes the inputs of a run, `slice`, `values`
//! and `histogram` show a tensor, `target` is a file to be written.
//! Results go to the standard output, as tables for people or, with `--json`, as JSON for programs; errors and progress
//! go to the standard error. The exit code is 0 for success, 2 for a wrong command line and 1 for every other failure.
//!
//! Invariants: a number in a table or in JSON comes from the library or from a clock, nothing is computed here but
//! percentiles, standard deviations and counts; a command that fails prints nothing to the standard output.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stderr,
    reason = "a command tells its errors and its progress on the terminal"
)]

mod args;
mod command;
mod failure;
mod feeds;
mod histogram;
mod names;
mod random;
mod slice;
mod statistics;
mod table;
mod target;
mod values;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use args::{Command, CommandLine};
use command::{bench, convert, devices, inspect, run, tensor};
use failure::Failure;

fn main() -> ExitCode {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => {
            // Nobody is left to be told that the help or the usage can't be printed.
            let _unprintable = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match traced(&line).and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprint!("{}", failure.report());
            ExitCode::FAILURE
        }
    }
}

/// Does what the command says, and writes a trace of it if asked.
fn traced(line: &CommandLine) -> Result<String, Failure> {
    let Some(_path) = &line.trace else {
        return execute(&line.command);
    };
    #[cfg(not(feature = "tracing"))]
    return Err(Failure::NoTracing);
    #[cfg(feature = "tracing")]
    {
        let trace = tenfold::trace::to_file(_path)?;
        let text = execute(&line.command)?;
        trace.finish()?;
        Ok(text)
    }
}

/// Does what a command says; the text is for the standard output.
fn execute(command: &Command) -> Result<String, Failure> {
    match command {
        Command::Inspect(args) => inspect::run(args),
        Command::Run(args) => run::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Tensor(args) => tensor::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Devices(args) => Ok(devices::run(args)),
    }
}

/// Writes to the standard output. A reader that has seen enough, such as `head`, is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Stdout(error)),
        _ => Ok(()),
    }
}
