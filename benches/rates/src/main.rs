//! Rates of small calls, strided copies and files of tensors, beside those of others, for `cargo xtask bench rates`.
//!
//! `rates ROUNDS [WORD..]` measures the cases whose "group/name" contains a word, all of them without one. Each case is one
//! piece of work done by several sides, which take turns in one thread; `copies` and `files` say which. It prints a line
//! for each side of a case, its fields separated by tabs: group, case, bytes, side, median and least nanoseconds, and
//! median, lower and upper quartile of our time divided by that side's in the same round. What is being measured is told
//! on standard error. The files are written to the folder of temporary files (2 GiB) and removed.
//!
//! Invariants: all sides gave the same elements before any is timed; a time begins with the call and ends when its result
//! is there, before that is dropped.
#![forbid(unsafe_code)]

mod calls;
mod copies;
mod files;
mod measure;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use measure::{Case, measure};

/// What keeps a case from being measured.
type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.first().and_then(|word| word.parse().ok());
    let Some(rounds) = rounds else {
        eprintln!("usage: rates ROUNDS [WORD..]");
        return ExitCode::from(2);
    };
    match run(rounds, &arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(rounds: usize, words: &[String]) -> Result<(), Failure> {
    let wanted = |group: &str, name: &str| {
        let full = format!("{group}/{name}");
        words.is_empty() || words.iter().any(|word| full.contains(word.as_str()))
    };
    calls::each(wanted, &mut |mut case| print(&mut case, rounds))?;
    copies::each(copies::Size::Full, wanted, &mut |mut case| {
        print(&mut case, rounds)
    })?;
    // A file takes a second where a copy takes milliseconds.
    let rounds = rounds.div_ceil(5);
    files::each(files::FULL, wanted, &mut |mut case| {
        print(&mut case, rounds)
    })
}

fn print(case: &mut Case<'_>, rounds: usize) -> Result<(), Failure> {
    eprintln!("measuring {}: {}", case.group, case.name);
    let mut out = io::stdout().lock();
    let found = measure(case, rounds);
    for ((side, _), times) in case.sides.iter().zip(found) {
        let numbers = [
            times.median_ns,
            times.min_ns,
            times.ratio,
            times.ratio_low,
            times.ratio_high,
        ];
        let numbers = numbers.map(|number| number.to_string()).join("\t");
        let (group, name, bytes) = (case.group, &case.name, case.bytes);
        writeln!(out, "{group}\t{name}\t{bytes}\t{side}\t{numbers}")?;
    }
    out.flush()?;
    Ok(())
}
