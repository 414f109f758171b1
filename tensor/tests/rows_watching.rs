//! What can be seen of tensors at any time and without a feature, and what holds when something is wrong: bounds, failing
//! memory, many threads. One test per promise.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tensor::alloc::{
    AllocError, Allocation, Allocator, Counters, Counts, DebugAllocator, DebugOptions,
    LimitAllocator, PoolAllocator, PoolOptions, RecordingAllocator, SystemAllocator,
};
use tensor::device::{AllocatorRegistry, DeviceBuffer, Devices, Pending, copy};
use tensor::{
    AllocBuffer, AllocationGroup, DType, Device, DynRank, MemoryKind, OwnedBuffer, Rank,
    SharedTensor, SliceSpec, Tensor, TensorError, TensorView, TensorViewMut, TypedTensor,
    ValidationError,
};

fn system() -> Arc<dyn Allocator> {
    Arc::new(SystemAllocator::new())
}

fn rows() -> Tensor {
    Tensor::from_vec_row_major([2, 3], vec![1_i16, 2, 3, 4, 5, 6]).unwrap()
}

/// Two blocks of 40 bytes at one time, a request for more than there is, and each kind of copy once.
#[test]
fn d10_every_allocator_counts_what_goes_through_it() {
    let limited: Arc<dyn Allocator> = Arc::new(LimitAllocator::new(system(), 80));
    let wrapped = || Arc::clone(&limited);
    let recording = Arc::new(RecordingAllocator::new(wrapped()));
    let debug = Arc::new(DebugAllocator::new(
        recording.clone(),
        DebugOptions::default(),
    ));
    let outer: Arc<dyn Allocator> = debug;
    let first = Tensor::zeros_in(&outer, DType::F32, [10]).unwrap();
    let mut second = first.duplicate_in(&outer).unwrap();
    Tensor::zeros_in(&outer, DType::F32, [1]).unwrap_err();
    copy(&first, &mut second).unwrap();
    drop(first);
    let turned = Tensor::from_vec_row_major([2, 5], vec![0_u8; 10]).unwrap();
    let turned = turned.view().unwrap().transpose();
    drop(turned.to_contiguous_in(&outer).unwrap());

    let counts = outer.counters().read();
    let inner = limited.counters().read();
    for (what, counts) in [("outer", counts), ("inner", inner)] {
        assert_eq!(
            (counts.allocations, counts.deallocations, counts.refusals),
            (3, 2, 1),
            "{what}"
        );
        assert_eq!(
            (counts.allocated_bytes, counts.live_bytes, counts.peak_bytes),
            (90, 40, 80),
            "{what}"
        );
    }
    // The duplicate, the copy into it, the turned matrix.
    assert_eq!((counts.copies_in, counts.copied_in_bytes), (3, 90));
    assert_eq!((counts.copies_out, counts.copied_out_bytes), (0, 0));
    // A copy is counted once, by the allocator that the tensor names.
    assert_eq!((inner.copies_in, inner.copied_in_bytes), (0, 0));
    assert_eq!(
        counts.to_string(),
        "3 blocks had, 2 given back, 1 refused; 40 bytes live, 80 at most; 3 copies in (90 bytes), 0 copies out (0 bytes)"
    );
    drop(second);
    assert_eq!(outer.counters().read().live_bytes, 0);
}

/// A pool counts what its users have, the memory behind it what the pool has.
#[test]
fn d09_a_pool_and_its_memory_count_apart() {
    let behind = system();
    let pool: Arc<dyn Allocator> = Arc::new(PoolAllocator::new(
        Arc::clone(&behind),
        PoolOptions::default(),
    ));
    for _ in 0..5 {
        drop(Tensor::zeros_in(&pool, DType::U8, [100]).unwrap());
    }
    let (pool, behind) = (pool.counters().read(), behind.counters().read());
    assert_eq!((pool.allocations, pool.live_bytes), (5, 0));
    assert_eq!((behind.allocations, behind.live_bytes), (1, 128));
}

/// Every place of a registry can be read; nobody needs to know its allocators by type.
#[test]
fn d12_counters_are_read_through_the_registry() {
    let devices = Devices::default();
    let made = devices.empty(Device::CPU, DType::F64, [4]).unwrap();
    let all: Vec<(Device, MemoryKind, Counts)> = devices
        .allocators()
        .iter()
        .map(|(device, kind, allocator)| (device, kind, allocator.counters().read()))
        .collect();
    assert_eq!(all.len(), 1);
    assert_eq!(
        (all[0].0, all[0].1),
        (Device::CPU, MemoryKind::UnpinnedHost)
    );
    assert_eq!((all[0].2.live_bytes, all[0].2.copies_in), (32, 0));
    drop(made);
}

