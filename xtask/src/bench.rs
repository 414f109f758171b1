//! `cargo xtask bench`: Tenfold and its peers on the same models and inputs, measured side by side.
//!
//! Each peer is a child process that loads a case, runs it when it is told to and answers with times (`benches/`
//! holds them and describes the protocol). [`measure`] gives them turns, [`report`] makes tables and records. Every
//! output is compared with the golden one, so that a fast wrong answer shows.
//!
//! Invariants: what is missing is told in the tables and in the last line; a record holds every case and every peer of
//! its run, the commit and the machine.

mod cases;
mod child;
mod circumstances;
mod data;
mod machine;
mod measure;
mod npy;
mod options;
mod peers;
mod rates;
mod report;
mod statistics;
mod table;

use std::env;
use std::fs;
use std::time::Duration;

use crate::failure::Failure;
use crate::process;
use cases::{CASES, Case};
use circumstances::Circumstances;
use measure::Settings;
use peers::{PEERS, Peer};
use report::Report;

pub(crate) const HELP: &str = "\
cargo xtask bench [FILTER..] [OPTIONS]   Tenfold beside rten, tract and onnxruntime on real models
cargo xtask bench kernels [WORD]         rates of single kernels beside what the processor can do
cargo xtask bench data [WORD..]          single operations of the data model beside ndarray's; of the options below
                                         it takes --rounds, --wait-quiet and --record
cargo xtask bench rates [WORD..]         strided copies and files beside ndarray, candle and safetensors; same options

Builds the peers (tract takes minutes the first time), fetches the models, measures and prints tables; see
benches/README.md for how to read them. Measure on an otherwise idle machine.

  FILTER..        only the cases whose names contain one of the words
  --threads LIST  numbers of threads, 1,2 if not given
  --rounds N      turns of each peer, 20 if not given
  --starts N      fresh processes of each peer, 3 if not given
  --peers LIST    only these, for example tenfold,onnxruntime
  --python PATH   a Python that has onnxruntime and numpy; else TENFOLD_PYTHON, else python3
  --wait-quiet    before each case wait, up to 10 minutes, until other processes use less than a tenth of a core
  --record        write benches/record/DATE-MACHINE.json and benches/record/latest.md; takes no filter
  --list          print the names of the cases and measure nothing
";

/// What the command line asks for.
#[derive(Debug, PartialEq)]
struct Options {
    filters: Vec<String>,
    threads: Vec<usize>,
    rounds: usize,
    starts: usize,
    peers: Vec<&'static Peer>,
    python: Option<String>,
    wait_quiet: bool,
    record: bool,
    list: bool,
}

/// Measures by another program, told its arguments.
type Other = fn(&[String]) -> Result<(), Failure>;

/// What else is measured, by the first word.
const OTHERS: [(&str, Other); 3] = [
    ("kernels", kernels),
    ("data", data::run),
    ("rates", rates::run),
];

/// Measures what the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some((first, words)) = arguments.split_first()
        && let Some((_, other)) = OTHERS.iter().find(|(name, _)| name == first)
    {
        return other(words);
    }
    let options = Options::parse(arguments)?;
    let cases = options.cases()?;
    if options.list {
        for case in cases {
            println!("{:<16} {}", case.name, case.title);
        }
        return Ok(());
    }
    let report = measure_all(&options, &cases)?;
    println!("\n{}", report.markdown());
    if options.record {
        record(&report)?;
    }
    println!(
        "measured {} cases at {:?} threads; left out: {}",
        cases.len(),
        options.threads,
        report.left_out()
    );
    if report.ours_is_right() {
        Ok(())
    } else {
        Err(Failure::failed(
            "tenfold failed or gave a wrong answer: see the lines below the tables",
        ))
    }
}

/// Runs the example that measures single kernels.
fn kernels(words: &[String]) -> Result<(), Failure> {
    let mut cargo = process::cargo(&["run", "--release", "--quiet", "-p", "cpu-interp"])?;
    cargo.args(["--example", "kernel_rates", "--"]).args(words);
    if process::succeeds(&mut cargo)? {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "`{}` failed: see its message above",
        process::shown(&cargo)
    )))
}

