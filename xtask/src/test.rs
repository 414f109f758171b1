//! `cargo xtask test`: everything that has to hold before a commit, cheap steps first.
//!
//! [`STEPS`] is the whole list. Each step prints its name and its seconds; the first that fails ends the run and says
//! what to do. A step that belongs to `--full`, or that this tree cannot run, is left out and named in the last line:
//! nothing is skipped silently. Continuous integration runs `cargo xtask test --full` and nothing else, so what
//! passes here passes there.

use std::time::Instant;

use crate::failure::Failure;
use crate::{assets, demo, deps, exchange, process, tidy};

pub(crate) const HELP: &str = "\
cargo xtask test [--full]

Runs, in this order and until the first failure: the programs that are needed, formatting, tidy, deps, clippy, the
documentation, the models of the tests, all tests, the optional features. The last line names what was left out.

  --full   also the larger models, the ONNX backend suite, files exchanged with numpy, safetensors and gguf, our half of
           the benches, and the demos from end to end: what continuous integration runs
";

/// The workspace of the measurements, of which only our own half is tested: no test builds the other engines.
const BENCHES: &str = "benches/Cargo.toml";

/// How a step that did not fail ended.
enum Outcome {
    Done,
    /// Not run, for this reason.
    LeftOut(String),
}

/// One check.
struct Step {
    name: &'static str,
    /// Whether only `--full` runs it.
    full: bool,
    run: fn() -> Result<Outcome, Failure>,
    /// What to do when it fails.
    cure: &'static str,
}

const STEPS: &[Step] = &[
    Step {
        name: "programs",
        full: false,
        run: programs,
        cure: "install what is named above",
    },
    Step {
        name: "format",
        full: false,
        run: format,
        cure: "run `cargo fmt`",
    },
    Step {
        name: "tidy",
        full: false,
        run: || done(tidy::run(&[])),
        cure: "change the lines named above",
    },
    Step {
        name: "deps",
        full: false,
        run: || done(deps::run(&[])),
        cure: "remove the dependencies named above",
    },
    Step {
        name: "clippy",
        full: false,
        run: clippy,
        cure: "follow the lints above, or `#[expect(.., reason = \"..\")]` them",
    },
    Step {
        name: "docs",
        full: false,
        run: docs,
        cure: "mend the documentation named above",
    },
    Step {
        name: "models",
        full: false,
        run: || done(assets::run(&[])),
        cure: "run `cargo xtask assets` where the package index can be reached",
    },
    Step {
        name: "tests",
        full: false,
        run: tests,
        cure: "run the named test alone: `cargo test -p CRATE NAME`",
    },
    Step {
        name: "features",
        full: false,
        run: features,
        cure: "run `cargo test -p CRATE --all-features NAME` alone",
    },
    Step {
        name: "all models",
        full: true,
        run: || done(assets::run(&["--all".to_owned()])),
        cure: "run `cargo xtask assets --all` where the package index can be reached",
    },
    Step {
        name: "onnx suite",
        full: true,
        run: onnx_suite,
        cure: "mend the cases named above, or run `cargo xtask bless onnx-suite` if more of them pass than before",
    },
    Step {
        name: "exchange of files",
        full: true,
        run: || done(exchange::run(&[])),
        cure: "run `cargo xtask exchange` alone, where the package index can be reached",
    },
    Step {
        name: "benches",
        full: true,
        run: benches,
        cure: "follow cargo's message; benches/ is a workspace of its own, with its own Cargo.lock",
    },
    Step {
        name: "sentences",
        full: true,
        run: sentences,
        cure: "run `cargo test -p tenfold --example sentences` alone",
    },
    Step {
        name: "demo",
        full: true,
        run: || run_demo("magika", &[]),
        cure: "run `cargo xtask demo` alone",
    },
    Step {
        name: "demo ocr",
        full: true,
        run: || run_demo("ocr", &["ocr"]),
        cure: "run `cargo xtask demo ocr` alone",
    },
    Step {
        name: "demo sentences",
        full: true,
        run: || run_demo("sentences", &["sentences"]),
        cure: "run `cargo xtask demo sentences` alone",
    },
];

