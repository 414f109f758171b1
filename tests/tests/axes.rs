//! Axes and indices: negative ones, wrong ones, those that are inputs, and tensors that have none.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use graph::scalar::ScalarValue;
use tenfold::prelude::*;
use tests::all::{executors, small};
use tests::text::{elements, graph_with};
use tests::{Executor, text};

/// A call with `AXIS`, the rank of what the axis is of, the inputs, and the result for axis 1 (or, for a list, `[1]`).
const AXIS_CALLS: &[(&str, usize, &str, &str)] = &[
    (
        "softmax(a, axis = AXIS)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 3, 4]",
    ),
    (
        "log_softmax(a, axis = AXIS)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 3, 4]",
    ),
    (
        "layer_norm(a, axis = AXIS, epsilon = 0.5)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 3, 4]",
    ),
    (
        "concat(a, a, axis = AXIS)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 6, 4]",
    ),
    (
        "gather(a, i, axis = AXIS)",
        3,
        "a: f32[2, 3, 4], i: i64[5]",
        "f32[2, 5, 4]",
    ),
    (
        "gather_elements(a, i, axis = AXIS)",
        3,
        "a: f32[2, 3, 4], i: i64[2, 2, 4]",
        "f32[2, 2, 4]",
    ),
    (
        "scatter_elements(a, i, a, axis = AXIS, reduction = add)",
        3,
        "a: f32[2, 3, 4], i: i64[2, 3, 4]",
        "f32[2, 3, 4]",
    ),
    (
        "argmax(a, axis = AXIS, keep = false, last = false)",
        3,
        "a: f32[2, 3, 4]",
        "i64[2, 4]",
    ),
    (
        "argmin(a, axis = AXIS, keep = true, last = true)",
        3,
        "a: f32[2, 3, 4]",
        "i64[2, 1, 4]",
    ),
    (
        "cumsum(a, axis = AXIS, exclusive = false, reverse = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 3, 4]",
    ),
    (
        "cumprod(a, axis = AXIS, exclusive = true, reverse = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 3, 4]",
    ),
    (
        "top_k(a, k = 2, axis = AXIS, largest = true)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 2, 4]; i64[2, 2, 4]",
    ),
    (
        "reduce_sum(a, axes = [AXIS], keep = false, noop_if_empty = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 4]",
    ),
    (
        "reduce_mean(a, axes = [AXIS], keep = true, noop_if_empty = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 1, 4]",
    ),
    (
        "reduce_max(a, axes = [AXIS], keep = false, noop_if_empty = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 4]",
    ),
    (
        "reduce_min(a, axes = [AXIS], keep = false, noop_if_empty = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 4]",
    ),
    (
        "reduce_prod(a, axes = [AXIS], keep = false, noop_if_empty = false)",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 4]",
    ),
    (
        "squeeze(a, axes = [AXIS])",
        3,
        "a: f32[2, 1, 4]",
        "f32[2, 4]",
    ),
    (
        "unsqueeze(a, axes = [AXIS])",
        4,
        "a: f32[2, 3, 4]",
        "f32[2, 1, 3, 4]",
    ),
    (
        "slice(a, axes = [AXIS], starts = [2], ends = [-9], steps = [-2])",
        3,
        "a: f32[2, 3, 4]",
        "f32[2, 2, 4]",
    ),
];

/// Calls with a list of axes, which must not have one twice: `AXES` stands for the list.
const AXES_CALLS: &[(&str, &str, &str)] = &[
    (
        "reduce_sum(a, axes = AXES, keep = false, noop_if_empty = false)",
        "a: f32[1, 1, 4]",
        "f32[4]",
    ),
    (
        "reduce_max(a, axes = AXES, keep = true, noop_if_empty = false)",
        "a: f32[1, 1, 4]",
        "f32[1, 1, 4]",
    ),
    ("squeeze(a, axes = AXES)", "a: f32[1, 1, 4]", "f32[4]"),
    ("unsqueeze(a, axes = AXES)", "a: f32[4]", "f32[1, 1, 4]"),
    (
        "slice(a, axes = AXES, starts = [0, 0], ends = [1, 1], steps = [1, 1])",
        "a: f32[2, 3]",
        "f32[1, 1]",
    ),
];

