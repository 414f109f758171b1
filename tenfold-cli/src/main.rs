//! The command `tenfold`: inspect, run, bench, devices; no library logic.
//!
//! [`args`] is the command line, [`command`] has one module for each command, [`feeds`] makes the inputs of a run.
//! Results go to the standard output, as tables for people or, with `--json`, as JSON for programs; errors and progress
//! go to the standard error. The exit code is 0 for success, 2 for a wrong command line and 1 for every other failure.
//!
//! Invariants: a number in a table or in JSON comes from the library or from a clock, nothing is computed here but
//! percentiles; nothing is printed to the standard output by a command that fails.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stderr,
    reason = "a command tells its errors on the terminal"
)]

mod args;
mod failure;
mod feeds;
mod random;
mod statistics;
mod table;

fn main() {}
