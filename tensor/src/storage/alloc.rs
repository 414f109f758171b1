//! Where raw memory comes from: [`Allocator`], the blocks it hands out ([`Allocation`]), and allocators to combine.
//!
//! [`SystemAllocator`] asks the operating system, [`HeapAllocator`] a device. The others stand in front of any allocator:
//! [`PoolAllocator`] keeps freed blocks, [`LimitAllocator`] caps the bytes, [`DebugAllocator`] finds leaks and wrong
//! frees, [`RecordingAllocator`] lists calls and fails on request. All are values behind an `Arc`; none is global. All count
//! blocks, bytes and copies ([`Counters`]).
//!
//! **How it works.** A block is known by a pointer. For memory that the host can address
//! ([`MemoryKind::is_host_addressable`](crate::MemoryKind::is_host_addressable)) that is an address to read and write; for
//! other memory it is only the backend's name for the block, which nobody but the backend looks behind. So every wrapper
//! here serves device memory too, and none keeps its records inside the blocks.
//!
//! **Invariants.** An [`Allocation`] gives its block back exactly once, with the layout it was asked for, and keeps its
//! allocator alive until then. Nothing is asked for 0 bytes.

pub mod conformance;
mod counters;
mod debug;
mod error;
mod heap;
mod huge_pages;
mod limit;
mod pool;
mod recording;
mod system;
#[cfg(test)]
mod tests;

pub use counters::{Counters, Counts};
pub use debug::{DebugAllocator, DebugOptions, ExitReport, Misuse, OnMisuse};
pub use error::AllocError;
pub use heap::{DeviceHeap, HeapAllocator};
pub use huge_pages::prefer_huge_pages;
pub use limit::LimitAllocator;
pub use pool::{PoolAllocator, PoolOptions, PoolStats};
pub use recording::{AllocEvent, RecordingAllocator};
pub use system::SystemAllocator;

use std::alloc::Layout;
use std::fmt;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::{Placement, trace_span};

/// The alignment of every tensor's memory, in bytes: a cache line, and the widest vector register.
pub const ALIGNMENT_BYTES: usize = 64;

/// Hands out blocks of memory of one kind on one device.
///
/// Object safe, and used as `Arc<dyn Allocator>`. Sizes and alignments are those of a [`Layout`]. A caller never asks for
/// 0 bytes ([`Allocation`] answers that itself); an allocator that is asked all the same returns
/// [`AllocError::NoBytes`].
///
/// # Safety
/// Whoever implements it promises, for every block that [`Allocator::allocate`] returned and that was not yet given back:
///
/// 1. If the kind of [`Allocator::placement`] is host addressable, the pointer is aligned to `layout.align()` and valid
///    for reads and writes of `layout.size()` bytes from any thread, and nothing else uses these bytes.
/// 2. That holds until [`Allocator::deallocate`] gets the block or the allocator is dropped, also if the allocator is
///    moved.
/// 3. [`Allocator::placement`] always says the same.
///
/// Of other kinds of memory the pointer is a name that nobody dereferences, and no promise is needed.
pub unsafe trait Allocator: Send + Sync + fmt::Debug {
    /// A block of `layout.size()` bytes, aligned to `layout.align()`; its contents are anything, also uninitialised.
    ///
    /// # Errors
    /// [`AllocError`], and then nothing was taken.
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError>;

    /// Takes a block back. Called from `drop`, on any thread, in any order.
    ///
    /// # Safety
    /// This allocator returned `block` for this `layout`, and has not been given it back since; nobody uses it any more.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout);

    /// The kind of memory and the device that it belongs to.
    fn placement(&self) -> Placement;

    /// What went through this allocator: it counts every request with [`Counters::counted`] and every free with
    /// [`Counters::freed`].
    fn counters(&self) -> &Counters;
}

/// One block of memory, given back when dropped.
///
/// Zero bytes allocate nothing; the pointer then is aligned and dangling.
///
/// ```
/// use std::alloc::Layout;
/// use std::sync::Arc;
/// use tensor::alloc::{Allocation, Allocator, SystemAllocator};
/// let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
/// let block = Allocation::new(&system, Layout::array::<f32>(10).unwrap())?;
/// assert_eq!(block.size_bytes(), 40);
/// assert!(block.as_ptr().is_aligned());
/// # Ok::<(), tensor::alloc::AllocError>(())
/// ```
pub struct Allocation {
    block: NonNull<u8>,
    layout: Layout,
    allocator: Arc<dyn Allocator>,
}

// SAFETY: the block belongs to this value alone, and an `Allocator` (itself `Send` and `Sync`) promises blocks that may be
// used and given back on any thread.
unsafe impl Send for Allocation {}

// SAFETY: `&Allocation` only tells the pointer and the layout; whoever reads through the pointer makes a claim of its own.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// A block of `layout` from `allocator`, with any contents.
    ///
    /// # Errors
    /// What the allocator says.
    pub fn new(allocator: &Arc<dyn Allocator>, layout: Layout) -> Result<Self, AllocError> {
        let block = if layout.size() == 0 {
            // An alignment is a power of two, so never 0.
            NonNull::without_provenance(
                NonZeroUsize::new(layout.align()).unwrap_or(NonZeroUsize::MIN),
            )
        } else {
            let _span = trace_span!(
                TRACE,
                "allocate",
                bytes = layout.size(),
                device = %allocator.placement(),
            );
            allocator.allocate(layout)?
        };
        Ok(Self {
            block,
            layout,
            allocator: Arc::clone(allocator),
        })
    }

    /// The start of the block: an address for memory that the host can address, else the backend's name for the block.
    #[must_use]
    pub fn as_ptr(&self) -> NonNull<u8> {
        self.block
    }

    /// The size and the alignment that were asked for.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The bytes that were asked for.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.layout.size()
    }

    /// Who gets the block back.
    #[must_use]
    pub fn allocator(&self) -> &Arc<dyn Allocator> {
        &self.allocator
    }

    /// Where the block is.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.allocator.placement()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            let _span = trace_span!(
                TRACE,
                "deallocate",
                bytes = self.layout.size(),
                device = %self.placement(),
            );
            // SAFETY: `new` got the block from this allocator for this layout, no method changes either, and a value is
            // dropped once.
            unsafe { self.allocator.deallocate(self.block, self.layout) };
        }
    }
}

impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allocation")
            .field("block", &self.block)
            .field("size_bytes", &self.layout.size())
            .field("alignment", &self.layout.align())
            .field("placement", &format_args!("{}", self.placement()))
            .finish()
    }
}

/// What every allocator answers to a request for 0 bytes.
fn some_bytes(layout: Layout) -> Result<Layout, AllocError> {
    if layout.size() == 0 {
        Err(AllocError::NoBytes)
    } else {
        Ok(layout)
    }
}
