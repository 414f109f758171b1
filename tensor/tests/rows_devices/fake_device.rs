//! A device that exists only in tests: its memory is a table, its streams run when somebody waits or when the test says.
//!
//! It uses the public interface of the crate alone and no `unsafe`, as the backend of new hardware would begin.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard};

use tensor::alloc::{AllocError, Allocator, DeviceHeap, HeapAllocator};
use tensor::device::{DeviceError, Driver, Event, MemoryRange, Stream, Transfer, TransferKind};
use tensor::{Device, DeviceKind, Placement};

/// What a device did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) allocations: usize,
    pub(crate) frees: usize,
    pub(crate) writes: usize,
    pub(crate) reads: usize,
    pub(crate) copies: usize,
}

enum Op {
    Copy(TransferKind),
    /// Until the stream has done as many ops.
    Wait(usize, usize),
}

#[derive(Default)]
struct Queue {
    ops: VecDeque<Op>,
    queued: usize,
    done: usize,
    error: Option<DeviceError>,
}

#[derive(Default)]
struct State {
    memory: BTreeMap<usize, Vec<u8>>,
    last_name: usize,
    counts: Counts,
    calls: usize,
    fail_at: Option<usize>,
    queues: Vec<Queue>,
    /// Where the bytes of each upload by a stream were in host memory.
    sources: Vec<usize>,
}

/// A device, by its number.
#[derive(Clone)]
pub(crate) struct FakeDevice {
    device: Device,
    state: Arc<Mutex<State>>,
}

impl std::fmt::Debug for FakeDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FakeDevice({})", self.device)
    }
}

