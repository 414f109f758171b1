//! Where the unit in the last place is taken for ops that sum: at the sum of the absolute values of the terms.
//!
//! A kernel that rounds every term cannot come closer to a sum of large terms that cancel. For matrix products,
//! convolutions, sums and means the reference itself gives that sum, for the absolute values of the inputs. For the norms
//! and for elementwise ops that add, it follows from their formulas. A product rounds once per factor, whatever the order, and
//! every rounding counts in full. Everything is computed in `f64`.

use cpu_interp::reference;
use graph::Graph;
use graph::op::{Attr, LayerNorm, MapOp, Op, PoolKind, ReduceKind, Softmax};
use tensor::{DType, Tensor};

/// The scale of each element of the result, or `None` for ops that do not sum. `tensors` are the inputs of the graph, which has one
/// node.
pub(super) fn of(graph: &Graph, tensors: &[Tensor]) -> Option<Vec<f64>> {
    let (_, node) = graph.nodes().next()?;
    let position = |id| graph.inputs().iter().position(|&input| input == id);
    let inputs: Vec<Option<Tensor>> = node
        .inputs
        .iter()
        .map(|id| id.and_then(position).map(|at| widened(&tensors[at])))
        .collect();
    // Integers are exact, and indices are no terms.
    if !tensors
        .first()
        .is_some_and(|tensor| tensor.dtype().is_float())
    {
        return None;
    }
    match &node.op {
        Op::Reduce(reduce) if matches!(reduce.kind, ReduceKind::Sum | ReduceKind::Mean) => {
            absolute(&node.op, &inputs)
        }
        Op::Reduce(reduce) if reduce.kind == ReduceKind::Prod => product_scale(&node.op, &inputs),
        Op::Pool(pool) if pool.kind == PoolKind::Average => absolute(&node.op, &inputs),
        Op::MatMul(_) | Op::Conv(_) | Op::ConvTranspose(_) => absolute(&node.op, &inputs),
        Op::Softmax(softmax) => softmax_scale(*softmax, &inputs),
        Op::LayerNorm(norm) => layer_norm_scale(*norm, &inputs),
        Op::BatchNorm(_) => batch_norm_scale(&node.op, &inputs),
        Op::Map(map) => elementwise_scale(map, &inputs),
        // Everything else sums nothing.
        _ => None,
    }
}

fn widened(tensor: &Tensor) -> Tensor {
    tensor.cast(DType::F64).expect("real dtypes convert to f64")
}

fn evaluate(op: &Op, inputs: &[Option<Tensor>]) -> Vec<f64> {
    let inputs: Vec<Option<&Tensor>> = inputs.iter().map(Option::as_ref).collect();
    let made =
        reference::evaluate(op, &inputs).expect("the op takes f64 as it took the row's dtype");
    list(&made[0])
}

fn list(tensor: &Tensor) -> Vec<f64> {
    tensor.to_vec().expect("f64 elements")
}

fn map(name: &str, input: &Tensor) -> Tensor {
    let op = Op::Map(MapOp::named(name).expect("the op table has a row of this name"));
    reference::evaluate(&op, &[Some(input)])
        .expect("f64 elements")
        .swap_remove(0)
}

/// The op on the absolute values of its inputs.
fn absolute(op: &Op, inputs: &[Option<Tensor>]) -> Option<Vec<f64>> {
    let inputs: Vec<Option<Tensor>> = inputs
        .iter()
        .map(|input| input.as_ref().map(|t| map("abs", t)))
        .collect();
    Some(evaluate(op, &inputs))
}

/// With a limit of 4 units, half a unit of the product for each of its `n` factors: `|y| * n / 8`.
fn product_scale(op: &Op, inputs: &[Option<Tensor>]) -> Option<Vec<f64>> {
    let products = evaluate(op, inputs);
    let factors = inputs.first()?.as_ref()?.len() / products.len().max(1);
    let larger = (factors as f64 / 8.0).max(1.0);
    Some(
        products
            .into_iter()
            .map(|product| product.abs() * larger)
            .collect(),
    )
}

/// The exponent `x - m` is a difference of up to `|ln y|`, and its rounding is a relative error of `y`. The logarithm is a sum of
/// that and of the logarithm of a sum that is at least 1.
fn softmax_scale(op: Softmax, inputs: &[Option<Tensor>]) -> Option<Vec<f64>> {
    let logs = evaluate(&Op::Softmax(Softmax { log: true, ..op }), inputs);
    let scale = |log: f64| {
        if op.log {
            log.abs() + 1.0
        } else {
            log.exp() * (1.0 + log.abs())
        }
    };
    Some(logs.into_iter().map(scale).collect())
}

