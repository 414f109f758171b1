//! Conformance: an executor against the reference, op x dtype x layout.
//!
//! **How it works.** A [`Row`] is data: a call in the text form of graphs, with `T` for the dtype and `S` for the shape. [`run`]
//! takes each row through its shapes, dtypes, kinds of values and every [`Layout`] of the inputs, gives the reference row-major
//! copies and the executor the views, and judges each element by the op's ULP limit; for ops that sum, at the sum of the
//! absolute values of the terms (see `scale`).
//!
//! **Adding an op** is adding its rows in `conformance/rows.rs`; a test fails for an op of the table without rows. What an
//! executor is known not to do stands in a list of [`Exception`]s with the reason; one that is no longer needed is a failure.

mod layout;
mod report;
mod rows;
mod scale;
mod values;

use graph::Graph;
use graph::scalar::ScalarValue;
use tensor::{DType, Tensor, TensorView};

pub use layout::{LAYOUTS, Layout};
pub use report::{Exception, Failure, Problem, Report};
pub use rows::rows;
pub use values::Values;

use crate::executor::guarded;
use crate::text::{self, elements};
use crate::ulp::Tolerance;
use crate::{Executor, Outputs, Reference};
use layout::Placed;

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Declarations such as `a: T[S], i: i64[3]`.
    pub inputs: String,
    /// Constants that the call reads, such as `const pads: i64[2] = {1, 2}`, one after another.
    pub constants: String,
    /// The type of the result, or of all results, with `;` between them.
    pub result: String,
    /// The call of the op.
    pub call: String,
    /// What stands for `S`.
    pub shapes: &'static [&'static str],
    /// What stands for `T`.
    pub dtypes: &'static [DType],
    /// What is in the inputs; the last entry serves all further inputs.
    pub values: Vec<Values>,
}

impl Row {
    /// The name of the op.
    pub fn op(&self) -> &str {
        self.call.split('(').next().unwrap_or_default()
    }

    /// The graph for one shape and dtype.
    fn graph(&self, shape: &str, dtype: DType) -> Graph {
        let fill = |text: &str| {
            text.replace("T[", &format!("{dtype}["))
                .replace("[S", &format!("[{shape}"))
        };
        let (inputs, result) = (fill(&self.inputs), fill(&self.result));
        text::graph_with(&inputs, &fill(&self.constants), &result, &self.call)
            .unwrap_or_else(|error| panic!("row {}, {inputs} -> {result}: {error}", self.call))
    }

    /// Row-major inputs for one graph.
    fn tensors(&self, graph: &Graph) -> Vec<Tensor> {
        let types = graph.inputs().iter().map(|&id| graph.value(id).ty());
        types
            .enumerate()
            .map(|(nth, ty)| {
                let shape = ty.static_shape().expect("rows have numbers as extents");
                let last = self.values.len() - 1;
                self.values[nth.min(last)].tensor(ty.dtype, &shape, nth)
            })
            .collect()
    }
}

/// Takes `executor` through the table.
pub fn run(executor: &dyn Executor, rows: &[Row], exceptions: &[Exception]) -> Report {
    let mut report = Report::new(executor.name(), exceptions);
    for row in rows {
        for shape in row.shapes {
            for &dtype in row.dtypes {
                let graph = row.graph(shape, dtype);
                let tensors = row.tensors(&graph);
                let plain = Expected::of(row, &graph, tensors);
                for &layout in LAYOUTS {
                    let Some(placed) = place(layout, &plain.inputs) else {
                        continue;
                    };
                    let views: Vec<TensorView<'_>> = placed.iter().map(Placed::view).collect();
                    // Only a broadcast changes the values.
                    let repeated = (layout == Layout::Broadcast)
                        .then(|| Expected::of(row, &graph, copies(&views)));
                    let case = Case {
                        row,
                        graph: &graph,
                        dtype,
                        layout,
                    };
                    let expected = repeated.as_ref().unwrap_or(&plain);
                    report.record(&case, case.judge(executor, &views, expected));
                }
            }
        }
    }
    report.close();
    report
}

/// The inputs in one layout; `None` if no input has enough axes to look any different in it.
fn place(layout: Layout, tensors: &[Tensor]) -> Option<Vec<Placed>> {
    let placed: Vec<Option<Placed>> = tensors.iter().map(|tensor| layout.place(tensor)).collect();
    placed.iter().any(Option::is_some).then(|| {
        let row_major = |tensor| {
            Layout::RowMajor
                .place(tensor)
                .expect("every tensor has a row-major copy")
        };
        placed
            .into_iter()
            .zip(tensors)
            .map(|(placed, tensor)| placed.unwrap_or_else(|| row_major(tensor)))
            .collect()
    })
}

