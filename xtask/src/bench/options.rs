//! The options of the commands that run a measuring program of `benches/` and may record what it prints.

use super::count;
use crate::failure::Failure;

/// A measuring command.
pub(super) struct Command {
    /// The word after `cargo xtask bench`.
    pub(super) name: &'static str,
    /// How many rounds it runs unless told otherwise.
    pub(super) rounds: usize,
    /// What it says of itself.
    pub(super) help: &'static str,
}

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub(super) struct Options {
    pub(super) words: Vec<String>,
    pub(super) rounds: usize,
    pub(super) wait_quiet: bool,
    pub(super) record: bool,
}

impl Command {
    /// The options of a command line.
    pub(super) fn options(&self, arguments: &[String]) -> Result<Options, Failure> {
        let Self { name, rounds, help } = *self;
        let mut options = Options {
            words: Vec::new(),
            rounds,
            wait_quiet: false,
            record: false,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--rounds" => {
                    let missing = || Failure::usage(format!("{word} needs a value\n\n{help}"));
                    options.rounds = count(words.next().ok_or_else(missing)?)?;
                }
                "--wait-quiet" => options.wait_quiet = true,
                "--record" => options.record = true,
                flag if flag.starts_with('-') => {
                    return Err(Failure::usage(format!(
                        "`cargo xtask bench {name}` has no option {flag:?}\n\n{help}"
                    )));
                }
                word => options.words.push(word.to_owned()),
            }
        }
        if options.record && !options.words.is_empty() {
            return Err(Failure::usage(
                "a record holds every case: give --record no word",
            ));
        }
        Ok(options)
    }
}
