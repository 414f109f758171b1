//! `cargo xtask bench rates`: small calls, strided copies and files of tensors beside ndarray, candle and safetensors.
//!
//! `benches/rates` measures, all sides of a case in turns in one process, and prints a line per side; this makes the
//! tables and the record of them.

use std::time::Duration;

use serde_json::{Value, json};

use super::circumstances::Circumstances;
use super::data::duration;
use super::options::Command;
use super::peers::{OURS, build_package, version};
use super::statistics::three_digits;
use super::table::Table;
use super::{machine, write_records};
use crate::failure::Failure;
use crate::process;

const PACKAGE: &str = "rates";
/// The crates beside ours; the sides are called like them, but for candle.
const PEERS: [&str; 3] = ["ndarray", "candle-core", "safetensors"];
/// The side that copies as many bytes and does nothing else: what the memory allows.
const LIMIT: &str = "memcpy";

const HELP: &str = "\
cargo xtask bench rates [WORD..] [OPTIONS]   small calls, strided copies and files of tensors beside ndarray, candle and safetensors

  WORD..          only the cases whose \"group/name\" contains one of the words: calls, copy, file, transpose, u8, mapped, ..
  --rounds N      turns of each side of a call or copy, 31 if not given; of a file a fifth of them
  --wait-quiet    first wait, up to 10 minutes, until other processes use less than a tenth of a core
  --record        write benches/record/DATE-MACHINE-rates.json and benches/record/rates.md; takes no word
";

/// How the command reads its options.
const COMMAND: Command = Command {
    name: "rates",
    rounds: 31,
    help: HELP,
};

/// Measures what the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = COMMAND.options(arguments)?;
    build_package(PACKAGE)?;
    if options.wait_quiet && !machine::wait_quiet(0.1, Duration::from_secs(600)) {
        println!("warning: the machine did not become quiet");
    }
    let names = [OURS].into_iter().chain(PEERS);
    let versions = names.map(|name| Ok((name, version(name)?)));
    let circumstances = Circumstances::now(versions.collect::<Result<_, Failure>>()?)?;
    circumstances.warn_of_load();
    let program = process::workspace_root()?.join("benches/target/release");
    let program = program
        .join(PACKAGE)
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = process::program(&program.to_string_lossy(), &[])?;
    command.arg(options.rounds.to_string()).args(&options.words);
    let report = Report {
        circumstances,
        rounds: options.rounds,
        cases: parse(&process::printed(&mut command)?)?,
    };
    println!("{}", report.markdown());
    if options.record {
        let latest = format!(
            "<!-- Written by `cargo xtask bench rates --record`; benches/README.md says how to read it. -->\n{}",
            report.markdown()
        );
        write_records(&[
            (
                &report.circumstances.file_name("-rates"),
                format!("{:#}\n", report.json()),
            ),
            ("rates.md", latest),
        ])?;
    }
    Ok(())
}

/// A piece of work and those who did it, ours first.
#[derive(Debug, PartialEq)]
struct Case {
    group: String,
    name: String,
    /// What is copied or read, counted once.
    bytes: f64,
    sides: Vec<Side>,
}

#[derive(Debug, PartialEq)]
struct Side {
    name: String,
    median_ns: f64,
    min_ns: f64,
    /// Our time divided by this side's: median over the rounds and quartiles.
    ratio: f64,
    ratio_low: f64,
    ratio_high: f64,
}

/// The cases that the program printed, a line per side.
fn parse(text: &str) -> Result<Vec<Case>, Failure> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        let wrong = || {
            Failure::failed(format!(
                "{PACKAGE} printed {line:?}, which is no measurement"
            ))
        };
        let (case, side) = parse_line(line).ok_or_else(wrong)?;
        match cases.last_mut() {
            Some(last) if (&last.group, &last.name) == (&case.group, &case.name) => {
                last.sides.push(side);
            }
            _ => cases.push(Case {
                sides: vec![side],
                ..case
            }),
        }
    }
    if cases.is_empty() {
        return Err(Failure::usage(
            "no case is called like that: `cargo xtask bench rates` shows all",
        ));
    }
    Ok(cases)
}

fn parse_line(line: &str) -> Option<(Case, Side)> {
    let mut fields = line.split('\t');
    let case = Case {
        group: fields.next()?.to_owned(),
        name: fields.next()?.to_owned(),
        bytes: fields.next()?.parse().ok()?,
        sides: Vec::new(),
    };
    let name = fields.next()?.to_owned();
    let numbers: Vec<f64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
    let &[median_ns, min_ns, ratio, ratio_low, ratio_high] = &numbers[..] else {
        return None;
    };
    let side = Side {
        name,
        median_ns,
        min_ns,
        ratio,
        ratio_low,
        ratio_high,
    };
    Some((case, side))
}

impl Case {
    /// GB/s at which we pass the bytes on.
    fn rate(&self) -> f64 {
        self.bytes / self.sides[0].median_ns
    }

    /// The side called `name`, if it takes part.
    fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }
}

/// Everything that is told.
#[derive(Debug)]
struct Report {
    circumstances: Circumstances,
    rounds: usize,
    cases: Vec<Case>,
}

