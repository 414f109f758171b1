//! The op table: one op, one entry.
//!
//! An op is a variant of [`Op`] with typed attributes. Its entry, in the file of its family, is the
//! [`OpDef`] (name, arity, algebra, formula, numerics, source), the inference rule and the
//! attribute list. Elementwise ops are rows of [`map::rows`] and need nothing else: their meaning
//! is a scalar expression. Other families are few; a new one breaks every exhaustive `match` on
//! [`Family`], so the compiler lists the places.

mod attrs;
mod bits;
mod code;
mod contract;
mod copy;
mod create;
mod gather;
pub mod map;
mod meta;
mod normalise;
mod pad;
mod random;
mod recurrent;
mod reduce;
mod resample;
mod rule;
mod scan;
mod scatter;
mod search;
mod view;
mod window;

use std::fmt;

pub use attrs::{Attr, Attrs};
pub use bits::BitCast;
pub use code::{Decode, Encode};
pub use contract::{Det, MatMul};
pub use copy::Concat;
pub use create::Range;
pub use gather::{Gather, GatherElements, GatherNd, ReverseSequence};
pub use map::MapOp;
pub use meta::Shape;
pub use normalise::{BatchNorm, LayerNorm, Softmax};
pub use pad::{PadMode, PadOp};
pub use random::{Random, RandomKind, philox};
pub use recurrent::{
    Activation, ActivationKind, Cell, Direction, LinearAttention, Recurrent, UpdateRule,
};
pub use reduce::{Reduce, ReduceKind};
pub use resample::{
    AffineGrid, AspectPolicy, Coordinates, GridMode, GridPadding, GridSample, NearestMode, Resize,
    ResizeMode, ResizedAxis, RoiAlign, RoiMode,
};
pub use scan::{ArgReduce, Cumulative, CumulativeKind, Extreme, TopK};
pub use scatter::{Reduction, ScatterElements, ScatterNd, TensorScatter};
pub use search::{NgramCounts, NonMaxSuppression, NonZero, Unique};
pub use view::{Expand, Reshape, Slice, SliceAxis, Squeeze, Transpose, Unsqueeze};
pub use window::{
    ArgMaxPool, Col2Im, Conv, ConvTranspose, DeformConv, LpPool, Pad, Pool, PoolKind, Window,
};

use crate::{Bindings, InferError, TensorType, ValueFacts};

/// What executors dispatch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Elementwise: a scalar expression.
    Map,
    /// Sum, mean, max, min, product over axes.
    Reduce,
    /// Matrix multiplication, and what else is computed from whole matrices.
    Contract,
    /// Convolution and pooling.
    Window,
    /// Softmax and the norms.
    Normalise,
    /// Indexed reads.
    Gather,
    /// Indexed writes.
    Scatter,
    /// What occurs, where and how often.
    Search,
    /// Reads between the elements.
    Resample,
    /// Another index map over the same elements.
    View,
    /// Elements as they are, in a value of their own.
    Copy,
    /// Numbers to codes of narrow formats, and back.
    Code,
    /// Facts of a value's type as a value.
    Meta,
    /// Random numbers that follow from a key.
    Random,
    /// Along one axis with memory or order: running sums, positions of extremes, sorting.
    Scan,
    /// Step after step along time, with a state.
    Recurrent,
    /// Values made from a few numbers.
    Create,
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

/// What the type of an op provides.
trait Entry: Sized {
    /// The entries of the op table that values of this type stand for.
    fn defs() -> Vec<&'static OpDef>;

    /// The op of one of the names of [`Entry::defs`] and these attributes.
    fn from_text(name: &str, attrs: &Attrs) -> Result<Self, String>;

    /// The entry of this value.
    fn def(&self) -> &'static OpDef;

    /// Types of the outputs, and their elements where they follow from shapes.
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError>;

    /// Types of the outputs when [`Entry::infer`] lacks the elements of an input, with [`Inputs::unknown`] for the extents
    /// that depend on them; `None` if even the rank does.
    fn infer_unknown(&self, _inputs: &Inputs<'_>) -> Result<Option<Vec<TensorType>>, InferError> {
        Ok(None)
    }

    /// The attributes for the text form, in a fixed order.
    fn attrs(&self) -> Attrs;

    /// The op with bound symbols replaced in its attributes.
    fn substitute(self, _bindings: &Bindings) -> Self {
        self
    }
}

pub(crate) use rule::Inputs;

