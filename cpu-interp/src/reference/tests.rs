//! The reference against numbers worked by hand, and against hostile input. The wide net of values from other engines is in
//! the workspace's `tests` member.

mod scan;

use graph::op::{MapOp, Op};
use graph::scalar::{Prim, Program, ScalarValue};
use graph::{Graph, NoConstants, parse};
use tensor::{DType, SliceSpec, Tensor, TensorElement, TensorView};

use super::*;

mod arranged;
mod between;
mod code;
mod recurrent;

/// A graph of one node: `y = <op>(a, b, ..)`.
fn graph(inputs: &str, result: &str, call: &str) -> Graph {
    let text = format!("func f({inputs}) -> (y: {result}) {{\n  y: {result} = {call}\n}}");
    parse(&text, &NoConstants).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn tensor<T: TensorElement>(shape: &[usize], values: &[T]) -> Tensor {
    Tensor::from_vec_row_major(shape, values.to_vec()).unwrap()
}

/// Runs one op on `a` in row-major, column-major, reversed and widened memory, and expects the same each time.
fn check<T: TensorElement, U: TensorElement>(
    call: &str,
    shape: &[usize],
    a: &[T],
    result: &str,
    expect: &[U],
) {
    let a = tensor(shape, a);
    let ty = graph::TensorType::fixed(a.dtype(), shape);
    let graph = graph(&format!("a: {ty}"), result, call);
    let reversed = all_reversed(&a.view().unwrap()).to_contiguous().unwrap();
    let columns = a.view().unwrap().transpose().to_contiguous().unwrap();
    let stretched = stretched(&a);
    let layouts: [(&str, TensorView<'_>); 4] = [
        ("row-major", a.view().unwrap()),
        ("column-major", columns.view().unwrap().transpose()),
        ("negative strides", all_reversed(&reversed.view().unwrap())),
        ("every second element", stretched_back(&stretched, shape)),
    ];
    for (layout, view) in layouts {
        let made = run_views(&graph, &[("a", view)]).unwrap_or_else(|e| panic!("{call}: {e}"));
        let made = made[0].1.to_vec::<U>().unwrap();
        // NaN is not equal to itself, but prints the same.
        assert_eq!(
            format!("{made:?}"),
            format!("{expect:?}"),
            "{call}, {layout}"
        );
    }
}

fn all_reversed<'a>(view: &TensorView<'a>) -> TensorView<'a> {
    view.slice(&vec![SliceSpec::reverse(); view.rank()])
        .unwrap()
}

/// Each element twice along a new last axis.
fn stretched(a: &Tensor) -> Tensor {
    let pairs: Vec<usize> = a.shape().iter().copied().chain([2]).collect();
    let column = a.view().unwrap().insert_axis(a.rank()).unwrap();
    column.broadcast_to(pairs).unwrap().to_contiguous().unwrap()
}

fn stretched_back<'a>(pairs: &'a Tensor, shape: &[usize]) -> TensorView<'a> {
    pairs.view().unwrap().index_axis(shape.len(), 1).unwrap()
}

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

#[test]
fn elementwise_ops() {
    check(
        "relu(a)",
        &[4],
        &[-1.0_f32, 0.5, NAN, -INF],
        "f32[4]",
        &[0.0_f32, 0.5, NAN, 0.0],
    );
    check(
        "round(a)",
        &[4],
        &[0.5_f32, 1.5, -2.5, 2.6],
        "f32[4]",
        &[0.0_f32, 2.0, -2.0, 3.0],
    );
    check("neg(a)", &[2], &[i8::MIN, 5], "i8[2]", &[i8::MIN, -5]);
    check("abs(a)", &[2], &[i64::MIN, -5], "i64[2]", &[i64::MIN, 5]);
    check("sign(a)", &[3], &[0_u8, 1, 255], "u8[3]", &[0_u8, 1, 1]);
    check("add(a, a)", &[2], &[200_u8, 3], "u8[2]", &[144_u8, 6]);
    check("not(a)", &[2], &[true, false], "bool[2]", &[false, true]);
    check(
        "cast(a, to = i8)",
        &[5],
        &[-1.9_f32, NAN, INF, 127.5, -1e9],
        "i8[5]",
        &[-1_i8, 0, 127, 127, -128],
    );
    check(
        "cast(a, to = bool)",
        &[3],
        &[0.0_f32, -0.0, NAN],
        "bool[3]",
        &[false, false, true],
    );
    check(
        "cast(a, to = u8)",
        &[3],
        &[-1_i64, 256, 7],
        "u8[3]",
        &[0_u8, 255, 7],
    );
    // 0.5 * x * erfc(-x / sqrt(2)); in f32, 1 + erf alone would lose half of the digits.
    check(
        "gelu(a)",
        &[1],
        &[-4.0_f32],
        "f32[1]",
        &[-0.000_126_684_97_f32],
    );
}