/// What `cargo` would build of this crate, package by package.
fn packages(features: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "tensor", "--edges", "normal"])
        .args(["--prefix", "none", "--offline"])
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn h06_without_the_feature_no_tracing_is_built() {
    let has = |packages: &str| packages.lines().any(|line| line.starts_with("tracing"));
    assert!(!has(&packages(&[])));
    assert!(has(&packages(&["--features", "tracing"])));
}

#[test]
fn h08_an_index_that_does_not_fit_is_an_error() {
    let mut dynamic = TypedTensor::<f32>::from_vec_row_major([2, 3], vec![0.0; 6]).unwrap();
    let mut fixed = TypedTensor::<f32, Rank<2>>::from_vec_row_major([2, 3], vec![0.0; 6]).unwrap();
    for index in [&[][..], &[0], &[0, 0, 0], &[5, 5, 5]] {
        let expect = |error: TensorError| {
            let text = format!("{error:?}");
            assert!(
                matches!(
                    error,
                    TensorError::Validation(ValidationError::RankMismatch { .. })
                ),
                "{index:?}: {text}"
            );
        };
        expect(dynamic.get(index).unwrap_err());
        expect(dynamic.get_mut(index).unwrap_err());
        expect(dynamic.as_view().unwrap().get(index).unwrap_err());
        expect(dynamic.as_view_mut().unwrap().get_mut(index).unwrap_err());
        expect(fixed.get(index).unwrap_err());
        expect(fixed.get_mut(index).unwrap_err());
        expect(fixed.as_view().unwrap().get(index).unwrap_err());
    }
    for index in [[2, 0], [0, 3], [usize::MAX, 0], [0, usize::MAX]] {
        let expect = |error: TensorError| {
            assert!(
                matches!(
                    error,
                    TensorError::Validation(ValidationError::IndexOutOfBounds { .. })
                ),
                "{index:?}: {error:?}"
            );
        };
        expect(dynamic.get(&index).unwrap_err());
        expect(fixed.get(&index).unwrap_err());
        expect(fixed.as_view().unwrap().get(&index).unwrap_err());
        // The square brackets have no way to say so; in every build they panic rather than read something else.
        let view = fixed.as_view().unwrap();
        catch_unwind(AssertUnwindSafe(|| view[index])).unwrap_err();
        catch_unwind(AssertUnwindSafe(|| fixed[index])).unwrap_err();
    }
    assert_eq!(dynamic.get(&[1, 2]), Ok(&0.0));
}

/// `f`, with every limit from 0 bytes until it succeeds.
fn limit_everywhere<T>(what: &str, f: impl Fn(&Arc<dyn Allocator>) -> tensor::Result<T>) {
    for limit in 0.. {
        let limited = Arc::new(LimitAllocator::new(system(), limit));
        let allocator: Arc<dyn Allocator> = limited.clone();
        // Something else of the program that holds a byte where there is one.
        let held = Allocation::new(
            &allocator,
            std::alloc::Layout::array::<u8>(limit.min(1)).unwrap(),
        );
        match f(&allocator) {
            Ok(made) => {
                drop((made, held));
                assert_eq!(limited.counters().read().live_bytes, 0, "{what}");
                assert!(limit > 0, "{what} must allocate");
                return;
            }
            Err(error) => {
                let TensorError::Alloc {
                    op,
                    source:
                        AllocError::LimitExceeded {
                            requested_bytes,
                            free_bytes,
                            limit_bytes,
                            ..
                        },
                } = &error
                else {
                    panic!("{what}: {error:?}");
                };
                assert_eq!(*op, what);
                assert_eq!((*limit_bytes, *free_bytes), (limit, limit - limit.min(1)));
                assert!(requested_bytes > free_bytes, "{what}: {error}");
                let text = error.to_string();
                for number in [requested_bytes, free_bytes, limit_bytes] {
                    assert!(text.contains(&number.to_string()), "{text}");
                }
                assert_eq!(limited.counters().read().live_bytes, limit.min(1), "{what}");
            }
        }
    }
}

