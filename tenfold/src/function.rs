//! Compiled functions: specialised per set of input shapes, and the specialisations kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cpu_interp::reference::ReferenceEvaluator;
use graph::op::Op;
use graph::{Graph, TensorType};
use optimizer::Evaluator;
use tensor::{Tensor, TensorView, trace_span};
use tensor_core::TensorLayout;

pub(crate) use crate::state::State;

use crate::device::Chosen;
use crate::feeds::Slot;
use crate::segment::{Compiler, Kept, Segment};
use crate::state::{Now, States};
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
    /// Where the graph's inputs come from, in its order.
    slots: Vec<Slot>,
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
        let inputs = feeds::ports(&import);
        let outputs = import
            .outputs()
            .iter()
            .map(|(name, id)| port(name, import.value(*id).ty()));
        Ok(CompiledFunction {
            slots: (0..inputs.len()).map(Slot::Feed).collect(),
            inputs,
            outputs: outputs.collect(),
            compiler: Arc::new(Compiler {
                backend: chosen.backend.clone(),
                function: import.name().to_owned(),
                memory_limit: options.memory_limit,
                plans: AtomicUsize::new(0),
            }),
            threads: chosen.threads,
            device_note: chosen.note.clone(),
            import,
            canonical: Arc::new(canonical),
            kept: Kept::default(),
            states: States::default(),
        })
    }

    /// A function whose inputs of the names of states, and whose last outputs, one per state in their order, are state.
    pub(crate) fn with_states(
        import: Arc<Graph>,
        options: &CompileOptions,
        states: Vec<State>,
    ) -> Result<Self, Error> {
        let mut function = CompiledFunction::new(import, options)?;
        let state_of = |port: &Port| states.iter().position(|state| state.name == port.name);
        let mut fed = 0;
        let slots = function.inputs.iter().map(|port| match state_of(port) {
            Some(nth) => Slot::State(nth),
            None => {
                fed += 1;
                Slot::Feed(fed - 1)
            }
        });
        function.slots = slots.collect();
        function.inputs.retain(|port| state_of(port).is_none());
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

    /// How many plans have been compiled since the function was made. A run with feeds of new shapes (or, where extents depend
    /// on data, of new extents) compiles; a run with known ones does not, so in a loop over frames this number stands still.
    pub fn compilations(&self) -> usize {
        self.compiler.plans.load(Ordering::Relaxed)
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
        let mut held = self.states.hold();
        let made = self.with_views(feeds, held.as_deref(), |views| self.run_views(views))?;
        let mut made = made.into_iter();
        let names = self.outputs.iter().map(|port| port.name.clone());
        let outputs = names.zip(made.by_ref()).collect();
        if let Some(now) = &mut held {
            now.tensors = made.collect();
        }
        Ok(Outputs::new(outputs))
    }

    /// As [`CompiledFunction::run`], into tensors that exist: the outputs in the order of [`CompiledFunction::outputs`], row-major
    /// and of the dtypes and shapes that these feeds give. From the second run with the same shapes on it takes no memory from
    /// the heap, unless an op of the function does: one that no kernel serves, or whose result has extents of its own making.
    /// (Where a run uses several threads, their queue takes a small block once in some thirty runs.)
    ///
    /// ```
    /// use tenfold::prelude::*;
    ///
    /// let func = Func::new("frame");
    /// let x = func.input("x", DType::F32, [4.into()])?;
    /// func.output("y", &(&x * 0.5)?.relu()?)?;
    /// let function = func.compile(&CompileOptions::default())?;
    ///
    /// let mut x = Tensor::from_vec_row_major([4], vec![1.0_f32, -2.0, 3.0, -4.0])?;
    /// let mut outputs = [Tensor::zeros(DType::F32, [4])?];
    /// for frame in 0..3 {
    ///     x.as_mut_slice::<f32>()?[0] = frame as f32;
    ///     function.run_into(&[("x", &x)], &mut outputs)?;
    ///     assert_eq!(outputs[0].as_slice::<f32>()?, [0.5 * frame as f32, 0.0, 1.5, 0.0]);
    /// }
    /// # Ok::<(), tenfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CompiledFunction::run`], and if the outputs are others than the function's; what they hold is then unspecified.
    pub fn run_into(&self, feeds: &[(&str, &Tensor)], outputs: &mut [Tensor]) -> Result<(), Error> {
        let Some(mut now) = self.states.hold() else {
            return self.with_views(feeds, None, |views| self.fill(views, outputs));
        };
        now.run_into(outputs, |states, outputs| {
            let views = feeds::views(&self.inputs, &self.slots, feeds, states)?;
            self.fill(&views, outputs)
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

    /// Calls `look` with the views of the graph's inputs: the feeds, and the states if there are any.
    fn with_views<T>(
        &self,
        feeds: &[(&str, &Tensor)],
        states: Option<&Now>,
        look: impl FnOnce(&[TensorView<'_>]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let states = states.map_or(&[][..], |now| &now.tensors);
        look(&feeds::views(&self.inputs, &self.slots, feeds, states)?)
    }

    /// Calls `look` with the views of the graph's inputs, with the states as they are.
    pub(crate) fn look<T>(
        &self,
        feeds: &[(&str, &Tensor)],
        look: impl FnOnce(&[TensorView<'_>]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with_views(feeds, self.states.hold().as_deref(), look)
    }

    /// The outputs, of states too, for views in the order of the graph's inputs.
    pub(crate) fn run_views(&self, views: &[TensorView<'_>]) -> Result<Vec<Tensor>, Error> {
        self.run_segment(&self.first(views)?, views)
    }

    /// As [`CompiledFunction::run_views`], into tensors that exist.
    fn fill(&self, views: &[TensorView<'_>], outputs: &mut [Tensor]) -> Result<(), Error> {
        let first = self.first(views)?;
        first.run(&self.compiler, views, &mut |_| {}, |last, feeds| {
            last.fill(feeds, outputs)
        })
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
        let segments = self.look(feeds, |views| {
            let first = self.first(views)?;
            if first.is_whole() {
                return Ok(vec![first]);
            }
            let mut segments = Vec::new();
            let met = &mut |segment: &Arc<Segment>| segments.push(segment.clone());
            // All but the last run: they say what it is.
            first.run(&self.compiler, views, met, |_, _| Ok(()))?;
            Ok(segments)
        })?;
        Ok(Specialisation::new(
            self.import.clone(),
            self.compiler.clone(),
            segments,
        ))
    }

    /// The segment that a run with these feeds starts with.
    fn first(&self, views: &[TensorView<'_>]) -> Result<Arc<Segment>, Error> {
        let layouts = || views.iter().map(TensorView::layout);
        self.kept.get(
            |key| key.iter().eq(layouts()),
            || {
                let segment = self.compiled(&self.canonical, views)?;
                Ok((layouts().cloned().collect(), segment))
            },
        )
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
    ) -> Result<Vec<Tensor>, Error> {
        segment.run(&self.compiler, views, &mut |_| {}, Segment::fresh)
    }
}
