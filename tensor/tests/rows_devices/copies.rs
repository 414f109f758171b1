//! Copies between devices, and tensors moved from one to another.

use super::*;

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
fn e09_h10_whatever_fails_leaves_the_original_and_nothing_else() {
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
fn e09_h10_a_refused_owner_comes_back() {
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

/// Every other column of a matrix of two rows of four.
fn odd_columns(matrix: Tensor) -> SharedTensor {
    matrix
        .into_shared()
        .slice_axis(1, SliceSpec::new(Some(1), None, 2))
        .unwrap()
}

#[test]
fn e04_gaps_of_the_destination_keep_what_they_had() {
    let (devices, a, b) = devices();
    let matrix = |values: [u8; 8], device| {
        let host = Tensor::from_vec_row_major([2, 4], values.to_vec()).unwrap();
        host.into_device(&devices, device).unwrap()
    };
    for to in [a.device(), Device::CPU] {
        for from in [Device::CPU, a.device(), b.device()] {
            // With the same gaps on both sides one range of memory would take them along.
            let gaps = odd_columns(matrix([90, 20, 91, 40, 92, 60, 93, 80], from));
            let dense = Tensor::from_vec_row_major([2, 2], vec![20_u8, 40, 60, 80]).unwrap();
            for source in [gaps, dense.into_shared().to(&devices, from).unwrap()] {
                let whole = matrix([1, 2, 3, 4, 5, 6, 7, 8], to);
                let buffer = whole.as_typed::<u8>().unwrap().buffer();
                let buffer = buffer.and_then(|buffer| buffer.as_any().downcast_ref());
                let range = buffer.map(|buffer: &DeviceBuffer<u8>| {
                    MemoryRange::whole(Arc::clone(buffer.memory()))
                });
                let mut part = odd_columns(whole);
                copy(&source, Target::try_from(&mut part).unwrap()).unwrap();
                let mut bytes = [0; 8];
                match range {
                    Some(range) => a.read(&range, &mut bytes).unwrap(),
                    None => {
                        let view = part.view().unwrap();
                        bytes.copy_from_slice(view.as_typed::<u8>().unwrap().storage());
                    }
                }
                assert_eq!(bytes, [1, 20, 3, 40, 5, 60, 7, 80], "{from} to {to}");
            }
        }
    }
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
fn e05_h09_what_does_not_fit_is_refused_before_anything_is_written() {
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

#[test]
fn e04_memory_that_only_its_backend_knows_is_read_but_not_written() {
    /// A buffer of a backend that has no driver.
    struct Elsewhere(Vec<u8>);
    impl Buffer<u8> for Elsewhere {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn placement(&self) -> Placement {
            Placement::on_device(Device::new(DeviceKind::Custom(13), 0))
        }
        fn host(&self) -> Option<&[u8]> {
            None
        }
        fn host_mut(&mut self) -> Option<&mut [u8]> {
            None
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
        fn download(&self) -> tensor::Result<Vec<u8>> {
            Ok(self.0.clone())
        }
    }
    let (devices, a, _) = devices();
    let typed = |buffer: Box<dyn Buffer<u8>>| {
        TypedTensor::<u8, DynRank, Gpu>::from_buffer_row_major([2, 2], buffer).unwrap()
    };
    let mut elsewhere = Tensor::from(typed(Box::new(Elsewhere(vec![1, 2, 3, 4]))));
    let mut there = devices.empty(a.device(), DType::U8, [2, 2]).unwrap();
    copy(&elsewhere, &mut there).unwrap();
    assert_eq!(values::<u8>(&there), [1, 2, 3, 4]);
    let mut here = Tensor::from_vec_col_major([2, 2], vec![0_u8; 4]).unwrap();
    copy(&elsewhere, &mut here).unwrap();
    assert_eq!(here.to_vec::<u8>().unwrap(), [1, 2, 3, 4]);
    let error = copy(&here, &mut elsewhere).unwrap_err();
    assert!(matches!(error, TensorError::NotOnHost { .. }), "{error}");
    let mut locked = Tensor::from(typed(Box::new(OwnedBuffer::new(vec![0_u8; 4]))));
    let error = copy(&there, &mut locked).unwrap_err();
    assert!(matches!(error, TensorError::ReadOnly { .. }), "{error}");
}

#[test]
fn e04_external_scalars_stay_on_the_host() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Percent(u8);
    impl Scalar for Percent {
        const DOMAIN: ScalarDomain = ScalarDomain::NonField;
    }
    impl std::fmt::Display for Percent {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(f)
        }
    }
    impl ExternalScalar for Percent {
        const NAME: &'static str = "devices.percent";
    }
    let (devices, a, _) = devices();
    let made = TypedTensor::from_host_vec_row_major([1], vec![Percent(5)]).unwrap();
    let (owner, error) = Tensor::external(made)
        .into_device(&devices, a.device())
        .unwrap_err()
        .into_parts();
    assert!(
        matches!(
            error,
            TensorError::UnsupportedDType {
                op: "into_device",
                ..
            }
        ),
        "{error}"
    );
    let mut other = owner.duplicate().unwrap();
    let error = copy(&owner, &mut other).unwrap_err();
    assert!(
        matches!(error, TensorError::UnsupportedDType { op: "copy", .. }),
        "{error}"
    );
}
