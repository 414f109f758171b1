//! The reference: one plain loop per op, the oracle that every fast path is compared with.
//!
//! **How it works.** [`evaluate`] asks the op table for the shape of the result, reads the inputs through their strides into
//! row-major lists, and computes each element by the formula of the op's entry. [`run`] does so node by node for a graph.
//! Families have a file each; [`scalar`] evaluates the scalar expressions that elementwise ops are.
//!
//! **Numerics.** Floats are widened (`f32`, `f16` and `bf16` to `f64` in sums, products, windows and norms), the whole formula
//! is computed there, and the result is rounded once. So a reference value is the correctly rounded one in all but rare
//! cases, and it is what the ULP limits of the op table are measured from. Sums in `f64` are compensated, so that `f64` has an
//! oracle too. Integers wrap, as [`graph::scalar::Prim`] says.
//!
//! **Invariants.** Nothing here is tuned, nothing is unsafe, and no result depends on the memory order of an input. Inputs
//! that do not suit an op are an error, never a panic.
#![forbid(unsafe_code)]

mod bits;
mod code;
mod contract;
mod copy;
mod create;
mod det;
mod element;
mod error;
mod gather;
mod graph_run;
mod index;
mod map;
mod normalise;
mod number;
mod pad;
mod random;
mod recurrent;
mod reduce;
mod resample;
pub mod scalar;
mod scan;
mod scatter;
mod search;
mod view;
mod window;

#[cfg(test)]
mod tests;

use graph::op::Op;
use graph::{Dim, TensorType, ValueFacts};
use tensor::{Tensor, TensorView};
use tensor_core::{DType, ShapeVec};

pub use error::ReferenceError;
pub use graph_run::{run, run_views};

use element::{Element, Exact, Real, each_element, each_float};

/// The result of this module's functions.
type Result<T, E = ReferenceError> = std::result::Result<T, E>;

/// The outputs of `op` for these inputs; `None` is an optional input that is left out.
///
/// **Shapes and DTypes.** As the op's entry infers them. Inputs that describe a shape (of `reshape`, `slice`, ..) are read.
///
/// # Errors
/// [`ReferenceError`]: inputs that do not suit the op, an index out of range, a dtype without arithmetic here (complex,
/// external), or a result that does not fit memory.
pub fn evaluate(op: &Op, inputs: &[Option<&Tensor>]) -> Result<Vec<Tensor>> {
    let views = inputs
        .iter()
        .map(|input| Ok(input.map(Tensor::view).transpose()?))
        .collect::<Result<Vec<_>>>()?;
    evaluate_views(op, &views)
}

/// As [`evaluate`], for inputs of any layout: strides may be 0 or negative.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_views(op: &Op, inputs: &[Option<TensorView<'_>>]) -> Result<Vec<Tensor>> {
    let facts: Vec<Option<ValueFacts>> = inputs
        .iter()
        .map(|input| input.as_ref().map(facts_of))
        .collect();
    let facts: Vec<Option<&ValueFacts>> = facts.iter().map(Option::as_ref).collect();
    let inferred = op.infer(&facts, op.name())?;
    let call = Call {
        op: op.name(),
        inputs,
        facts: &facts,
    };
    let made = dispatch(op, &call, &inferred)?;
    debug_assert!(
        made.len() == inferred.len()
            && made.iter().zip(&inferred).all(|(made, out)| {
                let shape = out.ty.static_shape();
                made.dtype() == out.ty.dtype && shape.is_none_or(|shape| made.shape() == &shape[..])
            }),
        "{op} makes the outputs that are inferred"
    );
    Ok(made)
}

/// Evaluates single ops for whoever folds constants.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceEvaluator;

impl ReferenceEvaluator {
    /// The outputs of `op`, or `None` where [`evaluate`] gives an error.
    pub fn evaluate(&self, op: &Op, inputs: &[Option<&Tensor>]) -> Option<Vec<Tensor>> {
        evaluate(op, inputs).ok()
    }
}

/// What the loops of all families are called with.
struct Call<'a> {
    op: &'static str,
    inputs: &'a [Option<TensorView<'a>>],
    facts: &'a [Option<&'a ValueFacts>],
}

impl<'a> Call<'a> {
    /// An input that inference has found to be there.
    fn input(&self, index: usize) -> &'a TensorView<'a> {
        self.optional(index)
            .expect("inference refuses a missing required input")
    }

    fn optional(&self, index: usize) -> Option<&'a TensorView<'a>> {
        self.inputs.get(index).and_then(Option::as_ref)
    }

    fn unsupported(&self, dtype: DType) -> ReferenceError {
        ReferenceError::UnsupportedDType { op: self.op, dtype }
    }

    /// Room for `count` elements of the result.
    fn buffer<T>(&self, count: usize) -> Result<Vec<T>> {
        let mut out = Vec::new();
        let refused = |_| ReferenceError::OutOfMemory {
            op: self.op,
            elements: count,
        };
        out.try_reserve_exact(count).map_err(refused)?;
        Ok(out)
    }
}

