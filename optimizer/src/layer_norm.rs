//! Recovers layer normalisation from its written-out form.
//!
//! `m = mean(x)`, `d = x - m`, `v = mean(d * d)`, `y = d / sqrt(v + epsilon)`, means over the last
//! axis with the axis kept, becomes `y = layer_norm(x, axis = -1, epsilon)`; so does
//! `y = d * (1 / sqrt(v + epsilon))`. Scale and bias are elementwise and fuse as an epilogue. The
//! means are the same sums; rounding differs within what the op table allows.

use graph::op::{LayerNorm, Op, ReduceKind};
use graph::{Graph, GraphError, Node, Rewrite, Site, ValueDef, ValueId};

/// Rewrites every occurrence.
pub(crate) fn run(graph: &Graph) -> Result<Graph, GraphError> {
    graph.rewrite(&mut Recover)
}

struct Recover;

impl Rewrite for Recover {
    fn node(&mut self, site: &mut Site<'_>, node: &Node) -> Result<Vec<ValueId>, GraphError> {
        let Some((x, norm)) = matched(site.from(), node) else {
            return site.copy(node, node.op.clone());
        };
        let (x, names) = (site.of(x), site.names(node));
        site.builder
            .node_of_many(Op::LayerNorm(norm), &[x], &names, &node.source)
    }
}

/// The normalised value and the op, if `node` ends the pattern.
fn matched(graph: &Graph, node: &Node) -> Option<(ValueId, LayerNorm)> {
    let (first, second) = (
        node.inputs.first().copied()??,
        node.inputs.get(1).copied()??,
    );
    let (centred, deviation) = match elementwise(node)? {
        "div" => (first, second),
        "mul" => match inputs_of(graph, second, "reciprocal") {
            Some([root, ..]) => (first, root),
            None => (second, inputs_of(graph, first, "reciprocal")?[0]),
        },
        _ => return None,
    };
    let [shifted, ..] = inputs_of(graph, deviation, "sqrt")?;
    let [a, b] = inputs_of(graph, shifted, "add")?;
    let (variance, epsilon) = match (scalar(graph, a), scalar(graph, b)) {
        (None, Some(epsilon)) => (a, epsilon),
        (Some(epsilon), None) => (b, epsilon),
        _ => return None,
    };
    let square = mean_of(graph, variance)?;
    if inputs_of(graph, square, "mul")? != [centred, centred] {
        return None;
    }
    let [x, mean] = inputs_of(graph, centred, "sub")?;
    (mean_of(graph, mean)? == x).then_some((x, LayerNorm { axis: -1, epsilon }))
}

fn elementwise(node: &Node) -> Option<&'static str> {
    match &node.op {
        Op::Map(map) => Some(map.row().def.name),
        _ => None,
    }
}

fn producer(graph: &Graph, id: ValueId) -> Option<&Node> {
    match graph.value(id).def {
        ValueDef::Node(node, _) => Some(graph.node(node)),
        ValueDef::Input(_) | ValueDef::Const(_) => None,
    }
}

/// The inputs of the elementwise op `name` that produces `id`; a unary op's input twice.
fn inputs_of(graph: &Graph, id: ValueId, name: &str) -> Option<[ValueId; 2]> {
    let node = producer(graph, id).filter(|n| elementwise(n) == Some(name))?;
    let first = node.inputs.first().copied()??;
    Some([
        first,
        node.inputs.get(1).copied().flatten().unwrap_or(first),
    ])
}

/// What `id` is the mean of over the last axis, kept as an axis.
fn mean_of(graph: &Graph, id: ValueId) -> Option<ValueId> {
    let node = producer(graph, id)?;
    let Op::Reduce(reduce) = &node.op else {
        return None;
    };
    let input = node.inputs.first().copied()??;
    let last = i64::try_from(graph.value(input).ty().rank()).ok()? - 1;
    let over_last = reduce
        .axes
        .as_deref()
        .is_some_and(|axes| axes == [last] || axes == [-1]);
    (reduce.kind == ReduceKind::Mean && reduce.keep && over_last).then_some(input)
}

/// The only element of an f32 constant.
fn scalar(graph: &Graph, id: ValueId) -> Option<f32> {
    let tensor = graph.value(id).constant()?;
    match tensor.to_vec::<f32>().ok()?.as_slice() {
        [value] => Some(*value),
        _ => None,
    }
}
