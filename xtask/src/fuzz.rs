//! `cargo xtask fuzz`: the readers of files on bytes that libFuzzer makes up, guided by what code they reach.
//!
//! It needs the nightly toolchain, `cargo-fuzz` and a C++ compiler, so it is not part of `cargo xtask test`, where the crate
//! `fuzz` runs the same targets briefly on seeds that are altered by chance. Seeds are written by that crate; what the
//! fuzzer adds to them stays in `fuzz/corpus`, so that the next run goes on where this one ended, and the bytes of a
//! finding are in `fuzz/artifacts`.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::failure::Failure;
use crate::process;

pub(crate) const HELP: &str = "\
cargo xtask fuzz [TARGET..] [--seconds N]

Runs the named fuzz targets, or all of them, one after the other for N seconds each (600 unless told otherwise), and
tells what they found in the last line. A finding does not end the run of the other targets.

It needs `rustup toolchain install nightly`, `cargo install cargo-fuzz` and a C++ compiler.
";

/// How long a target runs.
const SECONDS: u32 = 600;

/// What libFuzzer is told: files up to 16 KiB, which the seeds are well below, on one core; no more memory than such a file
/// may take, nor more time.
const LIMITS: &[&str] = &[
    "-max_len=16384",
    "-malloc_limit_mb=32",
    "-rss_limit_mb=1024",
    "-timeout=10",
    "-use_value_profile=1",
];

/// What every call of `cargo fuzz` needs.
const FUZZ: &[&str] = &["--fuzz-dir", "fuzz"];
const BUILD: &[&str] = &["--features", "libfuzzer", "--target-dir", "target/fuzz"];

/// Runs the targets.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let (wanted, seconds) = parse(arguments)?;
    let known = targets()?;
    if let Some(other) = wanted.iter().find(|name| !known.contains(name)) {
        return Err(Failure::usage(format!(
            "there is no target {other:?}; there are: {}",
            known.join(", ")
        )));
    }
    let targets = if wanted.is_empty() { known } else { wanted };
    let seeds = ["run", "--quiet", "-p", "fuzz", "--bin", "seeds", "--"];
    must(&mut process::cargo(
        &[&seeds[..], &["fuzz/corpus"]].concat(),
    )?)?;
    must(&mut cargo_fuzz(&[&["build"], FUZZ, BUILD].concat())?)?;
    let mut found = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        println!(
            "=== {target} ({} of {}, {seconds} s)",
            number + 1,
            targets.len()
        );
        found.extend(fuzz(target, seconds)?);
    }
    if found.is_empty() {
        println!(
            "=== no finding in {seconds} s each of {}",
            targets.join(", ")
        );
        return Ok(());
    }
    Err(Failure::failed(format!(
        "findings: {}; make a regression test of each",
        found.join(", ")
    )))
}

/// The targets and the seconds that were asked for.
fn parse(arguments: &[String]) -> Result<(Vec<String>, u32), Failure> {
    let (mut targets, mut seconds) = (Vec::new(), SECONDS);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let given = rest.next().and_then(|text| text.parse().ok());
            seconds = given.filter(|&seconds| seconds > 0).ok_or_else(|| {
                Failure::usage(format!("--seconds needs a number above 0\n\n{HELP}"))
            })?;
        } else if argument.starts_with('-') {
            return Err(Failure::usage(format!(
                "`cargo xtask fuzz` does not know {argument:?}\n\n{HELP}"
            )));
        } else {
            targets.push(argument.clone());
        }
    }
    Ok((targets, seconds))
}

/// `cargo fuzz` of the nightly toolchain.
fn cargo_fuzz(arguments: &[&str]) -> Result<std::process::Command, Failure> {
    let nightly = ["run", "nightly", "cargo", "fuzz"];
    process::program("rustup", &[&nightly[..], arguments].concat())
}

fn targets() -> Result<Vec<String>, Failure> {
    let listed = process::output(&mut cargo_fuzz(&[&["list"], FUZZ].concat())?, "");
    let listed = listed.map_err(|failure| {
        Failure::failed(format!(
            "{failure}; `rustup toolchain install nightly` and `cargo install cargo-fuzz` fetch what is needed"
        ))
    })?;
    Ok(listed.split_whitespace().map(str::to_owned).collect())
}

/// Runs one target and tells what it found.
fn fuzz(target: &str, seconds: u32) -> Result<Vec<String>, Failure> {
    let artifacts = process::workspace_root()?
        .join("fuzz/artifacts")
        .join(target);
    let before = files(&artifacts);
    let begin = Instant::now();
    let mut fuzzer = cargo_fuzz(&[&["run"], FUZZ, BUILD, &[target, "--"], LIMITS].concat())?;
    fuzzer.arg(format!("-max_total_time={seconds}"));
    let passed = process::succeeds(&mut fuzzer)?;
    let mut found: Vec<String> = files(&artifacts)
        .into_iter()
        .filter(|file| !before.contains(file))
        .map(|file| file.display().to_string())
        .collect();
    if found.is_empty() && !passed {
        found.push(format!("{target} ended badly and left no file"));
    }
    println!(
        "=== {target}: {} in {:.0} s",
        match found.len() {
            0 => "no finding".to_owned(),
            count => format!("{count} findings"),
        },
        begin.elapsed().as_secs_f64()
    );
    Ok(found)
}

/// The files in a folder; none where there is no folder.
fn files(folder: &PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Runs a program whose failure ends all.
fn must(command: &mut std::process::Command) -> Result<(), Failure> {
    if process::succeeds(command)? {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "`{}` failed",
        process::shown(command)
    )))
}
