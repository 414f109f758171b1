//! What importing a file costs in memory: at most 64 times its size, or 1 MiB, whatever is in it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bytes::Bytes;

struct Counting;

thread_local! {
    static LIVE_BYTES: Cell<usize> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches thread-local `Cell`s without
// destructors, which allocates nothing. `realloc` is the default one: the new block exists beside the old one.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE_BYTES.get().saturating_add(layout.size());
        LIVE_BYTES.set(live);
        PEAK_BYTES.set(PEAK_BYTES.get().max(live));
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

/// A length-delimited field.
fn field(number: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = body.len();
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("seven bits"));
    bytes.extend(body);
    bytes
}

/// A model whose graph is these fields, with opset 13.
fn model(graph: &[u8]) -> Vec<u8> {
    let opset = field(8, &[2 << 3, 13]);
    [field(7, graph), opset].concat()
}

/// Imports and inspects; neither may take more than the limit. Gives whether the import worked.
fn check(what: &str, file: Vec<u8>) -> bool {
    let limit = (64 * file.len()).max(1 << 20);
    let bytes = Bytes::from(file);
    let base = LIVE_BYTES.get();
    PEAK_BYTES.set(base);
    let imported = onnx::import(bytes.clone(), "m.onnx");
    let import_peak = PEAK_BYTES.get() - base;
    let worked = imported.is_ok();
    drop(imported);
    PEAK_BYTES.set(base);
    let _either = onnx::inspect(bytes.clone(), "m.onnx").is_ok();
    let inspect_peak = PEAK_BYTES.get() - base;
    let size = bytes.len();
    assert!(
        import_peak <= limit,
        "{what}: {import_peak} for {size} bytes"
    );
    assert!(
        inspect_peak <= limit,
        "{what}: {inspect_peak} for {size} bytes"
    );
    worked
}

#[test]
fn empty_messages_do_not_multiply() {
    // Fields of a graph: node, initializer, input, output, sparse initializer.
    for number in [1, 5, 11, 12, 15] {
        let empty = field(number, &[]).repeat(100_000);
        assert!(!check(&format!("graph field {number}"), model(&empty)));
    }
    // Fields of a node: input, output, attribute.
    for number in [1, 2, 5] {
        let node = field(1, &field(number, &[]).repeat(100_000));
        check(&format!("node field {number}"), model(&node));
        // Few in each of many nodes: the smallest buffers hold four.
        let nodes = field(1, &field(number, &[])).repeat(50_000);
        check(
            &format!("node field {number}, once per node"),
            model(&nodes),
        );
    }
    // Extents of an input: value info, type, tensor type, shape, dimension.
    let shape = field(2, &field(1, &[]).repeat(100_000));
    let input = field(11, &[field(1, b"x"), field(2, &field(1, &shape))].concat());
    check("extents", model(&input));
    // Fields of the model: opsets, metadata, functions.
    for number in [8, 14] {
        check("model field", field(number, &[]).repeat(100_000));
    }
}

#[test]
fn many_small_nodes_are_bounded() {
    let node = |i: usize, op: &[u8]| {
        let (from, to) = (format!("v{i}"), format!("v{}", i + 1));
        field(
            1,
            &[
                field(1, from.as_bytes()),
                field(2, to.as_bytes()),
                field(4, op),
            ]
            .concat(),
        )
    };
    let float = [
        field(1, b"v0"),
        field(2, &field(1, &[1 << 3, 1, 2 << 3 | 2, 0])),
    ]
    .concat();
    for (count, op) in [
        (1000, &b"Abs"[..]),
        (50_000, b"Abs"),
        (50_000, b"No"),
        (50_000, b"Size"),
    ] {
        let nodes: Vec<u8> = (0..count).flat_map(|i| node(i, op)).collect();
        let graph = [field(11, &float), nodes].concat();
        let worked = check(&format!("{count} nodes"), model(&graph));
        // A small model is never refused for its cost.
        assert!(worked || count > 1000 || op != b"Abs");
    }
}

#[test]
fn huge_declared_tensors_are_not_allocated() {
    // dims = [2^40], FLOAT, no data; then a few bytes of data.
    let huge = [1 << 3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 2 << 3, 1];
    let with_data = [&huge[..], &field(9, &[0; 4])].concat();
    for tensor in [huge.to_vec(), with_data] {
        assert!(!check("huge tensor", model(&field(5, &tensor))));
    }
}

#[test]
fn packed_numbers_are_bounded() {
    for number in [4, 5, 7, 10, 11] {
        let tensor = field(number, &vec![0; 400_000]);
        check(&format!("tensor field {number}"), model(&field(5, &tensor)));
    }
    let dims = field(1, &vec![1; 400_000]);
    check("dims", model(&field(5, &dims)));
}
