//! The conformance table: who passes, and that those who should not pass do not.

use cpu_interp::exec::CpuBackend;
use cpu_interp::kernels::Cpu;
use cpu_interp::kernels::isa::Isa;
use graph::Graph;
use tensor::{DType, Tensor, TensorView};
use tests::conformance::{Exception, LAYOUTS, Layout, Problem, Report, Row, rows, run};
use tests::text::{elements, of_elements};
use tests::{Canonical, Captured, Compiled, Eager, Executor, Feeds, Outputs, Reference};

/// The rows of some ops.
fn rows_of(ops: &[&str]) -> Vec<Row> {
    rows()
        .into_iter()
        .filter(|row| ops.contains(&row.op()))
        .collect()
}

#[test]
fn the_reference_reads_every_layout_alike() {
    let report = run(&Reference, &rows(), &[]);
    assert!(report.passed(), "{report}");
    assert!(report.cases > 10_000, "{} cases", report.cases);
}

#[test]
fn eager_ops_agree_with_the_reference() {
    let report = run(&Eager::new(), &rows(), &[]);
    assert!(report.passed(), "{report}");
}

#[test]
fn captured_ops_agree_with_the_reference() {
    let report = run(&Captured, &rows(), &[]);
    assert!(report.passed(), "{report}");
}

#[test]
fn the_canonical_form_changes_no_result() {
    let report = run(&Canonical, &rows(), &[]);
    assert!(report.passed(), "{report}");
}

/// Ops whose extents depend on data: one plan cannot hold them. Captured functions and the facade run them in segments.
const IN_SEGMENTS: &[Exception] = &[
    in_segments("range"),
    in_segments("non_zero"),
    in_segments("unique"),
    in_segments("non_max_suppression"),
];

const fn in_segments(op: &'static str) -> Exception {
    Exception {
        op,
        dtype: None,
        layout: None,
        problem: "it depends on data",
        reason: "a plan has extents that are numbers",
    }
}

#[test]
fn the_cpu_agrees_with_the_reference() {
    let report = run(&Compiled::cpu(1), &rows(), IN_SEGMENTS);
    assert!(report.passed(), "{report}");
}

#[test]
fn every_instruction_set_agrees_with_the_reference() {
    // The kernels for them are those of f32.
    let floats: Vec<Row> = rows()
        .into_iter()
        .filter(|row| row.dtypes.contains(&DType::F32))
        .map(|row| Row {
            dtypes: &[DType::F32],
            ..row
        })
        .collect();
    for isa in Isa::available() {
        let name = format!("cpu, {:?}, 2 threads", isa.level());
        let backend = CpuBackend::with_cpu(Cpu::with_isa(isa, 2));
        let report = run(&Compiled::with(backend, name), &floats, IN_SEGMENTS);
        assert!(report.failures.is_empty(), "{report}");
    }
}

/// The reference with a fault.
struct Faulty<F>(F);

impl<F: Fn(&Graph, &Feeds<'_>, Vec<(String, Tensor)>) -> Outputs> Executor for Faulty<F> {
    fn name(&self) -> String {
        "faulty".into()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        (self.0)(graph, feeds, Reference.run(graph, feeds)?)
    }
}

/// Moves one element of the first output by some units in the last place.
fn nudged(element: usize, units: i64) -> impl Executor {
    Faulty(
        move |_: &Graph, _: &Feeds<'_>, mut outputs: Vec<(String, Tensor)>| {
            let tensor = &mut outputs[0].1;
            let mut list = elements(tensor);
            if let Some(value) = list
                .get_mut(element)
                .filter(|value| value.to_f64().is_finite() && value.to_f64() != 0.0)
            {
                *value = graph::scalar::ScalarValue::from_bits(
                    value.dtype(),
                    value.bits().wrapping_add_signed(units),
                );
            }
            *tensor = of_elements(tensor.dtype(), tensor.shape(), &list);
            Ok(outputs)
        },
    )
}

