//! `tenfold bench`: how long a model takes to load, to compile and to run.
//!
//! A run is what a program pays that has its inputs and wants its outputs: the check of the inputs and the memory of the
//! outputs are in it. The first run is counted alone; the warm-up runs that follow it are not counted.

use std::io::{IsTerminal as _, stderr};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Ready, to_text};
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::statistics::{Times, peak_rss_bytes, timed};
use crate::table::{Align, Table, bytes, milliseconds};

/// Runs the model often and says how long it took.
pub(crate) fn run(args: &BenchArgs) -> Result<String, Failure> {
    let ready = Ready::new(&args.model, args.device, &args.feeds)?;
    let feeds = ready.feeds.as_refs();
    let once = || -> Result<f64, Failure> {
        let (outputs, ms) = timed(|| ready.function.run(&feeds));
        outputs?;
        Ok(ms)
    };
    let first_run_ms = once()?;
    let mut progress = Progress::new(args.warmup + args.iters.get());
    for _ in 0..args.warmup {
        once()?;
        progress.step();
    }
    let mut times_ms = Vec::with_capacity(args.iters.get().min(1 << 20));
    for _ in 0..args.iters.get() {
        times_ms.push(once()?);
        progress.step();
    }
    progress.clear();

    let times = Times::new(times_ms);
    let [p50, p90, p99] = [50, 90, 99].map(|percent| times.percentile(percent));
    let planned_peak = ready.specialisation.planned_peak_bytes();
    let peak_rss = peak_rss_bytes();
    if args.json {
        return Ok(to_text(&json!({
            "model": args.model.display().to_string(),
            "device": ready.function.device(),
            "threads": ready.function.threads(),
            "load_ms": ready.load_ms,
            "compile_ms": ready.compile_ms,
            "first_run_ms": first_run_ms,
            "p50_ms": p50,
            "p90_ms": p90,
            "p99_ms": p99,
            "iters": args.iters.get(),
            "peak_rss_bytes": peak_rss,
            "planned_peak_bytes": planned_peak,
        })));
    }
    let mut table = Table::without_headings([Align::Left, Align::Right]);
    let spans = [
        ("load", ready.load_ms),
        ("compile", ready.compile_ms),
        ("first run", first_run_ms),
    ];
    let percentiles = [("p50", p50), ("p90", p90), ("p99", p99)];
    let percentiles = percentiles
        .into_iter()
        .filter_map(|(name, ms)| Some((name, ms?)));
    for (name, ms) in spans.into_iter().chain(percentiles) {
        table.row([name.to_owned(), milliseconds(ms)]);
    }
    table.row(["planned peak".to_owned(), bytes(planned_peak as u64)]);
    if let Some(peak_rss) = peak_rss {
        table.row(["peak memory".to_owned(), bytes(peak_rss)]);
    }
    Ok(format!(
        "{}: {}; {} runs after 1 + {}\n{}",
        args.model.display(),
        ready.place(),
        args.iters,
        args.warmup,
        table.render(2)
    ))
}

/// A line on the terminal that says how far the runs are; nothing where the standard error is no terminal, or before
/// the first half second is over.
struct Progress {
    total: usize,
    done: usize,
    next: Instant,
    shown: bool,
}

impl Progress {
    const EVERY: Duration = Duration::from_millis(500);

    fn new(total: usize) -> Self {
        Self {
            total,
            done: 0,
            next: Instant::now() + Self::EVERY,
            shown: false,
        }
    }

    fn step(&mut self) {
        self.done += 1;
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + Self::EVERY;
        if self.shown || stderr().is_terminal() {
            self.shown = true;
            eprint!("\r{} of {} runs", self.done, self.total);
        }
    }

    /// Wipes the line.
    fn clear(&self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}
