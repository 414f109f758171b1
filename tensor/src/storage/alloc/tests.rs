//! The conformance test over every allocator, and what each promises beyond it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::*;
use crate::{Device, DeviceKind};

fn system() -> Arc<dyn Allocator> {
    Arc::new(SystemAllocator::new())
}

fn bytes(size: usize) -> Layout {
    Layout::from_size_align(size, 1).unwrap()
}

fn take(allocator: &Arc<dyn Allocator>, size: usize) -> Allocation {
    Allocation::new(allocator, bytes(size)).unwrap()
}

const FAR: Placement = Placement::on_device(Device::new(DeviceKind::Custom(3), 1));

/// Names count up; the most bytes are 64 MiB.
#[derive(Debug, Default)]
struct Names {
    next: AtomicUsize,
    live: Mutex<Vec<(usize, usize)>>,
}

impl DeviceHeap for Names {
    fn reserve(&self, bytes: usize, _alignment: usize) -> Result<NonZeroUsize, AllocError> {
        let name = 1 + self.next.fetch_add(1, Ordering::Relaxed);
        if bytes > 64 << 20 {
            return Err(AllocError::OutOfMemory {
                requested_bytes: bytes,
                alignment_bytes: 1,
                placement: FAR,
            });
        }
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        live.push((name, bytes));
        Ok(NonZeroUsize::new(name).unwrap())
    }
    fn release(&self, name: NonZeroUsize, bytes: usize) {
        let mut live = self.live.lock().unwrap();
        let at = live.iter().position(|block| *block == (name.get(), bytes));
        live.swap_remove(at.expect("only live blocks come back, with their size"));
    }
    fn placement(&self) -> Placement {
        FAR
    }
}

#[test]
fn d04_d05_every_allocator_conforms() {
    let names =
        || -> Arc<dyn Allocator> { Arc::new(HeapAllocator::new(Names::default()).unwrap()) };
    let pool = |inner| -> Arc<dyn Allocator> {
        Arc::new(PoolAllocator::new(inner, PoolOptions::default().shards(3)))
    };
    let debug = |inner| -> Arc<dyn Allocator> {
        Arc::new(DebugAllocator::new(inner, DebugOptions::default()))
    };
    let limit = |inner| -> Arc<dyn Allocator> { Arc::new(LimitAllocator::new(inner, 8 << 20)) };
    let small = PoolOptions::default().cached_bytes_limit(2000);
    let all: Vec<Arc<dyn Allocator>> = vec![
        system(),
        Arc::new(SystemAllocator::new().with_huge_pages_from(0)),
        Arc::new(SystemAllocator::new().labelled(FAR)),
        names(),
        pool(system()),
        pool(names()),
        Arc::new(PoolAllocator::new(system(), small)),
        limit(system()),
        debug(system()),
        Arc::new(RecordingAllocator::over_system()),
        debug(pool(debug(limit(system())))),
        debug(names()),
    ];
    for allocator in &all {
        conformance::check(allocator);
    }
}

#[test]
fn d05_blocks_are_aligned_to_64_bytes_whatever_is_asked() {
    for size in [1, 64, 100, 5000] {
        let block = take(&system(), size);
        assert_eq!(block.as_ptr().addr().get() % ALIGNMENT_BYTES, 0, "{size}");
    }
}

#[test]
fn huge_pages_start_at_their_threshold() {
    let allocator: Arc<dyn Allocator> =
        Arc::new(SystemAllocator::new().with_huge_pages_from(3 << 20));
    let large = take(&allocator, 5 << 20);
    assert_eq!(large.as_ptr().addr().get() % (2 << 20), 0);
    drop(take(&allocator, (3 << 20) - 1));
}

#[test]
fn d14_zero_bytes_ask_nobody() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let allocator: Arc<dyn Allocator> = recording.clone();
    let nothing = Allocation::new(&allocator, Layout::from_size_align(0, 4096).unwrap()).unwrap();
    assert_eq!(nothing.as_ptr().addr().get(), 4096);
    drop(nothing);
    assert_eq!(recording.events(), []);
}

