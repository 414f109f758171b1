//! Plans on the CPU against the reference, graph by graph: fusion, views, every family.

use std::sync::Arc;

use cpu_interp::exec::CpuBackend;
use cpu_interp::reference::{self, ReferenceEvaluator};
use graph::op::Op;
use graph::{Bindings, Graph, NoConstants, parse};
use optimizer::Evaluator;
use plan::{Backend, StepKind};
use tensor::{Tensor, TensorView};

struct Reference;

impl Evaluator for Reference {
    fn evaluate(&self, op: &Op, inputs: &[Option<&Tensor>]) -> Option<Vec<Tensor>> {
        ReferenceEvaluator.evaluate(op, inputs)
    }
}

/// Values that look random and differ from input to input.
fn feed(graph: &Graph, seed: usize) -> Vec<Tensor> {
    let inputs = graph.inputs().iter().enumerate();
    inputs
        .map(|(at, &id)| {
            let ty = graph.value(id).ty();
            let shape = ty.static_shape().expect("the test's shapes are concrete");
            let count: usize = shape.iter().product();
            let values: Vec<f32> = (0..count)
                .map(|i| ((i * 7919 + (at + seed) * 104_729) % 1009) as f32 / 250.0 - 2.0)
                .collect();
            let tensor = Tensor::from_vec_row_major(&shape[..], values).expect("a tensor");
            tensor.cast(ty.dtype).expect("a cast")
        })
        .collect()
}

/// Compiles and runs a graph at 1 and 2 threads; compares with the reference; gives the plan's steps.
fn check(text: &str) -> Vec<String> {
    let graph = parse(text, &NoConstants).expect("the test's graph is valid");
    let feeds = feed(&graph, 3);
    let views: Vec<TensorView<'_>> = feeds
        .iter()
        .map(|feed| feed.view().expect("made on the host"))
        .collect();
    let layouts: Vec<_> = views.iter().map(|v| v.layout().clone()).collect();
    let stages = optimizer::compile(
        &graph,
        &Bindings::new(),
        &layouts,
        &Reference,
        &CpuBackend::new(1),
    )
    .expect("compiles");
    assert_eq!(stages.planned.verify(), Ok(()), "{}", stages.planned);
    let named: Vec<(&str, &Tensor)> = graph
        .inputs()
        .iter()
        .map(|&id| graph.value(id).name.as_str())
        .zip(&feeds)
        .collect();
    let want = reference::run(&graph, &named).expect("the reference runs");
    for threads in [1, 2] {
        let prepared = CpuBackend::new(threads)
            .prepare(Arc::clone(&stages.planned))
            .expect("prepares");
        let ports = &stages.planned.outputs;
        let mut got: Vec<Tensor> = ports
            .iter()
            .map(|p| Tensor::zeros(p.dtype, &p.shape[..]).expect("zeros"))
            .collect();
        for _run in 0..2 {
            prepared.run(&views, &mut got).expect("runs");
        }
        for ((name, want), got) in want.iter().zip(&got) {
            compare(name, want, got, &stages.planned.to_string());
        }
    }
    stages
        .planned
        .steps
        .iter()
        .map(|s| s.kind.family().to_owned())
        .collect()
}

fn compare(name: &str, want: &Tensor, got: &Tensor, plan: &str) {
    assert_eq!(
        (want.dtype(), want.shape()),
        (got.dtype(), got.shape()),
        "{name}\n{plan}"
    );
    let numbers = |t: &Tensor| {
        t.cast(tensor::DType::F64)
            .expect("a cast")
            .to_vec::<f64>()
            .expect("numbers")
    };
    for (i, (w, g)) in numbers(want).iter().zip(numbers(got)).enumerate() {
        let close =
            (w - g).abs() <= 1e-5 * w.abs().max(1.0) || (w.is_nan() && g.is_nan()) || *w == g;
        assert!(close, "{name}[{i}]: expected {w}, got {g}\n{plan}");
    }
}

#[test]
fn a_diamond_is_one_step() {
    let steps = check(
        "func f(x: f32[3, 700], b: f32[700]) -> (y: f32[3, 700]) {
        const three: f32[] = {3}
        const zero: f32[] = {0}
        const six: f32[] = {6}
        h: f32[3, 700] = add(x, b)
        s: f32[3, 700] = add(h, three)
        c: f32[3, 700] = clip(s, zero, six)
        m: f32[3, 700] = mul(h, c)
        y: f32[3, 700] = div(m, six)
    }",
    );
    assert_eq!(steps, ["map"]);
}

#[test]
fn a_product_takes_prologue_and_epilogue() {
    let steps = check("func f(x: f32[2, 5, 33], w: f32[33, 47], b: f32[47], r: f32[2, 5, 47]) -> (y: f32[2, 5, 47]) {
        e: f32[2, 5, 33] = sigmoid(x)
        h: f32[2, 5, 47] = matmul(e, w)
        a: f32[2, 5, 47] = add(h, b)
        g: f32[2, 5, 47] = gelu(a)
        y: f32[2, 5, 47] = add(g, r)
    }");
    assert_eq!(steps, ["contract"]);
}