impl FakeDevice {
    pub(crate) fn new(ordinal: u16) -> Self {
        Self {
            device: Device::new(DeviceKind::Custom(11), ordinal),
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn counts(&self) -> Counts {
        self.state().counts
    }

    pub(crate) fn live(&self) -> usize {
        self.state().memory.len()
    }

    /// Fails the call number `n` from here (a block, a copy, a read, a write).
    pub(crate) fn fail_at(&self, n: Option<usize>) {
        let mut state = self.state();
        let calls = state.calls;
        state.fail_at = n.map(|n| calls + n);
    }

    /// Runs what is queued in stream number `stream`, as far as it does not wait for another one.
    pub(crate) fn run(&self, stream: usize) {
        while self.step(stream) {}
    }

    /// One moment in which every stream does one copy at most, and none that waits for a copy of the same moment; how
    /// many were done.
    pub(crate) fn tick(&self) -> usize {
        let mut state = self.state();
        let done: Vec<usize> = state.queues.iter().map(|queue| queue.done).collect();
        let mut ready = Vec::new();
        for (stream, queue) in state.queues.iter_mut().enumerate() {
            while let Some(&Op::Wait(other, number)) = queue.ops.front() {
                if done[other] < number {
                    break;
                }
                queue.ops.pop_front();
                queue.done += 1;
            }
            if let Some(Op::Copy(_)) = queue.ops.front() {
                ready.push(stream);
            }
        }
        drop(state);
        ready.iter().filter(|&&stream| self.step(stream)).count()
    }

    pub(crate) fn sources(&self) -> Vec<usize> {
        self.state().sources.clone()
    }

    /// Does one op, if there is one that need not wait.
    fn step(&self, stream: usize) -> bool {
        let mut state = self.state();
        let ready = match state.queues[stream].ops.front() {
            None => false,
            Some(Op::Copy(_)) => true,
            Some(&Op::Wait(other, number)) => state.queues[other].done >= number,
        };
        if !ready {
            return false;
        }
        let op = state.queues[stream].ops.pop_front().unwrap();
        // What is done with is dropped without the lock, since dropping memory takes it.
        let ended = match op {
            Op::Wait(..) => None,
            Op::Copy(kind) => {
                let broken = state.queues[stream].error.clone();
                match broken.map_or_else(|| state.enter(self.device), Err) {
                    Ok(()) => Some((state.transfer(self.device, kind), None)),
                    Err(error) => Some((Ok(kind), Some(error))),
                }
            }
        };
        let queue = &mut state.queues[stream];
        queue.done += 1;
        match ended {
            None => {}
            Some((Ok(kind), error)) => {
                queue.error = error.clone();
                drop(state);
                match (kind, error) {
                    (TransferKind::Download { to, .. }, None) => to.finish(),
                    (TransferKind::Download { to, .. }, Some(error)) => to.fail(error),
                    _ => {}
                }
            }
            Some((Err(error), _)) => queue.error = Some(error),
        }
        true
    }

    /// Runs `stream` until `number` ops are done, and the streams it waits for before.
    fn run_to(&self, stream: usize, number: usize) -> Result<(), DeviceError> {
        loop {
            let state = self.state();
            let queue = &state.queues[stream];
            if queue.done >= number {
                return queue.error.clone().map_or(Ok(()), Err);
            }
            let waits = match queue.ops.front() {
                Some(&Op::Wait(other, before)) => Some((other, before)),
                _ => None,
            };
            drop(state);
            if let Some((other, before)) = waits {
                self.run_to(other, before)?;
            }
            self.step(stream);
        }
    }
}

impl State {
    fn enter(&mut self, device: Device) -> Result<(), DeviceError> {
        let number = self.calls;
        self.calls += 1;
        if self.fail_at == Some(number) {
            let detail = "told to fail".into();
            return Err(DeviceError::Failed { device, detail });
        }
        Ok(())
    }

    fn bytes(&mut self, device: Device, range: &MemoryRange) -> Result<&mut [u8], DeviceError> {
        let name = range.memory().as_ptr().addr().get();
        let placement = range.placement();
        let block = self.memory.get_mut(&name);
        let block = block.filter(|_| placement.device == Some(device));
        let block = block.ok_or(DeviceError::ForeignMemory { device, placement })?;
        let start = range.offset_bytes();
        Ok(&mut block[start..start + range.len_bytes()])
    }

    /// The copy that was done, whose memory is dropped without the lock.
    fn transfer(
        &mut self,
        device: Device,
        mut kind: TransferKind,
    ) -> Result<TransferKind, DeviceError> {
        match &mut kind {
            TransferKind::Upload { from, to } => {
                self.counts.writes += 1;
                let bytes = (**from).as_ref();
                self.sources.push(bytes.as_ptr().addr());
                self.bytes(device, to)?.copy_from_slice(bytes);
            }
            TransferKind::Download { from, to } => {
                self.counts.reads += 1;
                to.bytes_mut().copy_from_slice(self.bytes(device, from)?);
            }
            TransferKind::Within { from, to } => {
                self.counts.copies += 1;
                let bytes = self.bytes(device, from)?.to_vec();
                self.bytes(device, to)?.copy_from_slice(&bytes);
            }
            other => panic!("{other:?} is new"),
        }
        Ok(kind)
    }
}

/// The memory of a [`FakeDevice`].
#[derive(Debug)]
struct FakeHeap(FakeDevice);

impl DeviceHeap for FakeHeap {
    fn reserve(&self, bytes: usize, alignment: usize) -> Result<NonZeroUsize, AllocError> {
        let mut state = self.0.state();
        let entered = state.enter(self.0.device);
        if entered.is_err() || bytes > 64 << 20 {
            return Err(AllocError::OutOfMemory {
                requested_bytes: bytes,
                alignment_bytes: alignment,
                placement: self.placement(),
            });
        }
        state.counts.allocations += 1;
        state.last_name += 1;
        let name = state.last_name;
        // Not zeros: memory nobody has written looks like it.
        state.memory.insert(name, vec![0xab; bytes]);
        Ok(NonZeroUsize::new(name).unwrap())
    }

    fn release(&self, name: NonZeroUsize, bytes: usize) {
        let mut state = self.0.state();
        state.counts.frees += 1;
        let block = state
            .memory
            .remove(&name.get())
            .expect("only live blocks come back");
        assert_eq!(block.len(), bytes, "a block comes back with its size");
    }

    fn placement(&self) -> Placement {
        Placement::on_device(self.0.device)
    }
}

impl Driver for FakeDevice {
    fn device(&self) -> Device {
        self.device
    }

    fn allocators(&self) -> Vec<Arc<dyn Allocator>> {
        vec![Arc::new(
            HeapAllocator::new(FakeHeap(self.clone())).unwrap(),
        )]
    }

    fn write(&self, from: &[u8], to: &MemoryRange) -> Result<(), DeviceError> {
        let mut state = self.state();
        state.enter(self.device)?;
        state.counts.writes += 1;
        state.bytes(self.device, to)?.copy_from_slice(from);
        Ok(())
    }

    fn read(&self, from: &MemoryRange, to: &mut [u8]) -> Result<(), DeviceError> {
        let mut state = self.state();
        state.enter(self.device)?;
        state.counts.reads += 1;
        to.copy_from_slice(state.bytes(self.device, from)?);
        Ok(())
    }

    fn copy(&self, from: &MemoryRange, to: &MemoryRange) -> Result<(), DeviceError> {
        let mut state = self.state();
        state.enter(self.device)?;
        state.counts.copies += 1;
        let bytes = state.bytes(self.device, from)?.to_vec();
        state.bytes(self.device, to)?.copy_from_slice(&bytes);
        Ok(())
    }

    fn create_stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        let mut state = self.state();
        state.queues.push(Queue::default());
        let number = state.queues.len() - 1;
        let device = self.clone();
        Ok(Arc::new(FakeStream { device, number }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The native handle is its number.
#[derive(Debug)]
pub(crate) struct FakeStream {
    device: FakeDevice,
    pub(crate) number: usize,
}

impl FakeStream {
    fn queued(&self) -> usize {
        self.device.state().queues[self.number].queued
    }

    fn push(&self, op: Op) {
        let mut state = self.device.state();
        let queue = &mut state.queues[self.number];
        queue.queued += 1;
        queue.ops.push_back(op);
    }
}

impl Stream for FakeStream {
    fn device(&self) -> Device {
        self.device.device
    }

    fn enqueue(&self, transfer: Transfer) -> Result<(), DeviceError> {
        self.push(Op::Copy(transfer.into_kind()));
        Ok(())
    }

    fn record(&self) -> Result<Arc<dyn Event>, DeviceError> {
        let (device, stream, number) = (self.device.clone(), self.number, self.queued());
        Ok(Arc::new(FakeEvent {
            device,
            stream,
            number,
        }))
    }

    fn wait(&self, event: &Arc<dyn Event>) -> Result<(), DeviceError> {
        let event: Option<&FakeEvent> = event.as_any().downcast_ref();
        let own = event.filter(|event| event.device.device == self.device.device);
        let Some(event) = own else {
            let detail = "the event is of another device".into();
            let device = self.device.device;
            return Err(DeviceError::Failed { device, detail });
        };
        self.push(Op::Wait(event.stream, event.number));
        Ok(())
    }

    fn is_idle(&self) -> Result<bool, DeviceError> {
        Ok(self.device.state().queues[self.number].ops.is_empty())
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.device.run_to(self.number, self.queued())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Debug)]
struct FakeEvent {
    device: FakeDevice,
    stream: usize,
    number: usize,
}

impl Event for FakeEvent {
    fn is_complete(&self) -> Result<bool, DeviceError> {
        Ok(self.device.state().queues[self.stream].done >= self.number)
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.device.run_to(self.stream, self.number)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
