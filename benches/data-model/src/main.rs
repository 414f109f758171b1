//! Measures the data model beside ndarray, for `cargo xtask bench data`.
//!
//! `data-model ROUNDS [WORD..]` measures the cases whose "group/name" contains a word, all of them without one. It prints
//! one line per case, its fields separated by tabs: group, name, the bytes that are read or 0, our and ndarray's
//! median nanoseconds, the least of either, and median, lower and upper quartile of the ratio. The first line is
//! `bandwidth` and the GB/s that one core reads.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use data_model::cases::{self, Inputs};
use data_model::interleave::{measure, read_bandwidth};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.first().and_then(|word| word.parse().ok());
    let Some(rounds) = rounds else {
        eprintln!("usage: data-model ROUNDS [WORD..]");
        return ExitCode::from(2);
    };
    match print_all(rounds, &arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all(rounds: usize, words: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "bandwidth\t{}",
        read_bandwidth(cases::CONTIGUOUS_BYTES, rounds)
    )?;
    let inputs = Inputs::new();
    for mut case in cases::all(&inputs) {
        let full = format!("{}/{}", case.group, case.name);
        if !words.is_empty() && !words.iter().any(|word| full.contains(word.as_str())) {
            continue;
        }
        let found = measure(&mut case, rounds);
        let numbers = [
            case.bytes.unwrap_or(0) as f64,
            found.ours_ns,
            found.theirs_ns,
            found.ours_min_ns,
            found.theirs_min_ns,
            found.ratio,
            found.ratio_low,
            found.ratio_high,
        ];
        let numbers = numbers.map(|number| number.to_string()).join("\t");
        writeln!(out, "{}\t{}\t{numbers}", case.group, case.name)?;
        out.flush()?;
    }
    Ok(())
}
