//! Every target on its seeds and on a few thousand altered ones, with a look at the memory that it takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fuzz::mutate::{Random, mutated};
use fuzz::{TARGETS, Target, memory_limit};

struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches thread-local `Cell`s without
// destructors, which allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.set(LIVE.get().wrapping_add(layout.size()));
        PEAK.set(PEAK.get().max(LIVE.get()));
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get().wrapping_sub(layout.size()));
        // SAFETY: the caller's promise about `block` and `layout` is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Altered files for each target.
const ROUNDS: usize = 2000;

/// Runs a target on one file, which is kept if it fails.
fn check(target: Target, bytes: &[u8], which: &str) {
    let before = LIVE.get();
    PEAK.set(before);
    let run = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes)));
    let most = PEAK.get().wrapping_sub(before);
    let limit = memory_limit(bytes.len());
    if run.is_err() || most > limit {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.finding", target.name));
        fs::write(&path, bytes).expect("a folder for what tests write");
        panic!(
            "{}: {which} breaks a promise, or takes more memory than {limit} bytes: {most}; it is in {}",
            target.name,
            path.display()
        );
    }
}

fn keeps_its_promises(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name);
    let target = target.expect("a target of this name");
    let seeds = (target.seeds)();
    for (number, seed) in seeds.iter().enumerate() {
        check(target, seed, &format!("seed {number}"));
    }
    let mut random = Random::new(1);
    for round in 0..ROUNDS {
        let whole = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        let bytes = mutated(whole, other, &mut random);
        check(target, &bytes, &format!("round {round}"));
    }
}

macro_rules! tests {
    ($($name:ident)+) => {
        $(#[test]
        fn $name() {
            keeps_its_promises(stringify!($name));
        })+

        #[test]
        fn no_target_is_left_out() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),+]);
        }
    };
}

tests! { container gguf npy npz onnx safetensors shards shared_memory }
