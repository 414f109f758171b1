//! Memory that host and device both address: pinned and managed. The device is a fake whose driver has nothing to do.

use super::*;

/// A device whose memory the host addresses. Being asked for a copy is a failure.
#[derive(Debug)]
struct Unified(FakeDevice);

impl Driver for Unified {
    fn device(&self) -> Device {
        Device::new(DeviceKind::Custom(12), 0)
    }
    fn allocators(&self) -> Vec<Arc<dyn Allocator>> {
        let place = |memory_kind| Placement {
            memory_kind,
            device: Some(self.device()),
            cpu_domain: None,
        };
        [MemoryKind::Managed, MemoryKind::PinnedHost]
            .map(|kind| {
                Arc::new(SystemAllocator::new().labelled(place(kind))) as Arc<dyn Allocator>
            })
            .into()
    }
    fn write(&self, _: &[u8], to: &MemoryRange) -> Result<(), DeviceError> {
        panic!("{to:?} is written by the host")
    }
    fn read(&self, from: &MemoryRange, _: &mut [u8]) -> Result<(), DeviceError> {
        panic!("{from:?} is read by the host")
    }
    fn copy(&self, from: &MemoryRange, _: &MemoryRange) -> Result<(), DeviceError> {
        panic!("{from:?} is copied by the host")
    }
    fn create_stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        self.0.create_stream()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn unified() -> (Devices, Device) {
    let driver: Arc<dyn Driver> = Arc::new(Unified(FakeDevice::new(9)));
    conformance::check(&driver);
    let device = driver.device();
    let mut devices = Devices::default();
    devices.register(driver).unwrap();
    (devices, device)
}

/// What a kernel of `device` would do: it doubles the elements where they lie, if it can reach them.
fn double(device: Device, tensor: &mut Tensor) {
    let placement = tensor.placement();
    assert!(placement.device == Some(device) && placement.memory_kind.is_host_addressable());
    let elements = tensor.as_mut_slice::<f32>().unwrap();
    elements.iter_mut().for_each(|element| *element *= 2.0);
}

#[test]
fn d07_pinned_memory_is_host_memory_that_a_device_knows() {
    let (devices, device) = unified();
    let pinned = devices.allocators().get(device, MemoryKind::PinnedHost);
    let pinned = rows().duplicate_in(pinned.unwrap()).unwrap();
    assert_eq!(
        pinned.placement().to_string(),
        "pinned host memory of custom12:0"
    );
    // Operations on it are the processor's.
    assert_eq!(pinned.placement().resident_device(), Device::CPU);
    assert_eq!(pinned.as_slice::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn d08_managed_memory_has_one_address_for_host_and_device() {
    let (devices, device) = unified();
    let host = Tensor::full([1000, 1000], 1.5_f32).unwrap();
    let mut managed = host.into_device(&devices, device).unwrap();
    let text = managed.placement().to_string();
    assert_eq!(text, "managed memory of custom12:0");
    assert_eq!(managed.placement().resident_device(), device);
    let at = managed.as_slice::<f32>().unwrap().as_ptr();
    managed.as_mut_slice::<f32>().unwrap()[0] = 7.0;
    double(device, &mut managed);
    let elements = managed.as_slice::<f32>().unwrap();
    assert_eq!(
        (elements[0], elements[999_999], elements.as_ptr()),
        (14.0, 3.0, at)
    );
    let home = managed.into_device(&devices, Device::CPU).unwrap();
    assert_eq!(home.placement(), Placement::HOST);
    assert_eq!(home.as_slice::<f32>().unwrap()[..2], [14.0, 3.0]);
}

#[test]
fn g05_a_queued_copy_reads_pinned_memory_itself() {
    let (devices, a, _) = devices();
    let label = Placement {
        memory_kind: MemoryKind::PinnedHost,
        device: Some(a.device()),
        cpu_domain: None,
    };
    let recording = Arc::new(RecordingAllocator::new(Arc::new(
        SystemAllocator::new().labelled(label),
    )));
    let pinned: Arc<dyn Allocator> = recording.clone();
    let tensor = rows().duplicate_in(&pinned).unwrap();
    let at = tensor.as_slice::<i32>().unwrap().as_ptr().addr();
    let stream = a.create_stream().unwrap();
    let pending = devices.upload(&tensor.into_shared(), &stream).unwrap();
    let there = pending.wait().unwrap();
    // The block itself, and no second one beside it.
    assert_eq!(
        (a.sources(), recording.counters().read().allocations),
        (vec![at], 1)
    );
    assert_eq!(values::<i32>(&there), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn g06_a_device_works_on_pinned_host_memory_without_a_copy() {
    let (devices, device) = unified();
    let pinned = devices.allocators().get(device, MemoryKind::PinnedHost);
    let host = Tensor::full([4], 1.5_f32).unwrap();
    let mut pinned = host.duplicate_in(pinned.unwrap()).unwrap();
    let at = pinned.as_slice::<f32>().unwrap().as_ptr();
    double(device, &mut pinned);
    let elements = pinned.as_slice::<f32>().unwrap();
    assert_eq!((elements, elements.as_ptr()), (&[3.0; 4][..], at));
}