#[test]
fn attention_by_hand_needs_no_transposed_copies() {
    let steps = check(
        "func f(q: f32[1, 9, 2, 8], k: f32[1, 9, 2, 8], v: f32[1, 9, 2, 8]) -> (y: f32[1, 9, 16]) {
        const scale: f32[] = {0.35355338}
        qt: f32[1, 2, 9, 8] = transpose(q, perm = [0, 2, 1, 3])
        kt: f32[1, 2, 8, 9] = transpose(k, perm = [0, 2, 3, 1])
        vt: f32[1, 2, 9, 8] = transpose(v, perm = [0, 2, 1, 3])
        s: f32[1, 2, 9, 9] = matmul(qt, kt)
        m: f32[1, 2, 9, 9] = mul(s, scale)
        p: f32[1, 2, 9, 9] = softmax(m, axis = -1)
        o: f32[1, 2, 9, 8] = matmul(p, vt)
        t: f32[1, 9, 2, 8] = transpose(o, perm = [0, 2, 1, 3])
        y: f32[1, 9, 16] = reshape(t, shape = [1, 9, 16])
    }",
    );
    assert_eq!(steps, ["contract", "normalise", "contract", "map"]);
}

#[test]
fn a_written_out_layer_norm_is_one_step() {
    let steps = check(
        "func f(x: f32[4, 37], g: f32[37], b: f32[37]) -> (y: f32[4, 37]) {
        const two: f32[] = {2}
        const eps: f32[] = {0.00001}
        m: f32[4, 1] = reduce_mean(x, axes = [-1], keep = true, noop_if_empty = false)
        d: f32[4, 37] = sub(x, m)
        q: f32[4, 37] = pow(d, two)
        v: f32[4, 1] = reduce_mean(q, axes = [-1], keep = true, noop_if_empty = false)
        e: f32[4, 1] = add(v, eps)
        s: f32[4, 1] = sqrt(e)
        n: f32[4, 37] = div(d, s)
        h: f32[4, 37] = mul(n, g)
        y: f32[4, 37] = add(h, b)
    }",
    );
    assert_eq!(steps, ["normalise"]);
}

#[test]
fn a_batch_norm_follows_its_convolution() {
    let steps = check("func f(x: f32[2, 3, 9, 11]) -> (y: f32[2, 4, 5, 6]) {
        const s: f32[4] = {1, 0.5, 2, -1}
        const b: f32[4] = {0, 1, 2, 3}
        const m: f32[4] = {0.1, 0.2, 0.3, 0.4}
        const v: f32[4] = {1, 2, 3, 4}
        const w0: f32[4, 1, 1, 1] = {0.5, -0.25, 1, 2}
        w1: f32[4, 3, 3, 3] = expand(w0, shape = [4, 3, 3, 3])
        c: f32[2, 4, 5, 6] = conv(x, w1, strides = [2, 2], dilations = [1, 1], pads = [1, 1, 1, 1], groups = 1)
        n: f32[2, 4, 5, 6] = batch_norm(c, s, b, m, v, epsilon = 0.001)
        y: f32[2, 4, 5, 6] = relu(n)
    }");
    assert_eq!(steps, ["window"]);
}

#[test]
fn every_family_in_odd_layouts() {
    check("func f(x: f32[3, 4, 5], i: i64[2, 2]) -> (a: f32[5, 3], b: f32[3, 5, 4], c: f32[3, 4], d: f32[3, 9, 5], e: f32[3, 2, 2, 5], n: bool[4, 5]) {
        const one: i64[] = {1}
        const zero: f32[] = {0}
        t: f32[5, 3, 4] = transpose(x, perm = [2, 0, 1])
        r: f32[5, 3, 4] = slice(t, axes = [2, 0], starts = [-1, 0], ends = [-9, 9], steps = [-1, 1])
        a: f32[5, 3] = reduce_max(r, axes = [2], keep = false, noop_if_empty = false)
        u: f32[3, 5, 4] = transpose(r, perm = [1, 0, 2])
        b: f32[3, 5, 4] = softmax(u, axis = 1)
        c: f32[3, 4] = reduce_sum(u, axes = [1], keep = false, noop_if_empty = false)
        k: f32[3, 5, 5] = concat(x, c1, axis = 1)
        d: f32[3, 9, 5] = concat(k, x, axis = 1)
        j: i64[2, 2] = clip(i, _, one)
        l: i64[2, 2] = abs(j)
        h: i64[2, 2] = clip(l, _, one)
        e: f32[3, 2, 2, 5] = gather(x, h, axis = 1)
        f0: f32[4, 5] = reduce_mean(x, axes = [0], keep = false, noop_if_empty = false)
        n: bool[4, 5] = less(f0, zero)
    }".replace("k: f32[3, 5, 5] = concat(x, c1, axis = 1)", "c0: f32[3, 1, 5] = slice(x, axes = [1], starts = [0], ends = [1], steps = [1])
        c1: f32[3, 1, 5] = neg(c0)
        k: f32[3, 5, 5] = concat(x, c1, axis = 1)").as_str());
}