#[test]
fn d02_d15_blocks_go_back_once_and_keep_their_allocator() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let allocator: Arc<dyn Allocator> = recording.clone();
    let (a, b) = (take(&allocator, 10), take(&allocator, 20));
    drop(allocator);
    assert_eq!(Arc::strong_count(&recording), 3);
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _held = (a, b);
        panic!("on purpose");
    }));
    assert!(unwound.is_err());
    assert_eq!(
        (
            recording.counters().read().allocations,
            recording.counters().read().deallocations,
            recording.live()
        ),
        (2, 2, 0)
    );
    assert_eq!(Arc::strong_count(&recording), 1);
}

#[test]
fn d10_a_recording_allocator_tells_every_block_and_every_free_in_order() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let allocator: Arc<dyn Allocator> = recording.clone();
    let (a, b) = (take(&allocator, 10), take(&allocator, 20));
    let (a_at, b_at) = (a.as_ptr().addr(), b.as_ptr().addr());
    drop(a);
    let counts = recording.counters().read();
    assert_eq!((counts.allocations, counts.deallocations), (2, 1));
    // What leaks is what is live.
    assert_eq!(recording.live(), 1);
    recording.fail_at(Some(0));
    assert!(Allocation::new(&allocator, bytes(30)).is_err());
    drop(b);
    let told: Vec<(bool, usize, usize)> = recording
        .events()
        .into_iter()
        .map(|event| match event {
            AllocEvent::Allocated { address, layout } => (true, address, layout.size()),
            AllocEvent::Freed { address, layout } => (false, address, layout.size()),
            AllocEvent::Refused { layout } => (true, 0, layout.size()),
        })
        .collect();
    let (a, b) = (a_at.get(), b_at.get());
    assert_eq!(
        told,
        [
            (true, a, 10),
            (true, b, 20),
            (false, a, 10),
            (true, 0, 30),
            (false, b, 20)
        ]
    );
}

#[test]
fn d09_the_pool_counts_hits_misses_and_bytes() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let pool = Arc::new(PoolAllocator::new(
        recording.clone(),
        PoolOptions::default(),
    ));
    let allocator: Arc<dyn Allocator> = pool.clone();
    drop(take(&allocator, 100));
    // 100 and 128 bytes are in one class of 128; 129 is in the class of 192.
    let held = take(&allocator, 128);
    let other = take(&allocator, 129);
    let stats = pool.stats();
    assert_eq!((stats.hits, stats.misses, stats.passed_on), (1, 2, 0));
    assert_eq!((stats.live_bytes, stats.cached_bytes), (128 + 192, 0));
    drop((held, other));
    assert_eq!(pool.stats().cached_bytes, 128 + 192);
    assert_eq!(
        (
            recording.counters().read().allocations,
            recording.counters().read().deallocations
        ),
        (2, 0)
    );
    pool.trim();
    assert_eq!((pool.stats().cached_bytes, recording.live()), (0, 0));
    // Wide alignments are passed on.
    let wide = Allocation::new(&allocator, Layout::from_size_align(64, 4096).unwrap()).unwrap();
    assert_eq!((pool.stats().passed_on, pool.stats().live_bytes), (1, 64));
    drop(wide);
    assert_eq!((pool.stats().live_bytes, pool.stats().cached_bytes), (0, 0));
}

#[test]
fn d09_blocks_are_at_most_a_quarter_too_large() {
    let step = if cfg!(miri) { 501 } else { 1 };
    for size in (1..5000)
        .step_by(step)
        .chain([1 << 20, (1 << 20) + 1, 3 << 28])
    {
        let inner = Arc::new(DebugAllocator::new(
            Arc::new(HeapAllocator::new(Endless).unwrap()),
            DebugOptions::default(),
        ));
        let pool: Arc<dyn Allocator> =
            Arc::new(PoolAllocator::new(inner.clone(), PoolOptions::default()));
        let _block = take(&pool, size);
        let made = inner.counters().read().live_bytes;
        assert!(
            made >= size && made < size + (size / 4).max(64),
            "{size}: {made}"
        );
    }
}

/// Memory without an end.
#[derive(Debug)]
struct Endless;

impl DeviceHeap for Endless {
    fn reserve(&self, _bytes: usize, _alignment: usize) -> Result<NonZeroUsize, AllocError> {
        Ok(NonZeroUsize::MIN)
    }
    fn release(&self, _name: NonZeroUsize, _bytes: usize) {}
    fn placement(&self) -> Placement {
        FAR
    }
}

