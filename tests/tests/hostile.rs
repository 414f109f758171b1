//! Damaged and hostile model files, from import to run: an error or an output, no panic, and memory within bounds.
//!
//! Every case may take 64 times the size of its file, or 4 MiB if that is more: all stages and weights together.
//! Functions have one thread here: then everything happens, and is counted, on the thread of the test.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tenfold::{CompileOptions, Error, Model, Tensor};
use tests::models::{DIRECTION, MAGIKA, asset, golden, pixels, rows};
use tests::{Seeded, wire};

struct Counting;

thread_local! {
    static LIVE_BYTES: Cell<usize> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<usize> = const { Cell::new(0) };
    static LARGEST_BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches thread-local `Cell`s without
// destructors, which allocates nothing. `realloc` is the default one: the new block exists beside the old one.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE_BYTES.get().saturating_add(layout.size());
        LIVE_BYTES.set(live);
        PEAK_BYTES.set(PEAK_BYTES.get().max(live));
        LARGEST_BYTES.set(LARGEST_BYTES.get().max(layout.size()));
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE_BYTES.set(LIVE_BYTES.get().saturating_sub(layout.size()));
        // SAFETY: the caller's promise about `block` and `layout` is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How far a case is taken.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    Prepared,
    Run,
}

fn stages(file: &[u8], feed: &Tensor, until: Until, limit_bytes: usize) -> Result<(), Error> {
    let model = Model::from_bytes(file.to_vec(), "damaged.onnx")?;
    let options = CompileOptions {
        threads: Some(1),
        memory_limit: Some(limit_bytes),
        ..CompileOptions::default()
    };
    let function = model.compile(&options)?;
    let name = function.inputs().first().map_or("none", |port| &port.name);
    let feeds = [(name, feed)];
    match until {
        Until::Prepared => function.specialise(&feeds).map(drop),
        Until::Run => function.run(&feeds).map(drop),
    }
}

/// Takes a file through all stages and judges what that took.
fn check(what: &str, file: &[u8], feed: &Tensor, until: Until) -> Result<(), Error> {
    // A file of a few bytes may take what every file may take.
    let limit_bytes = (64 * file.len()).max(1 << 22);
    let base = LIVE_BYTES.get();
    PEAK_BYTES.set(base);
    LARGEST_BYTES.set(0);
    let work = AssertUnwindSafe(|| stages(file, feed, until, limit_bytes));
    let Ok(result) = catch_unwind(work) else {
        panic!("{what}: panics");
    };
    let (peak, largest) = (PEAK_BYTES.get() - base, LARGEST_BYTES.get());
    assert!(
        largest <= limit_bytes,
        "{what}: allocates {largest} bytes at once, limit {limit_bytes}, {result:?}"
    );
    assert!(
        peak <= limit_bytes,
        "{what}: takes {peak} bytes, limit {limit_bytes}, {result:?}"
    );
    result
}

fn direction() -> (Vec<u8>, Tensor) {
    let feed = rows::<f32>(&pixels("ppocr/direction.npz")).swap_remove(0);
    (fs::read(asset(DIRECTION)).unwrap(), feed)
}

fn magika() -> (Vec<u8>, Tensor) {
    let feed = rows::<i32>(&golden("magika/magika.npz", "bytes")).swap_remove(0);
    (fs::read(asset(MAGIKA)).unwrap(), feed)
}

#[test]
fn files_that_are_cut_short_are_refused() {
    for (model, (file, feed)) in [("direction", direction()), ("magika", magika())] {
        for length in 0..4096 {
            let what = format!("{model} cut at {length}");
            let result = check(&what, &file[..length], &feed, Until::Run);
            assert!(
                matches!(result, Err(Error::Import(_))),
                "{what}: {result:?}"
            );
        }
    }
}

/// The whole file runs within the bounds, or the cases below would prove nothing.
#[test]
fn whole_files_run() {
    for (model, (file, feed)) in [("direction", direction()), ("magika", magika())] {
        check(model, &file, &feed, Until::Run).unwrap();
    }
}

/// Changed bytes of each model.
const CHANGES: usize = 200;

#[test]
fn changed_bytes_of_direction() {
    change_bytes("direction", direction());
}

#[test]
fn changed_bytes_of_magika() {
    change_bytes("magika", magika());
}