#[test]
fn an_element_beyond_the_limit_is_reported_with_all_that_is_known() {
    let row: Vec<Row> = rows_of(&["exp"]).into_iter().take(1).collect();
    let report = run(&nudged(17, 3), &row, &[]);
    // Element 17 exists in three of the shapes; the limit of exp is 2.
    assert!(!report.passed());
    let failure = report
        .failures
        .iter()
        .find(|failure| failure.case.contains("f32[3, 5, 7]") && failure.layout == Layout::Reversed)
        .expect("the case is in the table");
    assert_eq!((failure.op.as_str(), failure.dtype), ("exp", DType::F32));
    let Problem::Element {
        output,
        index,
        expected,
        got,
        ulps,
        limit,
        count,
    } = &failure.problem
    else {
        panic!("{failure}");
    };
    assert_eq!(
        (output.as_str(), index.as_slice(), *ulps, *limit, *count),
        ("result", &[0, 2, 3][..], 3.0, 2, 1)
    );
    assert_eq!(got.bits(), expected.bits() + 3);
    let text = failure.to_string();
    assert!(
        text.starts_with(
            "exp(a) with a: f32[3, 5, 7], reversed, [Within(4.0)]: result[0, 2, 3] is "
        ),
        "{text}"
    );
    assert!(
        text.ends_with("3 ULP, limit 2 (1 elements are wrong)"),
        "{text}"
    );
}

#[test]
fn limits_are_where_the_op_table_says() {
    for (op, units, passes) in [
        ("exp", 2, true),
        ("exp", 3, false),
        ("add", 1, false),
        ("sqrt", -1, false),
        ("reduce_max", 1, false),
        ("transpose", 1, false),
        ("softmax", 8, true),
        ("softmax", 200, false),
        ("matmul", 8, true),
        ("matmul", 20_000, false),
    ] {
        let floats: Vec<Row> = rows_of(&[op])
            .into_iter()
            .map(|row| Row {
                dtypes: &[DType::F32],
                ..row
            })
            .collect();
        let report = run(&nudged(5, units), &floats, &[]);
        assert_eq!(
            report.failures.is_empty(),
            passes,
            "{op} by {units}: {report}"
        );
    }
}

#[test]
fn sums_are_judged_at_the_size_of_their_terms() {
    // The terms are up to 16 and the sum can be anything down to 0; a few units of 16 are all a kernel can promise.
    let row: Vec<Row> = rows_of(&["matmul"])
        .into_iter()
        .filter(|row| row.inputs == "a: T[17, 613], b: T[613, 19]")
        .collect();
    let shifted = Faulty(
        |_: &Graph, _: &Feeds<'_>, mut outputs: Vec<(String, Tensor)>| {
            let tensor = &mut outputs[0].1;
            if tensor.dtype() == DType::F32 {
                let list = tensor.to_vec::<f32>().map_err(|e| e.to_string())?;
                let shifted = list.iter().map(|value| value + 1e-4).collect();
                *tensor = Tensor::from_vec_row_major(tensor.shape(), shifted)
                    .map_err(|e| e.to_string())?;
            }
            Ok(outputs)
        },
    );
    let report = run(&shifted, &row, &[]);
    assert!(report.passed(), "{report}");
}

