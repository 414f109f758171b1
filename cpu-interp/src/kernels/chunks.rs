//! Disjoint parts of one output for several threads.

use std::ops::Range;

use super::pool::{SharedMut, Threads};
use super::scratch::Scratch;

/// Splits `out` (items of `item_bytes` bytes) into runs of items whose starts are multiples of `align`, and calls
/// `task(scratch, first item, run)` for each, on as many threads as `items * item_ns` nanoseconds are worth.
///
/// # Panics
/// If an item has no bytes.
pub fn for_chunks(
    threads: &Threads,
    out: &mut [u8],
    item_bytes: usize,
    align: usize,
    item_ns: f64,
    task: impl Fn(&mut Scratch, usize, &mut [u8]) + Sync,
) {
    let items = out.len() / item_bytes;
    let shared = SharedMut::new(out);
    threads.for_ranges(items, align, item_ns, |range: Range<usize>| {
        let mut scratch = threads.scratch().take();
        // SAFETY: `for_ranges` gives disjoint ranges below `items`, and `out` is borrowed for the whole loop.
        let part = unsafe {
            let start = shared.get().add(range.start * item_bytes);
            std::slice::from_raw_parts_mut(start, range.len() * item_bytes)
        };
        task(&mut scratch, range.start, part);
    });
}
