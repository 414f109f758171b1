//! The repository's own commands: fetch pinned models, check the crate arrows and the house rules, run everything
//! that continuous integration runs, measure beside the peers, and show the demos.
//!
//! `main.rs` only dispatches; each command lives in the module of its name and offers `HELP` and `run(arguments)`.
//! A command ends with 0 when it did its work, with 2 when it was called wrongly and with 1 on any other error, which
//! it tells in one sentence. Nothing here is part of the library, and nothing here needs more than cargo, except
//! `assets` and `exchange`, which fetch with the system's own `python3 -m pip`, `miri` and `fuzz`, which need nightly.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are commands for people: they talk on the terminal"
)]

mod assets;
mod bench;
mod bless;
mod demo;
mod deps;
mod exchange;
mod failure;
mod fuzz;
mod miri;
mod process;
mod source;
mod test;
mod tidy;

use std::process::ExitCode;

use failure::Failure;

const HELP: &str = "\
cargo xtask: the repository's own commands

  cargo xtask assets [NAME..] [--all]   fetch pinned models into .assets/ and check their sha256
  cargo xtask demo [FILES..]            tell the types of files with the Magika model
  cargo xtask demo ocr [IMAGE]          read a line of text with the PP-OCRv4 models
  cargo xtask test [--full]             everything that has to hold before a commit; --full is what CI runs
  cargo xtask bench [FILTER..]          measure Tenfold beside its peers on real models
  cargo xtask bless onnx-suite          write what the ONNX backend suite is compared with, and the table of operators
  cargo xtask miri                      run the tests of the data model where undefined behaviour is noticed
  cargo xtask fuzz [TARGET..]           read files that a fuzzer makes up, with every reader
  cargo xtask exchange                  write and read files together with numpy, safetensors and gguf
  cargo xtask deps                      check the arrows between the crates
  cargo xtask tidy                      check the house rules (sizes, headers, unsafe, words)

`cargo xtask COMMAND --help` tells more about one of them.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

/// What runs a command with the arguments behind its name.
type Run = fn(&[String]) -> Result<(), Failure>;

/// Runs the command that the first argument names.
fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let Some((command, rest)) = arguments.split_first() else {
        return Err(Failure::usage(format!("no command given\n\n{HELP}")));
    };
    let (help, run): (&str, Run) = match command.as_str() {
        "assets" => (assets::HELP, assets::run),
        "bench" => (bench::HELP, bench::run),
        "bless" => (bless::HELP, bless::run),
        "demo" => (demo::HELP, demo::run),
        "deps" => (deps::HELP, deps::run),
        "exchange" => (exchange::HELP, exchange::run),
        "fuzz" => (fuzz::HELP, fuzz::run),
        "miri" => (miri::HELP, miri::run),
        "test" => (test::HELP, test::run),
        "tidy" => (tidy::HELP, tidy::run),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            return Ok(());
        }
        other => {
            return Err(Failure::usage(format!(
                "there is no command {other:?}\n\n{HELP}"
            )));
        }
    };
    if rest
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        print!("{help}");
        return Ok(());
    }
    run(rest)
}
