//! Small graphs from a seed, to compare an optimised run of several ops with a plain one.
//!
//! **How it works.** [`sample`] draws a handful of inputs and then op after op over what there is so far: elementwise ops with
//! broadcasting, reductions, matrix products, softmax, norms, views, concatenations, selections. A bound on the size of every
//! value is kept, so that nothing overflows, and no op with a jump (rounding, comparison of computed values) is drawn.
//! The same seed gives the same graph in any float dtype.
//!
//! **How far results may differ.** Every op may round as its entry allows, and later ops magnify that. [`check`] measures the
//! magnification: it runs the reference in the sample's dtype and in `f64`, where rounding hardly counts. Their difference is
//! what one rounding per op does to the element; an executor may be off by [`MAGNIFIED`] times that, and by the sum of the limits
//! of the ops at the largest element of the output.

mod draw;

use std::fmt;

use graph::Graph;
use tensor::{DType, Tensor, TensorView};

use crate::executor::guarded;
use crate::{Executor, Reference};

pub use draw::sample;

/// How many times as far as the reference in `f32` a result may be from the reference in `f64`.
pub const MAGNIFIED: f64 = 32.0;

/// A graph and its feeds.
#[derive(Debug)]
pub struct Sample {
    /// What it was made from.
    pub seed: u64,
    /// The graph. Every input is used, and every value that nothing else uses is an output.
    pub graph: Graph,
    /// The feeds by name.
    pub feeds: Vec<(String, Tensor)>,
}

/// What an executor makes of a sample that the reference does not.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The seed of the sample.
    pub seed: u64,
    /// What is wrong.
    pub problem: String,
    /// The sample's graph.
    pub graph: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.problem, self.graph)
    }
}

/// Runs the sample of this seed in `f32`.
///
/// # Errors
/// The first output in which `executor` differs from the reference.
///
/// # Panics
/// If the reference does not run the sample: a fault of the generator.
pub fn check(executor: &dyn Executor, seed: u64) -> Result<(), Difference> {
    let plain = sample(seed, DType::F32);
    let wide = sample(seed, DType::F64);
    let difference = |problem| Difference {
        seed,
        problem,
        graph: plain.graph.to_string(),
    };
    let (want, exact) = (plain.run(&Reference), wide.run(&Reference));
    let (want, exact) = match (want, exact) {
        (Ok(want), Ok(exact)) => (want, exact),
        (Err(error), _) | (_, Err(error)) => {
            panic!("{}", difference(format!("the reference fails: {error}")))
        }
    };
    let got = plain
        .run(executor)
        .map_err(|error| difference(format!("{} fails: {error}", executor.name())))?;
    if want.len() != got.len() {
        return Err(difference(format!(
            "{} outputs, expected {}",
            got.len(),
            want.len()
        )));
    }
    let limits = plain
        .graph
        .nodes()
        .map(|(_, node)| node.op.def().numerics.max_ulp + 1);
    let allowed = f64::from(limits.sum::<u32>()) * f64::from(f32::EPSILON);
    for (((name, want), (_, exact)), (got_name, got)) in want.iter().zip(&exact).zip(&got) {
        let ty =
            |name: &str, tensor: &Tensor| format!("{name}: {}{:?}", tensor.dtype(), tensor.shape());
        if ty(name, want) != ty(got_name, got) {
            return Err(difference(format!(
                "output {}, expected {}",
                ty(got_name, got),
                ty(name, want)
            )));
        }
        if let Some(problem) = compare(want, exact, got, allowed) {
            return Err(difference(format!("output {name}, {problem}")));
        }
    }
    Ok(())
}

impl Sample {
    fn run(&self, executor: &dyn Executor) -> crate::Outputs {
        let feeds: Vec<(&str, TensorView<'_>)> = self
            .feeds
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor.view().expect("made on the host")))
            .collect();
        guarded(executor, &self.graph, &feeds)
    }
}

/// The first element that is further off than allowed; `allowed` is relative to the largest element, and to 1 if that is smaller,
/// since the terms of a small sum need not be small.
fn compare(want: &Tensor, exact: &Tensor, got: &Tensor, allowed: f64) -> Option<String> {
    let list = |tensor: &Tensor| -> Vec<f64> {
        tensor
            .cast(DType::F64)
            .and_then(|wide| wide.to_vec())
            .expect("real dtypes convert to f64")
    };
    let (want, exact, got) = (list(want), list(exact), list(got));
    let largest = exact
        .iter()
        .fold(1.0_f64, |largest, value| largest.max(value.abs()));
    want.iter()
        .zip(&exact)
        .zip(&got)
        .enumerate()
        .find_map(|(at, ((want, exact), got))| {
            let limit = MAGNIFIED * (want - exact).abs() + allowed * largest;
            let off = (got - exact).abs();
            // A NaN on either side is never within a limit, and the samples have none.
            let within = off <= limit;
            (!within).then(|| {
                format!("element {at} is {got}, expected {exact}: off by {off:e}, limit {limit:e}")
            })
        })
}