#[test]
fn d09_a_full_pool_gives_back_and_an_empty_memory_makes_it_trim() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let options = PoolOptions::default().cached_bytes_limit(256);
    let pool = Arc::new(PoolAllocator::new(recording.clone(), options));
    let allocator: Arc<dyn Allocator> = pool.clone();
    drop((take(&allocator, 192), take(&allocator, 128)));
    assert_eq!((pool.stats().cached_bytes, recording.live()), (192, 1));
    drop(take(&allocator, 1000));
    assert_eq!(pool.stats().passed_on, 1);

    let limit = Arc::new(LimitAllocator::new(system(), 512));
    let pool: Arc<dyn Allocator> =
        Arc::new(PoolAllocator::new(limit.clone(), PoolOptions::default()));
    drop(take(&pool, 512));
    assert_eq!(limit.counters().read().live_bytes, 512);
    // The kept block is in the way until the pool gives it back.
    let other = take(&pool, 64);
    assert_eq!(limit.counters().read().live_bytes, 64);
    drop(other);
}

#[test]
fn d16_pools_of_threads_are_values_that_live_as_long_as_their_blocks() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let inner = recording.clone();
            std::thread::spawn(move || {
                let pool: Arc<dyn Allocator> =
                    Arc::new(PoolAllocator::new(inner, PoolOptions::default().shards(1)));
                drop(take(&pool, 64));
                take(&pool, 64)
            })
        })
        .collect();
    let blocks: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert_eq!(
        (recording.counters().read().allocations, recording.live()),
        (2, 2)
    );
    // The threads and their handles are gone; the last block ends its pool.
    drop(blocks);
    assert_eq!(recording.live(), 0);
}

#[test]
fn d09_blocks_freed_by_one_thread_serve_another() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let pool = Arc::new(PoolAllocator::new(
        recording.clone(),
        PoolOptions::default(),
    ));
    let allocator: Arc<dyn Allocator> = pool.clone();
    let block = take(&allocator, 64);
    std::thread::spawn(move || drop(block)).join().unwrap();
    drop(take(&allocator, 64));
    assert_eq!(
        (pool.stats().hits, recording.counters().read().allocations),
        (1, 1)
    );
}

#[test]
fn h12_the_limit_holds_with_many_threads() {
    let limit = Arc::new(LimitAllocator::new(system(), 1000));
    let allocator: Arc<dyn Allocator> = limit.clone();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..(if cfg!(miri) { 5 } else { 500 }) {
                    let taken = Allocation::new(&allocator, bytes(300));
                    assert!(limit.counters().read().live_bytes <= 1000);
                    drop(taken);
                }
            });
        }
    });
    assert_eq!(limit.counters().read().live_bytes, 0);
    let _held = take(&allocator, 900);
    let error = Allocation::new(&allocator, bytes(101)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "101 bytes of host memory asked for, 100 free of the limit of 1000; free some of it, raise the limit or use smaller shapes"
    );
}

#[test]
fn a_limit_counts_only_what_was_had() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let limit = Arc::new(LimitAllocator::new(recording.clone(), 100));
    let allocator: Arc<dyn Allocator> = limit.clone();
    recording.fail_at(Some(0));
    let error = Allocation::new(&allocator, bytes(60)).unwrap_err();
    assert!(matches!(
        error,
        AllocError::OutOfMemory {
            requested_bytes: 60,
            ..
        }
    ));
    assert_eq!(limit.counters().read().live_bytes, 0);
    assert_eq!(
        recording.events(),
        [AllocEvent::Refused { layout: bytes(60) }]
    );
    let _whole = take(&allocator, 100);
    assert_eq!(
        (limit.counters().read().live_bytes, limit.limit_bytes()),
        (100, 100)
    );
}

#[test]
fn h03_totals_and_peak_are_exact() {
    let debug = Arc::new(DebugAllocator::new(system(), DebugOptions::default()));
    let allocator: Arc<dyn Allocator> = debug.clone();
    let a = take(&allocator, 100);
    let b = take(&allocator, 50);
    drop(a);
    let c = take(&allocator, 20);
    let totals = debug.counters().read();
    assert_eq!((totals.allocations, totals.deallocations), (3, 1));
    assert_eq!(
        (totals.allocated_bytes, totals.live_bytes, totals.peak_bytes),
        (170, 70, 150)
    );
    let report = debug.leak_report();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(
        lines[0],
        "2 blocks of host memory are live, 70 bytes in all"
    );
    assert_eq!(
        lines[1],
        format!("  #1: 50 bytes at {:#x}", b.as_ptr().addr())
    );
    assert_eq!(
        lines[2],
        format!("  #2: 20 bytes at {:#x}", c.as_ptr().addr())
    );
    drop((b, c));
    assert_eq!((debug.live_blocks(), debug.leak_report().as_str()), (0, ""));
}

