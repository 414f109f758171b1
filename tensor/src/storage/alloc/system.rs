//! Memory of the operating system, through the program's global allocator.
//!
//! Every block is aligned to [`ALIGNMENT_BYTES`] at least. Large blocks can be put on huge pages: with pages of 4 KiB a
//! matrix of 1 GiB needs 262,144 translations, with pages of 2 MiB it needs 512. On Linux such a block is aligned to 2 MiB
//! and the kernel gets a hint (`madvise`); elsewhere the option only aligns. A hint that the kernel refuses is no error.
//!
//! Invariant: the layout that is passed on depends on the asked one and on fields that never change, so a block goes back
//! with the layout it was made with.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

use super::huge_pages::{HUGE_PAGE_BYTES, advise};
use super::{ALIGNMENT_BYTES, AllocError, Allocator, Counters, some_bytes};
use crate::Placement;

/// Memory of the operating system, aligned to 64 bytes.
#[derive(Debug)]
pub struct SystemAllocator {
    placement: Placement,
    huge_pages_from_bytes: Option<usize>,
    counters: Counters,
}

impl SystemAllocator {
    /// Ordinary host memory.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            placement: Placement::HOST,
            huge_pages_from_bytes: None,
            counters: Counters::new(),
        }
    }

    /// The same, which asks for huge pages for blocks of at least `bytes` (never less than one huge page of 2 MiB).
    #[must_use]
    pub const fn with_huge_pages_from(mut self, bytes: usize) -> Self {
        self.huge_pages_from_bytes = Some(if bytes < HUGE_PAGE_BYTES {
            HUGE_PAGE_BYTES
        } else {
            bytes
        });
        self
    }

    /// The same memory under another label: near some processor cores, say, or as a stand-in for a device's memory. Under
    /// a kind that is not host addressable nobody reads it.
    #[must_use]
    pub const fn labelled(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    fn wants_huge_pages(&self, layout: Layout) -> bool {
        self.huge_pages_from_bytes
            .is_some_and(|from| layout.size() >= from)
    }

    /// A block of the global allocator, for a layout that has a size.
    fn ask(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let raised = self.raised(some_bytes(layout)?)?;
        // SAFETY: `some_bytes` refused a size of 0.
        let block = unsafe { alloc::alloc(raised) };
        let block = NonNull::new(block).ok_or(AllocError::OutOfMemory {
            requested_bytes: layout.size(),
            alignment_bytes: raised.align(),
            placement: self.placement,
        })?;
        if self.wants_huge_pages(layout) {
            advise(block.as_ptr(), raised.size());
        }
        Ok(block)
    }

    /// The layout that is passed on.
    fn raised(&self, layout: Layout) -> Result<Layout, AllocError> {
        let least = if self.wants_huge_pages(layout) {
            HUGE_PAGE_BYTES
        } else {
            ALIGNMENT_BYTES
        };
        layout.align_to(least).map_err(|_| AllocError::OutOfMemory {
            requested_bytes: layout.size(),
            alignment_bytes: least,
            placement: self.placement,
        })
    }
}

impl Default for SystemAllocator {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the global allocator promises the same of its blocks, for a layout that has the asked size and at least the asked
// alignment; it frees nothing by itself. `placement` never changes.
unsafe impl Allocator for SystemAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        some_bytes(layout)?;
        self.counters.counted(layout.size(), self.ask(layout))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // A layout that could not be raised never got a block.
        if let Ok(raised) = self.raised(layout) {
            self.counters.freed(layout.size());
            // SAFETY: by the caller's promise `allocate` returned `block` for `layout`, for which it passed on `raised`.
            unsafe { alloc::dealloc(block.as_ptr(), raised) };
        }
    }

    fn placement(&self) -> Placement {
        self.placement
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