#[test]
fn faults_of_every_kind_are_found() {
    fn ignores_strides(graph: &Graph, feeds: &Feeds<'_>, _right: Vec<(String, Tensor)>) -> Outputs {
        let dense = |view: &TensorView<'_>| -> Option<Tensor> {
            let storage = view.as_typed::<f32>()?.storage();
            Tensor::from_vec_row_major(view.shape(), storage.get(..view.len())?.to_vec()).ok()
        };
        let tensors: Vec<(&str, Tensor)> = feeds
            .iter()
            .map(|(name, view)| {
                dense(view)
                    .map(|tensor| (*name, tensor))
                    .ok_or("too small a buffer")
            })
            .collect::<Result<_, _>>()?;
        let feeds: Vec<(&str, TensorView<'_>)> = tensors
            .iter()
            .map(|(name, tensor)| (*name, tensor.view().unwrap()))
            .collect();
        Reference.run(graph, &feeds)
    }
    fn kills_nan(_: &Graph, _: &Feeds<'_>, mut outputs: Vec<(String, Tensor)>) -> Outputs {
        let list = outputs[0].1.to_vec::<f32>().map_err(|e| e.to_string())?;
        let list = list
            .iter()
            .map(|value| if value.is_nan() { 0.0 } else { *value })
            .collect();
        outputs[0].1 =
            Tensor::from_vec_row_major(outputs[0].1.shape(), list).map_err(|e| e.to_string())?;
        Ok(outputs)
    }
    fn flattens(_: &Graph, _: &Feeds<'_>, mut outputs: Vec<(String, Tensor)>) -> Outputs {
        let len = outputs[0].1.len();
        outputs[0].1 = outputs[0]
            .1
            .view()
            .unwrap()
            .reshape([len])
            .and_then(|view| view.to_contiguous())
            .map_err(|e| e.to_string())?;
        Ok(outputs)
    }
    fn renames(_: &Graph, _: &Feeds<'_>, mut outputs: Vec<(String, Tensor)>) -> Outputs {
        outputs[0].0.push('\'');
        Ok(outputs)
    }
    fn gives_up(_: &Graph, _: &Feeds<'_>, _: Vec<(String, Tensor)>) -> Outputs {
        Err("not today".into())
    }
    type Fault = fn(&Graph, &Feeds<'_>, Vec<(String, Tensor)>) -> Outputs;
    let faults: [(Fault, &str); 5] = [
        (ignores_strides, " ULP, limit 0"),
        (kills_nan, " is 0, expected nan(0x"),
        (flattens, "result is f32[105], expected f32[3, 5, 7]"),
        (renames, "outputs [\"result'\"], expected [\"result\"]"),
        (gives_up, "fails: not today"),
    ];
    let floats: Vec<Row> = rows_of(&["add"])
        .into_iter()
        .map(|row| Row {
            dtypes: &[DType::F32],
            ..row
        })
        .collect();
    for (fault, words) in faults {
        let report: Report = run(&Faulty(fault), &floats, &[]);
        let found = report
            .failures
            .iter()
            .any(|failure| failure.to_string().contains(words));
        assert!(found, "{words:?} is not in\n{report}");
        if words.contains("limit 0") {
            let fails = |layout| {
                let mut failures = report.failures.iter();
                failures.any(|failure| failure.layout == layout)
            };
            let failing: Vec<Layout> = LAYOUTS.iter().copied().filter(|&l| fails(l)).collect();
            assert_eq!(failing, LAYOUTS[1..], "all but row-major");
        }
    }
}

#[test]
fn exceptions_cover_what_they_name_and_nothing_else() {
    let exception = |op, dtype| Exception {
        op,
        dtype,
        layout: None,
        problem: "ULP",
        reason: "a fault on purpose",
    };
    let rows = rows_of(&["neg", "abs"]);
    let all = run(
        &nudged(0, 1),
        &rows,
        &[exception("neg", None), exception("abs", None)],
    );
    assert!(all.passed(), "{all}");
    let some = run(&nudged(0, 1), &rows, &[exception("neg", None)]);
    assert!(
        !some.failures.is_empty() && some.failures.iter().all(|failure| failure.op == "abs"),
        "{some}"
    );
    let unneeded = run(&Reference, &rows, &[exception("*", Some(DType::F16))]);
    assert_eq!(
        (unneeded.failures.len(), unneeded.unneeded.as_slice()),
        (0, &[0][..])
    );
    assert!(
        !unneeded.passed() && unneeded.to_string().contains("no case fails any more"),
        "{unneeded}"
    );
}
