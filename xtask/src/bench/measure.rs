//! Measuring: all peers side by side on one case, in turns, so that the noise of the machine hits all alike.
//!
//! Every peer is started a few times in a fresh process, in turns with the others; each start gives the times to load,
//! to compile and of the first run, and its output is compared with the golden one. The processes of the last start
//! stay. Then come the rounds: in each, every peer has one turn of a few runs, begun by one that does not count, and
//! each round begins with another peer. A turn ends when all threads of the peer are asleep: some engines' threads wait
//! for more work by spinning, for tens of milliseconds, and would slow down the next peer.
//!
//! Invariant: only one peer works at a time (where the system doesn't tell which threads sleep, a pause has to do). A peer that fails is out of the rest of its case and of nothing else.

use std::time::Duration;

use super::cases::{Case, Prepared};
use super::child::{Child, milliseconds};
use super::machine::{Others, peak_memory_mib, wait_asleep};
use super::peers::Ready;
use super::statistics::{Summary, median, summary};
use crate::failure::Failure;

/// An output further from the golden one is wrong. All outputs are probabilities; engines differ by 1e-6 or so.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Turns of each peer.
    pub(crate) rounds: usize,
    /// Fresh processes of each peer.
    pub(crate) starts: usize,
}

/// How long the counted runs of a turn take together, for peers whose single run does not take longer.
const TURN: Duration = Duration::from_millis(40);

/// Runs of a turn: at least and at most.
const RUNS: (usize, usize) = (3, 200);

/// The longest wait for a peer's threads to fall asleep.
const PATIENCE: Duration = Duration::from_secs(2);

/// One case with one number of threads.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) case: &'static Case,
    pub(crate) threads: usize,
    /// Cores that other processes used meanwhile.
    pub(crate) others: Option<f64>,
    pub(crate) rows: Vec<Row>,
}

/// What one peer did in a group.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) peer: &'static str,
    /// The numbers, or why there are none.
    pub(crate) numbers: Result<Numbers, String>,
}

/// Times in milliseconds, medians over the starts but for the runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// Runs after the first.
    pub(crate) run: Summary,
    pub(crate) load: f64,
    /// `None` where loading does it all.
    pub(crate) compile: Option<f64>,
    pub(crate) first_run: f64,
    /// The three together.
    pub(crate) to_first_answer: f64,
    /// The most memory the process had at once.
    pub(crate) peak_mib: Option<f64>,
    /// The largest difference from the golden output.
    pub(crate) error: f64,
}

impl Numbers {
    /// Whether the answer was right.
    pub(crate) fn right(&self) -> bool {
        self.error <= TOLERANCE
    }
}

/// Measures all peers on a case.
pub(crate) fn measure(
    prepared: &Prepared,
    threads: usize,
    peers: &[Ready],
    settings: Settings,
) -> Result<Group, Failure> {
    let mut runners: Vec<Runner<'_>> = peers.iter().map(Runner::new).collect();
    for start in 0..settings.starts {
        for index in order(start, runners.len()) {
            let command = runners[index].ready.command(threads)?;
            runners[index].attempt(|runner| runner.start(command, prepared));
        }
    }
    for runner in &mut runners {
        runner.attempt(Runner::calibrate);
    }
    let living = runners.iter().filter_map(|runner| runner.child.as_ref());
    let others = Others::watch(living.map(Child::id).collect());
    for round in 0..settings.rounds {
        for index in order(round, runners.len()) {
            runners[index].attempt(Runner::turn);
        }
    }
    let others = others.cores();
    for runner in &mut runners {
        runner.attempt(|runner| runner.check(prepared).map(|_| ()));
    }
    Ok(Group {
        case: prepared.case,
        threads,
        others,
        rows: runners.into_iter().map(Runner::finish).collect(),
    })
}

/// Everyone once, each time beginning with the next.
fn order(turn: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |place| (turn + place) % count)
}

/// The times of a start.
#[derive(Clone, Copy, Debug)]
struct Start {
    load: f64,
    compile: Option<f64>,
    first_run: f64,
}

/// A peer on its way through a group.
struct Runner<'a> {
    ready: &'a Ready,
    child: Option<Child>,
    starts: Vec<Start>,
    /// Runs per turn.
    runs_per_turn: usize,
    runs: Vec<f64>,
    error: f64,
    failure: Option<String>,
}

impl<'a> Runner<'a> {
    fn new(ready: &'a Ready) -> Self {
        Self {
            ready,
            child: None,
            starts: Vec::new(),
            runs_per_turn: RUNS.0,
            runs: Vec::new(),
            error: 0.0,
            failure: None,
        }
    }

