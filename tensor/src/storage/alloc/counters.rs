//! What an allocator counts: its blocks, their bytes, and the copies into and out of them.
//!
//! Every allocator has [`Counters`] of its own, so numbers can be read at any time, in any build, and none is global. Each
//! counts what went through it: a wrapper counts what was asked of the wrapper (a pool its users' bytes, not the blocks that it
//! keeps), and what is inside it counts what the wrapper asked for. Copies are counted by the allocator that a tensor's block
//! names, the outermost one. Vectors of plain host tensors are the program's and counted by nobody.
//!
//! **Invariants.** `live_bytes` is `allocated_bytes` less the bytes that came back, and `peak_bytes` the most it ever was. A
//! block is counted after it was had and before it goes back, so `live_bytes` is never more than what is out.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The counters of one allocator. Reading and counting are a few atomic operations without a lock.
///
/// ```
/// use std::sync::Arc;
/// use tensor::alloc::{Allocator, SystemAllocator};
/// use tensor::{DType, Tensor};
/// let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
/// let held = Tensor::zeros_in(&system, DType::F32, [10])?;
/// let copy = held.duplicate_in(&system)?;
/// drop(held);
/// let counts = system.counters().read();
/// assert_eq!((counts.allocations, counts.deallocations), (2, 1));
/// assert_eq!((counts.live_bytes, counts.peak_bytes), (40, 80));
/// assert_eq!((counts.copies_in, counts.copied_in_bytes), (1, 40));
/// # Ok::<(), tensor::TensorError>(())
/// ```
#[derive(Debug, Default)]
pub struct Counters {
    allocations: AtomicU64,
    deallocations: AtomicU64,
    refusals: AtomicU64,
    allocated_bytes: AtomicU64,
    live_bytes: AtomicUsize,
    peak_bytes: AtomicUsize,
    copies_in: AtomicU64,
    copied_in_bytes: AtomicU64,
    copies_out: AtomicU64,
    copied_out_bytes: AtomicU64,
}

/// The numbers of [`Counters`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Blocks handed out.
    pub allocations: u64,
    /// Blocks taken back.
    pub deallocations: u64,
    /// Requests that failed.
    pub refusals: u64,
    /// Bytes of all blocks handed out, as asked for.
    pub allocated_bytes: u64,
    /// Bytes of the blocks that are out.
    pub live_bytes: usize,
    /// The most that `live_bytes` ever was.
    pub peak_bytes: usize,
    /// Copies of elements from other memory into blocks: tensors made of other elements, and copies to tensors that own their
    /// block.
    pub copies_in: u64,
    /// The bytes of these.
    pub copied_in_bytes: u64,
    /// Copies that a driver made out of blocks. Memory that the host can address is read in place, which is no copy.
    pub copies_out: u64,
    /// The bytes of these.
    pub copied_out_bytes: u64,
}

const ORDER: Ordering = Ordering::Relaxed;

impl Counters {
    /// Nothing was counted yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            allocations: AtomicU64::new(0),
            deallocations: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            allocated_bytes: AtomicU64::new(0),
            live_bytes: AtomicUsize::new(0),
            peak_bytes: AtomicUsize::new(0),
            copies_in: AtomicU64::new(0),
            copied_in_bytes: AtomicU64::new(0),
            copies_out: AtomicU64::new(0),
            copied_out_bytes: AtomicU64::new(0),
        }
    }

    /// The numbers now. Each is exact; while other threads allocate they may be of slightly different moments.
    #[must_use]
    pub fn read(&self) -> Counts {
        Counts {
            allocations: self.allocations.load(ORDER),
            deallocations: self.deallocations.load(ORDER),
            refusals: self.refusals.load(ORDER),
            allocated_bytes: self.allocated_bytes.load(ORDER),
            live_bytes: self.live_bytes.load(ORDER),
            peak_bytes: self.peak_bytes.load(ORDER),
            copies_in: self.copies_in.load(ORDER),
            copied_in_bytes: self.copied_in_bytes.load(ORDER),
            copies_out: self.copies_out.load(ORDER),
            copied_out_bytes: self.copied_out_bytes.load(ORDER),
        }
    }

    /// For allocators: counts how a request for `bytes` bytes ended, and hands the result on.
    ///
    /// # Errors
    /// The error of `result`.
    pub fn counted<T, E>(&self, bytes: usize, result: Result<T, E>) -> Result<T, E> {
        if result.is_ok() {
            self.allocations.fetch_add(1, ORDER);
            self.allocated_bytes.fetch_add(bytes as u64, ORDER);
            let live = self.live_bytes.fetch_add(bytes, ORDER) + bytes;
            // The load keeps threads from sharing a cache line to write what it holds already.
            if live > self.peak_bytes.load(ORDER) {
                self.peak_bytes.fetch_max(live, ORDER);
            }
        } else {
            self.refusals.fetch_add(1, ORDER);
        }
        result
    }

    /// For allocators: a block of `bytes` bytes is about to go back.
    pub fn freed(&self, bytes: usize) {
        self.deallocations.fetch_add(1, ORDER);
        self.live_bytes.fetch_sub(bytes, ORDER);
    }

    /// Elements of `bytes` bytes were copied into a block.
    pub(crate) fn copied_in(&self, bytes: usize) {
        if bytes > 0 {
            self.copies_in.fetch_add(1, ORDER);
            self.copied_in_bytes.fetch_add(bytes as u64, ORDER);
        }
    }

    /// Elements of `bytes` bytes were copied out of a block.
    pub(crate) fn copied_out(&self, bytes: usize) {
        if bytes > 0 {
            self.copies_out.fetch_add(1, ORDER);
            self.copied_out_bytes.fetch_add(bytes as u64, ORDER);
        }
    }
}

/// One line: `2 blocks had, 1 given back, 0 refused; 40 bytes live, 80 at most; 1 copy in (40 bytes), 0 copies out (0 bytes)`.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copies = |count: u64| if count == 1 { "copy" } else { "copies" };
        write!(
            f,
            "{} blocks had, {} given back, {} refused; {} bytes live, {} at most; {} {} in ({} bytes), {} {} out ({} bytes)",
            self.allocations,
            self.deallocations,
            self.refusals,
            self.live_bytes,
            self.peak_bytes,
            self.copies_in,
            copies(self.copies_in),
            self.copied_in_bytes,
            self.copies_out,
            copies(self.copies_out),
            self.copied_out_bytes,
        )
    }
}