/// Feeds of the inputs that a text declares: small numbers, indices from 0 to 1.
fn feeds(inputs: &str) -> Vec<(String, Tensor)> {
    let mut made = Vec::new();
    for declared in inputs.split("], ") {
        let (name, ty) = declared.split_once(": ").unwrap();
        let (dtype, shape) = ty.trim_end_matches(']').split_once('[').unwrap();
        let shape: Vec<usize> = shape
            .split(", ")
            .filter(|n| !n.is_empty())
            .map(|n| n.parse().unwrap())
            .collect();
        let tensor = match dtype {
            "i64" => {
                let index = |at| (at % 2) as i64;
                Tensor::from_vec_row_major(
                    &shape[..],
                    (0..shape.iter().product()).map(index).collect(),
                )
                .unwrap()
            }
            _ => small(DType::F32, &shape, 7),
        };
        made.push((name.to_owned(), tensor));
    }
    made
}

fn run(executor: &dyn Executor, inputs: &str, results: &str, text: &str) -> Vec<Tensor> {
    let graph =
        text::graph(inputs, results, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let tensors = feeds(inputs);
    let views: Vec<_> = tensors
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor.view().unwrap()))
        .collect();
    let made = executor.run(&graph, &views);
    let made = made.unwrap_or_else(|error| panic!("{}: {text}: {error}", executor.name()));
    made.into_iter().map(|(_, tensor)| tensor).collect()
}

fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let list =
        |tensors: &[Tensor]| -> Vec<Vec<ScalarValue>> { tensors.iter().map(elements).collect() };
    list(a) == list(b)
}

#[test]
fn negative_axes_count_from_the_end_and_axes_beyond_the_rank_are_named() {
    for (text, rank, inputs, results) in AXIS_CALLS {
        for executor in executors() {
            let of = |axis: i64| {
                run(
                    &*executor,
                    inputs,
                    results,
                    &text.replace("AXIS", &axis.to_string()),
                )
            };
            let (plain, negative) = (of(1), of(1 - *rank as i64));
            assert!(same(&plain, &negative), "{}: {text}", executor.name());
        }
        for axis in [*rank as i64, -(*rank as i64) - 1, i64::MAX, i64::MIN] {
            let error =
                text::graph(inputs, results, &text.replace("AXIS", &axis.to_string())).unwrap_err();
            let error = error.to_string();
            let op = text.split('(').next().unwrap();
            assert!(
                error.contains(op) && error.contains("ax") && error.contains(&axis.to_string()),
                "{error}"
            );
        }
    }
}

#[test]
fn axes_that_are_named_twice_are_refused() {
    for (text, inputs, results) in AXES_CALLS {
        let of = |axes: &str| text::graph(inputs, results, &text.replace("AXES", axes));
        of("[0, 1]").unwrap_or_else(|error| panic!("{text}: {error}"));
        let rank = results.split(',').count().max(inputs.split(',').count()) as i64;
        for axes in ["[0, 0]".to_owned(), format!("[1, {}]", 1 - rank)] {
            let error = of(&axes).unwrap_err().to_string();
            assert!(error.contains("axes") && error.contains("twice"), "{error}");
        }
    }
    for perm in ["[0, 0, 1]", "[0, 1]", "[0, 1, 3]", "[0, 1, -1]"] {
        let error = text::graph(
            "a: f32[2, 3, 4]",
            "f32[2, 3, 4]",
            &format!("transpose(a, perm = {perm})"),
        );
        assert!(error.unwrap_err().to_string().contains("perm"), "{perm}");
    }
}

/// Axes that a constant input gives, and that an eager value gives.
#[test]
fn axes_that_are_inputs_are_those_of_the_attribute() {
    for (text, constant, attribute, inputs, results) in [
        (
            "reduce_sum(a, c, keep = true, noop_if_empty = false)",
            "i64[2] = {-1, 0}",
            "reduce_sum(a, axes = [2, 0], keep = true, noop_if_empty = false)",
            "a: f32[2, 3, 4]",
            "f32[1, 3, 1]",
        ),
        (
            "squeeze(a, c)",
            "i64[1] = {-2}",
            "squeeze(a, axes = [1])",
            "a: f32[2, 1, 4]",
            "f32[2, 4]",
        ),
        (
            "unsqueeze(a, c)",
            "i64[2] = {-1, 0}",
            "unsqueeze(a, axes = [0, 2])",
            "a: f32[4]",
            "f32[1, 4, 1]",
        ),
        (
            "cumsum(a, c, exclusive = false, reverse = true)",
            "i64[] = {-2}",
            "cumsum(a, axis = 1, exclusive = false, reverse = true)",
            "a: f32[2, 3, 4]",
            "f32[2, 3, 4]",
        ),
        (
            "top_k(a, c, axis = -1, largest = false)",
            "i64[1] = {2}",
            "top_k(a, k = 2, axis = 2, largest = false)",
            "a: f32[2, 3, 4]",
            "f32[2, 3, 2]; i64[2, 3, 2]",
        ),
    ] {
        let graph = graph_with(inputs, &format!("const c: {constant}"), results, text).unwrap();
        let tensors = feeds(inputs);
        let views: Vec<_> = tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor.view().unwrap()))
            .collect();
        for executor in executors() {
            let made = executor
                .run(&graph, &views)
                .unwrap_or_else(|error| panic!("{}: {text}: {error}", executor.name()));
            let made: Vec<Tensor> = made.into_iter().map(|(_, tensor)| tensor).collect();
            assert!(
                same(&made, &run(&*executor, inputs, results, attribute)),
                "{}: {text}",
                executor.name()
            );
        }
    }
}

