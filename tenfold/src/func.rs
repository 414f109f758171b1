//! Functions under construction: symbolic inputs, captured constants, state, outputs.
//!
//! A [`Func`] is a handle; clones, and all symbolic values that come of it, share one graph. Each op is checked when it is
//! recorded, so an error points at the line that builds it, with the shapes of both operands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graph::op::Op;
use graph::{Dim, Graph, GraphBuilder, GraphError, TensorType, ValueId};
use tensor::{DType, SharedTensor, Tensor};

use crate::function::State;
use crate::{CompileOptions, CompiledFunction, Error, Value};

/// A function that is being built.
///
/// Build and compile once, keep the [`CompiledFunction`] where the program keeps its state, and run it every frame: compiling is what
/// costs time, and [`CompiledFunction::compilations`] tells whether it happens again.
///
/// ```
/// use tenfold::prelude::*;
///
/// let tf = Tf::new(&CompileOptions::default())?;
/// let weights = tf.values([2, 2], vec![1.0_f32, -1.0, 0.5, 2.0])?;
///
/// let layer = Func::new("layer");
/// let x = layer.input("x", DType::F32, ["batch".into(), 2.into()])?;
/// layer.output("y", &x.matmul(&weights)?.relu()?)?;
///
/// let layer = layer.compile(&CompileOptions::default())?;
/// let x = Tensor::from_vec_row_major([1, 2], vec![1.0_f32, 2.0])?;
/// assert_eq!(layer.run(&[("x", &x)])?["y"].as_slice::<f32>()?, [2.0, 3.0]);
/// # Ok::<(), tenfold::Error>(())
/// ```
#[derive(Clone)]
pub struct Func(Arc<Mutex<Recorded>>);

struct Recorded {
    builder: GraphBuilder,
    /// Captured tensors, so that one that is used several times is one constant.
    captured: Vec<(SharedTensor, ValueId)>,
    outputs: Vec<String>,
    states: Vec<Recording>,
}

/// A state while its function is built.
struct Recording {
    name: String,
    id: ValueId,
    initial: Arc<Tensor>,
    update: Option<ValueId>,
}

impl std::fmt::Debug for Func {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.lock().builder.graph())
    }
}

fn failed(error: GraphError) -> Error {
    Error::Op(Box::new(error))
}

