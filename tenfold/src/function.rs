//! Compiled functions: specialised per set of input shapes, and the specialisations kept.

use std::sync::Arc;

use cpu_interp::reference::ReferenceEvaluator;
use graph::op::Op;
use graph::{Graph, TensorType};
use optimizer::Evaluator;
use tensor::{Tensor, TensorView, trace_span};
use tensor_core::TensorLayout;

pub(crate) use crate::state::State;

use crate::device::Chosen;
use crate::segment::{Compiler, Kept, Segment};
use crate::state::States;
use crate::{CompileOptions, Error, Outputs, Specialisation, device, feeds};

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
    compiler: Arc<Compiler>,
    threads: usize,
    device_note: String,
    import: Arc<Graph>,
    canonical: Arc<Graph>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    kept: Kept<Vec<TensorLayout>>,
    states: States,
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
        CompiledFunction::on(import, &device::choose(options)?, options)
    }

    /// As [`CompiledFunction::new`], on a device that is chosen already.
    pub(crate) fn on(
        import: Arc<Graph>,
        chosen: &Chosen,
        options: &CompileOptions,
    ) -> Result<Self, Error> {
        let _span = trace_span!(DEBUG, "compile", name = import.name());
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
            compiler: Arc::new(Compiler {
                backend: chosen.backend.clone(),
                function: import.name().to_owned(),
                memory_limit: options.memory_limit,
            }),
            threads: chosen.threads,
            device_note: chosen.note.clone(),
            import,
            canonical: Arc::new(canonical),
            kept: Kept::default(),
            states: States::default(),
        })
    }

    /// A function whose last inputs and outputs, one of each per state in their order, are state.
    pub(crate) fn with_states(
        import: Arc<Graph>,
        options: &CompileOptions,
        states: Vec<State>,
    ) -> Result<Self, Error> {
        let mut function = CompiledFunction::new(import, options)?;
        let is_state = |port: &Port| states.iter().any(|state| state.name == port.name);
        function.inputs.retain(|port| !is_state(port));
        let outputs = function.outputs.len() - states.len();
        function.outputs.truncate(outputs);
        function.states = States::new(states)?;
        Ok(function)
    }

    /// Name of the device.
    pub fn device(&self) -> &str {
        self.compiler.backend.name()
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
        self.states.run(feeds, |feeds| {
            let views = feeds::ordered(&self.import, feeds)?;
            self.run_views(&views)
        })
    }

    /// Runs with feeds in the order of [`CompiledFunction::inputs`].
    ///
    /// # Errors
    /// If their number is another; as [`CompiledFunction::run`].
    pub fn call(&self, feeds: &[&Tensor]) -> Result<Outputs, Error> {
        if feeds.len() != self.inputs.len() {
            return Err(Error::FeedCount {
                function: self.import.name().to_owned(),
                inputs: feeds::describe(&self.inputs),
                expected: self.inputs.len(),
                got: feeds.len(),
            });
        }
        let names = self.inputs.iter().map(|port| port.name.as_str());
        let named: Vec<(&str, &Tensor)> = names.zip(feeds.iter().copied()).collect();
        self.run(&named)
    }

    /// The outputs for views in the order of the graph's inputs.
    pub(crate) fn run_views(
        &self,
        views: &[TensorView<'_>],
    ) -> Result<Vec<(String, Tensor)>, Error> {
        self.run_segment(&self.first(views)?, views)
    }

    /// A copy of a state, as the last run left it.
    ///
    /// # Errors
    /// If there is no state of this name; memory for the copy.
    pub fn state(&self, name: &str) -> Result<Tensor, Error> {
        self.states.get(name)
    }

    /// Replaces a state.
    ///
    /// # Errors
    /// If there is no state of this name, or the tensor has another dtype or shape.
    pub fn set_state(&self, name: &str, tensor: Tensor) -> Result<(), Error> {
        self.states.set(name, tensor)
    }

    /// Puts every state back to what it was before the first run.
    ///
    /// # Errors
    /// Memory for the copies.
    pub fn reset_states(&self) -> Result<(), Error> {
        self.states.reset()
    }

    /// The plans for the shapes and layouts of these feeds, compiled now if they are new. Where extents depend on data there
    /// are several, and the function runs once to find them.
    ///
    /// # Errors
    /// As [`CompiledFunction::run`].
    pub fn specialise(&self, feeds: &[(&str, &Tensor)]) -> Result<Specialisation, Error> {
        self.states
            .beside(feeds, |feeds| self.specialise_all(feeds))
    }

    /// As [`CompiledFunction::specialise`], with the states among the feeds.
    fn specialise_all(&self, feeds: &[(&str, &Tensor)]) -> Result<Specialisation, Error> {
        let views = feeds::ordered(&self.import, feeds)?;
        let first = self.first(&views)?;
        let mut segments = Vec::new();
        if first.is_whole() {
            segments.push(first);
        } else {
            first.run(&self.compiler, &views, &mut segments)?;
        }
        Ok(Specialisation::new(
            self.import.clone(),
            self.canonical.clone(),
            self.compiler.clone(),
            segments,
        ))
    }

    /// Calls `look` with the states among the feeds.
    pub(crate) fn beside_states<T>(
        &self,
        feeds: &[(&str, &Tensor)],
        look: impl FnOnce(&[(&str, &Tensor)]) -> T,
    ) -> T {
        self.states.beside(feeds, look)
    }

    /// The segment that a run with these feeds starts with.
    fn first(&self, views: &[TensorView<'_>]) -> Result<Arc<Segment>, Error> {
        let layouts = views.iter().map(|view| view.layout().clone()).collect();
        self.kept
            .get(layouts, || self.compiled(&self.canonical, views))
    }

    /// `graph`, which has the inputs of this function, compiled for feeds like these.
    pub(crate) fn compiled(
        &self,
        graph: &Graph,
        views: &[TensorView<'_>],
    ) -> Result<Segment, Error> {
        let _span = trace_span!(DEBUG, "specialise", name = graph.name());
        let layouts: Vec<TensorLayout> = views.iter().map(|v| v.layout().clone()).collect();
        let shapes: Vec<&[usize]> = views.iter().map(TensorView::shape).collect();
        let bindings = graph::bind_inputs(&self.import, &shapes)
            .map_err(|error| Error::InputShape(Box::new(error)))?;
        self.compiler.segment(graph, &bindings, &layouts)
    }

    /// Runs a segment of [`CompiledFunction::compiled`] and what follows it.
    pub(crate) fn run_segment(
        &self,
        segment: &Arc<Segment>,
        views: &[TensorView<'_>],
    ) -> Result<Vec<(String, Tensor)>, Error> {
        segment.run(&self.compiler, views, &mut Vec::new())
    }
}
