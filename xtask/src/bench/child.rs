//! A peer as a child process that answers one line per command.
//!
//! A thread reads the answers, so that a peer that hangs is noticed: after [`PATIENCE`] it counts as failed. Dropping a
//! child ends it. Its standard error is ours, so whatever it complains about is seen.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// No answer takes longer unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running peer.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    commands: ChildStdin,
    answers: Receiver<String>,
}

impl Child {
    /// Starts a peer; the error says why it can't be.
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy().into_owned();
            format!("{program} could not be started: {error}")
        })?;
        let (Some(commands), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("the peer's pipes are missing".into());
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // The receiver is gone when nobody waits for this peer any more.
            let _ = lines.map(|line| sender.send(line)).find(Result::is_err);
        });
        Ok(Self {
            process,
            commands,
            answers,
        })
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a command and gives back the words of its answer; the error is what the peer says, or that it is gone.
    pub(crate) fn ask(&mut self, command: &str) -> Result<Vec<String>, String> {
        let gone = "the peer ended without an answer: see its message above";
        writeln!(self.commands, "{command}").map_err(|_| gone.to_owned())?;
        let answer = match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => return Err(gone.into()),
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("no answer within {} s", PATIENCE.as_secs()));
            }
        };
        answered(&answer)
    }
}

/// Tells an answer from an error.
fn answered(line: &str) -> Result<Vec<String>, String> {
    match line.split_once(' ').unwrap_or((line, "")) {
        ("ok", words) => Ok(words.split_whitespace().map(str::to_owned).collect()),
        ("error", text) => Err(text.to_owned()),
        _ => Err(format!("{line:?} is no answer")),
    }
}

/// A word of an answer that is a time in nanoseconds, in milliseconds.
pub(crate) fn milliseconds(word: &str) -> Result<f64, String> {
    let nanoseconds: u64 = word.parse().map_err(|_| format!("{word:?} is no time"))?;
    Ok(nanoseconds as f64 / 1e6)
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_errors() {
        assert_eq!(answered("ok 12 34"), Ok(vec!["12".into(), "34".into()]));
        assert_eq!(answered("ok"), Ok(vec![]));
        assert_eq!(answered("error no such op"), Err("no such op".into()));
        assert!(answered("panicked").is_err());
        assert_eq!(milliseconds("1500000"), Ok(1.5));
        assert!(milliseconds("1.5").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_answers_is_a_peer_and_one_that_ends_is_gone() {
        let mut echo = Child::start(Command::new("sed").args(["-u", "s/^/ok /"])).unwrap();
        assert_eq!(echo.ask("1 2"), Ok(vec!["1".into(), "2".into()]));
        let mut gone = Child::start(&mut Command::new("true")).unwrap();
        assert!(gone.ask("1").unwrap_err().contains("ended"));
        assert!(Child::start(&mut Command::new("no-such-program")).is_err());
    }
}