fn measure_all(options: &Options, cases: &[&'static Case]) -> Result<Report, Failure> {
    let settings = Settings {
        rounds: options.rounds,
        starts: options.starts,
    };
    let python = options
        .python
        .clone()
        .or_else(|| env::var("TENFOLD_PYTHON").ok());
    let python = python.unwrap_or_else(|| "python3".into());
    let (ready, missing) = peers::ready(&options.peers, &python)?;
    for peer in &missing {
        println!("warning: {} is not measured: {}", peer.name, peer.reason);
    }
    if ready.is_empty() {
        return Err(Failure::failed("there is no peer to measure"));
    }
    cases::fetch_models(cases)?;
    // Building the peers was our own load: look at the machine as it is when measuring begins.
    let circumstances = Circumstances::now(report::versions(&ready))?;
    circumstances.warn_of_load();
    warn_of_threads(circumstances.machine.cores, options);
    let folder = process::workspace_root()?.join("target/bench");
    let mut groups = Vec::new();
    for &case in cases {
        let prepared = cases::prepare(case, &folder)?;
        for &threads in &options.threads {
            if options.wait_quiet && !machine::wait_quiet(0.1, Duration::from_secs(600)) {
                println!("warning: the machine did not become quiet");
            }
            println!("measuring {} at {threads} threads", case.name);
            groups.push(measure::measure(&prepared, threads, &ready, settings)?);
        }
    }
    Ok(Report {
        circumstances,
        settings,
        missing,
        groups,
    })
}

fn warn_of_threads(cores: usize, options: &Options) {
    if let Some(&most) = options.threads.iter().max()
        && most > cores
    {
        println!("warning: {most} threads on {cores} cores measure the scheduler");
    }
}

/// Writes the record and the table for the README.
fn record(report: &Report) -> Result<(), Failure> {
    let latest = format!(
        "<!-- Written by `cargo xtask bench --record`; benches/README.md says how to read it. -->\n{}",
        report.markdown()
    );
    write_records(&[
        (
            &report.circumstances.file_name(""),
            format!("{:#}\n", report.json()),
        ),
        ("latest.md", latest),
    ])
}

/// Writes files, as names and texts, into the folder of records.
fn write_records(files: &[(&str, String)]) -> Result<(), Failure> {
    let folder = process::workspace_root()?.join("benches/record");
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| {
                Failure::failed(format!("cannot write {}: {error}", path.display()))
            })?;
        println!("wrote benches/record/{name}");
    }
    Ok(())
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            filters: Vec::new(),
            threads: vec![1, 2],
            rounds: 20,
            starts: 3,
            peers: PEERS.iter().collect(),
            python: None,
            wait_quiet: false,
            record: false,
            list: false,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let missing = || Failure::usage(format!("{word} needs a value\n\n{HELP}"));
                words.next().map(String::as_str).ok_or_else(missing)
            };
            match word.as_str() {
                "--threads" => {
                    options.threads = value()?.split(',').map(count).collect::<Result<_, _>>()?;
                }
                "--rounds" => options.rounds = count(value()?)?,
                "--starts" => options.starts = count(value()?)?,
                "--peers" => {
                    options.peers = value()?.split(',').map(peer).collect::<Result<_, _>>()?;
                }
                "--python" => options.python = Some(value()?.to_owned()),
                "--wait-quiet" => options.wait_quiet = true,
                "--record" => options.record = true,
                "--list" => options.list = true,
                flag if flag.starts_with('-') => {
                    return Err(Failure::usage(format!(
                        "`cargo xtask bench` has no option {flag:?}\n\n{HELP}"
                    )));
                }
                filter => options.filters.push(filter.to_owned()),
            }
        }
        if options.record && (!options.filters.is_empty() || options.peers.len() < PEERS.len()) {
            return Err(Failure::usage(
                "a record holds every case and peer: give --record neither a filter nor --peers",
            ));
        }
        Ok(options)
    }

    /// The cases that the filters let through.
    fn cases(&self) -> Result<Vec<&'static Case>, Failure> {
        let wanted = |case: &&Case| {
            let mut filters = self.filters.iter();
            self.filters.is_empty() || filters.any(|word| case.name.contains(word.as_str()))
        };
        let cases: Vec<&Case> = CASES.iter().filter(wanted).collect();
        if cases.is_empty() {
            let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
            return Err(Failure::usage(format!(
                "no case is called like {:?}; there are: {}, kernels, data, rates",
                self.filters.join(" "),
                names.join(", ")
            )));
        }
        Ok(cases)
    }
}

fn count(word: &str) -> Result<usize, Failure> {
    let parsed = word.parse().ok().filter(|&count| count > 0);
    parsed.ok_or_else(|| Failure::usage(format!("{word:?} is no number of at least 1")))
}

fn peer(word: &str) -> Result<&'static Peer, Failure> {
    let found = PEERS.iter().find(|peer| peer.name == word);
    found.ok_or_else(|| {
        let names: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
        Failure::usage(format!(
            "there is no peer {word:?}; there are: {}",
            names.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn options_are_read() {
        let options = parse("magika --threads 1,4 direction --rounds 5 --python py --wait-quiet");
        let options = options.unwrap();
        assert_eq!(options.filters, ["magika", "direction"]);
        assert_eq!(
            (options.threads.as_slice(), options.rounds, options.starts),
            (&[1, 4][..], 5, 3)
        );
        assert_eq!(
            (options.python.as_deref(), options.wait_quiet),
            (Some("py"), true)
        );
        let names = |options: &Options| -> Vec<&str> {
            options
                .cases()
                .unwrap()
                .iter()
                .map(|case| case.name)
                .collect()
        };
        assert_eq!(
            names(&options),
            ["magika-1", "magika-8", "direction-1", "direction-5"]
        );
        assert_eq!(names(&parse("").unwrap()).len(), CASES.len());
    }

    #[test]
    fn wrong_options_say_what_there_is() {
        for (line, expected) in [
            ("--threads 0", "at least 1"),
            ("--rounds", "needs a value"),
            ("--peers tenfold,torch", "there are: tenfold, rten"),
            ("--fast", "has no option"),
            ("magika --record", "every case and peer"),
            ("--record --peers tenfold", "every case and peer"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
        let error = parse("bert").unwrap().cases().unwrap_err().to_string();
        assert!(
            error.contains("magika-1") && error.contains("kernels"),
            "{error}"
        );
    }
}