/// A tensor without axes has none to name; ops over all axes take it as one element.
#[test]
fn tensors_without_axes_are_one_element_and_have_no_axis() {
    let one = small(DType::F32, &[], 7);
    let value = elements(&one)[0].to_f64();
    for (text, results, want) in [
        (
            "reduce_sum(a, keep = false, noop_if_empty = false)",
            "f32[]",
            value,
        ),
        (
            "reduce_prod(a, keep = true, noop_if_empty = false)",
            "f32[]",
            value,
        ),
        (
            "reduce_max(a, axes = [], keep = false, noop_if_empty = true)",
            "f32[]",
            value,
        ),
        ("squeeze(a)", "f32[]", value),
        ("unsqueeze(a, axes = [-1, 0])", "f32[1, 1]", value),
        ("transpose(a, perm = [])", "f32[]", value),
        ("reshape(a, shape = [1, 1])", "f32[1, 1]", value),
        ("expand(a, shape = [1])", "f32[1]", value),
        ("add(a, a)", "f32[]", 2.0 * value),
        ("where(b, a, a)", "f32[]", value),
    ] {
        let inputs = if text.contains('b') && text.starts_with("where") {
            "a: f32[], b: bool[]"
        } else {
            "a: f32[]"
        };
        let graph =
            text::graph(inputs, results, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let truth = small(DType::Bool, &[], 3);
        let all = [("a", one.view().unwrap()), ("b", truth.view().unwrap())];
        for executor in executors() {
            let made = executor.run(&graph, &all[..graph.inputs().len()]);
            let made = made.unwrap_or_else(|error| panic!("{}: {text}: {error}", executor.name()));
            assert_eq!(
                elements(&made[0].1)[0].to_f64(),
                want,
                "{}: {text}",
                executor.name()
            );
        }
    }
    for text in [
        "softmax(a, axis = -1)",
        "log_softmax(a, axis = 0)",
        "argmax(a, axis = 0, keep = false, last = false)",
        "cumsum(a, axis = 0, exclusive = false, reverse = false)",
        "top_k(a, k = 1, axis = 0, largest = true)",
        "gather(a, i, axis = 0)",
        "concat(a, a, axis = 0)",
        "reduce_sum(a, axes = [0], keep = false, noop_if_empty = false)",
        "squeeze(a, axes = [0])",
    ] {
        let error = text::graph("a: f32[], i: i64[]", "f32[]", text)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("rank 0") || error.contains("f32[]"),
            "{error}"
        );
    }
}

#[test]
fn indices_beyond_an_extent_are_errors_that_name_them() {
    for (text, index, result) in [
        ("gather(a, i, axis = 0)", "i64[1]", "f32[1, 4]"),
        ("gather_elements(a, i, axis = 0)", "i64[1, 1]", "f32[1, 1]"),
        ("gather_nd(a, i, batch_dims = 0)", "i64[1, 1]", "f32[1, 4]"),
        (
            "scatter_elements(a, i, u, axis = 0, reduction = none)",
            "i64[1, 1]",
            "f32[3, 4]",
        ),
        (
            "scatter_nd(a, i, w, reduction = none)",
            "i64[1, 1]",
            "f32[3, 4]",
        ),
    ] {
        let inputs = format!("a: f32[3, 4], i: {index}, u: f32[1, 1], w: f32[1, 4]");
        let graph =
            text::graph(&inputs, result, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let [a, u, w] = [&[3, 4][..], &[1, 1], &[1, 4]].map(|shape| small(DType::F32, shape, 5));
        let rank = index.split(',').count();
        for wrong in [3_i64, -4, 1 << 40, i64::MIN, i64::MAX] {
            let i = Tensor::from_vec_row_major(&vec![1; rank][..], vec![wrong]).unwrap();
            let all = [("a", &a), ("i", &i), ("u", &u), ("w", &w)]
                .map(|(name, tensor)| (name, tensor.view().unwrap()));
            for executor in executors() {
                let error = executor.run(&graph, &all).unwrap_err();
                assert!(
                    error.contains(&wrong.to_string()),
                    "{}: {text}: {error}",
                    executor.name()
                );
            }
        }
    }
}
