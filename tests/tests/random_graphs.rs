//! Graphs from seeds: that the generator is fair, and that a wrong executor is found.

use std::collections::BTreeMap;

use graph::{Graph, NoConstants, parse};
use tensor::{DType, Tensor};
use tests::random::{check, sample};
use tests::{Canonical, Compiled, Executor, Feeds, Outputs, Reference};

const SEEDS: u64 = 200;

#[test]
fn the_reference_agrees_with_itself_on_every_sample() {
    for seed in 0..SEEDS {
        if let Err(difference) = check(&Reference, seed) {
            panic!("{difference}");
        }
    }
}

/// All samples through one executor; `known` are texts of what it does not do yet.
fn check_all(executor: &dyn Executor, known: &[&str]) {
    let differences: Vec<String> = (0..SEEDS)
        .filter_map(|seed| check(executor, seed).err())
        .map(|difference| difference.to_string())
        .collect();
    for text in known {
        let occurs = differences
            .iter()
            .any(|difference| difference.contains(text));
        assert!(occurs, "no sample shows {text:?} any more: remove it");
    }
    let new: Vec<&String> = differences
        .iter()
        .filter(|difference| !known.iter().any(|text| difference.contains(text)))
        .collect();
    assert!(
        new.is_empty(),
        "{} of {SEEDS} samples differ:\n{new:#?}",
        new.len()
    );
}

/// What the CPU does not do yet.
const KNOWN_OF_THE_CPU: &[&str] = &[];

#[test]
fn the_canonical_form_changes_no_result() {
    check_all(&Canonical, &[]);
}

#[test]
fn compiled_graphs_give_what_the_reference_gives() {
    check_all(&Compiled::cpu(1), KNOWN_OF_THE_CPU);
    check_all(&Compiled::cpu(3), KNOWN_OF_THE_CPU);
}

#[test]
fn samples_are_reproducible_and_reach_every_family() {
    let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..SEEDS {
        let graph = sample(seed, DType::F32).graph;
        assert_eq!(
            graph.to_string(),
            sample(seed, DType::F32).graph.to_string()
        );
        assert_eq!(
            graph.to_string().replace("f32", "f64"),
            sample(seed, DType::F64).graph.to_string(),
            "the dtype changes nothing else"
        );
        let text = graph.to_string();
        let parsed = parse(&text, &NoConstants).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(parsed.to_string(), text);
        for (_, node) in graph.nodes() {
            *ops.entry(node.op.name()).or_default() += 1;
        }
    }
    for op in [
        "add",
        "mul",
        "gelu",
        "reduce_sum",
        "reduce_max",
        "matmul",
        "softmax",
        "layer_norm",
        "transpose",
        "reshape",
        "slice",
        "expand",
        "squeeze",
        "unsqueeze",
        "concat",
        "gather",
        "where",
    ] {
        assert!(
            ops.get(op).is_some_and(|&count| count >= 5),
            "{op} is hardly drawn: {ops:?}"
        );
    }
}

/// The reference on a graph in which every op of one name is another.
struct Swapped {
    from: &'static str,
    to: &'static str,
}

impl Executor for Swapped {
    fn name(&self) -> String {
        format!("{} for {}", self.to, self.from)
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        let text = graph
            .to_string()
            .replace(&format!(" = {}(", self.from), &format!(" = {}(", self.to));
        let graph = parse(&text, &NoConstants).map_err(|error| error.to_string())?;
        Reference.run(&graph, feeds)
    }
}

#[test]
fn a_wrong_op_is_found() {
    for (from, to) in [
        ("add", "sub"),
        ("gelu", "gelu_tanh"),
        ("tanh", "erf"),
        ("max", "min"),
        ("reduce_sum", "reduce_max"),
    ] {
        let found = (0..SEEDS)
            .filter(|&seed| check(&Swapped { from, to }, seed).is_err())
            .count();
        assert!(found >= 5, "{to} for {from} is found {found} times");
    }
}

/// The reference with every output moved by a little.
struct Blurred(f32);

impl Executor for Blurred {
    fn name(&self) -> String {
        "blurred".into()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        let mut outputs = Reference.run(graph, feeds)?;
        let floats = |tensor: &Tensor| tensor.dtype() == DType::F32;
        for (_, tensor) in outputs.iter_mut().filter(|(_, tensor)| floats(tensor)) {
            let moved = tensor.to_vec::<f32>().map_err(|error| error.to_string())?;
            let moved = moved.iter().map(|value| value * (1.0 + self.0)).collect();
            *tensor = Tensor::from_vec_row_major(tensor.shape(), moved)
                .map_err(|error| error.to_string())?;
        }
        Ok(outputs)
    }
}

#[test]
fn the_limit_lets_rounding_pass_and_little_else() {
    for seed in 0..SEEDS {
        if let Err(difference) = check(&Blurred(f32::EPSILON), seed) {
            panic!("{difference}");
        }
    }
    let found = (0..SEEDS)
        .filter(|&seed| check(&Blurred(1e-3), seed).is_err())
        .count();
    // A sample of few nodes whose outputs are empty or zero stays the same.
    assert!(found > 150, "{found}");
}
