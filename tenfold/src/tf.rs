//! The eager context: a device, its compiled ops and a stream of random numbers.
//!
//! [`Tf`] is a value; clones share one context. It makes eager [`Value`]s, and every op on such a value is a function of one
//! op, compiled once for its dtypes and shapes and kept here: a repeated call costs a look-up and the kernel.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graph::op::Op;
use graph::{GraphBuilder, GraphError, TensorType, ValueFacts};
use tensor::{DType, SharedTensor, Tensor, TensorElement, TensorView};

use crate::device::{self, Chosen};
use crate::small::Small;
use crate::{CompileOptions, CompiledFunction, Error, Value};

/// Compiled ops that are kept; past this number all are dropped, and those in use compile again.
const KEPT_OPS: usize = 1024;

/// A device to compute on at once, and the state that goes with it. Cloning gives another handle of the same context.
///
/// ```
/// use tenfold::prelude::*;
///
/// let tf = Tf::new(&CompileOptions::default())?;
/// let x = tf.values([2, 3], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let y = (&x * 2.0)?.matmul(&x.transpose()?)?.relu()?;
/// assert_eq!(y.to_vec::<f32>()?, [28.0, 64.0, 64.0, 154.0]);
/// # Ok::<(), tenfold::Error>(())
/// ```
#[derive(Clone)]
pub struct Tf(Arc<Context>);

struct Context {
    chosen: Chosen,
    options: CompileOptions,
    small: Small,
    ops: Mutex<CompiledOps>,
    random: Mutex<Random>,
}

/// Compiled ops by a hash of their names and of the dtypes and shapes of their inputs, so that a look-up takes no memory. Those
/// of one hash differ in what [`CompiledOp::is`] compares.
type CompiledOps = HashMap<u64, Vec<CompiledOp>>;

/// An op compiled for inputs of these dtypes and shapes.
struct CompiledOp {
    op: Op,
    inputs: Vec<Option<(DType, Vec<usize>)>>,
    function: Arc<CompiledFunction>,
}

impl CompiledOp {
    fn is(&self, op: &Op, inputs: &[Option<TensorView<'_>>]) -> bool {
        let known = self.inputs.iter().flatten();
        let known = known.map(|(dtype, shape)| (*dtype, &shape[..]));
        let left_out = |mine: &Option<_>, other: &Option<_>| mine.is_none() == other.is_none();
        let inputs_fit = self.inputs.len() == inputs.len()
            && std::iter::zip(&self.inputs, inputs).all(|(mine, other)| left_out(mine, other))
            && known.eq(inputs.iter().flatten().map(type_of));
        inputs_fit && self.op == *op
    }
}

fn type_of<'v>(view: &'v TensorView<'_>) -> (DType, &'v [usize]) {
    (view.dtype(), view.shape())
}

