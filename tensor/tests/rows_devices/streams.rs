//! Copies that a stream does while the program goes on.

use super::*;

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
    // A part without gaps is read where it lies in its owner.
    let row = rows()
        .into_shared()
        .slice_axis(0, SliceSpec::range(1, 2))
        .unwrap();
    let there_too = devices.upload(&row, &stream).unwrap().wait().unwrap();
    assert_eq!(values::<i32>(&there_too), [4, 5, 6]);
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
fn e06_a_copy_that_is_given_up_says_so() {
    let (devices, a, _) = devices();
    let host = devices.home(Device::CPU).unwrap();
    let memory = Allocation::new(
        devices.home(a.device()).unwrap(),
        Layout::array::<u8>(8).unwrap(),
    );
    let range = MemoryRange::whole(Arc::new(memory.unwrap()));
    let block = AllocBuffer::filled(host, 8, 0).unwrap();
    let (transfer, landing) = Transfer::download(range.clone(), block).unwrap();
    assert!(landing.take().is_none());
    drop(transfer);
    let device = a.device();
    assert_eq!(
        landing.take().unwrap().unwrap_err(),
        DeviceError::GivenUp { device }
    );
    let short = AllocBuffer::filled(host, 7, 0).unwrap();
    assert!(matches!(
        Transfer::download(range, short),
        Err(DeviceError::ByteCount {
            from_bytes: 8,
            to_bytes: 7
        })
    ));
}

/// Four batches through two buffers: a stream copies the next batch while another works on this one.
#[test]
fn e08_the_next_batch_is_copied_while_this_one_is_worked_on() {
    const BATCHES: usize = 4;
    let (devices, a, _) = devices();
    let home = devices.home(a.device()).unwrap();
    let block = || {
        let made = Allocation::new(home, Layout::array::<u8>(8).unwrap());
        MemoryRange::whole(Arc::new(made.unwrap()))
    };
    let (buffers, results) = ([block(), block()], [(); BATCHES].map(|()| block()));
    let (copying, working) = (a.create_stream().unwrap(), a.create_stream().unwrap());
    let mut worked: Vec<Arc<dyn Event>> = Vec::new();
    for (batch, result) in results.iter().enumerate() {
        let buffer = &buffers[batch % 2];
        // Not before the work on what is in the buffer is done.
        if let Some(before) = batch.checked_sub(2) {
            copying.wait(&worked[before]).unwrap();
        }
        let bytes: HostSource = Arc::new(vec![u8::try_from(batch).unwrap(); 8]);
        let upload = Transfer::upload(bytes, buffer.clone()).unwrap();
        copying.enqueue(upload).unwrap();
        working.wait(&copying.record().unwrap()).unwrap();
        let work = Transfer::within(buffer.clone(), result.clone()).unwrap();
        working.enqueue(work).unwrap();
        worked.push(working.record().unwrap());
    }
    let moments: Vec<usize> = std::iter::repeat_with(|| a.tick())
        .take_while(|&copies| copies > 0)
        .collect();
    // One after the other they would take eight.
    assert_eq!(moments, [1, 2, 2, 2, 1]);
    for (batch, result) in results.iter().enumerate() {
        let mut bytes = [0xff; 8];
        a.read(result, &mut bytes).unwrap();
        assert_eq!(bytes, [u8::try_from(batch).unwrap(); 8]);
    }
}
