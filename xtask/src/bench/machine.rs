//! What the machine is and how busy it is, as far as the system tells: on Linux all of it, elsewhere little.

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The unit of times in `/proc`: hundredths of a second on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// The machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The processor's own name.
    pub(crate) cpu: String,
    /// Cores that this process may use.
    pub(crate) cores: usize,
    /// The operating system and architecture.
    pub(crate) system: String,
}

impl Machine {
    /// The machine that this runs on.
    pub(crate) fn this() -> Self {
        let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = about.lines().find(|line| line.starts_with("model name"));
        let name = model.and_then(|line| line.split_once(':'));
        let cpu = name.map_or("unknown CPU", |(_, name)| name.trim());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        Self {
            cpu: cpu.split_whitespace().collect::<Vec<_>>().join(" "),
            cores,
            system: format!("{os} {} {arch}", release.trim()).replace("  ", " "),
        }
    }

    /// The machine as a part of a file name: `amd-epyc-9b14-2-cores`.
    pub(crate) fn slug(&self) -> String {
        let text = format!("{} {} cores", self.cpu, self.cores).to_lowercase();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("-")
    }
}

/// The load average over the last minute.
pub(crate) fn load_average() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// Seconds that all cores together have worked, for whomever, since the system started.
pub(crate) fn busy_seconds() -> Option<f64> {
    busy(&fs::read_to_string("/proc/stat").ok()?)
}

/// Of the first line: user, nice, system, interrupts, soft interrupts and what other guests of the host took.
fn busy(stat: &str) -> Option<f64> {
    let fields = stat.lines().next()?.split_whitespace().skip(1);
    let ticks: Vec<f64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
    let worked = [0, 1, 2, 5, 6, 7];
    let ticks: Option<Vec<f64>> = worked.iter().map(|&n| ticks.get(n).copied()).collect();
    Some(ticks?.iter().sum::<f64>() / TICKS_PER_SECOND)
}

/// Seconds that a process has worked.
pub(crate) fn process_seconds(id: u32) -> Option<f64> {
    worked(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// The second field is the program's name in brackets and may hold anything; user and system time are fields 14 and 15.
fn worked(stat: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |number: usize| fields.get(number)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS_PER_SECOND)
}

/// The most memory that a process has had at once, in MiB.
pub(crate) fn peak_memory_mib(id: u32) -> Option<f64> {
    peak(&fs::read_to_string(format!("/proc/{id}/status")).ok()?)
}

fn peak(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// How many cores the others used over this span: everything but this process and the named ones.
#[derive(Debug)]
pub(crate) struct Others {
    begin: Instant,
    processes: Vec<u32>,
    work: Option<f64>,
}

impl Others {
    /// Begins the span; the processes live until its end.
    pub(crate) fn watch(processes: Vec<u32>) -> Self {
        let work = Self::work(&processes);
        Self {
            begin: Instant::now(),
            processes,
            work,
        }
    }

    /// Cores that the others used on average until now.
    pub(crate) fn cores(&self) -> Option<f64> {
        let worked = Self::work(&self.processes)? - self.work?;
        Some((worked / self.begin.elapsed().as_secs_f64()).max(0.0))
    }

    fn work(processes: &[u32]) -> Option<f64> {
        let own = processes.iter().copied().chain([std::process::id()]);
        let own: Option<f64> = own.map(process_seconds).sum();
        Some(busy_seconds()? - own?)
    }
}

/// Waits until no thread of a process runs; gives up after `patience`.
pub(crate) fn wait_asleep(id: u32, patience: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(2));
        match awake_threads(id) {
            Some(0) => return,
            Some(_) => {}
            // Not told by this system: this is longer than any engine here spins on an idle machine.
            None => return std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// How many threads of a process run or are ready to.
fn awake_threads(id: u32) -> Option<usize> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    // A thread that has ended since the folder was read is not awake.
    let stats = threads
        .flatten()
        .map(|thread| fs::read_to_string(thread.path().join("stat")));
    Some(stats.flatten().filter(|stat| is_awake(stat)).count())
}

/// The state is the field behind the program's name in brackets.
fn is_awake(stat: &str) -> bool {
    let state = stat.rsplit_once(')');
    state.is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
}

/// Waits until the others use less than `cores` for a second; gives up after `patience`.
pub(crate) fn wait_quiet(cores: f64, patience: Duration) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < patience {
        let others = Others::watch(Vec::new());
        std::thread::sleep(Duration::from_secs(1));
        if others.cores().is_none_or(|used| used < cores) {
            return true;
        }
    }
    false
}

/// Today in UTC, as `2026-11-30`.
pub(crate) fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    date(now.map_or(0, |span| span.as_secs() / 86_400))
}

/// The date so many days after 1970-01-01.
fn date(days: u64) -> String {
    // Years begin on 1 March here, so that the day that leap years add is their last; 719,468 days lie between
    // 1 March of the year 0 and 1970-01-01. A day's place in its era of 400 years is corrected for the leap days
    // before it (every 1,460 days one, every 36,524 none), which leaves years of 365 days.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, 153 days are five months.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // From `date -u -d @SECONDS +%F`.
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_787, "2026-11-30"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(days), expected, "{days}");
        }
    }

    #[test]
    fn the_systems_own_texts_are_read() {
        let stat = "cpu  100 20 30 4000 500 6 7 8 0 0\ncpu0 1 2 3 4\n";
        assert_eq!(busy(stat), Some(1.71));
        let stat = "17 (a ) b) S 1 17 17 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 2 0 99\n";
        assert_eq!(worked(stat), Some(3.0));
        assert_eq!(peak("VmPeak: 9 kB\nVmHWM:\t    2048 kB\n"), Some(2.0));
        assert!(is_awake("17 (a ) S) R 1 17") && !is_awake("17 (R) S 1 17") && !is_awake(""));
        for wrong in ["", "cpu", "cpu 1 2 x"] {
            assert_eq!(
                (busy(wrong), worked(wrong), peak(wrong)),
                (None, None, None)
            );
        }
    }

    #[test]
    fn a_machine_is_a_part_of_a_file_name() {
        let machine = Machine {
            cpu: "AMD EPYC 9B14 @ 2.60GHz".into(),
            cores: 2,
            system: String::new(),
        };
        assert_eq!(machine.slug(), "amd-epyc-9b14-2-60ghz-2-cores");
    }
}
