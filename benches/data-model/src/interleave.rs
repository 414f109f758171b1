//! Times the two sides of a case in turns.
//!
//! A machine that is shared or changes its clock is slow for both sides of a round, so the ratio of a round is steadier
//! than either time. The side that begins changes from round to round. A turn is as many runs as last [`TURN`].

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::{Case, Side};

/// How long a turn lasts.
const TURN: Duration = Duration::from_micros(1500);

/// What is known of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The median time of our side, in nanoseconds.
    pub ours_ns: f64,
    /// The median time of ndarray's side, in nanoseconds.
    pub theirs_ns: f64,
    /// The least time of our side: nearer to an idle machine's than the median where others are at work.
    pub ours_min_ns: f64,
    /// The least time of ndarray's side.
    pub theirs_min_ns: f64,
    /// The median over the rounds of our time divided by ndarray's: below 1 ours is faster.
    pub ratio: f64,
    /// A quarter of the rounds had a lower ratio.
    pub ratio_low: f64,
    /// A quarter of the rounds had a higher ratio.
    pub ratio_high: f64,
}

/// Measures a case in so many rounds, at least 1.
pub fn measure(case: &mut Case<'_>, rounds: usize) -> Measured {
    let times = [&mut case.ours, &mut case.theirs].map(|side| runs_of_a_turn(side));
    let mut turn = |side: usize| {
        let timed = if side == 0 {
            &mut case.ours
        } else {
            &mut case.theirs
        };
        timed(times[side]).as_secs_f64() * 1e9 / times[side] as f64
    };
    let mut ns = [Vec::new(), Vec::new()];
    for round in 0..rounds.max(1) {
        for side in [round % 2, 1 - round % 2] {
            ns[side].push(turn(side));
        }
    }
    let ratios = ns[0].iter().zip(&ns[1]).map(|(ours, theirs)| ours / theirs);
    let ratios = sorted(ratios.collect());
    let [ours, theirs] = ns.map(sorted);
    Measured {
        ours_ns: quantile(&ours, 0.5),
        theirs_ns: quantile(&theirs, 0.5),
        ours_min_ns: ours[0],
        theirs_min_ns: theirs[0],
        ratio: quantile(&ratios, 0.5),
        ratio_low: quantile(&ratios, 0.25),
        ratio_high: quantile(&ratios, 0.75),
    }
}

/// Also warms the side up: the last try lasts at least half a turn.
fn runs_of_a_turn(side: &mut Side<'_>) -> u64 {
    let mut times = 1;
    loop {
        let elapsed = side(times);
        if elapsed >= TURN / 2 || times >= 1 << 30 {
            let turns = TURN.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
            return ((times as f64 * turns) as u64).max(1);
        }
        times *= 2;
    }
}

/// The bytes a second, in GB/s, at which one core reads a buffer of `bytes` over and over: the median of `rounds` tries.
///
/// Integers are added in as many vectors as the compiler likes, so nothing but reading takes time.
pub fn read_bandwidth(bytes: usize, rounds: usize) -> f64 {
    let buffer = vec![1_u32; bytes / size_of::<u32>()];
    let mut side: Side<'_> = Box::new(|times| {
        let begin = Instant::now();
        for _ in 0..times {
            let sum = |sum: u32, value: &u32| sum.wrapping_add(*value);
            black_box(black_box(&buffer).iter().fold(0, sum));
        }
        begin.elapsed()
    });
    let times = runs_of_a_turn(&mut side);
    let seconds = (0..rounds.max(1)).map(|_| side(times).as_secs_f64());
    let seconds = sorted(seconds.collect());
    bytes as f64 * times as f64 / quantile(&seconds, 0.5) / 1e9
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The value below which that share of the sorted values lies; they are not empty.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}
