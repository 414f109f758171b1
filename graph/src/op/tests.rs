//! The table as a whole.

use std::collections::HashSet;

use super::*;

mod arranged;
use crate::{Dim, TensorType};
use tensor_core::DType;

#[test]
fn names_are_unique_and_entries_complete() {
    let mut names = HashSet::new();
    for def in table() {
        assert!(names.insert(def.name), "{} exists twice", def.name);
        assert!(
            !def.formula.is_empty() && !def.source.is_empty(),
            "{}",
            def.name
        );
        assert!(def.arity.0 <= def.arity.1, "{}", def.name);
    }
}

/// The types of all outputs `y` for inputs of these types and known integers.
pub(super) fn infer_all(op: &Op, inputs: &[(&str, Option<&[i64]>)]) -> Result<String, String> {
    let facts: Vec<ValueFacts> = inputs
        .iter()
        .map(|(text, known)| {
            let known = known.map(|list| list.iter().map(|&n| Dim::Known(n)).collect());
            ValueFacts::new(ty(text), known)
        })
        .collect();
    let refs: Vec<Option<&ValueFacts>> = facts.iter().map(Some).collect();
    let outputs = op.infer(&refs, "y").map_err(|e| e.to_string())?;
    let types: Vec<String> = outputs.iter().map(|f| f.ty.to_string()).collect();
    Ok(types.join(", "))
}

pub(super) fn infer(op: &Op, inputs: &[&str]) -> Result<String, String> {
    let facts: Vec<ValueFacts> = inputs
        .iter()
        .map(|text| ValueFacts::of_type(ty(text)))
        .collect();
    let refs: Vec<Option<&ValueFacts>> = facts.iter().map(Some).collect();
    op.infer(&refs, "y")
        .map(|f| f[0].ty.to_string())
        .map_err(|e| e.to_string())
}

/// `f32[B, 3]`
pub(super) fn ty(text: &str) -> TensorType {
    let (dtype, dims) = text.trim_end_matches(']').split_once('[').expect("a type");
    let dims = dims.split(',').map(str::trim).filter(|d| !d.is_empty());
    let shape = dims.map(|d| d.parse().map_or_else(|_| Dim::from(d), Dim::Known));
    TensorType::new(dtype.parse::<DType>().expect("a dtype"), shape)
}

fn map(name: &str) -> Op {
    Op::Map(MapOp::named(name).expect("a row"))
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a table of cases, one op after another"
)]
fn shapes_follow_the_rules() {
    let conv = |strides: [usize; 2], groups| {
        Op::Conv(Conv {
            window: Window {
                strides: strides.to_vec(),
                dilations: vec![1, 1],
                pad: Pad::Explicit {
                    begin: vec![1, 1],
                    end: vec![1, 1],
                },
            },
            groups,
        })
    };
    let pool = Op::Pool(Pool {
        kind: PoolKind::Max,
        kernel: vec![3],
        window: Window {
            strides: vec![2],
            dilations: vec![1],
            pad: Pad::Explicit {
                begin: vec![0],
                end: vec![1],
            },
        },
        ceil: true,
        count_pad: false,
    });
    let mean = Op::Reduce(Reduce {
        kind: ReduceKind::Mean,
        axes: Some(vec![-1]),
        keep: true,
        noop_if_empty: false,
    });
    let cases: Vec<(Op, &[&str], &str)> = vec![
        (map("add"), &["f32[B, 1, 4]", "f32[3, 1]"], "f32[B, 3, 4]"),
        (map("equal"), &["i64[2]", "i64[]"], "bool[2]"),
        (
            map("where"),
            &["bool[2, 1]", "f32[3]", "f32[]"],
            "f32[2, 3]",
        ),
        (
            Op::MatMul(MatMul),
            &["f32[B, T, 8]", "f32[8, 4]"],
            "f32[B, T, 4]",
        ),
        (Op::MatMul(MatMul), &["f32[8]", "f32[2, 8, 4]"], "f32[2, 4]"),
        (Op::MatMul(MatMul), &["f32[8]", "f32[8]"], "f32[]"),
        (
            conv([2, 1], 1),
            &["f32[N, 3, 48, W]", "f32[16, 3, 3, 3]"],
            "f32[N, 16, 24, W]",
        ),
        (
            conv([1, 1], 4),
            &["f32[1, 8, 5, 5]", "f32[12, 2, 3, 3]", "f32[12]"],
            "f32[1, 12, 5, 5]",
        ),
        (pool, &["f32[1, 2, 6]"], "f32[1, 2, 3]"),
        (mean, &["f32[B, 7]"], "f32[B, 1]"),
        (
            Op::Concat(Concat { axis: -1 }),
            &["f32[B, 2]", "f32[B, N]"],
            "f32[B, (N + 2)]",
        ),
        (
            Op::Gather(Gather { axis: 0 }),
            &["f32[9, 4]", "i64[2, T]"],
            "f32[2, T, 4]",
        ),
        (
            Op::Transpose(Transpose { perm: vec![1, 0] }),
            &["u8[A, B]"],
            "u8[B, A]",
        ),
        (
            Op::Softmax(Softmax {
                axis: 1,
                log: false,
            }),
            &["f32[B, 3]"],
            "f32[B, 3]",
        ),
        (
            Op::Reshape(Reshape::to([Dim::from("B"), Dim::Known(6)])),
            &["f32[B, 2, 3]"],
            "f32[B, 6]",
        ),
    ];
    for (op, inputs, want) in cases {
        assert_eq!(infer(&op, inputs).as_deref(), Ok(want), "{op} {inputs:?}");
    }
}

