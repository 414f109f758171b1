//! What memory promises, one test per promise: allocators chosen by the caller, the registry, memory of others.

use std::process::Command;
use std::sync::Arc;

use tensor::alloc::{
    AllocError, Allocator, DebugAllocator, DebugOptions, PoolAllocator, PoolOptions,
    RecordingAllocator, SystemAllocator,
};
use tensor::device::{AllocatorRegistry, DeviceError};
use tensor::{
    DType, Device, DeviceKind, DynRank, Gpu, MemoryKind, OwnedBuffer, OwnedBufferMut, Placement,
    Rank, SliceSpec, Tensor, TensorError, TypedTensor, TypedTensorView,
};

fn recording() -> (Arc<RecordingAllocator>, Arc<dyn Allocator>) {
    let recording = Arc::new(RecordingAllocator::over_system());
    (recording.clone(), recording)
}

type Typed<T> = TypedTensor<T, DynRank, Gpu>;

#[test]
fn d13_the_storage_reports_the_allocator_that_was_given() {
    let (_, allocator) = recording();
    let typed = Typed::<i32>::full_in(&allocator, [2, 2], 7).unwrap();
    assert!(Arc::ptr_eq(typed.allocator().unwrap(), &allocator));
    assert_eq!(typed.to_vec().unwrap(), [7; 4]);
    assert_eq!(typed.storage().unwrap().as_ptr().addr() % 64, 0);
    let erased = Tensor::from(typed);
    assert!(Arc::ptr_eq(erased.allocator().unwrap(), &allocator));
    assert!(Tensor::scalar(1_i32).allocator().is_none());
}

#[test]
fn d13_constructors_say_their_memory_order_and_check_their_shape() {
    let (recording, allocator) = recording();
    let elements = [1, 2, 3, 4, 5, 6];
    let rows =
        TypedTensor::<i32, Rank<2>, Gpu>::from_slice_row_major_in(&allocator, [2, 3], &elements);
    assert_eq!(rows.unwrap()[[1, 0]], 4);
    let columns =
        TypedTensor::<i32, Rank<2>, Gpu>::from_slice_col_major_in(&allocator, [2, 3], &elements);
    assert_eq!(columns.unwrap()[[1, 0]], 2);
    assert_eq!(recording.counters().read().allocations, 2);
    let wrong = Tensor::from_slice_row_major_in(&allocator, [2, 2], &elements).unwrap_err();
    assert!(
        wrong.to_string().starts_with("from_slice_row_major_in: "),
        "{wrong}"
    );
    let wrong = Tensor::zeros_in(&allocator, DType::F64, [usize::MAX, 2]).unwrap_err();
    assert!(matches!(wrong, TensorError::Validation(_)), "{wrong}");
    assert_eq!(
        (recording.counters().read().allocations, recording.live()),
        (2, 0)
    );
}

#[test]
fn d01_views_have_a_layout_each_and_one_storage_together() {
    let (recording, allocator) = recording();
    let owner = Tensor::from_slice_row_major_in(&allocator, [2, 3], &[1_i16, 2, 3, 4, 5, 6]);
    let all = owner.unwrap().into_shared();
    assert_eq!(all.layout().offset(), 0);
    let column = all.slice_axis(1, SliceSpec::range(1, 2)).unwrap();
    let turned = column.transpose();
    for (view, layout) in [
        (&all, "shape=[2, 3] strides=[3, 1] offset=0"),
        (&column, "shape=[2, 1] strides=[3, 1] offset=1"),
        (&turned, "shape=[1, 2] strides=[1, 3] offset=1"),
    ] {
        assert_eq!(view.layout().to_string(), layout);
        assert!(view.shares_storage_with(&all));
        assert_eq!(view.placement(), all.placement());
    }
    // One block, which goes with the last view of it.
    assert_eq!(
        (recording.counters().read().allocations, all.holders()),
        (1, 3)
    );
    drop((all, column));
    assert_eq!(recording.live(), 1);
    assert_eq!(turned.view().unwrap().to_vec::<i16>().unwrap(), [2, 5]);
    drop(turned);
    assert_eq!(recording.live(), 0);
}

