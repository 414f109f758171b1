//! What devices, copies and streams promise, one test per promise, on a device that this folder defines.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

mod fake_device;

use std::sync::Arc;

use fake_device::{Counts, FakeDevice, FakeStream};
use tensor::alloc::{
    AllocError, Allocator, DebugAllocator, DebugOptions, LimitAllocator, PoolAllocator,
    PoolOptions, RecordingAllocator, SystemAllocator,
};
use tensor::device::{
    DeviceBuffer, DeviceError, Devices, Driver, HostSource, MemoryRange, Stream, Target, Transfer,
    conformance, copy, same_device,
};
use tensor::{
    DType, Device, DeviceKind, MemoryKind, Placement, SharedTensor, SliceSpec, Tensor,
    TensorElement, TensorError, ValidationError,
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
fn e02_e09_to_shares_on_the_same_device_and_copies_to_another() {
    let (devices, a, _) = devices();
    let host = rows().into_shared();
    assert!(
        host.to(&devices, Device::CPU)
            .unwrap()
            .shares_storage_with(&host)
    );
    let there = host.to(&devices, a.device()).unwrap();
    assert_eq!(there.placement(), Placement::on_device(a.device()));
    assert_eq!(
        a.counts(),
        Counts {
            allocations: 1,
            writes: 1,
            ..Counts::default()
        }
    );
    let again = there.to(&devices, a.device()).unwrap();
    assert!(again.shares_storage_with(&there));
    let back = there.to(&devices, Device::CPU).unwrap();
    assert_eq!(
        back.view().unwrap().to_vec::<i32>().unwrap(),
        [1, 2, 3, 4, 5, 6]
    );
    assert_eq!(
        a.counts(),
        Counts {
            allocations: 1,
            writes: 1,
            reads: 1,
            ..Counts::default()
        }
    );
    drop((there, again));
    assert_eq!((a.live(), a.counts().frees), (0, 1));
}

#[test]
fn e09_memory_order_and_parts_survive_the_way() {
    let (devices, a, b) = devices();
    let columns = Tensor::from_vec_col_major([2, 3], vec![1_u16, 4, 2, 5, 3, 6]).unwrap();
    let columns = columns.into_device(&devices, a.device()).unwrap();
    assert_eq!(columns.strides(), [1, 2]);
    let columns = columns.into_device(&devices, b.device()).unwrap();
    assert_eq!((columns.strides(), a.live(), b.live()), (&[1, 2][..], 0, 1));
    assert_eq!(values::<u16>(&columns), [1, 2, 3, 4, 5, 6]);
    let part = columns
        .into_shared()
        .slice_axis(1, SliceSpec::new(None, None, -2))
        .unwrap();
    let home = part.to(&devices, Device::CPU).unwrap();
    assert_eq!(home.view().unwrap().to_vec::<u16>().unwrap(), [3, 1, 6, 4]);
    let near = part.to(&devices, a.device()).unwrap();
    assert_eq!(
        values::<u16>(&near.try_into_tensor().unwrap()),
        [3, 1, 6, 4]
    );
}

#[test]
fn e09_whatever_fails_leaves_the_original_and_nothing_else() {
    for source_on_device in [false, true] {
        for n in 0.. {
            let (devices, a, b) = devices();
            let mut tensor = rows().into_shared();
            if source_on_device {
                tensor = tensor.to(&devices, a.device()).unwrap();
            }
            let before = a.live();
            // A reversed axis needs staging.
            let turned = tensor.slice_axis(0, SliceSpec::reverse()).unwrap();
            b.fail_at(Some(n));
            let failed = turned.to(&devices, b.device());
            b.fail_at(None);
            let holders = if failed.is_ok() { 2 } else { 1 };
            assert_eq!(b.live(), holders - 1, "request {n}");
            assert_eq!(a.live(), before);
            drop(turned);
            let same = tensor.to(&devices, Device::CPU).unwrap();
            assert_eq!(
                same.view().unwrap().to_vec::<i32>().unwrap(),
                [1, 2, 3, 4, 5, 6]
            );
            match failed {
                Ok(made) => {
                    assert_eq!(
                        values::<i32>(&made.try_into_tensor().unwrap()),
                        [4, 5, 6, 1, 2, 3]
                    );
                    assert_eq!(n, 2, "one block and one write can fail");
                    break;
                }
                Err(TensorError::Alloc {
                    op: "to",
                    source: AllocError::OutOfMemory { .. },
                }) => {
                    assert_eq!(n, 0);
                }
                Err(TensorError::Device {
                    op: "copy",
                    source: DeviceError::Failed { .. },
                }) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

#[test]
fn e09_a_refused_owner_comes_back() {
    let (mut devices, a, _) = devices();
    let home = Arc::clone(devices.home(a.device()).unwrap());
    devices
        .allocators_mut()
        .register(Arc::new(LimitAllocator::new(home, 20)));
    let (owner, error) = rows()
        .into_device(&devices, a.device())
        .unwrap_err()
        .into_parts();
    assert_eq!(
        error.to_string(),
        "into_device: 24 bytes of device memory of custom11:0 asked for, 20 free of the limit of 20; free some of it, raise the limit or use smaller shapes"
    );
    assert_eq!(values::<i32>(&owner), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn e03_operands_on_two_devices_are_an_error() {
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

/// How six values lie in an owner, and the part of it with shape `[2, 3]` that reads them in order.
type Case = (fn([i16; 6]) -> Tensor, fn(&SharedTensor) -> SharedTensor);

const CASES: [Case; 5] = [
    // Row-major.
    (
        |v| Tensor::from_vec_row_major([2, 3], v.to_vec()).unwrap(),
        SharedTensor::clone,
    ),
    // Column-major.
    (
        |v| Tensor::from_vec_col_major([2, 3], vec![v[0], v[3], v[1], v[4], v[2], v[5]]).unwrap(),
        SharedTensor::clone,
    ),
    // Without gaps, but backwards.
    (
        |v| Tensor::from_vec_row_major([2, 3], v.into_iter().rev().collect()).unwrap(),
        |t| {
            let backwards = [SliceSpec::reverse(), SliceSpec::reverse()];
            t.slice(&backwards).unwrap()
        },
    ),
    // With gaps in the rows.
    (
        |v| {
            let rows = vec![v[0], 90, v[1], 91, v[2], 92, v[3], 93, v[4], 94, v[5], 95];
            Tensor::from_vec_row_major([2, 6], rows).unwrap()
        },
        |t| t.slice_axis(1, SliceSpec::new(None, None, 2)).unwrap(),
    ),
    // Every other column of the other order, backwards.
    (
        |v| {
            let columns = vec![80, 81, v[2], v[5], 82, 83, v[1], v[4], 84, 85, v[0], v[3]];
            Tensor::from_vec_col_major([2, 6], columns).unwrap()
        },
        |t| t.slice_axis(1, SliceSpec::new(None, None, -2)).unwrap(),
    ),
];

#[test]
fn d03_e04_every_pair_of_devices_and_layouts_copies() {
    let (devices, a, b) = devices();
    let places = [Device::CPU, a.device(), b.device()];
    let values = [10, 11, 12, 13, 14, 15];
    let made = |(owner, part): Case, values, place| {
        part(
            &owner(values)
                .into_device(&devices, place)
                .unwrap()
                .into_shared(),
        )
    };
    let kept = |tensor: SharedTensor| {
        let home = tensor.to(&devices, Device::CPU).unwrap();
        home.view().unwrap().to_vec::<i16>().unwrap()
    };
    for (from, to) in places
        .into_iter()
        .flat_map(|from| places.map(|to| (from, to)))
    {
        for (i, source) in CASES.into_iter().enumerate() {
            for (j, target) in CASES.into_iter().enumerate() {
                let source = made(source, values, from);
                let mut target = made(target, [0; 6], to);
                copy(&source, Target::try_from(&mut target).unwrap()).unwrap();
                assert_eq!(kept(target), values, "{from} case {i} to {to} case {j}");
                assert_eq!(kept(source), values, "the source stays");
            }
        }
    }
    assert_eq!((a.live(), b.live()), (0, 0));
}

#[test]
fn e04_gaps_of_the_destination_keep_what_they_had() {
    let (devices, a, _) = devices();
    let whole = Tensor::from_vec_row_major([2, 4], vec![1_u8, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let whole = whole.into_device(&devices, a.device()).unwrap();
    let memory: &DeviceBuffer<u8> = {
        let typed = whole.as_typed::<u8>().unwrap();
        typed.buffer().unwrap().as_any().downcast_ref().unwrap()
    };
    let range = MemoryRange::whole(Arc::clone(memory.memory()));
    let whole = whole.into_shared();
    let mut part = whole
        .slice_axis(1, SliceSpec::new(Some(1), None, 2))
        .unwrap();
    drop(whole);
    let news = Tensor::from_vec_row_major([2, 2], vec![20_u8, 40, 60, 80]).unwrap();
    copy(&news, Target::try_from(&mut part).unwrap()).unwrap();
    let mut bytes = [0; 8];
    a.read(&range, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 20, 3, 40, 5, 60, 7, 80]);
}

#[test]
fn e04_one_order_on_both_sides_is_one_call_and_no_staging() {
    let (devices, a, _) = devices();
    let host = Tensor::from_vec_col_major([2, 3], vec![1_i32; 6]).unwrap();
    let mut x = host.into_device(&devices, a.device()).unwrap();
    let columns = Tensor::from_vec_col_major([2, 3], vec![1_i32, 4, 2, 5, 3, 6]).unwrap();
    let start = a.counts();
    copy(&columns, &mut x).unwrap();
    assert_eq!(
        a.counts(),
        Counts {
            writes: start.writes + 1,
            ..start
        }
    );
    let mut y = Tensor::from_vec_col_major([2, 3], vec![0_i32; 6])
        .unwrap()
        .into_device(&devices, a.device())
        .unwrap();
    let start = a.counts();
    copy(&x, &mut y).unwrap();
    assert_eq!(
        a.counts(),
        Counts {
            copies: start.copies + 1,
            ..start
        }
    );
    let mut back = Tensor::from_vec_col_major([2, 3], vec![0_i32; 6]).unwrap();
    copy(&y, back.view_mut().unwrap()).unwrap();
    assert_eq!(a.counts().reads, start.reads + 1);
    assert_eq!(back.to_vec::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);
    // No element, no call.
    let start = a.counts();
    let mut none = devices.empty(a.device(), DType::I32, [0, 3]).unwrap();
    copy(&Tensor::zeros(DType::I32, [0, 3]).unwrap(), &mut none).unwrap();
    copy(&none, &mut Tensor::zeros(DType::I32, [0, 3]).unwrap()).unwrap();
    assert_eq!(a.counts(), start);
}

#[test]
fn e05_what_does_not_fit_is_refused_before_anything_is_written() {
    let (devices, a, _) = devices();
    let mut there = rows().into_device(&devices, a.device()).unwrap();
    let start = a.counts();
    let floats = Tensor::from_vec_row_major([2, 3], vec![0.0_f32; 6]).unwrap();
    let error = copy(&floats, &mut there).unwrap_err();
    assert_eq!(
        error.to_string(),
        "copy: dtype mismatch: expected F32, actual I32"
    );
    let wide = Tensor::from_vec_row_major([3, 2], vec![0_i32; 6]).unwrap();
    let error = copy(&wide, &mut there).unwrap_err();
    assert!(
        matches!(
            error,
            TensorError::Validation(ValidationError::ShapeMismatch { op: "copy", .. })
        ),
        "{error}"
    );
    let memory = tensor::alloc::Allocation::new(
        devices.home(a.device()).unwrap(),
        std::alloc::Layout::array::<u8>(16).unwrap(),
    );
    let range = MemoryRange::whole(Arc::new(memory.unwrap()));
    let source: HostSource = Arc::new([0_u8; 15]);
    let error = Transfer::upload(source, range).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a copy of 15 bytes to 16 bytes; both sides must have one size"
    );
    assert_eq!(
        a.counts(),
        Counts {
            allocations: start.allocations + 1,
            frees: start.frees + 1,
            ..start
        }
    );
    assert_eq!(values::<i32>(&there), [1, 2, 3, 4, 5, 6]);
    let mut shared = there.into_shared();
    let _other = shared.clone();
    assert!(matches!(
        Target::try_from(&mut shared),
        Err(TensorError::Shared { holders: 2, .. })
    ));
}

#[test]
fn e06_a_queued_copy_owns_what_it_reads() {
    let (devices, a, _) = devices();
    let stream = a.create_stream().unwrap();
    let recording = Arc::new(RecordingAllocator::over_system());
    let allocator: Arc<dyn Allocator> = recording.clone();
    let elements = [1.5_f32, 2.5, 3.5];
    let mut host = Tensor::from_slice_row_major_in(&allocator, [3], &elements)
        .unwrap()
        .into_shared();
    let pending = devices.upload(&host, &stream).unwrap();
    assert!(!pending.is_ready().unwrap());
    // While it is under way nobody writes it, and nobody frees it.
    assert!(matches!(host.view_mut(), Err(TensorError::Shared { .. })));
    drop(host);
    assert_eq!((recording.live(), a.counts().writes), (1, 0));
    let there = pending.wait().unwrap();
    assert_eq!((recording.live(), a.counts().writes), (0, 1));
    assert_eq!(values::<f32>(&there), elements);
}

#[test]
fn e06_dropping_what_is_pending_cancels_nothing_and_leaks_nothing() {
    let (devices, a, _) = devices();
    let stream = a.create_stream().unwrap();
    drop(devices.upload(&rows().into_shared(), &stream).unwrap());
    let there = rows().into_shared().to(&devices, a.device()).unwrap();
    let host = Arc::clone(devices.home(Device::CPU).unwrap());
    drop(devices.download(&there, &host, &stream).unwrap());
    drop(there);
    assert_eq!(a.live(), 2);
    stream.synchronize().unwrap();
    assert_eq!((a.live(), a.counts().writes, a.counts().reads), (0, 2, 1));
}

#[test]
fn e06_e07_streams_finish_in_any_order() {
    let (devices, a, _) = devices();
    let host = Arc::clone(devices.home(Device::CPU).unwrap());
    let streams: Vec<Arc<dyn Stream>> = (0..3).map(|_| a.create_stream().unwrap()).collect();
    let tensors: Vec<SharedTensor> = (0..3)
        .map(|n| {
            Tensor::full([4], n as i64)
                .unwrap()
                .into_shared()
                .to(&devices, a.device())
                .unwrap()
        })
        .collect();
    let mut pending: Vec<_> = tensors
        .iter()
        .zip(&streams)
        .map(|(tensor, stream)| devices.download(tensor, &host, stream).unwrap())
        .collect();
    for n in [2, 0, 1] {
        let native: &FakeStream = streams[n].as_any().downcast_ref().unwrap();
        assert_eq!(streams[n].device(), a.device());
        assert!(!streams[n].is_idle().unwrap());
        a.run(native.number);
        assert!(streams[n].is_idle().unwrap() && pending[n].is_ready().unwrap());
    }
    for n in [1, 1, 0] {
        let (made, value) = (
            pending.remove(n).wait().unwrap(),
            [1, 2, 0][2 - pending.len()],
        );
        assert_eq!(made.to_vec::<i64>().unwrap(), [value; 4]);
    }
}

#[test]
fn e07_an_event_orders_two_streams() {
    let (devices, a, b) = devices();
    let (up, down) = (a.create_stream().unwrap(), a.create_stream().unwrap());
    let host = Arc::clone(devices.home(Device::CPU).unwrap());
    let pending = devices.upload(&rows().into_shared(), &up).unwrap();
    let waited = Arc::clone(pending.event());
    down.wait(&waited).unwrap();
    // The second stream is asked to go first, and can't.
    a.run(1);
    assert!(!down.is_idle().unwrap() && !waited.is_complete().unwrap());
    assert_eq!(pending.tensor().unwrap().shape(), [2, 3]);
    let there = pending.wait().unwrap().into_shared();
    let back = devices
        .download(&there, &host, &down)
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(back.to_vec::<i32>().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert!(b.create_stream().unwrap().wait(&waited).is_err());
}

#[test]
fn e07_a_failure_is_told_by_the_wait_and_stops_its_stream() {
    let (devices, a, _) = devices();
    let stream = a.create_stream().unwrap();
    let host = Arc::clone(devices.home(Device::CPU).unwrap());
    let there = rows().into_shared().to(&devices, a.device()).unwrap();
    let first = devices.download(&there, &host, &stream).unwrap();
    let second = devices.upload(&rows().into_shared(), &stream).unwrap();
    a.fail_at(Some(0));
    let error = second.wait().unwrap_err();
    assert_eq!(error.to_string(), "wait: custom11:0 failed: told to fail");
    assert!(first.wait().is_err() && stream.synchronize().is_err());
    drop(there);
    assert_eq!(a.live(), 0);
}

#[test]
fn e06_parts_are_gathered_on_either_way() {
    let (devices, a, b) = devices();
    let stream = a.create_stream().unwrap();
    let host = Arc::clone(devices.home(Device::CPU).unwrap());
    let part = rows()
        .into_shared()
        .slice_axis(1, SliceSpec::new(None, None, -2))
        .unwrap();
    let there = devices
        .upload(&part, &stream)
        .unwrap()
        .wait()
        .unwrap()
        .into_shared();
    let column = there.slice_axis(1, SliceSpec::range(1, 2)).unwrap();
    let back = devices
        .download(&column, &host, &stream)
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(
        (back.shape(), back.to_vec::<i32>().unwrap()),
        (&[2, 1][..], vec![1, 4])
    );
    assert!(Arc::ptr_eq(back.allocator().unwrap(), &host));
    let none = there.slice_axis(1, SliceSpec::range(2, 2)).unwrap();
    assert!(
        devices
            .download(&none, &host, &stream)
            .unwrap()
            .wait()
            .unwrap()
            .is_empty()
    );
    let elsewhere = b.create_stream().unwrap();
    for tensor in [&there, &part] {
        let error = devices.download(tensor, &host, &elsewhere).unwrap_err();
        assert!(
            matches!(
                error,
                TensorError::Device {
                    source: DeviceError::ForeignMemory { .. },
                    ..
                }
            ),
            "{error}"
        );
    }
    assert!(matches!(
        devices.upload(&there, &stream),
        Err(TensorError::NotOnHost { .. })
    ));
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
        assert_eq!(debug.totals().live_bytes, 24);
    }
    assert_eq!((pool.stats().misses, pool.stats().hits), (1, 2));
    assert_eq!((debug.leak_report().as_str(), a.live()), ("", 1));
    pool.trim();
    assert_eq!(a.live(), 0);
}

/// A device whose only memory is managed: the host addresses it.
#[derive(Debug)]
struct Managed(FakeDevice);

impl Driver for Managed {
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
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[test]
fn d07_d08_pinned_and_managed_memory_is_read_in_place() {
    let driver: Arc<dyn Driver> = Arc::new(Managed(FakeDevice::new(9)));
    conformance::check(&driver);
    let device = driver.device();
    let mut devices = Devices::default();
    devices.register(driver).unwrap();
    let managed = Tensor::full([1000, 1000], 1.5_f32)
        .unwrap()
        .into_device(&devices, device)
        .unwrap();
    assert_eq!(
        managed.placement().to_string(),
        "managed memory of custom12:0"
    );
    assert_eq!(managed.placement().resident_device(), device);
    assert_eq!(
        managed.view().unwrap().get::<f32>(&[999, 999]).unwrap(),
        1.5
    );
    let mut written = managed;
    written.as_mut_slice::<f32>().unwrap()[0] = 7.0;
    let home = written.into_device(&devices, Device::CPU).unwrap();
    assert_eq!(home.placement(), Placement::HOST);
    assert_eq!(home.as_slice::<f32>().unwrap()[..2], [7.0, 1.5]);
    // Pinned memory is the processor's, for faster copies.
    let pinned = devices
        .allocators()
        .get(device, MemoryKind::PinnedHost)
        .unwrap();
    let pinned = home.duplicate_in(pinned).unwrap();
    assert_eq!(pinned.placement().resident_device(), Device::CPU);
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
fn bytes_that_are_no_bool_are_true() {
    let (devices, a, _) = devices();
    // Nobody wrote the memory, which the fake device fills with 0xab.
    let unwritten = devices.empty(a.device(), DType::Bool, [3]).unwrap();
    assert_eq!(values::<bool>(&unwritten), [true; 3]);
    let stream = a.create_stream().unwrap();
    let host = Arc::clone(devices.home(Device::CPU).unwrap());
    let there = Tensor::from_vec_row_major([3], vec![true, false, true])
        .unwrap()
        .into_shared();
    let there = there.to(&devices, a.device()).unwrap();
    let back = devices
        .download(&there, &host, &stream)
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(back.to_vec::<bool>().unwrap(), [true, false, true]);
    let mut target = Tensor::from_vec_row_major([3], vec![false; 3]).unwrap();
    copy(&there, &mut target).unwrap();
    assert_eq!(target.to_vec::<bool>().unwrap(), [true, false, true]);
}