    /// Takes a step, unless one has failed before; it ends when the peer is asleep. A peer that failed is stopped.
    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), String>) {
        if self.failure.is_some() {
            return;
        }
        self.failure = step(self).err();
        if self.failure.is_some() {
            self.child = None;
        } else if let Some(child) = &self.child {
            wait_asleep(child.id(), PATIENCE);
        }
    }

    fn ask(&mut self, command: &str) -> Result<Vec<String>, String> {
        self.child.as_mut().ok_or("not started")?.ask(command)
    }

    /// A fresh process in place of the one before, ready and checked.
    fn start(
        &mut self,
        mut command: std::process::Command,
        prepared: &Prepared,
    ) -> Result<(), String> {
        self.child = None;
        self.child = Some(Child::start(&mut command)?);
        let times = self.ask(&format!("load {}", prepared.case_file.display()))?;
        let (load, compile) = match &times[..] {
            [load] => (milliseconds(load)?, None),
            [load, compile] => (milliseconds(load)?, Some(milliseconds(compile)?)),
            other => return Err(format!("{other:?} are no times to load and to compile")),
        };
        let first_run = self.check(prepared)?;
        self.starts.push(Start {
            load,
            compile,
            first_run,
        });
        Ok(())
    }

    /// One run whose output is compared; gives back its time.
    fn check(&mut self, prepared: &Prepared) -> Result<f64, String> {
        let answer = self.ask(&format!("check {}", prepared.output_file.display()))?;
        let [time, shape] = &answer[..] else {
            return Err(format!("{answer:?} is no time and shape"));
        };
        let shape: Result<Vec<usize>, _> = shape.split(',').map(str::parse).collect();
        let shape = shape.map_err(|_| format!("{answer:?} has no shape"))?;
        self.error = self.error.max(prepared.error_of(&shape)?);
        milliseconds(time)
    }

    /// Chooses how many runs make a turn.
    fn calibrate(&mut self) -> Result<(), String> {
        let times = self.run(RUNS.0)?;
        let typical = median(&times).ok_or("no times")?;
        let wanted = TURN.as_secs_f64() * 1e3 / typical.max(1e-6);
        self.runs_per_turn = (wanted as usize).clamp(RUNS.0, RUNS.1);
        Ok(())
    }

    fn turn(&mut self) -> Result<(), String> {
        let times = self.run(self.runs_per_turn)?;
        self.runs.extend(times);
        Ok(())
    }

    fn run(&mut self, times: usize) -> Result<Vec<f64>, String> {
        let answer = self.ask(&format!("run {times}"))?;
        answer.iter().map(|word| milliseconds(word)).collect()
    }

    fn finish(self) -> Row {
        let peak_mib = self.child.as_ref().and_then(|c| peak_memory_mib(c.id()));
        let numbers = match self.failure {
            Some(failure) => Err(failure),
            None => numbers(&self.starts, &self.runs, peak_mib, self.error)
                .ok_or_else(|| "nothing was measured".to_owned()),
        };
        Row {
            peer: self.ready.peer.name,
            numbers,
        }
    }
}

fn numbers(starts: &[Start], runs: &[f64], peak_mib: Option<f64>, error: f64) -> Option<Numbers> {
    let over_starts =
        |part: &dyn Fn(&Start) -> f64| median(&starts.iter().map(part).collect::<Vec<_>>());
    let compiles: Vec<f64> = starts.iter().filter_map(|start| start.compile).collect();
    Some(Numbers {
        run: summary(runs)?,
        load: over_starts(&|start| start.load)?,
        compile: median(&compiles),
        first_run: over_starts(&|start| start.first_run)?,
        to_first_answer: over_starts(&|start| {
            start.load + start.compile.unwrap_or(0.0) + start.first_run
        })?,
        peak_mib,
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_begins_once() {
        let orders: Vec<Vec<usize>> = (0..3).map(|turn| order(turn, 3).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
    }

    #[test]
    fn numbers_are_medians_over_starts_and_runs() {
        let start = |load, compile, first_run| Start {
            load,
            compile,
            first_run,
        };
        let starts = [
            start(1.0, Some(2.0), 9.0),
            start(5.0, Some(3.0), 1.0),
            start(3.0, Some(9.0), 2.0),
        ];
        let found = numbers(&starts, &[4.0, 6.0, 5.0], Some(7.0), 0.0).unwrap();
        assert_eq!(
            (found.load, found.compile, found.first_run),
            (3.0, Some(3.0), 2.0)
        );
        // The sums are 12, 9 and 14.
        assert_eq!((found.to_first_answer, found.run.median), (12.0, 5.0));
        let plain = numbers(&[start(1.0, None, 2.0)], &[1.0], None, 1.0).unwrap();
        assert_eq!((plain.compile, plain.to_first_answer), (None, 3.0));
        assert!(!plain.right() && found.right());
        assert_eq!(numbers(&starts, &[], None, 0.0), None);
    }
}