#[test]
fn extents_that_depend_on_elements_are_symbols_of_the_node() {
    let list = Some(vec![0, 1]);
    let reshape = Op::Reshape(Reshape {
        shape: None,
        allow_zero: false,
    });
    let expand = Op::Expand(Expand { shape: None });
    let slice = Op::Slice(Slice { axes: None });
    let squeeze = |axes| Op::Squeeze(Squeeze { axes });
    let unsqueeze = Op::Unsqueeze(Unsqueeze { axes: None });
    let sum = |keep| {
        Op::Reduce(Reduce {
            kind: ReduceKind::Sum,
            axes: None,
            keep,
            noop_if_empty: false,
        })
    };
    let cases: Vec<(Op, &[&str], &str)> = vec![
        (reshape, &["f32[2, 3]", "i64[3]"], "f32[y.0, y.1, y.2]"),
        (expand, &["f32[2, 3]", "i64[1]"], "f32[y.0, y.1]"),
        (slice, &["f32[2, 3]", "i64[1]", "i64[1]"], "f32[y.0, y.1]"),
        (squeeze(None), &["f32[2, 3, 1]", "i64[1]"], "f32[y.0, y.1]"),
        (squeeze(list), &["f32[1, 1, N]"], "f32[N]"),
        (unsqueeze, &["f32[2]", "i64[2]"], "f32[y.0, y.1, y.2]"),
        (sum(true), &["f32[2, 3]", "i64[1]"], "f32[y.0, y.1]"),
        (sum(false), &["f32[2, 3]", "i64[1]"], "f32[y.0]"),
        (sum(false), &["f32[2, 3]", "i64[0]"], "f32[]"),
    ];
    for (op, inputs, want) in cases {
        assert_eq!(infer(&op, inputs).as_deref(), Ok(want), "{op} {inputs:?}");
    }
}

#[test]
fn errors_say_what_does_not_fit() {
    let cases: Vec<(Op, &[&str], &str)> = vec![
        (
            map("add"),
            &["f32[2, 3]", "f32[4]"],
            "add: shapes f32[2, 3] and f32[4] do not fit: extents must be equal or 1, aligned at the last axis",
        ),
        (
            map("add"),
            &["f32[2]", "i64[2]"],
            "add: input 1 is i64, expected f32 like input 0",
        ),
        (
            map("exp"),
            &["i32[2]"],
            "exp: input 0 is i32, expected a float dtype",
        ),
        (map("add"), &["f32[2]"], "add: takes 2 inputs, got 1"),
        (
            map("and"),
            &["bool[2]", "u8[2]"],
            "and: input 1 is u8, expected bool",
        ),
        (
            Op::MatMul(MatMul),
            &["f32[2, 3]", "f32[4, 5]"],
            "matmul: shapes f32[2, 3] and f32[4, 5] do not fit: the last axis of the first (3) must equal the second to last axis of the second (4)",
        ),
        (
            Op::Softmax(Softmax {
                axis: 2,
                log: false,
            }),
            &["f32[2]"],
            "softmax: axis = 2: is no axis of a tensor of rank 1",
        ),
        (
            Op::Reshape(Reshape::to([Dim::Known(4)])),
            &["f32[2, 3]"],
            "reshape: shape = [4]: has 4 elements, but the input f32[2, 3] has 6",
        ),
        (
            Op::Reshape(Reshape {
                shape: None,
                allow_zero: false,
            }),
            &["f32[2, 3]", "i64[N]"],
            "reshape: the rank of the result depends on input 1, which is not known before the run; give it a fixed length or make it a constant",
        ),
        (
            Op::Transpose(Transpose { perm: vec![0, 0] }),
            &["f32[2, 3]"],
            "transpose: perm = [0, 0]: is no permutation of the 2 axes of f32[2, 3]",
        ),
    ];
    for (op, inputs, want) in cases {
        assert_eq!(infer(&op, inputs), Err(want.to_owned()), "{op} {inputs:?}");
    }
}

#[test]
fn elements_of_quotients_are_known_where_rounding_does_not_matter() {
    let elements = |known: &[Dim]| {
        ValueFacts::new(
            TensorType::fixed(DType::I64, &[known.len()]),
            Some(known.to_vec()),
        )
    };
    let (a, b) = (Dim::from("A"), Dim::from("B"));
    let shorter = Dim::apply(crate::DimOp::Sub, a.clone(), b.clone());
    let cases = [
        (Dim::Known(7), Dim::Known(2), Some("3")),
        (Dim::Known(7), Dim::Known(0), Some("0")),
        (a.clone(), Dim::Known(2), Some("(A / 2)")),
        (a.clone(), b, Some("(A / B)")),
        // -7 / 2 is -3 toward zero and -4 rounded down.
        (Dim::Known(-7), Dim::Known(2), None),
        (a, Dim::Known(-2), None),
        (shorter, Dim::Known(2), None),
    ];
    for (x, y, want) in cases {
        let inputs = [elements(&[x]), elements(&[y])];
        let facts = map("div").infer(&[Some(&inputs[0]), Some(&inputs[1])], "y");
        let known = facts.expect("integers divide")[0].known.clone();
        assert_eq!(known.map(|k| k[0].to_string()).as_deref(), want);
    }
}

#[test]
fn elements_of_a_negation_are_known() {
    let facts = ValueFacts::new(
        TensorType::fixed(DType::I64, &[2]),
        Some(vec![Dim::Known(3), Dim::from("A")]),
    );
    let inferred = map("neg")
        .infer(&[Some(&facts)], "y")
        .expect("integers negate");
    let known = inferred[0].known.as_ref().expect("known elements");
    assert_eq!(
        (known[0].clone(), known[1].to_string()),
        (Dim::Known(-3), "(0 - A)".to_owned())
    );
}
