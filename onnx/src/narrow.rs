//! Values of narrow element types, and what ops may do with them.
//!
//! Such a value is a tensor of codes or small integers in `u8` or `i8` ([`crate::element`]); the graph does not know more. The
//! import keeps beside each one what it is. An op that only moves elements hands that on. An op that converts them, or reads
//! no more than the shape, looks itself. Every other op would compute with codes as if they were numbers, so it is refused.

use std::collections::HashMap;

use graph::ValueId;

use crate::call::Slot;
use crate::element::Element;
use crate::error::ProblemKind;
use crate::proto::NodeProto;

/// What the values are that are narrower than their dtype.
pub(crate) type NarrowValues = HashMap<ValueId, Element>;

/// What an op does with narrow inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    /// It moves the elements of the inputs at these positions, of all from the first on for `None`.
    Moves(Option<&'static [usize]>),
    /// Its importer looks at element types itself.
    Looks,
    /// It computes.
    Computes,
}

const FIRST: Use = Use::Moves(Some(&[0]));

/// Ops of the default domain that do not compute.
const USES: &[(&str, Use)] = &[
    ("Cast", Use::Looks),
    ("CastLike", Use::Looks),
    ("Compress", FIRST),
    ("Concat", Use::Moves(None)),
    ("DepthToSpace", FIRST),
    ("DequantizeLinear", Use::Looks),
    ("Expand", FIRST),
    ("Flatten", FIRST),
    ("Gather", FIRST),
    ("GatherElements", FIRST),
    ("GatherND", FIRST),
    ("Identity", FIRST),
    ("Pad", Use::Moves(Some(&[0, 2]))),
    ("QLinearMatMul", Use::Looks),
    ("QuantizeLinear", Use::Looks),
    ("Reshape", FIRST),
    ("ReverseSequence", FIRST),
    ("Shape", Use::Looks),
    ("Size", Use::Looks),
    ("Slice", FIRST),
    ("SpaceToDepth", FIRST),
    ("Split", FIRST),
    ("Squeeze", FIRST),
    ("Tile", FIRST),
    ("Transpose", FIRST),
    ("Unsqueeze", FIRST),
    ("Where", Use::Moves(Some(&[1, 2]))),
];

fn use_of(op_type: &str) -> Use {
    let found = USES.iter().find(|row| row.0 == op_type);
    found.map_or(Use::Computes, |row| row.1)
}

/// The narrow element type that all outputs of a node have because it moves elements; `None` if the inputs are plain or the
/// importer looks itself.
///
/// # Errors
/// A narrow input that the op computes with, or that it would mix with elements of another type.
pub(crate) fn moved(
    node: &NodeProto,
    inputs: &[Slot],
    values: &NarrowValues,
) -> Result<Option<Element>, ProblemKind> {
    let narrow = |slot: &Slot| match slot {
        Slot::Value(id) => values.get(id).copied(),
        Slot::Omitted | Slot::Unknown => None,
    };
    let Some((first, element)) = (0..)
        .zip(inputs)
        .find_map(|(at, slot)| Some((at, narrow(slot)?)))
    else {
        return Ok(None);
    };
    let problem = |index: usize, reason: String| ProblemKind::InputValue {
        index,
        name: node.input.get(index).cloned().unwrap_or_default(),
        reason,
    };
    let moved = match use_of(&node.op_type) {
        Use::Looks => return Ok(None),
        Use::Moves(moved) => moved,
        Use::Computes => Some(&[][..]),
    };
    let is_moved = |index: usize| moved.is_none_or(|list| list.contains(&index));
    if !is_moved(first) {
        let op_type = &node.op_type;
        let reason = refused(element, op_type);
        return Err(problem(first, reason));
    }
    for (index, slot) in inputs.iter().enumerate() {
        let other = narrow(slot);
        let there = matches!(slot, Slot::Value(_));
        if there && other != Some(element).filter(|_| is_moved(index)) {
            let (name, other) = (element.name(), other.map(Element::name));
            let differs = match other {
                Some(other) => format!("is {other}, but input {first} is {name}"),
                None => format!("is not {name}, but input {first} is"),
            };
            return Err(problem(index, differs + "; Cast both to FLOAT first"));
        }
    }
    Ok(Some(element))
}

/// Why an op does not take a narrow input.
pub(crate) fn refused(element: Element, op_type: &str) -> String {
    let name = element.name();
    format!("is {name}, which {op_type} does not compute with; Cast it to FLOAT first")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_are_sorted_and_exist() {
        assert!(USES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (op_type, _) in USES {
            assert!(crate::node::find("", op_type, 28).is_ok(), "{op_type}");
        }
        assert_eq!(use_of("Add"), Use::Computes);
    }
}
