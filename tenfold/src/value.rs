//! A value that ops apply to: a tensor that is there, or one that a function will compute.
//!
//! Every op is written once, as a method of [`Value`] (`value/`). On eager values it runs at once; as soon as one operand is
//! symbolic it is recorded in that value's [`Func`], and eager operands become constants of the function, shared and not
//! copied. So the same code computes and captures.
//!
//! **dtypes.** Eager ops promote operands of different dtypes by the table of [`tensor_core::promote`]; in a function a
//! mismatch is an error at the line that builds it. **Memory order.** No result depends on it; views are not copied.

mod arrange;
mod attention;
mod create;
mod elementwise;
mod index;
mod loss;
mod matrix;
mod operators;
mod reduce;
mod resample;
mod scan;
mod shape;
mod window;
mod write;

pub use resample::Interpolation;

use graph::op::Op;
use graph::{Dim, TensorType, ValueId};
use tensor::{DType, SharedTensor, Tensor, TensorElement};

use crate::{Error, Func, Tf};

/// An eager tensor, or a symbolic value of a function that is being built. Cloning copies no element.
#[derive(Clone)]
pub struct Value(Kind);

#[derive(Clone)]
enum Kind {
    Eager(Tf, SharedTensor),
    Symbolic(Func, ValueId),
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::Eager(_, tensor) => f.debug_tuple("Eager").field(tensor).finish(),
            Kind::Symbolic(func, id) => f
                .debug_struct("Symbolic")
                .field("function", &func.name())
                .field("value", &func.name_of(*id))
                .field("type", &self.ty().to_string())
                .finish(),
        }
    }
}

/// The elements of an eager value; name and type of a symbolic one.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::Eager(_, tensor) => tensor.fmt(f),
            Kind::Symbolic(func, id) => write!(f, "{}: {}", func.name_of(*id), self.ty()),
        }
    }
}

impl Value {
    pub(crate) fn eager(tf: Tf, tensor: SharedTensor) -> Value {
        Value(Kind::Eager(tf, tensor))
    }

    pub(crate) fn symbolic(func: Func, id: ValueId) -> Value {
        Value(Kind::Symbolic(func, id))
    }

    /// Whether the elements are there.
    pub fn is_eager(&self) -> bool {
        matches!(self.0, Kind::Eager(..))
    }

    /// Whether this stands for what a function will compute.
    pub fn is_symbolic(&self) -> bool {
        !self.is_eager()
    }

    /// dtype and shape; extents of a symbolic value may be symbols.
    pub fn ty(&self) -> TensorType {
        match &self.0 {
            Kind::Eager(_, tensor) => TensorType::fixed(tensor.dtype(), tensor.shape()),
            Kind::Symbolic(func, id) => func.ty_of(*id),
        }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Kind::Eager(_, tensor) => tensor.dtype(),
            Kind::Symbolic(func, id) => func.ty_of(*id).dtype,
        }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        match &self.0 {
            Kind::Eager(_, tensor) => tensor.rank(),
            Kind::Symbolic(func, id) => func.ty_of(*id).rank(),
        }
    }

    /// The extents.
    pub fn dims(&self) -> Vec<Dim> {
        self.ty().shape
    }

    /// The extent of one axis; negative axes count from the end.
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn dim(&self, axis: i64) -> Result<Dim, Error> {
        let at = self.axis("dim", axis)?;
        Ok(self.dims().swap_remove(at))
    }

    /// The number of elements.
    pub fn elements(&self) -> Dim {
        Dim::product(&self.dims())
    }

    /// Name of the device that holds the elements; `None` for a symbolic value, which has none before its function is
    /// compiled and run.
    pub fn device(&self) -> Option<&str> {
        match &self.0 {
            Kind::Eager(tf, _) => Some(tf.device()),
            Kind::Symbolic(..) => None,
        }
    }

    /// The tensor of an eager value.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value.
    pub fn tensor(&self) -> Result<&SharedTensor, Error> {
        match &self.0 {
            Kind::Eager(_, tensor) => Ok(tensor),
            Kind::Symbolic(..) => Err(self.unreadable("tensor")),
        }
    }

    /// The tensor of an eager value: itself if this is its only holder and sees all of it, a row-major copy otherwise.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value; memory for a copy.
    pub fn into_tensor(self) -> Result<Tensor, Error> {
        self.readable("into_tensor")?;
        match self.0 {
            Kind::Eager(_, tensor) => match tensor.try_into_tensor() {
                Ok(tensor) => Ok(tensor),
                Err(error) => Ok(error.into_owner().view()?.to_contiguous()?),
            },
            Kind::Symbolic(..) => unreachable!("a symbolic value is not readable"),
        }
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value; another dtype than `T`.
    pub fn to_vec<T: TensorElement>(&self) -> Result<Vec<T>, Error> {
        Ok(self.readable("to_vec")?.view()?.to_vec::<T>()?)
    }

    /// The element at an index.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value; another dtype than `T`; an index of another rank or out of bounds.
    pub fn get<T: TensorElement>(&self, index: &[usize]) -> Result<T, Error> {
        Ok(self.readable("get")?.view()?.get::<T>(index)?)
    }

    fn readable(&self, what: &'static str) -> Result<&SharedTensor, Error> {
        match &self.0 {
            Kind::Eager(_, tensor) => Ok(tensor),
            Kind::Symbolic(..) => Err(self.unreadable(what)),
        }
    }

    fn unreadable(&self, op: &'static str) -> Error {
        match &self.0 {
            Kind::Eager(..) => unreachable!("an eager value has elements"),
            Kind::Symbolic(func, id) => Error::Symbolic {
                op,
                value: func.name_of(*id),
                function: func.name(),
            },
        }
    }

    /// The position of an axis that may be counted from the end.
    fn axis(&self, op: &'static str, axis: i64) -> Result<usize, Error> {
        let rank = i64::try_from(self.rank()).unwrap_or(i64::MAX);
        let at = if axis < 0 {
            axis.saturating_add(rank)
        } else {
            axis
        };
        match usize::try_from(at) {
            Ok(at) if at < self.rank() => Ok(at),
            _ => {
                let reason = format!("is no axis of {}", self.ty());
                Err(refused(op, "axis", axis, reason))
            }
        }
    }

    /// The extent of an axis, which must be a number.
    fn extent(&self, op: &'static str, axis: usize) -> Result<usize, Error> {
        self.dims()[axis].as_extent().ok_or_else(|| {
            let reason = format!("the extent of axis {axis} must be a number");
            refused(op, "x", self.ty(), reason)
        })
    }

    /// Applies an op of one output to this value alone.
    pub(crate) fn map(&self, op: Op) -> Result<Value, Error> {
        apply(op, &[self])
    }
}