#[test]
fn h10_a_limit_says_what_was_requested_what_is_free_and_what_it_is() {
    let source = rows();
    let turned = source.view().unwrap().transpose();
    limit_everywhere("zeros_in", |a| Tensor::zeros_in(a, DType::F32, [4]));
    limit_everywhere("full_in", |a| Tensor::full_in(a, [4], 1_u8));
    limit_everywhere("from_slice_row_major_in", |a| {
        Tensor::from_slice_row_major_in(a, [2], &[1.0, 2.0])
    });
    limit_everywhere("from_slice_col_major_in", |a| {
        Tensor::from_slice_col_major_in(a, [2], &[1.0, 2.0])
    });
    limit_everywhere("to_contiguous_in", |a| source.to_contiguous_in(a));
    limit_everywhere("to_contiguous_in", |a| turned.to_contiguous_in(a));
    limit_everywhere("duplicate_in", |a| source.duplicate_in(a));
    limit_everywhere("duplicate_in", |a| turned.duplicate_in(a));
    limit_everywhere("empty", |a| {
        let mut devices = Devices::default();
        devices.allocators_mut().register(Arc::clone(a));
        devices.empty(Device::CPU, DType::I16, [3])
    });
    assert_eq!(source.to_vec::<i16>().unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn h11_what_owns_or_lends_elements_is_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Tensor>();
    check::<SharedTensor>();
    check::<TensorView<'_>>();
    check::<TensorViewMut<'_>>();
    check::<AllocationGroup>();
    check::<Allocation>();
    check::<AllocBuffer<f32>>();
    check::<DeviceBuffer<f32>>();
    check::<Arc<dyn Allocator>>();
    check::<AllocatorRegistry>();
    check::<Devices>();
    check::<Pending>();
    check::<Counters>();
}

/// Owners are cloned, sliced, read and dropped by many threads at once; the memory goes back once, after the last of them.
#[test]
fn h11_many_threads_count_the_owners_right() {
    struct Told(Vec<u32>, Arc<AtomicUsize>);
    impl AsRef<[u32]> for Told {
        fn as_ref(&self) -> &[u32] {
            &self.0
        }
    }
    impl Drop for Told {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    let rounds = if cfg!(miri) { 5 } else { 2000 };
    let dropped = Arc::new(AtomicUsize::new(0));
    let memory = OwnedBuffer::new(Told((0..64).collect(), Arc::clone(&dropped)));
    let owner =
        TypedTensor::<u32, DynRank, tensor::Gpu>::from_buffer_row_major([8, 8], Box::new(memory))
            .unwrap();
    let shared = Tensor::from(owner).into_shared();
    std::thread::scope(|scope| {
        for row in 0..4_usize {
            let mut mine = shared.clone();
            scope.spawn(move || {
                for _ in 0..rounds {
                    let start = isize::try_from(row).unwrap();
                    let part = mine.slice(&[SliceSpec::range(start, start + 1)]).unwrap();
                    let other = part.transpose().clone();
                    assert!(other.holders() >= 3);
                    let first = 8 * u32::try_from(row).unwrap();
                    let elements = other.view().unwrap().to_vec::<u32>().unwrap();
                    assert!(elements.iter().copied().eq(first..first + 8));
                    // Nobody can write while there are others.
                    assert!(matches!(
                        mine.view_mut(),
                        Err(TensorError::Shared { .. } | TensorError::ReadOnly { .. })
                    ));
                }
            });
        }
    });
    assert_eq!((shared.holders(), dropped.load(Ordering::Relaxed)), (1, 0));
    drop(shared);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}

/// All allocators with a state of their own in one tower, asked by many threads: every sum is right in the end.
#[test]
fn h12_stateful_allocators_serve_many_threads() {
    let rounds = if cfg!(miri) { 5_u64 } else { 500 };
    let recording = Arc::new(RecordingAllocator::over_system());
    let debug = Arc::new(DebugAllocator::new(
        recording.clone(),
        DebugOptions::default(),
    ));
    let pool = Arc::new(PoolAllocator::new(
        debug.clone(),
        PoolOptions::default().shards(2).cached_bytes_limit(4096),
    ));
    let limit = Arc::new(LimitAllocator::new(pool.clone(), 3000));
    let allocator: Arc<dyn Allocator> = limit.clone();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let allocator = &allocator;
            scope.spawn(move || {
                for round in 0..rounds {
                    let value = thread << 32 | round;
                    let len = 1 + usize::try_from(round % 150).unwrap();
                    // At most three of the four fit at the largest size.
                    match Tensor::full_in(allocator, [len], value) {
                        Ok(t) => {
                            let elements = t.to_vec::<u64>().unwrap();
                            assert!(elements.iter().all(|&found| found == value));
                        }
                        Err(error) => assert!(
                            matches!(
                                error,
                                TensorError::Alloc {
                                    source: AllocError::LimitExceeded { .. },
                                    ..
                                }
                            ),
                            "{error}"
                        ),
                    }
                }
            });
        }
    });
    let counts = limit.counters().read();
    assert_eq!(counts.allocations + counts.refusals, 4 * rounds);
    assert_eq!(counts.allocations, counts.deallocations);
    assert!(
        counts.live_bytes == 0 && counts.peak_bytes <= 3000,
        "{counts}"
    );
    let stats = pool.stats();
    assert_eq!(stats.hits + stats.misses, counts.allocations);
    assert_eq!(debug.counters().read().live_bytes, stats.cached_bytes);
    pool.trim();
    assert_eq!((debug.live_blocks(), recording.live()), (0, 0));
    assert_eq!(debug.misuses(), []);
}
