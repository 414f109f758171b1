//! Operands of several shapes and dtypes, for every op of the table that takes several.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use graph::op::map::{self, Types};
use tenfold::prelude::*;
use tests::all::{call, executors, small};
use tests::text::elements;
use tests::ulp::Tolerance;
use tests::{Reference, text};

fn tf() -> Tf {
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    };
    Tf::new(&options).unwrap()
}

/// The dtypes of the operands of an elementwise op, one choice after another.
fn operands(types: Types, arity: usize) -> Vec<Vec<DType>> {
    let alike: &[DType] = match types {
        Types::Float | Types::FloatTest => &[DType::F32, DType::F16],
        Types::Number | Types::Order | Types::Cast => &[DType::F32, DType::I64, DType::U8],
        Types::Integer => &[DType::I32, DType::U8],
        Types::Any | Types::Equality => &[DType::F32, DType::I32, DType::Bool],
        Types::Bool => &[DType::Bool],
        Types::Choice => {
            let choice = |dtype| vec![DType::Bool, dtype, dtype];
            return [DType::F32, DType::I64].into_iter().map(choice).collect();
        }
    };
    alike.iter().map(|&dtype| vec![dtype; arity]).collect()
}

/// Shapes that broadcast to each other, from either side, and the shape of the result.
const BROADCASTS: &[(&[usize], &[usize], &[usize])] = &[
    (&[5, 1, 3], &[4, 1], &[5, 4, 3]),
    (&[3], &[2, 1], &[2, 3]),
    (&[], &[2, 3], &[2, 3]),
    (&[1, 1, 1], &[7], &[1, 1, 7]),
    (&[2, 1, 1, 3], &[1, 3, 2, 1], &[2, 3, 2, 3]),
    (&[1], &[0, 3], &[0, 3]),
];

/// Every op of two or three operands gives for operands that broadcast what it gives for operands that were expanded before.
#[test]
fn every_op_of_several_operands_broadcasts_both_sides_alike() {
    let executors = executors();
    let several = map::rows().filter(|row| row.def.arity.0 >= 2);
    let mut count = 0;
    for row in several {
        let (name, arity) = (row.def.name, row.def.arity.0);
        count += 1;
        for dtypes in operands(row.types, arity) {
            for (a, b, result) in BROADCASTS {
                for turn in 0..arity {
                    let mut shapes = vec![*a, *b, &[1][..]];
                    shapes.truncate(arity);
                    shapes.rotate_left(turn);
                    let inputs: Vec<Tensor> = shapes
                        .iter()
                        .zip(&dtypes)
                        .zip(1..)
                        .map(|((shape, &dtype), seed)| small(dtype, shape, seed))
                        .collect();
                    let expanded: Vec<Tensor> = inputs
                        .iter()
                        .map(|tensor| {
                            let view = tensor.view().unwrap().broadcast_to(result).unwrap();
                            view.to_contiguous().unwrap()
                        })
                        .collect();
                    let made = match row.types {
                        Types::Equality | Types::Order | Types::FloatTest | Types::Bool => {
                            DType::Bool
                        }
                        _ => dtypes[arity - 1],
                    };
                    let want = call(&Reference, name, &expanded, made, result).unwrap();
                    for executor in &executors {
                        let got = call(&**executor, name, &inputs, made, result);
                        let got = got.unwrap_or_else(|error| {
                            panic!("{}: {name} of {shapes:?}: {error}", executor.name())
                        });
                        let limit = Tolerance::ulps(row.def.numerics.max_ulp);
                        let pairs = elements(&want).into_iter().zip(elements(&got));
                        for (want, got) in pairs {
                            assert!(
                                limit.accepts(want, got),
                                "{}: {name} of {dtypes:?} {shapes:?}: {got}, expected {want}",
                                executor.name()
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(count >= 20, "{count} ops of several operands");
}

/// Eager ops take what `promote` gives for two dtypes; what it refuses, and any two dtypes in a graph, are an error.
#[test]
fn dtypes_are_promoted_by_the_table_in_eager_ops_and_refused_in_graphs() {
    type Binary = fn(&Value, &Value) -> Result<Value, tenfold::Error>;
    let ops: [(&str, Binary); 9] = [
        ("add", Value::add),
        ("sub", Value::sub),
        ("mul", Value::mul),
        ("div", Value::div),
        ("pow", Value::pow),
        ("max", Value::maximum),
        ("min", Value::minimum),
        ("equal", Value::equal),
        ("less", Value::less),
    ];
    let dtypes = [
        DType::F32,
        DType::F64,
        DType::F16,
        DType::BF16,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
    ];
    let tf = tf();
    for (name, op) in ops {
        for (a, b) in dtypes
            .iter()
            .flat_map(|&a| dtypes.map(|b| (a, b)))
            .filter(|(a, b)| a != b)
        {
            let (x, y) = (tf.value(small(a, &[3], 1)), tf.value(small(b, &[3], 2)));
            let promoted = tensor_core::promote(a, b);
            match (op(&x, &y), promoted) {
                (Ok(made), Ok(dtype)) => {
                    let truth = matches!(name, "equal" | "less");
                    assert_eq!(
                        made.dtype(),
                        if truth { DType::Bool } else { dtype },
                        "{name} of {a} and {b}"
                    );
                    let plain = op(&x.cast(dtype).unwrap(), &y.cast(dtype).unwrap()).unwrap();
                    let list = |value: &Value| {
                        elements(
                            &value
                                .tensor()
                                .unwrap()
                                .view()
                                .unwrap()
                                .to_contiguous()
                                .unwrap(),
                        )
                    };
                    assert_eq!(list(&made), list(&plain), "{name} of {a} and {b}");
                }
                (Err(_), Err(_)) => {}
                (made, promoted) => panic!("{name} of {a} and {b}: {made:?}, but {promoted:?}"),
            }
            let declared = format!("x: {a}[3], y: {b}[3]");
            let refused = text::graph(&declared, "f32[3]", &format!("{name}(x, y)"))
                .unwrap_err()
                .to_string();
            assert!(
                refused.contains(name) && refused.contains(&a.to_string()),
                "{refused}"
            );
        }
    }
}