/// The outputs of `op`, whose inferred facts are `outs`.
fn dispatch(op: &Op, call: &Call<'_>, outs: &[ValueFacts]) -> Result<Vec<Tensor>> {
    let (ty, shape) = (&outs[0].ty, || static_shape(call.op, &outs[0].ty));
    let one = match op {
        Op::Map(map) => map::map(map, call, ty.dtype, &shape()?),
        Op::Reduce(reduce) => reduce::reduce(reduce, call, &shape()?),
        Op::MatMul(_) => contract::matmul(call, &shape()?),
        Op::Conv(conv) => window::conv(conv, call, &shape()?),
        Op::Pool(pool) => window::pool(pool, call, &shape()?),
        Op::Softmax(softmax) => normalise::softmax(*softmax, call, &shape()?),
        Op::LayerNorm(norm) => normalise::layer_norm(*norm, call, &shape()?),
        Op::BatchNorm(norm) => normalise::batch_norm(*norm, call, &shape()?),
        Op::Gather(gather) => gather::gather(*gather, call, &shape()?),
        Op::GatherElements(gather) => gather::gather_elements(*gather, call, &shape()?),
        Op::GatherNd(gather) => gather::gather_nd(*gather, call, &shape()?),
        Op::ReverseSequence(reverse) => gather::reverse_sequence(*reverse, call, &shape()?),
        Op::ScatterElements(scatter) => scatter::scatter_elements(*scatter, call, &shape()?),
        Op::ScatterNd(scatter) => scatter::scatter_nd(*scatter, call, &shape()?),
        Op::TensorScatter(scatter) => scatter::tensor_scatter(*scatter, call, &shape()?),
        Op::Pad(pad) => pad::pad(*pad, call, &shape()?),
        Op::NonZero(_) => search::non_zero(call),
        Op::Unique(unique) => return search::unique(*unique, call),
        Op::NonMaxSuppression(boxes) => search::non_max_suppression(*boxes, call),
        Op::NgramCounts(grams) => search::ngram_counts(grams, call, &shape()?),
        Op::ConvTranspose(conv) => window::conv_transpose(conv, call, &shape()?),
        Op::DeformConv(conv) => window::deform_conv(conv, call, &shape()?),
        Op::ArgMaxPool(pool) => window::arg_max_pool(pool, call, &shape()?),
        Op::LpPool(pool) => window::lp_pool(pool, call, &shape()?),
        Op::Col2Im(op) => window::col2im(op, call, &shape()?),
        Op::Resize(resize) => resample::resize(resize, call, &shape()?),
        Op::GridSample(sample) => resample::grid_sample(*sample, call, &shape()?),
        Op::AffineGrid(grid) => resample::affine_grid(*grid, call, &shape()?),
        Op::RoiAlign(align) => resample::roi_align(*align, call, &shape()?),
        Op::Reshape(_) | Op::Squeeze(_) | Op::Unsqueeze(_) => view::reshape(call, &shape()?),
        Op::Transpose(transpose) => view::transpose(transpose, call),
        Op::Slice(slice) => view::slice(slice, call),
        Op::Expand(_) => view::expand(call, &shape()?),
        Op::Concat(concat) => copy::concat(*concat, call, &shape()?),
        Op::Shape(_) => view::shape(&outs[0]),
        Op::Random(random) => random::random(random, call, &shape()?),
        Op::ArgReduce(arg) => scan::arg_reduce(*arg, call, &shape()?),
        Op::Cumulative(running) => scan::cumulative(*running, call, &shape()?),
        Op::TopK(top) => return scan::top_k(*top, call, &shape()?),
        Op::Range(_) => create::range(call, &shape()?),
        Op::BitCast(cast) => bits::bit_cast(*cast, call),
        Op::Encode(encode) => code::encode(*encode, call),
        Op::Decode(decode) => code::decode(*decode, call),
        Op::Det(_) => det::det(call, &shape()?),
        Op::Recurrent(layer) => return recurrent::recurrent(layer, call, &shape()?),
        Op::LinearAttention(op) => return recurrent::linear_attention(*op, call, &shape()?),
    };
    Ok(vec![one?])
}

/// Type and, for a small tensor, the elements: what inference knows of a constant.
fn facts_of(view: &TensorView<'_>) -> ValueFacts {
    let dtype = view.dtype();
    let few = view.len() <= ValueFacts::KNOWN_LIMIT;
    let follows = few && (dtype.is_integer() || dtype.is_bool());
    let floats = || {
        each_float!(dtype, T => {
        Some(view.as_typed::<T>()?.iter().map(|&element| Real::widen(element)).collect())
    }, _other => None)
    };
    ValueFacts {
        ty: TensorType::fixed(dtype, view.shape()),
        known: if follows { known(view) } else { None },
        floats: if few { floats() } else { None },
    }
}

fn known(view: &TensorView<'_>) -> Option<Vec<Dim>> {
    each_element!(view.dtype(), T => {
        let elements = view.as_typed::<T>()?.iter();
        elements.map(|&element| match element.exact() {
            Exact::Int(value) => i64::try_from(value).ok().map(Dim::Known),
            Exact::Float(_) => None,
        }).collect()
    }, _other => None)
}

fn static_shape(op: &'static str, ty: &TensorType) -> Result<ShapeVec> {
    ty.static_shape()
        .ok_or_else(|| ReferenceError::Symbolic { op, ty: ty.clone() })
}

/// `axis` counted from the front; inference has checked it.
fn from_front(axis: i64, rank: usize) -> usize {
    let from_end = usize::try_from(axis.unsigned_abs()).unwrap_or(usize::MAX);
    if axis < 0 {
        rank.saturating_sub(from_end)
    } else {
        from_end
    }
}