/// Half of the changes anywhere, half outside of the weights, where they change what the file says.
fn change_bytes(model: &str, (mut file, feed): (Vec<u8>, Tensor)) {
    let structure = structure(&file);
    let mut random = Seeded::new(2026);
    for case in 0..CHANGES {
        let in_structure = case % 2 == 0;
        let at = if in_structure {
            *random.pick(&structure)
        } else {
            random.below(file.len())
        };
        let before = file[at];
        file[at] ^= (1 + random.below(255)) as u8;
        // A changed weight runs as any other; a few of these are enough.
        let until = if in_structure || case < 40 {
            Until::Run
        } else {
            Until::Prepared
        };
        let what = format!("{model}, byte {at} changed from {before} to {}", file[at]);
        let _either = check(&what, &file, &feed, until);
        file[at] = before;
    }
}

/// The messages of the format that lead to weights.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
}

/// The positions of all bytes that belong to no large run of weights.
fn structure(file: &[u8]) -> Vec<usize> {
    let mut weights = Vec::new();
    collect_weights(file, 0..file.len(), Message::Model, &mut weights);
    let mut positions = Vec::new();
    let mut from = 0;
    for range in weights {
        positions.extend(from..range.start);
        from = range.end;
    }
    positions.extend(from..file.len());
    assert!(
        positions.len() < file.len() / 2,
        "most of a model is weights"
    );
    positions
}

/// Adds the ranges of the weights of the message in `range`, in order.
fn collect_weights(
    file: &[u8],
    range: Range<usize>,
    message: Message,
    weights: &mut Vec<Range<usize>>,
) {
    let mut at = range.start;
    let varint = |at: &mut usize| {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = file[*at];
            *at += 1;
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    };
    while at < range.end {
        let tag = varint(&mut at);
        let end = match tag & 7 {
            0 => {
                varint(&mut at);
                continue;
            }
            1 => at + 8,
            5 => at + 4,
            _ => {
                let length = varint(&mut at);
                at + length
            }
        };
        let inner = match (message, tag >> 3) {
            (Message::Model, 7) => Some(Message::Graph),
            (Message::Graph, 1) => Some(Message::Node),
            (Message::Graph, 5) | (Message::Attribute, 5) => Some(Message::Tensor),
            (Message::Node, 5) => Some(Message::Attribute),
            _ => None,
        };
        match (message, inner) {
            (_, Some(inner)) => collect_weights(file, at..end, inner, weights),
            // Small tensors are shapes and axes.
            (Message::Tensor, None) if end - at > 64 => weights.push(at..end),
            _ => {}
        }
        at = end;
    }
}

/// Nodes that each double a constant: 2^40 elements in a file of two kilobytes.
#[test]
fn doubling_constants_are_not_folded() {
    let mut parts = vec![
        wire::initializer("v0", wire::FLOAT, &[1024], &[0; 4096]),
        wire::input("x", &["1"]),
    ];
    for step in 0..30 {
        let (from, to) = (format!("v{step}"), format!("v{}", step + 1));
        parts.push(wire::node("Concat", &[&from, &from], &to, &wire::axis(0)));
    }
    parts.push(wire::node("Mul", &["v30", "x"], "y", &[]));
    parts.push(wire::output("y", &["n"]));
    let file = wire::model(&parts);
    let feed = Tensor::from_vec_row_major([1], vec![1.0_f32]).unwrap();
    let error = check("doubled", &file, &feed, Until::Run).unwrap_err();
    assert!(matches!(error, Error::MemoryLimit { .. }), "{error}");
}

/// One node that makes a small constant huge, and a sum that makes it small again.
#[test]
fn expanded_operands_are_bounded() {
    let extents = [1_i64 << 20, 1 << 20].map(i64::to_le_bytes).concat();
    let parts = [
        wire::input("x", &["1"]),
        wire::initializer("shape", 7, &[2], &extents),
        wire::node("Expand", &["x", "shape"], "large", &[]),
        wire::node("MatMul", &["large", "large"], "y", &[]),
        wire::output("y", &["n", "m"]),
    ];
    let feed = Tensor::from_vec_row_major([1], vec![1.0_f32]).unwrap();
    let error = check("expanded", &wire::model(&parts), &feed, Until::Run).unwrap_err();
    assert!(matches!(error, Error::MemoryLimit { .. }), "{error}");
}
