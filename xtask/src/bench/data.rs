//! `cargo xtask bench data`: single operations of the data model beside ndarray's.
//!
//! `benches/data-model` measures, both sides in turns in one process, and prints a line per case; this makes the table
//! and the record of it.

use std::time::Duration;

use serde_json::{Value, json};

use super::circumstances::Circumstances;
use super::options::Command;
use super::peers::{OURS, build_package, version};
use super::statistics::three_digits;
use super::table::Table;
use super::{machine, write_records};
use crate::failure::Failure;
use crate::process;

const PACKAGE: &str = "data-model";
const PEER: &str = "ndarray";

const HELP: &str = "\
cargo xtask bench data [WORD..] [OPTIONS]   single operations of the data model beside ndarray's

  WORD..          only the cases whose \"group/name\" contains one of the words
  --rounds N      turns of either side, 101 if not given
  --wait-quiet    first wait, up to 10 minutes, until other processes use less than a tenth of a core
  --record        write benches/record/DATE-MACHINE-data-model.json and benches/record/data-model.md; takes no word
";

/// How the command reads its options.
const COMMAND: Command = Command {
    name: "data",
    rounds: 101,
    help: HELP,
};

/// Measures what the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = COMMAND.options(arguments)?;
    build_package(PACKAGE)?;
    if options.wait_quiet && !machine::wait_quiet(0.1, Duration::from_secs(600)) {
        println!("warning: the machine did not become quiet");
    }
    let versions = [OURS, PEER].map(|name| Ok((name, version(name)?)));
    let versions = versions.into_iter().collect::<Result<_, Failure>>()?;
    let circumstances = Circumstances::now(versions)?;
    circumstances.warn_of_load();
    let program = process::workspace_root()?.join("benches/target/release");
    let program = program
        .join(PACKAGE)
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = process::program(&program.to_string_lossy(), &[])?;
    command.arg(options.rounds.to_string()).args(&options.words);
    let measured = Measured::parse(&process::output(&mut command, "")?)?;
    let report = Report {
        circumstances,
        rounds: options.rounds,
        measured,
    };
    println!("{}", report.markdown());
    if options.record {
        let latest = format!(
            "<!-- Written by `cargo xtask bench data --record`; benches/README.md says how to read it. -->\n{}",
            report.markdown()
        );
        write_records(&[
            (
                &report.circumstances.file_name("-data-model"),
                format!("{:#}\n", report.json()),
            ),
            ("data-model.md", latest),
        ])?;
    }
    Ok(())
}

/// What the program prints.
#[derive(Debug, PartialEq)]
struct Measured {
    /// GB/s that one core reads.
    bandwidth: f64,
    cases: Vec<Case>,
}

/// An operation on either side.
#[derive(Debug, PartialEq)]
struct Case {
    group: String,
    name: String,
    /// The bytes that it reads; 0 where that is not what bounds it.
    bytes: f64,
    ours_ns: f64,
    theirs_ns: f64,
    ours_min_ns: f64,
    theirs_min_ns: f64,
    /// Our time divided by ndarray's: median over the rounds and quartiles.
    ratio: f64,
    ratio_low: f64,
    ratio_high: f64,
}

impl Measured {
    fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |line: &str| {
            Failure::failed(format!(
                "{PACKAGE} printed {line:?}, which is no measurement"
            ))
        };
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let bandwidth = first.strip_prefix("bandwidth\t");
        let bandwidth = bandwidth.and_then(|value| value.parse().ok());
        let case = |line: &str| Case::parse(line).ok_or_else(|| wrong(line));
        let cases = lines.map(case).collect::<Result<Vec<_>, _>>()?;
        if cases.is_empty() {
            return Err(Failure::usage(
                "no case is called like that: `cargo xtask bench data` shows all",
            ));
        }
        Ok(Self {
            bandwidth: bandwidth.ok_or_else(|| wrong(first))?,
            cases,
        })
    }
}

impl Case {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (group, name) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let numbers: Vec<f64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
        let &[
            bytes,
            ours_ns,
            theirs_ns,
            ours_min_ns,
            theirs_min_ns,
            ratio,
            ratio_low,
            ratio_high,
        ] = &numbers[..]
        else {
            return None;
        };
        Some(Self {
            group,
            name,
            bytes,
            ours_ns,
            theirs_ns,
            ours_min_ns,
            theirs_min_ns,
            ratio,
            ratio_low,
            ratio_high,
        })
    }

    /// GB/s that our side reads.
    fn rate(&self) -> Option<f64> {
        (self.bytes > 0.0).then_some(self.bytes / self.ours_ns)
    }
}

