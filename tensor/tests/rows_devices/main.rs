//! What devices, copies and streams promise, one test per promise, on a device that this folder defines.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

mod copies;
mod fake_device;
mod host_memory;
mod streams;

use std::alloc::Layout;
use std::any::Any;
use std::sync::Arc;

use fake_device::{Counts, FakeDevice, FakeStream};
use tensor::alloc::{
    AllocError, Allocation, Allocator, DebugAllocator, DebugOptions, LimitAllocator, PoolAllocator,
    PoolOptions, RecordingAllocator, SystemAllocator,
};
use tensor::device::{
    DeviceBuffer, DeviceError, Devices, Driver, Event, HostSource, MemoryRange, Stream, Target,
    Transfer, conformance, copy, same_device,
};
use tensor::{
    AllocBuffer, Buffer, DType, Device, DeviceKind, DynRank, ExternalScalar, Gpu, MemoryKind,
    OwnedBuffer, Placement, Scalar, ScalarDomain, SharedTensor, SliceSpec, Tensor, TensorElement,
    TensorError, TypedTensor, ValidationError,
};

/// Two fake devices and the processor.
fn devices() -> (Devices, FakeDevice, FakeDevice) {
    let (a, b) = (FakeDevice::new(0), FakeDevice::new(1));
    let mut devices = Devices::default();
    for device in [&a, &b] {
        assert!(
            devices
                .register(Arc::new(device.clone()))
                .unwrap()
                .is_none()
        );
    }
    (devices, a, b)
}

fn rows() -> Tensor {
    Tensor::from_vec_row_major([2, 3], vec![1_i32, 2, 3, 4, 5, 6]).unwrap()
}

fn values<T: TensorElement>(tensor: &Tensor) -> Vec<T> {
    tensor.to_host().unwrap().to_vec().unwrap()
}

#[test]
fn d11_new_hardware_needs_a_heap_a_driver_and_nothing_else() {
    let driver: Arc<dyn Driver> = Arc::new(FakeDevice::new(3));
    conformance::check(&driver);
    let fake: &FakeDevice = driver.as_any().downcast_ref().unwrap();
    assert_eq!(fake.live(), 0);
    let counts = fake.counts();
    assert_eq!(counts.allocations, counts.frees);
}

