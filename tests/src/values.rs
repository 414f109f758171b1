//! The ways of users who write ops themselves: each op at once, and the same ops captured as a function.

use graph::{Graph, ValueDef, ValueId};
use tenfold::{CompileOptions, DeviceChoice, Func, Tf, Value, apply_all};
use tensor::{SharedTensor, Tensor};

use crate::{Executor, Feeds, Outputs};

/// One thread on the CPU: these executors check meaning, not speed.
fn options() -> CompileOptions {
    CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    }
}

/// Each node of a graph as an eager op. Feeds keep their layouts.
#[derive(Debug)]
pub struct Eager(Tf);

impl Eager {
    /// Ops on the CPU.
    ///
    /// # Panics
    /// Never: the options make sense.
    pub fn new() -> Eager {
        Eager(Tf::new(&options()).expect("one thread of the CPU"))
    }
}

impl Default for Eager {
    fn default() -> Self {
        Eager::new()
    }
}

impl Executor for Eager {
    fn name(&self) -> String {
        "eager".into()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        let values = feeds.iter().map(|(name, view)| {
            let tensor = shared(view).map_err(|error| error.to_string())?;
            Ok(((*name).to_owned(), self.0.value(tensor)))
        });
        let values = values.collect::<Result<Vec<_>, String>>()?;
        let constant = |tensor: &Tensor| {
            let copy = tensor.to_contiguous().map_err(|error| error.to_string())?;
            Ok(self.0.value(copy))
        };
        apply(graph, &values, &constant)?
            .into_iter()
            .map(|(name, value)| {
                let tensor = value
                    .tensor()
                    .and_then(|tensor| Ok(tensor.view()?.to_contiguous()?));
                Ok((name, tensor.map_err(|error| error.to_string())?))
            })
            .collect()
    }
}

/// The nodes of a graph captured one by one as a function, compiled and run.
#[derive(Clone, Copy, Debug)]
pub struct Captured;

impl Executor for Captured {
    fn name(&self) -> String {
        "captured".into()
    }

    fn run(&self, graph: &Graph, feeds: &Feeds<'_>) -> Outputs {
        let text = |error: tenfold::Error| error.to_string();
        let func = Func::new(graph.name());
        let mut values = Vec::new();
        for &id in graph.inputs() {
            let (name, ty) = (&graph.value(id).name, graph.value(id).ty());
            let value = func
                .input(name, ty.dtype, ty.shape.iter().cloned())
                .map_err(text)?;
            values.push((name.clone(), value));
        }
        let constant = |tensor: &Tensor| {
            let copy = tensor.to_contiguous().map_err(|error| error.to_string())?;
            func.constant(copy).map_err(text)
        };
        for (name, value) in apply(graph, &values, &constant)? {
            func.output(name, &value).map_err(text)?;
        }
        let function = func.compile(&options()).map_err(text)?;
        let owned = feeds
            .iter()
            .map(|(name, view)| Ok((*name, view.to_contiguous()?)));
        let owned = owned.collect::<Result<Vec<_>, tensor::TensorError>>();
        let owned = owned.map_err(|error| error.to_string())?;
        let named: Vec<(&str, &Tensor)> = owned.iter().map(|(name, feed)| (*name, feed)).collect();
        Ok(function.run(&named).map_err(text)?.into_vec())
    }
}

/// Applies every node; gives the values of the outputs.
fn apply(
    graph: &Graph,
    inputs: &[(String, Value)],
    constant: &dyn Fn(&Tensor) -> Result<Value, String>,
) -> Result<Vec<(String, Value)>, String> {
    let mut values: Vec<Option<Value>> = vec![None; graph.values().len()];
    for (id, value) in graph.values() {
        match &value.def {
            ValueDef::Input(_) => {
                let fed = inputs.iter().find(|(name, _)| *name == value.name);
                values[id.index()] = fed.map(|(_, value)| value.clone());
            }
            ValueDef::Const(tensor) => values[id.index()] = Some(constant(tensor)?),
            ValueDef::Node(node, 0) => {
                let node = graph.node(*node);
                let of = |id: &Option<ValueId>| id.and_then(|id| values[id.index()].as_ref());
                let inputs: Vec<Option<&Value>> = node.inputs.iter().map(of).collect();
                let made = apply_all(&node.op, &inputs).map_err(|error| error.to_string())?;
                for (output, value) in node.outputs.iter().zip(made) {
                    values[output.index()] = Some(value);
                }
            }
            ValueDef::Node(..) => {}
        }
    }
    let outputs = graph.outputs().iter().map(|(name, id)| {
        let value = values[id.index()].clone();
        Ok((name.clone(), value.ok_or("an output was not computed")?))
    });
    outputs.collect()
}

/// The elements of a view as a shared tensor whose axes lie in memory in the same order.
fn shared(view: &tensor::TensorView<'_>) -> Result<SharedTensor, tensor::TensorError> {
    // Copied in the order of memory, outermost axis first, then permuted back.
    let mut order: Vec<usize> = (0..view.rank()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(view.strides()[axis]));
    let mut back = vec![0; order.len()];
    for (at, &axis) in order.iter().enumerate() {
        back[axis] = at;
    }
    SharedTensor::from(view.permute(&order)?.to_contiguous()?).permute(&back)
}