/// Everything that is told.
#[derive(Debug)]
struct Report {
    circumstances: Circumstances,
    rounds: usize,
    measured: Measured,
}

impl Report {
    fn markdown(&self) -> String {
        let mut table = Table::new(&[
            "operation",
            "tenfold",
            "ndarray",
            "ratio",
            "quartiles",
            "of the least",
            "GB/s",
        ]);
        for case in &self.measured.cases {
            table.row(vec![
                format!("{}: {}", case.group, case.name),
                duration(case.ours_ns),
                duration(case.theirs_ns),
                format!("{:.2}", case.ratio),
                format!("{:.2}..{:.2}", case.ratio_low, case.ratio_high),
                format!("{:.2}", case.ours_min_ns / case.theirs_min_ns),
                case.rate().map_or("-".into(), three_digits),
            ]);
        }
        format!(
            "{}{} rounds; the ratio is Tenfold's time divided by ndarray's (median, quartiles, and that of the least times): below 1 Tenfold is faster. One core reads {} GB/s.\n\n{}",
            self.circumstances.markdown(),
            self.rounds,
            three_digits(self.measured.bandwidth),
            table.markdown()
        )
    }

    fn json(&self) -> Value {
        let mut fields = self.circumstances.json();
        fields.insert("rounds".into(), json!(self.rounds));
        fields.insert("read_gb_per_s".into(), json!(self.measured.bandwidth));
        let cases = self.measured.cases.iter().map(|case| {
            json!({
                "group": case.group,
                "case": case.name,
                "tenfold_ns": case.ours_ns,
                "ndarray_ns": case.theirs_ns,
                "tenfold_min_ns": case.ours_min_ns,
                "ndarray_min_ns": case.theirs_min_ns,
                "ratio": { "median": case.ratio, "p25": case.ratio_low, "p75": case.ratio_high },
                "tenfold_gb_per_s": case.rate(),
            })
        });
        fields.insert("results".into(), cases.collect());
        fields.into()
    }
}

/// A time with its unit.
pub(super) fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 999.5 => format!("{} ns", three_digits(ns)),
        ns if ns < 999_500.0 => format!("{} µs", three_digits(ns / 1e3)),
        ns => format!("{} ms", three_digits(ns / 1e6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let text = "bandwidth\t12.5\nview\tslice\t0\t3\t4\t2\t4\t0.75\t0.7\t0.8\niterate\tall\t4096\t1024\t512\t1\t1\t2\t2\t2\n";
        let measured = Measured::parse(text).unwrap();
        assert_eq!((measured.bandwidth, measured.cases.len()), (12.5, 2));
        let rates: Vec<_> = measured.cases.iter().map(Case::rate).collect();
        assert_eq!(rates, [None, Some(4.0)]);
        assert_eq!(measured.cases[0].ratio, 0.75);
        for (wrong, expected) in [
            ("bandwidth\t1\n", "no case is called"),
            ("bandwidth\tx\nv\ts\t0\t3\t4\t3\t4\t1\t1\t1\n", "bandwidth"),
            ("bandwidth\t1\nv\ts\t0\t3\n", "no measurement"),
        ] {
            let error = Measured::parse(wrong).unwrap_err().to_string();
            assert!(error.contains(expected), "{wrong:?}: {error}");
        }
    }

    #[test]
    fn options_are_read() {
        let parse = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            COMMAND
                .options(&words)
                .map_err(|failure| failure.to_string())
        };
        let options = parse("view slice --rounds 7 --wait-quiet").unwrap();
        assert_eq!((options.words.len(), options.rounds), (2, 7));
        assert!(options.wait_quiet && !options.record);
        for (line, expected) in [
            ("--rounds", "needs a value"),
            ("--rounds 0", "at least 1"),
            ("--threads 2", "has no option"),
            ("view --record", "every case"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn times_have_units() {
        for (ns, expected) in [
            (1.5, "1.50 ns"),
            (999.6, "1.00 µs"),
            (25_000.0, "25.0 µs"),
            (4_359_000.0, "4.36 ms"),
        ] {
            assert_eq!(duration(ns), expected);
        }
    }
}
