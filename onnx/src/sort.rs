//! The order of nodes: each after the nodes whose results it reads, else as in the file.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::proto::NodeProto;

/// A topological order, and what is left if there is none.
#[derive(Debug, PartialEq)]
pub(crate) struct Order {
    /// Positions in the file, in an order in which they can be built.
    pub(crate) sorted: Vec<usize>,
    /// Positions of nodes on a cycle or behind one.
    pub(crate) stuck: Vec<usize>,
    /// Names of values around one cycle, the first repeated at the end; empty if nothing is stuck.
    pub(crate) cycle: Vec<String>,
}

/// Sorts nodes; of several that could come next, the one that stands first in the file does. A name
/// that `given` knows stands for an input or initializer, whichever node claims it, too.
pub(crate) fn sort(nodes: &[NodeProto], given: impl Fn(&str) -> bool) -> Order {
    let mut producer: HashMap<&str, usize> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for name in node.output.iter().filter(|n| !n.is_empty() && !given(n)) {
            producer.entry(name).or_insert(index);
        }
    }
    // Edges as two flat lists: how many producers a node waits for, and who waits for a node.
    let mut waits = vec![0_usize; nodes.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for name in &node.input {
            if let Some(&from) = producer.get(name.as_str()) {
                waits[index] += 1;
                readers[from].push(index);
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..nodes.len())
        .filter(|&i| waits[i] == 0)
        .map(Reverse)
        .collect();
    let mut sorted = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        sorted.push(index);
        for &reader in &readers[index] {
            waits[reader] -= 1;
            if waits[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    let stuck: Vec<usize> = (0..nodes.len()).filter(|&i| waits[i] > 0).collect();
    let cycle = stuck
        .first()
        .map(|&start| find_cycle(nodes, &producer, &waits, start))
        .unwrap_or_default();
    Order {
        sorted,
        stuck,
        cycle,
    }
}

/// Walks from a stuck node to stuck producers until one comes up again. Every stuck node waits for
/// another stuck one, so the walk never ends otherwise.
fn find_cycle(
    nodes: &[NodeProto],
    producer: &HashMap<&str, usize>,
    waits: &[usize],
    start: usize,
) -> Vec<String> {
    let mut seen_at = vec![None; nodes.len()];
    let mut path: Vec<&str> = Vec::new();
    let mut node = start;
    while seen_at[node].is_none() {
        seen_at[node] = Some(path.len());
        let stuck_input = nodes[node].input.iter().find_map(|name| {
            let &from = producer.get(name.as_str())?;
            (waits[from] > 0).then_some((name.as_str(), from))
        });
        let Some((name, from)) = stuck_input else {
            return Vec::new();
        };
        path.push(name);
        node = from;
    }
    let around = &path[seen_at[node].unwrap_or(0)..];
    // The walk went against the edges.
    let mut cycle: Vec<String> = around.iter().rev().map(|&n| n.to_owned()).collect();
    cycle.extend(cycle.first().cloned());
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(input: &[&str], output: &[&str]) -> NodeProto {
        NodeProto {
            input: input.iter().map(ToString::to_string).collect(),
            output: output.iter().map(ToString::to_string).collect(),
            ..NodeProto::default()
        }
    }

    fn check(nodes: &[NodeProto], sorted: &[usize], stuck: &[usize], cycle: &[&str]) {
        let order = sort(nodes, |name| name == "x");
        assert_eq!(order.sorted, sorted);
        assert_eq!(order.stuck, stuck);
        assert_eq!(order.cycle, cycle);
    }

    #[test]
    fn a_sorted_list_stays_as_it_is() {
        let nodes = [
            node(&["x"], &["a"]),
            node(&["x"], &["b"]),
            node(&["b", "a", ""], &["c"]),
        ];
        check(&nodes, &[0, 1, 2], &[], &[]);
    }

    #[test]
    fn an_unsorted_list_is_sorted_with_few_changes() {
        let nodes = [
            node(&["b"], &["c"]),
            node(&["x"], &["z"]),
            node(&["x"], &["b"]),
            node(&["c"], &["d"]),
        ];
        check(&nodes, &[1, 2, 0, 3], &[], &[]);
    }

    #[test]
    fn cycles_are_found_behind_other_nodes() {
        let nodes = [
            node(&["c"], &["d"]),
            node(&["x", "c"], &["a"]),
            node(&["a"], &["b"]),
            node(&["b"], &["c"]),
        ];
        check(&nodes, &[], &[0, 1, 2, 3], &["c", "a", "b", "c"]);
        check(&[node(&["a"], &["a"])], &[], &[0], &["a", "a"]);
    }

    #[test]
    fn names_that_nobody_defines_do_not_block() {
        check(&[node(&["gone"], &["a"])], &[0], &[], &[]);
    }
}