/// `(|x| + mean of |x|) / deviation * |scale| + |bias|`
fn layer_norm_scale(op: LayerNorm, inputs: &[Option<Tensor>]) -> Option<Vec<f64>> {
    let x = inputs.first()?.as_ref()?;
    let rank = i64::try_from(x.rank()).ok()?;
    let axis = usize::try_from(if op.axis < 0 { op.axis + rank } else { op.axis }).ok()?;
    let normalised = &x.shape()[axis..];
    let len: usize = normalised.iter().product::<usize>().max(1);
    let parameter = |index: usize, default: f64| -> Option<Vec<f64>> {
        match inputs.get(index).and_then(Option::as_ref) {
            Some(tensor) => {
                let view = tensor.view().ok()?.broadcast_to(normalised).ok()?;
                view.to_vec().ok()
            }
            None => Some(vec![default; len]),
        }
    };
    let (scale, bias) = (parameter(1, 1.0)?, parameter(2, 0.0)?);
    let mut out = Vec::with_capacity(x.len());
    for row in list(x).chunks(len) {
        let mean = row.iter().sum::<f64>() / len as f64;
        let mean_size = row.iter().map(|x| x.abs()).sum::<f64>() / len as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / len as f64;
        let deviation = (variance + f64::from(op.epsilon)).sqrt();
        let terms = row.iter().zip(scale.iter().zip(&bias));
        out.extend(terms.map(|(x, (s, b))| (x.abs() + mean_size) / deviation * s.abs() + b.abs()));
    }
    Some(out)
}

/// The op on `|x|`, `|scale|`, `|bias|` and `-|mean|`.
fn batch_norm_scale(op: &Op, inputs: &[Option<Tensor>]) -> Option<Vec<f64>> {
    let size = |index: usize| Some(map("abs", inputs.get(index)?.as_ref()?));
    let variance = inputs.get(4)?.as_ref()?.duplicate().ok()?;
    let terms = [
        size(0)?,
        size(1)?,
        size(2)?,
        map("neg", &size(3)?),
        variance,
    ];
    Some(evaluate(op, &terms.map(Some)))
}

fn elementwise_scale(op: &MapOp, inputs: &[Option<Tensor>]) -> Option<Vec<f64>> {
    let op = Op::Map(op.clone());
    let number = |wanted: &str| {
        op.attrs()
            .iter()
            .find(|(name, _)| *name == wanted)
            .and_then(|(_, attr)| match attr {
                Attr::Number(text) => text.parse::<f64>().ok(),
                Attr::Word(_) | Attr::List(_) => None,
            })
    };
    let term: Box<dyn Fn(f64) -> f64> = match op.name() {
        // x / 2 + x / 2 * f(x) with |f(x)| <= 1
        "gelu" | "gelu_tanh" => Box::new(f64::abs),
        "hard_sigmoid" => {
            let (alpha, beta) = (number("alpha")?, number("beta")?);
            Box::new(move |x| (alpha * x).abs() + beta.abs())
        }
        "hard_swish" => Box::new(|x| x.abs() * (x.abs() / 6.0 + 0.5)),
        // e^x and 1, and x itself where that is not below 0
        "elu" => {
            let alpha = number("alpha")?;
            Box::new(move |x| exponential_unit(x, alpha, 1.0))
        }
        "selu" => {
            let (alpha, gamma) = (number("alpha")?, number("gamma")?);
            Box::new(move |x| gamma * exponential_unit(x, alpha, 1.0))
        }
        "celu" => {
            let alpha = number("alpha")?;
            Box::new(move |x| exponential_unit(x, alpha, alpha))
        }
        // The logarithm is one of a sum that is at least 1.
        "softplus" => Box::new(|x| x.max(0.0) + 1.0),
        "mish" => Box::new(f64::abs),
        _ => return None,
    };
    Some(
        list(inputs.first()?.as_ref()?)
            .into_iter()
            .map(term)
            .collect(),
    )
}

/// The sizes of the terms of `x < 0 ? alpha * (e^(x / slow) - 1) : x`.
fn exponential_unit(x: f64, alpha: f64, slow: f64) -> f64 {
    if x < 0.0 {
        alpha.abs() * ((x / slow).exp() + 1.0)
    } else {
        x
    }
}
