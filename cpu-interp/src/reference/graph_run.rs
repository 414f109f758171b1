//! A whole graph, node by node.

use graph::{Graph, Node, ValueDef, ValueId, bind_inputs};
use tensor::{Tensor, TensorView};

use super::{ReferenceError, Result, evaluate_views};

/// The outputs of `graph` in order, with their names, for these feeds. Symbols get their numbers from the shapes of the feeds.
///
/// # Errors
/// [`ReferenceError`]: feeds that are missing, unknown or do not suit their declaration, or a node that cannot be evaluated,
/// with its name.
pub fn run(graph: &Graph, feeds: &[(&str, &Tensor)]) -> Result<Vec<(String, Tensor)>> {
    let feeds: Vec<(&str, TensorView<'_>)> = feeds
        .iter()
        .map(|(name, feed)| Ok((*name, feed.view()?)))
        .collect::<Result<_>>()?;
    run_views(graph, &feeds)
}

/// As [`run`], for feeds of any layout.
///
/// # Errors
/// As [`run`].
pub fn run_views(graph: &Graph, feeds: &[(&str, TensorView<'_>)]) -> Result<Vec<(String, Tensor)>> {
    let feeds = ordered(graph, feeds)?;
    let shapes: Vec<&[usize]> = feeds.iter().map(|feed| feed.shape()).collect();
    let graph = graph.substitute(&bind_inputs(graph, &shapes)?)?;
    let mut values = Values {
        graph: &graph,
        feeds,
        computed: (0..graph.values().len()).map(|_| None).collect(),
        uses: graph.use_counts(),
    };
    for (_, node) in graph.nodes() {
        values
            .compute(node)
            .map_err(|source| ReferenceError::Node {
                node: path(&graph, node),
                source: Box::new(source),
            })?;
    }
    let outputs = graph.outputs().iter();
    outputs
        .map(|(name, id)| Ok((name.clone(), values.view(*id)?.to_contiguous()?)))
        .collect()
}

/// The feeds in the order of the graph's inputs, each of the declared dtype.
fn ordered<'a>(graph: &Graph, feeds: &[(&str, TensorView<'a>)]) -> Result<Vec<TensorView<'a>>> {
    let names: Vec<&str> = graph
        .inputs()
        .iter()
        .map(|&id| graph.value(id).name.as_str())
        .collect();
    for (at, (feed, _)) in feeds.iter().enumerate() {
        let problem = if !names.contains(feed) {
            "is no input"
        } else if feeds[..at].iter().any(|(other, _)| other == feed) {
            "is given twice"
        } else {
            continue;
        };
        return Err(ReferenceError::Feed {
            feed: (*feed).to_owned(),
            problem,
            inputs: names.iter().map(|&name| name.to_owned()).collect(),
        });
    }
    let in_order = graph.inputs().iter().zip(&names);
    in_order
        .map(|(&id, &name)| {
            let Some((_, feed)) = feeds.iter().find(|(feed, _)| *feed == name) else {
                return Err(ReferenceError::MissingFeed {
                    input: name.to_owned(),
                });
            };
            let declared = graph.value(id).ty();
            if declared.dtype != feed.dtype() {
                return Err(ReferenceError::FeedDType {
                    input: name.to_owned(),
                    declared: declared.clone(),
                    got: feed.dtype(),
                });
            }
            Ok(feed.clone())
        })
        .collect()
}

/// The node's path in its source, or the name of its result.
fn path(graph: &Graph, node: &Node) -> String {
    if node.source.is_empty() {
        graph.value(node.outputs[0]).name.clone()
    } else {
        node.source.clone()
    }
}

/// The values of a run; a computed one is dropped after its last use.
struct Values<'a> {
    graph: &'a Graph,
    feeds: Vec<TensorView<'a>>,
    computed: Vec<Option<Tensor>>,
    uses: Vec<usize>,
}

impl Values<'_> {
    fn view(&self, id: ValueId) -> Result<TensorView<'_>> {
        Ok(match &self.graph.value(id).def {
            ValueDef::Input(nth) => self.feeds[*nth].clone(),
            ValueDef::Const(tensor) => tensor.view()?,
            ValueDef::Node(..) => self.computed[id.index()]
                .as_ref()
                .expect("nodes are in topological order")
                .view()?,
        })
    }

    fn compute(&mut self, node: &Node) -> Result<()> {
        let inputs: Vec<Option<TensorView<'_>>> = node
            .inputs
            .iter()
            .map(|input| input.map(|id| self.view(id)).transpose())
            .collect::<Result<_>>()?;
        let made = evaluate_views(&node.op, &inputs)?;
        for (id, tensor) in node.outputs.iter().zip(made) {
            self.computed[id.index()] = Some(tensor);
        }
        for id in node.inputs.iter().flatten() {
            self.uses[id.index()] -= 1;
            if self.uses[id.index()] == 0 {
                self.computed[id.index()] = None;
            }
        }
        Ok(())
    }
}