#[test]
fn d14_no_elements_allocate_nothing() {
    let (recording, allocator) = recording();
    let t = Tensor::zeros_in(&allocator, DType::C64, [3, 0, 2]).unwrap();
    assert_eq!(t.to_vec::<tensor::Complex64>().unwrap(), []);
    assert!(t.duplicate_in(&allocator).unwrap().is_empty());
    assert!(t.to_contiguous_in(&allocator).unwrap().is_empty());
    assert_eq!(recording.events(), []);
}

#[test]
fn d13_every_dtype_has_zeros_of_its_own() {
    let (recording, allocator) = recording();
    for &dtype in DType::TAGS {
        let t = Tensor::zeros_in(&allocator, dtype, [2]).unwrap();
        assert_eq!((t.dtype(), t.shape()), (dtype, &[2][..]));
        let expect = Tensor::zeros(dtype, [2]).unwrap();
        assert_eq!(t.to_le_bytes().unwrap(), expect.to_le_bytes().unwrap());
    }
    assert_eq!(recording.live(), 0);
}

/// `f`, with the allocator failing at request 0, 1, ... until it no longer reaches that request.
fn fail_everywhere<T>(what: &str, f: impl Fn(&Arc<dyn Allocator>) -> tensor::Result<T>) {
    let (recording, allocator) = recording();
    for n in 0.. {
        recording.fail_at(Some(n));
        match f(&allocator) {
            Ok(made) => {
                drop(made);
                assert_eq!(recording.live(), 0, "{what}");
                assert!(n > 0, "{what} must allocate");
                return;
            }
            Err(error) => {
                assert!(
                    matches!(
                        error,
                        TensorError::Alloc {
                            source: AllocError::OutOfMemory { .. },
                            ..
                        }
                    ),
                    "{what}: {error:?}"
                );
                assert!(error.to_string().starts_with(what), "{error}");
                assert_eq!(recording.live(), 0, "{what} at request {n}");
            }
        }
    }
}

