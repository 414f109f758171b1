//! The op table: one op, one entry.
//!
//! An op is a variant of [`Op`] with typed attributes. Its entry, in the file of its family, is the
//! [`OpDef`] (name, arity, algebra, formula, numerics, source), the inference rule and the
//! attribute list. Elementwise ops are rows of [`map::ROWS`] and need nothing else: their meaning
//! is a scalar expression. Other families are few; a new one breaks every exhaustive `match` on
//! [`Family`], so the compiler lists the places.

mod attrs;
mod contract;
mod copy;
mod gather;
pub mod map;
mod meta;
mod normalise;
mod reduce;
mod rule;
mod view;
mod window;

use std::fmt;

pub use attrs::{Attr, Attrs};
pub use contract::MatMul;
pub use copy::Concat;
pub use gather::Gather;
pub use map::MapOp;
pub use meta::Shape;
pub use normalise::{BatchNorm, LayerNorm, Softmax};
pub use reduce::{Reduce, ReduceKind};
pub use view::{Expand, Reshape, Slice, SliceAxis, Squeeze, Transpose, Unsqueeze};
pub use window::{Conv, Pad, Pool, PoolKind, Window};

use crate::{InferError, ValueFacts};

/// What executors dispatch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Elementwise: a scalar expression.
    Map,
    /// Sum, mean, max, min, product over axes.
    Reduce,
    /// Matrix multiplication.
    Contract,
    /// Convolution and pooling.
    Window,
    /// Softmax and the norms.
    Normalise,
    /// Indexed reads.
    Gather,
    /// Another index map over the same elements.
    View,
    /// Several values side by side.
    Copy,
    /// Facts of a value's type as a value.
    Meta,
}

/// Algebraic facts that passes may use. Every op so far is pure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algebra {
    /// `f(a, b) == f(b, a)`, bit for bit.
    pub commutative: bool,
    /// `f(f(a, b), c) == f(a, f(b, c))` for the ideal operation, not for rounded floats.
    pub associative: bool,
    /// `f(f(x)) == f(x)`, bit for bit.
    pub idempotent: bool,
}

impl Algebra {
    /// No fact beyond purity.
    pub const NONE: Algebra = Algebra {
        commutative: false,
        associative: false,
        idempotent: false,
    };
    /// Commutative and associative.
    pub const COMMUTATIVE: Algebra = Algebra {
        commutative: true,
        associative: true,
        idempotent: false,
    };
    /// Idempotent.
    pub const IDEMPOTENT: Algebra = Algebra {
        commutative: false,
        associative: false,
        idempotent: true,
    };
}

/// How exact a kernel has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numerics {
    /// Type in which sums are kept; empty if nothing is summed.
    pub accumulator: &'static str,
    /// What becomes of NaN.
    pub nan: &'static str,
    /// Largest distance to the correctly rounded result for f32, in ULP. For ops that sum, the
    /// distance is measured at the sum of the absolute values of the terms.
    pub max_ulp: u32,
}

/// An entry of the op table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpDef {
    /// Name in texts; unique.
    pub name: &'static str,
    /// Family.
    pub family: Family,
    /// Fewest and most inputs.
    pub arity: (usize, usize),
    /// Algebraic facts.
    pub algebra: Algebra,
    /// The meaning in one formula.
    pub formula: &'static str,
    /// Exactness.
    pub numerics: Numerics,
    /// Specification that the entry follows.
    pub source: &'static str,
}

/// What every op's type provides.
trait Entry: Sized {
    fn def(&self) -> &'static OpDef;
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError>;
    fn attrs(&self) -> Attrs;
}

pub(crate) use rule::Inputs;

/// An operator with its attributes.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant is documented at its type")]
pub enum Op {
    Map(MapOp),
    Reduce(Reduce),
    MatMul(MatMul),
    Conv(Conv),
    Pool(Pool),
    Softmax(Softmax),
    LayerNorm(LayerNorm),
    BatchNorm(BatchNorm),
    Gather(Gather),
    Reshape(Reshape),
    Transpose(Transpose),
    Slice(Slice),
    Expand(Expand),
    Squeeze(Squeeze),
    Unsqueeze(Unsqueeze),
    Concat(Concat),
    Shape(Shape),
}

/// Calls a method of [`Entry`] on whichever op this is.
macro_rules! each {
    ($self:expr, $op:ident => $call:expr) => {
        match $self {
            Op::Map($op) => $call,
            Op::Reduce($op) => $call,
            Op::MatMul($op) => $call,
            Op::Conv($op) => $call,
            Op::Pool($op) => $call,
            Op::Softmax($op) => $call,
            Op::LayerNorm($op) => $call,
            Op::BatchNorm($op) => $call,
            Op::Gather($op) => $call,
            Op::Reshape($op) => $call,
            Op::Transpose($op) => $call,
            Op::Slice($op) => $call,
            Op::Expand($op) => $call,
            Op::Squeeze($op) => $call,
            Op::Unsqueeze($op) => $call,
            Op::Concat($op) => $call,
            Op::Shape($op) => $call,
        }
    };
}

