//! An allocator for tests: it remembers every call and fails when it is told to.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{AllocError, Allocator, Counters, SystemAllocator, some_bytes};
use crate::Placement;

/// One call of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocEvent {
    /// A block was handed out.
    Allocated {
        /// Its name or address.
        address: usize,
        /// Its layout.
        layout: Layout,
    },
    /// A request failed, as told or in the allocator behind.
    Refused {
        /// What was asked for.
        layout: Layout,
    },
    /// A block came back.
    Freed {
        /// Its name or address.
        address: usize,
        /// Its layout.
        layout: Layout,
    },
}

#[derive(Debug, Default)]
struct Record {
    events: Vec<AllocEvent>,
    requests: usize,
    fail_at: Option<usize>,
}

/// Passes calls on to another allocator, remembers them in order, and fails the call that it is told to fail.
///
/// For tests: the list of calls grows without limit.
#[derive(Debug)]
pub struct RecordingAllocator {
    inner: Arc<dyn Allocator>,
    record: Mutex<Record>,
    counters: Counters,
}

impl RecordingAllocator {
    /// Records the calls of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Allocator>) -> Self {
        Self {
            inner,
            record: Mutex::default(),
            counters: Counters::new(),
        }
    }

    /// Records calls that ordinary host memory answers.
    #[must_use]
    pub fn over_system() -> Self {
        Self::new(Arc::new(SystemAllocator::new()))
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails the request number `n` from here, counted from 0, with [`AllocError::OutOfMemory`]; `None` fails none.
    pub fn fail_at(&self, n: Option<usize>) {
        let mut record = self.record();
        let requests = record.requests;
        record.fail_at = n.map(|n| requests + n);
    }

    /// All calls so far.
    #[must_use]
    pub fn events(&self) -> Vec<AllocEvent> {
        self.record().events.clone()
    }

    /// Blocks that are out.
    #[must_use]
    pub fn live(&self) -> u64 {
        let counts = self.counters.read();
        counts.allocations - counts.deallocations
    }

    fn ask(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let mut record = self.record();
        let number = record.requests;
        record.requests += 1;
        let made = if record.fail_at == Some(number) {
            Err(AllocError::OutOfMemory {
                requested_bytes: layout.size(),
                alignment_bytes: layout.align(),
                placement: self.placement(),
            })
        } else {
            self.inner.allocate(layout)
        };
        record.events.push(match &made {
            Ok(block) => AllocEvent::Allocated {
                address: block.addr().get(),
                layout,
            },
            Err(_) => AllocEvent::Refused { layout },
        });
        made
    }
}

// SAFETY: blocks are those of `inner`, which keeps the promises and is kept alive; they go back with the same layout.
unsafe impl Allocator for RecordingAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        some_bytes(layout)?;
        self.counters.counted(layout.size(), self.ask(layout))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        let address = block.addr().get();
        // Under the lock, so that the block is not handed out again before its event is written.
        let mut record = self.record();
        self.counters.freed(layout.size());
        record.events.push(AllocEvent::Freed { address, layout });
        // SAFETY: `block` came from `inner` for the same layout, and the caller gives it up.
        unsafe { self.inner.deallocate(block, layout) };
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