#[test]
fn d02_h10_a_failing_allocator_leaves_nothing_behind() {
    let source = Tensor::from_vec_row_major([2, 3], vec![1_i16, 2, 3, 4, 5, 6]).unwrap();
    let turned = source.view().unwrap().transpose();
    fail_everywhere("zeros_in", |a| Tensor::zeros_in(a, DType::F32, [4]));
    fail_everywhere("full_in", |a| Tensor::full_in(a, [4], 1_u8));
    fail_everywhere("from_slice_row_major_in", |a| {
        Tensor::from_slice_row_major_in(a, [2], &[1.0, 2.0])
    });
    fail_everywhere("from_slice_col_major_in", |a| {
        Tensor::from_slice_col_major_in(a, [2], &[1.0, 2.0])
    });
    fail_everywhere("to_contiguous_in", |a| source.to_contiguous_in(a));
    fail_everywhere("to_contiguous_in", |a| turned.to_contiguous_in(a));
    fail_everywhere("duplicate_in", |a| source.duplicate_in(a));
    fail_everywhere("duplicate_in", |a| turned.duplicate_in(a));
    assert_eq!(source.to_vec::<i16>().unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn copies_of_views_have_the_elements_and_the_order_they_say() {
    let (_, allocator) = recording();
    let data: Vec<i32> = (0..60).collect();
    let view = TypedTensorView::<i32>::from_slice([3, 4, 5], &data).unwrap();
    let turned = view.permute(&[2, 0, 1]).unwrap();
    let parts = [
        view.clone(),
        turned.clone(),
        turned
            .slice(&[SliceSpec::reverse(), SliceSpec::new(Some(0), None, 2)])
            .unwrap(),
        view.index_axis(1, 3).unwrap(),
        view.slice_axis(0, SliceSpec::range(0, 1))
            .unwrap()
            .broadcast_to([2, 4, 5])
            .unwrap(),
        view.slice_axis(2, SliceSpec::range(2, 2)).unwrap(),
    ];
    for part in parts {
        let expect = part.to_vec().unwrap();
        let contiguous = part.to_contiguous_in(&allocator).unwrap();
        assert_eq!(contiguous.as_slice().unwrap(), expect);
        let duplicate = part.duplicate_in(&allocator).unwrap();
        assert_eq!(duplicate.shape(), part.shape());
        assert_eq!(duplicate.to_vec().unwrap(), expect);
    }
    // The permuted copy keeps the axes as they lie, and so is one copy of memory.
    let duplicate = turned.duplicate_in(&allocator).unwrap();
    assert_eq!(duplicate.strides(), turned.strides());
    assert_eq!(duplicate.storage().unwrap(), data);
}

#[test]
fn d15_a_tensor_outlives_every_handle_of_its_allocator() {
    let recording = Arc::new(RecordingAllocator::over_system());
    let t = {
        let pool: Arc<dyn Allocator> = Arc::new(PoolAllocator::new(
            recording.clone(),
            PoolOptions::default(),
        ));
        let mut registry = AllocatorRegistry::empty();
        registry.register(pool);
        let host = registry.get(Device::CPU, MemoryKind::UnpinnedHost).unwrap();
        Tensor::full_in(host, [100], 3.0_f32).unwrap()
    };
    assert_eq!(t.to_vec::<f32>().unwrap(), [3.0; 100]);
    drop(t);
    assert_eq!(recording.live(), 0);
}

#[test]
fn d09_h12_random_sizes_on_many_threads_keep_their_contents() {
    let debug = Arc::new(DebugAllocator::new(
        Arc::new(SystemAllocator::new()),
        DebugOptions::default(),
    ));
    let pool = Arc::new(PoolAllocator::new(
        debug.clone(),
        PoolOptions::default().shards(3),
    ));
    let allocator: Arc<dyn Allocator> = pool.clone();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let allocator = &allocator;
            scope.spawn(move || {
                let mut random = 0x9e37_79b9_7f4a_7c15 ^ thread;
                let mut held: Vec<(u64, Tensor)> = Vec::new();
                for round in 0..2000 {
                    // xorshift
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    let value = thread << 32 | round;
                    let len = 1 + (random % 700) as usize;
                    held.push((value, Tensor::full_in(allocator, [len], value).unwrap()));
                    if held.len() > 20 {
                        let (value, t) = held.swap_remove((random >> 32) as usize % held.len());
                        assert!(
                            t.to_vec::<u64>()
                                .unwrap()
                                .iter()
                                .all(|&found| found == value)
                        );
                    }
                }
            });
        }
    });
    let stats = pool.stats();
    assert_eq!((stats.live_bytes, stats.hits + stats.misses), (0, 8000));
    // At most 21 tensors per thread live at one time, in 22 classes: most requests find a kept block.
    assert!(stats.hits > 6000, "{stats:?}");
    assert_eq!(stats.cached_bytes, debug.counters().read().live_bytes);
    pool.trim();
    assert_eq!(
        (debug.leak_report().as_str(), debug.misuses().len()),
        ("", 0)
    );
}

#[test]
fn d12_an_unknown_place_names_those_that_are_there() {
    let mut registry = AllocatorRegistry::default();
    let gpu = Device::new(DeviceKind::Vulkan, 1);
    let pinned = Placement {
        memory_kind: MemoryKind::PinnedHost,
        device: Some(gpu),
        cpu_domain: None,
    };
    assert!(
        registry
            .register(Arc::new(SystemAllocator::new().labelled(pinned)))
            .is_none()
    );
    let error = registry.get(gpu, MemoryKind::Device).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no allocator for device memory of vulkan:1 is registered, only for: host memory of cpu:0, pinned host memory of vulkan:1; register one"
    );
    let error = AllocatorRegistry::empty()
        .get(Device::CPU, MemoryKind::UnpinnedHost)
        .unwrap_err();
    assert!(matches!(error, DeviceError::NoAllocator { .. }));
    assert!(error.to_string().contains("only for: none"), "{error}");
    // Pinned memory is written by the host like any other.
    let t = Tensor::full_in(
        registry.get(gpu, MemoryKind::PinnedHost).unwrap(),
        [2],
        1_u8,
    )
    .unwrap();
    assert_eq!((t.placement(), t.is_on_host()), (pinned, true));
}

#[test]
fn d12_h12_a_registry_serves_many_threads() {
    let registry = AllocatorRegistry::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut own = registry.clone();
                for n in 0..20 {
                    let host = registry.get(Device::CPU, MemoryKind::UnpinnedHost).unwrap();
                    assert_eq!(Tensor::full_in(host, [n], n as i64).unwrap().len(), n);
                    own.register(Arc::new(SystemAllocator::new()));
                }
            });
        }
    });
    assert_eq!(registry.iter().count(), 1);
}