/// Declares [`Op`] from the list of its variants: a new op type is one line of the list.
macro_rules! ops {
    ($($Variant:ident($Type:ty),)+) => {
        /// An operator with its attributes.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each variant is documented at its type")]
        pub enum Op {
            $($Variant($Type),)+
        }

        impl Op {
            /// The entry of the op table.
            pub fn def(&self) -> &'static OpDef {
                match self {
                    $(Op::$Variant(op) => op.def(),)+
                }
            }

            /// The attributes for the text form, in a fixed order.
            pub fn attrs(&self) -> Attrs {
                match self {
                    $(Op::$Variant(op) => op.attrs(),)+
                }
            }

            /// The op of this name and these attributes.
            ///
            /// # Errors
            /// A sentence that says which name or attribute is wrong.
            pub fn from_text(name: &str, attrs: &Attrs) -> Result<Op, String> {
                $(if <$Type>::defs().iter().any(|def| def.name == name) {
                    return <$Type>::from_text(name, attrs).map(Op::$Variant);
                })+
                Err(format!("there is no op named {name:?}"))
            }

            /// Replaces bound symbols in attributes.
            #[must_use]
            pub fn substitute(&self, bindings: &Bindings) -> Op {
                match self.clone() {
                    $(Op::$Variant(op) => Op::$Variant(op.substitute(bindings)),)+
                }
            }

            fn infer_unknown(
                &self,
                inputs: &Inputs<'_>,
            ) -> Result<Option<Vec<TensorType>>, InferError> {
                match self {
                    $(Op::$Variant(op) => op.infer_unknown(inputs),)+
                }
            }

            fn infer_known(&self, inputs: &Inputs<'_>) -> Result<Vec<ValueFacts>, InferError> {
                match self {
                    $(Op::$Variant(op) => op.infer(inputs),)+
                }
            }
        }

        /// Every entry of the table, elementwise rows first; for documentation and for tests that
        /// walk it.
        pub fn table() -> Vec<&'static OpDef> {
            let mut all = Vec::new();
            $(all.extend(<$Type>::defs());)+
            all
        }
    };
}

ops! {
    Map(MapOp),
    Reduce(Reduce),
    MatMul(MatMul),
    Conv(Conv),
    Pool(Pool),
    Softmax(Softmax),
    LayerNorm(LayerNorm),
    BatchNorm(BatchNorm),
    Gather(Gather),
    GatherElements(GatherElements),
    GatherNd(GatherNd),
    ReverseSequence(ReverseSequence),
    ScatterElements(ScatterElements),
    ScatterNd(ScatterNd),
    TensorScatter(TensorScatter),
    Pad(PadOp),
    NonZero(NonZero),
    Unique(Unique),
    NonMaxSuppression(NonMaxSuppression),
    NgramCounts(NgramCounts),
    ConvTranspose(ConvTranspose),
    DeformConv(DeformConv),
    ArgMaxPool(ArgMaxPool),
    LpPool(LpPool),
    Col2Im(Col2Im),
    Resize(Resize),
    GridSample(GridSample),
    AffineGrid(AffineGrid),
    RoiAlign(RoiAlign),
    Reshape(Reshape),
    Transpose(Transpose),
    Slice(Slice),
    Expand(Expand),
    Squeeze(Squeeze),
    Unsqueeze(Unsqueeze),
    Concat(Concat),
    Shape(Shape),
    Random(Random),
    ArgReduce(ArgReduce),
    Cumulative(Cumulative),
    TopK(TopK),
    Range(Range),
    BitCast(BitCast),
    Encode(Encode),
    Decode(Decode),
    Det(Det),
    Recurrent(Recurrent),
    LinearAttention(LinearAttention),
}

impl Op {
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
    /// An extent that depends on elements that are not known becomes a symbol of its own, named
    /// after the node's first output, `output`, and its axis: `kept.0`.
    ///
    /// # Errors
    /// If the inputs do not suit the op; the error names the op, shapes and dtypes.
    pub fn infer(
        &self,
        inputs: &[Option<&ValueFacts>],
        output: &str,
    ) -> Result<Vec<ValueFacts>, InferError> {
        let inputs = Inputs::new(self.def(), inputs, output)?;
        match self.infer_known(&inputs) {
            Err(error @ InferError::DataDependent { .. }) => {
                let types = self.infer_unknown(&inputs)?.ok_or(error)?;
                Ok(types.into_iter().map(ValueFacts::of_type).collect())
            }
            inferred => inferred,
        }
    }

    /// The input whose elements have to be known before the extents of the outputs are, if one has to.
    pub fn waits_for(&self, inputs: &[Option<&ValueFacts>]) -> Option<usize> {
        match self.infer_known(&Inputs::new(self.def(), inputs, "").ok()?) {
            Err(InferError::DataDependent { index, .. }) => Some(index),
            _ => None,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
