//! A function for one set of input shapes, as the segments that it runs in.
//!
//! A function whose extents follow from the shapes of its inputs is one segment: one plan. Where extents depend on data, a
//! segment ends at what has to be known (see [`optimizer::cut`]): its plan computes everything before that point, the
//! elements that decide extents are read, ops whose results have extents of their own making run on the host, and the rest
//! is compiled for what was found. Each segment keeps the next ones by what was found, so a second run with the same
//! extents compiles nothing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cpu_interp::reference::evaluate_views;
use graph::{Graph, Node, TensorType, ValueDef, ValueId};
use optimizer::{Cut, Settled, Stages};
use plan::{Backend, Plan, Prepared};
use tensor::{Tensor, TensorView};
use tensor_core::TensorLayout;

use crate::Error;
use crate::function::Reference;

/// What has become of the values that a segment was cut at.
type AllSettled = BTreeMap<ValueId, Settled>;

/// Segments that are kept in one place; the one not used for the longest time goes first.
const KEPT: usize = 32;

/// What compiling a segment needs beside its graph.
pub(crate) struct Compiler {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) function: String,
    pub(crate) memory_limit: Option<usize>,
    /// Plans made so far.
    pub(crate) plans: AtomicUsize,
}

/// A plan, prepared, and what follows it.
pub(crate) struct Segment {
    pub(crate) stages: Stages,
    pub(crate) prepared: Box<dyn Prepared>,
    after: Option<After>,
}

/// What follows a segment.
struct After {
    /// The canonical graph that was cut.
    graph: Graph,
    cut: Cut,
    next: Kept<Found>,
}

/// What decides the next segment: elements by value, and shapes by value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    constants: Vec<Vec<u8>>,
    layouts: Vec<TensorLayout>,
}

/// Segments by what they were compiled for.
pub(crate) struct Kept<K>(Mutex<Vec<(K, Arc<Segment>)>>);

impl<K> Default for Kept<K> {
    fn default() -> Self {
        Kept(Mutex::default())
    }
}

impl<K> Kept<K> {
    /// The segment whose key is the same, or the one that `compile` gives with its key; it becomes the most recently used.
    pub(crate) fn get(
        &self,
        same: impl Fn(&K) -> bool,
        compile: impl FnOnce() -> Result<(K, Segment), Error>,
    ) -> Result<Arc<Segment>, Error> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = lock();
        if let Some(at) = kept.iter().rposition(|(key, _)| same(key)) {
            kept[at..].rotate_left(1);
            let (_, segment) = kept.last().expect("an entry was found");
            return Ok(segment.clone());
        }
        drop(kept);
        let (key, segment) = compile()?;
        let segment = Arc::new(segment);
        let mut kept = lock();
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((key, segment.clone()));
        Ok(segment)
    }
}

impl Compiler {
    fn failed(&self, source: optimizer::OptimizeError) -> Error {
        Error::Compile {
            function: self.function.clone(),
            source: Box::new(source),
        }
    }

    /// The segment that starts with `graph` over feeds of these layouts.
    pub(crate) fn segment(
        &self,
        graph: &Graph,
        bindings: &graph::Bindings,
        layouts: &[TensorLayout],
    ) -> Result<Segment, Error> {
        let fail = |error| self.failed(error);
        let bound = optimizer::bind(graph, bindings, &Reference).map_err(fail)?;
        let cut = optimizer::cut(&bound).map_err(fail)?;
        let (now, after) = match cut {
            None => (bound, None),
            Some(cut) => {
                let now = optimizer::canonicalise(&cut.ready, &Reference).map_err(fail)?;
                let after = After {
                    graph: bound,
                    cut,
                    next: Kept::default(),
                };
                (now, Some(after))
            }
        };
        let stages = optimizer::lower(now, bindings, layouts, &*self.backend).map_err(fail)?;
        self.check_memory(&stages.planned)?;
        let prepared = self.backend.prepare(stages.planned.clone());
        let prepared = prepared.map_err(|source| Error::Backend {
            device: self.backend.name().to_owned(),
            source: Box::new(source),
        })?;
        self.plans.fetch_add(1, Ordering::Relaxed);
        Ok(Segment {
            stages,
            prepared,
            after,
        })
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
        Err(Error::MemoryLimit {
            function: self.function.clone(),
            needed_bytes,
            limit_bytes,
        })
    }
}

impl Segment {
    /// Whether nothing follows: all extents follow from the shapes of the feeds.
    pub(crate) fn is_whole(&self) -> bool {
        self.after.is_none()
    }

