//! Every way to run a graph, and inputs that all of them take, for tests of what holds everywhere.

use graph::scalar::ScalarValue;
use tensor::{DType, Tensor};

use crate::text::of_elements;
use crate::{Captured, Compiled, Eager, Executor, Reference, Seeded};

/// The reference, eager ops, captured functions and compiled plans.
pub fn executors() -> Vec<Box<dyn Executor>> {
    vec![
        Box::new(Reference),
        Box::new(Eager::new()),
        Box::new(Captured),
        Box::new(Compiled::cpu(1)),
    ]
}

/// Whole numbers from 1 to 5, or truths.
pub fn small(dtype: DType, shape: &[usize], seed: u64) -> Tensor {
    let mut random = Seeded::new(seed);
    let list: Vec<ScalarValue> = (0..shape.iter().product())
        .map(|_| match dtype {
            DType::Bool => ScalarValue::from_i64(dtype, random.below(2) as i64),
            _ => ScalarValue::from_i64(dtype, random.below(5) as i64 + 1),
        })
        .collect();
    of_elements(dtype, shape, &list)
}

/// The result of `name(x0, x1, ..)`, which has this type.
///
/// # Errors
/// What the executor says.
///
/// # Panics
/// If an input is not in the memory of the host.
pub fn call(
    executor: &dyn Executor,
    name: &str,
    inputs: &[Tensor],
    dtype: DType,
    shape: &[usize],
) -> Result<Tensor, String> {
    let names: Vec<String> = (0..inputs.len()).map(|at| format!("x{at}")).collect();
    let declared: Vec<String> = names
        .iter()
        .zip(inputs)
        .map(|(name, tensor)| format!("{name}: {}{:?}", tensor.dtype(), tensor.shape()))
        .collect();
    let text = format!("{name}({})", names.join(", "));
    let graph = crate::text::graph(&declared.join(", "), &format!("{dtype}{shape:?}"), &text)
        .map_err(|e| e.to_string())?;
    let feeds: Vec<_> = names
        .iter()
        .zip(inputs)
        .map(|(name, tensor)| (name.as_str(), tensor.view().expect("made on the host")))
        .collect();
    Ok(executor.run(&graph, &feeds)?.swap_remove(0).1)
}