impl Report {
    /// A table per group.
    fn markdown(&self) -> String {
        let mut text = format!(
            "{}{} rounds of calls and copies, {} of files, one thread. A thousand calls take as many microseconds as one takes nanoseconds. GB/s are of the bytes that are copied or read, counted once; beside them Tenfold's share of the rate at which `memcpy` copies as many. In brackets Tenfold's time divided by the other's (the median of the rounds): below 1 Tenfold is faster.\n",
            self.circumstances.markdown(),
            self.rounds,
            self.rounds.div_ceil(5),
        );
        let mut groups: Vec<&str> = Vec::new();
        for case in &self.cases {
            if !groups.contains(&case.group.as_str()) {
                groups.push(&case.group);
            }
        }
        for group in groups {
            let cases = self.cases.iter().filter(|case| case.group == group);
            text.push_str(&format!(
                "\n{}",
                table(&cases.collect::<Vec<_>>()).markdown()
            ));
        }
        text
    }

    fn json(&self) -> Value {
        let mut fields = self.circumstances.json();
        fields.insert("rounds".into(), json!(self.rounds));
        let cases = self.cases.iter().map(|case| {
            let sides = case.sides.iter().map(|side| {
                json!({
                    "name": side.name,
                    "median_ns": side.median_ns,
                    "min_ns": side.min_ns,
                    "tenfold_divided_by_it": {
                        "median": side.ratio,
                        "p25": side.ratio_low,
                        "p75": side.ratio_high,
                    },
                })
            });
            json!({
                "group": case.group,
                "case": case.name,
                "bytes": case.bytes,
                "sides": sides.collect::<Value>(),
            })
        });
        fields.insert("results".into(), cases.collect());
        fields.into()
    }
}

/// The table of a group. Where bytes are moved, as the limit beside a case tells, there are rates.
fn table(cases: &[&Case]) -> Table {
    let first = cases[0];
    let moves = first.side(LIMIT).is_some();
    let mut others: Vec<&str> = Vec::new();
    for side in cases.iter().flat_map(|case| &case.sides[1..]) {
        let name = side.name.as_str();
        if name != LIMIT && !others.contains(&name) {
            others.push(name);
        }
    }
    let mut columns = vec![first.group.as_str(), OURS];
    if moves {
        columns.extend(["GB/s", "of memcpy"]);
    }
    columns.extend(&others);
    let mut table = Table::new(&columns);
    for case in cases {
        let limit = case.side(LIMIT);
        let mut row = vec![case.name.clone(), duration(case.sides[0].median_ns)];
        if moves {
            row.push(three_digits(case.rate()));
            let share = limit.map(|limit| format!("{:.0} %", 100.0 / limit.ratio));
            row.push(share.unwrap_or_else(|| "-".into()));
        }
        row.extend(others.iter().map(|name| {
            case.side(name).map_or("-".into(), |side| {
                format!("{} ({:.2})", duration(side.median_ns), side.ratio)
            })
        }));
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
copy\tt\t8000\ttenfold\t2000\t1900\t1\t1\t1
copy\tt\t8000\tndarray\t4000\t3900\t0.5\t0.4\t0.6
copy\tt\t8000\tmemcpy\t1000\t900\t2\t1.9\t2.1
file\tf\t10\ttenfold\t5\t5\t1\t1\t1
calls\ta\t10\ttenfold\t5\t5\t1\t1\t1
calls\ta\t10\tndarray\t10\t9\t0.5\t0.5\t0.5
calls\tb\t10\ttenfold\t8\t8\t1\t1\t1
calls\tb\t10\tcandle\t4\t4\t2\t2\t2
";

    #[test]
    fn lines_are_gathered_by_case() {
        let cases = parse(TEXT).unwrap();
        assert_eq!(cases.len(), 4);
        assert_eq!((cases[0].sides.len(), cases[1].sides.len()), (3, 1));
        assert_eq!((cases[0].rate(), cases[1].rate()), (4.0, 2.0));
        assert_eq!(
            table(&[&cases[0]]).markdown(),
            "\
| copy | tenfold | GB/s | of memcpy |        ndarray |
|:-----|--------:|-----:|----------:|---------------:|
| t    | 2.00 µs | 4.00 |      50 % | 4.00 µs (0.50) |
"
        );
        assert_eq!(
            table(&[&cases[2], &cases[3]]).markdown(),
            "\
| calls | tenfold |        ndarray |         candle |
|:------|--------:|---------------:|---------------:|
| a     | 5.00 ns | 10.0 ns (0.50) |              - |
| b     | 8.00 ns |              - | 4.00 ns (2.00) |
"
        );
        for (wrong, expected) in [
            ("", "no case is called"),
            ("copy\tt\t8\ttenfold\t1\t1\t1\t1\n", "no measurement"),
            ("copy\tt\t8\ttenfold\t1\t1\t1\t1\tx\n", "no measurement"),
        ] {
            let error = parse(wrong).unwrap_err().to_string();
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
        let options = parse("copy u8 --rounds 7 --wait-quiet").unwrap();
        assert_eq!((options.words.len(), options.rounds), (2, 7));
        assert!(options.wait_quiet && !options.record);
        for (line, expected) in [
            ("--rounds", "needs a value"),
            ("--threads 2", "has no option"),
            ("file --record", "every case"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