#[test]
fn two_operands() {
    let cases: [(&str, [i32; 2], i32); 9] = [
        ("div", [7, -2], -3),
        ("div", [7, 0], 0),
        ("div", [i32::MIN, -1], i32::MIN),
        ("pow", [-2, 3], -8),
        ("pow", [2, -1], 0),
        ("pow", [-1, -3], -1),
        ("pow", [0, 0], 1),
        ("pow", [0, -1], 0),
        ("pow", [3, 21], 1_870_418_611),
    ];
    for (name, [a, b], expect) in cases {
        let op = Op::Map(MapOp::named(name).unwrap());
        let made = evaluate(&op, &[Some(&Tensor::scalar(a)), Some(&Tensor::scalar(b))]).unwrap();
        assert_eq!(
            made[0].to_vec::<i32>().unwrap(),
            [expect],
            "{name}({a}, {b})"
        );
    }
    let floats = [
        ("max", [NAN, 1.0], NAN),
        ("max", [1.0, NAN], NAN),
        ("min", [-INF, NAN], NAN),
        ("pow", [NAN, 0.0], 1.0),
    ];
    for (name, [a, b], expect) in floats {
        let op = Op::Map(MapOp::named(name).unwrap());
        let made = evaluate(&op, &[Some(&Tensor::scalar(a)), Some(&Tensor::scalar(b))]).unwrap();
        let made = made[0].to_vec::<f32>().unwrap()[0];
        assert!(
            made == expect || (made.is_nan() && expect.is_nan()),
            "{name}({a}, {b}) = {made}"
        );
    }
}

#[test]
fn reductions() {
    let a: Vec<f32> = (1..=6).map(|v| v as f32).collect();
    let flags = "keep = false, noop_if_empty = false";
    check(
        &format!("reduce_sum(a, axes = [0], {flags})"),
        &[2, 3],
        &a,
        "f32[3]",
        &[5.0_f32, 7.0, 9.0],
    );
    check(
        &format!("reduce_mean(a, axes = [-1], {flags})"),
        &[2, 3],
        &a,
        "f32[2]",
        &[2.0_f32, 5.0],
    );
    check(
        &format!("reduce_prod(a, {flags})"),
        &[2, 3],
        &a,
        "f32[]",
        &[720.0_f32],
    );
    check(
        "reduce_max(a, axes = [1], keep = true, noop_if_empty = false)",
        &[2, 3],
        &a,
        "f32[2, 1]",
        &[3.0_f32, 6.0],
    );
    check(
        "reduce_sum(a, keep = false, noop_if_empty = true)",
        &[2],
        &[1_i32, 2],
        "i32[2]",
        &[1_i32, 2],
    );
    check::<f32, f32>(
        &format!("reduce_sum(a, axes = [1], {flags})"),
        &[2, 0],
        &[],
        "f32[2]",
        &[0.0, 0.0],
    );
    check::<f32, f32>(
        &format!("reduce_mean(a, axes = [1], {flags})"),
        &[1, 0],
        &[],
        "f32[1]",
        &[NAN],
    );
    check::<f32, f32>(
        &format!("reduce_max(a, axes = [1], {flags})"),
        &[1, 0],
        &[],
        "f32[1]",
        &[-INF],
    );
    check::<i8, i8>(
        &format!("reduce_min(a, axes = [1], {flags})"),
        &[1, 0],
        &[],
        "i8[1]",
        &[127],
    );
    check(
        &format!("reduce_sum(a, axes = [0], {flags})"),
        &[2],
        &[100_i8, 100],
        "i8[]",
        &[-56_i8],
    );
    // The count does not fit an i8: 300 * 1 wraps to 44, and 44 / 300 is 0.
    check(
        &format!("reduce_mean(a, axes = [0], {flags})"),
        &[300],
        &[1_i8; 300],
        "i8[]",
        &[0_i8],
    );
}