/// One run.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    row: &'a Row,
    graph: &'a Graph,
    dtype: DType,
    layout: Layout,
}

/// What the reference makes of row-major inputs.
struct Expected {
    inputs: Vec<Tensor>,
    outputs: Vec<(String, Tensor)>,
    scale: Option<Vec<f64>>,
}

impl Expected {
    fn of(row: &Row, graph: &Graph, inputs: Vec<Tensor>) -> Expected {
        let outputs = run_on(&Reference, graph, inputs.iter().map(on_host))
            .unwrap_or_else(|error| panic!("row {}: the reference fails: {error}", row.call));
        let scale = scale::of(graph, &inputs);
        Expected {
            inputs,
            outputs,
            scale,
        }
    }
}

/// Every tensor that the tests make is in host memory.
fn on_host(tensor: &Tensor) -> TensorView<'_> {
    tensor.view().expect("made on the host")
}

fn copies(views: &[TensorView<'_>]) -> Vec<Tensor> {
    let copy = |view: &TensorView<'_>| view.to_contiguous();
    let copies: Result<_, _> = views.iter().map(copy).collect();
    copies.expect("memory for copies of a test's tensors")
}

/// Runs `graph` with its inputs in order.
fn run_on<'v>(
    executor: &dyn Executor,
    graph: &Graph,
    views: impl Iterator<Item = TensorView<'v>>,
) -> Outputs {
    let inputs = graph.inputs().iter();
    let names = inputs.map(|&id| graph.value(id).name.as_str());
    let feeds: Vec<(&str, TensorView<'v>)> = names.zip(views).collect();
    guarded(executor, graph, &feeds)
}

fn names(outputs: &[(String, Tensor)]) -> Vec<String> {
    outputs.iter().map(|(name, _)| name.clone()).collect()
}

impl Case<'_> {
    /// What is wrong with what the executor makes.
    fn judge(
        &self,
        executor: &dyn Executor,
        views: &[TensorView<'_>],
        expected: &Expected,
    ) -> Option<Problem> {
        let got = match run_on(executor, self.graph, views.iter().cloned()) {
            Ok(got) => got,
            Err(error) => return Some(Problem::Error(error)),
        };
        if names(&expected.outputs) != names(&got) {
            return Some(Problem::Outputs {
                expected: names(&expected.outputs),
                got: names(&got),
            });
        }
        let scale = expected.scale.as_deref();
        let pairs = expected.outputs.iter().zip(&got);
        pairs
            .into_iter()
            .find_map(|((name, want), (_, got))| self.compare(name, want, got, scale))
    }

    fn compare(
        &self,
        output: &str,
        want: &Tensor,
        got: &Tensor,
        scale: Option<&[f64]>,
    ) -> Option<Problem> {
        if (want.dtype(), want.shape()) != (got.dtype(), got.shape()) {
            let ty = |tensor: &Tensor| {
                graph::TensorType::fixed(tensor.dtype(), tensor.shape()).to_string()
            };
            return Some(Problem::Type {
                output: output.into(),
                expected: ty(want),
                got: ty(got),
            });
        }
        let limit = self
            .graph
            .nodes()
            .next()
            .map_or(0, |(_, node)| node.op.def().numerics.max_ulp);
        let limit = if want.dtype().is_float() { limit } else { 0 };
        let mut wrong: Vec<(usize, ScalarValue, ScalarValue, f64)> = Vec::new();
        for (at, (want, got)) in elements(want).into_iter().zip(elements(got)).enumerate() {
            let scale = scale
                .filter(|_| limit > 0)
                .and_then(|scale| scale.get(at).copied());
            let tolerance = Tolerance {
                ulps: limit.into(),
                scale,
            };
            if !tolerance.accepts(want, got) {
                wrong.push((at, want, got, tolerance.distance(want, got)));
            }
        }
        let count = wrong.len();
        let (at, expected, got, ulps) = wrong
            .into_iter()
            .max_by(|a, b| a.3.total_cmp(&b.3).then(b.0.cmp(&a.0)))?;
        let index = index_of(at, want.shape());
        Some(Problem::Element {
            output: output.into(),
            index,
            expected,
            got,
            ulps,
            limit,
            count,
        })
    }
}

/// The index of the element at row-major position `at`.
fn index_of(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &extent) in index.iter_mut().zip(shape).rev() {
        *i = at % extent;
        at /= extent;
    }
    index
}