#[test]
fn pools_and_one_dimensional_windows() {
    check("func f(x: f32[2, 3, 10], w: f32[4, 3, 3], v: f32[1, 2, 7, 7]) -> (a: f32[2, 4, 10], b: f32[2, 3, 5], c: f32[1, 2, 4, 4], g: f32[1, 2, 1, 1]) {
        a: f32[2, 4, 10] = conv(x, w, strides = [1], dilations = [1], pads = [1, 1], groups = 1)
        b: f32[2, 3, 5] = max_pool(x, kernel = [2], strides = [2], dilations = [1], pads = [0, 0], ceil = false, count_pad = false)
        c: f32[1, 2, 4, 4] = average_pool(v, kernel = [3, 3], strides = [2, 2], dilations = [1, 1], pads = [1, 1, 1, 1], ceil = false, count_pad = true)
        g: f32[1, 2, 1, 1] = reduce_mean(v, axes = [2, 3], keep = true, noop_if_empty = false)
    }");
}

#[test]
fn empty_and_scalar_values() {
    check("func f(x: f32[0, 3], s: f32[], k: f32[2, 0], m: f32[0, 4]) -> (a: f32[0, 3], b: f32[3], c: f32[], d: f32[2, 4], e: f32[]) {
        a: f32[0, 3] = exp(x)
        b: f32[3] = reduce_sum(x, axes = [0], keep = false, noop_if_empty = false)
        c: f32[] = mul(s, s)
        d: f32[2, 4] = matmul(k, m)
        e: f32[] = reduce_sum(s, keep = false, noop_if_empty = false)
    }");
}

#[test]
fn an_input_can_be_an_output_twice() {
    check(
        "func f(x: f32[2, 2]) -> (x: f32[2, 2], again = x: f32[2, 2], t: f32[2, 2]) {
        t: f32[2, 2] = transpose(x, perm = [1, 0])
    }",
    );
}

#[test]
fn an_index_out_of_range_is_an_error_that_names_the_step() {
    let text = "func f(x: f32[3], i: i64[1]) -> (y: f32[1]) {
        y: f32[1] = gather(x, i, axis = 0) @ \"/pick\"
    }";
    let graph = parse(text, &NoConstants).expect("valid");
    let x = Tensor::from_vec_row_major([3], vec![1.0_f32, 2.0, 3.0]).expect("x");
    let i = Tensor::from_vec_row_major([1], vec![3_i64]).expect("i");
    let views = [x.view().unwrap(), i.view().unwrap()];
    let layouts: Vec<_> = views.iter().map(|v| v.layout().clone()).collect();
    let stages = optimizer::compile(
        &graph,
        &Bindings::new(),
        &layouts,
        &Reference,
        &CpuBackend::new(1),
    )
    .expect("compiles");
    let prepared = CpuBackend::new(1)
        .prepare(stages.planned)
        .expect("prepares");
    let mut out = [Tensor::zeros(tensor::DType::F32, [1]).expect("zeros")];
    let error = prepared.run(&views, &mut out).expect_err("out of range");
    assert_eq!(
        error.to_string(),
        "step \"/pick\": index 3 is out of range for an axis of extent 3"
    );
}

#[test]
fn compiling_twice_gives_the_same_text() {
    let text = "func f(x: f32[4, 8], w: f32[8, 8]) -> (y: f32[4, 8]) {
        h: f32[4, 8] = matmul(x, w)
        p: f32[4, 8] = softmax(h, axis = -1)
        q: f32[4, 8] = matmul(p, w)
        y: f32[4, 8] = mul(q, h)
    }";
    let graph = parse(text, &NoConstants).expect("valid");
    let feeds = feed(&graph, 0);
    let layouts: Vec<_> = feeds.iter().map(|v| v.layout().clone()).collect();
    let compile = || {
        optimizer::compile(
            &graph,
            &Bindings::new(),
            &layouts,
            &Reference,
            &CpuBackend::new(1),
        )
        .expect("compiles")
    };
    let (first, second) = (compile(), compile());
    assert_eq!(first.planned.to_string(), second.planned.to_string());
    assert!(
        first
            .planned
            .steps
            .iter()
            .all(|s| !matches!(s.kind, StepKind::Map { .. }))
    );
}

#[test]
fn forty_operands_are_several_steps() {
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let inputs: Vec<String> = names.iter().map(|n| format!("{n}: f32[3, 5]")).collect();
    let mut text = format!("func f({}) -> (y: f32[3, 5]) {{\n", inputs.join(", "));
    text.push_str("t: f32[5, 3] = transpose(x1, perm = [1, 0])\n");
    text.push_str("m: f32[3, 3] = matmul(x0, t)\n");
    text.push_str("s1: f32[3, 5] = matmul(m, x1)\n");
    for i in 2..40 {
        let name = if i == 39 { "y".into() } else { format!("s{i}") };
        text.push_str(&format!("{name}: f32[3, 5] = add(s{}, x{i})\n", i - 1));
    }
    text.push('}');
    let steps = check(&text);
    assert_eq!(steps[..2], ["contract", "contract"]);
    assert!(steps.len() < 10, "{steps:?}");
}