/// Runs the steps in order.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let full = match arguments {
        [] => false,
        [flag] if flag == "--full" => true,
        other => {
            return Err(Failure::usage(format!(
                "`cargo xtask test` does not know {:?}\n\n{HELP}",
                other.join(" ")
            )));
        }
    };
    let begin = Instant::now();
    let mut left_out = Vec::new();
    for step in STEPS {
        if step.full && !full {
            left_out.push(format!("{} (only with --full)", step.name));
            continue;
        }
        println!("=== {}", step.name);
        let step_begin = Instant::now();
        let outcome = (step.run)();
        let seconds = step_begin.elapsed().as_secs_f64();
        match outcome {
            Ok(Outcome::Done) => println!("=== {}: passed in {seconds:.1} s", step.name),
            Ok(Outcome::LeftOut(reason)) => left_out.push(format!("{} ({reason})", step.name)),
            Err(failure) => {
                return Err(Failure::failed(format!(
                    "{} failed after {seconds:.1} s: {failure}; {}",
                    step.name, step.cure
                )));
            }
        }
    }
    let missing = if left_out.is_empty() {
        "nothing".to_owned()
    } else {
        left_out.join(", ")
    };
    println!(
        "=== all passed in {:.0} s; left out: {missing}",
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

fn done(result: Result<(), Failure>) -> Result<Outcome, Failure> {
    result.map(|()| Outcome::Done)
}

/// The library needs cargo and a linker only; fetching models needs python3 with pip.
fn programs() -> Result<Outcome, Failure> {
    assets::check_pip()?;
    for (component, arguments) in [
        ("rustfmt", ["fmt", "--version"]),
        ("clippy", ["clippy", "--version"]),
    ] {
        if process::output(&mut process::cargo(&arguments)?, "").is_ok() {
            continue;
        }
        println!("adding the toolchain component {component}");
        process::output(&mut process::program("rustup", &["component", "add", component])?, "").map_err(|failure| {
            Failure::failed(format!("the component {component} is missing, and `rustup component add {component}` did not add it: {failure}"))
        })?;
    }
    Ok(Outcome::Done)
}

fn format() -> Result<Outcome, Failure> {
    run_cargo(&["fmt", "--all", "--check"], &[])?;
    // By name, since `--all` would ask for every peer's dependencies.
    let members = [
        "protocol",
        "peer-tenfold",
        "peer-rten",
        "peer-tract",
        "data-model",
        "rates",
    ];
    let mut arguments = vec!["fmt", "--check", "--manifest-path", BENCHES];
    arguments.extend(members.iter().flat_map(|member| ["-p", member]));
    run_cargo(&arguments, &[])
}

fn clippy() -> Result<Outcome, Failure> {
    run_cargo(
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        &[],
    )
}

fn docs() -> Result<Outcome, Failure> {
    run_cargo(
        &["doc", "--workspace", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )
}

fn tests() -> Result<Outcome, Failure> {
    run_cargo(&["test", "--workspace"], &[])
}

/// What is built on request only: of the data model other array types and serialised metadata; spans and traces of all
/// that has them.
fn features() -> Result<Outcome, Failure> {
    let model = ["-p", "tensor-core", "-p", "tensor", "--all-features"];
    let traced = [
        "-p",
        "tensor-io",
        "-p",
        "cpu-interp",
        "-p",
        "tenfold",
        "-p",
        "tenfold-cli",
    ];
    let lints = ["--all-targets", "--", "-D", "warnings"];
    run_cargo(&[&["clippy"], &model[..], &traced, &lints].concat(), &[])?;
    run_cargo(
        &[&["test"], &model[..], &["--lib", "--tests"]].concat(),
        &[],
    )?;
    let tests = ["-p", "tenfold", "-p", "tenfold-cli", "--all-features"];
    let named = ["--test", "trace", "--test", "command"];
    run_cargo(&[&["test"], &tests[..], &named].concat(), &[])
}

/// The ONNX backend suite, one by one; what `cargo test` runs by itself only looks at the lists.
fn onnx_suite() -> Result<Outcome, Failure> {
    let suite = ["-p", "tests", "--test", "onnx_suite"];
    run_cargo(
        &[&["clippy"], &suite[..], &["--", "-D", "warnings"]].concat(),
        &[],
    )?;
    run_cargo(
        &[&["test"], &suite[..], &["--", "--nocapture"]].concat(),
        &[],
    )
}

/// The guide whose model is too large for everyone's tests.
fn sentences() -> Result<Outcome, Failure> {
    run_cargo(&["test", "-p", "tenfold", "--example", "sentences"], &[])
}

/// What `cargo xtask bench` needs of us: the protocol, a peer that fits the facade, the cases of the data model, and those
/// of copies and files, for which candle is built once.
fn benches() -> Result<Outcome, Failure> {
    let own = [
        "--manifest-path",
        BENCHES,
        "-p",
        "protocol",
        "-p",
        "peer-tenfold",
        "-p",
        "data-model",
        "-p",
        "rates",
    ];
    run_cargo(&[&["test", "--locked"], &own[..]].concat(), &[])
}

fn run_demo(example: &str, arguments: &[&str]) -> Result<Outcome, Failure> {
    if !demo::has_example(example)? {
        return Ok(Outcome::LeftOut(format!(
            "tenfold/examples has no {example}"
        )));
    }
    let arguments: Vec<String> = arguments
        .iter()
        .map(|&argument| argument.to_owned())
        .collect();
    done(demo::run(&arguments))
}

fn run_cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Outcome, Failure> {
    let mut cargo = process::cargo(arguments)?;
    cargo.envs(variables.iter().copied());
    if process::succeeds(&mut cargo)? {
        return Ok(Outcome::Done);
    }
    Err(Failure::failed(format!(
        "`{}` failed",
        process::shown(&cargo)
    )))
}