#[test]
fn windows() {
    let a: Vec<f32> = (0..5).map(|v| v as f32).collect();
    let rest = "strides = [2], dilations = [1], pads = [1, 0], ceil = true";
    check(
        &format!("max_pool(a, kernel = [3], {rest}, count_pad = false)"),
        &[1, 1, 5],
        &a,
        "f32[1, 1, 3]",
        &[1.0_f32, 3.0, 4.0],
    );
    check(
        &format!("average_pool(a, kernel = [3], {rest}, count_pad = false)"),
        &[1, 1, 5],
        &a,
        "f32[1, 1, 3]",
        &[0.5_f32, 2.0, 3.5],
    );
    // The first window counts its padding; the last reaches beyond the padded input, which nobody counts.
    check(
        &format!("average_pool(a, kernel = [3], {rest}, count_pad = true)"),
        &[1, 1, 5],
        &a,
        "f32[1, 1, 3]",
        &[1.0_f32 / 3.0, 2.0, 3.5],
    );
}

#[test]
fn matrices_of_no_columns_give_zeros() {
    let graph = graph("a: f32[2, 0], b: f32[0, 2]", "f32[2, 2]", "matmul(a, b)");
    let (a, b) = (tensor::<f32>(&[2, 0], &[]), tensor::<f32>(&[0, 2], &[]));
    let made = run(&graph, &[("b", &b), ("a", &a)]).unwrap();
    assert_eq!(made[0].1.to_vec::<f32>().unwrap(), [0.0; 4]);
}

#[test]
fn programs_are_rounded_at_every_register() {
    // (1 + 2^-24) - 1 is 0 in f32, since the sum is a tie that goes to even.
    let mut program = Program::new([DType::F32, DType::F32]);
    let sum = program.prim(Prim::Add, &[0, 1]);
    let difference = program.prim(Prim::Sub, &[sum, 0]);
    program.set_result(difference);
    let operand = |v| ScalarValue::from_f64(DType::F32, v);
    let made = scalar::eval(&program, &[operand(1.0), operand(2.0_f64.powi(-24))]);
    assert_eq!(made, operand(0.0));
}

#[test]
fn errors_say_what_is_wrong() {
    let gather = graph("a: f32[3], i: i64[1]", "f32[1]", "gather(a, i, axis = 0)");
    let a = tensor(&[3], &[1.0_f32, 2.0, 3.0]);
    let index = |i: i64| tensor(&[1], &[i]);
    let (inside, outside, lowest) = (index(-3), index(3), index(i64::MIN));
    let cases: [(&[(&str, &Tensor)], &str); 7] = [
        (&[("a", &a), ("i", &inside)], ""),
        (
            &[("a", &a), ("i", &outside)],
            "node \"y\": gather: index 3 is out of range for an axis of extent 3",
        ),
        (
            &[("a", &a), ("i", &lowest)],
            "node \"y\": gather: index -9223372036854775808 is out of range for an axis of extent 3",
        ),
        (&[("a", &a)], "input \"i\" of the graph is not fed"),
        (
            &[("a", &a), ("j", &inside)],
            "feed \"j\" is no input; the graph has the inputs [\"a\", \"i\"]",
        ),
        (
            &[("a", &a), ("a", &a), ("i", &inside)],
            "feed \"a\" is given twice; the graph has the inputs [\"a\", \"i\"]",
        ),
        (
            &[("a", &a), ("i", &a)],
            "input \"i\" is declared i64[1], got f32",
        ),
    ];
    for (feeds, expect) in cases {
        let made = run(&gather, feeds)
            .map(|_| ())
            .map_err(|error| error.to_string());
        assert_eq!(made.err().unwrap_or_default(), expect);
    }
    let complex = Tensor::zeros(DType::C32, [2]).unwrap();
    let add = Op::Map(MapOp::named("add").unwrap());
    let error = evaluate(&add, &[Some(&complex), Some(&complex)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "add: not available for c32; cast to a real dtype first"
    );
    assert!(
        ReferenceEvaluator
            .evaluate(&add, &[Some(&a), None])
            .is_none()
    );
}

#[test]
fn results_beyond_memory_are_errors() {
    let a = Tensor::scalar(1.0_f32);
    for extent in [i64::MAX, 1 << 58] {
        let expand = Op::Expand(graph::op::Expand::to([graph::Dim::Known(extent)]));
        assert!(evaluate(&expand, &[Some(&a)]).is_err(), "{extent}");
    }
}