impl Op {
    /// The entry of the op table.
    pub fn def(&self) -> &'static OpDef {
        each!(self, op => op.def())
    }

    /// Name in texts.
    pub fn name(&self) -> &'static str {
        self.def().name
    }

    /// Family.
    pub fn family(&self) -> Family {
        self.def().family
    }

    /// Types of the outputs, and their elements where they follow from shapes.
    ///
    /// # Errors
    /// If the inputs do not suit the op; the error names the op, shapes and dtypes.
    pub fn infer(&self, inputs: &[Option<&ValueFacts>]) -> Result<Vec<ValueFacts>, InferError> {
        let def = self.def();
        let inputs = Inputs::new(def, inputs)?;
        each!(self, op => op.infer(&inputs))
    }

    /// The attributes for the text form, in a fixed order.
    pub fn attrs(&self) -> Attrs {
        each!(self, op => op.attrs())
    }

    /// The op of this name and these attributes.
    ///
    /// # Errors
    /// A sentence that says which name or attribute is wrong.
    pub fn from_text(name: &str, attrs: &Attrs) -> Result<Op, String> {
        if let Some(op) = MapOp::from_text(name, attrs)? {
            return Ok(Op::Map(op));
        }
        if let Some(kind) = ReduceKind::from_name(name) {
            return Ok(Op::Reduce(Reduce::from_attrs(kind, attrs)?));
        }
        if let Some(kind) = PoolKind::from_name(name) {
            return Ok(Op::Pool(Pool::from_attrs(kind, attrs)?));
        }
        Ok(match name {
            "matmul" => Op::MatMul(MatMul),
            "conv" => Op::Conv(Conv::from_attrs(attrs)?),
            "softmax" => Op::Softmax(Softmax::from_attrs(attrs, false)?),
            "log_softmax" => Op::Softmax(Softmax::from_attrs(attrs, true)?),
            "layer_norm" => Op::LayerNorm(LayerNorm::from_attrs(attrs)?),
            "batch_norm" => Op::BatchNorm(BatchNorm::from_attrs(attrs)?),
            "gather" => Op::Gather(Gather {
                axis: attrs.int("axis")?,
            }),
            "reshape" => Op::Reshape(Reshape::from_attrs(attrs)?),
            "transpose" => Op::Transpose(Transpose {
                perm: attrs.usizes("perm")?,
            }),
            "slice" => Op::Slice(Slice::from_attrs(attrs)?),
            "expand" => Op::Expand(Expand::from_attrs(attrs)?),
            "squeeze" => Op::Squeeze(Squeeze {
                axes: attrs.optional("axes", Attrs::ints)?,
            }),
            "unsqueeze" => Op::Unsqueeze(Unsqueeze {
                axes: attrs.optional("axes", Attrs::ints)?,
            }),
            "concat" => Op::Concat(Concat {
                axis: attrs.int("axis")?,
            }),
            "shape" => Op::Shape(Shape::from_attrs(attrs)?),
            _ => return Err(format!("there is no op named {name:?}")),
        })
    }

    /// Replaces bound symbols in attributes.
    #[must_use]
    pub fn substitute(&self, bindings: &crate::Bindings) -> Op {
        match self {
            Op::Reshape(r) => Op::Reshape(r.substitute(bindings)),
            Op::Expand(e) => Op::Expand(e.substitute(bindings)),
            other => other.clone(),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Every entry of the table, elementwise rows first; for documentation and for tests that walk it.
pub fn table() -> Vec<&'static OpDef> {
    let mut all: Vec<&OpDef> = map::ROWS.iter().map(|row| &row.def).collect();
    all.extend(reduce::DEFS.iter());
    all.extend([
        &contract::MATMUL,
        &window::CONV,
        &window::MAX_POOL,
        &window::AVERAGE_POOL,
    ]);
    all.extend([
        &normalise::SOFTMAX,
        &normalise::LOG_SOFTMAX,
        &normalise::LAYER_NORM,
        &normalise::BATCH_NORM,
    ]);
    all.extend([
        &gather::GATHER,
        &view::RESHAPE,
        &view::TRANSPOSE,
        &view::SLICE,
        &view::EXPAND,
    ]);
    all.extend([
        &view::SQUEEZE,
        &view::UNSQUEEZE,
        &copy::CONCAT,
        &meta::SHAPE,
    ]);
    all
}

#[cfg(test)]
mod tests;