    /// Runs this segment and those that follow; `met` is shown every one of them, and `finish` runs the last with the feeds
    /// that it then has.
    pub(crate) fn run<T>(
        self: &Arc<Segment>,
        compiler: &Compiler,
        feeds: &[TensorView<'_>],
        met: &mut dyn FnMut(&Arc<Segment>),
        finish: impl FnOnce(&Segment, &[TensorView<'_>]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        met(self);
        let Some(after) = &self.after else {
            return finish(self, feeds);
        };
        let made = self.fresh(feeds)?;
        let mut known = Known {
            after,
            feeds,
            computed: after.cut.computed.iter().copied().zip(made).collect(),
        };
        known.run_hosts(compiler)?;
        let (found, settled) = known.settle()?;
        let inputs = known.inputs(&settled)?;
        let layouts: Vec<TensorLayout> = inputs.iter().map(|v| v.layout().clone()).collect();
        let key = Found {
            constants: found,
            layouts,
        };
        let next = after.next.get(
            |other| *other == key,
            || {
                let rest = after.cut.advance(&after.graph, &settled);
                let rest = rest.map_err(|error| compiler.failed(error.into()))?;
                let segment = compiler.segment(&rest, &graph::Bindings::new(), &key.layouts)?;
                Ok((key.clone(), segment))
            },
        )?;
        next.run(compiler, &inputs, met, finish)
    }

    /// The outputs of this segment's plan, in new tensors.
    pub(crate) fn fresh(&self, feeds: &[TensorView<'_>]) -> Result<Vec<Tensor>, Error> {
        let mut outputs = self.empty_outputs()?;
        self.fill(feeds, &mut outputs)?;
        Ok(outputs)
    }

    /// Tensors as this segment's plan fills them.
    pub(crate) fn empty_outputs(&self) -> Result<Vec<Tensor>, Error> {
        let ports = self.stages.planned.outputs.iter();
        let empty = ports.map(|port| Ok(Tensor::zeros(port.dtype, &port.shape[..])?));
        empty.collect()
    }

    /// Writes the outputs of this segment's plan into tensors of the caller.
    pub(crate) fn fill(
        &self,
        feeds: &[TensorView<'_>],
        outputs: &mut [Tensor],
    ) -> Result<(), Error> {
        let ran = self.prepared.run(feeds, outputs);
        ran.map_err(|source| Error::Backend {
            device: self.prepared.report().device.clone(),
            source: Box::new(source),
        })
    }
}

/// The values that are known when the plan of a segment has run.
struct Known<'a> {
    after: &'a After,
    feeds: &'a [TensorView<'a>],
    computed: BTreeMap<ValueId, Tensor>,
}

impl Known<'_> {
    fn view(&self, id: ValueId) -> Result<TensorView<'_>, Error> {
        Ok(match &self.after.graph.value(id).def {
            ValueDef::Input(nth) => self.feeds[*nth].clone(),
            ValueDef::Const(tensor) => tensor.view()?,
            ValueDef::Node(..) => self
                .computed
                .get(&id)
                .expect("a cut computes what is read after it")
                .view()?,
        })
    }

    /// Runs the ops whose results have extents of their own making.
    fn run_hosts(&mut self, compiler: &Compiler) -> Result<(), Error> {
        for &id in &self.after.cut.hosts {
            let node = self.after.graph.node(id);
            let made = self.run_host(node).map_err(|source| Error::Host {
                node: self.path(node),
                function: compiler.function.clone(),
                source,
            })?;
            self.computed.extend(node.outputs.iter().copied().zip(made));
        }
        Ok(())
    }

    fn run_host(
        &self,
        node: &Node,
    ) -> Result<Vec<Tensor>, Box<dyn std::error::Error + Send + Sync>> {
        let view = |id: &Option<ValueId>| id.map(|id| self.view(id)).transpose();
        let views = node
            .inputs
            .iter()
            .map(view)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(evaluate_views(&node.op, &views)?)
    }

    fn path(&self, node: &Node) -> String {
        if node.source.is_empty() {
            self.after.graph.value(node.outputs[0]).name.clone()
        } else {
            node.source.clone()
        }
    }

    /// The elements that were waited for, and what becomes of every value.
    fn settle(&self) -> Result<(Vec<Vec<u8>>, AllSettled), Error> {
        let mut settled: AllSettled = BTreeMap::new();
        for (&id, tensor) in &self.computed {
            let ty = TensorType::fixed(tensor.dtype(), tensor.shape());
            settled.insert(id, Settled::Input(ty));
        }
        let mut found = Vec::with_capacity(self.after.cut.waits.len());
        for &id in &self.after.cut.waits {
            let elements = self.view(id)?.to_contiguous()?;
            found.push(elements.to_le_bytes()?);
            settled.insert(id, Settled::Constant(Arc::new(elements)));
        }
        Ok((found, settled))
    }

    /// The feeds of the rest, in the order of its inputs: those of the graph that was cut, then computed ones.
    fn inputs(&self, settled: &AllSettled) -> Result<Vec<TensorView<'_>>, Error> {
        let is_input = |id: ValueId| match (&self.after.graph.value(id).def, settled.get(&id)) {
            (_, Some(Settled::Constant(_))) | (ValueDef::Const(_), _) => false,
            (ValueDef::Input(_), None) | (_, Some(Settled::Input(_))) => true,
            (ValueDef::Node(..), None) => false,
        };
        let values = self.after.graph.values().map(|(id, _)| id);
        values
            .filter(|&id| is_input(id))
            .map(|id| self.view(id))
            .collect()
    }
}
