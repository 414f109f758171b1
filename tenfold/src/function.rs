//! Compiled functions: specialised per set of input shapes, and the specialisations kept.

use std::sync::{Arc, Mutex, PoisonError};

use cpu_interp::reference::ReferenceEvaluator;
use graph::op::Op;
use graph::{Graph, TensorType};
use optimizer::Evaluator;
use plan::{Backend, Plan};
use tensor::{Tensor, TensorView, trace_span};
use tensor_core::TensorLayout;

use crate::specialisation::Inner;
use crate::{CompileOptions, Error, Outputs, Specialisation, device, feeds};

/// Specialisations that are kept; the one not used for the longest time goes first.
const KEPT_SPECIALISATIONS: usize = 32;

/// An input or output of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// The name.
    pub name: String,
    /// dtype and shape; extents may be symbolic.
    pub ty: TensorType,
}

/// A function ready to run. Sharing it between threads is safe; runs do not wait for each other.
pub struct CompiledFunction {
    backend: Arc<dyn Backend>,
    threads: usize,
    device_note: String,
    memory_limit: Option<usize>,
    import: Arc<Graph>,
    canonical: Arc<Graph>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    kept: Mutex<Vec<(Vec<TensorLayout>, Arc<Inner>)>>,
}

impl std::fmt::Debug for CompiledFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledFunction")
            .field("name", &self.canonical.name())
            .field("device", &self.device_note)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .finish_non_exhaustive()
    }
}

/// Folds constants with the reference executor.
pub(crate) struct Reference;

impl Evaluator for Reference {
    fn evaluate(&self, op: &Op, inputs: &[Option<&Tensor>]) -> Option<Vec<Tensor>> {
        ReferenceEvaluator.evaluate(op, inputs)
    }
}

impl CompiledFunction {
    pub(crate) fn new(import: Arc<Graph>, options: &CompileOptions) -> Result<Self, Error> {
        let _span = trace_span!(DEBUG, "compile", name = import.name());
        let chosen = device::choose(options)?;
        let canonical =
            optimizer::canonicalise(&import, &Reference).map_err(|source| Error::Compile {
                function: import.name().to_owned(),
                source: Box::new(source),
            })?;
        let port = |name: &str, ty: &TensorType| Port {
            name: name.to_owned(),
            ty: ty.clone(),
        };
        let inputs = import
            .inputs()
            .iter()
            .map(|&id| port(&import.value(id).name, import.value(id).ty()));
        let outputs = import
            .outputs()
            .iter()
            .map(|(name, id)| port(name, import.value(*id).ty()));
        Ok(CompiledFunction {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            backend: chosen.backend,
            threads: chosen.threads,
            device_note: chosen.note,
            memory_limit: options.memory_limit,
            import,
            canonical: Arc::new(canonical),
            kept: Mutex::default(),
        })
    }

    /// Name of the device.
    pub fn device(&self) -> &str {
        self.backend.name()
    }

    /// The device and why it was chosen.
    pub fn device_note(&self) -> &str {
        &self.device_note
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Inputs in order.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// Outputs in order.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The graph as imported.
    pub fn import_graph(&self) -> &Graph {
        &self.import
    }

    /// The graph in canonical form, with symbolic extents.
    pub fn canonical_graph(&self) -> &Graph {
        &self.canonical
    }

    /// Runs with feeds by name, in any order.
    ///
    /// # Errors
    /// If a name, dtype or shape is not the function's, if the shapes do not fit the graph or need more
    /// memory than there is or may be taken, or if the data makes a step impossible; the error names the
    /// input or node.
    pub fn run(&self, feeds: &[(&str, &Tensor)]) -> Result<Outputs, Error> {
        let views = feeds::ordered(&self.import, feeds)?;
        self.inner(&views)?.run(&views)
    }

    /// The plan for the shapes and layouts of these feeds, compiled now if it is new.
    ///
    /// # Errors
    /// As [`CompiledFunction::run`].
    pub fn specialise(&self, feeds: &[(&str, &Tensor)]) -> Result<Specialisation, Error> {
        let views = feeds::ordered(&self.import, feeds)?;
        let inner = self.inner(&views)?;
        Ok(Specialisation::new(
            self.import.clone(),
            self.canonical.clone(),
            inner,
        ))
    }

    fn inner(&self, views: &[TensorView<'_>]) -> Result<Arc<Inner>, Error> {
        let layouts: Vec<TensorLayout> = views.iter().map(|v| v.layout().clone()).collect();
        if let Some(found) = self.kept(&layouts) {
            return Ok(found);
        }
        let inner = Arc::new(self.compiled(&self.canonical, views)?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_SPECIALISATIONS {
            kept.remove(0);
        }
        kept.push((layouts, inner.clone()));
        Ok(inner)
    }

    /// `graph`, which has the inputs of this function, compiled for feeds like these.
    pub(crate) fn compiled(&self, graph: &Graph, views: &[TensorView<'_>]) -> Result<Inner, Error> {
        let _span = trace_span!(DEBUG, "specialise", name = graph.name());
        let layouts: Vec<TensorLayout> = views.iter().map(|v| v.layout().clone()).collect();
        let shapes: Vec<&[usize]> = views.iter().map(TensorView::shape).collect();
        let bindings = graph::bind_inputs(&self.import, &shapes)
            .map_err(|error| Error::InputShape(Box::new(error)))?;
        let compiled = optimizer::compile(graph, &bindings, &layouts, &Reference);
        let stages = compiled.map_err(|source| Error::Compile {
            function: self.import.name().to_owned(),
            source: Box::new(source),
        })?;
        self.check_memory(&stages.planned)?;
        Inner::new(&*self.backend, stages)
    }

    /// Refuses a plan that needs more memory than the options allow.
    fn check_memory(&self, plan: &Plan) -> Result<(), Error> {
        let Some(limit_bytes) = self.memory_limit else {
            return Ok(());
        };
        let outputs = plan
            .outputs
            .iter()
            .map(|port| plan.buffer(port.buffer).size_bytes());
        let needed_bytes = outputs.fold(
            plan.arena_bytes.saturating_add(plan.workspace_bytes()),
            usize::saturating_add,
        );
        if needed_bytes <= limit_bytes {
            return Ok(());
        }
        let function = self.import.name().to_owned();
        Err(Error::MemoryLimit {
            function,
            needed_bytes,
            limit_bytes,
        })
    }

    /// A kept specialisation, which becomes the most recently used.
    fn kept(&self, layouts: &[TensorLayout]) -> Option<Arc<Inner>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(key, _)| key == layouts)?;
        let entry = kept.remove(at);
        let inner = entry.1.clone();
        kept.push(entry);
        Some(inner)
    }
}