#[test]
fn e03_h09_operands_on_two_devices_are_an_error() {
    let (devices, a, b) = devices();
    let on = |device| rows().into_device(&devices, device).unwrap();
    let (x, y, z) = (on(a.device()), on(b.device()), rows());
    let place = |t: &Tensor| t.placement();
    assert_eq!(same_device("add", [place(&x), place(&x)]), Ok(a.device()));
    assert_eq!(same_device("add", []), Ok(Device::CPU));
    let error = same_device("matmul", [place(&x), place(&x), place(&y)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "matmul: one operand is on custom11:0 and another on custom11:1; bring both to one device with to() first"
    );
    let error = same_device("add", [place(&z), place(&x)]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("on cpu:0 and another on custom11:0"),
        "{error}"
    );
}

#[test]
fn e10_e11_nothing_but_a_copy_by_name_touches_the_device() {
    let (devices, a, _) = devices();
    let there = rows().into_device(&devices, a.device()).unwrap();
    let start = a.counts();
    assert_eq!(
        there.to_string(),
        "i32[2, 3] in device memory of custom11:0; to_host() copies its values to the host"
    );
    assert!(format!("{there:?}").contains("device memory of custom11:0"));
    assert!(matches!(there.view(), Err(TensorError::NotOnHost { .. })));
    assert!(there.duplicate().is_err() && there.to_vec::<i32>().is_err());
    let shared = there.into_shared();
    let _slices = (
        shared.clone(),
        shared.transpose(),
        shared.index_axis(0, 1).unwrap(),
    );
    assert_eq!(a.counts(), start);
}

#[test]
fn h14_debug_prints_metadata_and_no_value() {
    let (devices, a, _) = devices();
    let host = Tensor::full([2, 3], 77_i32).unwrap();
    let typed = TypedTensor::<i32>::from_vec_row_major(vec![1], vec![77]).unwrap();
    let there = host.to_host().unwrap().into_device(&devices, a.device());
    let there = there.unwrap();
    let shared = rows().into_shared().to(&devices, a.device()).unwrap();
    let start = a.counts();
    let view = host.view().unwrap();
    for text in [
        format!("{host:?} {view:?}"),
        format!("{typed:?} {:?}", typed.as_view().unwrap()),
        format!("{there:?}"),
        format!("{shared:?}"),
    ] {
        assert!(text.contains("shape") && !text.contains("77"), "{text}");
    }
    assert_eq!(a.counts(), start);
}

#[test]
fn d06_pools_limits_and_watchers_stand_in_front_of_device_memory() {
    let (mut devices, a, _) = devices();
    let device = a.device();
    let pool = Arc::new(PoolAllocator::new(
        Arc::clone(devices.home(device).unwrap()),
        PoolOptions::default(),
    ));
    let debug = Arc::new(DebugAllocator::new(pool.clone(), DebugOptions::default()));
    devices.allocators_mut().register(debug.clone());
    for _ in 0..3 {
        let there = rows().into_device(&devices, device).unwrap();
        assert_eq!(values::<i32>(&there), [1, 2, 3, 4, 5, 6]);
        assert_eq!(debug.counters().read().live_bytes, 24);
    }
    assert_eq!((pool.stats().misses, pool.stats().hits), (1, 2));
    assert_eq!((debug.leak_report().as_str(), a.live()), ("", 1));
    pool.trim();
    assert_eq!(a.live(), 0);
}

#[test]
fn e02_unknown_devices_name_those_that_are_there() {
    let (mut devices, a, _) = devices();
    let unknown = Device::new(DeviceKind::Vulkan, 0);
    let error = rows().into_device(&devices, unknown).unwrap_err();
    assert_eq!(
        error.error().to_string(),
        "into_device: no driver for vulkan:0 is registered, only for: custom11:0, custom11:1; register one"
    );
    assert!(devices.driver(a.device()).is_ok());
    let replaced = devices.register(Arc::new(FakeDevice::new(0))).unwrap();
    assert!(replaced.is_some());
    // Tensors know their driver, so those of the old one stay usable.
    let error = devices
        .empty(a.device(), DType::F32, [usize::MAX, 3])
        .unwrap_err();
    assert!(matches!(error, TensorError::Validation(_)), "{error}");
}

#[test]
fn d11_memory_of_another_device_is_refused() {
    let (mut devices, a, b) = devices();
    let layout = Layout::array::<u8>(8).unwrap();
    let memory = Arc::new(Allocation::new(devices.home(a.device()).unwrap(), layout).unwrap());
    let driver = Arc::clone(devices.driver(b.device()).unwrap());
    let error = DeviceBuffer::<u8>::new(driver, Arc::clone(&memory), 8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "custom11:1 can't reach device memory of custom11:0; copy through the host"
    );
    let driver = Arc::clone(devices.driver(a.device()).unwrap());
    let error = DeviceBuffer::<u16>::new(driver, Arc::clone(&memory), 5).unwrap_err();
    assert!(matches!(
        error,
        DeviceError::OutOfRange {
            len_bytes: 10,
            size_bytes: 8,
            ..
        }
    ));
    let other = Allocation::new(devices.home(b.device()).unwrap(), layout).unwrap();
    let other = MemoryRange::whole(Arc::new(other));
    let whole = MemoryRange::whole(Arc::clone(&memory));
    assert!(matches!(
        Transfer::within(whole, other),
        Err(DeviceError::ForeignMemory { .. })
    ));
    for (offset, len) in [(0, 9), (8, 1), (usize::MAX, 1), (1, usize::MAX)] {
        assert!(MemoryRange::new(Arc::clone(&memory), offset, len).is_err());
    }
    /// A driver that names another device than its memory does.
    #[derive(Debug)]
    struct Confused(FakeDevice);
    impl Driver for Confused {
        fn device(&self) -> Device {
            Device::new(DeviceKind::Custom(14), 0)
        }
        fn allocators(&self) -> Vec<Arc<dyn Allocator>> {
            self.0.allocators()
        }
        fn write(&self, from: &[u8], to: &MemoryRange) -> Result<(), DeviceError> {
            self.0.write(from, to)
        }
        fn read(&self, from: &MemoryRange, to: &mut [u8]) -> Result<(), DeviceError> {
            self.0.read(from, to)
        }
        fn copy(&self, from: &MemoryRange, to: &MemoryRange) -> Result<(), DeviceError> {
            Driver::copy(&self.0, from, to)
        }
        fn create_stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
            self.0.create_stream()
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
    }
    let count = devices.allocators().iter().count();
    assert!(devices.register(Arc::new(Confused(a))).is_err());
    assert_eq!(devices.allocators().iter().count(), count);
}
