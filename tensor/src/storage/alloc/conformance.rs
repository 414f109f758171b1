//! What every allocator has to do, as one test to run over each: in this crate, and in the tests of a backend.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

use super::{AllocError, Allocation, Allocator};

/// Small sizes around alignments and size classes, and some larger ones, except under Miri, which takes minutes for them.
const SIZES: &[usize] = if cfg!(miri) {
    &[1, 8, 64, 65, 130]
} else {
    &[
        1, 3, 7, 8, 63, 64, 65, 128, 255, 256, 1000, 4096, 5000, 70_000,
    ]
};

/// Runs all checks. The allocator has to have 4 MiB free.
///
/// # Panics
/// Where the allocator does something else than [`Allocator`] says; the text names the check.
pub fn check(allocator: &Arc<dyn Allocator>) {
    zero_bytes(allocator);
    alignment(allocator);
    apart_and_kept(allocator);
    threads(allocator);
    if !cfg!(miri) {
        // Miri ends the program where the system is out of memory.
        too_much(allocator);
    }
}

fn layout(bytes: usize, alignment: usize) -> Layout {
    Layout::from_size_align(bytes, alignment).expect("the checks ask for small blocks only")
}

fn block(allocator: &Arc<dyn Allocator>, bytes: usize) -> Allocation {
    match Allocation::new(allocator, layout(bytes, 8)) {
        Ok(block) => block,
        Err(error) => panic!("{bytes} bytes must be had: {error}"),
    }
}

fn readable(allocator: &Arc<dyn Allocator>) -> bool {
    allocator.placement().memory_kind.is_host_addressable()
}

fn zero_bytes(allocator: &Arc<dyn Allocator>) {
    for alignment in [1, 64, 4096] {
        let nothing =
            Allocation::new(allocator, layout(0, alignment)).expect("0 bytes need no memory");
        assert!(
            nothing.as_ptr().addr().get().is_multiple_of(alignment),
            "0 bytes have an aligned pointer"
        );
        assert_eq!(
            allocator.allocate(layout(0, alignment)),
            Err(AllocError::NoBytes),
            "0 bytes asked for directly are refused"
        );
    }
}

fn alignment(allocator: &Arc<dyn Allocator>) {
    if !readable(allocator) {
        return;
    }
    for alignment in (0..=12).map(|power| 1 << power) {
        for &bytes in SIZES {
            let block = Allocation::new(allocator, layout(bytes, alignment))
                .expect("alignments up to a page can be had");
            assert!(
                block.as_ptr().addr().get().is_multiple_of(alignment),
                "{bytes} bytes at {:?} must be aligned to {alignment}",
                block.as_ptr()
            );
        }
    }
}

/// What is written to block number `seed` at position `at`.
fn pattern(seed: usize, at: usize) -> u8 {
    (seed.wrapping_mul(131) ^ at.wrapping_mul(7) ^ (at >> 8)) as u8
}

fn write(block: &Allocation, seed: usize) {
    let start = block.as_ptr();
    for at in 0..block.size_bytes() {
        // SAFETY: host addressable memory by the callers, `at` is below the size, and the block is in one place only.
        unsafe { start.add(at).write(pattern(seed, at)) };
    }
}

fn assert_kept(block: &Allocation, seed: usize) {
    let start: NonNull<u8> = block.as_ptr();
    for at in 0..block.size_bytes() {
        // SAFETY: as in `write`, which has initialised every byte.
        let byte = unsafe { start.add(at).read() };
        assert_eq!(
            byte,
            pattern(seed, at),
            "byte {at} of block {seed} must be kept"
        );
    }
}

/// Live blocks share no byte (no name), keep their contents, and may go back in any order.
fn apart_and_kept(allocator: &Arc<dyn Allocator>) {
    let readable = readable(allocator);
    let mut blocks: Vec<(usize, Allocation)> = Vec::new();
    for round in 0..4 {
        for (at, &bytes) in SIZES.iter().enumerate() {
            let seed = round * SIZES.len() + at;
            let block = block(allocator, bytes);
            if readable {
                write(&block, seed);
            }
            blocks.push((seed, block));
        }
        assert_apart(&blocks, readable);
        if readable {
            blocks
                .iter()
                .for_each(|(seed, block)| assert_kept(block, *seed));
        }
        // First made first, last made first, from the middle.
        let half = blocks.len() / 2;
        match round {
            0 => drop(blocks.drain(..half)),
            1 => blocks.truncate(half),
            _ => drop(blocks.drain(half / 2..half)),
        }
    }
}

fn assert_apart(blocks: &[(usize, Allocation)], readable: bool) {
    let mut ranges: Vec<(usize, usize)> = blocks
        .iter()
        .map(|(_, block)| {
            let start = block.as_ptr().addr().get();
            // Of a name only the value counts.
            (start, start + if readable { block.size_bytes() } else { 1 })
        })
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(
            pair[0].1 <= pair[1].0,
            "live blocks {pair:x?} must not overlap"
        );
    }
}

/// Blocks are made on several threads at once and dropped on others.
fn threads(allocator: &Arc<dyn Allocator>) {
    let readable = readable(allocator);
    let rounds = if cfg!(miri) { 2 } else { 50 };
    let made: Vec<(usize, Allocation)> = std::thread::scope(|scope| {
        let work = |thread: usize| {
            let mut kept = Vec::new();
            for round in 0..rounds {
                let seed = thread * 1000 + round;
                let block = block(allocator, SIZES[(thread + round) % SIZES.len()]);
                if readable {
                    write(&block, seed);
                    assert_kept(&block, seed);
                }
                if round % 3 == 0 {
                    kept.push((seed, block));
                }
            }
            kept
        };
        let threads: Vec<_> = (0..4)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|kept| kept.expect("a thread that allocates must not panic"))
            .collect()
    });
    assert_apart(&made, readable);
    if readable {
        made.iter()
            .for_each(|(seed, block)| assert_kept(block, *seed));
    }
}

/// More than any memory is an error, and the allocator works on.
fn too_much(allocator: &Arc<dyn Allocator>) {
    let all = Layout::from_size_align(isize::MAX as usize - 4096, 8).expect("below the limit");
    let refused = Allocation::new(allocator, all);
    assert!(
        refused.is_err(),
        "nearly all of the address space can't be had"
    );
    drop(block(allocator, 64));
}
