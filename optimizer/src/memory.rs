//! Memory planning: lifetimes decide offsets in one arena.
//!
//! Greedy by size: buffers are placed from the largest to the smallest, each at the lowest offset
//! where it overlaps no placed buffer that is alive at the same time. Ties keep the order of
//! definition, so the result is deterministic.

use plan::{ARENA_ALIGNMENT_BYTES, BufferId, Place, Plan};

use crate::OptimizeError;

/// A buffer with its lifetime in steps, both ends inclusive.
struct Span {
    id: BufferId,
    bytes: usize,
    first: usize,
    last: usize,
}

/// Gives every unplaced buffer that a step writes an offset, and the plan its arena size.
pub(crate) fn run(plan: &mut Plan) -> Result<(), OptimizeError> {
    let mut spans = Vec::new();
    for (i, life) in plan.lifetimes().into_iter().enumerate() {
        let buffer = &plan.buffers[i];
        if let (Place::Unplaced, Some((first, last))) = (buffer.place, life) {
            let bytes = buffer
                .size_bytes()
                .checked_next_multiple_of(ARENA_ALIGNMENT_BYTES);
            let bytes = bytes.ok_or_else(|| too_large(&buffer.name, buffer.elements))?;
            spans.push(Span {
                id: BufferId(i as u32),
                bytes,
                first,
                last,
            });
        }
    }
    spans.sort_by_key(|span| (std::cmp::Reverse(span.bytes), span.id));
    let mut placed: Vec<(usize, &Span)> = Vec::new();
    let mut arena_bytes = 0_usize;
    for span in &spans {
        let offset_bytes = lowest_gap(&placed, span);
        let end = offset_bytes.checked_add(span.bytes);
        let end = end.ok_or_else(|| too_large(&plan.buffer(span.id).name, span.bytes))?;
        arena_bytes = arena_bytes.max(end);
        let at = placed.partition_point(|(offset, _)| *offset <= offset_bytes);
        placed.insert(at, (offset_bytes, span));
        plan.buffers[span.id.index()].place = Place::Arena { offset_bytes };
    }
    plan.arena_bytes = arena_bytes;
    Ok(())
}

/// The lowest offset where `span` fits among `placed`, which is sorted by offset.
fn lowest_gap(placed: &[(usize, &Span)], span: &Span) -> usize {
    let mut offset = 0;
    for (start, other) in placed {
        let together = other.first <= span.last && span.first <= other.last;
        if !together {
            continue;
        }
        if offset + span.bytes <= *start {
            break;
        }
        offset = offset.max(start + other.bytes);
    }
    offset
}

fn too_large(value: &str, size: usize) -> OptimizeError {
    OptimizeError::TooLarge {
        value: value.to_owned(),
        ty: format!("{size} elements or bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(id: u32, bytes: usize, first: usize, last: usize) -> Span {
        Span {
            id: BufferId(id),
            bytes,
            first,
            last,
        }
    }

    #[test]
    fn a_gap_is_the_lowest_free_one() {
        let (a, b, c) = (span(0, 128, 0, 1), span(1, 64, 2, 3), span(2, 64, 0, 3));
        let placed = [(0, &a), (0, &b), (128, &c)];
        assert_eq!(lowest_gap(&placed, &span(3, 64, 2, 2)), 64);
        assert_eq!(lowest_gap(&placed, &span(3, 128, 2, 2)), 192);
        assert_eq!(lowest_gap(&placed, &span(3, 64, 1, 1)), 192);
        assert_eq!(lowest_gap(&placed, &span(3, 64, 4, 4)), 0);
    }
}
