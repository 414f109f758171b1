//! What every driver has to do, as one test to run over each, in the tests of a backend.

use std::alloc::Layout;
use std::sync::Arc;

use super::{DeviceError, Driver, HostSource, MemoryRange, Stream, Transfer};
use crate::AllocBuffer;
use crate::alloc::{self, ALIGNMENT_BYTES, Allocation, Allocator, SystemAllocator};

const BYTES: usize = 3000;

/// Runs all checks, those of each allocator included. The device has to have 4 MiB of each kind of memory free.
///
/// # Panics
/// Where the driver does something else than [`Driver`] and [`Stream`] say; the text names the check.
pub fn check(driver: &Arc<dyn Driver>) {
    let device = driver.device();
    assert_eq!(driver.device(), device, "a driver is of one device");
    for allocator in driver.allocators() {
        let placement = allocator.placement();
        assert_eq!(
            placement.device,
            Some(device),
            "{placement} must be of {device}"
        );
        alloc::conformance::check(&allocator);
        if !placement.memory_kind.is_host_addressable() {
            blocking(driver, &allocator);
            streams(driver, &allocator);
            events(driver, &allocator);
        }
    }
    sizes(driver);
}

/// Everything here must go well.
fn good<T>(what: &str, result: Result<T, DeviceError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{what}: {error}"),
    }
}

fn pattern(seed: usize) -> Vec<u8> {
    (0..BYTES)
        .map(|at| (at.wrapping_mul(31) ^ (at >> 7) ^ seed.wrapping_mul(97)) as u8)
        .collect()
}

fn block(allocator: &Arc<dyn Allocator>) -> MemoryRange {
    let layout = Layout::from_size_align(BYTES, ALIGNMENT_BYTES).expect("a small block");
    let made = Allocation::new(allocator, layout).map_err(DeviceError::from);
    MemoryRange::whole(Arc::new(good("a block of 3000 bytes", made)))
}

fn part(range: &MemoryRange, offset: usize, len: usize) -> MemoryRange {
    good(
        "a part",
        MemoryRange::new(Arc::clone(range.memory()), offset, len),
    )
}

fn read(driver: &Arc<dyn Driver>, from: &MemoryRange) -> Vec<u8> {
    let mut bytes = vec![0; from.len_bytes()];
    good("read", driver.read(from, &mut bytes));
    bytes
}

/// Whole blocks and parts, at odd places, are written, read and copied; nothing else changes.
fn blocking(driver: &Arc<dyn Driver>, allocator: &Arc<dyn Allocator>) {
    let (a, b) = (block(allocator), block(allocator));
    let mut expect = pattern(1);
    good("write", driver.write(&expect, &a));
    good("write", driver.write(&pattern(2), &b));
    assert_eq!(read(driver, &a), expect, "what was written is read");
    for (offset, len) in [(0, 1), (1, 4), (64, 128), (777, 1001), (BYTES - 3, 3)] {
        assert_eq!(
            read(driver, &part(&a, offset, len)),
            expect[offset..offset + len],
            "{len} bytes from {offset} on are read"
        );
    }
    let news = [1, 2, 3, 4, 5, 6, 7, 8];
    good("write a part", driver.write(&news, &part(&a, 100, 8)));
    expect[100..108].copy_from_slice(&news);
    assert_eq!(read(driver, &a), expect, "only the part is written");
    good("copy", driver.copy(&part(&b, 4, 400), &part(&a, 1000, 400)));
    expect[1000..1400].copy_from_slice(&pattern(2)[4..404]);
    assert_eq!(read(driver, &a), expect, "only the part is copied to");
    assert_eq!(
        read(driver, &b),
        pattern(2),
        "the source of a copy stays as it is"
    );
}

fn stream(driver: &Arc<dyn Driver>) -> Arc<dyn Stream> {
    let stream = good("a stream", driver.create_stream());
    assert_eq!(
        stream.device(),
        driver.device(),
        "a stream is of its driver's device"
    );
    assert!(good("idle", stream.is_idle()), "a new stream is idle");
    stream
}

fn upload(stream: &Arc<dyn Stream>, bytes: Vec<u8>, to: &MemoryRange) {
    let source: HostSource = Arc::new(bytes);
    let transfer = good("an upload", Transfer::upload(source, to.clone()));
    good("enqueue", stream.enqueue(transfer));
}

/// What is queued is done in order, and owns its memory.
fn streams(driver: &Arc<dyn Driver>, allocator: &Arc<dyn Allocator>) {
    let host: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
    let stream = stream(driver);
    let (a, b) = (block(allocator), block(allocator));
    upload(&stream, pattern(3), &a);
    upload(&stream, pattern(4), &part(&a, 0, BYTES));
    let within = good("a copy", Transfer::within(a.clone(), b.clone()));
    good("enqueue", stream.enqueue(within));
    upload(&stream, pattern(5), &a);
    let target = AllocBuffer::filled(&host, BYTES, 0).map_err(DeviceError::from);
    let target = good("host memory", target);
    let (download, landing) = good("a download", Transfer::download(b, target));
    good("enqueue", stream.enqueue(download));
    good("synchronize", stream.synchronize());
    assert!(
        good("idle", stream.is_idle()),
        "a synchronised stream is idle"
    );
    let arrived = landing
        .take()
        .expect("a download is over once its stream is synchronised");
    assert_eq!(
        good("arrived", arrived).as_slice(),
        pattern(4),
        "copies of one stream are done in order"
    );
    assert_eq!(read(driver, &a), pattern(5), "the last upload stays");
}

/// A stream that waits for an event of another one sees what was before it.
fn events(driver: &Arc<dyn Driver>, allocator: &Arc<dyn Allocator>) {
    let (first, second) = (stream(driver), stream(driver));
    let (a, b) = (block(allocator), block(allocator));
    for round in 0..8 {
        upload(&first, pattern(round), &a);
        let event = good("an event", first.record());
        good("wait", second.wait(&event));
        let within = good("a copy", Transfer::within(a.clone(), b.clone()));
        good("enqueue", second.enqueue(within));
        let copied = good("an event", second.record());
        good("synchronize an event", copied.synchronize());
        assert!(
            good("complete", event.is_complete()) && good("complete", copied.is_complete()),
            "an event that another one waited for is complete before it"
        );
        assert_eq!(read(driver, &b), pattern(round), "the second stream waited");
    }
}

/// Ranges and sizes are compared before a driver hears of them.
fn sizes(driver: &Arc<dyn Driver>) {
    for allocator in driver.allocators() {
        let a = block(&allocator);
        let outside = MemoryRange::new(Arc::clone(a.memory()), BYTES - 1, 2);
        assert!(
            matches!(outside, Err(DeviceError::OutOfRange { .. })),
            "a range ends inside its block"
        );
        let source: HostSource = Arc::new(vec![0; BYTES - 1]);
        assert!(
            matches!(
                Transfer::upload(source, a),
                Err(DeviceError::ByteCount { .. })
            ),
            "both sides of a copy have one size"
        );
    }
}