/// An argument that makes no sense.
fn refused(
    op: &'static str,
    argument: &'static str,
    value: impl ToString,
    reason: impl Into<String>,
) -> Error {
    Error::Argument {
        op,
        argument,
        value: value.to_string(),
        reason: reason.into(),
    }
}

/// Applies an op of one output.
pub(crate) fn apply(op: Op, inputs: &[&Value]) -> Result<Value, Error> {
    apply_one(&op, inputs)
}

/// Applies an op of one output that is kept somewhere.
pub(crate) fn apply_one(op: &Op, inputs: &[&Value]) -> Result<Value, Error> {
    // Before anything else, since the list of operands would cost as much.
    if let Some(value) = applied_small(op, inputs) {
        return Ok(value);
    }
    let inputs: Vec<Option<&Value>> = inputs.iter().map(|&input| Some(input)).collect();
    Ok(apply_all(op, &inputs)?.swap_remove(0))
}

/// The value of an elementwise op over a few elements that are there; `None` for any other.
fn applied_small(op: &Op, inputs: &[&Value]) -> Option<Value> {
    fn eager(value: &Value) -> Option<(&Tf, &SharedTensor)> {
        match &value.0 {
            Kind::Eager(tf, tensor) => Some((tf, tensor)),
            Kind::Symbolic(..) => None,
        }
    }
    let (tf, first) = eager(inputs.first()?)?;
    let made = match inputs {
        [_] => tf.run_small(op, &[first]),
        [_, second] => tf.run_small(op, &[first, eager(second)?.1]),
        _ => None,
    };
    Some(tf.value(made?))
}

/// Applies an op of the table: at once if all operands are eager, else by recording it in the function of the symbolic
/// ones. `None` is an optional operand that is left out. This is what every method of [`Value`] does; it serves the ops that
/// have no method.
///
/// # Errors
/// If the operands do not suit the op, or there are none; in a function also if they are of several functions.
pub fn apply_all(op: &Op, inputs: &[Option<&Value>]) -> Result<Vec<Value>, Error> {
    let small = match *inputs {
        [Some(a)] => applied_small(op, &[a]),
        [Some(a), Some(b)] => applied_small(op, &[a, b]),
        _ => None,
    };
    if let Some(value) = small {
        return Ok(vec![value]);
    }
    let symbolic = inputs.iter().flatten().find_map(|value| match &value.0 {
        Kind::Symbolic(func, _) => Some(func.clone()),
        Kind::Eager(..) => None,
    });
    if let Some(func) = symbolic {
        let ids = inputs
            .iter()
            .map(|input| {
                input
                    .map(|value| func.capture(op.name(), value))
                    .transpose()
            })
            .collect::<Result<Vec<_>, _>>()?;
        let made = func.record(op, &ids)?;
        return Ok(made
            .into_iter()
            .map(|id| Value::symbolic(func.clone(), id))
            .collect());
    }
    let mut context = None;
    let mut tensors = Vec::with_capacity(inputs.len());
    for input in inputs {
        tensors.push(match input.map(|value| &value.0) {
            Some(Kind::Eager(tf, tensor)) => {
                context.get_or_insert_with(|| tf.clone());
                Some(tensor)
            }
            Some(Kind::Symbolic(..)) | None => None,
        });
    }
    let tf = context.ok_or_else(|| Error::Argument {
        op: op.name(),
        argument: "inputs",
        value: "[]".into(),
        reason: "an op without operands has no context to run in; use a method of `Tf`".into(),
    })?;
    let made = tf.run(op, &tensors)?;
    Ok(made.into_iter().map(|tensor| tf.value(tensor)).collect())
}

impl Func {
    /// The value of this function that stands for `value`: itself, or a constant.
    pub(crate) fn capture(&self, op: &'static str, value: &Value) -> Result<ValueId, Error> {
        match &value.0 {
            Kind::Symbolic(func, id) if func.is(self) => Ok(*id),
            Kind::Symbolic(func, id) => Err(Error::OtherFunction {
                op,
                value: func.name_of(*id),
                function: func.name(),
                expected: self.name(),
            }),
            Kind::Eager(_, tensor) => self.constant_id(tensor),
        }
    }
}
