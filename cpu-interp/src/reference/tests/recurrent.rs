//! Recurrent layers and linear attention, worked by hand: one row, one number of state, and functions that are lines.

use graph::op::{
    Activation, ActivationKind, Cell, Direction, LinearAttention, Recurrent, UpdateRule,
};

use super::*;

/// The identity as a line.
const LINE: Activation = Activation {
    kind: ActivationKind::Affine,
    alpha: 1.0,
    beta: 0.0,
};

fn layer(cell: Cell, direction: Direction, clip: Option<f32>) -> Op {
    Op::Recurrent(Recurrent {
        cell,
        direction,
        functions: vec![LINE; cell.functions() * direction.count()],
        clip,
    })
}

/// The elements of all results one after another.
fn all(op: &Op, inputs: &[Option<&Tensor>]) -> Vec<f32> {
    let made = evaluate(op, inputs).unwrap_or_else(|error| panic!("{op}: {error}"));
    let lists = made.iter().map(|tensor| tensor.to_vec::<f32>().unwrap());
    lists.flatten().collect()
}

#[test]
fn states_follow_each_other_in_each_direction() {
    let x = tensor(&[3, 1, 1], &[1.0_f32, 2.0, 3.0]);
    let (w, r) = (
        tensor(&[1, 1, 1], &[2.0_f32]),
        tensor(&[1, 1, 1], &[0.5_f32]),
    );
    let (two, four) = (tensor(&[1], &[2_i32]), tensor(&[1], &[4_i32]));
    let (b, h) = (
        tensor(&[1, 2], &[1.0_f32, 10.0]),
        tensor(&[1, 1, 1], &[4.0_f32]),
    );
    let rnn = |direction, clip| layer(Cell::Rnn, direction, clip);
    let check = |op: &Op, more: &[Option<&Tensor>], expect: &[f32]| {
        let inputs = [&[Some(&x), Some(&w), Some(&r)], more].concat();
        assert_eq!(all(op, &inputs), expect, "{op:?}");
    };
    let (forward, reverse) = (rnn(Direction::Forward, None), rnn(Direction::Reverse, None));
    check(&forward, &[], &[2.0, 5.0, 8.5, 8.5]);
    check(&reverse, &[], &[5.5, 7.0, 6.0, 5.5]);
    check(&forward, &[None, Some(&two)], &[2.0, 5.0, 0.0, 5.0]);
    check(&reverse, &[None, Some(&two)], &[4.0, 4.0, 0.0, 4.0]);
    check(
        &forward,
        &[Some(&b), None, Some(&h)],
        &[15.0, 22.5, 28.25, 28.25],
    );
    check(
        &rnn(Direction::Forward, Some(3.0)),
        &[],
        &[2.0, 3.0, 3.0, 3.0],
    );
    let none = tensor(&[1], &[0_i32]);
    check(
        &forward,
        &[None, Some(&none), Some(&h)],
        &[0.0, 0.0, 0.0, 4.0],
    );
    let both = [
        tensor(&[2, 1, 1], &[2.0_f32, 1.0]),
        tensor(&[2, 1, 1], &[0.5_f32, 1.0]),
    ];
    assert_eq!(
        all(
            &rnn(Direction::Bidirectional, None),
            &[Some(&x), Some(&both[0]), Some(&both[1])]
        ),
        [2.0, 6.0, 5.0, 5.0, 8.5, 3.0, 8.5, 6.0]
    );
    for (lengths, length) in [(four, 4), (tensor(&[1], &[-1_i32]), -1)] {
        let inputs = [Some(&x), Some(&w), Some(&r), None, Some(&lengths)];
        assert_eq!(
            evaluate(&forward, &inputs).unwrap_err().to_string(),
            format!(
                "rnn: a sequence of length {length} does not fit an axis of extent 3; lengths are from 0 to 3"
            )
        );
    }
}

#[test]
fn gates_open_as_their_formulas_say() {
    let x = tensor(&[1, 1, 1], &[1.0_f32]);
    let gru = |linear_before_reset| {
        let cell = Cell::Gru {
            linear_before_reset,
        };
        let (w, r) = (
            tensor(&[1, 3, 1], &[0.5_f32, 2.0, 1.0]),
            tensor(&[1, 3, 1], &[0.0_f32, 0.0, 1.0]),
        );
        let b = tensor(&[1, 6], &[0.0_f32, 0.0, 0.0, 0.0, 0.0, 3.0]);
        let h = tensor(&[1, 1, 1], &[2.0_f32]);
        let inputs = [Some(&x), Some(&w), Some(&r), Some(&b), None, Some(&h)];
        all(&layer(cell, Direction::Forward, None), &inputs)
    };
    assert_eq!(gru(false), [5.0, 5.0]);
    assert_eq!(gru(true), [6.5, 6.5]);
    let lstm = |input_forget| {
        let cell = Cell::Lstm { input_forget };
        let (w, r) = (
            tensor(&[1, 4, 1], &[0.5_f32, 2.0, 3.0, 1.0]),
            tensor(&[1, 4, 1], &[0.0_f32; 4]),
        );
        let c = tensor(&[1, 1, 1], &[4.0_f32]);
        let p = tensor(&[1, 3], &[0.25_f32, 0.5, -0.5]);
        let weights = [Some(&x), Some(&w), Some(&r), None, None, None];
        let inputs = [&weights[..], &[Some(&c), Some(&p)]].concat();
        all(&layer(cell, Direction::Forward, None), &inputs)
    };
    assert_eq!(lstm(false), [26.125, 26.125, 5.5]);
    assert_eq!(lstm(true), [-0.875, -0.875, -0.5]);
}

#[test]
fn states_of_linear_attention_are_read_after_they_are_changed() {
    let list = |values: [f32; 2]| tensor(&[1, 2, 1], &values);
    let (q, k, v) = (list([1.0, 2.0]), list([3.0, 4.0]), list([5.0, 6.0]));
    let state = tensor(&[1, 1, 1, 1], &[10.0_f32]);
    let (decay, beta) = (list([0.0, -INF]), list([0.5, 0.5]));
    let check = |rule: UpdateRule, expect: [f32; 3]| {
        let op = Op::LinearAttention(LinearAttention {
            rule,
            q_heads: 1,
            kv_heads: 1,
            scale: Some(0.5),
        });
        let decay = rule.decays().then_some(&decay);
        let beta = rule.corrects().then_some(&beta);
        let inputs = [Some(&q), Some(&k), Some(&v), Some(&state), decay, beta];
        assert_eq!(all(&op, &inputs), expect, "{rule:?}");
    };
    check(UpdateRule::Linear, [12.5, 49.0, 49.0]);
    check(UpdateRule::Gated, [12.5, 24.0, 24.0]);
    check(UpdateRule::Delta, [-13.75, 204.5, 204.5]);
    check(UpdateRule::GatedDelta, [-13.75, 12.0, 12.0]);
}
