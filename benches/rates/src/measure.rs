//! Times the sides of a case in turns.
//!
//! A machine that is shared or changes its clock is slow for all sides of a round, so the ratio of a round is steadier than
//! any time. The side that begins changes from round to round. A turn is a run that is not counted and one that is: so all
//! find the memory that they free and take again in the same state, though what the others do in between differs, and a
//! virtual machine may give free memory back to its host, from where it is slow to come.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Does the work once and tells how long that took.
pub(crate) type Side<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// A piece of work, and who does it; ours is the first side.
pub(crate) struct Case<'a> {
    pub(crate) group: &'static str,
    pub(crate) name: String,
    /// What is copied or read, counted once.
    pub(crate) bytes: usize,
    pub(crate) sides: Vec<(&'static str, Side<'a>)>,
}

/// What is known of a side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) median_ns: f64,
    pub(crate) min_ns: f64,
    /// The median over the rounds of our time divided by this side's: below 1 ours is faster.
    pub(crate) ratio: f64,
    /// A quarter of the rounds had a lower ratio.
    pub(crate) ratio_low: f64,
    /// A quarter of the rounds had a higher ratio.
    pub(crate) ratio_high: f64,
}

/// Times `operation`, but not dropping what it makes.
pub(crate) fn timed<A>(operation: impl FnOnce() -> A) -> Duration {
    let begin = Instant::now();
    let made = black_box(operation());
    let elapsed = begin.elapsed();
    drop(made);
    elapsed
}

/// Measures a case in so many rounds, at least 1; one entry per side.
pub(crate) fn measure(case: &mut Case<'_>, rounds: usize) -> Vec<Times> {
    let sides = case.sides.len();
    let mut ns = vec![Vec::new(); sides];
    for round in 0..rounds.max(1) {
        for turn in 0..sides {
            let side = (round + turn) % sides;
            let run = &mut case.sides[side].1;
            run();
            ns[side].push(run().as_secs_f64() * 1e9);
        }
    }
    let times = |theirs: &Vec<f64>| {
        let ratios = ns[0].iter().zip(theirs).map(|(ours, theirs)| ours / theirs);
        let (ratios, theirs) = (sorted(ratios.collect()), sorted(theirs.clone()));
        Times {
            median_ns: quantile(&theirs, 0.5),
            min_ns: theirs[0],
            ratio: quantile(&ratios, 0.5),
            ratio_low: quantile(&ratios, 0.25),
            ratio_high: quantile(&ratios, 0.75),
        }
    };
    ns.iter().map(times).collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The value below which that share of the sorted values lies; they are not empty.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_take_turns_and_ratios_are_those_of_a_round() {
        let mut ours = [9, 2, 9, 4, 9, 6].into_iter().map(Duration::from_nanos);
        let mut theirs = [9, 4, 9, 4, 9, 3].into_iter().map(Duration::from_nanos);
        let mut case = Case {
            group: "g",
            name: "n".into(),
            bytes: 1,
            sides: vec![
                ("ours", Box::new(|| ours.next().unwrap())),
                ("theirs", Box::new(|| theirs.next().unwrap())),
            ],
        };
        let found = measure(&mut case, 3);
        drop(case);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{found:?}");
        near(found[0].median_ns, 4.0);
        near(found[0].ratio, 1.0);
        near(found[1].min_ns, 3.0);
        near(found[1].ratio, 1.0);
        near(found[1].ratio_low, 1.0);
        near(found[1].ratio_high, 2.0);
        assert_eq!((ours.next(), theirs.next()), (None, None));
    }
}