#[test]
fn h03_wrong_frees_are_found_and_do_no_harm() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let debug = DebugAllocator::new(recording.clone(), DebugOptions::default());
    let layout = bytes(80);
    let block = debug.allocate(layout).unwrap();
    let address = block.addr().get();
    let foreign = NonNull::from(&mut 0_u8);
    // SAFETY: a `DebugAllocator` may be given any address where no block of somebody else lives.
    unsafe { debug.deallocate(foreign, bytes(1)) };
    // SAFETY: as above.
    unsafe { debug.deallocate(block, bytes(79)) };
    // SAFETY: as above.
    unsafe { debug.deallocate(block, layout) };
    let misuses = debug.misuses();
    assert_eq!(
        misuses,
        [
            Misuse::ForeignFree {
                address: foreign.addr().get(),
                bytes: 1
            },
            Misuse::WrongLayout {
                address,
                made_bytes: 80,
                made_alignment: 1,
                freed_bytes: 79,
                freed_alignment: 1
            },
            Misuse::DoubleFree { address, bytes: 80 },
        ]
    );
    assert_eq!(
        (
            recording.counters().read().allocations,
            recording.counters().read().deallocations
        ),
        (1, 1)
    );
    assert_eq!(
        misuses[2].to_string(),
        format!("block {address:#x} of 80 bytes was freed twice; its owner must drop it once")
    );
}

#[test]
#[should_panic(expected = "did not come from this allocator")]
fn h03_a_wrong_free_panics_if_it_is_told_to() {
    let options = DebugOptions::default().on_misuse(OnMisuse::Panic);
    let debug = DebugAllocator::new(system(), options);
    // SAFETY: a `DebugAllocator` may be given any address where no block of somebody else lives.
    unsafe { debug.deallocate(NonNull::from(&mut 0_u8), bytes(1)) };
}

#[test]
fn h03_call_stacks_are_taken_when_asked_for() {
    if cfg!(miri) {
        // Miri takes minutes to print a call stack.
        return;
    }
    let options = DebugOptions::default().call_stacks(true);
    let debug = Arc::new(DebugAllocator::new(system(), options));
    let allocator: Arc<dyn Allocator> = debug.clone();
    let _held = take(&allocator, 8);
    let report = debug.leak_report();
    assert!(
        report.contains("h03_call_stacks_are_taken_when_asked_for"),
        "{report}"
    );
}

#[test]
fn h04_the_exit_report_speaks_only_of_leaks() {
    let said = Arc::new(Mutex::new(String::new()));
    let sink = || {
        let said = Arc::clone(&said);
        move |report: &str| said.lock().unwrap().push_str(report)
    };
    let debug = Arc::new(DebugAllocator::new(system(), DebugOptions::default()));
    let allocator: Arc<dyn Allocator> = debug.clone();
    drop(debug.report_at_exit(sink()));
    assert_eq!(*said.lock().unwrap(), "");
    let held = take(&allocator, 8);
    drop(debug.report_at_exit(sink()));
    assert!(
        said.lock()
            .unwrap()
            .starts_with("1 blocks of host memory are live, 8 bytes in all")
    );
    drop(held);
}

#[test]
fn a_heap_of_names_may_not_claim_host_memory() {
    #[derive(Debug)]
    struct Liar;
    impl DeviceHeap for Liar {
        fn reserve(&self, _bytes: usize, _alignment: usize) -> Result<NonZeroUsize, AllocError> {
            Ok(NonZeroUsize::MIN)
        }
        fn release(&self, _name: NonZeroUsize, _bytes: usize) {}
        fn placement(&self) -> Placement {
            Placement::HOST
        }
    }
    let error = HeapAllocator::new(Liar).unwrap_err();
    assert_eq!(
        error,
        AllocError::HostAddressable {
            placement: Placement::HOST
        }
    );
}
