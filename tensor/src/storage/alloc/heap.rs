//! Memory that the host can't address, for backends that write no `unsafe` for it.
//!
//! Nobody reads through the name of such a block, so nothing a backend says of it can be unsound:
//! [`DeviceHeap`] is a safe trait, and [`HeapAllocator`] makes an [`Allocator`] of it.

use std::alloc::Layout;
use std::fmt;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use super::{AllocError, Allocator, Counters, some_bytes};
use crate::Placement;

/// Memory of a device that the host can't address: blocks are names, such as device addresses or numbers in a table.
pub trait DeviceHeap: Send + Sync + fmt::Debug {
    /// A new block of `bytes` bytes, aligned to `alignment_bytes` as the device sees it; its name differs from those of all
    /// live blocks.
    ///
    /// # Errors
    /// [`AllocError`], and then nothing was taken.
    fn reserve(&self, bytes: usize, alignment_bytes: usize) -> Result<NonZeroUsize, AllocError>;

    /// Takes the block `name` of `bytes` bytes back. Called from `drop`, on any thread.
    fn release(&self, name: NonZeroUsize, bytes: usize);

    /// Where the memory is.
    fn placement(&self) -> Placement;
}

/// A [`DeviceHeap`] as an [`Allocator`].
#[derive(Debug)]
pub struct HeapAllocator<H> {
    heap: H,
    placement: Placement,
    counters: Counters,
}

impl<H: DeviceHeap> HeapAllocator<H> {
    /// An allocator over `heap`.
    ///
    /// # Errors
    /// [`AllocError::HostAddressable`] if the heap says that its memory is of a kind that the host reads in place: that
    /// needs the promises of [`Allocator`].
    pub fn new(heap: H) -> Result<Self, AllocError> {
        let placement = heap.placement();
        if placement.memory_kind.is_host_addressable() {
            return Err(AllocError::HostAddressable { placement });
        }
        Ok(Self {
            heap,
            placement,
            counters: Counters::new(),
        })
    }

    /// The heap.
    #[must_use]
    pub fn heap(&self) -> &H {
        &self.heap
    }
}

// SAFETY: `new` refused every heap whose memory is host addressable and keeps what it said then, so there is nothing to
// promise.
unsafe impl<H: DeviceHeap> Allocator for HeapAllocator<H> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        some_bytes(layout)?;
        let name = self.heap.reserve(layout.size(), layout.align());
        let name = self.counters.counted(layout.size(), name)?;
        Ok(NonNull::without_provenance(name))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        self.counters.freed(layout.size());
        self.heap.release(block.addr(), layout.size());
    }

    fn placement(&self) -> Placement {
        self.placement
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