#[test]
fn h05_the_debug_allocator_takes_the_place_of_the_default_one() {
    let mut registry = AllocatorRegistry::default();
    let (device, kind) = (Device::CPU, MemoryKind::UnpinnedHost);
    let before = Tensor::zeros_in(registry.get(device, kind).unwrap(), DType::F32, [4]).unwrap();
    let system = Arc::clone(registry.get(device, kind).unwrap());
    let debug = Arc::new(DebugAllocator::new(system, DebugOptions::default()));
    assert!(registry.register(debug.clone()).is_some());
    let after = before
        .duplicate_in(registry.get(device, kind).unwrap())
        .unwrap();
    assert_eq!(debug.counters().read().live_bytes, 16);
    drop(before);
    assert_eq!(debug.live_blocks(), 1);
    drop(after);
    assert_eq!(debug.leak_report(), "");
}

/// Not a test of its own: the other process of the next one.
#[test]
fn h04_child() {
    if std::env::var_os("TENSOR_TEST_LEAK").is_none() {
        return;
    }
    let debug = Arc::new(DebugAllocator::new(
        Arc::new(SystemAllocator::new()),
        DebugOptions::default().call_stacks(true),
    ));
    let _report = debug.report_at_exit(|report| eprintln!("LEAKED {report}"));
    let allocator: Arc<dyn Allocator> = debug;
    drop(Tensor::zeros_in(&allocator, DType::F64, [100]).unwrap());
    std::mem::forget(Tensor::zeros_in(&allocator, DType::F64, [25]).unwrap());
}

#[test]
fn h04_a_leak_is_reported_at_the_end_of_the_program() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "h04_child", "--nocapture"])
        .env("TENSOR_TEST_LEAK", "1")
        .output()
        .unwrap();
    assert!(child.status.success());
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(
        said.contains(
            "LEAKED 1 blocks of host memory are live, 200 bytes in all\n  #1: 200 bytes at 0x"
        ),
        "{said}"
    );
    assert!(
        said.contains("h04_child"),
        "the call stack names the place: {said}"
    );
}

#[test]
fn g01_memory_of_others_stays_theirs() {
    let weights: Arc<[f32]> = Arc::from([1.0, 2.0, 3.0, 4.0]);
    let buffer = OwnedBuffer::new(Arc::clone(&weights));
    let mut t = Typed::<f32>::from_buffer_row_major([2, 2], Box::new(buffer)).unwrap();
    assert_eq!(t.storage().unwrap().as_ptr(), weights.as_ptr());
    assert!(matches!(t.storage_mut(), Err(TensorError::ReadOnly { .. })));
    assert!(t.allocator().is_none());
    assert_eq!(Arc::strong_count(&weights), 2);
    let mine = Tensor::from(t).to_host().unwrap();
    assert_eq!(Arc::strong_count(&weights), 1);
    assert_eq!(mine.to_vec::<f32>().unwrap(), *weights);
}

#[test]
fn d17_an_owner_that_lends_for_writing_is_written() {
    let buffer = OwnedBufferMut::new(vec![1_u8, 2, 3].into_boxed_slice());
    let mut t = Typed::<u8>::from_buffer_row_major([3], Box::new(buffer)).unwrap();
    t.as_mut_slice().unwrap()[1] = 9;
    let buffer: &OwnedBufferMut<u8, Box<[u8]>> =
        t.buffer().unwrap().as_any().downcast_ref().unwrap();
    assert_eq!(**buffer.owner(), [1, 9, 3]);
    let three = Typed::<u8>::from_buffer_row_major([4], Box::new(OwnedBufferMut::new(vec![0; 3])));
    assert!(three.is_err());
}

#[test]
fn d17_an_owner_whose_length_changes_is_an_error() {
    struct Shrinking(std::sync::atomic::AtomicUsize);
    impl AsRef<[u8]> for Shrinking {
        fn as_ref(&self) -> &[u8] {
            let calls = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            &[1, 2, 3][calls.min(3)..]
        }
    }
    let buffer = Box::new(OwnedBuffer::new(Shrinking(0.into())));
    let t = Typed::<u8>::from_buffer_row_major([3], buffer).unwrap();
    assert!(matches!(t.storage(), Err(TensorError::Validation(_))));
}