fn hash_of(op: &Op, inputs: &[Option<TensorView<'_>>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    op.name().hash(&mut hasher);
    for input in inputs {
        input.as_ref().map(type_of).hash(&mut hasher);
    }
    hasher.finish()
}

/// The state of the random numbers: a seed, and how many blocks of its stream are used up.
#[derive(Clone, Copy, Debug)]
struct Random {
    seed: u64,
    next: u64,
}

impl std::fmt::Debug for Tf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tf")
            .field("device", &self.0.chosen.note)
            .field("seed", &self.seed())
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tf {
    /// A context on the device that the options choose; the random numbers start at seed 0.
    ///
    /// # Errors
    /// If the options make no sense.
    pub fn new(options: &CompileOptions) -> Result<Tf, Error> {
        Ok(Tf(Arc::new(Context {
            chosen: device::choose(options)?,
            options: *options,
            small: Small::new(),
            ops: Mutex::default(),
            random: Mutex::new(Random { seed: 0, next: 0 }),
        })))
    }

    /// Name of the device.
    pub fn device(&self) -> &str {
        self.0.chosen.backend.name()
    }

    /// Whether both are handles of one context.
    pub fn same_context(&self, other: &Tf) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The tensor as an eager value; no element moves.
    pub fn value(&self, tensor: impl Into<SharedTensor>) -> Value {
        Value::eager(self.clone(), tensor.into())
    }

    /// A value of these elements in row-major order.
    ///
    /// # Errors
    /// If the number of elements is not that of the shape.
    pub fn values<T: TensorElement>(
        &self,
        shape: impl AsRef<[usize]>,
        elements: Vec<T>,
    ) -> Result<Value, Error> {
        Ok(self.value(Tensor::from_vec_row_major(shape.as_ref(), elements)?))
    }

    /// A value of rank 0.
    pub fn scalar<T: TensorElement>(&self, value: T) -> Value {
        self.value(Tensor::scalar(value))
    }

    /// The seed of the random numbers.
    pub fn seed(&self) -> u64 {
        lock(&self.0.random).seed
    }

    /// Starts the random numbers of this seed from their beginning.
    pub fn set_seed(&self, seed: u64) {
        *lock(&self.0.random) = Random { seed, next: 0 };
    }

    /// The key for a random op that takes `blocks` blocks of the stream, which are then used up: `[seed, first block]`.
    pub(crate) fn random_key(&self, blocks: u64) -> Tensor {
        let mut random = lock(&self.0.random);
        let key = vec![random.seed, random.next];
        random.next = random.next.wrapping_add(blocks);
        Tensor::from_vec_row_major([2], key).expect("two elements make a vector of two")
    }

    /// The output of an elementwise op over a few elements, computed now; `None` for any other op.
    pub(crate) fn run_small(&self, op: &Op, inputs: &[&SharedTensor]) -> Option<SharedTensor> {
        self.0.small.run(&*self.0.chosen.backend, op, inputs)
    }

    /// The outputs of an op, computed now.
    pub(crate) fn run(
        &self,
        op: &Op,
        inputs: &[Option<&SharedTensor>],
    ) -> Result<Vec<SharedTensor>, Error> {
        let views = inputs
            .iter()
            .map(|input| input.map(SharedTensor::view).transpose());
        let views = views.collect::<Result<Vec<_>, _>>()?;
        let function = self.function(op, &views)?;
        let feeds: Vec<TensorView<'_>> = views.into_iter().flatten().collect();
        let outputs = function.run_views(&feeds)?;
        Ok(outputs.into_iter().map(SharedTensor::from).collect())
    }

    /// The compiled function of one op for inputs of these dtypes and shapes.
    fn function(
        &self,
        op: &Op,
        inputs: &[Option<TensorView<'_>>],
    ) -> Result<Arc<CompiledFunction>, Error> {
        let hash = hash_of(op, inputs);
        let found = |ops: &CompiledOps| {
            let same = ops.get(&hash)?.iter().find(|kept| kept.is(op, inputs))?;
            Some(same.function.clone())
        };
        if let Some(function) = found(&lock(&self.0.ops)) {
            return Ok(function);
        }
        let graph = one_op(op, inputs)?;
        let function = CompiledFunction::on(Arc::new(graph), &self.0.chosen, &self.0.options)?;
        let function = Arc::new(function);
        let mut ops = lock(&self.0.ops);
        if ops.len() >= KEPT_OPS {
            ops.clear();
        }
        let ty = |view: &TensorView<'_>| (view.dtype(), view.shape().to_vec());
        ops.entry(hash).or_default().push(CompiledOp {
            op: op.clone(),
            inputs: inputs.iter().map(|input| input.as_ref().map(ty)).collect(),
            function: function.clone(),
        });
        Ok(function)
    }
}

/// The graph of one op.
fn one_op(op: &Op, inputs: &[Option<TensorView<'_>>]) -> Result<graph::Graph, Error> {
    let internal = |error: graph::GraphError| Error::Op(Box::new(error));
    let mut builder = GraphBuilder::new(op.name());
    let mut ids = Vec::with_capacity(inputs.len());
    for (at, input) in inputs.iter().enumerate() {
        let id = input.as_ref().map(|view| {
            let ty = TensorType::fixed(view.dtype(), view.shape());
            builder.input(format!("input{at}"), ty)
        });
        ids.push(id.transpose().map_err(internal)?);
    }
    let made = builder.node_of_many(op.clone(), &ids, &["output"], op.name());
    for (at, id) in made.map_err(internal)?.into_iter().enumerate() {
        builder.output(format!("output{at}"), id);
    }
    Ok(builder.finish())
}

/// The type of the result of an op of one input, or why there is none: the check before a view of an eager value.
pub(crate) fn inferred(op: &Op, input: &TensorType) -> Result<TensorType, Error> {
    let facts = ValueFacts::of_type(input.clone());
    let inferred = op.infer(&[Some(&facts)], "output").map_err(|source| {
        Error::Op(Box::new(GraphError::Infer {
            node: op.name().to_owned(),
            source: Box::new(source),
        }))
    })?;
    Ok(inferred
        .into_iter()
        .next()
        .expect("every op has an output")
        .ty)
}
