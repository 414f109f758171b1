//! A cap on the bytes that are out at one time.
//!
//! Invariant: `claimed_bytes` is the sum of the sizes of blocks that are out or being asked for, and never above the limit.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{AllocError, Allocator, Counters, some_bytes};
use crate::Placement;

/// Refuses what would bring the live bytes above a limit; sizes are those asked for, without the inner allocator's padding.
///
/// ```
/// use std::alloc::Layout;
/// use std::sync::Arc;
/// use tensor::alloc::{Allocation, Allocator, AllocError, LimitAllocator, SystemAllocator};
/// let small: Arc<dyn Allocator> =
///     Arc::new(LimitAllocator::new(Arc::new(SystemAllocator::new()), 100));
/// let held = Allocation::new(&small, Layout::array::<u8>(60).unwrap())?;
/// let error = Allocation::new(&small, Layout::array::<u8>(41).unwrap()).unwrap_err();
/// assert!(matches!(error, AllocError::LimitExceeded { free_bytes: 40, limit_bytes: 100, .. }));
/// drop(held);
/// assert!(Allocation::new(&small, Layout::array::<u8>(100).unwrap()).is_ok());
/// # Ok::<(), AllocError>(())
/// ```
#[derive(Debug)]
pub struct LimitAllocator {
    inner: Arc<dyn Allocator>,
    limit_bytes: usize,
    claimed_bytes: AtomicUsize,
    counters: Counters,
}

impl LimitAllocator {
    /// `inner`, with at most `limit_bytes` out at one time.
    #[must_use]
    pub fn new(inner: Arc<dyn Allocator>, limit_bytes: usize) -> Self {
        Self {
            inner,
            limit_bytes,
            claimed_bytes: AtomicUsize::new(0),
            counters: Counters::new(),
        }
    }

    /// The limit.
    #[must_use]
    pub fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    fn ask(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let size = layout.size();
        // Claimed before the inner call, so that two threads can't both take the last bytes.
        let within = |claimed: usize| {
            claimed
                .checked_add(size)
                .filter(|&sum| sum <= self.limit_bytes)
        };
        self.claimed_bytes
            .try_update(Ordering::Relaxed, Ordering::Relaxed, within)
            .map_err(|claimed| AllocError::LimitExceeded {
                requested_bytes: size,
                free_bytes: self.limit_bytes - claimed,
                limit_bytes: self.limit_bytes,
                placement: self.placement(),
            })?;
        self.inner.allocate(layout).inspect_err(|_| {
            self.claimed_bytes.fetch_sub(size, Ordering::Relaxed);
        })
    }
}

// SAFETY: blocks are those of `inner`, which keeps the promises and is kept alive; they go back with the same layout.
unsafe impl Allocator for LimitAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        some_bytes(layout)?;
        self.counters.counted(layout.size(), self.ask(layout))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.counters.freed(layout.size());
        // SAFETY: `block` came from `inner` for the same layout, and the caller gives it up.
        unsafe { self.inner.deallocate(block, layout) };
        self.claimed_bytes
            .fetch_sub(layout.size(), Ordering::Relaxed);
    }

    fn placement(&self) -> Placement {
        self.inner.placement()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
