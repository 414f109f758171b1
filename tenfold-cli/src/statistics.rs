//! Times of many runs in a few numbers, and the process's memory.

use std::time::{Duration, Instant};

/// What `work` returns, and how many milliseconds it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let value = work();
    (value, to_ms(start.elapsed()))
}

/// A duration in milliseconds.
fn to_ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Times of runs, sorted.
#[derive(Debug)]
pub(crate) struct Times {
    sorted_ms: Vec<f64>,
}

impl Times {
    /// The times in milliseconds, in any order.
    pub(crate) fn new(mut times_ms: Vec<f64>) -> Self {
        times_ms.sort_by(f64::total_cmp);
        Self {
            sorted_ms: times_ms,
        }
    }

    /// The nearest-rank percentile: the smallest time that at least `percent` of a hundred runs do not exceed. A time
    /// that was measured, never one in between; `None` without any run.
    pub(crate) fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (self.sorted_ms.len() * percent).div_ceil(100).max(1);
        self.sorted_ms.get(rank - 1).copied()
    }
}

/// The largest resident size that this process had so far, in bytes, where the system says it (Linux does).
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The line `VmHWM:   1234 kB` of a process's status.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example table of the nearest-rank method: 15, 20, 35, 40, 50.
    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times = Times::new(vec![40.0, 15.0, 50.0, 35.0, 20.0]);
        for (percent, expect) in [
            (5, 15.0),
            (30, 20.0),
            (40, 20.0),
            (50, 35.0),
            (90, 50.0),
            (100, 50.0),
        ] {
            assert_eq!(times.percentile(percent), Some(expect), "p{percent}");
        }
        assert_eq!(Times::new(vec![3.0]).percentile(99), Some(3.0));
        assert_eq!(Times::new(Vec::new()).percentile(50), None);
    }

    #[test]
    fn the_peak_is_read_from_the_status() {
        let status = "Name:\ttenfold\nVmPeak:\t   99 kB\nVmHWM:\t    1234 kB\nVmRSS:\t   12 kB\n";
        assert_eq!(high_water_mark(status), Some(1_263_616));
        for broken in [
            "",
            "VmHWM:",
            "VmHWM: x kB",
            "VmHWM: 12",
            "VmHWM: 99999999999999999999 kB",
        ] {
            assert_eq!(high_water_mark(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn time_passes() {
        let (value, ms) = timed(|| std::thread::sleep(Duration::from_millis(2)));
        assert_eq!(value, ());
        assert!(ms >= 2.0);
    }
}