impl Func {
    /// An empty function of this name.
    pub fn new(name: impl Into<String>) -> Func {
        Func(Arc::new(Mutex::new(Recorded {
            builder: GraphBuilder::new(name),
            captured: Vec::new(),
            outputs: Vec::new(),
            states: Vec::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name.
    pub fn name(&self) -> String {
        self.lock().builder.graph().name().to_owned()
    }

    /// Adds an input; extents are numbers or names (`"batch".into()`), and equal names are equal extents.
    ///
    /// # Errors
    /// If a value of this name exists, or an extent is negative.
    pub fn input(
        &self,
        name: impl Into<String>,
        dtype: DType,
        shape: impl IntoIterator<Item = Dim>,
    ) -> Result<Value, Error> {
        let (name, ty) = (name.into(), TensorType::new(dtype, shape));
        if ty
            .shape
            .iter()
            .any(|dim| dim.as_known().is_some_and(|n| n < 0))
        {
            return Err(Error::Argument {
                op: "input",
                argument: "shape",
                value: ty.to_string(),
                reason: "an extent is negative".into(),
            });
        }
        let id = self.lock().builder.input(name, ty).map_err(failed)?;
        Ok(Value::symbolic(self.clone(), id))
    }

    /// Adds a constant; no element is copied if the tensor is row-major and whole.
    ///
    /// # Errors
    /// Memory for a copy, if one is needed.
    pub fn constant(&self, tensor: impl Into<SharedTensor>) -> Result<Value, Error> {
        let id = self.constant_id(&tensor.into())?;
        Ok(Value::symbolic(self.clone(), id))
    }

    /// Adds a state: a tensor that every run reads and may replace, and that stays on the device between runs.
    /// [`Func::update`] says what replaces it; the function's first run reads `initial`.
    ///
    /// # Errors
    /// If a value of this name exists; memory for a copy.
    pub fn state(
        &self,
        name: impl Into<String>,
        initial: impl Into<SharedTensor>,
    ) -> Result<Value, Error> {
        let (name, initial) = (name.into(), whole(&initial.into())?);
        let ty = TensorType::fixed(initial.dtype(), initial.shape());
        let mut recorded = self.lock();
        let id = recorded.builder.input(&*name, ty).map_err(failed)?;
        recorded.states.push(Recording {
            name,
            id,
            initial,
            update: None,
        });
        drop(recorded);
        Ok(Value::symbolic(self.clone(), id))
    }

    /// Says that each run replaces the state `state` by `value`.
    ///
    /// # Errors
    /// If `state` is no state of this function or is updated already, or `value` has another type.
    pub fn update(&self, state: &Value, value: &Value) -> Result<(), Error> {
        let (id, new) = (
            self.capture("update", state)?,
            self.capture("update", value)?,
        );
        let mut recorded = self.lock();
        let graph = recorded.builder.graph();
        let (old_ty, new_ty) = (graph.value(id).ty().clone(), graph.value(new).ty().clone());
        let name = graph.value(id).name.clone();
        let refused = |reason: String| Error::Argument {
            op: "update",
            argument: "state",
            value: name.clone(),
            reason,
        };
        let state = recorded.states.iter_mut().find(|state| state.id == id);
        let state = state.ok_or_else(|| refused("is no state of this function".into()))?;
        if state.update.is_some() {
            return Err(refused("is updated already".into()));
        }
        if old_ty != new_ty {
            return Err(refused(format!(
                "has type {old_ty}; its new value has type {new_ty}"
            )));
        }
        state.update = Some(new);
        Ok(())
    }

    /// Makes a value an output under a name.
    ///
    /// # Errors
    /// If an output of this name exists, or the value is of another function.
    pub fn output(&self, name: impl Into<String>, value: &Value) -> Result<(), Error> {
        let (name, id) = (name.into(), self.capture("output", value)?);
        let mut recorded = self.lock();
        if recorded.outputs.contains(&name) {
            return Err(failed(GraphError::DuplicateName { name }));
        }
        recorded.outputs.push(name.clone());
        recorded.builder.output(name, id);
        Ok(())
    }

    /// The graph as built so far.
    pub fn graph(&self) -> Graph {
        self.lock().builder.graph().clone()
    }

    /// Compiles the function as built so far; it can be built on and compiled again.
    ///
    /// # Errors
    /// If there is no output and no state, or a state that no run updates; as [`crate::Model::compile`].
    pub fn compile(&self, options: &CompileOptions) -> Result<CompiledFunction, Error> {
        let recorded = self.lock();
        let (graph, name) = (recorded.builder.graph(), recorded.builder.graph().name());
        let incomplete = |what: String| Error::Incomplete {
            function: name.to_owned(),
            what,
        };
        if graph.outputs().is_empty() && recorded.states.is_empty() {
            return Err(incomplete("it has no output; call `output` first".into()));
        }
        let mut outputs: Vec<(String, ValueId)> = graph.outputs().to_vec();
        let mut states = Vec::with_capacity(recorded.states.len());
        for state in &recorded.states {
            let update = state.update.ok_or_else(|| {
                incomplete(format!(
                    "no run updates its state {:?}; call `update`",
                    state.name
                ))
            })?;
            outputs.push((format!("{}.next", state.name), update));
            states.push(State {
                name: state.name.clone(),
                initial: state.initial.clone(),
            });
        }
        let graph = graph.with_outputs(outputs);
        CompiledFunction::with_states(Arc::new(graph), options, states)
    }

    pub(crate) fn is(&self, other: &Func) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn name_of(&self, id: ValueId) -> String {
        self.lock().builder.graph().value(id).name.clone()
    }

    pub(crate) fn ty_of(&self, id: ValueId) -> TensorType {
        self.lock().builder.ty(id).clone()
    }

    /// The constant that stands for a tensor, the same one each time.
    pub(crate) fn constant_id(&self, tensor: &SharedTensor) -> Result<ValueId, Error> {
        let mut recorded = self.lock();
        let same = |other: &SharedTensor| {
            other.shares_storage_with(tensor) && other.layout() == tensor.layout()
        };
        if let Some((_, id)) = recorded.captured.iter().find(|(other, _)| same(other)) {
            return Ok(*id);
        }
        let name = recorded.builder.fresh_name("constant");
        let id = recorded
            .builder
            .constant(name, whole(tensor)?)
            .map_err(failed)?;
        // Holding the tensor keeps its storage shared: whoever writes to it afterwards writes to a copy.
        recorded.captured.push((tensor.clone(), id));
        Ok(id)
    }

    /// Records an op; gives its outputs.
    pub(crate) fn record(
        &self,
        op: &Op,
        inputs: &[Option<ValueId>],
    ) -> Result<Vec<ValueId>, Error> {
        let mut recorded = self.lock();
        let name = recorded.builder.fresh_name(op.name());
        let made = recorded
            .builder
            .node_of_many(op.clone(), inputs, &[&name], "");
        made.map_err(failed)
    }
}

/// The tensor itself if it is row-major and whole, else a copy.
fn whole(tensor: &SharedTensor) -> Result<Arc<Tensor>, Error> {
    match tensor.whole() {
        Some(whole) => Ok(whole.clone()),
        None => Ok(Arc::new(tensor.view()?.to_contiguous()?)),
    }
}
